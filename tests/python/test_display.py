import re
import rlcompleter
from pathlib import Path
from xml.etree import ElementTree

import canaletto as cn
import pytest


def test_completion_finds_every_exported_name() -> None:
    assert dir(cn) == sorted(cn.__all__)
    completed = rlcompleter.Completer({"cn": cn})
    for name in cn.__all__:
        assert completed.complete(f"cn.{name}", 0), name
    assert str(completed.complete("cn.swe", 0)).startswith("cn.sweep")


def explained(folder: Path) -> cn.Explained:
    run = cn.run("performance-optimized", cn.workload("hm_0", requests=500))
    run.save(folder / "run", report=False)
    return cn.explain(folder / "run", slowest=2)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("shown")
    drive = cn.Drive("performance-optimized")
    drive.submit("read", lba=0, sectors=8)
    drive.advance_to(1_234_567)
    calibrated = {
        "parameters": [
            {
                "keys": ["flash.read"],
                "low": "1us",
                "high": "9us",
                "before": None,
                "value": "3us",
                "at_bound": False,
                "uncertainty_of_range": 0.1234,
            }
        ],
        "points": [{"job": "a<b", "half": "fit", "error": {"mean": 0.0123}}],
        "error": {"before": {"fit": 0.5}, "after": {"fit": 0.0123}},
        "notes": ["A note."],
    }
    found = explained(folder)
    return {
        "Bound": cn.bound("performance-optimized"),
        "Calibration": cn.Calibration(drive.design, calibrated),
        "Drive": drive,
        "Explained": found,
        "Explanation": found.explanations[0],
        "Timeline": cn.run("performance-optimized", cn.workload("hm_0", requests=500)).timeline(),
    }


KINDS = ["Bound", "Calibration", "Drive", "Explained", "Explanation", "Timeline"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_shown_in_a_terminal_and_in_a_notebook(kind: str, objects: dict[str, object]) -> None:
    shown = objects[kind]
    assert type(shown).__name__ == kind
    html = shown._repr_html_()  # type: ignore[attr-defined]
    ElementTree.fromstring(html)  # well formed, whatever names it shows
    assert "<td>" in html
    assert len(repr(shown)) < 4_000
    for text in (repr(shown), html):
        long = [n for n in re.findall(r"(?<![\w.,])\d+\.\d+(?= ?(?:[nµm]?s|[kMG]|[kMG]?B/s)\b)", text) if digits(n) > 3]
        assert not long or kind.startswith("Expla"), long


def digits(number: str) -> int:
    return len(number.replace(".", "").lstrip("0"))


def test_shown_figures_are_those_of_the_object(objects: dict[str, object]) -> None:
    assert "1.23 µs, 1 request outstanding" in repr(objects["Drive"])
    assert "7.35 µs" in repr(objects["Bound"])
    assert "a&lt;b" in objects["Calibration"]._repr_html_()  # type: ignore[attr-defined]
    assert "12.3%" in repr(objects["Calibration"])
    both, one = repr(objects["Explained"]), repr(objects["Explanation"])
    assert one in both
    assert both.count("mostly:") == 2
