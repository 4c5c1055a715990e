"""The options with which commands replay traces and pace their workloads."""

from typing import Annotated, Literal

import typer

QueueDepth = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Closed loop: N requests are always outstanding.")
]
InterArrival = Annotated[
    str | None,
    typer.Option(metavar="T", help="Scale all times so that T, such as 5us, lies between two arrivals on average."),
]
Speed = Annotated[float | None, typer.Option(metavar="X", help="Replay traces X times as fast as recorded.")]
AsFastAsPossible = Annotated[
    bool, typer.Option("--as-fast-as-possible", help="Trace requests wait for room in the submission queue only.")
]
Requests = Annotated[int | None, typer.Option(min=1, metavar="N", help="At most N requests of each flow.")]
After = Annotated[str | None, typer.Option(metavar="T", help="Replay only what was recorded from T, such as 90s, on.")]
Until = Annotated[str | None, typer.Option(metavar="T", help="Replay only what was recorded before T.")]
Skip = Annotated[int | None, typer.Option(min=0, metavar="N", help="Leave out the trace's first N requests.")]
Every = Annotated[int | None, typer.Option(min=1, metavar="N", help="Replay one of every N requests.")]
Sample = Annotated[float | None, typer.Option(metavar="X", help="Replay a random share X of the requests.")]
Repeat = Annotated[int | None, typer.Option(min=1, metavar="N", help="Replay the trace, or what is left, N times.")]
Wrap = Annotated[bool, typer.Option("--wrap", help="Trace addresses beyond the drive start over at 0.")]
Fit = Annotated[bool, typer.Option("--fit", help="Scale the trace's addresses to the drive.")]
DeviceNumbers = Annotated[
    Literal["ignore", "concatenate"] | None,
    typer.Option(help="The trace's device numbers: of no meaning (default), or devices that lie end to end."),
]


def out_of_range(*, wrap: bool, fit: bool) -> str | None:
    """What is to become of addresses beyond the drive. Raises ConfigError if both ways are asked for."""
    from canaletto import ConfigError

    if wrap and fit:
        raise ConfigError("--wrap and --fit: both given, expected one of them")
    return "wrap" if wrap else "fit" if fit else None
