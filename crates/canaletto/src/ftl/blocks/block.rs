//! Small: a preconditioned drive has one for each of its blocks.

use super::pseudo_slc::Mode;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row(pub(super) u32);

impl Row {
    pub(super) const NONE: Row = Row(u32::MAX);

    pub(super) fn is_some(self) -> bool {
        self != Row::NONE
    }
}

impl Default for Row {
    fn default() -> Row {
        Row::NONE
    }
}

#[derive(Default)]
pub(super) struct Block {
    /// Seeded pages included.
    pub(super) written: u32,
    pub(super) seeded: u32,
    pub(super) valid: u32,
    pub(super) programs_in_flight: u32,
    pub(super) reads_in_flight: u32,
    pub(super) erases: u32,
    /// By the plane's clock.
    pub(super) opened: u64,
    pub(super) changed: u64,
    /// Written during the run, and seeded once they were looked up.
    pub(super) lpas: Row,
    pub(super) details: Row,
    /// Until they are looked up.
    pub(super) changed_seeds: Row,
    pub(super) are_seeds_known: bool,
    /// Never used again once its valid pages have moved.
    pub(super) bad: bool,
    /// Bad once its superblock has been erased.
    pub(super) doomed: bool,
    pub(super) mode: Mode,
}

const _: () = assert!(size_of::<Block>() <= 56);

impl Block {
    pub(super) fn is_computed(&self, page: u32) -> bool {
        page < self.seeded && !self.are_seeds_known
    }

    pub(super) fn is_full(&self, pages_per_block: u32) -> bool {
        self.written == pages_per_block && self.programs_in_flight == 0
    }
}
