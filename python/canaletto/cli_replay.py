"""Options of trace replay and of arrivals."""

from typing import Annotated, Literal

import typer

QueueDepth = Annotated[int | None, typer.Option(min=1, metavar="N", help="Closed loop with N outstanding requests.")]
InterArrival = Annotated[
    str | None,
    typer.Option(metavar="T", help="Scale all times to a mean time T between arrivals, such as 5us."),
]
Speed = Annotated[float | None, typer.Option(metavar="X", help="Replay traces X times as fast as recorded.")]
AsFastAsPossible = Annotated[
    bool, typer.Option("--as-fast-as-possible", help="Replay without arrival times, limited by the submission queue.")
]
Requests = Annotated[int | None, typer.Option(min=1, metavar="N", help="Largest number of requests of each flow.")]
After = Annotated[str | None, typer.Option(metavar="T", help="Replay requests recorded at or after T, such as 90s.")]
Until = Annotated[str | None, typer.Option(metavar="T", help="Replay requests recorded before T.")]
Skip = Annotated[int | None, typer.Option(min=0, metavar="N", help="Skip the first N requests of the trace.")]
Every = Annotated[int | None, typer.Option(min=1, metavar="N", help="Replay one of every N requests.")]
Sample = Annotated[float | None, typer.Option(metavar="X", help="Replay a random share X of the requests.")]
Repeat = Annotated[int | None, typer.Option(min=1, metavar="N", help="Replay the selected requests N times.")]
Wrap = Annotated[bool, typer.Option("--wrap", help="Take addresses beyond the drive modulo its capacity.")]
Fit = Annotated[bool, typer.Option("--fit", help="Scale the trace's addresses to the drive.")]
DeviceNumbers = Annotated[
    Literal["ignore", "offset"] | None,
    typer.Option(help="Device numbers of the trace: ignored (default), or concatenated address spaces."),
]


def out_of_range(*, wrap: bool, fit: bool) -> str | None:
    """Treatment of addresses beyond the drive. Raises ConfigError if both `--wrap` and `--fit` are given."""
    from canaletto import ConfigError

    if wrap and fit:
        raise ConfigError("--wrap and --fit: both given, expected one of them")
    return "wrap" if wrap else "fit" if fit else None
