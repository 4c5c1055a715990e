"""Lesson 4. Depth over rate is latency; programs that let reads pass cost the writer little."""

import canaletto as cn

lesson = "queues"
answer_1 = 24 / 1.44
answer_2 = 9.36
answer_3 = cn.design(
    "performance-optimized",
    **{
        "geometry.channels": 4,
        "geometry.chips_per_channel": 2,
        "flash.suspend.operations": "program",
        "flash.suspend.suspend_time": "5us",
        "flash.suspend.min_remaining": "10us",
    },
)
