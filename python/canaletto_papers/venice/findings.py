"""Published numbers that contradict others of the paper, each shown by a table of ours."""

from canaletto_papers.figure import Row
from canaletto_papers.venice.evaluation import PERFORMANCE
from canaletto_papers.verdicts import Finding, Tables, comes_near


def _is_fast(row: Row) -> bool:
    """Fig. 13 is of the performance-optimized SSD."""
    return bool(row.get("ssd", PERFORMANCE) == PERFORMANCE)


def _superposed(tables: Tables) -> str | None:
    """Table 3's means are not its constituents' at Table 2's."""
    apart = [row for row in tables.get("table3", ()) if not comes_near(row["ours"], row["published"])]
    if not apart:
        return None
    most = max(apart, key=lambda row: float(row["ours"] / row["published"]))
    return (
        f"Table 2: at its rates the constituents of {most['mix']} arrive every {most['ours']:.0f} us together, "
        f"Table 3 has {most['published']:g} us (table3)"
    )


def _geometry(tables: Tables) -> str | None:
    """Table 1's capacity is not its geometry's."""
    rows = [row for row in tables.get("table1", ()) if (row["ssd"], row["what"]) == (PERFORMANCE, "capacity, GB")]
    if not rows or comes_near(rows[0]["ours"], rows[0]["published"]):
        return None
    ours, theirs = rows[0]["ours"], rows[0]["published"]
    return f"Table 1: its own geometry holds {ours:.0f} GB, it prints {theirs:.0f} GB; geometry is taken (table1)"


FINDINGS = [
    Finding(("table1",), _is_fast, _geometry),
    Finding(("table3",), lambda _: True, _superposed),
]
