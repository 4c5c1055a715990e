"""Reads of language models and of vector search: streamed weights, cached keys and values, and two stages of a search.

`python -m canaletto_papers.hbf.workloads conversation_trace.jsonl > kv.csv` maps Mooncake's conversation trace
(github.com/kvcache-ai/Mooncake, FAST25-release/traces) to accesses: a block of 512 tokens lies at its number times
its size. At a request's time the blocks of its prompt that came before are read, and the others are written. Numbers
follow the order in which blocks first come, so that a part of the trace has its reads if `--first` states its first new
block. A token has 128 KiB of keys and values (Llama 3.1 8B: 32 layers, 8 heads of 128, two bytes each), divided among
`--stacks` stacks (default: 8).
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator

from canaletto._engine import ConfigError
from canaletto._run.config import Workload

from canaletto_papers.flows import flow, workload

BLOCK_TOKENS = 512
TOKEN_BYTES = 32 * 8 * 128 * 2 * 2
STACKS = 8
HEADER = "arrival_ns,device,offset_bytes,bytes,kind"


def weights(requests: int, depth: int) -> Workload:
    shape = {"requests": requests, "read_share": 1.0, "size": "1MiB", "sequential_share": 0.999, "queue_depth": depth}
    return workload("weights", [flow("weights", shape)])


def cache_blocks(requests: int, depth: int) -> Workload:
    """On one of 8 stacks: 8 MiB each, Zipf popularity, one in ten written."""
    size = BLOCK_TOKENS * TOKEN_BYTES // STACKS
    shape = {
        "requests": requests,
        "read_share": 0.9,
        "size": f"{size}B",
        "alignment": f"{size}B",
        "addresses": "zipf",
        "zipf_exponent": 1.0,
        "queue_depth": depth,
    }
    return workload("cache blocks", [flow("blocks", shape)])


def search(requests: int, depth: int) -> Workload:
    """Lists of 64 KiB, and 16 vectors of 3 KiB (768 numbers of four bytes) for each."""
    lists = {"requests": requests, "read_share": 1.0, "size": "64KiB", "queue_depth": depth}
    vectors = {
        "requests": 16 * requests,
        "read_share": 1.0,
        "size": "3KiB",
        "alignment": "512B",
        "queue_depth": 16 * depth,
    }
    return workload("vector search", [flow("lists", lists), flow("vectors", vectors)])


def accesses(lines: Iterable[str], stacks: int = STACKS, first: int = 0) -> Iterator[str]:
    """first: number of the first block that no earlier request had.

    Raises ConfigError for a line that is no request, and for blocks that are no whole sectors.
    """
    size, new = BLOCK_TOKENS * TOKEN_BYTES // max(stacks, 1), first
    if stacks < 1 or size % 512 != 0:
        raise ConfigError(f"stacks: got {stacks}, expected a power of two from 1 to 131072")
    yield HEADER
    for number, line in enumerate(lines, 1):
        at_ns, blocks = _request(line, number)
        for block in blocks:
            kind = "R" if block < new else "W"
            new = max(new, block + 1)
            yield f"{at_ns},0,{block * size},{size},{kind}"


def _request(line: str, number: int) -> tuple[int, list[int]]:
    """Time in nanoseconds, and blocks."""
    try:
        asked = json.loads(line)
        at, blocks = asked["timestamp"], asked["hash_ids"]
        if all(isinstance(each, int) and each >= 0 for each in (at, *blocks)):
            return at * 1_000_000, blocks
    except (ValueError, KeyError, TypeError):
        pass
    raise ConfigError(
        f"line {number}: got {line.strip()[:40]!r}, expected timestamp (milliseconds) and hash_ids (block numbers)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=argparse.FileType(encoding="utf-8", errors="replace"))
    parser.add_argument("--stacks", type=int, default=STACKS)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    try:
        sys.stdout.writelines(f"{access}\n" for access in accesses(given.trace, given.stacks, given.first))
        sys.stdout.flush()
    except ConfigError as error:
        parser.exit(2, f"{given.trace.name}: {error}\n")
    except BrokenPipeError:
        sys.stderr.close()


if __name__ == "__main__":
    main()
