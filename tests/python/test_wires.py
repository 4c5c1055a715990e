import signal
import sys

import canaletto as cn
import pytest
from canaletto import _engine
from canaletto.__main__ import main
from canaletto._run import names

WORK = cn.workload("hm_0", requests=300)

COMPLAINT = """wires: 2 violations of their rules in 99 uses:
  channel 0 at 1.000 ns: Data cycles of transfer 7; expected a wire that is free (rule Driver)
  chip 0,1 at 2.000 ns: transfer 7 ends; expected an end at 3.000 ns (rule End)"""


def without_cost(result: cn.Result) -> dict[str, object]:
    return {key: found for key, found in result.to_dict().items() if key != "cost"}


@pytest.mark.parametrize("profile", ["hm_0", "YCSB_B"])
@pytest.mark.parametrize("fabric", names.fabrics())
def test_checked_runs_have_the_same_results(fabric: str, profile: str) -> None:
    drive = cn.design("performance-optimized", fabric=fabric)
    work = cn.workload(profile, requests=800)
    plain, checked = (without_cost(cn.run(drive, work, check_wires=each, records=False)) for each in (False, True))
    assert plain == checked


def test_comparisons_are_checked_fabric_by_fabric(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = _engine.run

    def watched(design: str, workload: str, options: str, *rest: object) -> object:
        asked.append(options)
        return run(design, workload, options, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(_engine, "run", watched)
    cn.compare("performance-optimized", WORK, ["bus", "ideal"], check_wires=True, records=False)
    assert len(asked) == 2
    assert all('"check_wires": true' in options for options in asked)


def test_violations_are_a_line_each(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def violated(*_: object) -> None:
        raise cn.SimulationError(COMPLAINT)

    monkeypatch.setattr(_engine, "run", violated)
    words = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "10", "--check-wires"]
    monkeypatch.setattr(sys, "argv", ["canaletto", *words])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [f"canaletto: {' '.join(line.split())}" for line in COMPLAINT.splitlines()]
