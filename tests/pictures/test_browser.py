import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import canaletto as cn
import pytest
import small_runs
from canaletto import traces
from canaletto._report import charts, comparison, page
from canaletto._report.document import document
from canaletto_extras.trace_pages import page as trace
from canaletto_papers import bars, reproduce
from canaletto_papers import verdicts as verdicts_of
from canaletto_papers.figure import Figure
from canaletto_papers.rtl import page as rtl_page
from canaletto_papers.verdicts import Verdict

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
COMMAND = [sys.executable, "-m", "canaletto"]
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

# Runs at the end of a page: tries what a reader can do, and leaves what came out where the test finds it.
PROBE = """
<script>
const saved = {};
window.download = (name, content) => { saved[name] = typeof content === "string" ? content : content.size; };
(async () => {
  const out = {};
  try {
    while (!document.documentElement.dataset.drawn) await new Promise(done => setTimeout(done, 20));
    for (const figure of charts) for (const kind of ["svg", "png", "csv"]) await saveChart(figure, kind);
    for (const button of document.querySelectorAll("[data-save-maps]")) button.click();
    const player = document.getElementById("player");
    if (player) {
      const clock = () => player.querySelector("output").textContent;
      const moments = [clock()];
      for (let step = 0; step < 3; step++) {
        player.querySelector("[data-do=forward]").click();
        moments.push(clock());
      }
      player.querySelector("[data-do=back]").click();
      moments.push(clock());
      player.querySelector(".list button").click();
      const canvases = [...player.querySelectorAll(".arrays figure:not([hidden]) canvas")];
      out.colours = canvases.map(canvas => {
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const seen = new Set();
        for (let at = 0; at < pixels.length; at += 4) seen.add(pixels[at] << 16 | pixels[at + 1] << 8 | pixels[at + 2]);
        return seen.size;
      });
      out.moments = moments;
      out.steps = player.querySelectorAll(".explained rect").length;
    }
    const entry = document.querySelector("#tail .role-legend-label text[tabindex]");
    if (entry) {
      const drawn = "#tail .mark-line path";
      const seen = () => [...document.querySelectorAll(drawn)].map(line => line.getAttribute("opacity"));
      const before = seen();
      entry.focus();
      out.focused = document.activeElement === entry;
      entry.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      for (let tries = 0; String(seen()) === String(before) && tries < 100; tries++) {
        await new Promise(done => setTimeout(done, 20));
      }
      out.opacities = [before, seen()];
    }
    // Browsers make PNGs in the background.
    const pictures = () => Object.keys(saved).filter(name => name.endsWith(".png")).length;
    for (let tries = 0; pictures() < charts.length && tries < 500; tries++) {
      await new Promise(done => setTimeout(done, 20));
    }
    const wide = each => each.scrollWidth > each.clientWidth + 1 && !each.closest(".arrays");
    out.scrolled = [...document.querySelectorAll(".wide")].filter(wide).length;
    out.width = innerWidth;
    const beyond = text => {
      const [here, all] = [text, text.ownerSVGElement].map(each => each.getBoundingClientRect());
      return here.left < all.left - 1 || here.right > all.right + 1;
    };
    out.cut = [...document.querySelectorAll("figure.chart svg text")].filter(beyond).map(each => each.textContent);
    out.thin = [...document.querySelectorAll("tbody th")].filter(each => each.clientWidth < 60).length;
    out.drawn = document.documentElement.dataset.drawn;
    out.legends = charts.filter(figure => !legendFits(figure.querySelector(".plot"))).map(each => each.id);
    out.wide = [...document.querySelectorAll("main, section, figure")].filter(wide).map(each => each.id);
  } catch (error) {
    out.error = String(error.stack || error);
  }
  const element = document.createElement("script");
  element.type = "application/json";
  element.id = "probe";
  element.textContent = JSON.stringify({ ...out, saved }).replaceAll("<", "\\\\u003c");
  parent.document.body.append(element);
})();
</script>
</body>
"""


def opened(folder: Path, text: str, *flags: str, hash_: str = "") -> tuple[str, dict[str, Any]]:
    (folder / "page.html").write_text(text.replace("</body>\n", PROBE))
    page = f"page.html{hash_}"
    if narrow := re.search(r"--window-size=([1-4]\d\d),", " ".join(flags)):
        # No window is narrower than 500 pixels: a frame is.
        style = f"border: 0; width: {narrow[1]}px; height: 1400px"
        (folder / "frame.html").write_text(f'<body><iframe style="{style}" src="{page}"></iframe></body>')
        page = "frame.html"
    assert BROWSER is not None
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}"),
            *("--window-size=1280,2000", "--virtual-time-budget=20000", "--enable-logging=stderr", *flags),
            *("--allow-file-access-from-files", "--dump-dom", f"file://{folder / page}"),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    probe = re.search(r'<script type="application/json" id="probe">(.*?)</script>', done.stdout)
    assert probe, "the page's scripts did not come to their end"
    found: dict[str, Any] = json.loads(probe[1])
    assert "error" not in found, found["error"]
    return done.stdout, found


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    text = comparison.html(small_runs.comparison(), ["canaletto", "compare"], small_runs.timelines())
    return opened(tmp_path_factory.mktemp("compared"), text, hash_="#t=120&fabrics=bus,venice,mesh,omnibus")


def test_every_chart_is_drawn(compared: tuple[str, dict[str, Any]]) -> None:
    dom, _ = compared
    assert 'data-drawn="12"' in dom
    assert len(re.findall(r'<div class="plot[^"]*"[^>]*>\s*<svg', dom)) == 12
    assert len(re.findall(r'aria-label="utilisation of', dom)) == len(small_runs.FABRICS)


def test_every_figure_can_be_saved(compared: tuple[str, dict[str, Any]]) -> None:
    _, found = compared
    saved = found["saved"]
    for name in (
        "tail",
        "speedup-bars",
        "causes-mean",
        "causes-slow",
        "conflict-free",
        "energy-stacks",
        "time-latency",
    ):
        assert saved[f"{name}.svg"].startswith("<svg")
        assert saved[f"{name}.png"] > 5_000
        lines = saved[f"{name}.csv"].splitlines()
        assert len(lines) > 8
        assert "fabric" in lines[0].split(",")
    assert saved["tail.csv"].splitlines()[0] == "fabric,kind,latency (µs),share of requests that take longer (%)"
    assert saved["speedup-bars.csv"].splitlines()[1] == "execution time,bus,1"
    assert saved["utilisation.svg"].count("venice") >= 1
    assert len(saved["utilisation.csv"].splitlines()) > 300


def test_saved_figures_are_light(compared: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    text = comparison.html(small_runs.comparison(("bus", "venice")))
    _, found = opened(tmp_path, text, hash_="#theme=dark")
    assert "#e6e6e6" not in found["saved"]["tail.svg"]
    assert 'fill="white"' in found["saved"]["tail.svg"]


def test_the_animation_moves(compared: tuple[str, dict[str, Any]]) -> None:
    _, found = compared
    assert all(colours > 5 for colours in found["colours"])
    assert len(found["colours"]) == 4
    moments = found["moments"]
    assert moments[0].startswith("t = 120.000 µs")
    assert len(set(moments[:4])) == 4
    assert moments[4] == moments[2]
    assert found["steps"] > 3


def test_legends_are_reached_with_the_keyboard(compared: tuple[str, dict[str, Any]]) -> None:
    _, found = compared
    assert found["focused"]
    before, after = found["opacities"]
    assert set(before) == {"1"}
    assert sorted(set(after)) == ["0.15", "1"]
    assert after.count("1") == 1


def test_charts_are_told_to_screen_readers(compared: tuple[str, dict[str, Any]]) -> None:
    dom, _ = compared
    labels = re.findall(r'role="graphics-document" aria-label="([^"]+)"', dom)
    assert len(labels) == 12
    assert any(label.startswith("Latency by root cause, mean request: bus ") for label in labels)


@pytest.mark.parametrize("width", [390, 500, 1920])
def test_nothing_is_wider_than_the_page(width: int, tmp_path: Path) -> None:
    text = comparison.html(small_runs.comparison(), ["canaletto", "compare"], small_runs.timelines())
    _, found = opened(tmp_path, text, f"--window-size={width},1500")
    assert (found["wide"], found["legends"]) == ([], [])
    assert found["width"] == width


def small_pages(folder: Path) -> Iterator[str]:
    runs = [small_runs.result(fabric, **small_runs.worn(fabric)) for fabric in small_runs.FABRICS]
    yield comparison.html(small_runs.Comparison(runs))
    words = ["load", "performance-optimized", "--workload", "YCSB_B", "--requests", "200", "--loads", "3"]
    subprocess.run([*COMMAND, *words, "--out", folder / "load"], check=True, capture_output=True)
    yield (folder / "load" / "report.html").read_text()
    grid = {"fabric": ["bus", "omnibus-split"], "inter_arrival": ["1us", "9us"], "flash.read": ["3us", "6us"]}
    cn.sweep("performance-optimized", "hm_0", grid, requests=1000, out=folder / "sweep", progress=False, workers=1)
    yield (folder / "sweep" / "report.html").read_text()


def test_legends_and_tables_fit_a_small_screen(tmp_path: Path) -> None:
    for number, text in enumerate(small_pages(tmp_path)):
        home = tmp_path / str(number)
        home.mkdir()
        _, found = opened(home, text, "--window-size=390,1500")
        assert (found["wide"], found["legends"], found["scrolled"]) == ([], [], 0), number


def test_a_sparse_map_says_how_little_is_in_use(tmp_path: Path) -> None:
    run = small_runs.result("bus")
    layout = run._data["map"]
    for part in (*layout["chips"], *layout["wires"], *layout["controllers"]):
        part |= {key: 0.0004 for key in ("array", "port", "share") if key in part}
    text = page.html(run, None, None)
    dom, _ = opened(tmp_path, text)
    said = re.findall(r'aria-label="utilisation of bus: ([^"]*)"', dom)
    assert said
    assert all("0.04&nbsp;%" in each and "0.0&nbsp;%" not in each for each in said), said


def test_nothing_is_cut_off_on_paper(tmp_path: Path) -> None:
    text = comparison.html(small_runs.comparison(), ["canaletto", "compare"], small_runs.timelines())
    on_paper = text.replace("@media print", "@media all")
    assert on_paper != text
    # A4 within Chromium's margins, at 96 dots an inch.
    _, found = opened(tmp_path, on_paper, "--window-size=720,1000")
    assert (found["wide"], found["scrolled"]) == ([], 0)


def test_a_single_run_is_drawn(tmp_path: Path) -> None:
    timeline = small_runs.timelines(("venice",))["venice"]
    dom, found = opened(tmp_path, page.html(small_runs.result("venice"), None, timeline))
    assert 'data-drawn="9"' in dom
    assert len(found["colours"]) == 1


def test_the_hardware_is_played_beside_its_run(tmp_path: Path) -> None:
    run = small_runs.timelines(("venice",))["venice"]
    _, found = opened(tmp_path, rtl_page.html(run, run, "Hardware"), "--window-size=390,1500", hash_="#theme=dark")
    assert found["wide"] == []
    assert len(found["colours"]) == 2
    assert found["colours"][0] == found["colours"][1] > 3


@pytest.mark.parametrize(("width", "theme"), [(500, "dark"), (1280, "light")])
def test_collection_and_wear_are_drawn(width: int, theme: str, tmp_path: Path) -> None:
    runs = [small_runs.result(fabric, **small_runs.worn(fabric)) for fabric in small_runs.FABRICS]
    text = comparison.html(small_runs.Comparison(runs))
    dom, found = opened(tmp_path, text, f"--window-size={width},1500", hash_=f"#theme={theme}")
    assert found["wide"] == []
    assert 'data-drawn="17"' in dom
    assert len(re.findall(r'aria-label="wear of', dom)) == len(small_runs.FABRICS)
    saved = found["saved"]
    assert saved["wear.svg"].count("mesh-2bit") >= 1
    assert saved["wear.csv"].splitlines()[0] == "fabric,part,kind,erases"
    assert len(saved["wear.csv"].splitlines()) == 1 + len(small_runs.FABRICS) * 16
    assert (
        saved["amplification.csv"].splitlines()[0] == 'fabric,time since the run began (µs),"write amplification, mean"'
    )
    assert saved["valid.csv"].splitlines()[0] == "fabric,valid pages of a block (%),full blocks (%)"


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 40), (40, 1)])
def test_arrays_of_any_shape_are_drawn(rows: int, columns: int, tmp_path: Path) -> None:
    fabrics = ("bus", "omnibus", "mesh", "venice", "ideal")
    sizes = {"rows": rows, "columns": columns, "load": 60}
    timelines = {fabric: small_runs.timeline(fabric, 0, 2000, **sizes) for fabric in fabrics}
    text = comparison.html(small_runs.comparison(fabrics, **sizes), None, timelines)
    _, found = opened(tmp_path, text, hash_="#fabrics=bus,omnibus,mesh,venice,ideal")
    assert all(colours > 3 for colours in found["colours"])


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1400, "dark")])
def test_the_picture_of_a_trace_is_drawn(width: int, theme: str, tmp_path: Path) -> None:
    import canaletto

    lines = [f"{i * i} 0 {i * 7919 % 5000 * 8} {8 << i % 4} {i % 3 % 2}\n" for i in range(3000)]
    (tmp_path / "t.trace").write_text("".join(lines))
    text = trace.html(traces.info(tmp_path / "t.trace", design=canaletto.design("performance-optimized")))
    _, found = opened(tmp_path, text, f"--window-size={width},2000", hash_=f"#theme={theme}")
    assert found["drawn"] == "5"
    assert found["wide"] == []
    saved = found["saved"]
    assert saved["sizes.csv"].splitlines()[0] == "kind,request size (KiB),share of requests (%)"
    assert len(saved["channels.csv"].splitlines()) == 1 + 8 * 2
    assert {"gaps.svg", "addresses.svg", "reuse.svg"} < saved.keys()


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")])
def test_figures_of_papers_are_drawn(width: int, theme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shades = bars.fabric_colours({"Baseline": "bus", "Venice": "venice"})
    rows = [
        {
            "workload": name,
            "system": system,
            "load": load,
            "ours": 1.0 + load,
            "half_width": 0.1,
            "published": published,
        }
        for name, published in (("hm_0", None), ("average", 2.65))
        for system in shades
        for load in range(3)
    ]

    def drawn(found: list[dict[str, Any]]) -> dict[str, Any]:
        x, y = alt.X("load:Q", title="load"), alt.Y("ours:Q", title="latency (us)")
        named = [
            {**row, "workload": f"half of the requests on one row, {row['workload']} alone holds"} for row in found
        ]
        return {
            "bars": bars.grouped(found, "workload", "speedup, times", shades),
            "lines": charts.lines(found[:6], x, y, shades, order="load", marks=found[1:2]),
            "dots": bars.dots(named, "workload", "speedup in execution time (times, logarithmic)", shades),
        }

    about = "A figure.\n\nMethod: made up.\n\nAssumptions: none."
    figure = Figure("made-up", "Made up", about, lambda _: {}, lambda _: rows, drawn)
    monkeypatch.setattr(reproduce, "figures", lambda *_: [figure])
    reproduce.reproduce("made", [], tmp_path, quick=True, report=lambda *_: None)
    text = (tmp_path / "made.html").read_text()
    _, found = opened(tmp_path, text, f"--window-size={width},1500", hash_=f"#theme={theme}")
    assert (found["wide"], found["cut"]) == ([], [])
    assert found["drawn"] == "3"
    saved = found["saved"]
    assert "computed, nothing is run" in saved["made-up-chart.svg"]
    assert saved["made-up-chart.csv"].splitlines()[0].startswith("workload,system,")
    assert len(saved["made-up-chart1.csv"].splitlines()) == 1 + 6


def test_the_table_of_verdicts_fits_a_telephone(tmp_path: Path) -> None:
    what = "average power, paper's formula, performance-optimized, Venice over Baseline, average"
    verdicts = [
        Verdict("fig4, fig9", what, 0.967, 2.65, verdicts_of.CHANGED, "prior-holds: arrivals 10 times as fast", 2.44),
        Verdict("fig3", "Baseline, same channel", 11.01, 11.01, verdicts_of.GIVEN, ""),
    ]
    row = {
        "ssd": "performance-optimized",
        "what": "most that reads get (host link), GB/s",
        "ours": 6.564,
        "published": 8.0,
    }
    figure = Figure("made-up", "Made up", "", lambda _: {}, lambda _: [row], lambda _: None)
    sections = [*reproduce._judged(verdicts), *reproduce._listed("made", figure, [row])]
    page_of = document("made", "<h1>made</h1>", sections, ["page.js"])
    _, found = opened(tmp_path, page_of, "--window-size=390,1500")
    assert (found["wide"], found["scrolled"], found["thin"]) == ([], 0, 0)


def test_the_way_back_of_a_ring_runs_below_its_chips(tmp_path: Path) -> None:
    script = (Path(page.__file__).parent / "assets/array.js").read_text()
    wires = [["link", 0, -1, 0, 0], ["link", 0, 0, 0, 1], ["link", 0, 1, 0, -1]]
    array = {"rows": 1, "columns": 2, "controllers": [[0, -1]], "wires": wires}
    drawn = f"document.title = JSON.stringify(arrayLayout({json.dumps(array)}).wires.map(wire => wire.points))"
    (tmp_path / "ring.html").write_text(f"<body><script>{script}</script><script>{drawn}</script></body>")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    dom = subprocess.run([*command, f"file://{tmp_path / 'ring.html'}"], capture_output=True, text=True, check=True)
    title = re.search("<title>(.*)</title>", dom.stdout)
    assert title
    to, on, back = json.loads(title[1])
    assert len({y for _, y in (*to, *on)}) == 1
    assert min(y for _, y in back) > to[0][1] + 12
    assert (back[0][0], back[-1][0]) == (on[-1][0] + 13, to[0][0] - 13)
