//! What collection and wear have come to, for the results.

use super::Machine;
use crate::config::design::Design;
use crate::fabric::Fabric;
use crate::flash::address::PlaneId;
use crate::ftl::gc::Reason;
use crate::measure::maintenance::{BlocksReport, GcReport, WearReport};
use crate::measure::probe::Probe;
use crate::measure::report::FlashReport;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    pub(super) fn flash_report(&self, design: &Design) -> FlashReport {
        let (host_pages, _) = self.upkeep.totals();
        let programs = self.operations.programs;
        let programmed = programs << self.layout.flash_shift;
        let write_amplification = (host_pages > 0).then(|| programmed as f64 / host_pages as f64);
        FlashReport {
            reads: self.operations.reads,
            programs,
            erases: self.operations.erases,
            host_pages,
            padding: self.blocks.padding(),
            suspensions: self.suspensions.count,
            copybacks: self.copybacks.count,
            read_retries: self.read_retries,
            uncorrectable: self.failures.uncorrectable,
            program_failures: self.failures.programs,
            erase_failures: self.failures.erases,
            bad_blocks: self.blocks.count_bad(),
            write_amplification,
            gc: self.gc_report(),
            wear: self.wear_report(design.wear.endurance, write_amplification),
            blocks: self.blocks_report(),
            series: self.upkeep.series(),
        }
    }

    fn gc_report(&self) -> GcReport {
        let counts = &self.collector.counts;
        let for_space: u64 =
            [Reason::Space, Reason::Epoch, Reason::Urgent].iter().map(|&reason| counts.jobs[reason as usize]).sum();
        let pages = for_space * u64::from(self.blocks.candidates(PlaneId(0)).pages_per_block());
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
            durations: self.upkeep.durations(&self.collector.epoch().lengths),
        }
    }

    fn wear_report(&self, endurance: u32, write_amplification: Option<f64>) -> WearReport {
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
        let lifetime = write_amplification.filter(|_| endurance > 0).map(|wa| raw * f64::from(endurance) / wa);
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
}
