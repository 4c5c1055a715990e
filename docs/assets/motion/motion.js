"use strict";
// The page that plays fabrics: windows that were prepared, or, where the engine is there, those that the visitor asks for.

(() => {
  const place = document.getElementById("motion");
  if (!place) return;
  const find = selector => place.querySelector(selector);
  const frame = find("iframe");
  const { template, words, fabrics, workload, design, window: span, prepared } = window.canalettoMotion;
  const engine = window.canalettoEngine && loaded(window.canalettoEngine);

  async function loaded(base64) {
    const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    return (await WebAssembly.instantiate(bytes, {})).instance.exports;
  }

  function ask(exports, question) {
    const text = new TextEncoder().encode(JSON.stringify(question));
    const address = exports.allocate(text.length);
    new Uint8Array(exports.memory.buffer, address, text.length).set(text);
    const found = exports.timeline(address, text.length);
    const [at, length] = [Number(found & 0xffffffffn), Number(found >> 32n)];
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length)));
    exports.release(at, length);
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  function show(data) {
    const scheme = document.body.getAttribute("data-md-color-scheme") === "slate" ? "dark" : "light";
    const text = JSON.stringify(data).replaceAll("<", "\\u003c");
    frame.srcdoc = template.replace("DATA", () => text).replace("SCHEME", scheme);
  }

  // The frame is as high as what is in it.
  frame.addEventListener("load", () => {
    const { body } = frame.contentDocument;
    new ResizeObserver(() => (frame.style.height = `${body.scrollHeight + 8}px`)).observe(body);
  });

  const chosen = () => [...place.querySelectorAll("input[name=fabric]:checked")].map(input => input.value);
  const state = { data: prepared, run: 0 };

  async function play() {
    const run = ++state.run;
    const names = chosen();
    if (!names.length) return;
    if (!engine) return show({ ...prepared, first: names, fabrics: prepared.fabrics.filter(({ fabric }) => names.includes(fabric)) });
    find("output").textContent = "Simulating…";
    try {
      const exports = await engine;
      const timelines = {};
      for (const name of names) {
        await new Promise(resolve => setTimeout(resolve)); // The page stays alive between runs.
        if (run !== state.run) return;
        timelines[name] = ask(exports, {
          design, settings: [`fabric.kind=${name}`], seed: 1, window: span, limit: 60_000,
          workload: workload.replace("DEPTH", find("[name=depth]").value).replace("SHARE", Number(find("[name=share]").value) / 100),
        });
      }
      state.data = packTimelines(timelines, span[1], words);
      show(state.data);
      find("output").textContent = told(state.data);
    } catch (error) {
      find("output").textContent = `The engine stopped: ${error.message}`;
    }
  }

  // Completed requests of the window and their mean latency.
  function told(data) {
    return "mean latency: " + data.fabrics.map(({ fabric, requests }) => {
      const done = requests.filter(([, , , , , arrival, complete]) => complete !== null && arrival >= 0);
      const mean = done.reduce((sum, [, , , , , arrival, complete]) => sum + complete - arrival, 0) / (done.length || 1) / 1e6;
      return `${fabric} ${mean.toFixed(1)} µs`;
    }).join(" · ");
  }

  for (const name of fabrics) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "checkbox", name: "fabric", value: name });
    input.checked = ["bus", "venice"].includes(name);
    label.append(input, ` ${name}`);
    find(".fabrics").append(label);
  }
  for (const input of place.querySelectorAll("input[type=range]")) {
    input.disabled = !engine;
    input.addEventListener("input", () => (input.parentElement.querySelector("b").textContent = input.value));
  }
  find(".engine").hidden = !engine;
  find(".without").hidden = Boolean(engine);
  place.addEventListener("change", play);
  new MutationObserver(() => frame.contentDocument && play()).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  play();
})();
