"""Lesson 2. Root causes of a run say how long the wait for wires is."""

import canaletto as cn

lesson = "paths"
work = cn.Workload.from_toml(
    """
name = "hot"
[[flow]]
name = "reads"
[flow.synthetic]
requests = 8000
read_share = 1.0
size = "4KiB"
queue_depth = 32
channel_skew = { share = 0.5, channels = 8 }
""",
    "hot",
)
run = cn.run("performance-optimized", work)
answer_1 = 100 * run["root_cause_us"]["all"]["path_conflict"] / run.latency_us.all.mean
answer_2 = "venice"  # bus and mesh-2bit are the others with eight pins or fewer
answer_3 = cn.design("performance-optimized", **{"fabric.link_rate": "3200MT/s"})  # twice the rate is not enough
