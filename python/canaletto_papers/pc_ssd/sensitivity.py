"""Sensitivity of the ratios to each parameter of a scenario.

Method: one key at a time is halved and doubled, or set to what else it can be, for all attachments alike. Shown is the
highest ratio of total times over sizes from 512 B to 128 KiB, or the ratio of the last of the `real-traces`. `ours` is
NBDP's. The first line is the PC as it is. `given` tells parameters with a source from assumed ones, as `canaletto
schema pc` has it; those with a source are shown as well, since it is only assumed that the study used them.

Assumptions: parameters are independent; what two of them do together is not shown.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import altair as alt
from canaletto import _engine, attachments
from canaletto._report.charts import Spec, spec

from canaletto_papers.bars import PUBLISHED as RED
from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.pc_ssd.real_traces import JUDGED, NUMBERED, sources, trace_gain
from canaletto_papers.pc_ssd.study import BASELINE, SHADES, SYSTEMS, TITLES, Keys, best, nothing, published

AS_IT_IS = "as it is"

SCALED = (
    "attachment.dma.chunk",
    "attachment.dma.write_window",
    "attachment.bridges.north_arbitration",
    "attachment.bridges.south_arbitration",
    "attachment.bridges.lanes",
    "attachment.bridges.latency",
    "attachment.bridges.max_payload",
    "attachment.ata.rate",
    "attachment.ata.handshake",
    "attachment.ddr.rate",
    "attachment.ddr.dqs_delay",
    "attachment.direct.rate",
    "ssd.hit_latency",
    "ssd.hit_rate",
    "ssd.miss_latency",
    "ssd.miss_rate",
    "ssd.write_latency",
    "ssd.write_rate",
    "driver.command",
    "driver.pack",
    "driver.interrupt",
    "driver.descriptor_bytes",
    "network.rate",
    "network.blocks",
)

CHOICES: dict[str, tuple[str, ...]] = {
    "attachment.dma.write_window": ("64",),
    "attachment.ata.rate": ("133MB/s",),
    "attachment.ddr.shared": ("false",),
    "attachment.direct.division": ("by-direction",),
    "attachment.direct.share": ("0.25", "0.75", "1.0"),
    "ssd.internals": ("shared",),
    "ssd.write_latency": ("0us",),
    "ssd.miss_latency": ("0us",),
}
"""Further values of keys: 133 MB/s is parallel ATA's rate."""

SHOWN = 0.005
UNSTATED = {"attachment.ata.rate": "300MB/s"}


@cache
def defaults() -> dict[str, str]:
    def flat(table: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
        for key, value in table.items():
            if isinstance(value, Mapping):
                yield from flat(value, f"{path}{key}.")
            else:
                yield f"{path}{key}", str(value).lower() if isinstance(value, bool) else str(value)

    return dict(flat(tomllib.loads(attachments.pc("nbdp")), "")) | UNSTATED


@cache
def is_assumed(key: str) -> bool:
    schema = json.loads(_engine.schema("pc"))
    here: Any = schema
    for part in key.split("."):
        named = here["properties"][part]
        reference = named.get("$ref", "").rpartition("/")[2]
        here = schema["$defs"].get(reference, {})
    text = " ".join([named.get("description", ""), json.dumps(here)])
    return "Assumed" in text or "Our reading" in text


def scaled(value: str, factor: float) -> str:
    number, unit = re.fullmatch(r"([0-9.]+)(.*)", value).groups()  # type: ignore[union-attr]
    return f"{max(1.0, float(number) * factor) if not unit else float(number) * factor:g}{unit}"


def settings() -> Iterator[tuple[str, str]]:
    for key, value in defaults().items():
        tried = [scaled(value, factor) for factor in (0.5, 2)] if key in SCALED else []
        yield from ((key, changed) for changed in [*tried, *CHOICES.get(key, ())] if changed != value)


Measure = Callable[[str, Keys], float]


def table(operation: str, measure: Measure, printed: float | None) -> list[Row]:
    def line(key: str, default: str, setting: str, given: str, keys: Keys, known: float | None) -> Row:
        ratios = {system: measure(system, keys) for system in SYSTEMS if system != BASELINE}
        said = {"operation": operation, "key": key, "default": default, "setting": setting, "given": given}
        return {**said, **ratios, "ours": ratios["NBDP"], "published": known}

    rows = [line(AS_IT_IS, "", "", "", (), printed)]
    for key, setting in settings():
        given = "assumed" if is_assumed(key) else "with a source"
        rows.append(line(key, defaults()[key], setting, given, ((key, setting),), None))
    return rows


def chart(of: str, rows: list[Row]) -> Spec:
    systems = [system for system in SYSTEMS if system != BASELINE]

    def moves(row: Row) -> bool:
        return any(abs(row[system] / rows[0][system] - 1) >= SHOWN for system in systems)

    shown = [rows[0], *(row for row in rows[1:] if moves(row))]
    named = [{**row, "what": f"{row['key']} {row['setting']}".strip()} for row in shown]
    points = [{"what": row["what"], "system": system, "ratio": row[system]} for row in named for system in systems]
    scale = alt.Scale(type="log", nice=False)
    colour = alt.Color(
        "system:N",
        title=None,
        scale=alt.Scale(domain=systems, range=[SHADES[system] for system in systems]),
        legend=alt.Legend(orient="top"),
    )
    x = alt.X("ratio:Q", title="highest ratio to SBSP", scale=scale)
    y = alt.Y(
        "what:N", sort=[row["what"] for row in named], title=None, axis=alt.Axis(labelLimit=320, labelOverlap=False)
    )
    dots = alt.Chart(alt.InlineData(points)).mark_point(filled=True, size=45).encode(x=x, y=y, color=colour)
    at_rest = [{"system": system, "ratio": rows[0][system]} for system in systems]
    rules = alt.Chart(alt.InlineData(at_rest)).mark_rule(strokeDash=[3, 3]).encode(x=x, color=colour)
    printed = [{"ratio": published(of, system)} for system in systems]
    red = alt.Chart(alt.InlineData(printed)).mark_rule(color=RED).encode(x=x)
    return spec(alt.layer(red, rules, dots).properties(width="container", height=16 * len(shown)))


def figure(name: str, operation: str, measure: Measure, of: str) -> Figure:
    def made(_: Mapping[Label, Data]) -> list[Row]:
        return table(operation, measure, published(of, "NBDP"))

    def drawn(rows: list[Row]) -> dict[str, Spec]:
        return {"what moves a ratio by 0.5 % or more; dashed: as it is; red: what was published": chart(of, rows)}

    return Figure(f"sensitivity-{name}", f"Sensitivity: {operation}", __doc__ or "", nothing, made, drawn, JUDGED)


def highest(scenario: str) -> Measure:
    return lambda system, keys: best(system, scenario, keys)[0]


def of_trace(system: str, keys: Keys) -> float:
    return trace_gain(system, sources()[-1], keys)


FIGURES = [
    *(figure(name.removeprefix("dma-"), title, highest(name), name) for name, title in TITLES.items()),
    figure("trace", NUMBERED[-1], of_trace, NUMBERED[-1]),
]
