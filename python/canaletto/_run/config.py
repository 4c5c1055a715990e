"""Designs and workloads, which hold their full configuration as TOML text with every default."""

import copy
import json
import os
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io import _toml, plugins, printable
from canaletto._io.files import awaiting_writers
from canaletto._run import names

if TYPE_CHECKING:
    from canaletto._io.fio_zones import Zones

MAX_CONFIG_BYTES = 16 << 20
"""Larger files are most likely traces."""

OUT_OF_RANGE = ("refuse", "wrap", "fit")
DEVICES = ("ignore", "offset")
OPEN_LOOP = ("inter_arrival", "burstiness", "burst_share", "on_time", "off_time", "diurnal")
"""Keys of a generated flow that say when requests arrive."""

FABRIC = "fabric.kind"


class Setting(NamedTuple):
    label: str
    prefix: str
    text: str


class Config:
    """A resolved configuration. Values are never changed in place: `replace` returns a new one."""

    _kind = "configuration"
    _given: tuple[str | None, list[Setting]] | None = None
    """Its file's text and the settings over it; none where it was made otherwise."""

    def __init__(self, toml: str, label: str) -> None:
        self._toml = toml
        self._label = label

    @property
    def name(self) -> str:
        """The name that results carry."""
        return str(self.to_dict()["name"])

    def replace(self, **overrides: Any) -> Self:
        """A copy with some keys changed, as `dataclasses.replace` makes one.

        Parameters
        ----------
        overrides
            Values by key, nested keys with dots: `d.replace(fabric="bus", **{"flash.read": "10us"})`. Quantities are
            text with a unit.

        Returns
        -------
        Design or Workload
            A new one; this one stays as it is.

        Raises
        ------
        ConfigError
            For an unknown key or a value that is not allowed.

        Examples
        --------
        >>> import canaletto as cn
        >>> cn.design("performance-optimized").replace(fabric="venice").fabric
        'venice'
        """
        return self.adjusted(keyword_settings(overrides))

    def adjusted(self, settings: list[Setting]) -> Self:
        found = self._resolved(self._label, self._toml, settings)
        found._given = self._given and (self._given[0], [*self._given[1], *settings])
        return found

    def located(self, key: str, what: str) -> str | None:
        """A message about a key, with the file and line where it was set."""
        return _engine.located(self._kind, self._label, *self._given, key, what) if self._given else None

    def to_toml(self) -> str:
        """The full configuration as TOML."""
        return _spelt_out(self._kind, self._toml)

    def shown_toml(self) -> str:
        toml = self.to_toml()
        return toml if printable.printable(toml) == toml else printable.toml(_toml.dumps(self.to_dict()))

    def to_dict(self) -> dict[str, Any]:
        """The full configuration as plain dictionaries and lists."""
        return copy.deepcopy(_read(self.to_toml()))

    def _stated(self) -> dict[str, Any]:
        """Without values that follow others, as the rate of links follows the rate of buses."""
        return copy.deepcopy(_read(self._toml))

    @property
    def label(self) -> str:
        return self._label

    @classmethod
    def from_toml(cls, text: str, label: str) -> Self:
        """A configuration from a file's text.

        Parameters
        ----------
        text
            TOML, as in a file.
        label
            Name of the text in errors.

        Returns
        -------
        Design or Workload
            With every default spelt out.

        Raises
        ------
        ConfigError
            For an unknown key or a value that is not allowed.
        """
        return cls._resolved(label, text, [])

    @classmethod
    def _resolved(cls, label: str, text: str | None, settings: list[Setting]) -> Self:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Config) and other.to_toml() == self.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name}>"

    def _repr_html_(self) -> str:
        document = self.to_dict()
        about = escape(str(document.get("about", "")))
        return (
            f"<details><summary><b>{escape(self.name)}</b> ({self._kind}) {about}</summary>"
            f"<pre>{escape(self.to_toml())}</pre></details>"
        )


class Design(Config):
    """A drive, its host link and everything in it."""

    _kind = "design"
    notes: tuple[str, ...] = ()
    """Keys that were given and have no effect in it."""

    @property
    def fabric(self) -> str:
        """The interconnect's name."""
        return str(self.to_dict()["fabric"]["kind"])

    @classmethod
    def _resolved(cls, label: str, text: str | None, settings: list[Setting]) -> Self:
        toml, notes = _engine.resolve_design(label, text, settings)
        made = cls(toml, label)
        made._given, made.notes = (text, settings), tuple(notes)
        return made


class Workload(Config):
    """The flows of requests that a drive serves."""

    _kind = "workload"
    notes: tuple[str, ...] = ()
    """Settings of a fio job file that differ from fio or have no effect."""

    def traces(self) -> list[str]:
        """The trace files it replays, in the order of its flows."""
        return [trace["file"] for flow in self.to_dict()["flow"] for trace in _traces_of(flow)]

    @classmethod
    def _resolved(cls, label: str, text: str | None, settings: list[Setting]) -> Self:
        made = cls(_engine.resolve_workload(label, text, settings), label)
        made._given = text, settings
        return made


@contextmanager
def located(drive: Design, work: Workload) -> Iterator[None]:
    """Errors about what a drive cannot do for a workload name the file and line of their key."""
    try:
        yield
    except ConfigError as error:
        found = _ABOUT_KEY.fullmatch(str(error))
        if found is None:
            raise
        flow, key, what = found.groups()
        names = [each["name"] for each in work.to_dict()["flow"]]
        if flow in names:
            key = f"flow.{names.index(flow)}.{key}"
        told = drive.located(key, what) or work.located(key, what)
        raise ConfigError(told or str(error)) from None


_ABOUT_KEY = re.compile(r'(?:flow "([^"]*)": )?([a-z0-9_.]+): (.+)', re.DOTALL)


def design(source: str | os.PathLike[str], /, **overrides: Any) -> Design:
    """A drive from a preset's name or a TOML file, with some keys changed. Warns of keys without effect.

    Parameters
    ----------
    source
        A preset's name (`canaletto presets` lists them), or the path of a TOML file.
    overrides
        Values by key, nested keys with dots, as in `canaletto schema design`; `fabric` is short for `fabric.kind`.
        Quantities are text with a unit: `**{"flash.read": "10us", "geometry.channels": 16}`.

    Returns
    -------
    Design
        With every default spelt out.

    Raises
    ------
    ConfigError
        For an unknown preset or key, or a value that is not allowed.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import canaletto as cn
    >>> cn.design("cost-optimized", fabric="bus", **{"flash.read": "10us"})
    <design cost-optimized>
    """
    made = resolve_design(os.fspath(source), keyword_settings(overrides))
    for note in made.notes:
        warnings.warn(note, stacklevel=2)
    return made


def quiet_design(source: str | os.PathLike[str], /, **overrides: Any) -> Design:
    return resolve_design(os.fspath(source), keyword_settings(overrides))


def resolve_design(label: str, settings: list[Setting]) -> Design:
    text = None
    if label not in names.presets():
        if _means_file(label):
            text = read_text(label)
        elif label in plugins.names("preset"):
            text = plugins.load("preset", label)
    return Design._resolved(label, text, settings)


_TYPES: tuple[tuple[str, Any, str], ...] = (
    ("read", Mapping, "a table of the keys of flow.trace.read"),
    ("as_fast_as_possible", bool, "true or false"),
    ("job", str | None, "names of jobs, separated by commas"),
)


@dataclass(frozen=True)
class WorkloadOptions:
    requests: int | None = None
    queue_depth: int | None = None
    inter_arrival: str | None = None
    speed: float | None = None
    as_fast_as_possible: bool = False
    after: str | None = None
    until: str | None = None
    skip: int | None = None
    every: int | None = None
    sample: float | None = None
    repeat: int | None = None
    out_of_range: str | None = None
    devices: str | None = None
    trace_format: str | None = None
    read: Mapping[str, Any] = field(default_factory=dict)
    job: str | None = None
    design: Design | None = None

    def check(self) -> None:
        _check_choice("out_of_range", self.out_of_range, OUT_OF_RANGE)
        _check_choice("devices", self.devices, DEVICES)
        for key, kind, wanted in _TYPES:
            if not isinstance(getattr(self, key), kind):
                raise ConfigError(f"{key}: got {getattr(self, key)!r}, expected {wanted}")
        counts = {"requests": 1, "queue_depth": 1, "skip": 0, "every": 1, "repeat": 1}
        for name, least in counts.items():
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least, 2**63 - 1)
        for key, most in (("speed", 1_000_000), ("sample", 1)):
            if getattr(self, key) is not None:
                _check_positive(key, getattr(self, key), most)
        paces = ["queue_depth", "as_fast_as_possible", "speed", "inter_arrival"]
        given = [name for name in paces if getattr(self, name) not in (None, False)]
        if len(given) > 1:
            raise ConfigError(f"{given[0]} and {given[1]}: both given, expected one of them")

    def of_traces(self) -> dict[str, Any]:
        names = ("out_of_range", "devices", "after", "until", "skip", "every", "sample", "repeat")
        found = {name: getattr(self, name) for name in names} | {"format": self.trace_format}
        given = {key: value for key, value in found.items() if value is not None}
        return given | ({"read": dict(self.read)} if self.read else {})

    def of_streams(self) -> dict[str, Any]:
        if self.as_fast_as_possible:
            return {"as_fast_as_possible": True}
        return {} if self.speed is None else {"speed": self.speed}


def workload(
    source: str | os.PathLike[str],
    /,
    *,
    requests: int | None = None,
    queue_depth: int | None = None,
    inter_arrival: str | None = None,
    speed: float | None = None,
    as_fast_as_possible: bool = False,
    after: str | None = None,
    until: str | None = None,
    skip: int | None = None,
    every: int | None = None,
    sample: float | None = None,
    repeat: int | None = None,
    out_of_range: str | None = None,
    devices: str | None = None,
    trace_format: str | None = None,
    read: Mapping[str, Any] | None = None,
    job: str | None = None,
    design: Design | None = None,
    **overrides: Any,
) -> Workload:
    """A workload from a profile's name, a TOML file, a fio job file (.fio) or a trace of any known format (others).

    Arrivals are given by at most one of `queue_depth`, `inter_arrival`, `speed` and
    `as_fast_as_possible`. Of a trace, first `skip`, then `every` or `sample`, then `repeat` decide which requests are
    replayed.

    Parameters
    ----------
    source
        A profile's name (`canaletto presets` lists them), or a file's path.
    requests
        Largest number of requests of each flow.
    queue_depth
        Closed loop: this many requests of each flow are always outstanding, and arrival times are ignored.
    inter_arrival
        Mean time between two arrivals, such as "5us", to which the times of all open-loop flows are scaled.
    speed
        How many times as fast as recorded traces arrive.
    as_fast_as_possible
        Whether traces wait for room in the submission queue only.
    after, until
        Times after the first request, such as "90s", between which requests are replayed.
    skip
        Number of first requests to leave out.
    every
        Only one of that many requests.
    sample
        Share, from 0 to 1, of requests that are drawn at random.
    repeat
        Number of times that the selection is replayed.
    out_of_range
        Treatment of addresses beyond the drive: "refuse" (the default), "wrap" or "fit".
    devices
        Meaning of a trace's device numbers: "ignore" (the default) or "offset".
    trace_format
        Format of the trace; by default found from its content.
    read
        How the trace's lines are read: the keys of `flow.trace.read`, such as `{"on_error": "skip"}`.
    job
        Of a fio job file, the names of the jobs that are taken, separated by commas. Needed where jobs run one after
        another (`stonewall`).
    design
        The drive whose size fio jobs without a size have.
    overrides
        Values by key, as in `canaletto schema workload`; those of the only flow need no `flow.0.synthetic.` before
        them.

    Returns
    -------
    Workload
        With every default spelt out.

    Raises
    ------
    ConfigError
        For an unknown profile or key, or a value that is not allowed.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import canaletto as cn
    >>> cn.workload("hm_0", requests=500, queue_depth=16)
    <workload hm_0>
    """
    options = WorkloadOptions(
        requests=requests,
        queue_depth=queue_depth,
        inter_arrival=inter_arrival,
        speed=speed,
        as_fast_as_possible=as_fast_as_possible,
        after=after,
        until=until,
        skip=skip,
        every=every,
        sample=sample,
        repeat=repeat,
        out_of_range=out_of_range,
        devices=devices,
        trace_format=trace_format,
        read=read or {},
        job=job,
        design=design,
    )
    made = resolve_workload(os.fspath(source), keyword_settings(overrides), options)
    if made.notes:
        warnings.warn(f"{made.label}: {'; '.join(made.notes)}", stacklevel=2)
    return made


def resolve_workload(label: str, settings: list[Setting], options: WorkloadOptions) -> Workload:
    options.check()
    return shaped(_load_workload(label, settings, options), options)


def shaped(made: Workload, options: WorkloadOptions) -> Workload:
    if options == WorkloadOptions(job=options.job, design=options.design):
        return made
    label = made.label
    for_traces = options.of_traces() | options.of_streams()
    if for_traces and not made.traces():
        given = ", ".join(f"{key} = {option}" for key, option in for_traces.items())
        raise ConfigError(f"{label}: got {given}, expected a workload that replays a trace: this one does not")
    document = made._stated()
    if options.inter_arrival is not None:
        document["inter_arrival"] = options.inter_arrival
    elif options.queue_depth is not None:
        document.pop("inter_arrival", None)
    for flow in document["flow"]:
        _shape_flow(flow, options)
    with _without_lines(label):
        found = Workload.from_toml(_toml.dumps(document), label)
    found.notes, found._given = made.notes, made._given
    return found


def keyword_settings(overrides: Mapping[str, Any]) -> list[Setting]:
    spelt = {FABRIC if key == "fabric" else key: given for key, given in overrides.items()}
    texts = [f"{key}={_spelt(key, given)}" for key, given in spelt.items()]
    return [Setting(text, "", text) for text in texts]


def _spelt(key: str, given: Any) -> str:
    try:
        return _toml.bare(given)
    except TypeError as error:
        raise ConfigError(f"{key}: {error}") from None


def read_text(path: str) -> str:
    check_text(path)
    with awaiting_writers([path]), open(path, "rb") as file:
        content = file.read(MAX_CONFIG_BYTES + 1)
    if len(content) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_CONFIG_BYTES >> 20} MiB, the most a configuration file may have")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}:{line}: byte 0x{content[error.start]:02x} is not UTF-8 text, expected a configuration file"
        ) from None


def _load_workload(label: str, settings: list[Setting], options: WorkloadOptions) -> Workload:
    if options.job is not None and not label.endswith(".fio"):
        raise ConfigError(f"{label}: got job = {options.job}, expected a fio job file (.fio) with it")
    if label in names.profiles() or not _means_file(label):
        return Workload._resolved(label, None, settings)
    if label.endswith(".toml"):
        read = Workload._resolved(label, read_text(label), settings)
        found = Workload(_with_absolute_traces(read._toml, Path(label).parent), label)
        found._given = read._given
        return found
    if label.endswith(".fio"):
        from canaletto._io import fio

        design = options.design
        drive = None if design is None else fio.Target(partial(_logical_bytes, design), partial(_zones, design))
        text, notes = fio.workload(read_text(label), label, job=options.job, drive=drive)
        with _without_lines(label):
            made = Workload(Workload._resolved(label, text, settings)._toml, label)
        made.notes = tuple(notes)
        return made
    check_text(label)
    if not Path(label).is_fifo():  # Opened and closed again, a pipe would lose its writer.
        with open(label, "rb"):  # the system's own word if it is missing, forbidden or a folder
            pass
    name = trace_name(label)
    flow = {"name": name, "trace": {"file": _absolute(label)}}
    with _without_lines(label):
        made = Workload._resolved(label, _toml.dumps({"name": name, "flow": [flow]}), settings)
    made._given = None
    return made


@contextmanager
def _without_lines(label: str) -> Iterator[None]:
    """Errors about a text that was made for `label`, whose lines nobody has seen."""
    try:
        yield
    except ConfigError as error:
        place = re.compile(rf"^{re.escape(label)}:\d+:", re.MULTILINE)
        raise ConfigError(place.sub(lambda _: f"{label}:", str(error))) from None


def _logical_bytes(drive: Design) -> int:
    any_work = Workload._resolved("mixed", _toml.dumps(_ANY_WORK), [])
    return int(json.loads(_engine.inspect(drive.to_toml(), any_work.to_toml(), False, False))["logical_bytes"])


def _zones(drive: Design) -> "Zones | None":
    from canaletto._io import fio_zones
    from canaletto._run.quantities import size_bytes

    keys = drive.to_dict()
    zns, geometry = keys["zns"], keys["geometry"]
    stripe, size, stated = zns["stripe"], int(size_bytes(zns["zone_size"])), int(size_bytes(zns["zone_capacity"]))
    if not size:
        return None
    dies = stripe["dies"] or geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"]
    pages = dies * (stripe["planes"] or geometry["planes_per_die"]) * geometry["pages_per_block"]
    capacity = stated or min(size, pages * int(size_bytes(geometry["page"])))
    count = None if keys.get("namespace") else _logical_bytes(drive) // size
    return fio_zones.Zones(size, capacity, count, zns["max_open"])


_ANY_WORK = {
    "name": "any",
    "flow": [{"name": "any", "synthetic": {"requests": 1, "read_share": 1.0, "size": "512B", "queue_depth": 1}}],
}


def trace_name(path: str) -> str:
    """A trace's file name without endings."""
    file = os.path.basename(path)
    name = file.removesuffix(".gz").removesuffix(".zst").removesuffix(".xz")
    return os.path.splitext(name)[0] or file


@lru_cache(maxsize=8)
def _read(toml: str) -> dict[str, Any]:
    return tomllib.loads(toml)


@lru_cache(maxsize=8)
def _spelt_out(kind: str, toml: str) -> str:
    return _engine.spelt_out(kind, toml)


def _with_absolute_traces(toml: str, folder: Path) -> str:
    document = tomllib.loads(toml)
    traces = [trace for flow in document["flow"] for trace in _traces_of(flow)]
    if all(os.path.isabs(trace["file"]) for trace in traces):
        return toml
    for trace in traces:
        trace["file"] = _absolute(folder / trace["file"])
    return _toml.dumps(document)


def _absolute(path: str | os.PathLike[str]) -> str:
    found = os.path.abspath(path)
    check_text(found)
    return found


def check_text(path: str | os.PathLike[str]) -> None:
    if "\0" in os.fspath(path):
        raise ConfigError(f"{os.fspath(path)!r}: got a name with a zero byte, expected one without")
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{os.fspath(path)}: got a name that is not UTF-8, expected one that is") from None


def _traces_of(flow: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [flow["trace"]] if "trace" in flow else list(flow["mix"]["trace"]) if "mix" in flow else []


def _shape_flow(flow: dict[str, Any], options: WorkloadOptions) -> None:
    for kind in ("synthetic", "trace", "mix"):
        if kind not in flow:
            continue
        stream = flow[kind]
        changed: dict[str, Any] = {} if options.requests is None else {"requests": options.requests}
        pace = {} if options.queue_depth is None else {"queue_depth": options.queue_depth}
        if kind != "synthetic":
            pace |= options.of_streams()
        if pace:
            for key in ("queue_depth", "as_fast_as_possible", "speed", *OPEN_LOOP):
                stream.pop(key, None)
            changed |= pace
        stream.update(changed)
        # Where the values came from that are now others.
        for key in (*changed, *OPEN_LOOP * bool(pace)):
            stream.get("origin", {}).pop(key, None)
    for trace in _traces_of(flow):
        given = options.of_traces()
        if "read" in given:
            given["read"] = trace.get("read", {}) | given["read"]
        for one, other in (("every", "sample"), ("sample", "every")):
            if one in given and other not in given:
                trace.pop(other, None)
        trace.update(given)


def check_whole(name: str, given: object, least: int, most: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise ConfigError(f"{name}: got {given!r}, expected a whole number from {least} to {most}")


def _check_positive(name: str, given: object, most: float) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= most:
        raise ConfigError(f"{name}: got {given!r}, expected a number above 0, up to {most}")


def _check_choice(key: str, given: str | None, allowed: tuple[str, ...]) -> None:
    if given is not None and given not in allowed:
        raise ConfigError(f"{key}: got {given!r}, expected one of {', '.join(allowed)}")


def _means_file(label: str) -> bool:
    return os.path.exists(label) or os.sep in label or bool(os.path.splitext(label)[1])
