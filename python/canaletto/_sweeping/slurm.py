"""A sweep as an array of jobs for `sbatch`."""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from canaletto._engine import ConfigError
from canaletto._sweeping.document import Document
from canaletto._sweeping.folder import Folder
from canaletto._sweeping.tasks import resolve

SCRIPT = "slurm.sh"
SETUP = "setup"
"""Lines at the beginning of every job; other keys are options of `sbatch`."""

_OURS = ("array", "dependency", "parsable", "output", "wrap")


def write_script(asked: Document, file: Path, out: Path, jobs: int) -> Path:
    """Scripts for an array of jobs and for collecting results."""
    folder = Folder(out)
    folder.check(asked)
    text = script(asked, file, out, jobs)
    resolve(asked)
    folder.claim(asked, None)
    folder.write(SCRIPT, text.encode())
    return out / SCRIPT


def script(asked: Document, file: Path, out: Path, jobs: int) -> str:
    options, setup = _options(asked), _setup(asked)
    command = [os.path.join(os.path.dirname(sys.executable), "canaletto"), "sweep"]
    words = shlex.join([*command, os.path.abspath(file), "--out", os.path.abspath(out)])
    log = shlex.quote(f"{os.path.abspath(out)}/slurm-%A_%a.log")
    name = shlex.quote(f"canaletto-{re.sub(r'[^A-Za-z0-9_.-]', '-', file.stem)}")
    return f"""#!/bin/bash
# Submits {jobs} jobs that compute the points of a sweep, and one that then writes its table.
# Submitted again, it computes what is missing.
set -euo pipefail

array=$(sbatch --parsable --job-name={name} --array=1-{jobs} --output={log} {options}<<'JOB'
#!/bin/bash
set -euo pipefail
{setup}exec {words} --workers "${{SLURM_CPUS_PER_TASK:-1}}" --shard "$SLURM_ARRAY_TASK_ID/{jobs}"
JOB
)
# A federation of clusters adds its name behind a semicolon.
array=${{array%%;*}}

# After all of them, however they ended: it says what is missing.
sbatch --parsable --job-name={name}-table --dependency="afterany:$array" --output={log.replace("%A_%a", "table-%j")} \\
    {options}<<'JOB'
#!/bin/bash
set -euo pipefail
{setup}exec {words} --collect
JOB
"""


def _options(asked: Document) -> str:
    texts = []
    for key, value in asked.slurm.items():
        place = f"{asked.place(key)}slurm.{key}"
        if key == SETUP:
            continue
        if key in _OURS or not re.fullmatch(r"[a-z][a-z0-9-]*", key):
            raise ConfigError(f"{place}: expected a long option of sbatch, such as partition, other than {_words()}")
        if not isinstance(value, str | int | bool) or "\n" in str(value):
            raise ConfigError(f"{place}: got {value!r}, expected a text, a whole number or true")
        if value is not False:
            texts.append(f"--{key}" if value is True else f"--{key}={shlex.quote(str(value))}")
    return "".join(f"{text} " for text in texts)


def _words() -> str:
    return ", ".join(_OURS)


def _setup(asked: Document) -> str:
    given: Any = asked.slurm.get(SETUP, [])
    lines = [given] if isinstance(given, str) else given
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ConfigError(f"{asked.place(SETUP)}slurm.{SETUP}: got {given!r}, expected lines of a shell")
    if any(line == "JOB" for text in lines for line in text.splitlines()):
        raise ConfigError(f"{asked.place(SETUP)}slurm.{SETUP}: got a line JOB, which ends the script's text")
    return "".join(f"{line}\n" for line in lines)
