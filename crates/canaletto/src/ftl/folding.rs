//! Folding: blocks of the pseudo-SLC cache are copied to native ones, in pauses and where the cache is needed.

use super::Ftl;
use crate::config::design::PseudoSlc;
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::PlaneId;
use crate::ftl::blocks::Frontier;
use crate::ftl::blocks::pseudo_slc::CacheState;
use crate::ftl::gc::Reason;
use crate::measure::probe::Probe;
use crate::measure::pseudo_slc::PslcReport;
use crate::scheduler::transaction::TransactionId;

/// Whether the drive is idle, so that everything is folded.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Folding {
    /// Whether there is a cache.
    is_on: bool,
    /// Time without requests after which the drive counts as idle; zero: it never does.
    idle_time: Time,
    last_completion: Time,
    /// Whether a look is scheduled.
    looks: bool,
    is_idle: bool,
}

impl Folding {
    pub(super) fn new(keys: &PseudoSlc) -> Folding {
        Folding { is_on: keys.is_on(), idle_time: keys.idle_time.time(), ..Folding::default() }
    }
}

impl Ftl {
    /// Whether the drive has a pseudo-SLC cache.
    #[inline]
    pub fn has_pseudo_slc(&self) -> bool {
        self.folding.is_on
    }

    /// The frontier that the host's writes of a stream go to.
    #[inline]
    pub(super) fn frontier_of_host(&self, stream: u16) -> Frontier {
        if self.has_pseudo_slc() { Frontier::Cached(stream) } else { Frontier::User(stream) }
    }

    /// Begins to fold the plane's next block, if one is due and the plane does not collect anyway.
    #[inline]
    pub(super) fn fold_if_due(&mut self, plane: PlaneId) {
        if self.has_pseudo_slc()
            && !self.collector.is_busy(plane)
            && let Some(block) = self.blocks.block_to_fold(plane, self.folding.is_idle)
        {
            self.collector.want(plane, block, Reason::Fold);
        }
    }

    /// A request has arrived: the drive is not idle.
    pub fn host_is_back(&mut self) {
        self.folding.is_idle = false;
    }

    /// A request is complete; `is_last`: no other is under way. Returns when to look whether the drive has become idle, if
    /// nobody does already.
    pub fn expect_idle_host(&mut self, is_last: bool, now: Time) -> Option<Time> {
        let f = &mut self.folding;
        f.last_completion = now;
        let looks = f.is_on && is_last && f.idle_time > Time::ZERO && !f.looks;
        f.looks |= looks;
        looks.then_some(now + f.idle_time)
    }

    /// Looks whether the drive, without requests if `is_quiet`, has become idle. Returns when to look again.
    pub fn look_for_idle_host(&mut self, is_quiet: bool, now: Time) -> Option<Time> {
        let f = &mut self.folding;
        let due = f.last_completion + f.idle_time;
        f.looks = is_quiet && due > now;
        if is_quiet && due <= now {
            f.is_idle = true;
            self.all_planes_changed();
        }
        self.folding.looks.then_some(due)
    }

    /// Notes how the cells are used that a transaction, about to be issued, concerns.
    #[inline]
    pub(super) fn note_mode<P: Probe>(&self, work: &mut InFlight<'_, P>, id: TransactionId) {
        if self.has_pseudo_slc() {
            let at = work.transactions[id].ppa;
            work.transactions[id].pseudo_slc = self.blocks.is_cache_block(at.plane, at.block);
        }
    }

    /// Report on the pseudo-SLC cache, of which the back end counted `[reads, programs, erases]`; none without one.
    pub(super) fn pslc_report(&self, [reads, programs, erases]: [u64; 3]) -> Option<PslcReport> {
        if !self.has_pseudo_slc() {
            return None;
        }
        let counts = &self.collector.counts;
        let series = self.maintenance.pslc_series();
        let CacheState { static_pages, dynamic_pages, used, valid_pages, erases_max } = self.blocks.cache_state();
        Some(PslcReport {
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
        })
    }
}
