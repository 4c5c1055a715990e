"""Changes the engine in many places, and lists changes that no test notices.

usage: tests/mutants.py [--seed SEED] [--mutants N] [--workers N] [AREA …]     (`make mutants` installs what it needs)

cargo-mutants lists the changes, which are woven into one copy of the engine, each asleep until the environment names
it. out/mutants.txt says what became of each. Exit status 0 when none survived.
"""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent.parent
BUILD = HOME / "target" / "mutants"
SOURCES = BUILD / "sources"
ENGINE = Path("crates/canaletto/src")
PROGRAMS = ("--package", "canaletto", "--lib", "--test", "integration", "--test", "golden")


@dataclass(frozen=True)
class Area:
    files: str
    tests: str


AREAS = {
    "accounting": Area(
        "measure/** engine/in_flight.rs",
        "gates:: formulas:: attach:: suspend:: retries:: replay:: root_causes:: wires::",
    ),
    "ftl": Area(
        "ftl/dynamic.rs ftl/frontier.rs ftl/handles.rs ftl/out*.rs ftl/pages.rs ftl/placement.rs ftl/readiness.rs "
        "ftl/room.rs ftl/spaces.rs ftl/translation.rs ftl/trim.rs "
        "ftl/mapping/** ftl/maintenance/** ftl/zones/**",
        "mapping:: trims:: units:: refresh:: failures:: gathering:: spans:: zones:: fdp::",
    ),
    "reclaim": Area(
        "ftl/collection.rs ftl/failures.rs ftl/folding.rs ftl/parity.rs ftl/reclaim/** ftl/blocks/** flash/copyback.rs",
        "in_place:: superblocks:: copyback:: hybrid:: refresh:: gathering:: parity:: pseudo_slc::",
    ),
    "preconditioning": Area("ftl/precondition/** ftl/steady/**", "precondition::"),
    "scheduler": Area(
        "scheduler/**",
        "gates:: formulas:: flin:: suspend:: alone:: outer_code:: own_rules:: pipelines:: swarm::collection",
    ),
    "fabric": Area("fabric/**", "gates:: formulas:: copyback:: mesh_reference:: failed_parts:: wires::"),
}

LEAST_S, TIMES = 20, 3
"""A run of tests hangs that takes more CPU time than this, and that many times its usual time."""

MEMORY = 6 << 30

SWITCH = """
/// Whether a change is awake: the one whose number the environment names.
pub(crate) fn mutant(number: u32) -> bool {
    static AWAKE: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").map_or(0, |number| number.parse().unwrap()));
    *AWAKE == number
}
"""


@dataclass
class Mutant:
    number: int
    area: str
    name: str
    file: str
    body: tuple[int, int]
    span: tuple[int, int]
    replacement: str
    lines: range = range(0)

    def changed(self, text: str) -> str:
        start, end = self.span
        replacement = f" {self.replacement} " if self.replacement else ""
        return text[self.body[0] : start] + replacement + text[end : self.body[1]]


def listed(area: str) -> list[Mutant]:
    files = [word for glob in AREAS[area].files.split() for word in ("--file", str(ENGINE / glob))]
    found = json.loads(subprocess.check_output(["cargo", "mutants", "--list", "--json", *files], cwd=HOME))
    names = subprocess.check_output(["cargo", "mutants", "--list", *files], cwd=HOME, text=True).splitlines()
    texts: dict[str, str] = {}
    mutants = []
    for each, name in zip(found, names, strict=True):
        text = texts.setdefault(each["file"], (HOME / each["file"]).read_text())
        body = function_body(text, each["function"])
        if body is not None:
            span = tuple(place(text, each["span"][side]) for side in ("start", "end"))
            mutants.append(Mutant(0, area, name, each["file"], body, (span[0], span[1]), each["replacement"]))
    return mutants


def place(text: str, of: dict[str, int]) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: of["line"] - 1]) + of["column"] - 1


def function_body(text: str, function: dict[str, Any] | None) -> tuple[int, int] | None:
    if function is None:
        return None
    at, end = (place(text, function["span"][side]) for side in ("start", "end"))
    depth = 0
    head = ""
    while text[at] != "{" or depth > 0:
        if text.startswith("//", at):
            at = text.index("\n", at)
            continue
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
        head += text[at]
        at += 1
    return None if "const fn" in head or "const unsafe fn" in head else (at + 1, end - 1)


def weave(mutants: Sequence[Mutant]) -> None:
    written = {str(ENGINE / "lib.rs"): (HOME / ENGINE / "lib.rs").read_text() + SWITCH}
    for file in sorted({mutant.file for mutant in mutants}):
        assert file not in written, f"{file} is woven already"
        written[file] = woven((HOME / file).read_text(), [mutant for mutant in mutants if mutant.file == file])
    for file in subprocess.check_output(["git", "ls-files"], cwd=HOME, text=True).splitlines():
        content = written[file].encode() if file in written else (HOME / file).read_bytes()
        copy = SOURCES / file
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)


def woven(text: str, mutants: Sequence[Mutant]) -> str:
    bodies: dict[tuple[int, int], list[Mutant]] = {}
    for mutant in mutants:
        bodies.setdefault(mutant.body, []).append(mutant)
    new, at = "", 0
    for start, end in sorted(bodies):
        assert start >= at, "a function within another's body"
        new += text[at:start]
        for mutant in bodies[start, end]:
            new += f"if crate::mutant({mutant.number}) {{\n"
            first = new.count("\n") + 1
            new += f"{mutant.changed(text)}\n"
            mutant.lines = range(first, new.count("\n") + 1)
            new += "} else "
        new += f"{{{text[start:end]}}}"
        at = end
    return new + text[at:]


def cargo(command: str, *words: str) -> list[dict[str, Any]]:
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(BUILD / "target"),
        "CARGO_INCREMENTAL": "0",
    }
    said = subprocess.run(
        ["cargo", command, "--locked", "--quiet", *PROGRAMS, *words, "--message-format", "json"],
        cwd=SOURCES,
        env=environment,
        stdout=subprocess.PIPE,
    )
    return [json.loads(line) for line in said.stdout.splitlines()]


def that_compile(mutants: list[Mutant]) -> list[Mutant]:
    while True:
        weave(mutants)
        errors = [
            (span["file_name"], span["line_start"])
            for said in cargo("check")
            if said["reason"] == "compiler-message" and said["message"]["level"] == "error"
            for span in said["message"]["spans"]
        ]
        if not errors:
            return mutants
        bad = {each.number for each in mutants for file, line in errors if each.file == file and line in each.lines}
        assert bad, f"the engine does not compile: {errors}"
        mutants = [each for each in mutants if each.number not in bad]


@dataclass(frozen=True)
class Tests:
    words: Sequence[str]
    limit_s: int = 3600
    golden: str | None = None

    def notice(self, mutant: int) -> str | None:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (self.limit_s, self.limit_s))

        golden = {"GOLDEN": self.golden} if self.golden else {}
        process = subprocess.Popen(
            [*self.words, "--test-threads", "1"],
            cwd=SOURCES / "crates" / "canaletto",
            env={**os.environ, "MUTANT": str(mutant), "RUST_BACKTRACE": "0", **golden},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            preexec_fn=limit,
        )
        line = next((line for line in process.stdout or () if "FAILED" in line), None)
        if line is not None:
            kill(process)
        status = process.wait()
        if status in (-signal.SIGXCPU, -signal.SIGKILL) and line is None:
            return "hangs"
        return line.removeprefix("test ").strip() if line else f"ends with {status}" if status != 0 else None


def kill(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def built() -> dict[str, Path]:
    said = cargo("test", "--no-run")
    programs = {each["target"]["name"]: Path(each["executable"]) for each in said if each.get("executable")}
    assert len(programs) == 3, programs
    return programs


def judged(mutants: Sequence[Mutant], programs: dict[str, Path], workers: int) -> dict[int, str | None]:
    unit, whole, golden = (str(programs[name]) for name in ("canaletto", "integration", "golden"))
    first = [bounded([golden, "every_run"], "stop"), bounded([unit])]
    last = bounded([golden, "following"])
    areas = sorted({mutant.area for mutant in mutants})
    stages = {area: (*first, bounded([whole, *AREAS[area].tests.split()]), last) for area in areas}

    def judge(mutant: Mutant) -> str | None:
        reason = next(filter(None, (stage.notice(mutant.number) for stage in stages[mutant.area])), None)
        print(f"{mutant.number}\t{reason or 'MISSED'}\t{mutant.name}", flush=True)
        return reason

    with ThreadPoolExecutor(workers) as pool:
        return dict(zip((mutant.number for mutant in mutants), pool.map(judge, mutants), strict=True))


def bounded(words: Sequence[str], golden: str | None = None) -> Tests:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    reason = Tests(words, golden=golden).notice(0)
    assert reason is None, f"without any change: {reason}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{took:.0f} CPU-s: {' '.join(words)}", flush=True)
    return Tests(words, max(LEAST_S, int(TIMES * took)), golden)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA", default=[*AREAS], help=", ".join(AREAS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    chosen: list[Mutant] = []
    for area in given.areas:
        there = listed(area)
        some = random.Random(given.seed).sample(there, min(len(there), -(-given.mutants // len(given.areas))))
        print(f"{area}: {len(some)} of {len(there)} changes")
        chosen += some
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    tried = that_compile(chosen)
    print(f"{len(chosen) - len(tried)} do not compile", flush=True)
    reasons = judged(tried, built(), given.workers)
    missed = [mutant.name for mutant in tried if reasons[mutant.number] is None]
    (HOME / "out").mkdir(exist_ok=True)
    report = HOME / "out" / "mutants.txt"
    report.write_text("".join(f"{reasons[each.number] or 'MISSED'}\t{each.name}\n" for each in tried))
    print(f"{len(tried) - len(missed)} of {len(tried)} noticed, by what: {report.relative_to(HOME)}; missed:")
    print(*missed, sep="\n")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
