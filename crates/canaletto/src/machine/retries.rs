//! Read data at the ECC engine: corrected, read again, or given up.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::Ppa;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// A page's data have left the chip: whether they can be corrected shows behind the ECC engine.
    pub(super) fn read_transferred(&mut self, id: TransactionId, now: Time) {
        if self.is_illegible(id, now) {
            if u32::from(self.transactions[id].attempt) < self.retries() {
                return self.decode_in_vain(id, now);
            }
            self.read_failed(id, now);
        } else {
            let t = &self.transactions[id];
            match t.origin {
                Origin::User => {
                    self.probe.page_read(now, t.request, t.lpa, t.sectors, t.ppa);
                    self.keep_read(id, now);
                }
                Origin::Mapping => self.probe.translation_read(now, t.lpa, t.ppa),
                Origin::OldPage | Origin::Gc | Origin::Trim | Origin::Cached | Origin::Destage => {}
            }
        }
        self.end_read_of(self.transactions[id].ppa);
        if !self.controller.has_ecc() {
            self.transactions[id].retrying = false;
        }
        self.pass_stages(id, now);
    }

    fn is_illegible(&mut self, id: TransactionId, now: Time) -> bool {
        let t = &self.transactions[id];
        let Some(reliability) = &mut self.reliability else { return t.damaged };
        reliability.fails(t.ppa, u32::from(t.attempt), u64::from(t.bytes), &self.wear, now) || t.damaged
    }

    fn retries(&self) -> u32 {
        self.reliability.as_ref().map_or(0, |reliability| reliability.retries)
    }

    /// What the ECC engine works on in vain is read again behind it.
    fn decode_in_vain(&mut self, id: TransactionId, now: Time) {
        if !self.controller.has_ecc() {
            return self.read_again(id, now);
        }
        self.transactions[id].in_vain = true;
        self.pass_stages(id, now);
    }

    /// Reads a page once more, before whatever else its unit has to read.
    pub(super) fn read_again(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.transactions[id];
        (t.in_vain, t.retrying, t.stage) = (false, true, 0);
        t.attempt += 1;
        self.read_retries += 1;
        self.enqueue_first(id, now);
    }

    /// A page is to be read where it is.
    pub(super) fn begin_read_of(&mut self, at: Ppa) {
        if self.in_place.is_none() {
            self.blocks.read_begins(at);
        }
    }

    /// A page is no longer needed where it was read from.
    pub(super) fn end_read_of(&mut self, from: Ppa) {
        if self.in_place.is_some() {
            return;
        }
        let collects = self.hybrid.is_some() || self.collector.collects(from.plane, from.block);
        if self.blocks.read_ends(from) && collects {
            self.needs_collection.push(from.plane);
        }
    }
}
