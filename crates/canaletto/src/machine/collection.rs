//! Garbage collection at work: copies are read and programmed, victims erased.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::gc::Step;
use crate::ftl::mapping::Entry;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Starts or moves on collection in every plane where something has changed.
    pub(super) fn run_collections(&mut self, now: Time) {
        while let Some(plane) = self.needs_collection.pop() {
            self.collector.start(plane, &self.blocks);
            self.drive_collection(plane, now);
        }
    }

    fn drive_collection(&mut self, plane: PlaneId, now: Time) {
        loop {
            let transaction = match self.collector.step(plane, &self.blocks) {
                Step::Copy(from) => {
                    let lpa = self.blocks.valid_lpa(from).expect("only valid pages are copied");
                    self.blocks.read_begins(from);
                    let copy = Transaction::of_gc(Operation::Read, lpa, from, self.blocks.sectors(from), now);
                    Transaction { copyback: self.may_copy_back(from), ..copy }
                }
                Step::Erase(victim) if self.blocks.is_bad(victim.plane, victim.block) => {
                    self.blocks.erase(victim.plane, victim.block);
                    self.collector.erase_done(plane);
                    self.needs_collection.push(plane);
                    return;
                }
                Step::Erase(victim) => Transaction::of_gc(Operation::Erase, 0, victim, 0, now),
                Step::Wait => return,
            };
            let id = self.new_page(transaction);
            self.enqueue(id, now);
        }
    }

    /// A page to be copied is in the controller's memory: it goes out again to the plane's collection frontier.
    pub(super) fn copy_read(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.transactions[id];
        if self.blocks.valid_lpa(t.ppa) != Some(t.lpa) {
            // Overwritten meanwhile: nothing to copy.
            self.end_copy(id, now);
            return;
        }
        t.operation = Operation::Program;
        t.stage = 0;
        t.old = t.ppa;
        t.ppa = Ppa::unbound(t.ppa.plane);
        self.pass_stages(id, now);
    }

    /// A copy is programmed: it takes effect unless the page was overwritten meanwhile.
    pub(super) fn copy_programmed(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        self.blocks.program_ends(t.ppa);
        let entry = self.map.get(t.lpa);
        let current = match entry {
            Entry::At(ppa) => ppa,
            Entry::Pending(write) => self.transactions[write].old,
            Entry::Unmapped | Entry::Trimmed => Ppa::NONE,
        };
        self.collector.copied += 1;
        if t.copyback {
            self.wear.copied(t.old, t.ppa);
        }
        if current == t.old {
            match entry {
                Entry::Pending(write) => self.transactions[write].old = t.ppa,
                _ => self.map.set(t.lpa, Entry::At(t.ppa)),
            }
            self.blocks.invalidate(t.old);
            self.probe.page_copied(now, t.lpa, t.old, t.ppa);
        } else {
            self.blocks.invalidate(t.ppa);
        }
        self.end_copy(id, now);
    }

    pub(super) fn end_copy(&mut self, id: TransactionId, _now: Time) {
        let plane = self.transactions[id].ppa.plane;
        self.transactions.remove(id);
        self.collector.copy_done(plane);
        self.needs_collection.push(plane);
    }

    /// A victim is erased: its plane has a free block again.
    pub(super) fn erased(&mut self, id: TransactionId, now: Time) {
        let at = self.transactions[id].ppa;
        self.transactions.remove(id);
        self.probe.block_erased(now, at.plane, at.block);
        self.erase_ended(at.plane, at.block);
        self.wear.erased(at.plane, at.block);
        self.blocks.note_stalls(at.plane, now);
        self.collector.erase_done(at.plane);
        self.needs_collection.push(at.plane);
    }
}
