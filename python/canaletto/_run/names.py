"""The names there are."""

import json
from functools import cache

from canaletto import _engine


@cache
def presets() -> dict[str, str]:
    return _abouts(_engine.presets())


@cache
def profiles() -> dict[str, str]:
    return _abouts(_engine.profiles())


@cache
def fabrics() -> dict[str, str]:
    return {facts["name"]: facts["sentence"] for facts in json.loads(_engine.fabrics())}


@cache
def usual_fabrics() -> tuple[str, ...]:
    return tuple(facts["name"] for facts in json.loads(_engine.fabrics()) if facts["is_usual"])


def _abouts(listing: str) -> dict[str, str]:
    return {entry["name"]: entry["about"] for entry in json.loads(listing)}
