"""Runs and comparisons frozen as folders.

A run:

    design.toml workload.toml   the full configuration, every default spelt out
    run.json                    command, options, version, and each trace with its SHA-256
    result.json                 what `canaletto run --json` printed
    requests.parquet            one row a request
    report.html                 a page to read, complete in itself

A comparison:

    compare.json                what `canaletto compare --json` printed
    run.json                    as a run's, with the fabrics
    bus/ ideal/ …               each fabric's run, as above but for the page
    crossbar/                   the run that bounds fabrics of an equal budget
    channel/ chip/ worst-line/  comparisons with load on these places, as above but for the page
    report.html                 a page to read, complete in itself

A folder appears whole or not at all: it is written under another name and renamed at the end.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io.files import beside, in_use, is_special, leftovers, named, remove_leftovers
from canaletto._io.parsed import from_json
from canaletto._io.typed import misfits
from canaletto._run import shown
from canaletto._run.config import Design, Workload, check_text, read_text
from canaletto._run.equal import CROSSBAR
from canaletto._run.ran import Compared, Ran

if TYPE_CHECKING:
    from canaletto._io.rows import Saved
    from canaletto._run.timeline import Window

SCHEMA = 1
RUN_FILE = "run.json"
REQUESTS_FILE = "requests.parquet"
RESULT_FILE = "result.json"
COMPARISON = "compare"
"""Kind of a comparison's folder in `run.json`."""


def save(result: Ran, path: str | PathLike[str], *, force: bool = False, report: bool = True) -> None:
    with place(path, force=force) as folder:
        write(result, folder, hash_traces(result.configuration[1]), None, report=report)


def save_comparison(
    comparison: Compared, path: str | PathLike[str], *, force: bool = False, report: bool = True
) -> None:
    with place(path, force=force) as folder:
        write_comparison(comparison, folder, hash_traces(comparison.runs[0].configuration[1]), None, report=report)


@contextmanager
def place(path: str | PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """An empty folder that takes its place at `path` if the block ends well and is removed otherwise.

    Raises ConfigError if `path` exists, unless `force` is given and it is empty or of a run or comparison.
    """
    target = Path(os.path.abspath(path))
    _restore(target)
    _check_free(target, path, force)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target)
    temporary, old = beside(target), beside(target.with_name(f"{target.name}{_REPLACED}"))
    try:
        temporary.mkdir()
        with in_use(temporary):
            yield temporary
        _check_free(target, path, force)
        if target.exists():
            # Renamed away first, so that at no time half a folder stands at `path`.
            target.rename(old)
        temporary.rename(target)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        for left in (temporary, old):
            shutil.rmtree(left, ignore_errors=True)


_REPLACED = ".replaced"


def _restore(target: Path) -> None:
    """Puts a folder back whose replacement was killed; removes one that was replaced."""
    replaced = target.with_name(f"{target.name}{_REPLACED}")
    for old in leftovers(replaced):
        if os.path.lexists(target):
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(target)


def write(
    result: Ran,
    folder: Path,
    traces: list[dict[str, str]],
    command: list[str] | None,
    window: "Window | None" = None,
    say: Callable[[str], object] | None = None,
    *,
    report: bool = True,
) -> None:
    """window: what the report plays; by default about 100 us."""
    _write_run(result, folder, traces, command)
    if not report:
        return
    _write_text(folder / "report.html", shown.views.page(result, command, window, say))


def write_comparison(
    comparison: Compared,
    folder: Path,
    traces: list[dict[str, str]],
    command: list[str] | None,
    window: "Window | None" = None,
    say: Callable[[str], object] | None = None,
    *,
    report: bool = True,
) -> None:
    """window, say, report: as for `write`."""
    homes = dict(zip(comparison.fabrics, comparison.runs, strict=True))
    record = {**_record(comparison.runs[0], traces, command), "kind": COMPARISON, "fabrics": comparison.fabrics}
    if comparison.equal is not None and comparison.crossbar is not None:
        homes[CROSSBAR] = comparison.crossbar
        record["equal"] = comparison.equal.to_dict()
    if comparison.hot_spots:
        record["hot_spots"] = list(comparison.hot_spots)
    for place, each in comparison.hot_spots.items():
        home = folder / place
        home.mkdir()
        write_comparison(each, home, traces, command, report=False)
    for fabric, run in homes.items():
        home = folder / str(fabric)
        home.mkdir()
        _write_run(run, home, traces, command)
    _write_json(folder / "compare.json", comparison.to_dict())
    _write_record(folder, record)
    if not report:
        return
    _write_text(folder / "report.html", shown.views.page(comparison, command, window, say))


def _write_run(result: Ran, folder: Path, traces: list[dict[str, str]], command: list[str] | None) -> None:
    design, workload = result.configuration
    _write_text(folder / "design.toml", design.to_toml())
    _write_text(folder / "workload.toml", workload.to_toml())
    _write_json(folder / "result.json", result.to_dict())
    if result.has_requests:
        result.rows.write(folder / REQUESTS_FILE)
    _write_record(folder, _record(result, traces, command))


def _write_record(folder: Path, document: dict[str, Any]) -> None:
    files = {path.name: _engine.hash_trace(str(path)) for path in sorted(folder.iterdir()) if path.is_file()}
    document = {**document, "files": files}
    _write_json(folder / RUN_FILE, {**document, "checksum": _checksum(document)})


def _checksum(document: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def checked(folder: Path, name: str) -> Path:
    return checked_against(folder, record(folder), name)


def checked_against(folder: Path, its_record: Mapping[str, Any], name: str) -> Path:
    path, expected = folder / name, its_record["files"].get(name)
    if is_special(path):
        raise ConfigError(f"{path}: not a regular file, expected the one that the run wrote")
    found = _engine.hash_trace(str(path))
    if found != expected:
        raise ConfigError(f"{path}: is not what the run wrote: got {found}, expected {expected}")
    return path


def _record(result: Ran, traces: list[dict[str, str]], command: list[str] | None) -> dict[str, Any]:
    from canaletto._io.origin import origin

    design, workload = result.configuration
    return {
        "schema": SCHEMA,
        "version": _engine.version(),
        **origin(),
        "command": command,
        "options": result.options,
        "design_from": design.label,
        "workload_from": workload.label,
        "traces": traces,
    }


def load(path: str | PathLike[str]) -> tuple[dict[str, Any], Design, Workload, dict[str, Any], "Saved | None"]:
    """A frozen run; its requests are read on demand."""
    folder = Path(path)
    found = record(folder)
    data = read_json(checked(folder, RESULT_FILE))
    _check_result(folder / RESULT_FILE, data)
    design, workload = configuration(folder)
    from canaletto._io.rows import Saved

    # Not a lambda, which cannot be pickled.
    rows = Saved(partial(checked, folder, REQUESTS_FILE)) if REQUESTS_FILE in found["files"] else None
    return data, design, workload, found["options"], rows


def _check_result(path: Path, data: Mapping[str, Any]) -> None:
    found = next(misfits(data), None)
    if found is not None:
        raise ConfigError(f"{path}: {found}, as `run --json` prints it")


def record(folder: Path) -> dict[str, Any]:
    found = _read_record(folder)
    if found.get("kind") == COMPARISON:
        fabrics = [*(found.get("fabrics") or ()), *([CROSSBAR] if "equal" in found else [])]
        runs = ", ".join(str(folder / str(fabric)) for fabric in fabrics)
        raise ConfigError(f"{folder}: a comparison; expected the folder of one of its runs: {runs}")
    return _sound(folder, found)


def is_comparison(folder: Path) -> bool:
    return _read_record(folder).get("kind") == COMPARISON


def record_of_comparison(folder: Path) -> dict[str, Any]:
    found = _sound(folder, _read_record(folder))
    fabrics = found.get("fabrics")
    if not isinstance(fabrics, list) or not fabrics or not all(isinstance(name, str) for name in fabrics):
        raise ConfigError(f"{folder / RUN_FILE}: fabrics: got {fabrics!r}, expected names")
    return found


def _read_record(folder: Path) -> dict[str, Any]:
    check_text(folder)
    if not (folder / RUN_FILE).is_file():
        what = "no such folder" if not folder.exists() else f"no {RUN_FILE} in it"
        raise ConfigError(f"{folder}: {what}; expected a folder that `canaletto run --out` wrote")
    found = read_json(folder / RUN_FILE)
    if found.get("schema") != SCHEMA or not isinstance(found.get("options"), dict):
        raise ConfigError(f"{folder / RUN_FILE}: schema: got {found.get('schema')!r}, expected {SCHEMA}")
    return found


def _sound(folder: Path, found: dict[str, Any]) -> dict[str, Any]:
    if found.get("checksum") != _checksum(found):
        raise ConfigError(
            f"{folder / RUN_FILE}: is not what the run wrote: its checksum is {found.get('checksum')!r}, "
            f"expected {_checksum(found)}"
        )
    for key, is_sound in _SHAPE.items():
        if not is_sound(found.get(key)):
            raise ConfigError(f"{folder / RUN_FILE}: {key}: got {found.get(key)!r}, expected what `run --out` writes")
    return found


def _is_texts(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(value, str) for value in found.values())


_SHAPE: Mapping[str, Callable[[Any], bool]] = {
    "version": lambda found: isinstance(found, str),
    "files": _is_texts,
    "traces": lambda found: (
        isinstance(found, list) and all(_is_texts(each) and {"file", "hash"} <= each.keys() for each in found)
    ),
}
"""A checksum shows damage, not a file that was made by other means."""


def configuration(folder: Path) -> tuple[Design, Workload]:
    design, workload = (str(checked(folder, name)) for name in ("design.toml", "workload.toml"))
    return Design.from_toml(read_text(design), design), Workload.from_toml(read_text(workload), workload)


def hash_traces(workload: Workload) -> list[dict[str, str]]:
    for file in workload.traces():
        if is_special(Path(file)):
            raise ConfigError(
                f"{file}: not a regular file, which can be read only once; a frozen run needs its hash, and is "
                "repeated for its report: expected a file"
            )
    return [{"file": file, "hash": _engine.hash_trace(file)} for file in workload.traces()]


def check_traces(folder: Path, workload: Workload) -> None:
    recorded = {trace["file"]: trace["hash"] for trace in record(folder)["traces"]}
    for trace in hash_traces(workload):
        expected = recorded.get(trace["file"])
        if expected != trace["hash"]:
            raise ConfigError(
                f"{trace['file']}: the trace is not the one that {folder} recorded: "
                f"got {trace['hash']}, expected {expected}"
            )


FILES = frozenset({".html", ".json", ".csv", ".parquet", ".toml"})
"""Endings of files."""


def _check_free(target: Path, given: str | PathLike[str], force: bool) -> None:
    name = os.fspath(given)
    if not os.path.lexists(target):
        if target.suffix.lower() in FILES:
            raise ConfigError(f"{name}: got a file, expected a new folder for report.html")
        return
    if not force:
        raise ConfigError(f"{name}: exists already; expected a new folder, or --force to replace a run or a comparison")
    if not _is_replaceable(target):
        raise ConfigError(f"{name}: exists and is not the folder of a run or a comparison; --force replaces only those")


def _is_replaceable(target: Path) -> bool:
    if target.is_symlink() or not target.is_dir():
        return False
    if not any(target.iterdir()):
        return True
    try:
        found = read_json(target / RUN_FILE)
    except (OSError, ConfigError):
        return False
    return {"schema", "options", "traces"} <= found.keys()


def _write_text(path: Path, text: str) -> None:
    with named(path):
        path.write_text(text, encoding="utf-8")


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    _write_text(path, json.dumps(document, indent=1, allow_nan=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    try:
        found = from_json(read_text(str(path)))
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: expected a JSON object with names and values")
    return found
