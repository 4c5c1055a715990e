//! Rows of one width, taken when needed and given back at the erase.
//!
//! A block in use costs eight bytes per page. Details are kept only for unusual blocks.

use super::block::{Block, Row};
use crate::engine::memory::make_room;

pub(super) const INVALID: u64 = u64::MAX;

pub(super) struct Rows<T> {
    cells: Vec<T>,
    width: usize,
    free: Vec<Row>,
}

impl<T: Copy> Rows<T> {
    fn new(width: u32) -> Rows<T> {
        Rows { cells: Vec::new(), width: width as usize, free: Vec::new() }
    }

    fn place(&self, row: Row, cell: u32) -> usize {
        row.0 as usize * self.width + cell as usize
    }

    fn ensure(&mut self, row: &mut Row, fill: T) {
        if !row.is_some() {
            *row = self.take(fill);
        }
    }

    fn take(&mut self, fill: T) -> Row {
        if let Some(row) = self.free.pop() {
            self.row_mut(row).fill(fill);
            return row;
        }
        let row = Row((self.cells.len() / self.width) as u32);
        make_room(&mut self.cells, self.width);
        self.cells.resize(self.cells.len() + self.width, fill);
        row
    }

    fn give_back(&mut self, row: &mut Row) {
        if row.is_some() {
            self.free.push(std::mem::take(row));
        }
    }

    fn get(&self, row: Row, cell: u32) -> Option<T> {
        self.cells.get(self.place(row, cell)).copied()
    }

    fn get_mut(&mut self, row: Row, cell: u32) -> &mut T {
        let place = self.place(row, cell);
        &mut self.cells[place]
    }

    fn row(&self, row: Row) -> &[T] {
        if row.is_some() { &self.cells[self.place(row, 0)..][..self.width] } else { &[] }
    }

    fn row_mut(&mut self, row: Row) -> &mut [T] {
        let first = self.place(row, 0);
        &mut self.cells[first..][..self.width]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Details {
    sectors: u64,
    /// Since a controller last looked at these data.
    copies: u8,
}

pub(super) struct Contents {
    /// Or [`INVALID`].
    lpas: Rows<u64>,
    /// Of blocks in which some differ from the usual ones.
    details: Rows<Details>,
    /// A bit per page, of blocks with changed seeds.
    changed_seeds: Rows<u64>,
    /// All sectors hold data, which came from a controller.
    usual: Details,
}

impl Contents {
    pub(super) fn new(pages_per_block: u32, sectors_per_page: u32) -> Contents {
        Contents {
            lpas: Rows::new(pages_per_block),
            details: Rows::new(pages_per_block),
            changed_seeds: Rows::new(pages_per_block.div_ceil(64)),
            usual: Details { sectors: u64::MAX >> (64 - sectors_per_page), copies: 0 },
        }
    }

    #[inline]
    pub(super) fn write(&mut self, block: &mut Block, page: u32, lpa: u64, sectors: u64) {
        self.lpas.ensure(&mut block.lpas, INVALID);
        *self.lpas.get_mut(block.lpas, page) = lpa;
        if sectors != self.usual.sectors || block.details.is_some() {
            self.set_details(block, page, Details { sectors, copies: 0 });
        }
    }

    fn set_details(&mut self, block: &mut Block, page: u32, details: Details) {
        self.details.ensure(&mut block.details, self.usual);
        *self.details.get_mut(block.details, page) = details;
    }

    fn details(&self, block: &Block, page: u32) -> Details {
        self.details.get(block.details, page).unwrap_or(self.usual)
    }

    pub(super) fn sectors(&self, block: &Block, page: u32) -> u64 {
        self.details(block, page).sectors
    }

    /// Since a controller last looked at these data.
    pub(super) fn copies(&self, block: &Block, page: u32) -> u8 {
        self.details(block, page).copies
    }

    pub(super) fn set_copies(&mut self, block: &mut Block, page: u32, copies: u8) {
        let known = self.details(block, page);
        if known.copies != copies {
            self.set_details(block, page, Details { copies, ..known });
        }
    }

    pub(super) fn lpa(&self, block: &Block, page: u32) -> Option<u64> {
        self.lpas.get(block.lpas, page).filter(|&lpa| lpa != INVALID)
    }

    /// By [`Contents::lpa`].
    pub(super) fn next_valid(&self, block: &Block, from: u32) -> Option<u32> {
        let lpas = self.lpas.row(block.lpas).get(from as usize..)?;
        lpas.iter().position(|&lpa| lpa != INVALID).map(|place| from + place as u32)
    }

    pub(super) fn known_among(&self, block: &Block, pages: std::ops::Range<u32>) -> u32 {
        pages.filter(|&page| self.lpa(block, page).is_some()).count() as u32
    }

    pub(super) fn invalidate(&mut self, block: &Block, page: u32) {
        *self.lpas.get_mut(block.lpas, page) = INVALID;
    }

    pub(super) fn replace(&mut self, block: &Block, page: u32, lpa: u64) {
        *self.lpas.get_mut(block.lpas, page) = lpa;
    }

    pub(super) fn seed_has_changed(&self, block: &Block, page: u32) -> bool {
        self.changed_seeds.get(block.changed_seeds, page / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    pub(super) fn change_seed(&mut self, block: &mut Block, page: u32) {
        self.changed_seeds.ensure(&mut block.changed_seeds, 0);
        *self.changed_seeds.get_mut(block.changed_seeds, page / 64) |= 1 << (page % 64);
    }

    pub(super) fn count_changed_seeds(&self, block: &Block) -> u32 {
        self.changed_seeds.row(block.changed_seeds).iter().map(|bits| bits.count_ones()).sum()
    }

    /// `contents` held data in the beginning; pages that have changed since hold nothing.
    pub(super) fn look_up_seeds(&mut self, block: &mut Block, contents: impl Iterator<Item = (u32, u64)>) {
        self.lpas.ensure(&mut block.lpas, INVALID);
        let lpas = self.lpas.row_mut(block.lpas);
        contents.for_each(|(page, lpa)| lpas[page as usize] = lpa);
        let changed = self.changed_seeds.row(block.changed_seeds).iter();
        for (lpas, bits) in lpas.chunks_mut(64).zip(changed) {
            forget(lpas, *bits);
        }
        self.changed_seeds.give_back(&mut block.changed_seeds);
        block.are_seeds_known = true;
    }

    pub(super) fn erase(&mut self, block: &mut Block) {
        (block.written, block.seeded, block.are_seeds_known) = (0, 0, false);
        self.lpas.give_back(&mut block.lpas);
        self.details.give_back(&mut block.details);
        self.changed_seeds.give_back(&mut block.changed_seeds);
    }
}

fn forget(lpas: &mut [u64], mut bits: u64) {
    while bits != 0 {
        lpas[bits.trailing_zeros() as usize] = INVALID;
        bits &= bits - 1;
    }
}
