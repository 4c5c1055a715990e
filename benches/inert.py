"""Cost of a key that changes nothing: instructions of a read with and without it, on every preset.

usage: python benches/inert.py            each key on one preset, of every third
       python benches/inert.py --all      each key on every preset (`make inert`)
       python benches/inert.py --record   the same, into docs/generated/inert/costs.md

A key is *inert* where it is allowed and no result changes; a second flow with half of the requests is measured too.
More than `LIMIT` is a failure, once longer runs confirm it: 1,000 reads at other addresses cost up to 8 % more or less.
So is a preset whose reads cost more than `worst_preset` of `ceilings.toml`. Counted is the difference of a long and a
short run in `LOOP`. All runs of a preset share a process, in which calls of `getppid` mark their ends.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from case import WORKLOAD, engine

BENCHES = Path(__file__).resolve().parent
TABLE = BENCHES.parent / "docs/generated/inert/costs.md"
# What an inert key may add to a read, as a share.
LIMIT = 0.08
# Other ways for every command, or a draw for every read, which are work even where nothing comes of them.
DEARER = {
    "flash.cache_program=true": 0.13,
    "flash.errors.base=1e-30": 0.1,
    "flash.independent_plane_reads=true": 0.26,
    "scheduler.policy=flin": 0.2,
}
FEW, MANY, TEN_TIMES = 500, 1500, 10_500
LOOP = "canaletto::engine::route::Route<*>::run"
# Memory of one size comes from the same place in every run: cleared by the system, or by instructions.
ENVIRONMENT = {**os.environ, "PYTHONHASHSEED": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
SECOND_FLOW = "a second flow"
INERT = """
    controller.ecc.max_read_retries=1
    controller.pages_in_flight=64
    fabric.data_queue=oldest-request
    fabric.failures.links=1
    fabric.order_bound=1ms
    fabric.status.period=2us
    fabric.transfer_order=commands-first
    flash.busy_until_data_out=true
    flash.cache_program=true
    flash.cache_read=true
    flash.die_interleaving=false
    flash.erase=2ms
    flash.errors.base=1e-30
    flash.failures.erase=1e-12
    flash.failures.factory_bad=1e-9
    flash.failures.program=1e-12
    flash.failures.read=1e-12
    flash.independent_plane_reads=true
    flash.multi_plane=any-page
    flash.page_order=mqsim
    flash.suspend.operations=both
    flash.suspend.operations=erase
    ftl.map_update=issue
    ftl.min_spare_blocks=8
    ftl.unwritten_reads=assume-sectors-written
    ftl.write_placement=dynamic
    gc.copies_in_flight=4
    gc.copyback=true
    gc.epoch_trigger=plane
    gc.policy=d-choices
    gc.policy=fifo
    gc.preemptible=false
    gc.reserved_blocks=2
    gc.threshold=0.05
    gc.victims_per_plane=2
    host.arbitration.method=weighted
    host.fetch_limit=256
    host.prp_lists=true
    host.queue_entries=2048
    link.max_payload=256B
    refresh.age_limit_days=10000
    refresh.read_limit=1000000000
    scheduler.policy=flin
    scheduler.priorities=false
    scheduler.round_robin_advance=on-poll
    wear.dynamic=false
    wear.endurance=1000000
    wear.static_threshold=2
"""
KEYS = [line.strip() for line in INERT.strip().splitlines()]
# Parts of the results that say what was asked for and what it took.
NO_RESULTS = ["cost", "design"]


def simulate(preset: str, key: str, requests: int = MANY) -> dict[str, Any]:
    native = engine()
    flows = 2 if key == SECOND_FLOW else 1
    settings = [] if key in ("", SECOND_FLOW) else [("--set", "", setting) for setting in key.split()]
    design, _ = native.resolve_design(preset, None, settings)
    head, flow = WORKLOAD.format(requests=requests // flows, read_share=1.0).split("[[flow]]")
    flow = flow.replace("queue_depth = 64", f"queue_depth = {64 // flows}")
    text = head + "".join("[[flow]]" + flow.replace("random", f"random{number}") for number in range(flows))
    result, _ = native.run(
        design, native.resolve_workload("random", text, []), json.dumps({"root_causes": False}), None
    )
    found: dict[str, Any] = json.loads(result)
    return found


def inert_keys(preset: str) -> list[str]:
    native, found = engine(), []

    def results(key: str) -> dict[str, Any]:
        found = simulate(preset, key)
        return {part: figures for part, figures in found.items() if part not in NO_RESULTS}

    plain = results("")
    for key in KEYS:
        try:
            if results(key) == plain:
                found.append(key)
        except native.ConfigError:
            continue
    return found


def measure(preset: str, keys: list[str], many: int = MANY) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        options = ["--dump-before=getppid", f"--toggle-collect={LOOP}", f"--callgrind-out-file={out}"]
        runs = [sys.executable, "-S", __file__, "--runs", preset, str(many), *keys]
        command = ["valgrind", "--tool=callgrind", *options, *runs]
        ended = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"{preset} failed under valgrind:\n{ended.stderr}")
        # The first two have what comes before the runs, and runs that warm up.
        dumps = [out.with_suffix(f".{number}").read_text() for number in range(3, 2 * len(keys) + 5)]
    counts = [int(next(line.split()[1] for line in dump.splitlines() if line.startswith("totals:"))) for dump in dumps]
    if 0 in counts:
        sys.exit(f"{preset}: nothing was counted in {LOOP}")
    return {key: (counts[2 * at + 1] - counts[2 * at]) / (many - FEW) for at, key in enumerate(["", *keys])}


def measure_surely(preset: str, keys: list[str]) -> dict[str, float]:
    costs = measure(preset, keys)
    return measure(preset, keys, TEN_TIMES) if any(is_dear(key, costs) for key in keys) else costs


def is_dear(key: str, costs: dict[str, float]) -> bool:
    return costs[key] / costs[""] - 1 > DEARER.get(key, LIMIT)


def marked_runs(preset: str, many: int, keys: list[str]) -> None:
    for key in ["", "", *keys]:
        for requests in (FEW, many):
            simulate(preset, key, requests)
            os.getppid()


def sample(inert: dict[str, list[str]]) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {preset: [] for preset in inert}
    for key in KEYS:
        presets = [preset for preset in inert if key in inert[preset]]
        if presets:
            chosen[min(presets, key=lambda preset: len(chosen[preset]))].append(key)
    return chosen


def inert_nowhere(inert: dict[str, list[str]]) -> list[str]:
    return [key for key in KEYS if not any(key in keys for keys in inert.values())]


def judge(found: dict[str, dict[str, float]], profile: str) -> bool:
    worst_preset = tomllib.loads((BENCHES / "ceilings.toml").read_text())["worst_preset"]
    ceiling = worst_preset[profile]
    above = False
    print(f"{'instructions per read':24}{'':60}{'plain':>8}{'with':>8}{'more':>8}")
    for preset, costs in found.items():
        plain = costs[""]
        too_much = plain > ceiling
        print(f"{preset:24}{'':60}{plain:8,.0f}" + (f"  above {ceiling:,}" if too_much else ""))
        for key, cost in costs.items():
            more = cost / plain - 1
            too_dear = is_dear(key, costs)
            above |= too_dear
            if more > LIMIT / 4:
                print(f"{'':24}{key:60}{'':8}{cost:8,.0f}{more:8.1%}" + ("  too much" if too_dear else ""))
        above |= too_much
    return above


def record(found: dict[str, dict[str, float]]) -> None:
    """Write what each key costs on the preset on which it costs most."""
    lines = [
        "<!-- Made by `python benches/inert.py --record` -->",
        "",
        "| key | presets | at most | on | mean |",
        "| --- | ---: | ---: | --- | ---: |",
    ]
    for key in [SECOND_FLOW, *KEYS]:
        more = {preset: costs[key] / costs[""] - 1 for preset, costs in found.items() if key in costs}
        most = max(more, key=lambda preset: more[preset])
        mean = sum(more.values()) / len(more)
        name = key if key == SECOND_FLOW else f"`{key}`"
        lines.append(f"| {name} | {len(more)} | {more[most]:.1%} | `{most}` | {mean:.1%} |")
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the instructions that inert keys cost.")
    parser.add_argument("--all", action="store_true", help="each key on every preset")
    parser.add_argument("--record", action="store_true", help="the same, into docs/generated/inert/costs.md")
    parser.add_argument("--profile", choices=["quick", "release"], default="quick", help="how the engine is built")
    parser.add_argument("--runs", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        needed = os.environ.get("CI") == "true"
        print(f"{'failed' if needed else 'skipped'}: counting instructions needs valgrind", file=sys.stderr)
        return int(needed)
    if arguments.runs:
        preset, many, *keys = arguments.runs
        marked_runs(preset, int(many), keys)
        return 0
    presets = [entry["name"] for entry in json.loads(engine().presets())]
    all_pairs = arguments.all or arguments.record
    inert = {preset: inert_keys(preset) for preset in (presets if all_pairs else presets[::3])}
    # Others for keys that are inert on none of these.
    for preset in presets:
        if preset not in inert and inert_nowhere(inert):
            inert[preset] = inert_keys(preset)
    nowhere = inert_nowhere(inert)
    chosen = inert if all_pairs else sample(inert)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        runs = {preset: pool.submit(measure_surely, preset, [SECOND_FLOW, *keys]) for preset, keys in chosen.items()}
        found = {preset: run.result() for preset, run in runs.items()}
    above = judge(found, arguments.profile)
    if arguments.record:
        record(found)
    pairs = sum(map(len, chosen.values()))
    print(f"{pairs} pairs of a key and a preset, {len(chosen)} with a second flow; at most {LIMIT:.0%} more")
    if nowhere:
        print(f"inert on no preset: {', '.join(nowhere)}", file=sys.stderr)
    return int(above or bool(nowhere))


if __name__ == "__main__":
    sys.exit(main())
