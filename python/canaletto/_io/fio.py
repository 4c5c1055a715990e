"""fio job files as workloads.

`docs/explanation/workloads.md` has a row per option. One note names options without effect on a device. Unsupported
options with effect are errors with file, line and key.
"""

import difflib
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from canaletto._engine import ConfigError
from canaletto._io import _toml, fio_options, fio_zones
from canaletto._io.fio_values import DAY_PS, DEPTHS, FLOWS, MOST, PROCESSES, Given, Sizes
from canaletto._io.fio_zones import Zones

SECTOR = 512
SHORTEST_REQUEST_S = 50e-9
"""No device is faster: bounds the requests of a job that ends by the clock."""


@dataclass(frozen=True)
class Target:
    """The drive that a job file is for, each part found out when a job needs it."""

    bytes: Callable[[], int]
    zones: Callable[[], Zones | None]


@dataclass
class Job:
    name: str
    place: str
    options: dict[str, Given]
    notes: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    is_zoned: bool = False
    zones: Zones | None = None
    zone_count: int | None = None
    """Of its region. Both as far as they are known."""
    volume: float = 0
    """Bytes that a zoned job moves; 0 if that is not known."""

    def get(self, *names: str) -> Given | None:
        self.used.update(names)
        given = next((self.options[name] for name in names if name in self.options), None)
        if given is not None and (variable := _VARIABLE.search(given.text)):
            raise given.wrong(f"variables are not expanded: expected the value instead of {variable[0]}")
        return given

    def text(self, default: str, *names: str) -> str:
        given = self.get(*names)
        return default if given is None else given.text

    def percentage(self, default: float, *names: str) -> float:
        given = self.get(*names)
        return default if given is None else given.number(0, 100)

    def whole(self, default: int, *names: str, bounds: tuple[int, int] = (0, MOST)) -> int:
        given = self.get(*names)
        return default if given is None else given.whole(*bounds)

    def time_ps(self, unit: str, *names: str) -> int:
        given = self.get(*names)
        return 0 if given is None else given.time_ps(unit)

    def flag(self, *names: str) -> bool:
        given = self.get(*names)
        return given is not None and given.flag()

    def note(self, text: str) -> None:
        self.notes[text] = None


def workload(text: str, label: str, *, job: str | None = None, drive: Target | None = None) -> tuple[str, list[str]]:
    """A job file as a workload, in TOML, and notes on differences from fio.

    label: the file in errors. job: names of jobs to take. drive: for jobs without a size, and sizes in zones. Raises
    ConfigError.
    """
    jobs = list(read(text, label))
    if not jobs:
        raise ConfigError(f"{label}: no job, expected a section such as [job1]")
    jobs = _step(jobs, label, job)
    flows: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    crowded = sum(each.whole(1, "numjobs", bounds=PROCESSES) for each in jobs) > FLOWS
    for each in jobs:
        flows += _flows(each, crowded, drive)
        if len(flows) > FLOWS:
            raise ConfigError(
                f"{each.place}: got {len(flows)} processes of jobs up to here that cannot be joined into one flow, "
                f"expected at most {FLOWS}"
            )
        for note in (*each.notes, *_leftover(each)):
            notes[note] = None
    _keep_apart(flows, label)
    for name, count in Counter(flow["name"] for flow in flows).items():
        if count > 1:
            raise ConfigError(f"{label}: several jobs are called {name!r}, expected different names")
    document = {"name": _stem(label), "about": "a fio job file", "flow": flows}
    return _toml.dumps(document), list(notes)


def _step(jobs: Sequence[Job], label: str, wanted: str | None) -> list[Job]:
    steps: list[list[Job]] = []
    for each in jobs:
        waits = each.flag("stonewall", "wait_for_previous")
        if waits or not steps:
            steps.append([])
        steps[-1].append(each)
    if wanted is None:
        chosen = steps
    else:
        names = [name.strip() for name in wanted.split(",")]
        known = [each.name for each in jobs]
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                meant = f"did you mean {near[0]!r}? " if near else ""
                raise ConfigError(f"{label}: no job {name!r}; {meant}The jobs are {', '.join(known)}")
        chosen = [[each for each in step if each.name in names] for step in steps]
    chosen = [step for step in chosen if step]
    if len(chosen) > 1:
        ways = ", ".join("--job " + ",".join(each.name for each in step) for step in chosen)
        raise ConfigError(
            f"{chosen[1][0].place}: stonewall: jobs run one after another, and a workload is one of these steps; "
            f"choose one of: {ways}"
        )
    return chosen[0]


_VARIABLE = re.compile(r"\$\{[^}]*\}?|\$(?:pagesize|mb_memory|ncpus|jobnum|jobname)\b")
"""Of the environment or of fio."""


def read(text: str, label: str) -> Iterator[Job]:
    """Each job with what `[global]` sections before it say."""
    common: dict[str, Given] = {}
    current: dict[str, Given] | None = None
    job: Job | None = None
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{label}:{number}"
        # As in fio, a comment may follow a value.
        line = re.split("[;#]", line, maxsplit=1)[0].strip()
        if not line:
            continue
        if line.startswith("["):
            if job is not None:
                yield job
            name = line[1:].partition("]")[0].strip()
            if not line.endswith("]") or not name:
                raise ConfigError(f"{place}: got {line!r}, expected a section such as [job1]")
            # More than one [global] adds to what came before.
            job = None if name == "global" else Job(name, place, dict(common))
            current = common if job is None else job.options
        elif line.split()[0] == "include":
            raise ConfigError(f"{place}: include: got a further file, expected its lines in its place")
        elif current is None:
            raise ConfigError(f"{place}: got {line!r} before any section, expected one such as [global]")
        else:
            key, _, value = line.partition("=")
            given = Given(place, key.strip(), value.strip())
            current[given.key] = given
    if job is not None:
        yield job


def _stem(label: str) -> str:
    return label.replace("\\", "/").rpartition("/")[2].removesuffix(".fio") or label


def _leftover(job: Job) -> Iterator[str]:
    silent = []
    for key, given in job.options.items():
        if key in job.used:
            continue
        if not fio_options.without_effect(key, given.text):
            raise given.wrong(fio_options.why_not(key))
        silent.append(key)
    if silent:
        yield f"no effect on a device: {', '.join(sorted(silent))}"


def _flows(job: Job, crowded: bool, drive: Target | None) -> list[dict[str, Any]]:
    """A flow per process; if these are too many, one for all if that is as good."""
    if fio_zones.are_meant(job):
        job.is_zoned, job.zones = True, fio_zones.of(job, None if drive is None else drive.zones)
        fio_zones.in_bytes(job, job.zones)
    synthetic, place = _synthetic(job, None if drive is None else drive.bytes), _namespace(job) | _handle(job)
    increment = job.get("offset_increment")
    step = 0 if increment is None else increment.sectors(least=0)
    if job.zones is not None:
        step = -(-step // job.zones.size) * job.zones.capacity
    count = job.whole(1, "numjobs", bounds=PROCESSES)
    if count > 1 and not step and synthetic.get("zone_work") in ("write", "append"):
        step = _share_zones(job, synthetic, count)
    is_alike = step == 0 and synthetic["addresses"] != "sequential" and "sequential_share" not in synthetic
    if crowded and count > 1 and is_alike and "think_time" not in synthetic:
        job.note(f"the {count} processes of {job.name} are one flow, which is as good for random requests")
        return [{"name": job.name, **place, "synthetic": _joined(synthetic, count)}]
    flows = []
    for number in range(count):
        own = dict(synthetic)
        offset = own.pop("_offset") + number * step
        if offset:
            own["working_set_offset"] = f"{offset}B"
        name = job.name if count == 1 else f"{job.name}.{number}"
        flows.append({"name": name, **place, "synthetic": own})
    return flows


def _share_zones(job: Job, synthetic: dict[str, Any], count: int) -> int:
    """Gives each process its own zones. Returns their writable bytes."""
    if job.zones is None or job.zone_count is None:
        raise job.options["numjobs"].wrong("expected offset_increment, so that each process writes its own zones")
    number = job.zone_count // count
    if not number:
        raise job.options["numjobs"].wrong("expected at most one process for each zone of the job")
    part = number * job.zones.capacity
    synthetic["working_set_size"] = f"{part}B"
    synthetic["zones"] = min(synthetic["zones"], number)
    job.note(f"each process of {job.name} writes its own zones")
    return part


def _keep_apart(flows: Sequence[dict[str, Any]], label: str) -> None:
    """Two flows that write the same zones would not know each other's write pointers."""
    ends: dict[str, list[tuple[int, float, str]]] = {}
    for flow in flows:
        keys = flow["synthetic"]
        if keys.get("zone_work") in ("write", "append"):
            begin, size = (
                int(keys.get(key, "0B").removesuffix("B")) for key in ("working_set_offset", "working_set_size")
            )
            ends.setdefault(flow.get("namespace", ""), []).append(
                (begin, begin + size if size else math.inf, flow["name"])
            )
    for parts in ends.values():
        for (_, end, first), (begin, _, second) in itertools.pairwise(sorted(parts)):
            if begin < end:
                raise ConfigError(
                    f"{label}: {first} and {second} write the same zones, expected an offset and size for each"
                )


def _joined(synthetic: dict[str, Any], count: int) -> dict[str, Any]:
    made = dict(synthetic)
    offset = made.pop("_offset")
    if offset:
        made["working_set_offset"] = f"{offset}B"
    made["requests"] *= count
    made["queue_depth"] *= count
    if "inter_arrival" in made:
        made["inter_arrival"] = f"{max(round(int(made['inter_arrival'].removesuffix('ps')) / count), 1)}ps"
    return made


def _synthetic(job: Job, drive_bytes: Callable[[], int] | None) -> dict[str, Any]:
    direction, random = _direction(job)
    read_share, trims = _shares(job, direction)
    sizes = _sizes(job, trims)
    if not job.flag("direct"):
        job.note("no page cache of the host: as with direct=1")
    made: dict[str, Any] = {"read_share": read_share, **({"trim_share": 1.0} if trims else {})}
    made |= sizes.keys(read_share)
    made["alignment"] = f"{_alignment(job, sizes, random)}B"
    made |= {"addresses": "uniform"} | _places(job, random)
    made |= _zoned_region(job, direction, random) if job.zones is not None else _region(job)
    flushes = _flushes(job, read_share, trims)
    made |= flushes
    made |= _pace(job, read_share)
    if job.is_zoned:
        made |= fio_zones.keys(job, direction, random, job.zones, job.zone_count)
    made |= _end(job, sizes.mean(read_share), flushes.get("flush_share", 0.0), drive_bytes)
    return made


def _handle(job: Job) -> dict[str, Any]:
    handle = job.get("fdp_pli", "plids")
    if not job.flag("fdp") and job.text("none", "dataplacement") != "fdp":
        return {}
    return {"handle": 0 if handle is None else handle.whole(0, 255)}


def _namespace(job: Job) -> dict[str, Any]:
    named = job.options.get("filename")
    found = re.fullmatch(r"/dev/(?:ng|nvme)\d+n([2-9]\d*|1\d+)", named.text) if named else None
    if found is None:
        return {}
    job.get("filename")
    return {"namespace": found[1]}


def _direction(job: Job) -> tuple[str, bool]:
    given = job.get("rw", "readwrite")
    text = "read" if given is None else given.text
    known = {"read": "read", "write": "write", "trim": "trim", "rw": "mixed", "readwrite": "mixed"}
    known |= {f"rand{name}": kind for name, kind in known.items() if name != "readwrite"}
    if text not in known:
        raise (given or Given("", "rw", "")).wrong(f"expected one of {', '.join(known)}")
    return known[text], text.startswith("rand")


def _shares(job: Job, direction: str) -> tuple[float, bool]:
    reads = job.percentage(100 - job.percentage(50, "rwmixwrite"), "rwmixread") / 100
    shares = {"read": 1.0, "write": 0.0, "trim": 0.0, "mixed": reads}
    return shares[direction], direction == "trim"


def _sizes(job: Job, trims: bool) -> Sizes:
    split, spread = job.get("bssplit"), job.get("bsrange", "blocksize_range")
    given = job.get("bs", "blocksize")
    if split is not None:
        return Sizes.of_split(split, trims)
    if spread is not None:
        return Sizes.of_range(spread, trims)
    return Sizes.plain(given or Given("", "bs", "4k"), trims)


def _alignment(job: Job, sizes: Sizes, random: bool) -> int:
    given = job.get("blockalign", "ba")
    if given is not None:
        return given.sectors()
    # Places are counted in blocks; runs of requests lie end to end, whatever their sizes.
    return sizes.least() if random else SECTOR


def _places(job: Job, random: bool) -> dict[str, Any]:
    distribution = job.get("random_distribution")
    percentage = job.percentage(100, "percentage_random")
    if not random:
        return {"addresses": "sequential"}
    if not job.flag("norandommap"):
        job.note("random blocks may repeat before all were asked for, as with norandommap")
    made: dict[str, Any] = {} if distribution is None else fio_options.distribution(distribution)
    if percentage < 100:
        made["sequential_share"] = min(1 - percentage / 100, 0.999)
    return made


def _region(job: Job) -> dict[str, Any]:
    made: dict[str, Any] = {"_offset": 0}
    offset, size = job.get("offset"), job.get("size", "filesize")
    if offset is not None:
        made["_offset"] = offset.sectors(least=0)
    if size is not None and size.text.endswith("%"):
        made["working_set"] = size.percent()
    elif size is not None and size.size():
        made["working_set_size"] = f"{size.sectors()}B"
    return made


def _zoned_region(job: Job, direction: str, random: bool) -> dict[str, Any]:
    zones = job.zones
    assert zones is not None
    first, number = fio_zones.region(job, zones)
    made: dict[str, Any] = {"_offset": first * zones.capacity}
    job.zone_count = number
    if number is not None:
        made["working_set_size"] = f"{number * zones.capacity}B"
        if job.get("io_size", "io_limit") is None:
            # As fio: random writes come again to zones that are full, other jobs end with the last zone.
            is_whole = direction == "trim" or (random and direction == "write")
            job.volume = number * (zones.size if is_whole else zones.capacity)
    return made


def _flushes(job: Job, read_share: float, trims: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    every = job.whole(0, "fsync") or job.whole(0, "fdatasync")
    if every and not trims and read_share < 1:
        per_request = (1 - read_share) / every
        made["flush_share"] = per_request / (1 + per_request)
        job.note("flushes come by chance, as many as fsync asks for")
    sync = job.text("0", "sync")
    if sync not in ("0", "none"):
        made["fua_share"] = 1.0
    return made


def _pace(job: Job, read_share: float) -> dict[str, Any]:
    engine, waiting = job.text("psync", "ioengine"), job.whole(1, "iodepth", bounds=DEPTHS)
    if waiting > 1 and engine in fio_options.SYNCHRONOUS:
        job.note(f"iodepth counts for nothing with ioengine={engine}, as in fio: one request at a time")
        waiting = 1
    rate, bytes_rate = job.get("rate_iops"), job.get("rate")
    think = job.get("thinktime")
    blocks = job.whole(1, "thinktime_blocks")
    if rate is not None or bytes_rate is not None:
        return {"queue_depth": waiting, **_open_loop(job, rate, bytes_rate, read_share, think)}
    made: dict[str, Any] = {"queue_depth": waiting}
    if think is not None and think.time_ps("us"):
        if waiting > 1 or blocks != 1:
            raise think.wrong("expected iodepth=1 and thinktime_blocks=1, with which thought follows each completion")
        made["think_time"] = f"{think.time_ps('us')}ps"
    return made


def _open_loop(
    job: Job, rate: Given | None, bytes_rate: Given | None, read_share: float, think: Given | None
) -> dict[str, Any]:
    given = rate or bytes_rate
    if given is None or (rate and bytes_rate):
        raise (bytes_rate or Given("", "rate", "")).wrong("got both rate and rate_iops, expected one of them")
    if think is not None:
        raise think.wrong("got it with a rate, expected one of them")
    process = job.get("rate_process")
    if 0 < read_share < 1:
        per_s = _mixed_rate(given, process, read_share)
    else:
        per_s = rate.number() if rate else given.size() / _sizes(job, False).mean(read_share)
    if not 1e12 / DAY_PS <= per_s <= 1e12:
        raise given.wrong("expected a rate above 0: from one request in a day to one in a picosecond")
    kind = "linear" if process is None else process.text
    if process is not None and kind not in ("linear", "poisson"):
        raise process.wrong("expected linear or poisson")
    gap = {"inter_arrival": f"{round(1e12 / per_s)}ps"}
    return {**gap, **({"arrivals": "fixed"} if kind == "linear" else {})}


def _mixed_rate(given: Given, process: Given | None, read_share: float) -> float:
    """Reads and writes have a rate each. At random times both together are one random flow."""
    reads, comma, writes = given.text.partition(",")
    if given.key != "rate_iops" or process is None or process.text != "poisson":
        raise given.wrong("counts reads and writes apart, expected rate_iops=READS,WRITES and rate_process=poisson")
    rates = [replace(given, text=text).number() for text in (reads, writes if comma else reads)]
    if abs(rates[0] - read_share * sum(rates)) > 0.01 * sum(rates):
        raise given.wrong(f"expected {read_share:.0%} of it as reads, as rwmixread has it")
    return sum(rates)


def _end(job: Job, mean_bytes: float, flush_share: float, drive_bytes: Callable[[], int] | None) -> dict[str, Any]:
    """As in fio, 0 stands for neither."""
    made: dict[str, Any] = {}
    start, runtime = job.time_ps("s", "startdelay"), job.time_ps("s", "runtime", "timeout")
    if start:
        made["start"] = f"{start}ps"
    if runtime:
        made["stop"] = f"{start + runtime}ps"
    timed = job.flag("time_based") and runtime
    number = job.whole(0, "number_ios")
    once = (job.volume or _volume(job, None if number or runtime else drive_bytes)) / mean_bytes
    loops = job.whole(1, "loops", bounds=(0, int(MOST / max(once, 1))))
    if number and not timed:
        requests = float(number)
    elif once and not timed:
        requests = once * max(loops, 1)
    elif runtime:
        requests = runtime / 1e12 / SHORTEST_REQUEST_S
    else:
        raise ConfigError(
            f"{job.place}: job {job.name!r}: no end, expected size, number_ios or runtime: without them its size is "
            "the drive's, and no design is given"
        )
    # Flushes come on top of what moves data.
    made["requests"] = max(round(requests / (1 - flush_share)), 1)
    return made


def _volume(job: Job, drive_bytes: Callable[[], int] | None) -> float:
    """0 if the job does not say and there is no drive. As in fio, a size of 0 is none."""
    given = [job.get("io_size", "io_limit"), job.get("size", "filesize")]
    share = 1.0
    for each in given:
        if each is not None and each.text.endswith("%"):
            share = each.percent()
            break
        if each is not None and each.size():
            return each.size()
    if drive_bytes is None:
        return 0
    part = "the drive's" if share == 1 else f"{share:.4g} of the drive's"
    job.note(f"{job.name} states no bytes: its size is {part}")
    offset = job.get("offset")
    return max(drive_bytes() * share - (0 if offset is None else offset.size()), SECTOR)
