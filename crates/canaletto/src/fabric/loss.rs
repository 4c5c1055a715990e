//! Losses of a drive at a moment of a run: planes that stop working, chips that nothing reaches any more.

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::fabric::failing::{self, Failed};
use crate::flash::address::{ChipId, Layout, PlaneId};

/// A loss during a run.
#[derive(Debug, Clone)]
pub struct Loss {
    /// When, from the beginning of the run.
    pub at: Time,
    /// Whether parts of the interconnect fail.
    pub fabric: bool,
    /// Chips that are cut off by that.
    pub chips: Vec<ChipId>,
    /// Planes that stop working, or that lie in these chips.
    pub planes: Vec<PlaneId>,
}

impl Loss {
    /// Whether the run begins with it.
    pub fn is_from_the_start(&self) -> bool {
        self.fabric && self.at == Time::ZERO
    }
}

/// Chips that parts of the interconnect cut off when they fail.
pub fn chips_cut_off(design: &Design) -> Vec<ChipId> {
    failing::cut_off(&design.fabric, design.geometry.channels, design.geometry.chips_per_channel)
}

/// Returns what is lost during a run: by parts of the interconnect, and by a die or a channel.
pub fn losses(design: &Design, layout: &Layout) -> Vec<Loss> {
    let (parts, failures) = (&design.fabric.failures, &design.flash.failures);
    // Of kinds that the fabric has not nothing fails.
    let failed = failing::failed(&design.fabric, layout.channels, layout.chips_per_channel);
    let by_parts = (failed != Failed::default()).then(|| {
        let chips = chips_cut_off(design);
        let planes = chips.iter().flat_map(|&chip| layout.planes_of_chip(chip)).collect();
        Loss { at: parts.at.time(), fabric: true, chips, planes }
    });
    let alone = failures.lost_planes(layout).map(|planes| {
        let planes = planes.map(PlaneId).collect();
        Loss { at: failures.lost_at.time(), fabric: false, chips: Vec::new(), planes }
    });
    by_parts.into_iter().chain(alone).collect()
}
