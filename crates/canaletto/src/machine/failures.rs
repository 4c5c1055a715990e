//! Programs, erases and reads that fail.
//!
//! A block is retired only while its plane can spare it: enough blocks stay for the host's data and for collection. After
//! that, host writes whose program fails are completed with an error, copies are taken for good and blocks go on in use.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::Ppa;
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::ftl::mapping::Entry;
use crate::host::request::RequestId;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// The program of a flash page has failed. Returns whether its block is retired.
    pub(super) fn retire_failed(&mut self, first: TransactionId) -> bool {
        let Transaction { ppa: at, origin, .. } = self.transactions[first];
        let copy = origin == Origin::Gc;
        // Collection needs another block at once if its own is retired, and must leave one for the next victim.
        let keep_free = if copy { self.blocks.reserved() + 1 } else { 0 };
        self.retire(at.plane, at.block, keep_free)
    }

    /// The program of a page has failed; it may be programmed `again` if its block is retired.
    pub(super) fn program_failed(&mut self, id: TransactionId, mut again: bool, now: Time) {
        let Transaction { ppa: at, origin, frontier, .. } = self.transactions[id];
        if frontier == Frontier::Arrivals {
            again &= self.blocks.promise_arrival(at.plane);
        }
        match origin {
            Origin::Gc if !again => return self.copy_programmed(id, now),
            Origin::Mapping if !again => return self.translation_programmed(id, now),
            Origin::Destage if !again => return self.write_programmed(id, now),
            _ => {}
        }
        self.failures.spent += 1;
        self.blocks.program_ends(at);
        self.blocks.invalidate(at);
        self.blocks.note_stalls(at.plane, now);
        self.needs_collection.push(at.plane);
        if again { self.program_again(id, now) } else { self.write_failed(id, now) }
    }

    /// Looks for another page. What a copy had in its register is gone: it is read again, into the controller.
    fn program_again(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.transactions[id];
        t.retrying = true;
        if t.copyback {
            (t.copyback, t.operation, t.ppa) = (false, Operation::Read, t.old);
            let from = t.old;
            self.blocks.read_begins(from);
            self.collector.copy_is_lost(from.plane);
            self.collector.copy_is_unsettled(from.plane);
        } else {
            t.ppa = Ppa::unbound(t.ppa.plane);
            self.expect_again(id);
            let t = self.transactions[id];
            self.collector.copy_lines_up_again(&t);
        }
        self.enqueue_first(id, now);
    }

    /// A write has found no page that could be programmed: its logical page keeps what it held before.
    pub(super) fn write_failed(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        if t.origin == Origin::User {
            self.requests[t.request].failed = true;
            self.probe.page_failed(now, t.request, t.lpa);
        }
        self.failures.given_up += 1;
        if self.map.get(t.lpa) == Entry::Pending(id) {
            // A page that was never written has no entry to go back to: it reads as zeroes.
            self.map.set(t.lpa, if t.old.is_bound() { Entry::At(t.old) } else { Entry::Trimmed });
            if t.successor.is_some() {
                self.start_successor(t.successor, now);
            }
        }
        if t.origin == Origin::Destage { self.destage_lost(id, now) } else { self.page_finished(id, now) }
    }

    /// A page cannot be read by any means: the request that needs it fails. A copy carries on what it found.
    pub(super) fn read_failed(&mut self, id: TransactionId, now: Time) {
        self.failures.uncorrectable += 1;
        let t = self.transactions[id];
        let request = match t.old_page {
            OldPage::For(write) => self.transactions[write].request,
            _ => t.request,
        };
        if request != RequestId::NONE {
            self.requests[request].failed = true;
        }
        if t.origin == Origin::User {
            self.probe.page_failed(now, request, t.lpa);
        }
    }
}
