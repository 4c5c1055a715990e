"""Opening what a command wrote, whichever it was."""

import glob
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto._engine import ConfigError
from canaletto._io import plugins
from canaletto._io.files import sound_parquet
from canaletto._run import folder
from canaletto._run.compare import Comparison
from canaletto._run.equal import CROSSBAR, Equal
from canaletto._run.gains import Gain
from canaletto._run.results import Result, frozen

if TYPE_CHECKING:
    import polars as pl

    from canaletto._sweeping.points import Points


class Tables(Mapping[str, "pl.DataFrame"]):
    """A folder of `reproduce` or `load`: its tables as Polars frames, by the names of figures or of the command."""

    def __init__(self, path: Path, files: Mapping[str, Path]) -> None:
        self.path = path
        self._files = dict(files)

    def __getitem__(self, name: str) -> "pl.DataFrame":
        import polars as pl

        with sound_parquet(self._files[name]):
            return pl.read_csv(self._files[name], infer_schema_length=None, glob=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"<tables {', '.join(self._files)} in {self.path}>"


def load(path: str | PathLike[str]) -> "Result | Comparison | Points | Tables":
    """Opens a folder that a command wrote.

    Parameters
    ----------
    path
        The folder that `--out` or `save` wrote.

    Returns
    -------
    Result, Comparison, Sweep, Search or Tables
        The folder of a run gives a `Result`, that of a comparison a `Comparison`, those of `sweep` and `search` a
        `Sweep` and a `Search`, those of `reproduce` and `load` their tables as Polars frames, by name.

    Raises
    ------
    ConfigError
        If the folder is none of these or is damaged.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import canaletto as cn
    >>> cn.run("performance-optimized", cn.workload("hm_0", requests=500)).save("first", report=False)
    >>> cn.load("first").fabric
    'bus'
    """
    home = Path(path)
    if (home / "sweep.json").is_file():
        from canaletto._sweeping.sweep import Sweep

        return _many(home, "sweep", Sweep)
    tables = _tables(home)
    if tables:
        return Tables(home, tables)
    if not (home / folder.RUN_FILE).exists():
        for kind in plugins.names("folder"):
            if (home / f"{kind}.json").is_file():
                return _many(home, kind, plugins.load("folder", kind))
    return _comparison(home) if folder.is_comparison(home) else frozen(home)


def _many(home: Path, kind: str, points: "type[Points]") -> "Points":
    from canaletto._sweeping.folder import Folder, about

    about(home, kind)
    return points(Folder(home, kind))


def _tables(home: Path) -> dict[str, Path]:
    if (home / "load.json").is_file() and (home / "load.csv").is_file():
        return {"load": home / "load.csv"}
    if (home / folder.RUN_FILE).exists():
        return {}
    pages = sorted(home.glob("*.html"))
    found = [(page.stem, file) for page in pages for file in home.glob(f"{glob.escape(page.stem)}-*.csv")]
    return {file.stem.removeprefix(f"{source}-"): file for source, file in sorted(found)}


def _comparison(home: Path) -> Comparison:
    record = folder.record_of_comparison(home)
    runs = [frozen(home / str(fabric)) for fabric in record["fabrics"]]
    equal, crossbar = _equal(home, record)
    hot_spots = {str(place): _comparison(home / str(place)) for place in record.get("hot_spots") or ()}
    found = folder.read_json(folder.checked_against(home, record, "compare.json")).get("confidence")
    if found is None:
        return Comparison(runs, equal=equal, crossbar=crossbar, hot_spots=hot_spots)
    try:
        gains = {
            fabric: {name: gain and Gain(gain["mean"], gain["half_width"]) for name, gain in measures.items()}
            for fabric, measures in found["speedup"].items()
        }
    except (AttributeError, KeyError, TypeError):
        raise ConfigError(f"{home / 'compare.json'}: confidence: not what `compare --out` writes") from None
    return Comparison(runs, gains=gains, equal=equal, crossbar=crossbar, hot_spots=hot_spots)


def _equal(home: Path, record: Mapping[str, Any]) -> tuple[Equal | None, Result | None]:
    found = record.get("equal")
    if found is None:
        return None, None
    try:
        return Equal.from_dict(found), frozen(home / CROSSBAR)
    except (KeyError, TypeError):
        raise ConfigError(f"{home / folder.RUN_FILE}: equal: not what `compare --out` writes") from None
