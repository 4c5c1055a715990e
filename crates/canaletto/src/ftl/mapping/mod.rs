//! Where logical pages are: the table, which of its entries are in DRAM, and where the table itself is kept.
//!
//! - In: look-ups of pages, changes of their entries, translation pages that have been read or written.
//! - Out: whether a look-up has to wait, and [`Act`]s: reads and writes of translation pages.
//! - State: the [table](MappingTable), and for each stream the entries that are [cached](cmt).

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

/// The mapping of logical pages, and what is known of it without reading flash.
pub struct Mapping {
    table: MappingTable,
    cached: Cached,
}

impl Mapping {
    /// The mapping of a drive that begins with a table.
    pub fn new(design: &Design, limits: &Limits, table: MappingTable) -> Mapping {
        Mapping { table, cached: Cached::new(design, limits) }
    }

    /// The table, at the end.
    pub fn into_table(self) -> MappingTable {
        self.table
    }

    /// The table.
    pub fn table(&self) -> &MappingTable {
        &self.table
    }

    /// Looks a page up.
    #[inline(always)]
    pub fn get(&self, lpa: u64) -> Entry {
        self.table.get(lpa)
    }

    /// Sets a page's entry, which [`Mapping::changed`] or [`Mapping::moved`] must be told of if it is the host's.
    #[inline(always)]
    pub fn set(&mut self, lpa: u64, entry: Entry) {
        self.table.set(lpa, entry);
    }

    /// Deallocates the first of these pages, those that nothing was ever written to, if they need not read as zeroes anyhow
    /// (`marks`). Returns the page behind them.
    pub fn trim_unwritten(&mut self, pages: Range<u64>, marks: bool) -> u64 {
        let until = self.table.unwritten_until(pages.clone());
        if until > pages.start && marks {
            self.table.deallocate(pages.start..until);
        }
        until
    }
}
