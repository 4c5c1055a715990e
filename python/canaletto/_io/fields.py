"""Parts of results, as attributes and as items."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar


class Fields(Mapping[str, Any]):
    """A part of a result, read as attributes or items: `r.latency_us.all.p99`, `r["latency_us"]["all"]["p99"]`.

    Names end with their unit. A field that does not apply is None, never infinite or not a number.
    """

    _kinds: ClassVar[Mapping[str, type["Fields"]]] = {}

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        return _wrap(self._data[key], self._kinds.get(key, Fields))

    if not TYPE_CHECKING:  # A checker is to find misspelt fields: each class declares its own.

        def __getattr__(self, key: str) -> Any:
            if not key.startswith("_"):
                if key in self._data:
                    return self[key]
                if any(key in getattr(kind, "__annotations__", {}) for kind in type(self).__mro__):
                    return None  # A field that some runs lack.
            raise AttributeError(f"no field {key!r}; there are {', '.join(self.__dict__.get('_data', ()))}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __repr__(self) -> str:
        return json.dumps(self._data, indent=1)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries and lists."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy


def _wrap(value: Any, kind: type[Fields]) -> Any:
    if isinstance(value, Mapping):
        return kind(value)
    if isinstance(value, list):
        return [_wrap(item, kind) for item in value]
    return value
