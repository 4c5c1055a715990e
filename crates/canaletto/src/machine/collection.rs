//! Garbage collection at work: copies are read and programmed, victims erased.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::ftl::gc::{Reason, Step};
use crate::ftl::mapping::Entry;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Starts or moves on collection in every plane where something has changed.
    pub(super) fn run_collections(&mut self, now: Time) {
        while !self.needs_collection.is_empty() || self.room_wanted {
            self.look_after_planes(now);
            // Once a round: an epoch that finds nothing to collect ends at once and would begin again.
            if self.collector.begin_epoch(now) {
                self.needs_collection.extend((0..self.layout.planes()).rev().map(PlaneId));
                self.look_after_planes(now);
            }
            self.share_columns();
            self.place_waiting_pages(now);
            if self.without_room.is_empty() && self.collector.resume() {
                self.needs_collection.extend((0..self.layout.planes()).rev().map(PlaneId));
            }
        }
    }

    fn look_after_planes(&mut self, now: Time) {
        if self.in_place.is_some() {
            return self.needs_collection.clear();
        }
        while let Some(plane) = self.needs_collection.pop() {
            if self.hybrid.is_some() {
                self.look_after_merges(plane, now);
                continue;
            }
            self.collector.start(plane, &mut self.blocks, !self.without_room.is_empty(), now);
            self.drive_collection(plane, now);
            if self.layout.pages_per_flash_page() > 1 {
                // No further copies may come to fill a flash page with those that are queued.
                self.refresh_ready(self.layout.unit_of(plane));
            }
            self.give_up_if_exhausted(plane, now);
        }
    }

    /// Tells the fabric whose the columns are when an epoch has begun or ended.
    fn share_columns(&mut self) {
        let epoch = self.collector.epoch();
        if epoch.is_running() || self.columns_kept {
            self.columns_kept = epoch.is_running();
            self.fabric.keep_columns(|chip| epoch.owns_column_of(chip));
        }
    }

    fn drive_collection(&mut self, plane: PlaneId, now: Time) {
        loop {
            let transaction = match self.collector.step(plane, &self.blocks) {
                Step::Copy(from) => match self.plan_copy(from, now) {
                    Some(copy) => copy,
                    None => return,
                },
                Step::Erase(victim) => {
                    self.write_moved(plane, self.collector.reclaimed_pages(plane), now);
                    return self.erase_victim(victim, now);
                }
                Step::Wait => return,
            };
            let id = self.new_page(transaction);
            self.enqueue(id, now);
        }
    }

    /// Has a victim's blocks erased: those that are to be used again.
    fn erase_victim(&mut self, victim: Ppa, now: Time) {
        let mut blocks = 0;
        for plane in self.blocks.planes_of_group(victim.plane) {
            if self.blocks.is_used_again(plane, victim.block) {
                let erase = Transaction::of_gc(Operation::Erase, 0, Ppa { plane, ..victim }, 0, now);
                let id = self.new_page(erase);
                self.enqueue(id, now);
                blocks += 1;
            }
        }
        match blocks {
            0 => self.end_job(victim, now),
            _ => self.collector.erases_begin(victim.plane, blocks),
        }
    }

    /// Settles where a page is copied to and how. None if the chips it could go to have no register for it yet.
    fn plan_copy(&mut self, from: Ppa, now: Time) -> Option<Transaction> {
        let Some((to, direct)) = self.destination(from) else {
            self.collector.postpone(from);
            let waiting = &mut self.awaiting_register[self.layout.column_of(from.plane)];
            if !waiting.contains(&from.plane) {
                waiting.push(from.plane);
            }
            return None;
        };
        let lpa = self.blocks.valid_lpa(from).expect("only valid pages are copied");
        self.blocks.read_begins(from);
        let within = to == from.plane;
        let frontier = if within { Frontier::Gc } else { Frontier::Arrivals };
        let copy = Transaction::of_gc(Operation::Read, lpa, from, self.blocks.sectors(from), now);
        let copyback = within && self.may_copy_back(from) && self.blocks.is_flash_page_valid(from);
        Some(Transaction { to, direct, frontier, copyback, ..copy })
    }

    /// The plane that a page is to be copied to, and whether straight from chip to chip. A page there has been promised, and
    /// a register taken. The page's own plane if no other has room; none if others have, but no register.
    fn destination(&mut self, from: Ppa) -> Option<(PlaneId, bool)> {
        let chip = self.layout.chip_of_plane(from.plane);
        // A held path leads to the controller: what is sent over it passes it.
        let unchecked = !self.choices.hold_path && !self.fabric.must_check(u32::from(self.blocks.copies(from)));
        let mut waits = false;
        for to in self.collector.destinations(from.plane, &self.layout) {
            let chip_there = self.layout.chip_of_plane(to);
            let direct = unchecked && self.fabric.can_copy(chip, chip_there);
            if !self.spread.may_take(to, &self.blocks) {
                continue;
            }
            if direct && !self.fabric.reserve_register(chip_there) {
                waits = true;
                continue;
            }
            if self.blocks.promise_arrival(to) {
                return Some((to, direct));
            }
            if direct {
                self.fabric.release_register(chip_there);
            }
        }
        (!waits).then_some((from.plane, false))
    }

    /// A page to be copied is in the controller's memory: it goes out again, to the collection frontier of its plane or to
    /// another plane.
    pub(super) fn copy_read(&mut self, id: TransactionId, now: Time) {
        let t = &self.transactions[id];
        let from = t.ppa;
        if self.blocks.valid_lpa(from) != Some(t.lpa) {
            return self.drop_copy(id);
        }
        let to = match self.blocks.has_superblocks() {
            true => self.take_place(from.plane, t.frontier).expect("the copies of a victim have room"),
            false => t.to,
        };
        let t = &mut self.transactions[id];
        (t.operation, t.stage) = (Operation::Program, 0);
        (t.old, t.to, t.ppa) = (from, to, Ppa::unbound(to));
        if self.stays_in_plane(id) {
            self.collector.copy_is_read(to);
        }
        self.pass_stages(id, now);
    }

    /// Whether a copy was promised a page of the plane it comes from, for which it may have to wait.
    fn stays_in_plane(&self, id: TransactionId) -> bool {
        let t = &self.transactions[id];
        t.to == t.old.plane && !self.blocks.has_superblocks()
    }

    /// A page to be copied was overwritten before it could be: there is nothing left to do for it.
    fn drop_copy(&mut self, id: TransactionId) {
        let t = self.transactions[id];
        if t.frontier == Frontier::Arrivals {
            self.blocks.withdraw_arrival(t.to);
        }
        self.give_register_back(&t);
        self.forget_merge_copy(&t);
        self.end_copy(id, t.ppa.plane, false);
    }

    /// A page has come from another chip into a register of the one it goes to.
    pub(super) fn copy_crossed(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        self.end_read_of(t.ppa);
        if self.blocks.valid_lpa(t.ppa) != Some(t.lpa) {
            return self.drop_copy(id);
        }
        let check = self.fabric.check_time();
        if check > Time::ZERO {
            self.events.push(now + check, super::Event::CopyChecked(id));
        } else {
            self.program_copy(id, now);
        }
    }

    /// Has a page programmed from the register it came to.
    pub(super) fn program_copy(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.transactions[id];
        t.operation = Operation::Program;
        t.old = t.ppa;
        t.ppa = Ppa::unbound(t.to);
        // The data are there already.
        t.bytes = 0;
        self.enqueue(id, now);
    }

    fn give_register_back(&mut self, t: &Transaction) {
        if !t.direct {
            return;
        }
        self.fabric.release_register(self.layout.chip_of_plane(t.to));
        let column = self.layout.column_of(t.to);
        self.needs_collection.append(&mut self.awaiting_register[column]);
    }

    /// A copy is programmed: it takes effect unless the page was overwritten meanwhile.
    pub(super) fn copy_programmed(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        self.blocks.program_ends(t.ppa);
        let entry = self.map.get(t.lpa);
        debug_assert_eq!(self.blocks.valid_lpa(t.old).is_some(), self.is_newest(t.old, t.lpa));
        let counts = &mut self.collector.counts;
        counts.copied += 1;
        self.upkeep.copy(now);
        counts.copied_elsewhere += u64::from(t.to != t.old.plane);
        counts.copied_directly += u64::from(t.direct);
        if t.copyback {
            self.wear.copied(t.old, t.ppa);
        }
        // They are valid until newer ones have taken effect.
        if self.blocks.valid_lpa(t.old).is_some() {
            match entry {
                Entry::Pending(write) => self.transactions[write].old = t.ppa,
                _ => {
                    self.map.set(t.lpa, Entry::At(t.ppa));
                    self.mapping_moved(t.lpa, t.old.plane);
                }
            }
            let copies = if t.direct { self.blocks.copies(t.old).saturating_add(1) } else { 0 };
            self.blocks.set_copies(t.ppa, copies);
            self.blocks.invalidate(t.old);
            self.probe.page_copied(now, t.lpa, t.old, t.ppa);
        } else {
            self.blocks.invalidate(t.ppa);
        }
        self.give_register_back(&t);
        self.needs_collection.push(t.ppa.plane);
        let within = self.stays_in_plane(id);
        self.end_copy(id, t.old.plane, within);
    }

    /// Whether the newest data of a logical page that have taken effect are here.
    fn is_newest(&self, at: Ppa, lpa: u64) -> bool {
        match self.entry(lpa) {
            Entry::At(ppa) => ppa == at,
            Entry::Pending(write) => self.transactions[write].old == at,
            Entry::Unmapped | Entry::Trimmed => false,
        }
    }

    /// A copy of a page of `from` has ended.
    pub(super) fn end_copy(&mut self, id: TransactionId, from: PlaneId, within: bool) {
        self.transactions.remove(id);
        match &mut self.hybrid {
            None => self.collector.copy_done(from, within),
            Some(hybrid) => hybrid.copy_done(from),
        }
        self.needs_collection.push(from);
    }

    /// A victim is erased, or one of its blocks: with the last its plane has a free block again.
    pub(super) fn erased(&mut self, id: TransactionId, now: Time) {
        let Ppa { plane, block, .. } = self.transactions[id].ppa;
        self.transactions.remove(id);
        self.probe.block_erased(now, plane, block);
        self.wear.erased(plane, block);
        if self.failures.erase_fails() {
            // The next victim's copies must still find a block.
            self.retire(plane, block, self.blocks.reserved());
        }
        if self.hybrid.is_some() || self.collector.block_is_erased(plane) {
            self.end_job(Ppa { plane, block, page: 0 }, now);
        } else {
            self.upkeep.erase(now);
        }
    }

    /// A victim is empty: its block is free again, or given up.
    fn end_job(&mut self, victim: Ppa, now: Time) {
        let Ppa { plane, block, .. } = victim;
        self.blocks.erase(plane, block, self.choices.endurance);
        self.upkeep.erase(now);
        if let Some(hybrid) = &mut self.hybrid {
            hybrid.erase_done(plane, &mut self.blocks);
            return self.needs_collection.push(plane);
        }
        self.blocks.note_stalls(plane, now);
        self.spread.set_exhausted(plane, false);
        let (since, all) = self.collector.erase_done(plane, &mut self.blocks, now);
        self.upkeep.job(since, now);
        if all {
            self.needs_collection.extend((0..self.layout.planes()).rev().map(PlaneId));
        }
        self.needs_collection.push(plane);
    }

    /// A block has failed: it is not to be used again, and its valid pages move elsewhere. Not so if its plane cannot spare
    /// it or would have fewer than `keep_free` free blocks. Returns whether it is retired.
    pub(super) fn retire(&mut self, plane: PlaneId, block: u32, keep_free: u32) -> bool {
        let retired = self.blocks.retire(plane, block, keep_free);
        // A block of a superblock keeps its part in it until all of that is collected.
        if retired && !self.blocks.has_superblocks() {
            self.collector.want(plane, block, Reason::Retired);
            self.needs_collection.push(plane);
        }
        retired
    }
}
