"""A simulation on another machine."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from canaletto import _engine
from canaletto._io import _toml, files
from canaletto._run import identity
from canaletto._sweeping import worker
from canaletto._sweeping.tasks import Task

RECORD, FAILURE, MISSING, LOST = b"+", b"-", b"?", b"!"
"""A record, a reason for none, the hash of a missing trace, nothing at all."""


def build() -> tuple[str, str]:
    return _engine.version(), identity.build()


def answer(task: dict[str, Any], contents: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    asked = Task(**task)
    places: dict[str, str] = {}
    for file, digest in asked.traces.items():
        found = _place(file, digest, contents.get(digest))
        if found is None:
            return MISSING, digest.encode()
        places[file] = found
    return worker.answer(moved(asked, places))


def moved(task: Task, places: Mapping[str, str]) -> Task:
    if all(file == place for file, place in places.items()):
        return task
    workload = _toml.dumps(identity.with_traces(tomllib.loads(task.workload), places))
    return replace(task, workload=workload, traces={places[file]: digest for file, digest in task.traces.items()})


def _place(file: str, digest: str, content: bytes | None) -> str | None:
    cache = files.cache_folder()
    kept = None if cache is None else cache / "traces" / digest.replace(":", "-")
    if kept is not None and content is not None and not _is(str(kept), digest):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with files.whole(kept) as out:
            out.write(content)
    for place in (file, str(kept)):
        if _is(place, digest):
            return place
    return None


def _is(file: str, digest: str) -> bool:
    return os.path.isfile(file) and identity.hash_of(file) == digest
