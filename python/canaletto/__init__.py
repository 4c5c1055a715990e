"""canaletto: a fast, exact, deterministic simulator of solid-state drives.

>>> import canaletto as cn
>>> r = cn.run(cn.design("performance-optimized"), cn.workload("hm_0"))
>>> r.latency_us.all.p99  # microseconds
>>> r.requests  # a Polars frame, one row a request
>>> r.blame  # latency by cause
>>> cn.compare("performance-optimized", "hm_0").verdict  # which fabric wins, by how much, and why
"""

from canaletto._engine import ConfigError, SimulationError, version
from canaletto.compare import Comparison, compare
from canaletto.config import Design, Workload, design, workload
from canaletto.opened import Tables, load
from canaletto.results import Fields, Result
from canaletto.search import Search, search
from canaletto.simulate import run
from canaletto.sweep import Sweep, sweep

__version__ = version()

__all__ = [
    "Comparison",
    "ConfigError",
    "Design",
    "Fields",
    "Result",
    "Search",
    "SimulationError",
    "Sweep",
    "Tables",
    "Workload",
    "__version__",
    "compare",
    "design",
    "load",
    "run",
    "search",
    "sweep",
    "workload",
]
