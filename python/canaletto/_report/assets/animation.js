"use strict";
// Plays what happened in a window of the run: one canvas a fabric, all on one clock.
//
// Times are picoseconds from the window's start. Each fabric's spans are sorted by start and indexed in buckets, so
// that any moment is drawn in time proportional to what happens then.

(() => {
  const data = dataOf("timeline-data");
  if (!data) return;
  const player = document.getElementById("player");
  const find = selector => player.querySelector(selector);
  const causeNames = Object.keys(data.causes);
  const colour = cause => data.causes[cause] ?? "#888888";
  const label = cause => data.labels?.[cause] ?? cause.replaceAll("_", " ");
  const BUCKETS = 512;
  const SHOWN = 200; // requests in the list
  const TALLEST = 760; // pixels of an array
  const STATES = { array_read: "#5ed196", array_program: "#26796c", array_erase: "#655912", register: "#f2c84b" };
  const LABELS = {
    array_read: "array reads", array_program: "array programs", array_erase: "array erases", register: "data wait in the chip",
    compute: "computing", conflict: "waits for a path", command: "command", data: "data", reserved: "path held", scout: "scout",
    cancel: "scout turned back", handshake: "controllers agree",
  };
  const COLOURS = {
    command: "#4a9fd8", data: "#2b6cb0", reserved: "#f4b183", scout: "#e0407b", cancel: "#98a2ad", handshake: "#b9945c",
    conflict: "#c1121f", compute: "#301422", ...STATES,
  };

  // Data.

  function unpacked(packed, number) {
    const { kinds, durations } = packed.spans;
    const summed = differences => {
      let sum = 0;
      return differences.map(each => (sum += each));
    };
    const back = new Set(summed(packed.spans.back));
    const starts = summed(packed.spans.start);
    const spans = starts.map((start, place) => ({
      kind: kinds[packed.spans.kind[place]], part: packed.spans.part[place], start,
      end: start + durations[packed.spans.duration[place]], request: packed.spans.request[place] + packed.spans.first,
      chip: packed.spans.chip[place] - 1, back: back.has(place),
    }));
    const waits = packed.waits.start.map((begin, place) => ({
      kind: "conflict", part: packed.waits.part[place], start: begin, end: begin + packed.waits.duration[place],
      request: packed.waits.request[place],
    }));
    const requests = packed.requests.map(([id, op, lba, bytes, firstByte, arrival, complete, flat]) => {
      const steps = [];
      for (let at = 0; at < flat.length; at += 4) {
        steps.push({ cause: causeNames[flat[at]], start: flat[at + 1], end: flat[at + 1] + flat[at + 2], part: flat[at + 3] });
      }
      return { id, op, lba, bytes, firstByte, arrival, complete, steps };
    });
    const parts = packed.parts.map(([kind, ...place]) => ({ kind, place }));
    const all = [...spans, ...waits];
    return {
      number, name: packed.fabric, rows: packed.rows, columns: packed.columns, parts, all, waits, requests, alive: packed.alive,
      byId: new Map(requests.map(request => [request.id, request])), buckets: bucketed(all), shown: false,
    };
  }

  function bucketed(spans) {
    const buckets = Array.from({ length: BUCKETS }, () => []);
    for (const span of spans) {
      const first = Math.max(Math.floor((span.start / data.end) * BUCKETS), 0);
      const last = Math.min(Math.floor((span.end / data.end) * BUCKETS), BUCKETS - 1);
      for (let bucket = first; bucket <= last; bucket++) buckets[bucket].push(span);
    }
    return buckets;
  }

  function during(fabric, now) {
    const bucket = Math.min(Math.floor((now / data.end) * BUCKETS), BUCKETS - 1);
    return fabric.buckets[bucket].filter(span => span.start <= now && now < span.end);
  }

  const fabrics = data.fabrics.map(unpacked);
  const moments = [...new Set(fabrics.flatMap(fabric => fabric.all.flatMap(({ start, end }) => [start, end])))]
    .filter(time => time >= 0 && time <= data.end).sort((a, b) => a - b);

  // State.

  const state = { now: 0, playing: false, rate: 0, request: null, last: null };

  function time(picoseconds, digits = 3) {
    const [unit, size] = Math.abs(picoseconds) < 1e6 ? ["ns", 1e3] : Math.abs(picoseconds) < 1e10 ? ["µs", 1e6] : ["ms", 1e9];
    return `${(picoseconds / size).toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`;
  }
  const clock = now => `t = ${((data.start + now) / 1e6).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })} µs`;

  // Drawing.

  function prepare(fabric) {
    const places = fabric.parts.map(({ kind, place }, number) => ({ kind, place, number }));
    const wires = places.filter(({ kind }) => !["chip", "plane", "controller", "unit"].includes(kind));
    const controllers = places.filter(({ kind }) => kind === "controller").map(({ place }) => place);
    const known = new Set(controllers.map(place => place.join()));
    for (const { place: [row, column, toRow, toColumn] } of wires) {
      for (const end of [[row, column], [toRow, toColumn]]) {
        if ((end[1] < 0 || end[1] >= fabric.columns) && !known.has(end.join())) {
          known.add(end.join());
          controllers.push(end);
        }
      }
    }
    const layout = arrayLayout({
      rows: fabric.rows, columns: fabric.columns, controllers, wires: wires.map(({ kind, place }) => [kind, ...place]),
    });
    fabric.layout = layout;
    fabric.controllers = controllers;
    fabric.lines = new Map(wires.map(({ number }, order) => [number, layout.wires[order]]));
    fabric.planes = new Map();
    for (const { kind, place } of places) {
      if (kind !== "plane") continue;
      const [row, column, die, plane] = place;
      const key = `${row},${column}`;
      if (!fabric.planes.has(key)) fabric.planes.set(key, []);
      fabric.planes.get(key).push(`${die},${plane}`);
    }
    for (const list of fabric.planes.values()) list.sort();
  }

  function fitted(fabric) {
    const { canvas, layout } = fabric;
    // As wide as there is room for, but not so high that the controls are out of sight.
    const scale = Math.min(Math.max(Math.min(fabric.figure.clientWidth / layout.width, TALLEST / layout.height), 0.25), 2);
    const dots = devicePixelRatio || 1;
    fabric.scale = scale * dots;
    canvas.width = Math.round(layout.width * fabric.scale);
    canvas.height = Math.round(layout.height * fabric.scale);
    canvas.style.width = `${canvas.width / dots}px`;
    canvas.style.height = `${canvas.height / dots}px`;
    fabric.still = document.createElement("canvas");
    fabric.still.width = canvas.width;
    fabric.still.height = canvas.height;
    background(fabric, fabric.still.getContext("2d"));
  }

  function stroke(context, points, width, style) {
    context.beginPath();
    points.forEach(([x, y], place) => (place ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }

  // What never changes: idle wires, chips and controllers.
  function background(fabric, context) {
    const { layout } = fabric;
    context.scale(fabric.scale, fabric.scale);
    context.fillStyle = cssColour("--paper");
    context.fillRect(0, 0, layout.width, layout.height);
    for (const line of fabric.lines.values()) {
      for (const stub of line.stubs) stroke(context, stub, 1, cssColour("--line"));
      stroke(context, line.points, Math.min(line.width, 2.5), cssColour("--line"));
    }
    context.lineWidth = 0.8;
    context.strokeStyle = cssColour("--faint");
    context.fillStyle = cssColour("--raised");
    for (let row = 0; row < fabric.rows; row++) {
      for (let column = 0; column < fabric.columns; column++) {
        context.fillRect(layout.left(column), layout.top(row), CHIP, CHIP);
        context.strokeRect(layout.left(column), layout.top(row), CHIP, CHIP);
      }
    }
    for (const [row, column] of fabric.controllers) controller(context, layout, row, column);
  }

  function controller(context, layout, row, column) {
    context.beginPath();
    context.roundRect(layout.left(column), layout.top(row), CHIP, CHIP, 9);
    context.fill();
    context.stroke();
  }

  function draw(fabric) {
    const context = fabric.canvas.getContext("2d");
    const { layout, parts } = fabric;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(fabric.still, 0, 0);
    context.setTransform(fabric.scale, 0, 0, fabric.scale, 0, 0);
    const now = state.now;
    const active = during(fabric, now);
    const of = (...kinds) => active.filter(span => kinds.includes(span.kind));
    const onWire = span => fabric.lines.has(span.part);

    for (const span of of("array_read", "array_program", "array_erase", "register")) plane(context, fabric, span);
    for (const span of of("reserved").filter(onWire)) stroke(context, fabric.lines.get(span.part).points, 8, COLOURS.reserved);
    const units = of("compute");
    for (const { part } of units) computing(context, layout, parts[part].place);
    trails(context, fabric, now);
    for (const span of of("command", "data")) {
      if (onWire(span)) transfer(context, fabric, span, now);
      else outline(context, layout, parts[span.part], COLOURS[span.kind]);
    }
    for (const span of of("handshake")) {
      if (onWire(span)) transfer(context, fabric, span, now);
      else outline(context, layout, parts[span.part], COLOURS.handshake);
    }
    for (const span of of("scout", "cancel").filter(onWire)) head(context, fabric, span, now);
    const waiting = of("conflict");
    for (const span of waiting) pulse(context, layout, parts[span.part], now - span.start);
    if (state.request !== null) highlight(context, fabric, active);
    const scouts = new Set(of("scout", "cancel").map(span => span.request)).size;
    const moving = new Set(of("data", "command").map(span => `${span.request} ${span.chip}`)).size;
    fabric.told.textContent = [
      `${moving} on the wires`, units.length ? `${units.length} computing` : "", waiting.length ? `${waiting.length} waiting for a path` : "", scouts ? `${scouts} ${scouts === 1 ? "scout" : "scouts"}` : "",
    ].filter(Boolean).join(" · ");
  }

  function plane(context, fabric, span) {
    const { kind, place: [row, column, die, number] } = fabric.parts[span.part];
    if (kind !== "plane") return;
    const list = fabric.planes.get(`${row},${column}`) ?? [];
    const across = Math.ceil(Math.sqrt(list.length));
    const down = Math.ceil(list.length / across);
    const order = list.indexOf(`${die},${number}`);
    const [width, height] = [(CHIP - 2) / across, (CHIP - 2) / down];
    context.fillStyle = STATES[span.kind];
    context.fillRect(
      fabric.layout.left(column) + 1 + (order % across) * width, fabric.layout.top(row) + 1 + Math.floor(order / across) * height,
      width - (across > 1 ? 0.5 : 0), height - (down > 1 ? 0.5 : 0));
  }

  function outline(context, layout, { kind, place: [row, column] }, style) {
    if (kind === "plane") return;
    context.lineWidth = 2.5;
    context.strokeStyle = style;
    context.beginPath();
    context.roundRect(layout.left(column), layout.top(row), CHIP, CHIP, kind === "controller" ? 9 : 0);
    context.stroke();
  }

  // Units stand at their chip or controller. The drive's processors have no place.
  function computing(context, layout, [row, column]) {
    if (row >= 0) dot(context, ...layout.middle(row, column), 7, COLOURS.compute);
  }

  // Dashes that run from the sender to the receiver; on a bus only as far as the chip.
  function transfer(context, fabric, span, now) {
    const line = fabric.lines.get(span.part);
    let points = line.points;
    stroke(context, points, line.width > 2 ? 2.5 : line.width, COLOURS[span.kind]);
    const chip = fabric.parts[span.chip];
    const kind = fabric.parts[span.part].kind;
    if (chip && ["channel", "command_channel", "column", "inner_bus"].includes(kind)) points = toChip(fabric, points, chip.place, kind);
    if (span.back) points = [...points].reverse();
    context.save();
    context.setLineDash(span.kind === "data" ? [7, 4] : [2, 5]);
    // Two seconds on the screen for a dash to pass when the clock runs at its chosen rate.
    context.lineDashOffset = -((now / (state.rate || 1)) * 40) % 77;
    stroke(context, points, Math.max(line.width, 1.5), COLOURS[span.kind]);
    context.restore();
    const [x, y] = along(points, (now - span.start) / (span.end - span.start));
    if (span.kind === "command" || span.kind === "handshake") dot(context, x, y, 3, COLOURS[span.kind]);
  }

  function toChip(fabric, points, [row, column], kind) {
    const { left, top } = fabric.layout;
    if (kind === "channel") {
      const x = left(column) + CHIP / 2 - 4;
      return [points[0], [x, points[0][1]], [x, top(row) + CHIP]];
    }
    if (kind === "inner_bus") {
      const x = left(column) + CHIP / 2;
      const end = points.findIndex(([at, y]) => at === x && y === top(row) + CHIP + 7);
      return [...points.slice(0, end + 1), [x, top(row) + CHIP]];
    }
    if (kind === "command_channel") {
      const x = left(column) + CHIP / 2 - 9;
      return [points[0], [x, points[0][1]], [x, top(row) + CHIP]];
    }
    const y = top(row) + CHIP / 2 - 4;
    return [points[0], [points[0][0], y], [left(column) + CHIP, y]];
  }

  function dot(context, x, y, radius, style) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = style;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = cssColour("--paper");
    context.stroke();
  }

  // Where scouts have been: solid where they went, dashed where they turned back. A trail fades after its scout.
  function trails(context, fabric, now) {
    const fade = Math.max(data.end / 400, (state.rate || 0) * 0.4);
    const first = Math.max(Math.floor(((now - fade) / data.end) * BUCKETS), 0);
    const last = Math.min(Math.floor((now / data.end) * BUCKETS), BUCKETS - 1);
    const seen = new Set();
    for (let bucket = first; bucket <= last; bucket++) {
      for (const span of fabric.buckets[bucket]) {
        if ((span.kind !== "scout" && span.kind !== "cancel") || seen.has(span)) continue;
        seen.add(span);
        const age = now - span.end;
        if (age < 0 || age > fade || !fabric.lines.has(span.part)) continue;
        context.save();
        context.globalAlpha = 0.85 * (1 - age / fade);
        if (span.kind === "cancel") context.setLineDash([3, 3]);
        stroke(context, fabric.lines.get(span.part).points, 3, COLOURS[span.kind]);
        context.restore();
      }
    }
  }

  function head(context, fabric, span, now) {
    const { points } = fabric.lines.get(span.part);
    const share = (now - span.start) / (span.end - span.start);
    const way = span.back ? [...points].reverse() : points;
    context.save();
    if (span.kind === "cancel") context.setLineDash([3, 3]);
    stroke(context, [way[0], along(way, share)], 3, COLOURS[span.kind]);
    context.restore();
    const [x, y] = along(way, share);
    dot(context, x, y, 4.5, COLOURS[span.kind]);
  }

  function pulse(context, layout, { place: [row, column] }, age) {
    const phase = state.rate ? (age / state.rate) * 1.5 : 0.3;
    const grown = 2 + 3 * (0.5 - 0.5 * Math.cos(2 * Math.PI * phase));
    context.lineWidth = 2;
    context.strokeStyle = COLOURS.conflict;
    context.strokeRect(layout.left(column) - grown, layout.top(row) - grown, CHIP + 2 * grown, CHIP + 2 * grown);
  }

  function highlight(context, fabric, active) {
    const request = fabric.byId.get(state.request);
    const chips = new Set((request?.steps ?? []).map(step => step.part).filter(part => part >= 0));
    const ink = cssColour("--ink");
    context.save();
    for (const part of chips) {
      const { place: [row, column] } = fabric.parts[part];
      context.lineWidth = 2;
      context.strokeStyle = ink;
      context.setLineDash([4, 2]);
      context.strokeRect(fabric.layout.left(column) - 4, fabric.layout.top(row) - 4, CHIP + 8, CHIP + 8);
    }
    context.setLineDash([]);
    for (const span of active) {
      if (span.request === state.request && fabric.lines.has(span.part)) {
        context.globalAlpha = 0.9;
        stroke(context, fabric.lines.get(span.part).points, 1, ink);
      }
    }
    context.restore();
  }

  // How much happens when: transfers waiting for a path over the window, of the fabrics shown.
  function busy() {
    const canvas = find(".busy");
    const dots = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * dots;
    canvas.height = canvas.clientHeight * dots;
    const context = canvas.getContext("2d");
    const shown = fabrics.filter(fabric => fabric.shown);
    const steps = Math.min(Math.round(canvas.width / 2), 400);
    const counts = shown.map(fabric => Array.from({ length: steps }, (_, step) => {
      const moment = ((step + 0.5) / steps) * data.end;
      return fabric.buckets[Math.min(Math.floor((moment / data.end) * BUCKETS), BUCKETS - 1)]
        .reduce((sum, span) => sum + (span.kind === "conflict" && span.start <= moment && moment < span.end), 0);
    }));
    const most = Math.max(1, ...counts.flat());
    counts.forEach((line, number) => {
      const points = line.map((count, step) => [((step + 0.5) / steps) * canvas.width, canvas.height - 2 - (count / most) * (canvas.height - 14 * dots)]);
      stroke(context, points, 1.5 * dots, cssColour(`--fabric-${shown[number].name}`) || "#888888");
    });
    context.fillStyle = cssColour("--faint");
    context.font = `${10 * dots}px Helvetica Neue, Helvetica, Arial, sans-serif`;
    context.fillText(`waiting for a path (at most ${most})`, 4, 10 * dots);
  }

  // The page around it.

  function drawAll() {
    find("output").textContent = `${clock(state.now)}  (+${time(state.now)})`;
    find("input[type=range]").value = String(Math.round((state.now / data.end) * 10_000));
    for (const fabric of fabrics) if (fabric.shown) draw(fabric);
    moveNeedles();
  }

  function seek(now) {
    state.now = Math.min(Math.max(now, 0), data.end);
    drawAll();
  }

  function step(direction) {
    play(false);
    const found = direction > 0
      ? moments.find(moment => moment > state.now)
      : moments.findLast(moment => moment < state.now);
    if (found !== undefined) seek(found);
  }

  function play(on) {
    state.playing = on;
    const button = find("[data-do=play]");
    button.textContent = on ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(on));
    if (!on) return;
    if (state.now >= data.end) state.now = 0;
    state.last = null;
    requestAnimationFrame(tick);
  }

  function tick(at) {
    if (!state.playing) return;
    if (state.last !== null) state.now += Math.min(at - state.last, 100) / 1000 * state.rate;
    state.last = at;
    if (state.now >= data.end) {
      seek(data.end);
      play(false);
      return;
    }
    drawAll();
    requestAnimationFrame(tick);
  }

  function show(fabric, on) {
    fabric.shown = on;
    fabric.button.setAttribute("aria-pressed", String(on));
    fabric.figure.hidden = !on;
  }

  function fitAll() {
    for (const fabric of fabrics) if (fabric.shown) fitted(fabric);
    busy();
    list();
    explain();
    drawAll();
  }

  function build() {
    for (const fabric of fabrics) {
      prepare(fabric);
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      const name = document.createElement("b");
      name.append(swatch(fabric.name), fabric.name);
      fabric.told = document.createElement("span");
      fabric.canvas = document.createElement("canvas");
      caption.append(name, fabric.told);
      figure.append(caption, fabric.canvas);
      fabric.figure = figure;
      find(".arrays").append(figure);
      fabric.button = document.createElement("button");
      fabric.button.type = "button";
      fabric.button.append(swatch(fabric.name), fabric.name);
      fabric.button.addEventListener("click", () => {
        if (fabric.shown && fabrics.filter(each => each.shown).length === 1) return;
        show(fabric, !fabric.shown);
        fitAll();
      });
      if (fabrics.length > 1) find(".fabrics").append(fabric.button);
    }
    // Long arrays need long places.
    const ratio = Math.max(...fabrics.map(({ layout }) => layout.width / layout.height));
    find(".arrays").style.setProperty("--array", `${Math.round(Math.min(Math.max(20, 14 * ratio), 90))}rem`);
    legend();
    speeds();
  }

  function swatch(name) {
    const element = document.createElement("span");
    element.className = "swatch";
    element.style.background = `var(--fabric-${name}, #666)`;
    return element;
  }

  // Only what occurs.
  function legend() {
    const kinds = new Set(fabrics.flatMap(fabric => fabric.all.map(span => span.kind)));
    for (const kind of Object.keys(LABELS)) {
      if (!kinds.has(kind)) continue;
      const sign = svg("svg", { viewBox: "0 0 32 18", "aria-hidden": "true" });
      const colours = { fill: "none", stroke: COLOURS[kind] };
      if (kind in STATES) sign.append(svg("rect", { x: 8, y: 1, width: 16, height: 16, fill: COLOURS[kind] }));
      else if (kind === "compute") sign.append(svg("circle", { cx: 15, cy: 9, r: 7, fill: COLOURS[kind] }));
      else if (kind === "conflict") sign.append(svg("rect", { ...colours, x: 8, y: 2, width: 14, height: 14, "stroke-width": 3 }));
      else if (kind === "scout" || kind === "cancel") {
        sign.append(svg("path", { ...colours, d: "M2 9H24", "stroke-width": 4, "stroke-dasharray": kind === "cancel" ? "4 3" : "none" }));
        sign.append(svg("circle", { cx: 25, cy: 9, r: 5.5, fill: COLOURS[kind] }));
      } else if (kind === "reserved") sign.append(svg("path", { ...colours, d: "M2 9H30", "stroke-width": 12 }));
      else sign.append(svg("path", { ...colours, d: "M2 9H30", "stroke-width": 6, "stroke-dasharray": kind === "data" ? "9 3" : "3 4" }));
      const entry = document.createElement("span");
      entry.append(sign, LABELS[kind]);
      find(".legend").append(entry);
    }
  }

  function speeds() {
    const select = find("[data-do=speed]");
    const wanted = data.end / 40; // some forty seconds for the window
    const rates = [];
    for (let power = 3; power <= 12; power++) for (const digit of [1, 2, 5]) rates.push(digit * 10 ** power);
    const useful = rates.filter(rate => rate > wanted / 120 && rate < wanted * 25);
    state.rate = useful.reduce((best, rate) => (Math.abs(Math.log(rate / wanted)) < Math.abs(Math.log(best / wanted)) ? rate : best), useful[0] ?? wanted);
    for (const rate of useful) {
      const option = document.createElement("option");
      option.value = String(rate);
      option.textContent = `${time(rate)} a second`;
      option.selected = rate === state.rate;
      select.append(option);
    }
  }

  // Requests.

  const lost = request => request.steps.reduce((sum, each) => sum + (each.cause === "path_conflict" ? each.end - each.start : 0), 0);
  const latency = request => (request.complete ?? data.end) - request.arrival;

  function list() {
    const fabric = fabrics.find(each => each.shown);
    const keys = { slow: latency, conflict: lost, arrival: request => -request.arrival };
    const key = keys[find("[data-do=sort]").value];
    const ordered = [...fabric.requests].sort((a, b) => key(b) - key(a));
    const place = find(".list");
    place.replaceChildren();
    for (const request of ordered.slice(0, SHOWN)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.request = request.id;
      button.setAttribute("aria-pressed", String(request.id === state.request));
      const texts = [`#${request.id}`, request.op, request.complete === null ? "running" : time(latency(request), 2), lost(request) ? `${time(lost(request), 2)} conflict` : ""];
      for (const text of texts) button.append(Object.assign(document.createElement("span"), { textContent: text }));
      place.append(button);
    }
    const note = document.createElement("p");
    note.className = "note";
    const listed = Math.min(ordered.length, SHOWN);
    const more = fabric.alive > listed ? `, ${listed} listed` : "";
    note.textContent = ` ${fabric.alive.toLocaleString("en")} ${fabric.alive === 1 ? "request" : "requests"} in this window${more}; latency and path conflict on ${fabric.name}`;
    place.append(note);
  }

  // Blame bars of the request chosen, one a fabric on one axis, with its steps below.
  function explain() {
    if (state.request === null) return;
    const found = fabrics.filter(fabric => fabric.shown && fabric.byId.has(state.request)).map(fabric => ({ fabric, request: fabric.byId.get(state.request) }));
    const place = find(".explained");
    place.replaceChildren();
    if (!found.length) return;
    const [{ request: first }] = found;
    const heading = document.createElement("h3");
    const within = first.firstByte ? `, byte ${first.firstByte}` : "";
    const extent = first.bytes ? ` of ${first.bytes.toLocaleString("en")} B at sector ${first.lba.toLocaleString("en")}${within}` : "";
    heading.textContent = `Request ${first.id}: ${first.op}${extent}`;
    place.append(heading, bars(found));
    for (const { fabric, request } of found) place.append(key(fabric, request));
  }

  function bars(found) {
    const width = Math.max(find(".explained").clientWidth, 280);
    const height = 30 * found.length + 34;
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "latency of the request by cause" });
    const begin = Math.min(...found.map(({ request }) => request.arrival));
    // A fabric on which it takes many times as long must not hide the others: its bar runs out of the picture.
    const ends = found.map(({ request }) => request.complete ?? data.end);
    const end = Math.min(Math.max(...ends), begin + 8 * (Math.min(...ends) - begin));
    const [left, right] = [96, width - 14];
    const x = moment => left + (Math.min(moment - begin, end - begin) / (end - begin || 1)) * (right - left);
    const text = (content, attributes) => Object.assign(svg("text", { "font-size": 11.5, fill: "currentColor", ...attributes }), { textContent: content });
    found.forEach(({ fabric, request }, number) => {
      const y = number * 30 + 2;
      root.append(text(fabric.name, { x: left - 8, y: y + 16, "text-anchor": "end" }));
      root.append(svg("rect", { x: x(request.arrival), y: y + 3, width: Math.max(x(request.complete ?? data.end) - x(request.arrival), 0), height: 18, fill: "none", stroke: "currentColor", "stroke-width": 0.5 }));
      for (const each of request.steps) {
        const title = svg("title");
        title.textContent = `${label(each.cause)}: ${time(each.end - each.start)}, from ${clock(each.start)}`;
        root.append(svg("rect", { x: x(each.start), y: y + 3, width: Math.max(x(each.end) - x(each.start), 0.4), height: 18, fill: colour(each.cause) }, title));
      }
    });
    const bottom = height - 30;
    root.append(svg("path", { d: `M${left} ${bottom}H${right}`, stroke: "currentColor", "stroke-width": 0.7 }));
    const count = Math.max(2, Math.floor((right - left) / 90));
    const raw = (end - begin) / count / 1e6;
    const unit = 10 ** Math.floor(Math.log10(raw || 1));
    const tick = [1, 2, 5, 10].map(digit => digit * unit).find(size => size >= raw) ?? unit;
    for (let at = 0; at * 1e6 <= end - begin + 1; at += tick) {
      const across = x(begin + at * 1e6);
      root.append(svg("path", { d: `M${across} ${bottom}v4`, stroke: "currentColor", "stroke-width": 0.7 }));
      root.append(text(String(+at.toPrecision(6)), { x: across, y: bottom + 15, "text-anchor": "middle" }));
    }
    root.append(text("time since arrival (µs)", { x: (left + right) / 2, y: bottom + 28, "text-anchor": "middle" }));
    root.append(svg("path", { class: "needle", d: `M0 0V${bottom}`, stroke: "#c1121f", "stroke-width": 1.2 }));
    root.place = moment => Math.min(Math.max(x(moment), left), right);
    return root;
  }

  function moveNeedles() {
    for (const root of player.querySelectorAll(".explained svg")) {
      root.querySelector(".needle")?.setAttribute("transform", `translate(${root.place?.(state.now) ?? 0} 0)`);
    }
  }

  function key(fabric, request) {
    const sums = new Map();
    for (const each of request.steps) sums.set(each.cause, (sums.get(each.cause) ?? 0) + each.end - each.start);
    const line = document.createElement("div");
    line.className = "key";
    const name = document.createElement("span");
    name.append(swatch(fabric.name), `${fabric.name} ${request.complete === null ? "(running)" : time(latency(request))}`);
    line.append(name);
    const outside = latency(request) - [...sums.values()].reduce((sum, each) => sum + each, 0);
    if (outside > 0) sums.set("outside the window", outside);
    for (const [cause, sum] of sums) {
      const entry = document.createElement("span");
      const sign = document.createElement("span");
      sign.className = "swatch";
      sign.style.background = data.causes[cause] ?? "transparent";
      const value = document.createElement("b");
      value.textContent = time(sum);
      entry.append(sign, `${label(cause)} `, value);
      line.append(entry);
    }
    return line;
  }

  function choose(id) {
    state.request = id;
    for (const button of player.querySelectorAll(".list button")) button.setAttribute("aria-pressed", String(Number(button.dataset.request) === id));
    explain();
    drawAll();
  }

  // All arrays shown in one picture.
  function picture() {
    const shown = fabrics.filter(fabric => fabric.shown);
    const canvas = document.createElement("canvas");
    const head = 26 * (devicePixelRatio || 1);
    canvas.width = shown.reduce((sum, fabric) => sum + fabric.canvas.width + 16, 0);
    canvas.height = Math.max(...shown.map(fabric => fabric.canvas.height)) + head;
    const context = canvas.getContext("2d");
    context.fillStyle = cssColour("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = cssColour("--ink");
    context.font = `${head * 0.55}px Helvetica Neue, Helvetica, Arial, sans-serif`;
    let left = 0;
    for (const fabric of shown) {
      context.fillText(`${fabric.name}, ${clock(state.now)}`, left + 8, head * 0.7);
      context.drawImage(fabric.canvas, left, head);
      left += fabric.canvas.width + 16;
    }
    canvas.toBlob(blob => download("fabric.png", blob));
  }

  player.addEventListener("click", event => {
    const button = event.target.closest("button");
    const action = button?.dataset.do;
    if (action === "play") play(!state.playing);
    if (action === "back") step(-1);
    if (action === "forward") step(1);
    if (action === "png") picture();
    if (button?.dataset.request) choose(Number(button.dataset.request));
  });
  player.addEventListener("keydown", event => {
    if (["SELECT", "INPUT"].includes(event.target.tagName)) return;
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play(!state.playing);
    else return;
    event.preventDefault();
  });
  find("[data-do=speed]").addEventListener("change", event => (state.rate = Number(event.target.value)));
  find("[data-do=sort]").addEventListener("change", list);
  find("input[type=range]").addEventListener("input", event => {
    play(false);
    seek((Number(event.target.value) / 10_000) * data.end);
  });
  document.addEventListener("theme", fitAll);
  let width = player.clientWidth;
  new ResizeObserver(() => {
    if (player.clientWidth !== width) requestAnimationFrame(fitAll);
    width = player.clientWidth;
  }).observe(player);

  // The middle of the longest time in which most transfers of the first fabric wait for a path.
  function mostConflicts() {
    const { waits } = fabrics.find(fabric => fabric.name === data.first[0]) ?? fabrics[0];
    const changes = waits.flatMap(({ start, end }) => [[Math.max(start, 0), 1], [Math.min(end, data.end), -1]]);
    changes.sort(([a, up], [b, down]) => a - b || up - down);
    let [waiting, most, longest, middle] = [0, 0, 0, data.end / 3];
    changes.forEach(([moment, change], place) => {
      waiting += change;
      const until = changes[place + 1]?.[0] ?? moment;
      if (waiting > most || (waiting === most && waiting > 0 && until - moment > longest)) {
        [most, longest, middle] = [waiting, until - moment, (moment + until) / 2];
      }
    });
    return middle;
  }

  // #t=MICROSECONDS&play=0&fabrics=bus,venice&request=17 sets the state: for links, and for tests.
  function fromHash() {
    const given = settings();
    const names = given.get("fabrics")?.split(",") ?? (data.first.length ? data.first : [fabrics[0].name]);
    for (const fabric of fabrics) show(fabric, names.includes(fabric.name));
    if (!fabrics.some(fabric => fabric.shown)) show(fabrics[0], true);
    if (fabrics.length > 1 && fabrics.filter(fabric => fabric.shown).length < 2 && !given.has("fabrics")) show(fabrics[fabrics.length - 1], true);
    fitAll();
    const request = given.get("request") ?? data.request;
    if (request !== null) choose(Number(request));
    seek(given.has("t") ? Number(given.get("t")) * 1e6 - data.start : mostConflicts());
    if (given.get("play") === "1") play(true);
  }

  build();
  fromHash();
  addEventListener("hashchange", fromHash);
})();
