//! Planes that have stopped working, or that nothing reaches any more.
//!
//! With parity their pages are rebuilt, and superblocks go on without them ([`parity`](super::parity)). Without it
//!
//! - reads of their pages fail, and so do writes of a part of such a page, which keeps what it held: the rest of it could not be read;
//! - writes that were on their way there go to other planes, as do all later ones;
//! - nothing is collected there any more. Copies that were on their way stay where they cannot be read.

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::PlaneId;
use crate::flash::interface::Operation;
use crate::flash::plane_set::PlaneSet;
use crate::host::request::RequestId;
use crate::measure::cut_off::CutOffReport;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};

/// Planes that have been lost, and the cost of it.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Lost {
    /// Planes.
    pub planes: PlaneSet,
    /// Pages that could be neither read nor rebuilt.
    pages: u64,
    /// Requests that failed for it.
    requests: u64,
}

impl Ftl {
    /// Planes stop working, or are cut off.
    pub fn lose_planes(&mut self, planes: &[PlaneId]) {
        if planes.is_empty() {
            return;
        }
        self.lost.planes.add(planes);
        if self.has_parity() {
            return self.lose_protected_planes(planes);
        }
        for space in &mut self.spaces {
            space.placement.leave_out(&self.lost.planes);
        }
        planes.iter().for_each(|&plane| self.allocator.set_exhausted(plane, true));
        self.changed.extend(planes);
    }

    /// Whether a plane has stopped working.
    #[inline]
    pub(super) fn is_lost(&self, plane: PlaneId) -> bool {
        self.lost.planes.has(plane)
    }

    /// Whether a plane has stopped working and nothing makes up for it.
    #[inline]
    pub fn is_out_of_reach(&self, plane: PlaneId) -> bool {
        self.is_lost(plane) && !self.has_parity()
    }

    /// Whether a transaction would read a plane that has stopped working.
    #[inline]
    pub(super) fn is_read_of_lost_plane(&self, t: &Transaction) -> bool {
        t.operation == Operation::Read && self.is_lost(t.ppa.plane)
    }

    /// Answers a read of a plane that has stopped working without trying it.
    #[cold]
    pub(super) fn read_without_plane(&mut self, id: TransactionId) {
        if self.has_parity() {
            self.rebuild_at_once(id);
        } else {
            self.tell(Outcome::OutOfReach(id));
        }
    }

    /// A page is out of reach for a request (or for the drive itself), which fails.
    pub(super) fn note_out_of_reach<P: Probe>(&mut self, work: &mut InFlight<'_, P>, request: RequestId) {
        self.lost.pages += 1;
        if request != RequestId::NONE {
            let failed = &mut work.requests[request].failed;
            self.lost.requests += u64::from(!std::mem::replace(failed, true));
        }
    }

    /// Ends a write of a part of a page whose rest is out of reach. The page keeps what it holds.
    #[cold]
    pub(super) fn leave_as_it_is<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let Transaction { request, lpa, origin, successor, .. } = work.transactions[id];
        self.note_out_of_reach(work, request);
        if origin == Origin::User {
            work.probe.page_failed(now, request, lpa);
        }
        self.tell(if origin == Origin::Destage { Outcome::DestageOutOfReach(id) } else { Outcome::PageDone(id) });
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }

    /// Ends a write that has been programmed, although the rest of its page could not be read.
    #[cold]
    pub(super) fn undo_partial_write<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let at = work.transactions[id].ppa;
        self.spent += 1;
        self.blocks.note_void(at);
        self.blocks.program_ends(at);
        self.blocks.invalidate(at);
        self.changed.push(at.plane);
        self.write_failed(work, id, now);
    }

    /// A write has all that it needs: one for a plane that has stopped working is to go elsewhere.
    #[inline]
    pub fn leave_lost_plane(&mut self, t: &Transaction) {
        if self.is_out_of_reach(t.ppa.plane) && t.operation == Operation::Program && !t.ppa.is_bound() {
            self.changed.push(t.ppa.plane);
        }
    }

    /// The old page of a write has come, or has not. Returns what the write finds in its place.
    pub fn old_page_after(&self, read: &Transaction) -> OldPage {
        if read.read_failed && self.is_out_of_reach(read.ppa.plane) { OldPage::Lost } else { OldPage::None }
    }

    /// Pages and requests that failed.
    pub fn cut_off_report(&self) -> CutOffReport {
        let Lost { pages, requests, .. } = self.lost;
        CutOffReport { pages_out_of_reach: pages, requests_failed: requests, ..CutOffReport::default() }
    }
}
