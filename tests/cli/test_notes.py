"""Does every reader get the warnings, in Python, JSON and the terminal?"""

from typing import Any

import canaletto as cn
import pytest
from canaletto._run import caveats

SMALL = {"geometry.channels": 2, "geometry.chips_per_channel": 2, "geometry.blocks_per_plane": 64}


def served(design: dict[str, Any] | None = None, **keys: object) -> cn.Result:
    made = {"requests": 4000, "read_share": 1.0, "size": "4KiB", **keys}
    text = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in made.items())
    workload = cn.Workload.from_toml(f'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\n{text}\n', "w.toml")
    return cn.run(cn.design("performance-optimized").replace(**SMALL, **(design or {})), workload, records=False)


def test_notes_are_what_the_terminal_warns_of() -> None:
    for keys in ({"inter_arrival": "1us"}, {"inter_arrival": "20us"}, {"read_share": 0.0, "queue_depth": 4}):
        run = served(**keys)
        assert list(run.notes) == caveats.of(run)
        assert run.to_dict()["notes"] == list(run.notes)


def test_json_and_its_summary_have_notes_and_verdict(canaletto: Any) -> None:
    words = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "500", "--set", "gc.choices=4"]
    full, short = (canaletto.ok(*words, form).json for form in ("--json", "--json=summary"))
    assert any("gc.choices: has no effect" in note for note in full["notes"])
    assert short["notes"] == full["notes"]
    assert "µs" in short["verdict"] or "us" in short["verdict"]
    compare = ["compare", *words[1:], "--fabrics", "bus,ideal"]
    for form in ("--json", "--json=summary"):
        found = canaletto.ok(*compare, form).json
        assert found["verdict"]
        assert [any("gc.choices" in note for note in run["notes"]) for run in found["runs"]] == [True, True]


def test_frozen_runs_keep_their_notes(canaletto: Any) -> None:
    words = ["performance-optimized", "--workload", "hm_0", "--requests", "500", "--set", "gc.choices=4"]
    canaletto.ok("run", *words, "--out", "r", "--no-report")
    assert any("gc.choices" in note for note in cn.load(canaletto.folder / "r").notes)


@pytest.mark.parametrize(("alignment", "share"), [("4KiB", "75.0 %"), ("8KiB", "50.0 %"), ("16KiB", None)])
def test_requests_that_straddle_pages_are_told(alignment: str, share: str | None) -> None:
    run = served({"geometry.page": "16KiB"}, size="32KiB", alignment=alignment, queue_depth=4, requests=500)
    said = [note for note in run.notes if "touch one more page" in note]
    assert [share in note for note in said if share] == ([True] if share else [])
    assert bool(said) == (share is not None)
    sequential = served({"geometry.page": "16KiB"}, size="32KiB", queue_depth=4, requests=500, addresses="sequential")
    assert not any("touch one more page" in note for note in sequential.notes)


def test_writes_that_stay_in_the_cache_are_told() -> None:
    text = 'requests = 1000\nread_share = 0.0\nqueue_depth = 16\nsize = "64KiB"\nalignment = "64KiB"'
    workload = cn.Workload.from_toml(f'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\n{text}\n', "w.toml")
    for capacity, cache in (("0B", "pseudo-SLC cache"), ("512MiB", "write buffer")):
        run = cn.run(cn.design("pcie4-tlc", **{"cache.capacity": capacity}), workload, records=False)
        assert any(f"stayed in the {cache}" in note for note in run.notes), run.notes


def test_a_steady_state_that_is_not_kept_is_told() -> None:
    found = {
        "precondition": {"kind": "steady", "write_amplification": 2.5},
        "flash": {"write_amplification": 1.5, "erases": 100},
        "map": {"chips": [{}] * 4},
    }
    (said,) = caveats.of(found)
    assert "2.50 before the run, 1.50 in it" in said
    assert caveats.of({**found, "flash": {"write_amplification": 2.3, "erases": 100}}) == []
