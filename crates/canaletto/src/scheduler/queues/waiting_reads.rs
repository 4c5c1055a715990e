//! By flash page, so that reads need not look through the queue.

use crate::engine::index::Index;
use crate::flash::address::{Layout, Ppa};

pub struct WaitingReads {
    layout: Layout,
    counts: Index,
}

impl WaitingReads {
    pub fn new(layout: &Layout) -> WaitingReads {
        WaitingReads { layout: layout.clone(), counts: Index::new() }
    }

    pub fn add(&mut self, page: Ppa) {
        let number = self.layout.flash_page_number(page);
        self.counts.insert(number, self.count(page) + 1);
    }

    pub fn remove(&mut self, page: Ppa) {
        let number = self.layout.flash_page_number(page);
        match self.count(page) {
            0 => debug_assert!(false, "{page:?} does not wait"),
            1 => self.counts.remove(number),
            count => {
                self.counts.insert(number, count - 1);
            }
        }
    }

    pub fn count(&self, page: Ppa) -> u32 {
        self.counts.get(self.layout.flash_page_number(page)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;
    use crate::flash::address::PlaneId;

    #[test]
    fn reads_of_a_flash_page_are_counted_together() {
        let design = load_design("performance-optimized", None, &["ftl.mapping_unit=1KiB".to_owned()]).unwrap();
        let mut reads = WaitingReads::new(&design.layout());
        let at = |plane, block, page| Ppa { plane: PlaneId(plane), block, page };
        for page in [at(9, 1, 4), at(9, 1, 7), at(9, 1, 8), at(9, 2, 4), at(8, 1, 4)] {
            reads.add(page);
        }
        assert_eq!((reads.count(at(9, 1, 5)), reads.count(at(9, 1, 11)), reads.count(at(8, 1, 6))), (2, 1, 1));
        reads.remove(at(9, 1, 4));
        assert_eq!((reads.count(at(9, 1, 6)), reads.count(at(9, 2, 7))), (1, 1));
        reads.remove(at(9, 1, 7));
        assert_eq!(reads.count(at(9, 1, 6)), 0);
    }
}
