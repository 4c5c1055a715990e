"""Where a request's instructions go: which part of the engine they belong to.

usage: python benches/stations.py target/quick/lib_engine.so    (needs valgrind and addr2line)

with the native module that this has built:

    cargo build --profile quick -p canaletto-py --config 'profile.quick.package.canaletto.debug="line-tables-only"'

Code compiled in line counts where it is written; Rust's library and containers where they are used. Over 20,000
requests less 5,000; writes (C) cost more later, as `instructions.py` counts them.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from instructions import callgrind

CASES = "ABCDR"
FEW, MANY = 5_000, 20_000
OURS = re.compile(
    r"crates/canaletto/src/(?!engine/(?:arena|fifo|ids|memory|rarely|ring)\.rs)([a-z_]+)(/route|/root_cause)?"
)
PARTS = {
    "workload": "`workload`: addresses, sizes and times of requests",
    "host": "`host`: queue pairs, the link and its messages, requests",
    "ftl": "`ftl`: mapping, blocks, collection",
    "scheduler": "`scheduler`: queues, transactions",
    "fabric": "`fabric`: paths, circuits, times of transfers",
    "flash": "`flash`: arrays, registers, sequences",
    "measure": "`measure`: accounts, histograms, series",
    "measure/root_cause": "`measure/root_cause`: trails, histories, slots",
    "engine/route": "`engine/route`: from station to station",
    "engine": "`engine`: events in order, records of requests and pages, random numbers",
    "others": "others: Rust's library where no line says for whom, memory",
}


def part(frames: list[str]) -> str:
    ours = next(filter(None, map(OURS.search, frames)), None)
    if ours is None:
        return "others"
    return ours[1] + ours[2] if ours[2] else ours[1] if ours[1] in PARTS else "engine"


def by_address(profile: str) -> Counter[str]:
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    is_ours = is_called = False
    for line in profile.splitlines():
        # The first mention of an object has its name, be it as that of what is called.
        if object_ := re.match(r"(c?)ob=(\(\d+\))(?: (.+))?", line):
            name = names.setdefault(object_[2], object_[3] or "")
            is_ours = is_ours if object_[1] else "lib_engine" in name
        elif cost := re.match(r"(0x[0-9a-f]+) \S+ (\d+)", line):
            # The instructions of what is called stand behind `calls=`.
            found[cost[1] if is_ours else "others"] += 0 if is_called else int(cost[2])
        is_called = line.startswith("calls=")
    return found


def frames_of(addresses: list[str], native: Path) -> dict[str, list[str]]:
    command = ["addr2line", "--inlines", "--addresses", "--exe", str(native)]
    said = subprocess.run(command, input="\n".join(addresses), stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    frames: list[str] = []
    for line in said.splitlines():
        if line.startswith("0x"):
            frames = found.setdefault(hex(int(line, 16)), [])
        else:
            frames.append(line)
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(str(__doc__))
    native = Path(sys.argv[1]).resolve()

    def profiled(case: str, requests: int) -> Counter[str]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "callgrind.out")
            callgrind(case, requests, out, ["--dump-instr=yes", "--compress-pos=no"], native)
            return by_address(out.read_text())

    with ThreadPoolExecutor(2) as pool:
        runs = {case: [pool.submit(profiled, case, requests) for requests in (MANY, FEW)] for case in CASES}
    costs = {case: many.result() - few.result() for case, (many, few) in runs.items()}
    places = frames_of(sorted({address for cost in costs.values() for address in cost} - {"others"}), native)
    found: dict[str, Counter[str]] = {case: Counter() for case in CASES}
    for case, cost in costs.items():
        for address, figure in cost.items():
            found[case][part(places.get(address, []))] += figure
    print("<!-- Made by `python benches/stations.py` -->\n")
    print("| instructions per request | " + " | ".join(CASES) + " |\n| --- |" + " ---: |" * len(CASES))
    for name, title in {**PARTS, "all": "all"}.items():
        figures = (sum(counts.values()) if name == "all" else counts[name] for counts in found.values())
        print(f"| {title} | " + " | ".join(f"{figure / (MANY - FEW):,.0f}" for figure in figures) + " |")


if __name__ == "__main__":
    main()
