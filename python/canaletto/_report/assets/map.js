"use strict";
// Maps of the chip array, coloured by utilisation or by wear.

const percent = share => {
  const text = share >= 0.0995 ? (share * 100).toFixed(0) : share && share < 0.00001 ? "<0.001" : +(share * 100).toPrecision(2);
  return `${text}\u00a0%`;
};
const erases = mean => `${+mean.toPrecision(3)}\u00a0erases`;

// What a kind of map shows: what it is called, a value in words, the scale's title and ticks, a chip, the summary.
const SHOWN = {
  "maps": {
    name: "utilisation", column: "share", words: percent, title: "share of the execution time in use",
    tick: share => `${+(share * 100).toPrecision(3)} %`,
    chip: (array, port) => `array ${percent(array)}, port ${percent(port)}`,
    told: (name, shares) => `${name} ${percent(mean(shares))} (max ${percent(Math.max(...shares))})`,
  },
  "wear-map": {
    name: "wear", column: "erases", words: erases, title: "erases of a block, mean over the chip's blocks",
    tick: value => `${+value.toPrecision(3)}`,
    chip: value => erases(value),
    told: (name, values) => `${name} ${erases(mean(values))} (min ${+Math.min(...values).toPrecision(3)}, max ${+Math.max(...values).toPrecision(3)})`,
  },
};
const mean = values => values.reduce((sum, value) => sum + value, 0) / (values.length || 1);

Object.keys(SHOWN).forEach(id => {
  const data = dataOf(`${id}-data`);
  if (!data) return;
  const figure = document.getElementById(id);
  const shown = SHOWN[id];
  const { top, ticks, power, maps, colours } = data;
  const placeOf = share => (Math.min(Math.max(share / top, 0), 1)) ** power;

  function shade(share) {
    const place = placeOf(share) * (colours.length - 1);
    const low = Math.min(Math.floor(place), colours.length - 2);
    const parts = [1, 3, 5].map(at => {
      const [a, b] = [colours[low], colours[low + 1]].map(colour => parseInt(colour.slice(at, at + 2), 16));
      return Math.round(a + (b - a) * (place - low));
    });
    return `rgb(${parts.join(",")})`;
  }

  const title = text => {
    const element = svg("title");
    element.textContent = text;
    return element;
  };
  const path = points => "M" + points.map(point => point.map(n => n.toFixed(1)).join(" ")).join("L");
  const OUTLINE = "#8a97a5";

  function drawn(map) {
    const layout = arrayLayout(map);
    const root = svg("svg", { viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img", "aria-label": `${shown.name} of ${map.fabric}: ${summary(map)}` });
    map.wires.forEach((wire, place) => {
      const { points, stubs, width } = layout.wires[place];
      const [share, name] = wire.slice(5);
      const attributes = { fill: "none", stroke: shade(share), "stroke-linecap": "butt" };
      const group = svg("g", { "data-name": name, "data-share": share }, title(`${name}: ${percent(share)}`));
      for (const stub of stubs) group.append(svg("path", { ...attributes, d: path(stub), "stroke-width": 1.5 }));
      group.append(svg("path", { ...attributes, d: path(points), stroke: OUTLINE, "stroke-width": width + Math.min(0.8, width / 2) }));
      group.append(svg("path", { ...attributes, d: path(points), "stroke-width": width }));
      root.append(group);
    });
    for (const [row, column, array, port, name] of map.chips) {
      const [x, y] = [layout.left(column), layout.top(row)];
      const group = svg("g", { "data-name": name, "data-share": array }, title(`${name}: ${shown.chip(array, port)}`),
        svg("rect", { x, y, width: CHIP, height: CHIP, fill: shade(array), stroke: OUTLINE, "stroke-width": 0.8 }));
      if (port !== null) group.append(svg("rect", { x: x + 0.4, y: y + CHIP - 6, width: CHIP - 0.8, height: 5.6, fill: shade(port), stroke: "#ffffff", "stroke-width": 0.5 }));
      root.append(group);
    }
    for (const [row, column, share, name] of map.controllers) {
      const [x, y] = [layout.left(column), layout.top(row)];
      root.append(svg("g", { "data-name": name, "data-share": share }, title(`${name}: ${percent(share)}`),
        svg("rect", { x, y, width: CHIP, height: CHIP, rx: 9, fill: shade(share), stroke: OUTLINE, "stroke-width": 0.8 })));
    }
    return { root, layout };
  }

  function scale() {
    const root = svg("svg", { viewBox: "0 0 350 44", role: "img", "aria-label": `colour scale: ${shown.title}` });
    for (let step = 0; step < 100; step++) root.append(svg("rect", { x: 10 + step * 3.3, y: 14, width: 3.6, height: 12, fill: shade(top * ((step + 0.5) / 100) ** (1 / power)) }));
    const text = (x, y, anchor, content) => {
      const element = svg("text", { x, y, "text-anchor": anchor, "font-size": 11, fill: "currentColor", "font-family": "Helvetica Neue, Helvetica, Arial, sans-serif" });
      element.textContent = content;
      return element;
    };
    for (const tick of ticks) root.append(text(10 + placeOf(tick) * 330, 39, tick === 0 ? "start" : tick === top ? "end" : "middle", shown.tick(tick)));
    root.append(text(10, 10, "start", shown.title));
    return root;
  }

  const told = (name, values) => (values.length ? shown.told(name, values) : "");

  function summary(map) {
    return [told("chips", map.chips.map(chip => chip[2])), told("wires", map.wires.map(wire => wire[5]))].filter(Boolean).join(" · ");
  }

  function caption(map) {
    const element = document.createElement("figcaption");
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = `var(--fabric-${map.fabric}, #666)`;
    const name = document.createElement("b");
    name.append(swatch, map.fabric);
    const faint = document.createElement("span");
    faint.textContent = summary(map);
    element.append(name, faint);
    return element;
  }

  const all = maps.map(map => ({ map, ...drawn(map) }));
  figure.querySelector(".scale").append(scale());
  const place = figure.querySelector(".maps");
  // Long arrays need long maps.
  const ratio = Math.max(...all.map(({ layout }) => layout.width / layout.height));
  place.style.setProperty("--map", `${Math.round(Math.min(Math.max(all.length < 3 ? 28 : 16, 11 * ratio), 70))}rem`);
  for (const { map, root, layout } of all) {
    const small = document.createElement("figure");
    root.style.maxWidth = `${layout.width * 1.6}px`;
    root.style.maxHeight = "46rem";
    small.append(caption(map), root);
    place.append(small);
  }

  // All maps as one figure.
  function whole() {
    const width = Math.max(...all.map(({ layout }) => layout.width));
    const height = Math.max(...all.map(({ layout }) => layout.height)) + 22;
    const across = Math.min(all.length, Math.ceil(Math.sqrt((all.length * height * 1.3) / width)));
    const size = [across * (width + 16), Math.ceil(all.length / across) * height + 56];
    const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], color: "#1c2733" });
    root.append(svg("rect", { width: size[0], height: size[1], fill: "#ffffff" }));
    all.forEach(({ map, root: each, layout }, number) => {
      const [x, y] = [(number % across) * (width + 16), Math.floor(number / across) * height];
      const name = svg("text", { x: x + EDGE, y: y + 15, "font-size": 13, "font-weight": 600, "font-family": "Helvetica Neue, Helvetica, Arial, sans-serif", fill: "#1c2733" });
      name.textContent = map.fabric;
      const copy = each.cloneNode(true);
      copy.removeAttribute("style");
      for (const [key, value] of Object.entries({ x, y: y + 20, width: layout.width, height: layout.height })) copy.setAttribute(key, value);
      root.append(name, copy);
    });
    const legend = scale();
    for (const [key, value] of Object.entries({ x: 0, y: size[1] - 50, width: 350, height: 44 })) legend.setAttribute(key, value);
    root.append(legend);
    return new XMLSerializer().serializeToString(root);
  }

  const rows = () => maps.flatMap(map => [
    ...map.chips.flatMap(([, , array, port, name]) => (port === null ? [[name, "chip", array]] : [[name, "array", array], [name, "port", port]])),
    ...map.controllers.map(([, , share, name]) => [name, "controller", share]),
    ...map.wires.map(([kind, , , , , share, name]) => [name, kind, share]),
  ].map(([part, kind, value]) => ({ fabric: map.fabric, part, kind, [shown.column]: value })));

  figure.addEventListener("click", event => {
    const kind = event.target.dataset.saveMaps;
    if (kind === "svg") download(`${shown.name}.svg`, whole(), "image/svg+xml");
    if (kind === "csv") download(`${shown.name}.csv`, toCsv(rows()), "text/csv");
  });
});
