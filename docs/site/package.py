"""Reference of the Python package: everything that it exports, for mkdocstrings to fill in."""

from collections.abc import Iterable
from types import ModuleType

import canaletto as cn

_ABOUT = """# Python

```python
import canaletto as cn
```

Names that begin with an underscore are private. Everything on this page is meant to stay; what changes is in
[Changes](../project/changelog.md).
"""


def page() -> str:
    """The page of all exported names: what one calls, what one gets, modules."""
    names = [name for name in cn.__all__ if not name.startswith("_")]
    modules = [name for name in names if isinstance(getattr(cn, name), ModuleType)]
    classes = [name for name in names if isinstance(getattr(cn, name), type)]
    functions = [name for name in names if name not in {*modules, *classes}]
    parts = [("Functions", functions), ("Classes", classes), ("Modules", modules)]
    return "\n".join([_ABOUT, *(_part(heading, found) for heading, found in parts)])


def _part(heading: str, names: Iterable[str]) -> str:
    entries = (f"::: {_home(name)}.{name}\n    options:\n      heading_level: 3\n" for name in names)
    return "\n".join([f"## {heading}\n", *entries])


def _home(name: str) -> str:
    """Module that defines a name."""
    return str(getattr(getattr(cn, name, None), "__module__", "canaletto"))
