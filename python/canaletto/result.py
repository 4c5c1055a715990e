"""Results of a run: the fields of `canaletto run --json`, with their types, units and meaning.

Made of the engine's schema (`canaletto schema result`) by `make results`, not by hand.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from canaletto._io.fields import Fields

__all__ = [
    "CAUSES",
    "Area",
    "ArrayEnergy",
    "Blame",
    "BlockCounts",
    "BlocksReport",
    "Bottleneck",
    "CacheReport",
    "CachedReads",
    "CachedWrites",
    "Cause",
    "ChipShare",
    "ComputeReport",
    "ControllerShare",
    "Cost",
    "CutOffReport",
    "Distribution",
    "DriveResult",
    "Energy",
    "EnergyDetail",
    "FabricEnergy",
    "FdpReport",
    "FlashReport",
    "FlowReport",
    "FreeBlocks",
    "GcReport",
    "HandleReport",
    "IdleEnergy",
    "Interconnect",
    "Latency",
    "LatencyTails",
    "LoadReport",
    "MaintenanceSeries",
    "Map",
    "MappingReport",
    "Merges",
    "NamespaceReport",
    "Pacing",
    "PaperEnergy",
    "ParityReport",
    "PathConflicts",
    "PreconditionReport",
    "PslcReport",
    "PslcSeries",
    "ReplayReport",
    "Report",
    "Requests",
    "RunResult",
    "SeriesReport",
    "TimeScaling",
    "TraceNotes",
    "TraceReport",
    "Utilisation",
    "WearReport",
    "WireShare",
    "ZonesReport",
]

Cause: TypeAlias = Literal[
    "host_queue",
    "host_link",
    "device_queue",
    "firmware",
    "system_bus",
    "dram",
    "ecc",
    "cache",
    "write_buffer",
    "flush",
    "mapping_miss",
    "same_page_write",
    "read_modify_write",
    "free_blocks",
    "chip_busy_user",
    "chip_busy_gc_read",
    "chip_busy_gc_program",
    "chip_busy_erase",
    "chip_busy_mapping",
    "chip_busy_folding",
    "chip_busy_parity",
    "path_conflict",
    "path_reservation",
    "command_transfer",
    "status",
    "array_read",
    "array_program",
    "suspended",
    "retry",
    "data_transfer",
    "completion",
    "transfer_of_others",
    "operand_transfer",
    "compute",
]
"""Cause of a part of a request's latency."""

Pacing: TypeAlias = Literal["recorded", "scaled", "closed-loop", "as-fast-as-possible"]
"""Arrival process of a stream."""

CAUSES: Mapping[Cause, str] = {
    "host_queue": "Wait in the host until the submission queue has room.",
    "host_link": "Transfer over the host link, and the wait for it: doorbell, command fetch, data.",
    "device_queue": "Wait in the submission queue until the drive fetches the command.",
    "firmware": "Service by the controller's processor, and the wait for it.",
    "system_bus": "Transfer over the system bus, and the wait for it.",
    "dram": "Transfer over the DRAM port, and the wait for it.",
    "ecc": "Service by the ECC engine, and the wait for it.",
    "cache": "Transfer to or from the data cache's DRAM, and the wait for it.",
    "write_buffer": "Wait for room in the write buffer.",
    "flush": "Wait for data to reach the flash: a flush waits for all earlier writes, a write with force unit access for its own data.",
    "mapping_miss": "Wait for the mapping entry to be read from flash.",
    "same_page_write": "Wait for an earlier write of the same page.",
    "read_modify_write": "Wait for the old page of a partial write to be read.",
    "free_blocks": "Wait for garbage collection to free a block.",
    "chip_busy_user": "Wait for the chip, which is busy with (or has queued before) other user requests.",
    "chip_busy_gc_read": "Wait for the chip, which is busy with reads of garbage collection.",
    "chip_busy_gc_program": "Wait for the chip, which is busy with programs of garbage collection.",
    "chip_busy_erase": "Wait for the chip, which is busy with erases.",
    "chip_busy_mapping": "Wait for the chip, which is busy with reads and programs of mapping tables.",
    "chip_busy_folding": "Wait for the chip, which is busy with folding: reads of the pseudo-SLC cache and the programs that copy it.",
    "chip_busy_parity": "Wait for the chip, which is busy with parity: programs of it, and reads of pages of which another one is rebuilt.",
    "path_conflict": "Wait for a path to a chip that is ready.",
    "path_reservation": "Set-up of the path: scouts in flight, messages between controllers.",
    "command_transfer": "Transfer of command and address.",
    "status": "Wait until the controller has learnt that the array is done: its status on the wires, and the wait for the next poll.",
    "array_read": "Array read.",
    "array_program": "Array program.",
    "suspended": "Suspension of the page's own program for reads of others.",
    "retry": "Repeated read of data that could not be corrected, or repeated program after a failure.",
    "data_transfer": "Transfer of data.",
    "completion": "Transfer of the completion entry to the host, and the wait for room in the completion queue.",
    "transfer_of_others": "Crossing of others' commands and data, which keeps busy what is waited for. Root causes only: blame charges the wait to what is waited for.",
    "operand_transfer": "Transfer of an operand of a task to the chip that combines it: from another chip, or from the controller.",
    "compute": "Computation of a task, and the wait for its unit and for room there.",
}
"""Meaning of each cause, in the order in which a request meets them."""


class FreeBlocks(Fields):
    """Free blocks of the planes."""

    min: int
    """Fewest free blocks of a plane."""
    mean: float
    """Mean number of free blocks of a plane."""
    max: int
    """Most free blocks of a plane."""


class BlockCounts(Fields):
    """Blocks of the drive by state. Free, open, full and bad blocks add up to the total."""

    total: int
    """All blocks."""
    free: int
    """Erased blocks."""
    open: int
    """Blocks being filled."""
    full: int
    """Full blocks."""
    bad: int
    """Retired blocks."""


class PreconditionReport(Fields):
    """State of the drive before the run."""

    kind: str
    """Method that prepared the drive."""
    occupancy: list[float]
    """Share, from 0 to 1, of the addresses that hold data: of each flow of a partitioned drive, or of the one range
    that all flows share.
    """
    policy: str
    """Choice of victims of garbage collection."""
    write_amplification: float | None
    """Pages written to flash for each page that the host wrote, computed, or measured while writing."""
    pages_written: int
    """Pages written in simulation to prepare the drive."""
    free_blocks: FreeBlocks
    """Free blocks of each plane."""
    blocks: BlockCounts
    """Blocks of the whole drive."""
    valid_pages: int
    """Pages that hold data."""
    pages: int
    """All pages."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"free_blocks": FreeBlocks, "blocks": BlockCounts}


class Requests(Fields):
    """Numbers of requests."""

    generated: int
    """Requests generated by the workload, warm-up included."""
    completed: int
    """Requests completed, warm-up included."""
    reads: int
    """Reads completed after the warm-up."""
    writes: int
    """Writes completed after the warm-up."""
    trims: int
    """Trims (deallocations) completed after the warm-up."""
    flushes: int
    """Flushes completed after the warm-up."""
    zone_commands: int | None
    """Resets, finishes, openings and closings of zones completed after the warm-up."""
    failed: int
    """Requests completed with an error after the warm-up."""
    bytes: int
    """Bytes moved by requests completed after the warm-up."""


class Distribution(Fields):
    """Distribution of times, in microseconds.

    All are null where there was none; a percentile is null where fewer than ten times lie above it: the 99th
    needs 1,000 requests.
    """

    mean: float | None
    """Mean, in microseconds."""
    min: float | None
    """Shortest time, in microseconds."""
    p50: float | None
    """Median, in microseconds."""
    p90: float | None
    """90th percentile, in microseconds."""
    p99: float | None
    """99th percentile, in microseconds."""
    p99_9: float | None
    """99.9th percentile, in microseconds."""
    p99_99: float | None
    """99.99th percentile, in microseconds."""
    max: float | None
    """Longest time, in microseconds."""


class Latency(Fields):
    """Latency distributions of all requests and of each kind, in microseconds."""

    all: Distribution
    """All requests, in microseconds."""
    read: Distribution
    """Reads, in microseconds."""
    write: Distribution
    """Writes, in microseconds."""
    trim: Distribution
    """Trims, in microseconds."""
    flush: Distribution
    """Flushes, in microseconds."""
    zone_command: Distribution | None
    """Resets, finishes, openings and closings of zones, in microseconds."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "all": Distribution,
        "read": Distribution,
        "write": Distribution,
        "trim": Distribution,
        "flush": Distribution,
        "zone_command": Distribution,
    }


class Blame(Fields):
    """Mean time by cause, in microseconds, of all requests and of the slowest.

    Causes that never occurred are left out.
    """

    all: Mapping[Cause, float]
    """Mean over all requests, in microseconds."""
    p99: Mapping[Cause, float]
    """Mean over the requests at or above the 99th percentile of latency, which is known to a thousandth, in
    microseconds.
    """


class PathConflicts(Fields):
    """Path conflicts."""

    free_request_share: float | None
    """Share, from 0 to 1, of requests without a path conflict of any of their transactions."""
    free_transaction_share: float | None
    """Share, from 0 to 1, of page transactions of requests without a path conflict."""
    lost_us: float
    """Time lost to path conflicts, summed over transactions, in microseconds."""


class LatencyTails(Fields):
    """Points (share of slower requests, latency in microseconds) of each distribution."""

    all: list[list[float]]
    """All requests: share from 0 to 1, latency in microseconds."""
    read: list[list[float]]
    """Reads: share from 0 to 1, latency in microseconds."""
    write: list[list[float]]
    """Writes: share from 0 to 1, latency in microseconds."""


class SeriesReport(Fields):
    """Series in results. Every list has one value an interval, and the first interval begins with the run."""

    interval_us: float
    """Length of an interval, in microseconds."""
    arrivals: list[int]
    """Completed requests that arrived in the interval."""
    completed: list[int]
    """Requests completed."""
    outstanding: list[float]
    """Mean number of outstanding requests."""
    latency_us: list[float | None]
    """Mean latency of the requests completed, in microseconds."""
    path_conflict_us: list[float]
    """Time that pages of the requests completed lost to path conflicts, in microseconds."""


class Bottleneck(Fields):
    """A part and the share of the run in which it was in use."""

    part: str
    """Name of the part."""
    use: float
    """Share from 0 to 1."""


class LoadReport(Fields):
    """Offered and served load."""

    offered_iops: float | None
    """Requests that arrive per second, if all have arrival times; none in closed loops."""
    served_iops: float | None
    """Requests completed a second, over the execution time."""
    saturated: bool
    """Whether more was offered than served and the backlog grew: latencies then depend on the length of the run."""
    backlog_growth: float | None
    """Outstanding requests in the last quarter of the time of arrivals, as a multiple of those in the second
    quarter.
    """
    bottleneck: Bottleneck | None
    """The busiest part."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"bottleneck": Bottleneck}


class Merges(Fields):
    """Merges of log blocks with data blocks, by kind."""

    switch: int
    """Switch merges: a log block became the data block as it was."""
    partial: int
    """Partial merges: a log block became the data block after the rest had been copied into it."""
    full: int
    """Full merges: all pages of a logical block were copied to a free block."""


class GcReport(Fields):
    """Garbage collection."""

    collections: int
    """Victims chosen."""
    reasons: Mapping[str, int]
    """Victims by reason. Reasons that never occurred are left out."""
    pages_copied: int
    """Pages copied."""
    pages_copied_to_other_planes: int
    """Pages copied to another plane."""
    pages_copied_chip_to_chip: int
    """Pages copied straight from chip to chip."""
    valid_share_of_victims: float | None
    """Mean share, from 0 to 1, of valid pages in victims chosen for their space."""
    merges: Merges | None
    """Merges of logical blocks, with hybrid mapping."""
    epochs: int
    """Device-wide epochs that ended."""
    job_mean_us: float | None
    """Mean time from the choice of a victim to its erase, in microseconds."""
    job_max_us: float | None
    """Longest time from the choice of a victim to its erase, in microseconds."""
    epoch_mean_us: float | None
    """Mean length of a device-wide epoch, in microseconds."""
    epoch_max_us: float | None
    """Longest device-wide epoch, in microseconds."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"merges": Merges}


class WearReport(Fields):
    """Wear of the blocks."""

    erases_min: int
    """Fewest erases of a block, never-used blocks included."""
    erases_mean: float
    """Mean number of erases of a block."""
    erases_max: int
    """Most erases of a block, without the static pseudo-SLC cache's blocks."""
    bad_blocks: int
    """Retired blocks."""
    lifetime_bytes: float | None
    """Bytes that the host could write until blocks reach their endurance, with this write amplification and even wear; null without an endurance or without writes.

    Programs of the pseudo-SLC cache are left out.
    """


class BlocksReport(Fields):
    """State of all blocks at the end."""

    total: int
    """All blocks. Free, open, full and bad ones add up to it."""
    free: int
    """Blocks that were erased or never used."""
    open: int
    """Blocks being filled."""
    full: int
    """Full blocks."""
    bad: int
    """Retired blocks."""
    free_in_plane: list[int]
    """Free blocks of the plane with the fewest, and of the plane with the most."""
    by_valid_share: list[int]
    """Full blocks by share of valid pages, in 20 equal steps from none to all."""
    valid_pages: int
    """Pages that hold valid data."""


class PslcSeries(Fields):
    """Activity of the pseudo-SLC cache over time.

    Every list has one value an interval, and the first interval begins with the run.
    """

    interval_us: float
    """Length of an interval, in microseconds."""
    host_pages: list[int]
    """Pages of the host programmed in it."""
    pages_folded: list[int]
    """Pages copied to native blocks."""


class PslcReport(Fields):
    """Activity of the pseudo-SLC cache, warm-up included.

    Pages are mapping units where several of them share a flash page.
    """

    static_pages: int
    """Pages that its static part holds."""
    dynamic_pages: int
    """Pages that its dynamic part holds at its largest."""
    host_pages: int
    """Pages of the host programmed in it. The other `host_pages` went to native blocks."""
    blocks_folded: int
    """Blocks chosen to be folded."""
    pages_folded: int
    """Pages copied to native blocks."""
    reads: int
    """Flash pages read from it, for the host and for folding."""
    programs: int
    """Flash pages programmed in it."""
    erases: int
    """Blocks erased in this mode."""
    energy_mj: float
    """Energy of these reads, programs and erases, in millijoules, which is part of the arrays' energy."""
    erases_max: int
    """Most erases of a block in this mode."""
    blocks_used: int
    """Blocks in use at the end."""
    valid_pages: int
    """Pages of valid data in it at the end."""
    series: PslcSeries
    """Activity over time."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"series": PslcSeries}


class ParityReport(Fields):
    """Activity of parity within superblocks (`ftl.parity`), warm-up included."""

    pages_programmed: int
    """Pages of parity programmed. They count among `programs` and in `write_amplification`."""
    most_open_stripes: int
    """Most stripes at any time that had begun and whose parity was not programmed."""
    peak_buffer_bytes: int
    """Memory of the controller for these: a flash page for the exclusive or of each."""
    pages_rebuilt: int
    """Unreadable pages that were rebuilt from the others of their stripe."""
    rebuild_reads: int
    """Reads of pages for that."""
    energy_mj: float
    """Energy of these programs and reads, in millijoules, which is part of the arrays' energy.

    Their transfers are not in it.
    """
    pages_left_to_rebuild: int
    """Valid pages on the lost die or channel at the end, which have not been rebuilt elsewhere yet."""


class HandleReport(Fields):
    """Counts of a reclaim unit handle."""

    handle: int
    """Number of the handle; 0 is the default."""
    host_pages: int
    """Pages, or mapping units, that the host wrote to it."""
    copied_pages: int
    """Pages that collection moved out of reclaim units with its data alone."""
    units_opened: int
    """Reclaim units that it has taken: changes of the handle to another unit."""
    units_not_full: int
    """Of these, units in which pages were spent without data (event Reclaim Unit Not Fully Written To)."""
    updates: int
    """Updates by the host (Reclaim Unit Handle Update), each of which leaves the units that the handle has begun."""
    unit_pages_left: int
    """Pages left at the end in the units that it fills, one in each reclaim group (available media writes)."""
    write_amplification: float | None
    """Pages written and moved by pages written. Moves out of shared reclaim units are not counted."""


class FdpReport(Fields):
    """Flexible Data Placement."""

    isolation: str
    """Isolation of moved data: initial or persistent."""
    reclaim_groups: int
    """Number of reclaim groups."""
    reclaim_unit_bytes: int
    """Size of a reclaim unit, in bytes."""
    handles: list[HandleReport]
    """Counts of each handle."""
    copied_from_shared: int
    """Pages moved out of reclaim units that several handles share, which initial isolation allows."""
    units_reclaimed: int
    """Reclaim units that collection emptied."""
    media_reallocated: int
    """Of these, units whose valid data were moved (event Media Reallocated)."""
    invalid_placements: int
    """Writes with an unknown handle, which took the default (event Invalid Placement Identifier)."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"handles": HandleReport}


class ZonesReport(Fields):
    """Zones of all zoned namespaces."""

    count: int
    """Number of zones."""
    size_bytes: int
    """Distance between the first addresses of two zones, in bytes."""
    capacity_bytes: int
    """Writable part of a zone, in bytes."""
    dies: int
    """Dies over which a zone is striped."""
    channels: int
    """Channels on which these dies are."""
    states: Mapping[str, int]
    """Number of zones in each state at the end."""
    appends: int
    """Appends admitted."""
    resets: int
    """Resets admitted."""
    finishes: int
    """Finishes admitted."""
    erased_blocks: int
    """Blocks that resets erased."""
    padding_pages: int
    """Pages, or mapping units, that finishes programmed without data."""
    implicit_closes: int
    """Zones that the drive closed to open others."""
    refused: Mapping[str, int]
    """Refused requests by the status code of NVM Express."""


class MaintenanceSeries(Fields):
    """Page operations over time. Every list has one value an interval, and the first interval begins with the run."""

    interval_us: float
    """Length of an interval, in microseconds."""
    host_pages: list[int]
    """Pages programmed for the host."""
    pages_copied: list[int]
    """Pages programmed for copies."""
    erases: list[int]
    """Blocks erased."""


class FlashReport(Fields):
    """Activity of the flash, warm-up included."""

    reads: int
    """Pages of flash read from arrays."""
    programs: int
    """Pages of flash programmed."""
    erases: int
    """Blocks erased."""
    host_pages: int
    """Pages programmed for the host, directly or from the data cache.

    Writes merged in the cache are in its own counts. These and all other pages below are mapping units where
    several of them share a flash page.
    """
    padding: int
    """Mapping units left empty in programmed flash pages."""
    write_amplification: float | None
    """Bytes programmed, padding included, for each byte programmed for the host."""
    suspensions: int
    """Suspensions of programs and erases."""
    copybacks: int
    """Flash pages copied within their plane, without crossing the fabric."""
    read_retries: int
    """Repeated reads of pages that could not be corrected."""
    outer_reads: int | None
    """Reads of whole outer codewords, since a codeword within could not be corrected; none without an outer code."""
    uncorrectable: int
    """Pages that could not be read."""
    program_failures: int
    """Failed programs of pages."""
    erase_failures: int
    """Failed erases of blocks."""
    bad_blocks: int
    """Bad blocks at the end, factory bad blocks included."""
    gc: GcReport
    """Garbage collection."""
    wear: WearReport
    """Wear of the blocks."""
    blocks: BlocksReport
    """State of the blocks at the end."""
    pslc: PslcReport | None
    """Pseudo-SLC cache; none without one."""
    parity: ParityReport | None
    """Parity over dies or channels; none without it."""
    fdp: FdpReport | None
    """Flexible Data Placement; none without handles."""
    zones: ZonesReport | None
    """Zones; none on a conventional drive."""
    series: MaintenanceSeries
    """Page operations over time."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "gc": GcReport,
        "wear": WearReport,
        "blocks": BlocksReport,
        "pslc": PslcReport,
        "parity": ParityReport,
        "fdp": FdpReport,
        "zones": ZonesReport,
        "series": MaintenanceSeries,
    }


class MappingReport(Fields):
    """Activity of the cached mapping table, warm-up included."""

    kind: str
    """Kind of mapping table."""
    entries: int
    """Capacity in entries, of all parts of the cache together."""
    hits: int
    """Look-ups that found their entry. A trim looks up one entry per translation page."""
    misses: int
    """Look-ups that waited for a translation page."""
    shared_misses: int
    """Misses whose translation page was being read already."""
    prefetched: int
    """Entries loaded with the missing ones."""
    evictions: int
    """Entries evicted."""
    dirty_evictions: int
    """Changed entries evicted."""
    uncached_updates: int
    """Changes of entries that were not cached: by garbage collection, by trims of several pages, and by writes whose
    entry had been evicted.
    """
    stalls: int
    """Look-ups that found no room for their entry, because requests waited for all entries in the cache."""
    translation_reads: int
    """Translation pages read for missing entries."""
    merge_reads: int
    """Translation pages read to be merged with changed entries."""
    translation_writes: int
    """Translation pages programmed, copies by garbage collection not included."""
    translation_writes_in_flight_max: int
    """Largest number of translation pages in flight to flash at a time, each of which needs a buffer."""


class CachedReads(Fields):
    """Pages of reads, by result of the look-up."""

    hits: int
    """Pages with all requested sectors in the cache."""
    partial: int
    """Pages with some requested sectors in the cache; the others came from flash."""
    misses: int
    """Pages without requested sectors in the cache."""


class CachedWrites(Fields):
    """Pages of writes, by state of the page in the cache."""

    merged: int
    """Pages that were in the cache already, clean or dirty."""
    inserted: int
    """Pages that were inserted."""
    waited: int
    """Requests that waited for room."""


class CacheReport(Fields):
    """Data cache in a report."""

    capacity_pages: int
    """Capacity, in pages."""
    power_loss_protection: bool
    """Whether its data survive a loss of power."""
    dirty_pages: int
    """Dirty pages at the end of the run."""
    reads: CachedReads
    """Pages read."""
    writes: CachedWrites
    """Pages written."""
    filled: int
    """Pages kept after a read from flash."""
    lost: int
    """Written pages that found no room on a worn-out drive, or whose rest is out of reach: their data are lost."""
    destaged: int
    """Pages written from the cache to flash."""
    evicted_clean: int
    """Clean pages evicted."""
    evicted_dirty: int
    """Dirty pages evicted, by a write to flash."""
    trimmed: int
    """Pages removed by trims."""
    dirty_pages_max: int
    """Largest number of dirty pages at a time."""
    flushes: int
    """Flushes of a drive with a cache."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"reads": CachedReads, "writes": CachedWrites}


class Utilisation(Fields):
    """Share of the execution time in which a part was in use."""

    part: str
    """Name of the part."""
    share: float
    """Share from 0 to 1."""


class ChipShare(Fields):
    """Position and use of a chip."""

    name: str
    """Name of the chip."""
    row: int
    """Row, which is the channel."""
    column: int
    """Position in the row."""
    array: float
    """Share of the run, from 0 to 1, in which its arrays worked, mean over its dies."""
    port: float
    """Share of the run, from 0 to 1, in which commands and data crossed its ports, mean over its ports."""
    erases: float
    """Mean number of erases of its blocks."""


class ControllerShare(Fields):
    """Position and use of a controller."""

    name: str
    """Name of the controller."""
    row: int
    """Row of the controller."""
    column: int
    """−1 west of the array, the number of columns east of it."""
    share: float
    """Share of the run, from 0 to 1, in which it was in use."""


class WireShare(Fields):
    """Position and use of a wire."""

    name: str
    """Name of the wire."""
    kind: str
    """Kind of wire."""
    to: list[int]
    """Other end: row, column."""
    share: float
    """Share of the run, from 0 to 1, in which it was in use, reservations included."""


class Map(Fields):
    """Chip array with wires and controllers."""

    rows: int
    """Number of rows of chips."""
    columns: int
    """Number of chips in a row."""
    chips: list[ChipShare]
    """Chips, row by row."""
    controllers: list[ControllerShare]
    """Controllers."""
    wires: list[WireShare]
    """Wires, in the fabric's order."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "chips": ChipShare,
        "controllers": ControllerShare,
        "wires": WireShare,
    }


class CutOffReport(Fields):
    """Chips that failed parts of the interconnect (`fabric.failures`) cut off, warm-up included."""

    chips: int
    """Chips that no controller reaches at the end."""
    pages_out_of_reach: int
    """Pages that could be neither read nor rebuilt because of it, those that the drive wanted for itself included."""
    requests_failed: int
    """Requests that failed because of it."""


class Energy(Fields):
    """Energy by origin, in millijoules."""

    array: float
    """Reading, programming and erasing, in millijoules."""
    fabric: float
    """Moving commands and data between controller and chips, in millijoules."""
    host_link: float | None
    """Moving messages and data over the host link, in millijoules. Absent without `energy.wires.host_link`."""
    compute: float | None
    """Units that compute on tasks, also the host, in millijoules. Absent without tasks."""
    static: float
    """Drawn all the time, in millijoules."""
    total: float
    """All of it, in millijoules."""


class ArrayEnergy(Fields):
    """Energy of the flash arrays, in millijoules."""

    read: float
    """Reads, in millijoules."""
    program: float
    """Programs, in millijoules."""
    erase: float
    """Erases, in millijoules."""


class FabricEnergy(Fields):
    """Energy of the interconnect at work, in millijoules."""

    wires: float
    """Wires, in millijoules."""
    routers: float
    """Routers without their buffers, and a central arbiter, in millijoules."""
    buffers: float
    """Routers' buffers, in millijoules."""


class IdleEnergy(Fields):
    """Energy drawn all the time, in millijoules."""

    chips: float
    """Flash chips, in millijoules."""
    wires: float
    """Wires, in millijoules."""
    routers: float
    """Routers, and a central arbiter, in millijoules."""
    controller: float
    """The SSD controller with its DRAM, in millijoules."""


class PaperEnergy(Fields):
    """The paper's account; none if nothing was done."""

    average_power_mw: float | None
    """Mean power of an operation or transfer while it lasts, in milliwatts."""
    energy_mj: float | None
    """That power times execution time, in millijoules."""


class EnergyDetail(Fields):
    """Energy part by part, in millijoules."""

    array: ArrayEnergy
    """By operation, in millijoules."""
    fabric: FabricEnergy
    """By part at work, in millijoules."""
    static: IdleEnergy
    """By part, in millijoules."""
    paper: PaperEnergy
    """The account of the Venice paper, next to the physical one."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "array": ArrayEnergy,
        "fabric": FabricEnergy,
        "static": IdleEnergy,
        "paper": PaperEnergy,
    }


class Area(Fields):
    """Area of an interconnect. None where a figure does not apply."""

    links: int | None
    """Number of links between routers."""
    link_area_vs_channels: float | None
    """Area of all links over the area of the conventional SSD's channels."""
    router_board_share: float | None
    """Board area of a router over a flash chip's."""
    on_die_share: float | None
    """Area that a controller on the die adds to a flash chip, over the chip's area."""
    switches: int | None
    """Number of switches between buses. Only of fabrics with switches, like their pads and board area."""
    switch_pads: int | None
    """Pads of a switch: data and strobes of its buses, chip enables, grants."""
    switch_board_share: float | None
    """Board area of a switch over a flash chip's."""
    controller_pins: int | None
    """Pins of all controllers on the side of the chips: data and strobes of their buses or links, grants.

    Of fabrics with switches or a central arbiter.
    """
    router_pads: int | None
    """Pads of a router that a central arbiter sets: data and strobes of its ports, grants."""
    arbiter_um2: float | None
    """Area of a central arbiter in the chip of the controllers, in um2."""


class NamespaceReport(Fields):
    """Namespace of a drive."""

    name: str
    """Name in the design."""
    kind: str
    """Kind: conventional, zoned or placed."""
    size_bytes: int
    """Size of its addresses, in bytes."""
    flows: list[str]
    """Names of the flows whose requests it takes."""


class ComputeReport(Fields):
    """Tasks of a flow. Bytes and energy include the warm-up."""

    at: str
    """Place of the computation."""
    tasks: int
    """Tasks begun."""
    operand_bytes: int
    """Bytes of operands."""
    out_bytes: int
    """Bytes of operands that crossed from chips to controllers."""
    in_bytes: int
    """Bytes of operands that crossed from controllers to the chips that combine them."""
    direct_bytes: int
    """Bytes of operands that crossed from chip to chip."""
    result_bytes: int
    """Bytes of results that crossed from chips to controllers."""
    link_bytes: int
    """Bytes that crossed the host link."""
    busy_us: float
    """Time in which units worked, summed over units, in microseconds."""
    energy_mj: float
    """Energy of the units, in millijoules."""


class FlowReport(Fields):
    """Results of one flow."""

    name: str
    """Name of the flow."""
    requests: Requests
    """Numbers of requests."""
    execution_time_us: float | None
    """Time from the first arrival to the last completion, in microseconds.

    With a warm-up it begins with the end of that, if none of the requests counted arrives later.
    """
    last_completion_us: float | None
    """Time of the last completion from the beginning of the run, in microseconds."""
    iops: float | None
    """Requests a second over the execution time."""
    bandwidth_mb_s: float | None
    """Data rate over the execution time, in 10^6 bytes per second."""
    latency_us: Latency
    """Latency from arrival to completion at the host, in microseconds."""
    blame_us: Blame
    """Latency by cause, in microseconds: a wait is charged to what was waited for."""
    root_cause_us: Blame | None
    """Latency by root cause, in microseconds: a wait is passed on to what its holder did or waited for, and so on.

    Absent if waits were not followed.
    """
    path_conflicts: PathConflicts
    """Path conflicts."""
    device_response_us: Distribution
    """Device response time from entry into the submission queue to completion at the host, in microseconds."""
    tail_us: LatencyTails
    """Tail of the latency distribution: points of share and microseconds."""
    series: SeriesReport
    """Counts and means over time."""
    chip_busy_by_flow_us: Mapping[str, float] | None
    """Mean wait of a request for chips busy with user requests, by the flow of those requests, in microseconds.

    The rest of `chip_busy_user` is time in line for idle chips and for their ports. None for a flow alone.
    """
    slowdown: float | None
    """Mean latency as a multiple of the flow's alone on the drive, if the flow was also run alone."""
    compute: ComputeReport | None
    """Tasks of the flow; absent without `flow.compute`."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "requests": Requests,
        "latency_us": Latency,
        "blame_us": Blame,
        "root_cause_us": Blame,
        "path_conflicts": PathConflicts,
        "device_response_us": Distribution,
        "tail_us": LatencyTails,
        "series": SeriesReport,
        "compute": ComputeReport,
    }


class TraceReport(Fields):
    """Trace of a replayed stream."""

    file: str
    """Name of the trace file."""
    requests: int
    """Requests replayed, all passes together."""
    passes: int
    """Number of passes over the trace."""
    skipped: int
    """Requests before the replayed part, all passes together."""
    not_sampled: int
    """Requests that the sample left out."""
    wrapped: int
    """Requests with an address taken modulo the capacity, or moved to lie wholly before its end."""
    scaled: int
    """Requests with an address scaled to the capacity, or moved to lie wholly before its end."""
    recorded_inter_arrival_us: float | None
    """Mean time between arrivals as recorded, in microseconds."""
    inter_arrival_us: float | None
    """Mean time between arrivals as replayed in an open loop, in microseconds."""
    speed: float | None
    """Factor by which the trace was replayed faster than recorded, in an open loop."""


class ReplayReport(Fields):
    """Stream of replayed requests, warm-up included."""

    flow: str
    """Name of the flow."""
    pace: Pacing
    """Arrival process."""
    queue_depth: int | None
    """Number of outstanding requests of a closed loop."""
    requests: int
    """Number of requests replayed."""
    inter_arrival_us: float | None
    """Mean time between arrivals, in microseconds, in an open loop whose requests do not all arrive at once."""
    traces: list[TraceReport]
    """Traces of the stream."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {"traces": TraceReport}


class TimeScaling(Fields):
    """Scaling of the times of all open-loop flows."""

    speed: float
    """Factor by which requests arrive faster than the flows say."""
    given_inter_arrival_us: float
    """Mean time between arrivals of the flows together, before scaling, in microseconds."""
    inter_arrival_us: float
    """Mean time between arrivals of the flows together, as simulated, in microseconds."""


class TraceNotes(Fields):
    """Notes on a trace that was read."""

    devices: int | None
    """Different device numbers, as far as they are distinguished."""
    simultaneous_share: float | None
    """Share, from 0 to 1, of requests that arrive at the same time as the one before them."""
    clock_ns: int | None
    """Largest of 1 s, 1 ms and 1 ns, in nanoseconds, of which all arrivals are multiples after the first."""
    skipped_lines: int
    """Lines left out."""
    first_skipped: str | None
    """The first line left out, and the reason."""
    out_of_order_lines: int
    """Lines that were out of order."""
    clock_restarts: int
    """Times that the trace's clock has started again; the requests after that follow those before."""
    flow: str
    """Name of the flow that replays it."""
    file: str
    """Name of the trace file."""
    overlaid: bool
    """Whether several devices share the same addresses."""
    paced: bool
    """Whether requests arrive at recorded times."""


class Interconnect(Fields):
    """Rate, width, extent and energy of an interconnect's wires: differences that are no structure.

    Filled in by the caller, who counts them.
    """

    rate_mt_s: float
    """Transfers per second of a data wire, in 10^6."""
    width: int
    """Data wires of a link."""
    data_pins_per_controller: float
    """Data pins of the links at a controller."""
    data_pins_per_chip: int
    """Data pins of a chip: of the chip that has most."""
    wire_length_pitches: int
    """Length of all data wires, in pitches between chips."""
    pins_source: str
    """Source of width, pins and length."""
    area_mm2: float | None
    """Area of pads, routers, switches and on-die controllers in mm². Null where nobody published it."""
    area_source: str
    """Source of the area, or why it is null."""
    energy_nj_per_request: float | None
    """Energy that moves commands and data, in nanojoules per completed request. Null where none completed."""
    energy_source: str
    """Source of the energy."""


class Cost(Fields):
    """Cost of a run."""

    wall_s: float
    """Wall-clock time, in seconds."""
    cpu_s: float
    """Processor time of the run's own thread, user and system, in seconds. Other threads do not count."""
    events: int
    """Events simulated."""
    requests_per_cpu_s: float | None
    """Requests for each second of processor time; none if that was too short to measure."""
    peak_rss_mb: float
    """Largest resident memory of the process so far, in 10^6 bytes."""


class Report(Fields):
    """Fields that all results share."""

    schema: int
    """Version of this structure."""
    design: str
    """Name of the design."""
    workload: str
    """Name of the workload."""
    fabric: str
    """Name of the fabric."""
    seed: int
    """Seed of the run."""
    precondition: PreconditionReport | None
    """State of the drive before the run; none if it was fresh."""
    execution_time_us: float | None
    """Time from the first arrival to the last completion, in microseconds.

    With a warm-up it begins with the end of that, if none of the requests counted arrives later.
    """
    last_completion_us: float | None
    """Time of the last completion from the beginning of the run, in microseconds."""
    iops: float | None
    """Requests a second over the execution time."""
    bandwidth_mb_s: float | None
    """Data rate over the execution time, in 10^6 bytes per second."""
    latency_us: Latency
    """Latency from arrival to completion at the host, in microseconds."""
    blame_us: Blame
    """Latency by cause, in microseconds: a wait is charged to what was waited for."""
    root_cause_us: Blame | None
    """Latency by root cause, in microseconds: a wait is passed on to what its holder did or waited for, and so on.

    Absent if waits were not followed.
    """
    path_conflicts: PathConflicts
    """Path conflicts."""
    device_response_us: Distribution
    """Device response time from entry into the submission queue to completion at the host, in microseconds."""
    tail_us: LatencyTails
    """Tail of the latency distribution: points of share and microseconds."""
    series: SeriesReport
    """Counts and means over time."""
    load: LoadReport
    """Offered and served load, and the busiest part."""
    flash: FlashReport
    """Activity of the flash."""
    mapping: MappingReport | None
    """Activity of the cached mapping table; none if the whole table is in DRAM."""
    cache: CacheReport | None
    """Activity of the data cache; none without a cache."""
    utilisation: list[Utilisation]
    """Use of link, fabric, arrays and controller."""
    map: Map | None
    """Use of the chip array and its wires; none for arrays too large to draw."""
    fabric_counts: Mapping[str, int]
    """Counts of this fabric alone, such as scouts."""
    cut_off: CutOffReport | None
    """Chips that failed parts of the interconnect cut off; none where none fail."""
    energy_mj: Energy
    """Energy by origin, in millijoules."""
    average_power_mw: float | None
    """Total over execution time, in milliwatts; none for a run of no length."""
    energy_detail: EnergyDetail
    """Energy part by part, in millijoules."""
    area: Area
    """Area of the interconnect."""
    namespaces: list[NamespaceReport] | None
    """Namespaces; none on a drive without a table of them."""
    flows: list[FlowReport]
    """Results of each flow."""
    fairness: float | None
    """Ratio of the smallest to the largest slowdown among flows, for runs that know the flows alone."""
    replays: list[ReplayReport] | None
    """Replayed traces."""
    time_scaling: TimeScaling | None
    """Scaling of the flows' times; none if they were not scaled."""
    traces: list[TraceNotes] | None
    """Notes on the traces that were read. Absent unless some are irregular or were asked for."""
    notes: list[str]
    """Sentences that a reader needs before any figure, the most important first: saturation, runs too short for a
    steady figure, keys without effect.
    """
    interconnect: Interconnect | None
    """Rate, width and extent of the interconnect's wires. Null in results that no design is known of."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {
        "precondition": PreconditionReport,
        "latency_us": Latency,
        "blame_us": Blame,
        "root_cause_us": Blame,
        "path_conflicts": PathConflicts,
        "device_response_us": Distribution,
        "tail_us": LatencyTails,
        "series": SeriesReport,
        "load": LoadReport,
        "flash": FlashReport,
        "mapping": MappingReport,
        "cache": CacheReport,
        "utilisation": Utilisation,
        "map": Map,
        "cut_off": CutOffReport,
        "energy_mj": Energy,
        "energy_detail": EnergyDetail,
        "area": Area,
        "namespaces": NamespaceReport,
        "flows": FlowReport,
        "replays": ReplayReport,
        "time_scaling": TimeScaling,
        "traces": TraceNotes,
        "interconnect": Interconnect,
    }


class RunResult(Report):
    """Results of a run: the fields of `canaletto run --json`.

    Names end with their unit. A measure that does not apply is null.
    """

    cost: Cost
    """Cost of the run."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {**Report._kinds, "cost": Cost}


class DriveResult(Report):
    """Results of a drive that a program steps, so far, which have no cost."""

    requests: Requests
    """Numbers of requests."""

    _kinds: ClassVar[Mapping[str, type[Fields]]] = {**Report._kinds, "requests": Requests}
