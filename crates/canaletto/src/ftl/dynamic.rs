//! Dynamic allocation: each write goes to the least busy plane that can take it.
//!
//! Only to planes below a limit of valid pages: a plane full of them could never reclaim space.

use crate::flash::address::{Layout, LunId, PlaneId};
use crate::ftl::blocks::{Blocks, Frontier};

pub struct DynamicAllocator {
    /// Queued there or in work.
    load: Vec<u32>,
    /// By plane.
    expected: Vec<u32>,
    /// Until a block of theirs is erased.
    exhausted: Vec<bool>,
    most_valid: u64,
    /// By stream: plane, and pages that this still takes.
    filling: Vec<(PlaneId, u32)>,
    pages_per_flash_page: u32,
    /// Where the search among equals continues.
    turn: usize,
}

impl DynamicAllocator {
    /// `most_valid` is each plane's limit of valid pages.
    pub fn new(layout: &Layout, streams: u16, most_valid: u64) -> DynamicAllocator {
        DynamicAllocator {
            load: vec![0; layout.luns() as usize],
            expected: vec![0; layout.planes() as usize],
            exhausted: vec![false; layout.planes() as usize],
            most_valid,
            filling: vec![(PlaneId::NONE, 0); usize::from(streams)],
            pages_per_flash_page: layout.pages_per_flash_page(),
            turn: 0,
        }
    }

    pub fn queued(&mut self, lun: LunId) {
        self.load[lun.index()] += 1;
    }

    pub fn done(&mut self, lun: LunId) {
        self.load[lun.index()] -= 1;
    }

    pub fn expect(&mut self, plane: PlaneId, lun: LunId) {
        self.expected[plane.index()] += 1;
        self.load[lun.index()] += 1;
    }

    pub fn expects_nothing(&self) -> bool {
        self.expected.iter().all(|&expected| expected == 0)
    }

    /// Or leaves the plane.
    pub fn arrived(&mut self, plane: PlaneId) {
        self.expected[plane.index()] -= 1;
    }

    pub fn set_exhausted(&mut self, plane: PlaneId, exhausted: bool) {
        self.exhausted[plane.index()] = exhausted;
    }

    pub fn may_take(&self, plane: PlaneId, blocks: &Blocks) -> bool {
        let held = blocks.valid_in(plane) + u64::from(self.expected[plane.index()]);
        held + blocks.pages_lost_in(plane) < self.most_valid && !self.exhausted[plane.index()]
    }

    /// If this write fits into the same flash page there.
    pub fn go_on(&mut self, stream: u16, blocks: &Blocks) -> Option<PlaneId> {
        let (plane, left) = self.filling[usize::from(stream)];
        if left == 0 || !self.may_take(plane, blocks) {
            return None;
        }
        self.filling[usize::from(stream)].1 -= 1;
        Some(plane)
    }

    pub fn fill(&mut self, stream: u16, plane: PlaneId) {
        self.filling[usize::from(stream)] = (plane, self.pages_per_flash_page - 1);
    }

    /// Planes with room now first, then those that are not `avoided`.
    pub fn choose(
        &mut self,
        planes: &[PlaneId],
        frontier: Frontier,
        layout: &Layout,
        blocks: &Blocks,
        avoided: impl Fn(PlaneId) -> bool,
    ) -> Option<PlaneId> {
        let mut best: Option<((bool, bool, u32), usize)> = None;
        for step in 0..planes.len() {
            let place = (self.turn + step) % planes.len();
            let plane = planes[place];
            if !self.may_take(plane, blocks) {
                continue;
            }
            let load = self.load[layout.lun_of(plane).index()];
            let cost = (avoided(plane), !blocks.has_page(plane, frontier), load);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
                if cost == (false, false, 0) {
                    break;
                }
            }
        }
        let (_, place) = best?;
        self.turn = (place + 1) % planes.len();
        Some(planes[place])
    }
}
