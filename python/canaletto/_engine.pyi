"""The native module: the engine behind text and buffers. Private; `canaletto` is the interface.

Structured data crosses as TOML or JSON text. Columns are raw little-endian buffers: name -> (type, bytes) with types
`u8`, `u16`, `u32`, `u64`, `i64`, `f64`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

_Columns: TypeAlias = dict[str, tuple[str, bytes]]
_Progress: TypeAlias = Callable[[int, int, int], object]

MOST_DEVICES: int

class ConfigError(ValueError): ...
class SimulationError(RuntimeError): ...

def version() -> str: ...
def presets() -> str: ...
def profiles() -> str: ...
def fabrics() -> str: ...
def schema(kind: str) -> str: ...
def resolve_design(name: str, text: str | None, settings: Sequence[tuple[str, str, str]]) -> tuple[str, list[str]]: ...
def resolve_workload(name: str, text: str | None, settings: Sequence[tuple[str, str, str]]) -> str: ...
def located(
    kind: str, name: str, text: str | None, settings: Sequence[tuple[str, str, str]], key: str, what: str
) -> str | None: ...
def spelt_out(kind: str, text: str) -> str: ...
def sequences(design_toml: str) -> str: ...
def resolve_pc(name: str, text: str, overrides: list[str]) -> str: ...
def simulate_pc(pc_toml: str, scenario: str, bytes: int) -> str: ...
def available_memory() -> int | None: ...
def inspect(design_toml: str, workload_toml: str, records: bool, look: bool) -> str: ...
def chip_shares(design_toml: str, workload_toml: str) -> list[float]: ...
def run(
    design_toml: str,
    workload_toml: str,
    options_json: str,
    progress: _Progress | None,
    rows: Callable[[_Columns], object] | None = None,
    parts: object | None = None,
) -> tuple[str, _Columns]: ...
def timeline(
    design_toml: str, workload_toml: str, options_json: str, progress: _Progress | None, parts: object | None = None
) -> tuple[str, _Columns, _Columns, _Columns]: ...
def mqsim(
    device_label: str,
    device_xml: str,
    workload_label: str,
    workload_xml: str,
    base_dir: str,
    settings: list[str],
    ignore_unknown: bool,
    options_json: str,
    progress: _Progress | None,
) -> tuple[list[tuple[str, _Columns]], list[list[str]], list[str], list[str]]: ...
def hash_trace(path: str) -> str: ...
def trace_formats() -> str: ...
def survey_trace(path: str, format: str | None, read_json: str, design_toml: str | None) -> str: ...
def survey_workload(workload_toml: str, design_toml: str | None, seed: int) -> str: ...
def fit_trace(
    path: str, format: str | None, read_json: str, name: str, about: str, design_toml: str | None
) -> tuple[str, str]: ...
def convert_trace(path: str, format: str | None, read_json: str, out: str, name: str, to: str, rounds: bool) -> str: ...

class TraceBatches(Iterator[_Columns]):
    """Columns `arrival_ns`, `device`, `offset_bytes`, `bytes`, `kind`, a batch of requests at a time."""

    format: str
    def __next__(self) -> _Columns: ...
    def lines(self) -> str: ...

def read_trace(path: str, format: str | None, read_json: str) -> TraceBatches: ...

class Transfer:
    """Transfer that waits for a way over a `Fabric`."""

    id: int
    """Names it, from its request until it has crossed."""
    chip: tuple[int, int]
    """Place of its chip: row and column."""
    from_chip: bool
    """Whether data come from the chip: the result of a read."""
    wire_ns: float
    """Time that it takes its links, in nanoseconds."""
    since_ns: float
    """Simulated time at which it began to wait, in nanoseconds."""

class Transaction:
    """Transaction that waits for its LUN under a `Scheduler`."""

    id: int
    """Names it: its number in the order of arrival."""
    kind: str
    """Operation: `"read"`, `"program"` or `"erase"`."""
    work: str
    """Work that it is done for: `"host"`, `"cache"`, `"gc"` or `"mapping"`."""
    flow: int | None
    """Number of the flow whose page it is; none for what the drive does for itself."""
    priority: int
    """Priority class of that flow, from 0, urgent, to 3, low."""
    lun: int
    """Number of the LUN that it waits for."""
    plane: int
    """Number of its plane."""
    bytes: int
    """Data that cross to or from the chip, in bytes."""
    since_ns: float
    """Simulated time at which it came to its LUN, in nanoseconds."""
    began_ns: float
    """Simulated time at which its request arrived, in nanoseconds."""
    service_ns: float
    """Time for which it will occupy its LUN, as expected, in nanoseconds."""

class Completion:
    """Request that a `Drive` has completed."""

    tag: int
    """Tag with which it was submitted."""
    status: int
    """Status code of NVM Express with which it was completed; 0 is success."""
    failed: bool
    """Whether it was completed with an error status."""
    lba: int
    """First sector; of an append, the one that it was given."""
    arrival_ps: int
    """Simulated time at which the host wanted it, in picoseconds."""
    enqueued_ps: int
    """Simulated time at which it entered the submission queue, in picoseconds."""
    completed_ps: int
    """Simulated time at which the host had dealt with its completion, in picoseconds."""
    latency_ps: int
    """Time from arrival to completion, in picoseconds."""
    blame_ps: dict[str, int]
    """Where that time went: picoseconds by cause, for the causes that took any."""

    def __init__(
        self,
        tag: int,
        status: int,
        lba: int,
        arrival_ps: int,
        enqueued_ps: int,
        completed_ps: int,
        blame_ps: Mapping[str, int],
    ) -> None: ...

class Drive:
    def __init__(self, design_toml: str, workload_toml: str | None, seed: int) -> None: ...
    sectors: int
    now_ps: int
    outstanding: int
    next_event_ps: int | None
    def submit(
        self, operation: str, lba: int, sectors: int, fua: bool, handle: int | None, tag: int, at_ps: int | None
    ) -> None: ...
    def submit_many(self, at_ps: bytes, operations: bytes, lbas: bytes, sectors: bytes, tags: bytes) -> None: ...
    def advance_to(self, until_ps: int) -> None: ...
    def next_completion(self, limit_ps: int | None) -> Completion | None: ...
    def take(self) -> _Columns: ...
    def results(self) -> str: ...
    def snapshot(self) -> bytes: ...
    @staticmethod
    def restore(bytes: bytes) -> tuple[Drive, str]: ...

class Server:
    """A simulated drive that is served over NBD until it is stopped. There is none on Windows."""

    bytes: int
    port: int | None
    def __init__(self, design_toml: str, options_json: str) -> None: ...
    def wait(self, seconds: float) -> bool: ...
    def stop(self) -> str: ...
