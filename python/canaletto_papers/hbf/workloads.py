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
    """first: number of the first block that no earlier request had."""
    size, new = BLOCK_TOKENS * TOKEN_BYTES // stacks, first
    yield HEADER
    for line in lines:
        asked = json.loads(line)
        for block in asked["hash_ids"]:
            kind = "R" if block < new else "W"
            new = max(new, block + 1)
            yield f"{asked['timestamp'] * 1_000_000},0,{block * size},{size},{kind}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=argparse.FileType())
    parser.add_argument("--stacks", type=int, default=STACKS)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    sys.stdout.writelines(f"{access}\n" for access in accesses(given.trace, given.stacks, given.first))


if __name__ == "__main__":
    main()
