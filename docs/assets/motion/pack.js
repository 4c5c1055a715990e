"use strict";
// Timelines of the engine in the form that the player reads, as canaletto/report/animation.py packs them.

const WIRES = ["channel", "command_channel", "column", "path", "link", "controller_link", "trunk", "inner_bus", "grant_line"];
const NOBODY = 2 ** 32 - 1;
const OPS = ["read", "write", "trim", "flush"];

const differences = numbers => numbers.map((each, place) => each - (place ? numbers[place - 1] : 0));
const rowsOf = columns => Object.values(columns)[0].map((_, place) =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[place]])));

// Every fabric's timeline on one clock, up to `end` (picoseconds). `words`: colours and labels of causes.
function packTimelines(timelines, end, words) {
  const start = Math.min(...Object.values(timelines).map(({ header }) => header.from_ps));
  const cut = Object.values(timelines).filter(({ header }) => header.truncated).map(({ header }) => header.until_ps);
  const last = Math.min(end, ...cut);
  const causes = Object.keys(words.causes);
  return {
    start, end: last - start, whole: end - start, recorded: last - start, request: null, first: Object.keys(timelines),
    ...words, fabrics: Object.entries(timelines).map(([name, timeline]) => packFabric(name, timeline, causes, start, last)),
  };
}

function packFabric(fabric, { header, spans: spanColumns, steps: stepColumns, requests: requestColumns }, causes, start, end) {
  const { parts } = header;
  const spans = rowsOf(spanColumns).map(row => ({ ...row, kind: header.kinds[row.kind] }))
    .filter(row => row.start < end && row.end >= start).sort((a, b) => a.start - b.start);
  const requests = rowsOf(requestColumns).filter(row => row.arrival < end).sort((a, b) => a.arrival - b.arrival).slice(0, 250);
  const told = new Set(requests.map(row => row.number));
  const writes = new Map(rowsOf(requestColumns).map(row => [row.number, OPS[row.kind] === "write"]));
  const steps = rowsOf(stepColumns).map(row => ({ ...row, cause: header.causes[row.cause] })).filter(row => told.has(row.request));
  const kept = [...new Set([
    ...spans.map(row => row.part), ...parts.flatMap((part, place) => (WIRES.includes(part.kind) ? [place] : [])),
    ...steps.map(row => row.part),
  ])].filter(place => place !== NOBODY).sort((a, b) => a - b);
  const index = new Map(kept.map((place, number) => [place, number]));
  const chips = parts.filter(part => part.kind === "chip");
  return {
    fabric, rows: Math.max(...chips.map(part => part.row)) + 1, columns: Math.max(...chips.map(part => part.column)) + 1,
    parts: kept.map(place => packPart(parts[place])), spans: packSpans(spans, parts, index, writes, start),
    waits: packWaits(steps, index, start, end), alive: requestColumns.number.length,
    requests: packRequests(requests, steps, index, causes, start),
  };
}

function packPart(part) {
  if (WIRES.includes(part.kind)) return [part.kind, ...part.from, ...part.to];
  return [part.kind, part.row, part.column, ...(part.kind === "plane" ? [part.die, part.plane] : [])];
}

function packSpans(rows, parts, index, writes, start) {
  const kinds = [...new Set(rows.map(row => row.kind))].sort();
  const durations = [...new Set(rows.map(row => row.end - row.start))].sort((a, b) => a - b);
  const lengths = new Map(durations.map((duration, place) => [duration, place]));
  const chips = new Map(rows.filter(row => parts[row.part].kind === "chip").map(row => [row.page, index.get(row.part) + 1]));
  const first = rows.reduce((least, row) => Math.min(least, row.request), NOBODY) - 1;
  const back = movesBack(rows, parts, writes).flatMap((each, place) => (each ? [place] : []));
  return {
    kinds, durations, first, kind: rows.map(row => kinds.indexOf(row.kind)), part: rows.map(row => index.get(row.part)),
    start: differences(rows.map(row => row.start - start)), duration: rows.map(row => lengths.get(row.end - row.start)),
    request: rows.map(row => (row.request === NOBODY ? 0 : row.request - first)),
    chip: rows.map(row => (["command", "data", "handshake"].includes(row.kind) ? chips.get(row.page) ?? 0 : 0)),
    back: differences(back),
  };
}

// Whether what moves over a wire moves from its `to` to its `from`: scouts hop out from a controller, read data come back.
function movesBack(rows, parts, writes) {
  const ends = part => [...part.from, ...part.to].join();
  const links = new Set(parts.filter(part => part.kind === "link").map(ends));
  const bothWays = ![...parts].some(part => part.kind === "link" && links.has([...part.to, ...part.from].join()));
  const programs = new Set(rows.filter(row => row.kind === "array_program").map(row => row.page));
  const places = new Map();
  const scouted = new Map();
  return rows.map(row => {
    const part = parts[row.part];
    if (!WIRES.includes(part.kind)) return false;
    if (row.kind === "scout" || row.kind === "cancel") {
      const place = places.get(row.page)?.join();
      const backwards = place === part.to.join() || (place !== part.from.join() && part.to[1] < 0);
      places.set(row.page, backwards ? part.from : part.to);
      if (row.kind === "scout") scouted.set(`${row.page} ${row.part}`, backwards);
      return backwards;
    }
    if ((["link", "controller_link"].includes(part.kind) && !bothWays) || row.kind === "reserved") return false;
    places.delete(row.page);
    const out = row.kind !== "data" || (writes.get(row.request) ?? false) || programs.has(row.page);
    return (scouted.get(`${row.page} ${row.part}`) ?? false) === out;
  });
}

function packWaits(steps, index, start, end) {
  const rows = steps.filter(row => row.cause === "path_conflict" && index.has(row.part) && row.start < end && row.end >= start)
    .sort((a, b) => a.start - b.start || a.end - b.end);
  return {
    start: rows.map(row => row.start - start), duration: rows.map(row => row.end - row.start),
    part: rows.map(row => index.get(row.part)), request: rows.map(row => row.request),
  };
}

// Of a request its own steps and those of the page that finished it.
function packRequests(requests, steps, index, causes, start) {
  const mine = Map.groupBy ? Map.groupBy(steps, row => row.request) : grouped(steps);
  return requests.filter(row => mine.has(row.number)).map(row => {
    const all = mine.get(row.number);
    const last = all.filter(step => step.page !== NOBODY).reduce((best, step) => (!best || step.end >= best.end ? step : best), null);
    const shown = all.filter(step => step.page === NOBODY || step.page === last?.page).sort((a, b) => a.start - b.start);
    return [
      row.number, OPS[row.kind], row.lba, row.sectors * 512, 0, row.arrival - start, row.complete === null ? null : row.complete - start,
      shown.flatMap(step => [causes.indexOf(step.cause), step.start - start, step.end - step.start, index.get(step.part) ?? -1]),
    ];
  });
}

function grouped(rows) {
  const found = new Map();
  for (const row of rows) found.set(row.request, [...(found.get(row.request) ?? []), row]);
  return found;
}
