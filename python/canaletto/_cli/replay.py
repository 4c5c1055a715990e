"""Options of trace replay and of arrivals."""

from typing import Annotated, Literal

import typer

from canaletto._cli.help import ARRIVALS, TRACES, share, whole

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


def out_of_range(*, wrap: bool, fit: bool) -> str | None:
    """Treatment of addresses beyond the drive. Raises ConfigError if both `--wrap` and `--fit` are given."""
    from canaletto._engine import ConfigError

    if wrap and fit:
        raise ConfigError("--wrap and --fit: both given, expected one of them")
    return "wrap" if wrap else "fit" if fit else None
