"""Options of trace replay and of arrivals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from canaletto._cli.help import ARRIVALS, TRACES, describe_all, share, whole
from canaletto._cli.trace import Columns, Events, Job, OnError, SortWindow, TimeUnit, TraceFormat, reading

if TYPE_CHECKING:
    from canaletto._run.config import Design, WorkloadOptions

# Options of a closed loop or of arrival times.
QueueDepth = Annotated[
    int | None,
    typer.Option(parser=whole(1), metavar="N", help="Closed loop: keep N requests outstanding per flow."),
]
InterArrival = Annotated[
    str | None,
    typer.Option(
        metavar="T",
        help="Scale arrival times to a mean of T between arrivals, such as 5us.",
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
        help="Ignore arrival times: submit whenever the queue has room.",
        rich_help_panel=ARRIVALS,
    ),
]
Requests = Annotated[
    int | None,
    typer.Option(
        parser=whole(1),
        metavar="N",
        help="Simulate N requests per flow, such as 20000 or 2e4. A trace may have fewer.",
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
    typer.Option(parser=whole(0), metavar="N", help="Skip the first N requests.", rich_help_panel=TRACES),
]
Every = Annotated[
    int | None,
    typer.Option(parser=whole(1), metavar="N", help="Replay every Nth request.", rich_help_panel=TRACES),
]
Sample = Annotated[
    float | None,
    typer.Option(
        parser=share, metavar="X", help="Replay a random share of requests, such as 3%.", rich_help_panel=TRACES
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option(parser=whole(1), metavar="N", help="Replay the selected requests N times.", rich_help_panel=TRACES),
]
Wrap = Annotated[
    bool,
    typer.Option(
        "--wrap", help="Wrap addresses beyond the drive: take them modulo its capacity.", rich_help_panel=TRACES
    ),
]
Fit = Annotated[bool, typer.Option("--fit", help="Scale addresses to the drive's capacity.", rich_help_panel=TRACES)]
DeviceNumbers = Annotated[
    Literal["ignore", "offset"] | None,
    typer.Option(
        help="Several devices: ignore their numbers (default) or concatenate them (offset).",
        rich_help_panel=TRACES,
    ),
]


@dataclass(frozen=True)
class ReplayOptions:
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
    help_all: Annotated[
        bool, typer.Option("--help-all", is_eager=True, callback=describe_all, help="Describe all options.")
    ] = False

    def asked(self, drive: "Design") -> "WorkloadOptions":
        from canaletto._engine import ConfigError
        from canaletto._run.config import WorkloadOptions

        if self.wrap and self.fit:
            raise ConfigError("--wrap and --fit: both given, expected one of them")
        of_trace = ("wrap", "fit", "on_error", "sort_window", "events", "columns", "time_unit", "help_all")
        return WorkloadOptions(
            **{name: given for name, given in vars(self).items() if name not in of_trace},
            out_of_range="wrap" if self.wrap else "fit" if self.fit else None,
            read=reading(self.on_error, self.sort_window, self.events, self.columns, self.time_unit),
            design=drive,
        )
