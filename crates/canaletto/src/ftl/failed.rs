//! Programs, erases and reads that fail.
//!
//! A block is retired only while its plane can spare it: enough blocks stay for the host's data and for collection. After
//! that, host writes whose program fails are completed with an error, copies are taken for good and blocks go on in use.

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::ftl::mapping::Entry;
use crate::host::request::RequestId;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};

impl Ftl {
    /// The program of a flash page has failed. Returns whether its block is retired.
    pub fn retire_failed<P: Probe>(&mut self, work: &InFlight<'_, P>, first: TransactionId) -> bool {
        let Transaction { ppa: at, origin, .. } = work.transactions[first];
        let copy = origin == Origin::Gc;
        if self.is_lost(at.plane) {
            // What is copied within a plane is there before and after.
            return !copy || self.has_parity();
        }
        // Collection needs another block at once if its own is retired, and must leave one for the next victim.
        let keep_free = if copy { self.blocks.reserved() + 1 } else { 0 };
        self.retire(at.plane, at.block, keep_free)
    }

    /// The program of a page has failed; it may be programmed `again` if its block is retired.
    pub fn program_failed<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        id: TransactionId,
        mut again: bool,
        now: Time,
    ) {
        let Transaction { ppa: at, old, origin, frontier, .. } = work.transactions[id];
        let copy = origin == Origin::Gc;
        if frontier == Frontier::Arrivals {
            again &= self.blocks.promise_arrival(at.plane);
        } else if copy && !self.is_lost(at.plane) {
            // A further page is spent on it: the others must still find theirs.
            again &= self.blocks.copies_fit(old.plane, old.block);
        }
        match origin {
            Origin::Gc if !again => return self.copy_programmed(work, id, now),
            Origin::Mapping if !again => return self.translation_programmed(work, id, now),
            Origin::Destage if !again => return self.host_page_programmed(work, id, now),
            _ => {}
        }
        self.spent += 1;
        self.blocks.note_void(at);
        self.blocks.program_ends(at);
        self.blocks.invalidate(at);
        self.blocks.note_stalls(at.plane, now);
        self.changed.push(at.plane);
        if again { self.program_again(work, id) } else { self.write_failed(work, id, now) }
    }

    /// Looks for another page. What a copy had in its register is gone: it is read again, into the controller.
    fn program_again<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        work.transactions[id].retrying = true;
        if self.is_out_of_reach(work.transactions[id].ppa.plane) {
            work.transactions[id].ppa = Ppa::NONE;
            return self.wait_for_room(id);
        }
        if self.blocks.has_superblocks() {
            return self.place_again(work, id);
        }
        let t = &mut work.transactions[id];
        if t.copyback {
            (t.copyback, t.operation, t.ppa) = (false, Operation::Read, t.old);
            let from = t.old;
            self.blocks.read_begins(from);
            self.collector.copy_is_lost(from.plane);
            self.collector.copy_is_unsettled(from.plane);
        } else {
            t.ppa = Ppa::unbound(t.ppa.plane);
            self.expect_again(work, id);
            let t = work.transactions[id];
            self.collector.copy_lines_up_again(&t);
        }
        self.issue_first(work, id);
    }

    /// Gives a write, or a copy, another place.
    fn place_again<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let t = &work.transactions[id];
        let line = t.line();
        let Some(plane) = self.take_place(t.ppa.plane, line, false) else {
            work.transactions[id].ppa = Ppa::NONE;
            return self.wait_for_room(id);
        };
        let t = &mut work.transactions[id];
        (t.to, t.ppa) = (plane, Ppa::unbound(plane));
        self.blocks.note_come(plane, line);
        self.collector.copy_lines_up_again(&work.transactions[id]);
        self.issue_first(work, id);
    }

    /// A write has found no page that could be programmed: its logical page keeps what it held before.
    pub fn write_failed<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        if t.origin == Origin::User {
            work.requests[t.request].failed = true;
            work.probe.page_failed(now, t.request, t.lpa);
        }
        self.given_up += 1;
        if self.map.get(t.lpa) == Entry::Pending(id) {
            // A page that was never written has no entry to go back to: it reads as zeroes.
            self.map.set(t.lpa, if t.old.is_bound() { Entry::At(t.old) } else { Entry::Trimmed });
            if t.successor.is_some() {
                self.start_successor(work, t.successor, now);
            }
        }
        if t.origin == Origin::Destage { self.tell(Outcome::DestageLost(id)) } else { self.tell(Outcome::PageDone(id)) }
    }

    /// A page cannot be read by any means: the request that needs it fails. A copy carries on what it found.
    pub fn read_failed<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        self.uncorrectable += 1;
        let t = work.transactions[id];
        let request = match t.old_page {
            OldPage::For(write) => work.transactions[write].request,
            _ => t.request,
        };
        if self.is_out_of_reach(t.ppa.plane) {
            self.note_out_of_reach(work, request);
        } else if request != RequestId::NONE {
            work.requests[request].failed = true;
        }
        if t.origin == Origin::User {
            work.probe.page_failed(now, request, t.lpa);
        }
    }
}
