"""Lesson 1. The transfer of 4,096 B at 600 MB/s takes 6.83 µs, 3.41 µs more than before: 7.36 + 3.41."""

import canaletto as cn

lesson = "drive"
answer_1 = 10.77
answer_2 = 11
answer_3 = cn.design("performance-optimized", **{"fabric.link_rate": "2400MT/s"})  # 1.7 µs less on the bus
