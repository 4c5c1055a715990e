//! Recovery after power was lost: the mapping table is made anew from what flash holds.
//!
//! Every page is programmed together with its logical page and a number that grows with every write (its *out-of-band* data, as
//! in Gupta et al., DFTL, ASPLOS 2009, §3.1); a copy keeps the number of what it copies. Of all pages that name a logical page
//! the one with the highest number holds its newest data. A page whose program was cut off holds nothing: its check fails.
//! Deallocations are kept in a journal, which reaches flash with a flush, or at once where a capacitor keeps the drive alive
//! long enough (power-loss protection).

use std::collections::BTreeMap;

use crate::flash::address::Ppa;

/// A programmed page's out-of-band data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBand {
    /// Where the page is.
    pub at: Ppa,
    /// The logical page whose data it holds.
    pub lpa: u64,
    /// Number of the write that made them.
    pub sequence: u32,
}

/// A deallocation in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimmed {
    /// The logical page.
    pub lpa: u64,
    /// Number of the last write before it.
    pub sequence: u32,
}

/// What is left when power is lost.
#[derive(Clone, Debug, Default)]
pub struct FlashImage {
    /// Every page that is programmed, in the order of their addresses.
    pub pages: Vec<OutOfBand>,
    /// The journal of deallocations, oldest first.
    pub journal: Vec<Trimmed>,
    /// Sectors that were in the write buffer only and that the drive saved on its last energy: (logical page, sectors).
    pub saved: Vec<(u64, u64)>,
    /// Sectors that were in the write buffer only and are lost.
    pub lost: Vec<(u64, u64)>,
}

/// Where the newest data of each logical page are.
pub fn recover(image: &FlashImage) -> BTreeMap<u64, Ppa> {
    let mut newest: BTreeMap<u64, OutOfBand> = BTreeMap::new();
    for page in &image.pages {
        // A copy and its source carry the same number and the same data: either will do.
        let known = newest.entry(page.lpa).or_insert(*page);
        if page.sequence > known.sequence {
            *known = *page;
        }
    }
    for trim in &image.journal {
        if newest.get(&trim.lpa).is_some_and(|page| page.sequence <= trim.sequence) {
            newest.remove(&trim.lpa);
        }
    }
    newest.into_iter().map(|(lpa, page)| (lpa, page.at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::address::PlaneId;

    fn page(block: u32, lpa: u64, sequence: u32) -> OutOfBand {
        OutOfBand { at: Ppa { plane: PlaneId(0), block, page: 0 }, lpa, sequence }
    }

    #[test]
    fn the_highest_number_wins_whatever_the_order_on_flash() {
        let image = FlashImage { pages: vec![page(0, 7, 9), page(1, 7, 3), page(2, 8, 4)], ..FlashImage::default() };
        let map = recover(&image);
        assert_eq!((map[&7].block, map[&8].block, map.len()), (0, 2, 2));
    }

    #[test]
    fn a_trim_forgets_what_was_written_before_it_and_nothing_after() {
        let trim = |lpa| Trimmed { lpa, sequence: 5 };
        let pages = vec![page(0, 7, 5), page(1, 8, 6), page(2, 8, 5)];
        let map = recover(&FlashImage { pages, journal: vec![trim(7), trim(8), trim(9)], ..FlashImage::default() });
        assert_eq!(map.into_iter().map(|(lpa, at)| (lpa, at.block)).collect::<Vec<_>>(), [(8, 1)]);
    }
}
