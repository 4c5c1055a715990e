//! Chips that nothing reaches, and parts about to fail.
//!
//! A transfer to a cut-off chip "crosses" at once over a path that leads nowhere, and its operation fails.

use crate::engine::arena::Slab;
use crate::engine::rarely::rarely;
use crate::fabric::PathId;
use crate::fabric::carried::Carried;
use crate::flash::address::ChipId;

/// Paths from here on lead nowhere.
const NOWHERE: u32 = 1 << 31;

pub struct CutOff {
    /// By chip; empty while none is cut off.
    chips: Vec<bool>,
    sent: Slab<PathId, Carried>,
    in_use: u32,
    /// No transfer may begin.
    pub comes_to_rest: bool,
}

impl CutOff {
    pub fn new() -> CutOff {
        CutOff { chips: Vec::new(), sent: Slab::new(), in_use: 0, comes_to_rest: false }
    }

    pub fn lose(&mut self, lost: &[ChipId], chips: u32) {
        if !lost.is_empty() {
            self.chips.resize(chips as usize, false);
            lost.iter().for_each(|chip| self.chips[chip.index()] = true);
        }
    }

    #[inline(always)]
    pub fn has(&self, chip: ChipId) -> bool {
        self.has_any() && self.chips[chip.index()]
    }

    #[inline(always)]
    pub fn has_any(&self) -> bool {
        rarely(!self.chips.is_empty())
    }

    pub fn count(&self) -> u32 {
        self.chips.iter().filter(|&&is| is).count() as u32
    }

    #[inline(always)]
    pub fn is_nowhere(path: PathId) -> bool {
        rarely(path.0 >= NOWHERE)
    }

    pub fn send(&mut self, carried: Carried) -> PathId {
        PathId(NOWHERE | self.sent.insert(carried).0)
    }

    #[inline]
    pub fn sent(&mut self, path: PathId) -> &mut Carried {
        &mut self.sent[PathId(path.0 & !NOWHERE)]
    }

    pub fn give_back(&mut self, path: PathId) {
        self.sent.remove(PathId(path.0 & !NOWHERE));
    }

    #[inline]
    pub fn take(&mut self) {
        self.in_use += 1;
    }

    #[inline]
    pub fn free(&mut self) {
        self.in_use -= 1;
    }

    pub fn is_idle(&self) -> bool {
        self.in_use == 0
    }
}
