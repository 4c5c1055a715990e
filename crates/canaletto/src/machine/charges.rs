//! Charging accounts, and telling the watcher of what happens to whom.

use super::{Machine, Payload};
use crate::fabric::Fabric;
use crate::host::request::{Request, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::{Owner, Probe};
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};
use crate::sim::time::Time;

/// Charges everything since a request's last charge to `cause`.
pub(super) fn charge<P: Probe>(request: &mut Request, cause: Cause, now: Time, probe: &mut P) {
    let since = request.account.since;
    request.account.charge(cause, now);
    if P::WATCHES_WIRES && since < now {
        probe.charged(Owner::of_request(request.number), cause, since, now, None);
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Makes a page transaction and gives it its number.
    pub(super) fn new_page(&mut self, transaction: Transaction) -> TransactionId {
        let number = self.pages;
        self.pages = self.pages.wrapping_add(1);
        let id = self.transactions.insert(Transaction { number, ..transaction });
        self.interference.begin(id);
        id
    }

    /// Charges everything since a page's last charge to `cause`.
    pub(super) fn charge_page(&mut self, id: TransactionId, cause: Cause, now: Time) {
        let t = &mut self.transactions[id];
        let cause = if t.retrying { Cause::Retry } else { cause };
        let since = t.account.since;
        t.account.charge(cause, now);
        self.tell_page(id, cause, since, now);
    }

    /// Charges at most `span` of the time since a page's last charge to `cause`, and returns how much that was.
    pub(super) fn charge_page_up_to(&mut self, id: TransactionId, cause: Cause, span: Time, now: Time) -> Time {
        let t = &mut self.transactions[id];
        let cause = if t.retrying { Cause::Retry } else { cause };
        let since = t.account.since;
        let part = t.account.charge_up_to(cause, span, now);
        self.tell_page(id, cause, since, since + part);
        part
    }

    fn tell_page(&mut self, id: TransactionId, cause: Cause, since: Time, until: Time) {
        if P::WATCHES_WIRES && since < until {
            let plane = self.transactions[id].ppa.plane;
            let chip = plane.is_some().then(|| self.layout.chip_of_plane(plane));
            self.probe.charged(self.owner(id), cause, since, until, chip);
        }
    }

    /// Charges everything since a request's last charge to `cause`.
    pub(super) fn charge_request(&mut self, id: RequestId, cause: Cause, now: Time) {
        charge(&mut self.requests[id], cause, now, self.probe);
    }

    /// Whom a page transaction is for.
    pub(super) fn owner(&self, id: TransactionId) -> Owner {
        if !P::WATCHES_WIRES {
            return Owner::NONE;
        }
        let t = &self.transactions[id];
        let asking = match t.old_page {
            // The old page of a partial write is read for that write.
            OldPage::For(write) if t.origin == Origin::OldPage => &self.transactions[write],
            _ => t,
        };
        Owner { request: self.number_of(asking.request), page: t.number, work: asking.origin.work() }
    }

    fn number_of(&self, request: RequestId) -> u32 {
        if request.is_some() { self.requests[request].number } else { Owner::NONE.request }
    }

    /// Passes what the fabric has traced on to the watcher.
    pub(super) fn watch_wires(&mut self) {
        if !P::WATCHES_WIRES {
            return;
        }
        let mut spans: Vec<_> = self.fabric.trace().drain().collect();
        for span in spans.drain(..) {
            self.probe.wire_used(&span, self.carried_for(self.carried[span.path.index()].what));
        }
    }

    /// Whom a transfer is for: of several pages of one command the first.
    pub(super) fn carried_for(&self, transfer: Payload) -> Owner {
        match transfer {
            Payload::Command(unit) => self.owner(self.array.units[unit.index()].command.transactions()[0]),
            Payload::Data(id) | Payload::Copy(id) => self.owner(id),
        }
    }
}
