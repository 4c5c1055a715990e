"""A step of a language model with weights in HBF or in HBM of equal bandwidth (SanDisk, 2025: within 2.2 %).

Method: a stack streams its share of one layer of Llama 3.1 405B in 8 bits, an eighth of 405 GB / 126 layers, 16,384
pages outstanding, with 1.6 TB/s (SanDisk's first generation). HBM is the same stack whose pages take 50 ns. `each
layer waits`: a layer's weights are asked for when the previous layer has come. `layers follow`: the next layer's are
asked for before, so that latency shows once in 126 layers.

Assumptions: SanDisk gives neither read time nor prefetching. 8 stacks; 256 or 512 units on each of 16 channels, so
that the flash fills the link; HBM without a limit of capacity, as SanDisk compares. The loss is the share of
throughput lost, and 2.2 % its published bound.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.hbf.stack import stack, stream

LAYERS, LAYER_PAGES, OUTSTANDING = 126, 98_304, 16_384
"""Pages of a layer in one of 8 stacks: 402.7 MB, where 405 GB / 126 / 8 are 401.8 MB."""
CHANNELS = 16
UNITS = {0.05: 256, 1.0: 256, 5.0: 256, 15.0: 512, 20.0: 512}
"""Units of a channel by read time in microseconds; the first one stands for HBM."""
HBM_US, *TIMES_US = UNITS
WAITS, FOLLOW = "each layer waits", "layers follow"


def runs(_: Scale) -> dict[Label, Run]:
    keys = {"link.lanes": 1000, "link.lane_rate": "1.6GB/s", "geometry.blocks_per_plane": 32}
    found: dict[Label, Run] = {}
    for time, units in UNITS.items():
        pages = CHANNELS * units
        layer = stream(pages, LAYER_PAGES // pages, OUTSTANDING // pages)
        found[(f"{time}",)] = Run(stack(CHANNELS, units, f"{time}us", **keys), layer)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    took = {float(time): data["execution_time_us"] for (time,), data in found.items()}
    rows: list[Row] = []
    for time in TIMES_US:
        late = took[time] - took[HBM_US]
        for way, share in ((WAITS, 1.0), (FOLLOW, 1.0 / LAYERS)):
            whole = took[HBM_US] + share * late
            rows.append(
                {
                    "read_us": f"{time:g}",
                    "prefetch": way,
                    "layer_us": took[time],
                    "ours": share * late / whole * 100.0,
                    "published": 2.2,
                }
            )
    return rows


FIGURE = Figure(
    "sandisk",
    "Throughput lost to HBM of equal bandwidth, %",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("prefetch",), (FOLLOW,)),
    is_bound=True,
    neutral=0.0,
    ordered=("prefetch",),
)
