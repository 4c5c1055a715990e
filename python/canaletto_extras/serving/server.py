"""The server's life, and the run of its clients' requests."""

import ipaddress
import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from canaletto import _engine
from canaletto._engine import ConfigError, SimulationError
from canaletto._run import memory
from canaletto._run.config import Design, check_text
from canaletto._run.drive import LATEST_PS
from canaletto._run.timeline import time_ps

_LOOK_S = 0.05

_LARGEST_FACTOR = LATEST_PS // (3600 * 10**12)
"""Time must not end within the hour."""

_PORT_FORM = "an IP address and a port, such as 127.0.0.1:10809"


@dataclass(frozen=True)
class Options:
    """socket and listen: where; neither: a Unix socket in its own folder, for `command` only."""

    socket: Path | None = None
    listen: str | None = None
    remote: bool = False
    data: Path | None = None
    clock: str = "real"
    factor: float | None = None
    lose_power_at: str | None = None
    command: str | None = None
    seed: int = 1

    def check(self) -> None:
        if self.socket is not None and self.listen is not None:
            raise ConfigError("--socket and --listen: both given, expected one of them")
        if self.socket is None and self.listen is None and self.command is None:
            raise ConfigError("no place to serve at: expected --socket PATH, --listen ADDRESS:PORT or --run COMMAND")
        if self.remote and self.listen is None:
            raise ConfigError("--remote: given without --listen, which it is for")
        if (self.clock == "scaled") != (self.factor is not None):
            missing = "--clock scaled: given without --factor X"
            raise ConfigError(missing if self.factor is None else "--factor: given without --clock scaled")
        if self.factor is not None and not 1e-9 <= self.factor <= _LARGEST_FACTOR:
            raise ConfigError(
                f"--factor {self.factor:g}: expected a number from 1e-9 to {_LARGEST_FACTOR}, with which the 107 days "
                "that a simulation can hold last an hour"
            )
        for path in (self.socket, self.data):
            if path is not None:
                check_text(path)
        self.power_ps()
        self.address()

    def power_ps(self) -> int | None:
        if self.lose_power_at is None:
            return None
        label = f"--lose-power-at {self.lose_power_at}"
        return time_ps(self.lose_power_at, label, "a simulated time with its unit, such as 1.5ms")

    def address(self) -> str | None:
        """Refuses an address that other machines reach unless that is wanted."""
        if self.listen is None:
            return None
        host, _, port = self.listen.rpartition(":")
        host = "127.0.0.1" if host == "localhost" else host.removeprefix("[").removesuffix("]")
        try:
            found = ipaddress.ip_address(host)
            number = int(port)
        except ValueError:
            raise ConfigError(f"--listen {self.listen}: expected {_PORT_FORM}") from None
        if not 0 <= number < 2**16:
            raise ConfigError(f"--listen {self.listen}: got port {number}, expected 0 (any) to 65535")
        if not found.is_loopback and not self.remote:
            raise ConfigError(
                f"--listen {self.listen}: other machines reach this address, and NBD asks for no password; "
                "expected a loopback address such as 127.0.0.1, or --remote"
            )
        return f"[{found}]:{number}" if found.version == 6 else f"{found}:{number}"


def serve(
    design: Design, options: Options, trace: tuple[Path, str] | None, say: Callable[[str], object]
) -> dict[str, Any]:
    """Until Ctrl-C, the end of the command, or the loss of power.

    Returns statistics with the command's status. trace: a file for requests, and its final name. say: called with
    reports.
    """
    options.check()
    if not hasattr(_engine, "Server"):
        raise ConfigError("serve: needs a Unix system")
    resolved = design.to_dict()
    namespaces = resolved.get("namespace", [])
    # The first namespace is served.
    is_zoned = namespaces[0]["kind"] == "zoned" if namespaces else resolved["zns"]["zone_size"] != "0B"
    if is_zoned:
        key = "namespace.0.kind" if namespaces else "zns.zone_size"
        raise ConfigError(f"{design.label}: {key}: NBD has no commands for zones, expected a namespace without")
    with _place(options) as socket, _noted_signals() as signals:
        factor = {"real": 1.0, "scaled": options.factor, "free": None}[options.clock]
        server = _engine.Server(
            design.to_toml(),
            json.dumps(
                {
                    "seed": options.seed,
                    "socket": None if socket is None else os.fspath(socket),
                    "listen": options.address(),
                    "data": None if options.data is None else os.fspath(options.data),
                    "memory": (memory.available_bytes() or 2**33) // 2,
                    "factor": factor,
                    "lose_power_at": options.power_ps(),
                    "trace": None if trace is None else [os.fspath(trace[0]), trace[1]],
                }
            ),
        )
        uri = _uri(socket, options, server.port)
        try:
            if options.command is None:
                say(f"serving {design.name}, {server.bytes / 1e9:,.1f} GB, at {uri} (Ctrl-C ends it)")
                status = None
                while not signals and not server.wait(_LOOK_S):
                    pass
            else:
                status = _run(options.command, uri, socket, signals)
        finally:
            ended = server.stop()
    statistics: dict[str, Any] = json.loads(ended)
    served = {"schema": 1, "design": design.name, "uri": uri, "clock": options.clock, "factor": options.factor}
    if options.lose_power_at is not None:
        say(_lost(statistics, options.lose_power_at))
    return {**served, "command_status": status, **statistics}


def check_used(statistics: Mapping[str, Any], out: Path) -> None:
    if not any(found["completed"] for found in statistics["requests"].values()):
        raise SimulationError(f"{out}: no client has asked for anything, so that there is no run to keep")


@contextmanager
def _place(options: Options) -> Iterator[Path | None]:
    if options.socket is not None or options.listen is not None:
        yield options.socket
        return
    with TemporaryDirectory(prefix="canaletto-") as folder:
        yield Path(folder, "socket")


def _uri(socket: Path | None, options: Options, port: int | None) -> str:
    if socket is not None:
        return f"nbd+unix:///?socket={quote(os.path.abspath(socket))}"
    host = (options.address() or "").rpartition(":")[0]
    return f"nbd://{host}:{port}"


def _run(command: str, uri: str, socket: Path | None, signals: Sequence[int]) -> int | None:
    where = {"uri": uri, "unixsocket": "" if socket is None else os.path.abspath(socket)}
    # Its output would mix with ours: standard output is for statistics.
    with subprocess.Popen(["sh", "-c", command], env={**os.environ, **where}, stdout=2) as running:
        while not signals:
            with suppress(subprocess.TimeoutExpired):
                return running.wait(_LOOK_S)
        running.terminate()
    return None


@contextmanager
def _noted_signals() -> Iterator[Sequence[int]]:
    """They are how a server ends, whenever they come."""
    came: list[int] = []
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # A shell starts background jobs with interrupts ignored.
    replaced = {number: handler for number, handler in usual.items() if handler is not signal.SIG_IGN}
    for number in replaced:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield came
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _lost(statistics: Mapping[str, Any], wanted: str) -> str:
    from canaletto._io.units import number_of, time_us

    loss = statistics["power_loss"]
    at = time_us(statistics["simulated_s"] * 1e6)
    if loss is None:
        return f"power was not lost: --lose-power-at {wanted} is later than all that was asked for, which ended at {at}"
    writes, pages = number_of(loss["unsafe_writes"], "write"), number_of(loss["unsafe_pages"], "page")
    return f"power was lost at {at}, with {pages} of {writes} not safe: {loss['lost_pages']:,} of these are gone"
