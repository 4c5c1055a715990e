"""The names there are."""

import json
from functools import cache

from canaletto import _engine


@cache
def presets() -> dict[str, str]:
    """Design presets, each with one line about it."""
    return _abouts(_engine.presets())


@cache
def profiles() -> dict[str, str]:
    """Workload profiles, each with one line about it."""
    return _abouts(_engine.profiles())


@cache
def fabrics() -> dict[str, str]:
    """Fabrics, each with one line about it."""
    kind = json.loads(_engine.schema("design"))["$defs"]["FabricKind"]
    if "oneOf" in kind:
        return {case["const"]: " ".join(case.get("description", "").split()) for case in kind["oneOf"]}
    return dict.fromkeys(kind["enum"], "")


def _abouts(listing: str) -> dict[str, str]:
    return {entry["name"]: entry["about"] for entry in json.loads(listing)}
