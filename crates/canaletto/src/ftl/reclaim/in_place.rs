//! Memories that are written in place: every logical page has one physical page.
//!
//! Phase-change memory and 3D XPoint need no erase, so nothing is mapped, collected or copied. Wear levelling
//! (Start-Gap: Qureshi et al., MICRO 2009) is left out.

use super::Reclaim;
use super::gc::Collector;
use crate::config::design::{Addressing, Design, MappingScheme};
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::ftl::blocks::Blocks;

pub struct InPlace {
    planes: u64,
    pages_per_block: u64,
    addressing: Addressing,
}

impl InPlace {
    pub fn new(design: &Design, layout: &Layout) -> Option<InPlace> {
        (design.ftl.mapping == MappingScheme::InPlace).then(|| InPlace {
            planes: u64::from(layout.planes()),
            pages_per_block: u64::from(layout.pages_per_block),
            addressing: design.flash.addressing,
        })
    }

    fn page(&self, plane: PlaneId, lpa: u64) -> Ppa {
        let number = lpa / self.planes;
        Ppa { plane, block: (number / self.pages_per_block) as u32, page: (number % self.pages_per_block) as u32 }
    }

    fn rest(&self, written: u64, whole: u64) -> u64 {
        match self.addressing {
            Addressing::Page => whole & !written,
            Addressing::Byte => 0,
        }
    }
}

impl Reclaim for InPlace {
    fn reclaims(&self) -> bool {
        false
    }

    fn has_places(&self) -> bool {
        true
    }

    fn place(&self, plane: PlaneId, lpa: u64) -> Option<Ppa> {
        Some(self.page(plane, lpa))
    }

    fn missing(&self, _blocks: &Blocks, _old: Ppa, written: u64, whole: u64) -> u64 {
        self.rest(written, whole)
    }

    fn to_clear(&self, rest: u64) -> u64 {
        rest
    }

    fn read_begins(&mut self, _blocks: &mut Blocks, _at: Ppa) {}

    fn read_ends(&mut self, _blocks: &mut Blocks, _collector: &Collector, _from: Ppa) -> bool {
        false
    }

    fn program_ends(&mut self, _blocks: &mut Blocks, _at: Ppa) {}

    fn invalidate(&self, _blocks: &mut Blocks, _at: Ppa) -> bool {
        false
    }

    fn count_valid(&self, _mapped: u64) -> u64 {
        0
    }

    fn describe(&self, _collector: &Collector, _plane: PlaneId) -> String {
        "nothing to reclaim".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::Allocation;
    use crate::config::load_design;
    use crate::ftl::placement::{Placement, Positions};
    use std::collections::HashSet;

    fn drive(overrides: &[&str]) -> (Layout, InPlace) {
        let all = [&["ftl.mapping=in-place", "geometry.blocks_per_plane=4", "geometry.pages_per_block=4"], overrides]
            .concat();
        let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
        let design = load_design("cost-optimized", None, &all).unwrap();
        let layout = design.layout();
        let memory = InPlace::new(&design, &layout).unwrap();
        (layout, memory)
    }

    #[test]
    fn no_two_pages_share_a_place() {
        let (layout, memory) = drive(&[]);
        let placement = Placement::new(&layout, Allocation::CWDP, &Positions::all(&layout));
        let places: HashSet<Ppa> = (0..layout.pages()).map(|lpa| memory.page(placement.plane(lpa), lpa)).collect();
        assert_eq!(places.len() as u64, layout.pages());
        assert!(places.iter().all(|at| at.block < 4 && at.page < 4));
    }

    #[test]
    fn only_whole_pages_need_the_rest() {
        assert_eq!(drive(&[]).1.rest(0b11, 0xff), 0xfc);
        assert_eq!(drive(&["flash.addressing=byte"]).1.rest(0b11, 0xff), 0);
    }
}
