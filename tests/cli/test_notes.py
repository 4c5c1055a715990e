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


def test_the_terminal_and_the_page_say_what_a_run_notes(canaletto: Any) -> None:
    keys = 'requests = 500, read_share = 1.0, size = "16KiB", queue_depth = 4'
    text = f'name = "w"\n[[flow]]\nname = "a"\nsynthetic = {{ {keys} }}\n'
    (canaletto.folder / "w.toml").write_text(text)
    words = ["pcie5-tlc", "--workload", "w.toml", "--set", "workload.alignment=4KiB", "--set", "gc.choices=4"]
    for command in (["run"], ["compare", "--fabrics", "bus,ideal"]):
        said = canaletto.ok(*command, *words, "--out", command[0])
        assert "touch one more page" in " ".join(said.out.split())
        assert "has no effect" in said.err
        assert "has no effect" not in said.out, "said before the run"
        page = (canaletto.folder / command[0] / "report.html").read_text()
        assert "touch" in page
        assert "gc.choices: has no effect" in page


def test_notes_on_some_of_several_fabrics_name_them(canaletto: Any) -> None:
    words = ["pcie5-tlc", "--workload", "hm_0", "--requests", "300", "--fabrics", "bus,mesh,venice"]
    keys = ["--set", "fabric.network.link_rate=2GB/s", "--set", "fabric.venice.retry=immediate"]
    for command in (["compare", "--json=summary"], ["load", "--loads", "2", "--precondition", "steady"]):
        found = canaletto.ok(*command, *words, *keys)
        assert "On bus: --set fabric.network.link_rate=2GB/s: fabric.network.link_rate: has no effect" in found.err
        assert "fabric.venice.retry: has no effect" not in found.err, "nobody expects it of a bus"
        if command[0] == "compare":
            assert any(note.startswith("On bus: --set fabric.network.link_rate") for note in found.json["notes"])


@pytest.mark.parametrize("fabric", ["mesh", "venice"])
def test_a_rate_that_a_preset_states_otherwise_is_told(fabric: str, canaletto: Any) -> None:
    words = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "300", "--fabric", fabric]
    found = canaletto.ok(*words, "--set", "fabric.link_rate=2GB/s", "--json=summary")
    assert "fabric.link_rate: has no effect" in found.err
    assert any("fabric.link_rate: has no effect" in note for note in found.json["notes"])
    with pytest.warns(UserWarning, match=r"fabric\.link_rate: has no effect"):
        cn.design("performance-optimized", fabric=fabric, **{"fabric.link_rate": "2GB/s"})
