use std::collections::{BTreeMap, BTreeSet};

use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::host::request::RequestId;
use canaletto::measure::probe::Observer;
use canaletto::measure::report::Report;

/// Data of pages as numbers, with real parity.
#[derive(Default)]
pub struct Contents {
    pages: BTreeMap<Ppa, u64>,
    parity: BTreeMap<Ppa, u64>,
    unit: u32,
    together: u32,
    writes: u64,
    pub rebuilt: u64,
    pub rebuilt_without_parity: u64,
    copies: u64,
    unknown: BTreeSet<Ppa>,
}

impl Contents {
    pub fn new(unit: u32, together: u32) -> Contents {
        Contents { unit, together, ..Contents::default() }
    }

    fn write(&mut self, at: Ppa) {
        self.writes += 1;
        let data = self.writes.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        assert!(self.pages.insert(at, data).is_none(), "{at:?} was programmed twice");
    }

    fn sum(&self, of: Ppa) -> u64 {
        let is_member =
            |at: &Ppa| (at.block, at.page, at.plane.0 % self.unit) == (of.block, of.page, of.plane.0 % self.unit);
        self.pages.iter().filter(|(at, _)| is_member(at)).fold(0, |sum, (_, data)| sum ^ data)
    }

    /// Unknown pages are copies that were overwritten on their way.
    pub fn check_unknown(&self, report: &Report) {
        let without_effect = report.flash.gc.pages_copied - self.copies;
        let unknown = self.unknown.len() as u64;
        assert!(self.together > 1 || unknown <= without_effect, "{unknown} of {without_effect}");
    }
}

impl Observer for Contents {
    fn watches_pages(&self) -> bool {
        true
    }

    fn page_programmed(&mut self, _: Time, _: RequestId, _: u64, _: u64, at: Ppa, _: Ppa) {
        self.write(at);
    }

    fn page_destaged(&mut self, _: Time, _: u64, _: u64, at: Ppa, _: Ppa) {
        self.write(at);
    }

    fn page_copied(&mut self, _: Time, _: u64, from: Ppa, to: Ppa) {
        let data = self.pages[&from];
        self.copies += 1;
        self.pages.insert(to, data);
    }

    fn parity_programmed(&mut self, _: Time, at: Ppa) {
        for page in (at.page..at.page + self.together).map(|page| Ppa { page, ..at }) {
            self.parity.insert(page, self.sum(page));
        }
    }

    fn page_rebuilds(&mut self, _: Time, at: Ppa, from: &[Ppa]) {
        let other_unit = |page: &Ppa| page.plane.0 / self.unit != at.plane.0 / self.unit;
        assert!(from.iter().all(other_unit), "{at:?} from {from:?}");
        let known = |page: &Ppa| self.pages.get(page).or_else(|| self.parity.get(page)).copied();
        // Empty parts of a flash page count as zeroes, and so do copies without effect, which no observer sees.
        self.unknown.extend(from.iter().filter(|page| known(page).is_none()));
        let read = from.iter().fold(0, |sum, page| sum ^ known(page).unwrap_or(0));
        // Before parity is programmed the controller has it.
        let in_memory = if from.iter().any(|page| self.parity.contains_key(page)) { 0 } else { self.sum(at) };
        assert_eq!(read ^ in_memory, self.pages[&at], "{at:?} from {from:?}");
        self.rebuilt += 1;
        self.rebuilt_without_parity += u64::from(in_memory != 0);
    }

    fn block_erased(&mut self, _: Time, _: PlaneId, block: u32) {
        // Blocks of a superblock are erased before any is used again; one that fails is left out then.
        self.pages.retain(|at, _| at.block != block);
        self.parity.retain(|at, _| at.block != block);
    }
}
