"""The engine in a browser gives what it gives in Python.

It takes a site that was built after `make wasm`; without one it is skipped.
"""

import http.server
import re
import shutil
import subprocess
import threading
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOTION = ROOT / "site/assets/motion"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PAGE = """<!doctype html><body><div id="motion"><fieldset class="fabrics"></fieldset>
<p class="engine"><label><b></b><input type="range" name="depth" min="1" max="128" value="32"></label>
<label><b></b><input type="range" name="share" value="80"></label><output></output></p><p class="without"></p>
<iframe></iframe></div><script>const seen = {};</script>
<script src="prepared.js"></script><script src="engine.js"></script><script src="pack.js"></script>
<script>
const packed = packTimelines;
packTimelines = (...given) => (seen.data = packed(...given));
</script><script src="motion.js"></script><script>
(async () => {
  for (const input of document.querySelectorAll("input[name=fabric]")) input.checked = true;
  document.getElementById("motion").dispatchEvent(new Event("change"));
  while (seen.data?.fabrics.length !== 8) await new Promise(resolve => setTimeout(resolve, 20));
  const { prepared } = window.canalettoMotion;
  const told = ({ causes, fabrics }) => JSON.stringify(fabrics.map(each => ({ ...each, requests: each.requests.map(
    row => [...row.slice(0, 7), row[7].map((value, place) => (place % 4 ? value : Object.keys(causes)[value]))]) })),
    (_, value) => (value && !Array.isArray(value) && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).sort()) : value));
  document.title = told(seen.data) === told(prepared) ? "same" : "different";
})();
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_engine_in_a_browser_gives_the_prepared_windows(tmp_path: Path) -> None:
    engine = MOTION / "engine.js"
    if not engine.exists() or engine.stat().st_size < 1000:
        pytest.skip("no site with the engine in it: make wasm docs")
    for name in ("prepared.js", "engine.js", "pack.js", "motion.js"):
        shutil.copy(MOTION / name, tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    handler = partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom"]
        page = f"http://127.0.0.1:{server.server_port}/page.html"
        shown = subprocess.run([str(CHROMIUM), *flags, page], capture_output=True, text=True, timeout=120).stdout
        server.shutdown()
    title = re.search("<title>(.*?)</title>", shown)
    assert title is not None, shown[-2000:]
    assert title[1] == "same"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass
