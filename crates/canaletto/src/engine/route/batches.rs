//! `scheduler.looks = "each-batch"`: paths are offered after each batch, not only at the end of the event.
//!
//! The read of a translation page is its own batch, before the other pages of its request.

use super::Route;
use crate::config::design::{Design, Looks};
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::fabric::{DomainId, Fabric};
use crate::flash::address::LunId;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, TransactionId};

#[derive(Default)]
pub(super) struct Batches {
    each: bool,
    looks_up: bool,
    is_open: bool,
    held: Vec<TransactionId>,
    /// It has just carried data and is not free yet.
    busy: Option<DomainId>,
}

impl Batches {
    pub fn new(design: &Design) -> Batches {
        let each = design.scheduler.looks == Looks::EachBatch;
        Batches { each, looks_up: each && design.mapping.is_cached(), ..Batches::default() }
    }

    #[inline(always)]
    pub fn is_open(&self) -> bool {
        rarely(self.is_open)
    }

    #[inline(always)]
    pub fn is_busy(&self, domain: DomainId) -> bool {
        self.busy == Some(domain)
    }
}

impl<F: Fabric, P: Probe> Route<F, P> {
    /// Until [`Route::close_batch`].
    #[inline(always)]
    pub(super) fn open_batch(&mut self) {
        self.batches.is_open = self.batches.looks_up;
    }

    #[inline(always)]
    pub(super) fn close_batch(&mut self, now: Time) {
        if self.batches.is_open() {
            self.issue_held(now);
        }
    }

    #[cold]
    fn issue_held(&mut self, now: Time) {
        self.batches.is_open = false;
        let mut held = std::mem::take(&mut self.batches.held);
        for id in held.drain(..) {
            self.issue(id, now);
        }
        self.batches.held = held;
    }

    #[cold]
    pub(super) fn issue_in_batch(&mut self, id: TransactionId, now: Time) {
        match self.pages.transactions[id].origin {
            Origin::Gc => self.queue(id, now),
            Origin::Mapping => {
                self.queue(id, now);
                self.end_batch(now);
            }
            _ => self.batches.held.push(id),
        }
    }

    #[inline(always)]
    pub(super) fn end_batch(&mut self, now: Time) {
        if rarely(self.batches.each) {
            self.scheduler.touch_all_if_noticed();
            self.offer_paths(now);
        }
    }

    #[inline(always)]
    pub(super) fn keep_path(&mut self, lun: LunId) {
        if rarely(self.batches.looks_up) {
            self.batches.busy = Some(self.scheduler.domain_of(lun));
        }
    }

    #[inline(always)]
    pub(super) fn free_kept_path(&mut self) {
        self.batches.busy = None;
    }
}
