//! Rows of one width, taken when needed and given back at the erase. The first pages of a block have a short row.
//!
//! A block in use costs eight bytes per page. Details are kept only for unusual blocks.

use super::block::{Block, Row};
use crate::engine::memory::make_room;

pub(super) const INVALID: u64 = u64::MAX;

/// Cells of a short row.
const SHORT: u32 = 64;

/// Rows of one width.
struct Store<T> {
    cells: Vec<T>,
    width: u32,
    free: Vec<Row>,
}

/// Short rows and full ones, whose numbers are even and odd.
pub(super) struct Rows<T>([Store<T>; 2]);

impl<T: Copy> Rows<T> {
    fn new(width: u32) -> Rows<T> {
        let store = |width| Store { cells: Vec::new(), width, free: Vec::new() };
        Rows([store(SHORT.min(width)), store(width)])
    }

    /// The store of a row, and where a cell of it is; none beyond the row's end.
    #[inline(always)]
    fn place(&self, row: Row, cell: u32) -> Option<(usize, usize)> {
        let store = row.0 as usize & 1;
        let width = self.0[store].width;
        (cell < width && row.is_some()).then_some((store, (row.0 >> 1) as usize * width as usize + cell as usize))
    }

    /// A cell, for which the row is widened if it must.
    #[inline(always)]
    fn cell(&mut self, row: &mut Row, cell: u32, fill: T) -> &mut T {
        if self.place(*row, cell).is_none() {
            self.widen(row, cell, fill);
        }
        self.get_mut(*row, cell)
    }

    #[inline(never)]
    fn widen(&mut self, row: &mut Row, cell: u32, fill: T) {
        let wider = self.take(usize::from(cell >= self.0[0].width), fill);
        if let Some((_, from)) = self.place(*row, 0) {
            let (_, to) = self.place(wider, 0).expect("a row was taken");
            let [short, full] = &mut self.0;
            let width = short.width as usize;
            full.cells[to..][..width].copy_from_slice(&short.cells[from..][..width]);
            self.give_back(row);
        }
        *row = wider;
    }

    fn take(&mut self, number: usize, fill: T) -> Row {
        let store = &mut self.0[number];
        let width = store.width as usize;
        if let Some(row) = store.free.pop() {
            self.row_mut(row).fill(fill);
            return row;
        }
        let row = Row(((store.cells.len() / width) << 1 | number) as u32);
        make_room(&mut store.cells, width);
        store.cells.extend(std::iter::repeat_n(fill, width));
        row
    }

    fn give_back(&mut self, row: &mut Row) {
        if row.is_some() {
            let row = std::mem::take(row);
            self.0[row.0 as usize & 1].free.push(row);
        }
    }

    #[inline]
    fn get(&self, row: Row, cell: u32) -> Option<T> {
        let (store, place) = self.place(row, cell)?;
        self.0[store].cells.get(place).copied()
    }

    #[inline(always)]
    fn get_mut(&mut self, row: Row, cell: u32) -> &mut T {
        let (store, place) = self.place(row, cell).expect("the row has the cell");
        &mut self.0[store].cells[place]
    }

    fn row(&self, row: Row) -> &[T] {
        let Some((store, first)) = self.place(row, 0) else { return &[] };
        &self.0[store].cells[first..][..self.0[store].width as usize]
    }

    fn row_mut(&mut self, row: Row) -> &mut [T] {
        let Some((store, first)) = self.place(row, 0) else { return &mut [] };
        let Store { cells, width, .. } = &mut self.0[store];
        &mut cells[first..][..*width as usize]
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

    #[inline(always)]
    pub(super) fn write(&mut self, block: &mut Block, page: u32, lpa: u64, sectors: u64) {
        *self.lpas.cell(&mut block.lpas, page, INVALID) = lpa;
        if sectors != self.usual.sectors || block.details.is_some() {
            self.set_details(block, page, Details { sectors, copies: 0 });
        }
    }

    fn set_details(&mut self, block: &mut Block, page: u32, details: Details) {
        *self.details.cell(&mut block.details, page, self.usual) = details;
    }

    #[inline]
    fn details(&self, block: &Block, page: u32) -> Details {
        self.details.get(block.details, page).unwrap_or(self.usual)
    }

    #[inline]
    pub(super) fn sectors(&self, block: &Block, page: u32) -> u64 {
        self.details(block, page).sectors
    }

    pub(super) fn copies(&self, block: &Block, page: u32) -> u8 {
        self.details(block, page).copies
    }

    #[inline]
    pub(super) fn set_copies(&mut self, block: &mut Block, page: u32, copies: u8) {
        let known = self.details(block, page);
        if known.copies != copies {
            self.set_details(block, page, Details { copies, ..known });
        }
    }

    #[inline]
    pub(super) fn lpa(&self, block: &Block, page: u32) -> Option<u64> {
        self.lpas.get(block.lpas, page).filter(|&lpa| lpa != INVALID)
    }

    #[inline]
    pub(super) fn next_valid(&self, block: &Block, from: u32) -> Option<u32> {
        let lpas = self.lpas.row(block.lpas).get(from as usize..)?;
        lpas.iter().position(|&lpa| lpa != INVALID).map(|place| from + place as u32)
    }

    pub(super) fn known_among(&self, block: &Block, pages: std::ops::Range<u32>) -> u32 {
        pages.filter(|&page| self.lpa(block, page).is_some()).count() as u32
    }

    #[inline]
    pub(super) fn invalidate(&mut self, block: &Block, page: u32) {
        *self.lpas.get_mut(block.lpas, page) = INVALID;
    }

    pub(super) fn replace(&mut self, block: &Block, page: u32, lpa: u64) {
        *self.lpas.get_mut(block.lpas, page) = lpa;
    }

    pub(super) fn seed_has_changed(&self, block: &Block, page: u32) -> bool {
        self.changed_seeds.get(block.changed_seeds, page / 64).is_some_and(|bits| bits >> (page % 64) & 1 == 1)
    }

    #[inline]
    pub(super) fn change_seed(&mut self, block: &mut Block, page: u32) {
        *self.changed_seeds.cell(&mut block.changed_seeds, page / 64, 0) |= 1 << (page % 64);
    }

    pub(super) fn count_changed_seeds(&self, block: &Block) -> u32 {
        self.changed_seeds.row(block.changed_seeds).iter().map(|bits| bits.count_ones()).sum()
    }

    /// `look_up` enters what pages held in the beginning; those that have changed since hold nothing.
    pub(super) fn look_up_seeds(&mut self, block: &mut Block, look_up: impl FnOnce(&mut [u64])) {
        self.lpas.cell(&mut block.lpas, self.lpas.0[1].width - 1, INVALID);
        let lpas = self.lpas.row_mut(block.lpas);
        look_up(lpas);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_grows_with_its_block_and_keeps_what_it_holds() {
        let mut contents = Contents::new(200, 8);
        let (mut one, mut other) = (Block::default(), Block::default());
        contents.write(&mut one, 3, 33, 0xFF);
        assert_eq!((contents.lpa(&one, 3), contents.lpa(&one, 100)), (Some(33), None));
        for page in [63, 64, 199] {
            contents.write(&mut one, page, u64::from(page), 0x0F);
            contents.write(&mut other, page, u64::from(page) + 1000, 0xFF);
        }
        assert_eq!([3, 63, 64, 199].map(|page| contents.lpa(&one, page)), [33, 63, 64, 199].map(Some));
        assert_eq!((contents.sectors(&one, 3), contents.sectors(&one, 199)), (0xFF, 0x0F));
        assert_eq!((contents.next_valid(&other, 0), contents.next_valid(&other, 65)), (Some(63), Some(199)));
        contents.erase(&mut one);
        let mut again = Block::default();
        contents.write(&mut again, 0, 7, 0xFF);
        assert_eq!([0, 3, 63].map(|page| contents.lpa(&again, page)), [Some(7), None, None]);
        assert_eq!(contents.lpa(&other, 199), Some(1199));
    }
}
