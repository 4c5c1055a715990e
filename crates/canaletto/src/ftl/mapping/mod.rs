//! Where logical pages are.
//!
//! - In: look-ups of pages, changes of entries, translation pages that were read or written.
//! - Out: whether a look-up waits, and [`Act`]s: reads and writes of translation pages.
//! - State: the [table](MappingTable), and for each stream the [cached](cmt) entries.

pub mod cmt;
pub mod directory;
pub mod table;
#[cfg(test)]
mod tests;
mod translation;

use std::ops::Range;

pub use table::{Entry, MappingTable};
pub use translation::{Act, LookUp, Stored};

use crate::config::design::Design;
use crate::ftl::mapping::translation::Cached;
use crate::limits::Limits;

pub struct Mapping {
    table: MappingTable,
    cached: Cached,
}

impl Mapping {
    pub fn new(design: &Design, limits: &Limits, table: MappingTable) -> Mapping {
        Mapping { table, cached: Cached::new(design, limits) }
    }

    pub fn into_table(self) -> MappingTable {
        self.table
    }

    pub fn table(&self) -> &MappingTable {
        &self.table
    }

    #[inline(always)]
    pub fn get(&self, lpa: u64) -> Entry {
        self.table.get(lpa)
    }

    /// [`Mapping::changed`] or [`Mapping::moved`] must be told of the host's.
    #[inline(always)]
    pub fn set(&mut self, lpa: u64, entry: Entry) {
        self.table.set(lpa, entry);
    }

    /// As [`Mapping::set`], if the entry is `from`. Returns whether it was.
    #[inline(always)]
    pub fn replace(&mut self, lpa: u64, from: Entry, to: Entry) -> bool {
        self.table.replace(lpa, from, to)
    }

    /// Returns the page behind the first that were never written. `marks`: they need none to read as zeroes.
    pub fn trim_unwritten(&mut self, pages: Range<u64>, marks: bool) -> u64 {
        let until = self.table.unwritten_until(pages.clone());
        if until > pages.start && marks {
            self.table.deallocate(pages.start..until);
        }
        until
    }
}
