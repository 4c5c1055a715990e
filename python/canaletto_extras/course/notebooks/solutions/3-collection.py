"""Lesson 3. The drive of the lesson, with the shares and the policy that were looked for."""

import canaletto as cn

lesson = "collection"
SMALL = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 128,
    "geometry.pages_per_block": 64,
    "precondition.kind": "steady",
}
answer_1 = 4.86
answer_2 = 0.23
answer_3 = cn.design(
    "performance-optimized", **SMALL, **{"ftl.overprovisioning": 0.15, "gc.policy": "cost-benefit"}
)  # old blocks whose pages are cold are collected before they are the emptiest
