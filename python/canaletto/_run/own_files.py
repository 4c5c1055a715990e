"""User-defined parts that files of Python define, named as `FILE.py:CLASS`."""

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, TypeVar
from zlib import crc32

from canaletto._engine import ConfigError

Part = TypeVar("Part")


def is_file(text: str) -> bool:
    return ".py" in text


def from_file(text: str, label: str, base: type[Part]) -> type[Part]:
    """The class that a file of Python derives from `base`.

    Raises ConfigError for a missing or broken file, or without such a class.
    """
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py") or not name.isidentifier():
        raise ConfigError(f"{label}: got {text}, expected FILE.py:CLASS, such as mine.py:My{base.__name__}")
    module = _imported(Path(file), label)
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, base):
        return found
    derived = [
        key for key, each in vars(module).items() if isinstance(each, type) and issubclass(each, base) and each != base
    ]
    what = f"{file} has no {name}" if found is None else f"{name} of {file} is {found!r}"
    there = ", ".join(derived) if derived else "none"
    raise ConfigError(f"{label}: {what}, expected a class derived from canaletto.{base.__name__}; there is {there}")


def from_plugin(found: Any, label: str, name: str, base: type[Part]) -> type[Part]:
    if isinstance(found, type) and issubclass(found, base) and found.__name__ == name:
        _PLUGINS.add(str(sys.modules[found.__module__].__file__))
        return found
    raise ConfigError(f"{label}: got {found!r}, expected a class {name} derived from canaletto.{base.__name__}")


def _imported(file: Path, label: str) -> ModuleType:
    if not file.is_file():
        raise ConfigError(f"{label}: {file}: no such file, expected a file of Python")
    path = str(file.resolve())
    name = f"{_MODULES}{file.stem}_{crc32(path.encode()):08x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Whoever asks for the module of its classes, as dataclasses do, finds it.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        line = next(
            (f", line {at.lineno}" for at in reversed(extract_tb(error.__traceback__)) if at.filename == path), ""
        )
        if isinstance(error, SyntaxError):
            line = f", line {error.lineno}"
        said = " ".join(str(error).split())
        raise ConfigError(f"{label}: {file}{line}: {type(error).__name__}: {said}") from None
    return module


_MODULES = "canaletto_own_"

_PLUGINS: set[str] = set()


def title(given: type[Any]) -> str:
    if given.__module__.startswith(_MODULES):
        return f"{sys.modules[given.__module__].__file__}:{given.__qualname__}"
    return f"{given.__module__}.{given.__qualname__}"


def file_of(title: str) -> str:
    return title.rpartition(":")[0]


def hash_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def raised_in_file(error: BaseException) -> str | None:
    if isinstance(error, NotImplementedError):  # of a base class
        return ": ".join([*getattr(error, "__notes__", ()), str(error)])
    files = _PLUGINS | {str(module.__file__) for name, module in sys.modules.items() if name.startswith(_MODULES)}
    for at in reversed(extract_tb(error.__traceback__)):
        if at.filename in files:
            return ": ".join(
                [*getattr(error, "__notes__", ()), f"{at.filename}, line {at.lineno}", type(error).__name__, str(error)]
            )
    return None
