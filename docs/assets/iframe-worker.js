// Search in pages that are opened as files, for which browsers allow no workers: the worker's script runs in a hidden frame.
// It has this name because the site generator adds a script from elsewhere unless a file of this name is given.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const script = new URL(url, document.baseURI);
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.started = new Promise((started) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          const load = (address) =>
            new Promise((resolve, reject) => {
              const element = inside.document.createElement("script");
              Object.assign(element, { src: new URL(address, script).href, onload: resolve, onerror: reject });
              inside.document.body.append(element);
            });
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          inside.importScripts = (...addresses) =>
            addresses.reduce((before, address) => before.then(() => load(address)), Promise.resolve());
          load(script).then(() => started(inside));
        };
      });
      frame.srcdoc = "<body>";
      document.body.append(frame);
    }

    async postMessage(data) {
      (await this.started).dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {}
  };
}
