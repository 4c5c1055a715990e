"""Reference of the Python package: everything that it exports, for mkdocstrings to fill in."""

import inspect
from pathlib import Path
from types import ModuleType

import canaletto as cn
from markup import cell

_ABOUT = """# Python

```python
import canaletto as cn
```

Names that begin with an underscore are private. Everything listed here is meant to stay; what changes is in
[Changes](../../project/changelog.md).
"""


def pages() -> dict[str, str]:
    names = [name for name in cn.__all__ if not name.startswith("_")]
    modules = [name for name in names if isinstance(getattr(cn, name), ModuleType)]
    classes = [name for name in names if isinstance(getattr(cn, name), type)]
    functions = [name for name in names if name not in {*modules, *classes}]
    parts = [("Functions", functions), ("Classes", classes), ("Modules", modules)]
    index = [_ABOUT]
    for heading, found in parts:
        index += [f"## {heading}", "", "| name | |", "| --- | --- |", *map(_row, found), ""]
    single = {_place(name): f"::: {_home(name)}.{name}\n    options:\n      heading_level: 1\n" for name in names}
    return {"reference/python/index.md": "\n".join(index), **single}


def titles() -> dict[str, str]:
    names = sorted((name for name in cn.__all__ if not name.startswith("_")), key=str.lower)
    return {"reference/python/index.md": "Python", **{_place(name): name for name in names}}


def _row(name: str) -> str:
    about = (inspect.getdoc(getattr(cn, name)) or "").split("\n\n")[0]
    return f"| [`{name}`]({Path(_place(name)).name}) | {cell(about)} |"


def _place(name: str) -> str:
    kind = "class-" if isinstance(getattr(cn, name), type) else ""
    return f"reference/python/{kind}{name.lower()}.md"


def _home(name: str) -> str:
    return str(getattr(getattr(cn, name, None), "__module__", "canaletto"))
