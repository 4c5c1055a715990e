use crate::config::design::Design;
use crate::engine::time::Time;
use crate::fabric::failing::{self, Failed};
use crate::flash::address::{ChipId, Layout, PlaneId};

#[derive(Debug, Clone)]
pub struct Loss {
    pub at: Time,
    pub fabric: bool,
    pub chips: Vec<ChipId>,
    pub planes: Vec<PlaneId>,
}

impl Loss {
    pub fn is_from_the_start(&self) -> bool {
        self.fabric && self.at == Time::ZERO
    }
}

pub fn chips_cut_off(design: &Design) -> Vec<ChipId> {
    failing::cut_off(&design.fabric, design.geometry.channels, design.geometry.chips_per_channel)
}

pub fn losses(design: &Design, layout: &Layout) -> Vec<Loss> {
    let (parts, failures) = (&design.fabric.failures, &design.flash.failures);
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
