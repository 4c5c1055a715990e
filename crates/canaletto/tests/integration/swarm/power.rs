//! Recovery must find all that was promised to survive.

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;

use super::shadow::{Shadow, watch};
use crate::common::recovery::recover;

/// With MQSim's order collection may erase the old data first.
pub fn can_be_lost(design: &Design) -> bool {
    design.ftl.map_update == canaletto::config::design::MapUpdate::ProgramEnd
}

pub fn lose_at(design: &Design, workload: &Workload, event: u64) -> u64 {
    lose(design, &watch(design, workload, Some(event)).1, event)
}

/// Loses power at `event`, recovers and reads all back. Returns how many sectors had to be there.
pub fn lose(design: &Design, shadow: &Shadow, event: u64) -> u64 {
    let image = shadow.recorder.image(design.cache.power_loss_protection);
    let map = recover(&image);
    let mut promised = 0;
    for (&(lpa, sector), &version) in &shadow.cache.safe {
        if shadow.lost.contains(&lpa) {
            continue;
        }
        let saved = image.saved.get(&lpa).is_some_and(|sectors| sectors & (1 << sector) != 0);
        let found = match map.get(&lpa) {
            _ if saved => shadow.cache.version(lpa, sector).expect("a saved sector is in the cache"),
            Some(&at) => {
                let (holds, content) = shadow.held(at).expect("a recovered page is programmed");
                assert_eq!(holds, lpa, "recovered from {at:?}");
                content[sector as usize]
            }
            None => shadow.blank(lpa)[sector as usize].max(shadow.journaled(lpa, image.journal.len())),
        };
        assert!(
            found >= version,
            "power lost at event {event}: page {lpa} sector {sector} is version {found} after recovery (at {:?}), {version} was \
             promised",
            map.get(&lpa)
        );
        promised += 1;
    }
    promised
}
