"""Data of the page that plays fabrics: prepared windows of each, and the engine if it was built for browsers."""

import base64
import json
from pathlib import Path

import canaletto as cn
from canaletto._io.units import cause_label
from canaletto._report import animation, colours
from canaletto._report.document import asset
from canaletto._run import names, timeline

DESIGN = "performance-optimized"
WINDOW_PS = (200_000_000, 260_000_000)
"""60 µs after the queues have filled."""

_WORKLOAD = """name = "hot-row"
[[flow]]
name = "reads"
[flow.synthetic]
requests = 4000
read_share = 1.0
size = "4KiB"
queue_depth = DEPTH
channel_skew = { share = SHARE, channels = 8 }
"""

_LIMIT = 1_500_000

_SCRIPTS = ("page.js", "array.js", "animation.js")


def files(root: Path) -> dict[str, str]:
    engine = root / "target/wasm32-unknown-unknown/wasm/canaletto_wasm.wasm"
    encoded = base64.b64encode(engine.read_bytes()).decode() if engine.exists() else ""
    return {
        "assets/motion/prepared.js": f"window.canalettoMotion = {json.dumps(_data())};\n",
        "assets/motion/engine.js": f"window.canalettoEngine = {json.dumps(encoded)};\n",
    }


def _data() -> dict[str, object]:
    return {
        "template": _template(),
        "words": {"causes": colours.CAUSES, "labels": {cause: cause_label(cause) for cause in colours.CAUSES}},
        "fabrics": list(names.fabrics()),
        "design": DESIGN,
        "workload": _WORKLOAD,
        "window": WINDOW_PS,
        "prepared": animation.pack(_prepared(), _LIMIT),
    }


def _prepared() -> dict[str, timeline.Timeline]:
    text = _WORKLOAD.replace("DEPTH", "32").replace("SHARE", "0.8")
    workload = cn.Workload.from_toml(text, "hot-row")
    return {
        fabric: timeline.record(
            cn.design(DESIGN, fabric=fabric), workload, windows=[WINDOW_PS], progress=lambda *_: None
        )
        for fabric in names.fabrics()
    }


def _template() -> str:
    style = (
        colours.css() + asset("page.css") + "body { overflow-x: hidden } main { padding: 2px } .theme { display: none }"
    )
    scripts = "".join(f"<script>\n{asset(script)}</script>\n" for script in _SCRIPTS)
    return (
        '<!doctype html><html lang="en" class="SCHEME"><head><meta charset="utf-8"><title>player</title>'
        f"<style>{style}</style>"
        f"</head><body><main>{asset('animation.html')}</main>"
        f'<script type="application/json" id="dark-colours">{json.dumps(colours.DARK)}</script>'
        f'<script type="application/json" id="timeline-data">DATA</script>{scripts}</body></html>'
    )
