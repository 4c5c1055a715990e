//! Blocks of the pseudo-SLC cache are copied to native ones, in pauses and where the cache is needed.

use crate::config::design::PseudoSlc;
use crate::engine::time::Time;
use crate::flash::address::PlaneId;
use crate::ftl::blocks::pseudo_slc::CacheState;
use crate::ftl::blocks::{Blocks, Frontier};
use crate::ftl::reclaim::gc::{Counts, Reason};
use crate::measure::pseudo_slc::{PslcReport, PslcSeries};

/// Everything is folded then.
#[derive(Default)]
pub struct Folding {
    pub is_on: bool,
    /// Zero: the drive never counts as idle.
    idle_time: Time,
    last_completion: Time,
    looks: bool,
    is_idle: bool,
}

impl Folding {
    pub fn new(keys: &PseudoSlc) -> Folding {
        Folding { is_on: keys.is_on(), idle_time: keys.idle_time.time(), ..Folding::default() }
    }

    #[inline]
    pub fn frontier_of_host(&self, stream: u16) -> Frontier {
        if self.is_on { Frontier::Cached(stream) } else { Frontier::User(stream) }
    }

    #[inline]
    pub fn due(&self, plane: PlaneId, blocks: &mut Blocks) -> Option<u32> {
        if self.is_on { blocks.block_to_fold(plane, self.is_idle) } else { None }
    }

    pub fn host_is_back(&mut self) {
        self.is_idle = false;
    }

    /// `is_last`: no other request is under way. Returns when to look for idleness.
    pub fn expect_idle_host(&mut self, is_last: bool, now: Time) -> Option<Time> {
        self.last_completion = now;
        let looks = self.is_on && is_last && self.idle_time > Time::ZERO && !self.looks;
        self.looks |= looks;
        looks.then_some(now + self.idle_time)
    }

    /// `is_quiet`: without requests. Returns idleness, and when to look again.
    pub fn look_for_idle_host(&mut self, is_quiet: bool, now: Time) -> (bool, Option<Time>) {
        let due = self.last_completion + self.idle_time;
        self.looks = is_quiet && due > now;
        let becomes_idle = is_quiet && due <= now;
        self.is_idle |= becomes_idle;
        (becomes_idle, self.looks.then_some(due))
    }

    pub fn report(
        &self,
        [reads, programs, erases]: [u64; 3],
        counts: &Counts,
        blocks: &Blocks,
        series: PslcSeries,
    ) -> PslcReport {
        let CacheState { static_pages, dynamic_pages, used, valid_pages, erases_max } = blocks.cache_state();
        PslcReport {
            static_pages,
            dynamic_pages,
            host_pages: series.host_pages.iter().sum(),
            blocks_folded: counts.jobs[Reason::Fold as usize],
            pages_folded: counts.folded,
            reads,
            programs,
            erases,
            energy_mj: 0.0,
            erases_max,
            blocks_used: used,
            valid_pages,
            series,
        }
    }
}
