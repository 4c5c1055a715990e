"""Language models with HBM alone and with HBM and HBF (H3: Ha, Kim, Kim, IEEE CAL 25(1), 2026).

Method: the bandwidth of a cube of HBF is measured: 1 TB/s, reads of 20 us, two requests outstanding of a page for each
of 5,120 units (42 MB; the source's buffer is twice bandwidth times latency, 40 MB). The rest is arithmetic. Llama 3.1
405B with weights of a byte; keys and values of two bytes, 8 heads of 128, 126 layers; a batch as large as memory
allows, each request with 2,048 separate tokens next to the shared cache. A step reads weights, the shared cache once,
and each request's own cache; with HBF, weights and shared cache come from there and the rest from HBM, one after the
other. Then come the operations at the rate of FP8.

Assumptions: NVIDIA B200 with 4.5 PFLOP/s (FP8, dense), 192 GB and 8 TB/s of HBM; 8 cubes of HBF; 8 processors for 1M
tokens and 32 for 10M, as the source has them. Messages between processors take no time. The source describes its
simulator by "operation count / GPU performance" and "data size / device BW", and does not say whether operations of
attention over the shared cache count. Both are shown. Its ratios are near those without them.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.hbf.stack import stack, stream

CHANNELS, UNITS = 16, 320
LINK_GB_S, OUTSTANDING = 1000.0, 2

WEIGHTS, LAYERS, WIDTH = 405e9, 126, 16_384
TOKEN_BYTES = LAYERS * 8 * 128 * 2 * 2
OWN_TOKENS = 2048
HBM_BYTES, HBM_BYTES_S, FLOP_S, CUBES = 192e9, 8e12, 4.5e15, 8
CASES = {"1M": (1 << 20, 8), "10M": (10 << 20, 32)}

LINEAR, ALL = "linear layers", "linear layers and attention"
PUBLISHED = {("1M", "batch"): 2.6, ("10M", "batch"): 18.8, ("1M", "throughput"): 1.25, ("10M", "throughput"): 6.14}


def runs(scale: Scale) -> dict[Label, Run]:
    drive = stack(CHANNELS, UNITS, "20us", **{"link.lanes": 1000, "link.lane_rate": f"{LINK_GB_S / 1000}GB/s"})
    return {("cube",): Run(drive, stream(CHANNELS * UNITS, scale.of(100, 40), OUTSTANDING))}


def batches(shared: float, processors: int) -> tuple[float, float]:
    own, memory = OWN_TOKENS * TOKEN_BYTES, processors * HBM_BYTES
    return (memory - WEIGHTS - shared) / own, memory / own


def throughput(batch: float, tokens: int, processors: int, hbf_bytes_s: float | None, counted: str) -> float:
    shared, own = tokens * TOKEN_BYTES, batch * OWN_TOKENS * TOKEN_BYTES
    hbm = processors * HBM_BYTES_S
    reads = (WEIGHTS + shared) / (processors * hbf_bytes_s if hbf_bytes_s else hbm) + own / hbm
    attention = 4.0 * LAYERS * WIDTH * (tokens + OWN_TOKENS) if counted == ALL else 0.0
    return batch / (reads + batch * (2.0 * WEIGHTS + attention) / (processors * FLOP_S))


def table(found: Mapping[Label, Data]) -> list[Row]:
    cube = found["cube",]["bandwidth_mb_s"] * 1e6
    rows: list[Row] = []
    for context, (tokens, processors) in CASES.items():
        alone, both = batches(tokens * TOKEN_BYTES, processors)
        gains = {("batch", counted): both / alone for counted in (LINEAR,)} | {
            ("throughput", counted): throughput(both, tokens, processors, CUBES * cube, counted)
            / throughput(alone, tokens, processors, None, counted)
            for counted in (LINEAR, ALL)
        }
        for (quantity, counted), ours in gains.items():
            rows.append(
                {
                    "context": context,
                    "quantity": quantity,
                    "operations": counted,
                    "cube_gb_s": cube / 1e9,
                    "ours": ours,
                    "published": PUBLISHED[context, quantity],
                }
            )
    return rows


FIGURE = Figure(
    "h3",
    "Language models with HBM alone, and with HBF",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("operations",), (LINEAR,)),
    ordered=("operations",),
)
