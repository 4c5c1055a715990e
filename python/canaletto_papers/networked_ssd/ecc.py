"""Errors in pages that go from chip to chip (§VIII, "On-die ECC functions").

Method: the traffic `usr_0` of Fig. 19, whose collection is the busiest, on pnSSD with spatial collection and each
treatment of errors. A chip may look for errors in the pages that it receives (hierarchical ECC). Every page, or each
fourth copy of a page, may pass the controller. Cells have no wrong bits, 16 in 1 KiB or 33, of which the controller
corrects 72. Errors of copies that no controller has seen add up. A page in which a chip finds more than 36 wrong bits
in 1 KiB, or any, is read again for the controller. `ours` is the mean latency over that without treatment. Next to it
stand the tail, the length of an epoch, copies that passed a controller, retries of reads, and pages that could not be
corrected. `on_die_area` is what a die gets in addition, in percent.

Assumptions: as for Fig. 19. The paper states no time (2 us in a chip is assumed), no rate of errors, and 20 % of area
for the on-die controller without a check. The check is counted as a flip-flop and an XOR for each check bit of the
controller's code (BCH, 14 times 72 per 1 KiB). Cells are those of rtl/synth (0.18 um), a die has 100 mm2.
"""

from collections.abc import Mapping
from typing import Any

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.networked_ssd.collecting import profile, system

ECC = "fabric.omnibus.chip_to_chip_ecc"
DETECTS: dict[str, Any] = {ECC: "detect"}
EVERY: dict[str, Any] = {ECC: "via-controller", "fabric.omnibus.via_controller_every": 1}
NONE = "none"
CHOICES: dict[str, dict[str, Any]] = {
    NONE: {ECC: "none"},
    "detection in the chip, 2 us": DETECTS,
    "detection in the chip, 10 us": {**DETECTS, "fabric.omnibus.detect_time": "10us"},
    "detection of any wrong bit, 2 us": {**DETECTS, "fabric.omnibus.detect_bits": 0},
    "each fourth copy through the controller": {ECC: "via-controller"},
    "every copy through the controller": EVERY,
}
CLEAN = "without errors"
CELLS: dict[str, dict[str, Any]] = {
    CLEAN: {},
    "2 wrong bits of 1,000": {"flash.errors.base": 0.002},
    "4 wrong bits of 1,000": {"flash.errors.base": 0.004},
}
WORKLOAD = "usr_0"

ON_DIE = 20.0
"""§VIII, in percent of a die of 100 mm2."""
CHECK_BITS = 14 * 72
CELL_UM2 = 96.0 + 4 * 24.0
"""A flip-flop, and an XOR of four NAND gates (osu018: DFFPOSX1, NAND2X1)."""
CHECK = 100 * CHECK_BITS * CELL_UM2 / 100e6


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (cells, choice): Run(
            system("pnSSD", "SpGC", scale, **keys, **errors), profile(WORKLOAD, scale.of(150_000, 10_000))
        )
        for cells, errors in CELLS.items()
        for choice, keys in CHOICES.items()
        if cells != CLEAN or "any" not in choice
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (cells, choice), data in found.items():
        flash, latency = data["flash"], data["latency_us"]["all"]
        collected = flash["gc"]
        direct = collected["pages_copied_chip_to_chip"]
        rows.append(
            {
                "cells": cells,
                "choice": choice,
                "p99_us": latency["p99"],
                "epoch_us": collected["epoch_mean_us"],
                "via_controller": collected["pages_copied"] - direct,
                "read_retries": flash["read_retries"],
                "uncorrectable": flash["uncorrectable"],
                "on_die_area": ON_DIE + CHECK * (CHOICES[choice][ECC] == "detect"),
                "ours": latency["mean"] / found[cells, NONE]["latency_us"]["all"]["mean"],
                "published": None,
            }
        )
    return rows


FIGURE = Figure("table-on-die-ecc", "Errors in pages from chip to chip (§VIII)", __doc__, runs, table, lambda _: None)
