//! Outcome of collection and wear, for the results, and work that waits, for a stuck run's explanation.

use super::Ftl;
use crate::flash::address::{ChipId, PlaneId};
use crate::ftl::gc::Reason;
use crate::measure::maintenance::{BlocksReport, GcReport, WearReport};
use crate::measure::report::{FlashCounts, FlashReport, MappingReport};

impl Ftl {
    /// Report on the flash, whose back end counted `flash`. Its blocks endure `endurance` erases (0: any number).
    pub fn report(&self, flash: &FlashCounts, endurance: u32) -> FlashReport {
        let (host_pages, _) = self.maintenance.totals();
        let programmed = self.pages_programmed(flash.programs);
        let write_amplification = (host_pages > 0).then(|| programmed as f64 / host_pages as f64);
        let native = programmed - self.pages_programmed(flash.in_cache[1]);
        let native_amplification = (host_pages > 0).then(|| native as f64 / host_pages as f64);
        FlashReport {
            reads: flash.reads,
            programs: flash.programs,
            erases: flash.erases,
            suspensions: flash.suspensions,
            copybacks: flash.copybacks,
            read_retries: flash.read_retries,
            outer_reads: flash.outer_reads,
            program_failures: flash.program_failures,
            erase_failures: flash.erase_failures,
            host_pages,
            padding: self.blocks.padding(),
            uncorrectable: self.uncorrectable,
            bad_blocks: self.blocks.count_bad(),
            write_amplification,
            gc: self.gc_report(),
            wear: self.wear_report(endurance, native_amplification),
            blocks: self.blocks_report(),
            pslc: self.pslc_report(flash.in_cache),
            parity: self.parity_report(),
            series: self.maintenance.series(),
        }
    }

    /// Logical pages that so many programs of flash pages amount to.
    pub fn pages_programmed(&self, programs: u64) -> u64 {
        programs << self.layout.flash_shift
    }

    /// Logical pages programmed for the host.
    pub fn host_pages(&self) -> u64 {
        self.maintenance.totals().0
    }

    /// Report on the cache of the mapping table.
    pub fn mapping_report(&self) -> Option<MappingReport> {
        self.translation.report()
    }

    fn gc_report(&self) -> GcReport {
        let counts = &self.collector.counts;
        let for_space: u64 =
            [Reason::Space, Reason::Epoch, Reason::Urgent].iter().map(|&reason| counts.jobs[reason as usize]).sum();
        let pages = for_space * u64::from(self.blocks.candidates(PlaneId(0)).data_pages_per_block());
        let occurring = Reason::ALL.into_iter().filter(|&reason| counts.jobs[reason as usize] > 0);
        GcReport {
            collections: counts.jobs.iter().sum(),
            reasons: occurring.map(|reason| (reason.key(), counts.jobs[reason as usize])).collect(),
            pages_copied: counts.copied,
            pages_copied_to_other_planes: counts.copied_elsewhere,
            pages_copied_chip_to_chip: counts.copied_directly,
            valid_share_of_victims: (pages > 0).then(|| counts.valid_in_victims as f64 / pages as f64),
            merges: self.hybrid.as_ref().map(|hybrid| hybrid.merges),
            epochs: self.collector.epoch().lengths.number(),
            durations: self.maintenance.durations(&self.collector.epoch().lengths),
        }
    }

    fn wear_report(&self, endurance: u32, native_amplification: Option<f64>) -> WearReport {
        let planes = (0..self.layout.planes()).map(|plane| self.blocks.wear_in(PlaneId(plane)));
        let (mut least, mut most, mut sum, mut bad) = (u32::MAX, 0, 0, 0);
        for wear in planes {
            least = least.min(wear.least);
            most = most.max(wear.most);
            sum += wear.erases;
            bad += u64::from(wear.bad);
        }
        let blocks = u64::from(self.layout.planes()) * u64::from(self.layout.blocks_per_plane);
        let raw = self.layout.pages() as f64 * self.layout.page_bytes() as f64;
        let lifetime = native_amplification.filter(|_| endurance > 0).map(|wa| raw * f64::from(endurance) / wa);
        WearReport {
            erases_min: least,
            erases_mean: sum as f64 / blocks as f64,
            erases_max: most,
            bad_blocks: bad,
            lifetime_bytes: lifetime,
        }
    }

    fn blocks_report(&self) -> BlocksReport {
        let mut report = BlocksReport { free_in_plane: (u32::MAX, 0), ..BlocksReport::default() };
        for plane in (0..self.layout.planes()).map(PlaneId) {
            self.blocks.count_in(plane, &mut report);
            let free = self.blocks.free(plane);
            report.free_in_plane = (report.free_in_plane.0.min(free), report.free_in_plane.1.max(free));
        }
        report
    }

    /// Erases of a chip's blocks, mean.
    pub fn mean_erases(&self, chip: ChipId) -> f64 {
        let planes = self.layout.planes() / self.layout.chips();
        let first = chip.0 * planes;
        let erases: u64 = (first..first + planes).map(|plane| self.blocks.wear_in(PlaneId(plane)).erases).sum();
        erases as f64 / f64::from(planes) / f64::from(self.layout.blocks_per_plane)
    }

    /// One phrase on the pages that wait for room.
    pub fn describe_stalled(&self) -> String {
        match self.allocation_stalled.len() {
            0 => String::new(),
            pages => format!("; {pages} pages wait for a plane with room"),
        }
    }

    /// One phrase on a plane's blocks and collection.
    pub fn describe_plane(&self, plane: PlaneId) -> String {
        let hybrid = self.hybrid.as_ref().map(|hybrid| hybrid.describe(plane));
        let job = hybrid.unwrap_or_else(|| self.collector.describe(plane));
        format!(", plane {} has {} free blocks and {job}", plane.0, self.blocks.free(plane))
    }

    /// One phrase on what waits for entries of the mapping table.
    pub fn describe_mapping(&self) -> String {
        self.translation.describe()
    }

    /// Checks that the pages that blocks hold are those that the mapping table names, up to `in_flight` of which either may
    /// know more than the other.
    ///
    /// # Panics
    /// If they are not, which is a defect of the model.
    pub fn audit(&self, in_flight: u64) {
        self.blocks.audit().unwrap_or_else(|problem| panic!("{problem}"));
        // When the last request ends, copies still on their way count twice; pages from the cache and translation pages
        // have no place yet.
        let valid = self.blocks.count_valid();
        let mapped = if self.is_in_place() { 0 } else { self.map.mapped() + self.blocks.count_seeded_unmapped() };
        // A page that a failed write left where it was seeded has an entry all the same.
        assert!(valid.abs_diff(mapped) <= in_flight + self.given_up, "{valid} valid pages, {mapped} mapped");
    }
}
