"""Options of fio that a device notices, and those that it does not."""

from typing import Any

from canaletto._io.fio_values import Given, decimal

SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "falloc"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WITHOUT_EFFECT = _words(
    """
    allow_file_create allow_mounted_write allrandrepeat bwavgtime clat_percentiles clocksource continue_on_error
    cpumask cpumode cpus_allowed cpus_allowed_policy create_fsync create_on_open create_only create_serialize
    dedupe_percentage description direct directory disable_bw_measurement disable_clat disable_lat disable_slat
    do_verify end_fsync error_dump eta exec_postrun exec_prerun exitall fadvise_hint fallocate filename
    filename_format file_append fixedbufs force_async fsync_on_close gid group_reporting gtod_cpu gtod_reduce hipri
    hugepage-size ignore_error invalidate iomem iomem_align iopsavgtime ioscheduler lat_percentiles lockfile lockmem
    max_open_zones mem mem_align name new_group nice nonvectored norandommap numa_cpu_nodes numa_mem_policy opendir
    openfiles overwrite per_job_logs percentile_list pre_read prio prioclass randrepeat randseed ramp_time
    random_generator refill_buffers registerfiles rwmixcycle scramble_buffers significant_figures slat_percentiles
    sqthread_poll sqthread_poll_cpu stats steadystate stonewall thread uid unified_rw_reporting unlink
    unlink_each_loop userspace_reap verify_fatal wait_for_previous zero_buffers buffered unit_base
    """
)
_NAMES_WITHOUT_EFFECT = ("buffer_", "write_", "log_", "steadystate_", "thinktime_blocks_type")

_REASONS = {
    "read_iolog": "expected the log itself as the workload: canaletto reads fio's I/O logs as traces",
    "verify": "expected no verification: it reads back what was written",
    "nrfiles": "expected 1: a device has no files",
    **dict.fromkeys(("zonesize", "zonerange", "zoneskip", "zonecapacity"), "expected it with zonemode=zbd"),
}


def without_effect(key: str, value: str) -> bool:
    return key in _WITHOUT_EFFECT or key.startswith(_NAMES_WITHOUT_EFFECT) or (key, value) == ("nrfiles", "1")


def why_not(key: str) -> str:
    return _REASONS.get(key, "it may change what a device is asked for and has no counterpart: expected without it")


def distribution(given: Given) -> dict[str, Any]:
    kind, *parameters = given.text.split(":")
    try:
        if kind == "random" and not parameters:
            return {}
        if kind == "zipf" and len(parameters) == 1:
            return {"addresses": "zipf", "zipf_exponent": decimal(parameters[0])}
        if kind == "pareto" and len(parameters) == 1:
            return {"addresses": "pareto", "hot_share": decimal(parameters[0])}
        if kind == "zoned" and len(parameters) == 2:
            (busy, near), (calm, far) = ([decimal(number) for number in part.split("/")] for part in parameters)
            if busy + calm == 100 and near + far == 100 and busy == far:
                return {"addresses": "hot-cold", "hot_share": near / 100}
    except ValueError:
        pass
    raise given.wrong(
        "expected random, zipf:THETA, pareto:H, or zoned with two zones that mirror each other, such as 80/20:20/80"
    )
