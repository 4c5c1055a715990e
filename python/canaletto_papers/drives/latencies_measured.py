"""Quantiles of measured latencies: 4 KiB random reads of a Samsung 980 PRO 1 TB by io_uring, one core, in microseconds.

`latencies_measured.csv` has a column a depth with the quantiles at the middle of 200 equal parts, of some 10,000
latencies from submission to completion. Source: stonet-research/icpe24_io_scheduler_study_artifact 013f1e15, MIT.
"""

import csv
from functools import cache
from importlib.resources import files


@cache
def quantiles_us() -> dict[int, tuple[float, ...]]:
    text = files(__package__).joinpath("latencies_measured.csv").read_text(encoding="utf-8")
    depths, *rows = csv.reader(text.splitlines())
    columns = zip(*rows, strict=True)
    return {int(depth): tuple(map(float, column)) for depth, column in zip(depths, columns, strict=True)}
