"""Options of trace replay and of arrivals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from canaletto._cli.help import ARRIVALS, TRACES, share, whole
from canaletto._cli.trace import Columns, Events, Job, OnError, SortWindow, TimeUnit, TraceFormat, reading

if TYPE_CHECKING:
    from canaletto._run.config import Design, WorkloadOptions

# Options of a closed loop or of arrival times.
QueueDepth = Annotated[
    int | None,
    typer.Option(
        parser=whole(1), metavar="N", help="Closed loop with N outstanding requests.", rich_help_panel=ARRIVALS
    ),
]
InterArrival = Annotated[
    str | None,
    typer.Option(
        metavar="T",
        help="Scale all times to a mean time T between arrivals, such as 5us.",
        rich_help_panel=ARRIVALS,
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(metavar="X", help="Replay traces X times as fast as recorded.", rich_help_panel=ARRIVALS),
]
AsFastAsPossible = Annotated[
    bool,
    typer.Option(
        "--as-fast-as-possible",
        help="Replay without arrival times, limited by the submission queue.",
        rich_help_panel=ARRIVALS,
    ),
]
Requests = Annotated[
    int | None,
    typer.Option(
        parser=whole(1),
        metavar="N",
        help="Largest number of requests of each flow, such as 20000 or 2e4.",
        rich_help_panel=ARRIVALS,
    ),
]

# Options of traces.
After = Annotated[
    str | None,
    typer.Option(metavar="T", help="Replay requests recorded at or after T, such as 90s.", rich_help_panel=TRACES),
]
Until = Annotated[
    str | None, typer.Option(metavar="T", help="Replay requests recorded before T.", rich_help_panel=TRACES)
]
Skip = Annotated[
    int | None,
    typer.Option(parser=whole(0), metavar="N", help="Skip the first N requests of the trace.", rich_help_panel=TRACES),
]
Every = Annotated[
    int | None,
    typer.Option(parser=whole(1), metavar="N", help="Replay one of every N requests.", rich_help_panel=TRACES),
]
Sample = Annotated[
    float | None,
    typer.Option(
        parser=share, metavar="X", help="Replay a random share of the requests, such as 3%.", rich_help_panel=TRACES
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option(parser=whole(1), metavar="N", help="Replay the selected requests N times.", rich_help_panel=TRACES),
]
Wrap = Annotated[
    bool,
    typer.Option("--wrap", help="Take addresses beyond the drive modulo its capacity.", rich_help_panel=TRACES),
]
Fit = Annotated[bool, typer.Option("--fit", help="Scale the trace's addresses to the drive.", rich_help_panel=TRACES)]
DeviceNumbers = Annotated[
    Literal["ignore", "offset"] | None,
    typer.Option(
        help="Device numbers of the trace: ignored (default), or concatenated address spaces.",
        rich_help_panel=TRACES,
    ),
]


@dataclass(frozen=True)
class ReplayOptions:
    """Options of arrivals and traces, which `run` and `compare` take."""

    queue_depth: QueueDepth = None
    inter_arrival: InterArrival = None
    speed: Speed = None
    as_fast_as_possible: AsFastAsPossible = False
    requests: Requests = None
    after: After = None
    until: Until = None
    skip: Skip = None
    every: Every = None
    sample: Sample = None
    repeat: Repeat = None
    wrap: Wrap = False
    fit: Fit = False
    devices: DeviceNumbers = None
    trace_format: TraceFormat = None
    on_error: OnError = None
    sort_window: SortWindow = None
    events: Events = None
    columns: Columns = None
    time_unit: TimeUnit = None
    job: Job = None

    def asked(self, drive: "Design") -> "WorkloadOptions":
        """The same for a workload of a drive. Raises ConfigError if both `--wrap` and `--fit` are given."""
        from canaletto._engine import ConfigError
        from canaletto._run.config import WorkloadOptions

        if self.wrap and self.fit:
            raise ConfigError("--wrap and --fit: both given, expected one of them")
        of_trace = ("wrap", "fit", "on_error", "sort_window", "events", "columns", "time_unit")
        return WorkloadOptions(
            **{name: given for name, given in vars(self).items() if name not in of_trace},
            out_of_range="wrap" if self.wrap else "fit" if self.fit else None,
            read=reading(self.on_error, self.sort_window, self.events, self.columns, self.time_unit),
            design=drive,
        )
