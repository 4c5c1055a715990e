"""Sections of a page on background activity."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto._report import array, bars, colours, lines, maintenance
from canaletto._report.document import chart, embedded, fabric, grid, map_figure, note, section, table

if TYPE_CHECKING:
    from canaletto._run.results import Result

Data: TypeAlias = Mapping[str, Any]


def html(runs: Sequence["Result"]) -> list[str]:
    data = [run.to_dict() for run in runs]
    return [collection(runs, data), pseudo_slc(data), wear(data), caches(data)]


def collection(runs: Sequence["Result"], data: Sequence[Data]) -> str:
    if not any(map(maintenance.collections, data)):
        return ""
    series = {run["fabric"]: found for run in data if (found := (run.get("flash") or {}).get("series"))}
    over_time = {name: maintenance.amplification_over_time(found) for name, found in series.items()}
    erases = {name: maintenance.erases_over_time(found) for name, found in series.items()}
    return section(
        "collection",
        "Garbage collection",
        f"<p>{escape(maintenance.told(data[0]) if len(data) == 1 else maintenance.delays(data))}</p>",
        grid(
            chart("collection-mean", "Collection in the mean latency", bars.collection(data, "all")),
            chart("collection-slow", "Collection in the latency of the slowest 1 %", bars.collection(data, "p99")),
        ),
        _delayed(runs),
        chart(
            "amplification",
            "Write amplification over time",
            lines.over_intervals(over_time, "write amplification, mean"),
        ),
        chart("erases", "Blocks erased over time", lines.over_intervals(erases, "blocks erased (1/ms)")),
        chart("valid", "Valid pages of full blocks at the end", lines.valid_pages(data)),
        _tables(
            data,
            ("Reason of collection", maintenance.reasons(data)),
            ("Collection", maintenance.figures(data, "flash", "gc", only=_GC)),
            ("Blocks at the end", maintenance.figures(data, "flash", "blocks", only=_BLOCKS)),
        ),
        about="The wait for a chip that collects is charged to the reads, programs or erases that keep it busy. "
        "The wait for a free block is charged to free blocks.",
    )


_GC = (
    *(
        "collections",
        "pages_copied",
        "pages_copied_to_other_planes",
        "pages_copied_chip_to_chip",
        "valid_share_of_victims",
    ),
    *("job_mean_us", "job_max_us", "epochs", "epoch_mean_us", "epoch_max_us"),
)
_BLOCKS = ("total", "free", "open", "full", "bad", "free_in_plane", "valid_pages")


_PSLC = (
    *("static_pages", "dynamic_pages", "host_pages", "blocks_folded", "pages_folded", "reads", "programs"),
    *("erases", "energy_mj", "erases_max", "blocks_used", "valid_pages"),
)


def pseudo_slc(data: Sequence[Data]) -> str:
    over_time = {run["fabric"]: found for run in data if (found := maintenance.cached_over_time(run))}
    if not over_time:
        return ""
    return section(
        "pslc",
        "Pseudo-SLC cache",
        chart("cached", "Writes taken by the cache over time", lines.over_intervals(over_time, "share of the pages")),
        _tables(data, ("Pseudo-SLC cache", maintenance.figures(data, "flash", "pslc", only=_PSLC))),
        about="Pages that the cache does not take go to native blocks. The wait for a chip that folds is charged to "
        "folding.",
    )


def wear(data: Sequence[Data]) -> str:
    counts = [(run.get("flash") or {}).get("wear") or {} for run in data]
    worn = any(each.get("erases_max") or each.get("bad_blocks") for each in counts)
    medium = maintenance.figures(data, "flash", only=maintenance.MEDIUM)
    parity = maintenance.figures(data, "flash", "parity")
    if not worn and not medium and not parity:
        return ""
    found = array.wear(data)
    hint = "Squares are chips. The colour is the mean number of erases of their blocks, on one scale for all maps."
    maps = ""
    if found is not None:
        maps = note(hint) + map_figure("wear-map", "Erases by chip")
        maps += embedded("wear-map-data", found | {"colours": colours.SEQUENTIAL})
    tables = _tables(
        data,
        ("Erases", maintenance.figures(data, "flash", "wear")),
        ("Errors, copies and suspensions", medium),
        ("Parity", parity),
    )
    return section("wear", "Wear", tables, maps)


def caches(data: Sequence[Data]) -> str:
    parts = {"cache": "Data cache", "mapping": "Mapping table", "precondition": "Initial state"}
    tables = []
    for name, title in parts.items():
        rows = maintenance.figures(data, name)
        hits = [[*maintenance.hit_row(data, name)]] if name != "precondition" and rows else []
        tables.append((title, [*hits, *rows]))
    found = _tables(data, *tables)
    return section("caches", "Cache, mapping table and initial state", found)


def _delayed(runs: Sequence["Result"]) -> str:
    several = len(runs) > 1
    rows = [
        [*([fabric(run.to_dict()["fabric"])] if several else []), *map(escape, row)]
        for run in runs
        for row in maintenance.delayed(run)
    ]
    heads = [
        *(["fabric"] if several else []),
        "requests delayed by collection",
        "count",
        "share",
        "mean delay",
        "longest delay",
    ]
    return table(heads, rows) if rows else ""


def _tables(data: Sequence[Data], *tables: tuple[str, list[list[str]]]) -> str:
    columns = [fabric(run["fabric"]) for run in data] if len(data) > 1 else [""]
    found = [
        table([escape(title), *columns], [[escape(cell) for cell in row] for row in rows])
        for title, rows in tables
        if rows
    ]
    return grid(*found) if len(data) <= _NARROW else "".join(found)


_NARROW = 3
"""That many fabrics have room in half a page."""
