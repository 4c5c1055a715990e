"""Measurements of drives: calibration uses those with at most eight requests outstanding.

Read from fio's results: IOPS, mean, median and 99th percentile from submission to completion, in microseconds (the
last two are percentiles of completion and the mean time of submission).

Sources: Samsung 980 PRO 1 TB: stonet-research/icpe24_io_scheduler_study_artifact 013f1e15, MIT (4 KiB: its set
`results_qd_iops_inc_proc_4kb`; other sizes: `results_qd_iops_vary_bs`). WD ZN540: stonet-research/NVMeBenchmarks
01f40f1c, MIT (`zns-a`, format of 4 KiB, reads at random places and writes one behind the other in one zone).
"""

from canaletto_papers.drives.drive import IO_URING, SPDK, TLC980, ZN540

Numbers = tuple[int, float, float, float]

READS: dict[tuple[str, str, str, int], Numbers] = {
    (TLC980, SPDK, "4KiB", 1): (16583, 60.0, 56.2, 69.3),
    (TLC980, SPDK, "4KiB", 2): (32927, 60.4, 56.2, 74.4),
    (TLC980, SPDK, "4KiB", 4): (64776, 61.4, 56.8, 99.0),
    (TLC980, SPDK, "4KiB", 8): (125351, 63.5, 57.8, 111.3),
    (TLC980, IO_URING, "4KiB", 1): (14483, 68.3, 66.6, 80.6),
    (TLC980, IO_URING, "4KiB", 2): (29295, 67.6, 65.9, 94.9),
    (TLC980, IO_URING, "4KiB", 4): (58102, 68.3, 65.0, 108.8),
    (TLC980, IO_URING, "4KiB", 8): (113033, 70.4, 66.4, 125.0),
    (TLC980, IO_URING, "8KiB", 1): (8676, 114.0, 114.0, 140.1),
    (TLC980, IO_URING, "8KiB", 8): (58945, 135.0, 118.5, 319.8),
    (TLC980, IO_URING, "16KiB", 1): (7835, 126.3, 123.9, 151.0),
    (TLC980, IO_URING, "16KiB", 8): (53346, 149.2, 134.6, 348.6),
    (TLC980, IO_URING, "64KiB", 1): (6468, 153.1, 146.2, 172.9),
    (TLC980, IO_URING, "64KiB", 8): (27300, 292.1, 276.2, 614.1),
    (ZN540, SPDK, "4KiB", 1): (13704, 72.6, 69.3, 81.6),
    (ZN540, SPDK, "4KiB", 2): (26995, 73.7, 69.3, 109.2),
    (ZN540, SPDK, "4KiB", 4): (52388, 76.0, 70.3, 128.7),
    (ZN540, SPDK, "4KiB", 8): (98607, 80.8, 75.4, 148.6),
    (ZN540, SPDK, "8KiB", 1): (11833, 84.1, 80.5, 93.9),
    (ZN540, SPDK, "8KiB", 2): (23253, 85.7, 80.5, 129.7),
    (ZN540, SPDK, "8KiB", 4): (44847, 88.8, 82.6, 150.7),
    (ZN540, SPDK, "8KiB", 8): (83322, 95.7, 91.8, 177.3),
    (ZN540, SPDK, "16KiB", 1): (9809, 101.6, 97.9, 111.3),
    (ZN540, SPDK, "16KiB", 2): (19186, 103.9, 97.9, 158.9),
    (ZN540, SPDK, "16KiB", 4): (36636, 108.8, 101.0, 185.5),
    (ZN540, SPDK, "16KiB", 8): (66768, 119.5, 111.2, 224.4),
}

DEEP: dict[tuple[str, str, str, int], Numbers] = {
    (TLC980, SPDK, "4KiB", 16): (233552, 68.2, 61.9, 132.3),
    (TLC980, SPDK, "4KiB", 32): (400496, 79.6, 70.3, 191.7),
    (TLC980, SPDK, "4KiB", 64): (589959, 108.2, 84.7, 321.7),
    (TLC980, SPDK, "4KiB", 128): (735639, 173.7, 134.3, 602.3),
    (TLC980, SPDK, "4KiB", 256): (783333, 326.6, 268.4, 1011.8),
    (ZN540, SPDK, "4KiB", 16): (174321, 91.5, 81.5, 195.7),
    (ZN540, SPDK, "4KiB", 32): (274050, 116.4, 96.9, 301.2),
    (ZN540, SPDK, "4KiB", 64): (365005, 175.0, 142.5, 553.1),
    (ZN540, SPDK, "4KiB", 128): (424460, 301.2, 230.5, 1122.4),
    (ZN540, SPDK, "4KiB", 256): (437369, 585.1, 493.7, 1679.5),
    (ZN540, SPDK, "8KiB", 16): (143941, 110.8, 97.9, 238.7),
    (ZN540, SPDK, "8KiB", 32): (221086, 144.4, 122.5, 366.7),
    (ZN540, SPDK, "8KiB", 64): (283608, 225.3, 187.5, 676.0),
    (ZN540, SPDK, "8KiB", 128): (294953, 433.6, 329.9, 1630.3),
    (ZN540, SPDK, "8KiB", 256): (296259, 863.9, 733.3, 2408.5),
    (ZN540, SPDK, "16KiB", 16): (111843, 142.7, 128.7, 313.5),
    (ZN540, SPDK, "16KiB", 32): (160085, 199.6, 173.2, 518.3),
    (ZN540, SPDK, "16KiB", 64): (160421, 398.6, 387.2, 741.5),
    (ZN540, SPDK, "16KiB", 128): (160415, 797.6, 782.5, 1138.8),
    (ZN540, SPDK, "16KiB", 256): (160434, 1595.4, 1581.2, 1941.6),
}
"""Random reads with more than eight outstanding, from the same sources: given out after the presets had been judged."""

WRITES: dict[tuple[str, int], Numbers] = {
    ("4KiB", 1): (92783, 10.5, 10.5, 13.3),
    ("4KiB", 2): (166100, 11.8, 11.2, 16.9),
    ("4KiB", 4): (199922, 19.8, 18.7, 33.2),
    ("4KiB", 8): (174388, 45.6, 43.9, 88.7),
    ("4KiB", 16): (122872, 130.0, 124.6, 234.7),
    ("4KiB", 64): (122102, 523.9, 522.4, 659.6),
    ("4KiB", 256): (122143, 2095.6, 2113.7, 2277.5),
    ("8KiB", 1): (92492, 10.6, 10.4, 13.4),
    ("8KiB", 2): (149487, 13.1, 10.8, 65.5),
    ("8KiB", 4): (149542, 26.5, 14.8, 152.8),
    ("8KiB", 8): (149469, 53.3, 29.5, 469.2),
    ("8KiB", 16): (149485, 106.8, 67.3, 758.0),
    ("8KiB", 64): (149556, 427.7, 301.3, 1614.1),
    ("8KiB", 256): (149427, 1712.9, 2023.6, 4014.3),
    ("16KiB", 1): (63200, 15.6, 15.1, 19.6),
    ("16KiB", 2): (74753, 26.5, 18.6, 142.7),
    ("16KiB", 4): (74741, 53.3, 30.2, 424.3),
    ("16KiB", 8): (74763, 106.7, 67.5, 790.9),
    ("16KiB", 16): (74723, 213.9, 140.7, 1204.6),
    ("16KiB", 64): (74723, 856.2, 676.2, 1892.7),
    ("16KiB", 256): (74763, 3423.7, 3293.7, 5931.5),
    ("128KiB", 1): (9341, 106.8, 63.3, 760.3),
    ("128KiB", 2): (9345, 213.8, 131.1, 1157.6),
    ("128KiB", 4): (9341, 427.9, 282.5, 1566.6),
    ("128KiB", 8): (9345, 855.8, 678.4, 2042.4),
    ("128KiB", 16): (9348, 1711.2, 1845.3, 4114.5),
    ("128KiB", 64): (9348, 6845.5, 6916.6, 10160.7),
    ("128KiB", 256): (9337, 27403.1, 27404.1, 31074.1),
}
