"""canaletto: a fast, exact, deterministic simulator of solid-state drives.

>>> import canaletto as cn
>>> r = cn.run(cn.design("performance-optimized"), cn.workload("hm_0"))
>>> r.latency_us.all.p99  # microseconds
>>> r.requests  # a Polars frame, one row a request
>>> r.blame  # latency by cause
>>> cn.compare("performance-optimized", "hm_0").verdict  # which fabric wins, by how much, and why
"""

from importlib import import_module
from typing import TYPE_CHECKING

from canaletto._engine import Completion, ConfigError, SimulationError, Transaction, Transfer, version
from canaletto._run import shown

if TYPE_CHECKING:
    from canaletto_extras.calibrating.calibration import Calibration, calibrate
    from canaletto_extras.searching.found import Search
    from canaletto_extras.searching.search import search

    from canaletto import attachments, bounds, result, traces
    from canaletto._bounding.bound import Bound, bound
    from canaletto._io.fields import Fields
    from canaletto._opened import Tables, load
    from canaletto._run.compare import Comparison, compare
    from canaletto._run.config import Design, Workload, design, workload
    from canaletto._run.drive import Drive
    from canaletto._run.explain import Explained, Explanation, explain
    from canaletto._run.fabric import Array, Fabric
    from canaletto._run.gc_policy import Candidates, GcPolicy
    from canaletto._run.results import Result
    from canaletto._run.running import run
    from canaletto._run.scheduler import Scheduler
    from canaletto._run.sequences import sequences
    from canaletto._run.simulate import inspect
    from canaletto._run.timeline import Timeline
    from canaletto._sweeping.sweep import Sweep, sweep


def _views() -> "shown.Views":
    from canaletto._report import views

    return views


shown.made_by = _views

__version__: str = version()

__all__ = [
    "Array",
    "Bound",
    "Calibration",
    "Candidates",
    "Comparison",
    "Completion",
    "ConfigError",
    "Design",
    "Drive",
    "Explained",
    "Explanation",
    "Fabric",
    "Fields",
    "GcPolicy",
    "Result",
    "Scheduler",
    "Search",
    "SimulationError",
    "Sweep",
    "Tables",
    "Timeline",
    "Transaction",
    "Transfer",
    "Workload",
    "__version__",
    "attachments",
    "bound",
    "bounds",
    "calibrate",
    "compare",
    "design",
    "explain",
    "inspect",
    "load",
    "result",
    "run",
    "search",
    "sequences",
    "sweep",
    "traces",
    "workload",
]

_LATER = {
    **dict.fromkeys(("Bound", "bound"), "canaletto._bounding.bound"),
    **dict.fromkeys(("Calibration", "calibrate"), "canaletto_extras.calibrating.calibration"),
    "Fields": "canaletto._io.fields",
    **dict.fromkeys(("Tables", "load"), "canaletto._opened"),
    **dict.fromkeys(("Comparison", "compare"), "canaletto._run.compare"),
    **dict.fromkeys(("Design", "Workload", "design", "workload"), "canaletto._run.config"),
    "Drive": "canaletto._run.drive",
    **dict.fromkeys(("Explained", "Explanation", "explain"), "canaletto._run.explain"),
    **dict.fromkeys(("Array", "Fabric"), "canaletto._run.fabric"),
    **dict.fromkeys(("Candidates", "GcPolicy"), "canaletto._run.gc_policy"),
    "Result": "canaletto._run.results",
    "run": "canaletto._run.running",
    "Scheduler": "canaletto._run.scheduler",
    "sequences": "canaletto._run.sequences",
    "inspect": "canaletto._run.simulate",
    "Timeline": "canaletto._run.timeline",
    **dict.fromkeys(("Sweep", "sweep"), "canaletto._sweeping.sweep"),
    "Search": "canaletto_extras.searching.found",
    "search": "canaletto_extras.searching.search",
}
"""Loaded when they are asked for."""

_MODULES = ("attachments", "bounds", "result", "traces")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"canaletto.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_LATER[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
