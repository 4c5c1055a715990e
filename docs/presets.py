"""Makes pictures and tables of the pages about presets: `.venv/bin/python docs/presets.py --write`."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import canaletto as cn
import tables
from canaletto._io.units import scaled
from canaletto._run import names
from canaletto._run.quantities import rate, size_bytes, time_us
from canaletto._run.simulate import run_once
from canaletto_papers.flows import flow, workload

INDEX = tables.DOCS / "reference/presets.md"
SOURCES: dict[str, str] = tomllib.loads((tables.DOCS / "sources.toml").read_text(encoding="utf-8"))
REQUEST = 4096


class Limit(NamedTuple):
    """None where nothing limits it."""

    title: str
    short: str
    kinds: str
    value: float | None


def page(preset: str) -> Path:
    return INDEX.with_suffix("") / f"{preset}.md"


@cache
def keys(preset: str) -> dict[str, Any]:
    return cn.design(preset).to_dict()


def inside(preset: str) -> Iterator[str]:
    drive = keys(preset)
    array = drive["geometry"]
    chip, many = f"[{'▣' * array['dies_per_chip']}]", array["chips_per_channel"]
    chips = " ".join([chip] * many) if many <= MOST_DRAWN else f"{chip} {chip} … {many} chips"
    marks = "┬├┆└" if array["channels"] > 3 else "┬├└"[: array["channels"]]
    lefts = [f" host {'─' * 18} controller ".ljust(BUSES, "─"), *(" " * 25 + fact for fact in controller(drive))]
    yield "\n```text"
    yield f"{'':7}{lanes(drive['link']):<{BUSES - 7}}{array['channels']} buses, {spelt(drive['fabric']['link_rate'])}"
    for left, mark in zip_longest(lefts, marks, fillvalue=""):
        yield f"{left:<{BUSES}}{mark}{f'──── {chips}' if mark not in ('', '┆') else ''}".rstrip()
    yield f"\n ▣ a die of {count(array['planes_per_die'], 'plane')}, pages of {spelt(array['page'])}; [ ] a chip"
    yield from (f" {line}" for line in cells(drive))
    yield "```\n"


BUSES = 54
MOST_DRAWN = 16


def lanes(link: dict[str, Any]) -> str:
    found = re.fullmatch(r"gen(\d)", link["lane_rate"])
    return f"PCIe {found[1]}.0 × {link['lanes']}" if found else f"{link['lanes']} × {spelt(link['lane_rate'])}"


def spelt(quantity: str) -> str:
    return re.sub(r"(?<=\d)(?=[A-Za-z])", " ", quantity).replace(" us", " µs")


def count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def controller(drive: dict[str, Any]) -> list[str]:
    inner, cache_keys = drive["controller"], drive["cache"]
    found = []
    if time_us(inner["firmware_per_request"]):
        found.append(f"firmware {spelt(inner['firmware_per_request'])} a request")
    if time_us(inner["firmware_per_page"]):
        found.append(f"firmware {spelt(inner['firmware_per_page'])} a page")
    if time_us(inner["ecc_latency"]):
        found.append(f"ECC {spelt(inner['ecc_latency'])} a page")
    if rate(inner["dram"]):
        found.append(f"DRAM {spelt(inner['dram'])}")
    if size_bytes(cache_keys["capacity"]):
        found.append(f"writes buffered: {spelt(cache_keys['capacity'])}")
    return found


def cells(drive: dict[str, Any]) -> Iterator[str]:
    flash = drive["flash"]
    reads = flash["read"] if isinstance(flash["read"], list) else [flash["read"]]
    times = " / ".join(map(spelt, reads))
    in_place = flash["addressing"] != "page"
    kind = "written in place" if in_place else flash["cell"].upper()
    erase = "" if in_place else f", erase {spelt(flash['erase'])}"
    yield f"{kind}: read {times}, program {spelt(flash['program'])}{erase}"
    cached = flash["pslc"]
    total = size_bytes(cached["static_size"]) + size_bytes(cached["dynamic_size"])
    if total:
        of = scaled(total, "B")
        yield f"pseudo-SLC cache of up to {of}: read {spelt(cached['read'])}, program {spelt(cached['program'])}"


def large(preset: str) -> list[Limit]:
    drive = keys(preset)
    found = cn.inspect(cn.design(preset), reads("128KiB", 1))
    firmware = firmware_us(drive, 128 << 10)
    bounds = {bound["resource"]: bound["limit_gb_s"] for kind in ("write", "read") for bound in found[f"{kind}_bounds"]}
    return [
        Limit("host link, payload, GB/s", "host link", "rw", bounds["host link"]),
        Limit("flash buses, GB/s", "buses", "rw", bounds["fabric"]),
        Limit("DRAM port, GB/s", "DRAM port", "rw", bounds.get("DRAM port")),
        Limit("firmware, reads of 128 KiB, GB/s", "firmware", "r", 131.072 / firmware if firmware else None),
        Limit("DRAM of the write buffer, in and out, GB/s", "write buffer", "w", buffer_gb_s(drive)),
        Limit("array reads, all planes at work, GB/s", "array reads", "r", bounds["flash arrays (reading)"]),
        Limit("array programs, all planes at work, GB/s", "programs", "w", bounds["flash arrays (programming)"]),
        Limit("the same in the pseudo-SLC cache, GB/s", "in SLC mode", "", cached_gb_s(drive)),
    ]


def firmware_us(drive: dict[str, Any], read: int) -> float:
    unit = size_bytes(drive["ftl"]["mapping_unit"]) or size_bytes(drive["geometry"]["page"])
    inner = drive["controller"]
    return time_us(inner["firmware_per_request"]) + time_us(inner["firmware_per_page"]) * max(1.0, read / unit)


def buffer_gb_s(drive: dict[str, Any]) -> float | None:
    if not size_bytes(drive["cache"]["capacity"]):
        return None
    return rate(drive["cache"]["dram"]["rate"]) / 1e3 / 2


def cached_gb_s(drive: dict[str, Any]) -> float | None:
    cached = drive["flash"]["pslc"]
    if not size_bytes(cached["static_size"]) + size_bytes(cached["dynamic_size"]):
        return None
    return planes(drive) * size_bytes(drive["geometry"]["page"]) / time_us(cached["program"]) / 1e3


def planes(drive: dict[str, Any]) -> int:
    return dies(drive) * int(drive["geometry"]["planes_per_die"])


def dies(drive: dict[str, Any]) -> int:
    array = drive["geometry"]
    return int(array["channels"] * array["chips_per_channel"] * array["dies_per_chip"])


def small(preset: str) -> list[Limit]:
    drive = keys(preset)
    found = {limit.short: limit.value for limit in large(preset)}
    times = drive["flash"]["read"] if isinstance(drive["flash"]["read"], list) else [drive["flash"]["read"]]
    mean = sum(map(time_us, times)) / len(times)
    pages = max(1.0, REQUEST / size_bytes(drive["geometry"]["page"]))
    flash = drive["flash"]
    # Random pages of a die seldom share a command that wants the same page of all planes.
    alone = not flash["independent_plane_reads"] and flash["multi_plane"] != "any-page"
    readers = dies(drive) if alone else planes(drive)
    inner = drive["controller"]
    # The latency of an ECC engine holds no other page up.
    firmware, ecc = firmware_us(drive, REQUEST), rate(inner["ecc_rate"])
    link, buses = (found[name] or 0.0 for name in ("host link", "buses"))
    return [
        Limit("4 KiB random reads the flash allows, M/s", "flash", "s", readers / mean / pages),
        Limit("4 KiB reads the buses allow, M/s", "buses", "s", buses * 1e3 / REQUEST),
        Limit("4 KiB reads the host link allows, M/s", "host link", "s", link * 1e3 / REQUEST),
        Limit(
            "4 KiB reads ECC allows, M/s", "ECC", "s", drive["geometry"]["channels"] * ecc / REQUEST if ecc else None
        ),
        Limit("requests the firmware allows, M/s", "firmware", "s", 1 / firmware if firmware else None),
    ]


def reads(size: str, requests: int) -> cn.Workload:
    shape = {"requests": requests, "read_share": 1.0, "size": size, "queue_depth": 1}
    return workload("reads", [flow("reads", shape)])


@cache
def alone_us(preset: str) -> float:
    found = run_once(cn.design(preset), reads("4KiB", 500), 1, 0, False, None)[0]
    return float(found["latency_us"]["all"]["mean"])


def texts(limits: Sequence[Limit]) -> list[str]:
    known = [(limit.value, limit.kinds) for limit in limits if limit.value is not None]
    least = {kind: min((value for value, kinds in known if kind in kinds), default=0.0) for kind in "rws"}

    def text(limit: Limit) -> str:
        if limit.value is None:
            return "–"
        is_least = any(limit.value <= 1.0001 * least[kind] for kind in limit.kinds)
        return f"**{short(limit.value)}**" if is_least else short(limit.value)

    return list(map(text, limits))


def short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}" if value >= 1 else f"{value:.2f}"


def limits(preset: str) -> Iterator[str]:
    yield "| limit | |\n| --- | --- |"
    for part in (large(preset), small(preset)):
        yield from (f"| {limit.title} | {text} |" for limit, text in zip(part, texts(part), strict=True))
    yield f"| 4 KiB read, one at a time, µs (simulated) | {short(alone_us(preset))} |"


def of_all(part: Any, unit: str) -> Iterator[str]:
    heads = [f"preset, {unit}", *(limit.short for limit in part(next(iter(names.presets()))))]
    yield f"| {' | '.join(heads)} |\n" + "| --- " * len(heads) + "|"
    for preset in names.presets():
        yield f"| [`{preset}`](presets/{preset}.md) | {' | '.join(texts(part(preset)))} |"


FILES = tables.DOCS.parent / "crates/canaletto-config/src/presets"
_LINE = re.compile(r"(?P<key>[\w.]+) = (?P<value>.+?)(?:\s+# ?(?P<comment>.*))?")


def figures(preset: str) -> Iterator[str]:
    head, _, keys = (FILES / f"{preset}.toml").read_text(encoding="utf-8").partition("\nname = ")
    yield "| key | value | source |\n| --- | --- | --- |"
    table, above = "", ""
    for line in keys.splitlines()[2:]:
        if section := re.match(r"\[([\w.]+)\](?:\s+# (.*))?", line):
            table, above = section[1], section[2] or ""
        elif line.startswith("#"):
            above = f"{above} {line.removeprefix('#').strip()}".strip()
        elif found := _LINE.fullmatch(line):
            value, source = found["value"].strip('"'), "; ".join(filter(None, (above, found["comment"])))
            yield f"| `{table}.{found['key']}` | {value} | {source} |"
            above = ""
        elif above:
            yield f"| | | {above} |"
            above = ""
    tags = re.sub(r"\n#", "", "\n" + head)
    yield ""
    yield from (f"- **[{tag}]** {text.strip(' =')}" for tag, text in re.findall(r"\[(\w+)\]([^\[]+)", tags))


def sources(preset: str) -> Iterator[str]:
    cited = set(re.findall(r"\[([A-Z][A-Z0-9]*)\](?!\()", page(preset).read_text(encoding="utf-8")))
    if missing := cited - SOURCES.keys():
        raise SystemExit(f"{page(preset)}: cites {', '.join(sorted(missing))}, which docs/sources.toml does not list")
    yield from listed(tag for tag in SOURCES if tag in cited)


def listed(tags: Iterable[str]) -> Iterator[str]:
    return (f"- **[{tag}]** {SOURCES[tag]}" for tag in tags)


TABLES: dict[str, tables.Table] = {
    "limits-large": (INDEX, partial(of_all, large, "GB/s")),
    "limits-small": (INDEX, partial(of_all, small, "M/s of 4 KiB")),
    "sources": (INDEX, partial(listed, SOURCES)),
    **{
        f"{preset}-{name}": (page(preset), partial(made, preset))
        for preset in names.presets()
        for name, made in (("inside", inside), ("figures", figures), ("limits", limits), ("sources", sources))
    },
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
