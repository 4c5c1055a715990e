"""Errors in pages that go from chip to chip (§VIII, "On-die ECC functions").

Method: the traffic `hm_0` and `usr_0` of Fig. 19 on pnSSD with spatial collection, with each treatment of errors:
none; detection in the receiving chip, which is the weak half of hierarchical ECC; every page, or each fourth copy of
a page, through the controller and its strong ECC. `ours` is the mean latency of the requests over that without any
treatment. Next to it stand the tail, the length of an epoch, copies that passed a controller, and retries of reads.

Assumptions: as for Fig. 19. The paper states no time (2 us in a chip is assumed), no area and no rate of errors for
on-die detection. Detection finds nothing here, so that its retries are none; area is therefore left open. Nothing is
published of it.
"""

from collections.abc import Mapping
from typing import Any

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.networked_ssd.collecting import profile, system

WORKLOADS = ("hm_0", "usr_0")
ECC = "fabric.omnibus.chip_to_chip_ecc"
CHOICES: dict[str, dict[str, Any]] = {
    "none": {ECC: "none"},
    "detection in the chip, 2 us": {ECC: "detect"},
    "detection in the chip, 10 us": {ECC: "detect", "fabric.omnibus.detect_time": "10us"},
    "each fourth copy through the controller": {ECC: "via-controller"},
    "every copy through the controller": {ECC: "via-controller", "fabric.omnibus.via_controller_every": 1},
}


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (name, choice): Run(system("pnSSD", "SpGC", scale, **keys), profile(name, scale.of(150_000, 10_000)))
        for name in WORKLOADS
        for choice, keys in CHOICES.items()
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (name, choice), data in found.items():
        collected, latency = data["flash"]["gc"], data["latency_us"]["all"]
        direct = collected["pages_copied_chip_to_chip"]
        rows.append(
            {
                "workload": name,
                "choice": choice,
                "p99_us": latency["p99"],
                "epoch_us": collected["epoch_mean_us"],
                "copies_through_controller": collected["pages_copied"] - direct,
                "read_retries": data["flash"].get("read_retries"),
                "ours": latency["mean"] / found[name, "none"]["latency_us"]["all"]["mean"],
                "published": None,
            }
        )
    return rows


FIGURE = Figure("table-on-die-ecc", "Errors in pages from chip to chip (§VIII)", __doc__, runs, table, lambda _: None)
