"use strict";
// The page's look, its charts, and what can be saved and copied.

const dataOf = id => {
  const element = document.getElementById(id);
  return element && JSON.parse(element.textContent);
};
const settings = () => new URLSearchParams(location.hash.slice(1));
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => {
  const classes = document.documentElement.classList;
  return classes.contains("dark") || (prefersDark.matches && !classes.contains("light"));
};
const darkColours = dataOf("dark-colours");
const cssColour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What the charts look like. Saved figures are always light: they go into papers.
function look(dark, width) {
  const [ink, faint, line] = dark ? ["#e4eaf0", "#9aa8b7", "#2e3a47"] : ["#1c2733", "#4b5967", "#d9e0e7"];
  const narrow = width < 480;
  return {
    background: "white",
    font: "Helvetica Neue, Helvetica, Arial, sans-serif",
    padding: { left: 2, right: 10, top: 4, bottom: 2 },
    view: { stroke: null },
    axis: {
      labelColor: ink, titleColor: faint, gridColor: line, domainColor: faint, tickColor: faint,
      labelFontSize: 11.5, titleFontSize: 12, titleFontWeight: 500, titlePadding: 8, labelLimit: 150,
      labelOverlap: "greedy", labelSeparation: 6,
    },
    // A title that ends with its axis is not cut off where labels take half of the width.
    axisX: { tickCount: narrow ? 4 : 7, labelFlush: false, ...(narrow ? { titleAnchor: "end" } : {}) },
    axisY: { labelPadding: 6 },
    text: { color: ink, fontSize: 11.5 },
    rule: { color: faint },
    legend: {
      labelColor: ink, titleColor: faint, labelFontSize: 12, orient: "top", symbolType: "square", symbolSize: 110, symbolStrokeWidth: 0,
      columnPadding: 14, rowPadding: 4, labelLimit: 170, columns: Math.max(2, Math.floor((width - 40) / 135)),
    },
  };
}

function shaded(spec, dark, width = Infinity) {
  let text = JSON.stringify(spec);
  if (dark) for (const [light, other] of Object.entries(darkColours)) text = text.replaceAll(`"${light}"`, `"${other}"`);
  return JSON.parse(text, (key, value) => (key === "labelLimit" ? Math.min(value, Math.max(150, width / 2)) : value));
}

const charts = [...document.querySelectorAll("figure.chart")].filter(figure => document.getElementById(`${figure.id}-spec`));

// How wide each chart's place was when it was drawn.
const widths = new Map();

// The specification of the view that is chosen.
function specOf(figure) {
  const view = figure.querySelector("[data-view][aria-pressed=true]")?.dataset.view;
  return dataOf(`${figure.id}-spec${view ? `-${view}` : ""}`);
}

async function drawChart(figure, dark = isDark()) {
  const plot = figure.querySelector(".plot");
  const width = plot.clientWidth;
  widths.set(plot, width);
  const config = { ...look(dark, width), background: "transparent" };
  // How wide a legend's entries are shows when it is drawn: with fewer columns until it fits.
  for (let columns = config.legend.columns; columns > 0; columns--) {
    config.legend.columns = columns;
    await vegaEmbed(plot, shaded(specOf(figure), dark, width), { config, actions: false, renderer: "svg", logLevel: 1 });
    if (legendFits(plot)) break;
  }
  if ((specOf(figure).params ?? []).some(({ bind }) => bind === "legend")) reachable(plot);
}

function legendFits(plot) {
  const { left, right } = plot.getBoundingClientRect();
  // A small window may become as narrow as a phone before charts are drawn again.
  const edge = (right - left < 560 ? Math.min(right, left + 356) : right) + 1;
  return [...plot.querySelectorAll(".role-legend")].every(legend => legend.getBoundingClientRect().right <= edge);
}

// Entries of a legend that can be clicked can be reached and chosen with the keyboard, too.
function reachable(plot) {
  for (const entry of plot.querySelectorAll(".role-legend-label text")) {
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("role", "button");
    entry.setAttribute("aria-label", `bring out ${entry.textContent}`);
    entry.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      const place = entry.getBoundingClientRect();
      entry.dispatchEvent(new MouseEvent("click", {
        bubbles: true, view: window, shiftKey: event.shiftKey, clientX: place.x + place.width / 2, clientY: place.y + place.height / 2,
      }));
    });
  }
}

function drawCharts(dark) {
  return Promise.all(charts.map(figure => drawChart(figure, dark)));
}

// Cells of wide tables carry their headings, which a small screen shows.
for (const table of document.querySelectorAll(".many table")) {
  const headings = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
  for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, place) => (cell.dataset.label = headings[place]));
}

// Saving.

function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Rows with arrays in them become a row for each element.
function flattened(rows) {
  return rows.flatMap(row => {
    const arrays = Object.keys(row).filter(key => Array.isArray(row[key]));
    if (!arrays.length) return [row];
    return row[arrays[0]].map((_, place) => ({ ...row, ...Object.fromEntries(arrays.map(key => [key, row[key][place]])) }));
  });
}

// The fields of axes get the axes' titles, which have units; what only serves to draw is left out.
function named(rows, spec) {
  const encodings = [spec, ...(spec.layer ?? [])].flatMap(({ encoding = {} }) => [encoding.x, encoding.y]);
  const titles = new Map(encodings.filter(axis => axis?.title).map(({ field, title }) => [field, title]));
  if (titles.has("length")) titles.set("value", titles.get("length")); // A stack may be shortened, its values are not.
  const kept = ([field]) => !["text", "place", "length"].includes(field);
  return rows.map(row => Object.fromEntries(
    Object.entries(row).filter(kept).map(([field, value]) => [titles.get(field) ?? field, value])));
}

function toCsv(rows) {
  const keys = [...new Set(rows.flatMap(Object.keys))];
  const cell = value => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [keys, ...rows.map(row => keys.map(key => row[key]))].map(row => row.map(cell).join(",")).join("\n") + "\n";
}

// A chart's data; altair keeps them apart under names. The first layer holds them all.
function valuesOf(spec) {
  const { data } = spec.data ? spec : spec.layer[0];
  return data.values ?? spec.datasets[data.name];
}

async function saveChart(figure, kind) {
  const spec = specOf(figure);
  if (kind === "csv") return download(`${figure.id}.csv`, toCsv(named(flattened(valuesOf(spec)), spec)), "text/csv");
  const shown = figure.querySelector("input[type=radio]:checked");
  for (const param of spec.params ?? []) if (shown && param.name === shown.name) param.value = shown.value;
  const aside = document.createElement("div");
  const { view } = await vegaEmbed(aside, { ...spec, width: 620 }, { config: look(false, 620), actions: false, renderer: "none", logLevel: 1 });
  if (kind === "svg") download(`${figure.id}.svg`, await view.toSVG(), "image/svg+xml");
  else {
    const canvas = await view.toCanvas(3);
    canvas.toBlob(blob => download(`${figure.id}.png`, blob));
  }
  view.finalize();
}

document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.save) saveChart(button.closest("figure"), button.dataset.save);
  if ("copy" in button.dataset) copy(button);
  if (button.dataset.view) {
    button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
    drawChart(button.closest("figure"));
  }
});

async function copy(button) {
  const text = button.parentElement.querySelector("pre");
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch { // A page opened from a file may not write to the clipboard: it selects instead.
    getSelection().selectAllChildren(text);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

// Light and dark.

function themeButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  const name = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    const dark = !isDark();
    document.documentElement.classList.toggle("dark", dark);
    document.documentElement.classList.toggle("light", !dark);
    name();
    document.dispatchEvent(new Event("theme"));
  });
  name();
  document.querySelector("main").prepend(button);
}

const theme = settings().get("theme");
if (theme === "dark" || theme === "light") document.documentElement.classList.add(theme);
themeButton();
prefersDark.addEventListener("change", () => document.dispatchEvent(new Event("theme")));
document.addEventListener("theme", () => drawCharts());
// On paper charts are light and as wide as a page, whatever the window is.
function printing(on) {
  document.documentElement.classList.toggle("printing", on);
  drawCharts(on ? false : isDark());
}
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));

// Legends have as many columns as there is room for: a new width is a new drawing.
const timers = new Map();
const observer = new ResizeObserver(entries => {
  for (const { target } of entries) {
    clearTimeout(timers.get(target));
    if (widths.get(target) === target.clientWidth) continue;
    timers.set(target, setTimeout(() => drawChart(target.closest("figure")), 150));
  }
});
for (const figure of charts) observer.observe(figure.querySelector(".plot"));
drawCharts().then(() => document.documentElement.setAttribute("data-drawn", String(charts.length)));
