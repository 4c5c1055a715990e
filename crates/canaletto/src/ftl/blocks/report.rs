use super::Blocks;
use crate::flash::address::{ChipId, Layout, PlaneId};
use crate::measure::maintenance::{BlocksReport, WearReport};

impl Blocks {
    /// Blocks endure that many erases (0: any number).
    pub fn wear_report(&self, layout: &Layout, endurance: u32, native_amplification: Option<f64>) -> WearReport {
        let planes = (0..layout.planes()).map(|plane| self.wear_in(PlaneId(plane)));
        let (mut least, mut most, mut sum, mut bad) = (u32::MAX, 0, 0, 0);
        for wear in planes {
            least = least.min(wear.least);
            most = most.max(wear.most);
            sum += wear.erases;
            bad += u64::from(wear.bad);
        }
        let blocks = u64::from(layout.planes()) * u64::from(layout.blocks_per_plane);
        let raw = layout.pages() as f64 * layout.page_bytes() as f64;
        let lifetime = native_amplification.filter(|_| endurance > 0).map(|wa| raw * f64::from(endurance) / wa);
        WearReport {
            erases_min: least,
            erases_mean: sum as f64 / blocks as f64,
            erases_max: most,
            bad_blocks: bad,
            lifetime_bytes: lifetime,
        }
    }

    pub fn report(&self, layout: &Layout) -> BlocksReport {
        let mut report = BlocksReport { free_in_plane: (u32::MAX, 0), ..BlocksReport::default() };
        for plane in (0..layout.planes()).map(PlaneId) {
            self.count_in(plane, &mut report);
            let free = self.free(plane);
            report.free_in_plane = (report.free_in_plane.0.min(free), report.free_in_plane.1.max(free));
        }
        report
    }

    pub fn mean_erases(&self, layout: &Layout, chip: ChipId) -> f64 {
        let planes = layout.planes() / layout.chips();
        let first = chip.0 * planes;
        let erases: u64 = (first..first + planes).map(|plane| self.wear_in(PlaneId(plane)).erases).sum();
        erases as f64 / f64::from(planes) / f64::from(layout.blocks_per_plane)
    }
}
