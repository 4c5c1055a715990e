"""Figures of the paper, made by the simulator: `make paper` writes them to paper/figures, with the numbers as CSV."""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import canaletto as cn
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
FOLDER = HERE / "figures"
FABRICS = ["bus", "packetized", "omnibus", "mesh", "venice", "ideal"]
HOT_ROW = HERE.parent / "examples" / "hot-row.toml"
REQUESTS = 20_000

CAUSES = {
    "path_conflict": ("path conflict", "#c1121f"),
    "chip_busy_user": ("chip busy", "#b48cc4"),
    "transfer_of_others": ("others' traffic", "#14406e"),
    "data_transfer": ("data transfer", "#2b6cb0"),
    "array_read": ("array read", "#7fd0b5"),
    "host_link": ("host link", "#adadad"),
}
COLOURS = ["#000000", "#E69F00", "#56B4E9", "#CC79A7", "#D55E00", "#009E73"]


def hot_row(share: float) -> cn.Comparison:
    work = cn.workload(HOT_ROW, requests=REQUESTS, **{"channel_skew.share": share})
    return cn.compare("performance-optimized", work, FABRICS, records=False, progress=False)


def causes(comparison: cn.Comparison) -> None:
    tables = {fabric: comparison[fabric].root_cause_us.all.to_dict() for fabric in FABRICS}
    figure, axes = plt.subplots(figsize=(6.3, 2.5), layout="constrained")
    left = dict.fromkeys(FABRICS, 0.0)
    for cause, (label, colour) in CAUSES.items():
        widths = [tables[fabric].get(cause, 0.0) for fabric in FABRICS]
        axes.barh(FABRICS, widths, left=list(left.values()), color=colour, label=label)
        left = {fabric: left[fabric] + width for fabric, width in zip(FABRICS, widths, strict=True)}
    rest = [sum(tables[fabric].values()) - left[fabric] for fabric in FABRICS]
    axes.barh(FABRICS, rest, left=list(left.values()), color="#dcdcdc", label="all else")
    axes.invert_yaxis()
    axes.set(xlabel="latency of the mean request (µs)")
    figure.legend(loc="outside right upper", fontsize=7)
    rows = [[fabric, *(tables[fabric].get(cause, 0.0) for cause in CAUSES)] for fabric in FABRICS]
    save(figure, "causes", ["fabric", *CAUSES], rows)


def skew(comparisons: dict[float, cn.Comparison]) -> None:
    figure, axes = plt.subplots(figsize=(6.3, 2.5), layout="constrained")
    rows = []
    for fabric, colour in zip(FABRICS, COLOURS, strict=True):
        gains = [comparison.speedup[fabric].mean_latency for comparison in comparisons.values()]
        axes.plot([100 * share for share in comparisons], gains, marker="o", markersize=3, color=colour, label=fabric)
        rows.append([fabric, *gains])
    axes.set(xlabel="requests to one of eight rows (%)", ylabel="speedup in mean latency")
    axes.legend(fontsize=7)
    save(figure, "skew", ["fabric", *comparisons], rows)


def save(figure: plt.Figure, name: str, heading: list[object], rows: list[list[object]]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for ending in ("pdf", "png"):
        figure.savefig(FOLDER / f"{name}.{ending}", dpi=200)
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([heading, *rows])


if __name__ == "__main__":
    found = {share: hot_row(share) for share in (0.125, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)}
    causes(found[0.8])
    skew(found)
    print(FOLDER)
