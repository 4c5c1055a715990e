"""Designs and workloads: what is simulated and what it is asked to do.

Both hold their full configuration as TOML text in which every default is spelt out, so that what ran can be read,
frozen and repeated.
"""

import os
import tomllib
import warnings
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Self

from canaletto import _engine, _toml, names
from canaletto._engine import ConfigError

MAX_CONFIG_BYTES = 16 << 20
"""A configuration file larger than this is refused: it is something else, most likely a trace."""

BEYOND = ("refuse", "wrap", "fit")
DEVICES = ("ignore", "offset")
OPEN_LOOP = ("inter_arrival", "burstiness", "burst_share", "on", "off", "diurnal")
"""Keys of a generated flow that say when requests arrive."""


class Config:
    """A resolved configuration. Values are never changed in place: `set` returns a new one."""

    _kind = "configuration"

    def __init__(self, toml: str, label: str) -> None:
        self._toml = toml
        self._label = label

    @property
    def name(self) -> str:
        """The name that results carry."""
        return str(self.to_dict()["name"])

    def set(self, **overrides: Any) -> Self:
        """A copy with some keys changed: `d.set(fabric="bus", **{"flash.read": "10us"})`.

        Raises ConfigError for an unknown key or a value that is not allowed.
        """
        return type(self)(self._resolve(self._label, self._toml, override_list(overrides)), self._label)

    def to_toml(self) -> str:
        """The full configuration as TOML."""
        return self._toml

    def to_dict(self) -> dict[str, Any]:
        """The full configuration as plain dictionaries and lists."""
        return tomllib.loads(self._toml)

    @property
    def label(self) -> str:
        """Where it came from: the name or path that was given."""
        return self._label

    @classmethod
    def from_toml(cls, text: str, label: str) -> Self:
        """From a file's text; `label` names it in errors."""
        return cls(cls._resolve(label, text, []), label)

    @staticmethod
    def _resolve(label: str, text: str | None, overrides: list[str]) -> str:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Config) and other._toml == self._toml

    def __hash__(self) -> int:
        return hash(self._toml)

    def __repr__(self) -> str:
        return f"<{self._kind} {self.name}>"

    def _repr_html_(self) -> str:
        document = self.to_dict()
        about = escape(str(document.get("about", "")))
        return (
            f"<details><summary><b>{escape(self.name)}</b> ({self._kind}) {about}</summary>"
            f"<pre>{escape(self._toml)}</pre></details>"
        )


class Design(Config):
    """A drive, its host link and everything in it."""

    _kind = "design"

    @property
    def fabric(self) -> str:
        """The interconnect's name."""
        return str(self.to_dict()["fabric"]["kind"])

    @staticmethod
    def _resolve(label: str, text: str | None, overrides: list[str]) -> str:
        return _engine.resolve_design(label, text, overrides)


class Workload(Config):
    """The flows of requests that a drive serves."""

    _kind = "workload"
    notes: tuple[str, ...] = ()
    """What of a fio job file is not as in fio, or of no effect."""

    def traces(self) -> list[str]:
        """The trace files it replays, in the order of its flows."""
        return [flow["trace"]["file"] for flow in self.to_dict()["flow"] if "trace" in flow]

    @staticmethod
    def _resolve(label: str, text: str | None, overrides: list[str]) -> str:
        return _engine.resolve_workload(label, text, overrides)


def design(source: str | os.PathLike[str], /, **overrides: Any) -> Design:
    """A drive from a preset's name or a TOML file, with some keys changed.

    Keys are those of `canaletto schema design`, nested ones with dots: `design("cost-optimized", fabric="bus",
    **{"flash.read": "10us", "geometry.channels": 16})`. Quantities are text with a unit.

    Raises ConfigError for an unknown preset or key or a value that is not allowed, OSError if the file cannot be read.
    """
    label = os.fspath(source)
    return resolve_design(label, override_list(overrides))


def resolve_design(label: str, overrides: list[str]) -> Design:
    """As `design`, with the overrides as `key=value` texts."""
    is_name = label in names.presets() or not _means_file(label)
    return Design(Design._resolve(label, None if is_name else read_text(label), overrides), label)


def workload(
    source: str | os.PathLike[str],
    /,
    *,
    requests: int | None = None,
    queue_depth: int | None = None,
    beyond: str | None = None,
    devices: str | None = None,
    trace_format: str | None = None,
    read: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> Workload:
    """A workload from a profile's name, a TOML file, a fio job file (.fio) or a trace of any known format (others).

    requests: at most this many requests of each flow. queue_depth: closed loop, this many requests of each flow are
    always outstanding and arrival times are ignored. beyond: what to do with addresses beyond the drive: "refuse" (the
    default), "wrap" or "fit". devices: what a trace's device numbers mean: "ignore" (the default) or "offset".
    trace_format: the trace's format, found out from its content by default. read: how its lines are read, the keys of
    `flow.trace.read`, such as `{"on_error": "skip"}`. Further keys are those of `canaletto schema workload`.

    Raises ConfigError for an unknown profile or key or a value that is not allowed, OSError if a file cannot be read.
    """
    made = resolve_workload(
        os.fspath(source),
        override_list(overrides),
        requests=requests,
        queue_depth=queue_depth,
        beyond=beyond,
        devices=devices,
        trace_format=trace_format,
        read=dict(read or {}),
    )
    if made.notes:
        warnings.warn(f"{made.label}: {'; '.join(made.notes)}", stacklevel=2)
    return made


def resolve_workload(
    label: str,
    overrides: list[str],
    *,
    requests: int | None,
    queue_depth: int | None,
    beyond: str | None,
    devices: str | None,
    trace_format: str | None,
    read: dict[str, Any] | None = None,
) -> Workload:
    """As `workload`, with the overrides as `key=value` texts."""
    _check_choice("beyond", beyond, BEYOND)
    _check_choice("devices", devices, DEVICES)
    for name, number in (("requests", requests), ("queue_depth", queue_depth)):
        if number is not None:
            check_whole(name, number, 1, 2**63 - 1)
    made = _load_workload(label, overrides)
    options = {"beyond": beyond, "devices": devices, "format": trace_format}
    trace_options: dict[str, Any] = {key: given for key, given in options.items() if given is not None}
    if read:
        trace_options["read"] = read
    if not trace_options and requests is None and queue_depth is None:
        return made
    if trace_options and not made.traces():
        given = ", ".join(f"{key} = {option}" for key, option in trace_options.items())
        raise ConfigError(f"{label}: got {given}, expected a workload that replays a trace: this one does not")
    document = made.to_dict()
    for flow in document["flow"]:
        _shape_flow(flow, requests, queue_depth, trace_options)
    shaped = Workload.from_toml(_toml.dumps(document), label)
    shaped.notes = made.notes
    return shaped


def override_list(overrides: Mapping[str, Any]) -> list[str]:
    """Keyword overrides as the engine's `key=value` texts. `fabric="bus"` is short for the key `fabric.kind`."""
    spelt = {"fabric.kind" if key == "fabric" else key: given for key, given in overrides.items()}
    return [f"{key}={given if isinstance(given, str) else _toml.value(given)}" for key, given in spelt.items()]


def read_text(path: str) -> str:
    """A configuration file's text.

    Raises OSError if it cannot be read, ConfigError if it is not UTF-8 text of a sensible size.
    """
    with open(path, "rb") as file:
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


def _load_workload(label: str, overrides: list[str]) -> Workload:
    if label in names.profiles() or not _means_file(label):
        return Workload(Workload._resolve(label, None, overrides), label)
    if label.endswith(".toml"):
        toml = Workload._resolve(label, read_text(label), overrides)
        return Workload(_with_absolute_traces(toml, Path(label).parent), label)
    if label.endswith(".fio"):
        from canaletto import fio

        text, notes = fio.workload(read_text(label), label)
        made = Workload(Workload._resolve(f"{label} as a workload", text, overrides), label)
        made.notes = tuple(notes)
        return made
    with open(label, "rb"):  # the system's own word if it is missing, forbidden or a folder
        pass
    name = trace_name(label)
    flow = {"name": name, "trace": {"file": os.path.abspath(label)}}
    toml = Workload._resolve(label, _toml.dumps({"name": name, "flow": [flow]}), overrides)
    return Workload(toml, label)


def trace_name(path: str) -> str:
    """A trace's name: that of its file without the endings for compression and format."""
    file = os.path.basename(path)
    name = file.removesuffix(".gz").removesuffix(".zst").removesuffix(".xz")
    return os.path.splitext(name)[0] or file


def _with_absolute_traces(toml: str, folder: Path) -> str:
    """Trace paths in a workload file are relative to its folder; resolved, they mean the same from everywhere."""
    document = tomllib.loads(toml)
    traces = [flow["trace"] for flow in document["flow"] if "trace" in flow]
    if all(os.path.isabs(trace["file"]) for trace in traces):
        return toml
    for trace in traces:
        trace["file"] = os.path.abspath(folder / trace["file"])
    return _toml.dumps(document)


def _shape_flow(
    flow: dict[str, Any], requests: int | None, queue_depth: int | None, trace_options: dict[str, Any]
) -> None:
    for kind in ("synthetic", "trace"):
        if kind not in flow:
            continue
        part = flow[kind]
        if requests is not None:
            part["requests"] = requests
        if queue_depth is not None:
            part["queue_depth"] = queue_depth
            for key in OPEN_LOOP:
                part.pop(key, None)
        # Where the values came from that are now others.
        changed = ["requests"] * (requests is not None) + ["queue_depth", *OPEN_LOOP] * (queue_depth is not None)
        for key in changed:
            part.get("origin", {}).pop(key, None)
    if "trace" in flow:
        part = flow["trace"]
        read = part.get("read", {}) | trace_options.get("read", {})
        part.update(trace_options | ({"read": read} if read else {}))


def check_whole(name: str, given: object, least: int, most: int) -> None:
    """Raises ConfigError unless `given` is a whole number in the range."""
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise ConfigError(f"{name}: got {given!r}, expected a whole number from {least} to {most}")


def _check_choice(key: str, given: str | None, allowed: tuple[str, ...]) -> None:
    if given is not None and given not in allowed:
        raise ConfigError(f"{key}: got {given!r}, expected one of {', '.join(allowed)}")


def _means_file(label: str) -> bool:
    """Whether a word that is no known name means a file: one that exists, or that is spelt like a path."""
    return os.path.exists(label) or os.sep in label or bool(os.path.splitext(label)[1])
