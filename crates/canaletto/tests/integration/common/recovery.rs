//! Recovery after power was lost: the mapping table is made anew from flash.
//!
//! Every page is programmed with its logical page and a growing number, which a copy keeps (*out-of-band* data, Gupta et
//! al., DFTL, ASPLOS 2009, §3.1). A program that was cut off fails its check. A journal of deallocations is on flash
//! before a flush or forced write ends and before an erase, or at once with power-loss protection.
//!
//! The swarm recovers at random events from what a [`Recorder`] kept.

use std::collections::BTreeMap;

use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::host::request::{Kind, Request, RequestId};
use canaletto::measure::probe::Observer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBand {
    pub at: Ppa,
    pub lpa: u64,
    pub sequence: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trimmed {
    pub lpa: u64,
    pub sequence: u32,
}

#[derive(Clone, Debug, Default)]
pub struct FlashImage {
    /// By address.
    pub pages: Vec<OutOfBand>,
    pub journal: Vec<Trimmed>,
    pub saved: BTreeMap<u64, u64>,
}

pub fn recover(image: &FlashImage) -> BTreeMap<u64, Ppa> {
    let mut newest: BTreeMap<u64, OutOfBand> = BTreeMap::new();
    for page in &image.pages {
        // A copy and its source carry the same number and data.
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

/// While a run continues.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Logical page and number, by plane and block.
    blocks: BTreeMap<(u32, u32), BTreeMap<u32, (u64, u32)>>,
    sequence: u32,
    journal: Vec<Trimmed>,
    journal_on_flash: usize,
    /// Newer than on flash.
    dirty: BTreeMap<u64, u64>,
    destaging: BTreeMap<u64, (u64, u32)>,
    /// Past the write buffer, by logical page and request.
    direct: BTreeMap<(u64, RequestId), u32>,
}

impl Recorder {
    /// A protected drive saves its write buffer and its journal.
    pub fn image(&self, protected: bool) -> FlashImage {
        let blocks = self.blocks.iter().flat_map(|(&(plane, block), pages)| {
            pages.iter().map(move |(&page, &(lpa, sequence))| OutOfBand {
                at: Ppa { plane: PlaneId(plane), block, page },
                lpa,
                sequence,
            })
        });
        let mut image = FlashImage { pages: blocks.collect(), ..FlashImage::default() };
        if protected {
            image.journal = self.journal.clone();
            let destaging = self.destaging.iter().map(|(lpa, (sectors, _))| (lpa, sectors));
            for (&lpa, sectors) in self.dirty.iter().chain(destaging) {
                *image.saved.entry(lpa).or_default() |= sectors;
            }
        } else {
            image.journal = self.journal[..self.journal_on_flash].to_vec();
        }
        image
    }

    fn program(&mut self, lpa: u64, sequence: u32, at: Ppa) {
        self.blocks.entry((at.plane.0, at.block)).or_default().insert(at.page, (lpa, sequence));
    }

    fn next(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence
    }

    fn first_under_way(&self, lpa: u64) -> Option<u32> {
        let direct = self.direct.range((lpa, RequestId(0))..=(lpa, RequestId::NONE)).map(|(_, &number)| number);
        direct.chain(self.destaging.get(&lpa).map(|&(_, number)| number)).min()
    }
}

impl Observer for Recorder {
    fn watches_pages(&self) -> bool {
        true
    }

    fn page_preconditioned(&mut self, lpa: u64, at: Ppa) {
        self.program(lpa, 0, at);
    }

    fn page_gone(&mut self, _: u64, at: Ppa) {
        self.blocks.entry((at.plane.0, at.block)).or_default().remove(&at.page);
    }

    fn page_found(&mut self, lpa: u64, at: Ppa) {
        self.program(lpa, 0, at);
    }

    fn page_begins(&mut self, _: Time, request: RequestId, lpa: u64, _: u64, kind: Kind) {
        if kind == Kind::Write {
            let number = self.next();
            self.direct.insert((lpa, request), number);
        }
    }

    fn page_programmed(&mut self, _: Time, request: RequestId, lpa: u64, _: u64, at: Ppa, _: Ppa) {
        let number = self.direct.remove(&(lpa, request)).expect("a write that began");
        self.program(lpa, number, at);
    }

    fn page_failed(&mut self, _: Time, request: RequestId, lpa: u64) {
        self.direct.remove(&(lpa, request));
    }

    fn page_cached(&mut self, _: Time, request: RequestId, lpa: u64, sectors: u64) {
        self.direct.remove(&(lpa, request));
        *self.dirty.entry(lpa).or_default() |= sectors;
    }

    fn page_destages(&mut self, _: Time, lpa: u64, sectors: u64) {
        let number = self.next();
        self.destaging.insert(lpa, (sectors, number));
        self.dirty.remove(&lpa);
    }

    fn page_destaged(&mut self, _: Time, lpa: u64, _: u64, at: Ppa, _: Ppa) {
        let (_, sequence) = self.destaging.remove(&lpa).expect("a page that set out");
        self.program(lpa, sequence, at);
    }

    fn page_lost(&mut self, _: Time, lpa: u64, _: u64) {
        self.destaging.remove(&lpa);
    }

    fn page_dropped(&mut self, lpa: u64) {
        self.dirty.remove(&lpa);
    }

    fn page_trimmed_in_cache(&mut self, _: Time, _: RequestId, lpa: u64, stays: bool) {
        // A forced write ends now: neither it nor what flash holds may come back.
        self.journal.push(Trimmed { lpa, sequence: self.sequence });
        if stays {
            self.dirty.insert(lpa, u64::MAX);
        } else {
            self.dirty.remove(&lpa);
        }
    }

    fn page_trimmed(&mut self, _: Time, _: RequestId, lpa: u64) {
        let sequence = self.first_under_way(lpa).map_or(self.sequence, |number| number - 1);
        self.journal.push(Trimmed { lpa, sequence });
    }

    fn page_copied(&mut self, _: Time, lpa: u64, from: Ppa, to: Ppa) {
        let (_, sequence) = self.blocks[&(from.plane.0, from.block)][&from.page];
        self.program(lpa, sequence, to);
    }

    fn translation_programmed(&mut self, _: Time, lpa: u64, at: Ppa) {
        let number = self.next();
        self.program(lpa, number, at);
    }

    fn block_erased(&mut self, _: Time, plane: PlaneId, block: u32) {
        self.blocks.remove(&(plane.0, block));
        self.journal_on_flash = self.journal.len();
    }

    fn ended(&mut self, request: &Request, _: Time) {
        if request.kind == Kind::Flush || request.fua {
            self.journal_on_flash = self.journal.len();
        }
    }
}

mod tests {
    use super::*;

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
    fn writes_are_numbered_in_the_order_in_which_they_set_out() {
        let at = |block| page(block, 7, 0).at;
        let mut recorder = Recorder::default();
        recorder.page_begins(Time::ZERO, RequestId(3), 7, 1, Kind::Write);
        recorder.page_destages(Time::ZERO, 7, 2);
        recorder.page_programmed(Time::ZERO, RequestId(3), 7, 1, at(0), Ppa::NONE);
        recorder.page_trimmed(Time::ZERO, RequestId(4), 7);
        recorder.page_destaged(Time::ZERO, 7, 2, at(1), Ppa::NONE);
        assert_eq!(recover(&recorder.image(true)), BTreeMap::from([(7, at(1))]));
    }

    #[test]
    fn a_trim_forgets_what_was_written_before_it_and_nothing_after() {
        let trim = |lpa| Trimmed { lpa, sequence: 5 };
        let pages = vec![page(0, 7, 5), page(1, 8, 6), page(2, 8, 5)];
        let map = recover(&FlashImage { pages, journal: vec![trim(7), trim(8), trim(9)], ..FlashImage::default() });
        assert_eq!(map.into_iter().map(|(lpa, at)| (lpa, at.block)).collect::<Vec<_>>(), [(8, 1)]);
    }
}
