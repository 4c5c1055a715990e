import json
from pathlib import Path

import canaletto as cn
import pytest
from canaletto_papers.figure import Figure, Row, Scale
from canaletto_papers.hbf import hotspot, media, sandisk
from canaletto_papers.hbf.workloads import BLOCK_TOKENS, TOKEN_BYTES, accesses


def conversation() -> list[str]:
    prompts = [(0, [0, 1, 2]), (0, [0, 3]), (3000, [0, 1, 2, 4])]
    return [
        json.dumps({"timestamp": at, "input_length": 0, "output_length": 0, "hash_ids": ids}) for at, ids in prompts
    ]


def test_blocks_that_came_before_are_read() -> None:
    header, *lines = accesses(conversation(), stacks=8)
    block = BLOCK_TOKENS * TOKEN_BYTES // 8
    assert header == "arrival_ns,device,offset_bytes,bytes,kind"
    assert lines[:4] == [f"0,0,{at * block},{block},{kind}" for at, kind in ((0, "W"), (1, "W"), (2, "W"), (0, "R"))]
    assert [line.split(",")[-1] for line in lines] == ["W", "W", "W", "R", "W", "R", "R", "R", "W"]
    assert lines[-1] == f"3000000000,0,{4 * block},{block},W"


def test_a_part_of_the_trace_has_the_reads_of_the_whole() -> None:
    whole, part = list(accesses(conversation())), list(accesses(conversation()[2:], first=4))
    assert part[1:] == whole[6:]


@pytest.mark.parametrize(
    "line", ["x", "{}", "[1]", '{"timestamp": 0, "hash_ids": [-1]}', '{"timestamp": "0", "hash_ids": []}']
)
def test_what_is_no_request_is_refused(line: str) -> None:
    with pytest.raises(cn.ConfigError, match=r"line 4: got .*, expected timestamp"):
        list(accesses([*conversation(), line]))
    with pytest.raises(cn.ConfigError, match="stacks: got 0"):
        list(accesses(conversation(), stacks=0))


def test_a_stack_replays_them(tmp_path: Path) -> None:
    trace = tmp_path / "kv.csv"
    trace.write_text("\n".join(accesses(conversation(), stacks=512)) + "\n")
    served = cn.run("hbf-384", cn.workload(str(trace)), records=False).to_dict()["requests"]
    assert (served["reads"], served["writes"]) == (4, 5)
    assert served["bytes"] == 9 * BLOCK_TOKENS * TOKEN_BYTES // 512


def rows(figure: Figure) -> list[Row]:
    runs = figure.runs(Scale(quick=True))
    found = {label: cn.run(run.design, run.workload, records=False).to_dict() for label, run in runs.items()}
    return figure.table(found)


def test_flash_reaches_its_closed_form_and_the_published_ceilings() -> None:
    found = rows(media.FIGURE)
    steady = [row for row in found if row["reads"] == media.STEADY]
    assert [row["channels"] for row in steady] == ["1", "2", "4", "8", "16"]
    arriving = [row for row in found if row["reads"] == media.ARRIVING]
    assert all(abs(row["ours"] / row["published"] - 1.0) < 0.002 for row in arriving)
    for row in steady:
        assert abs(row["ours_off_percent"]) < 0.3
        assert abs(row["ours"] / row["published"] - 1.0) < 0.005


def test_a_hot_spot_takes_what_its_units_take() -> None:
    for row in rows(hotspot.FIGURE):
        assert abs(row["off_percent"]) < 10.0
        # Reads of the busiest unit, one after the other.
        reads = {("modulo", "1"): 8, ("modulo", "4"): 32, ("interleave", "4"): 8}.get(
            (row["placement"], row["stride"]), 64
        )
        assert row["ours"] == pytest.approx(reads * 15.0 * hotspot.MHZ, rel=0.01)


def test_weights_of_the_next_layer_hide_the_read_time() -> None:
    for row in rows(sandisk.FIGURE):
        assert row["ours"] < 2.2 or (row["prefetch"] == sandisk.WAITS and float(row["read_us"]) > 5.0)
