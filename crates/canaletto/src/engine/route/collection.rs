use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, Ppa};
use crate::measure::probe::Probe;
use crate::scheduler::transaction::Transaction;

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(never)]
    pub(super) fn run_collections(&mut self, now: Time) {
        while self.ftl.wants_collection() {
            self.look_after_planes(now);
            if self.ftl.begin_epoch(now) {
                self.look_after_planes(now);
            }
            if let Some(epoch) = self.ftl.epoch_of_columns() {
                self.paths.fabric.keep_columns(|chip| epoch.owns_column_of(chip));
            }
            self.place_stalled(now);
            self.ftl.resume_collection();
        }
    }

    fn place_stalled(&mut self, now: Time) {
        for left in (1..=self.ftl.begin_placing_stalled()).rev() {
            if self.ftl.all_wait_on(&mut self.pages, left, now) {
                break;
            }
            self.ftl.place_next_stalled(&mut self.pages, now);
            self.carry_out(now);
        }
        for _ in 0..self.ftl.stalled_perhaps_for_ever() {
            self.ftl.give_up_next_stalled(&mut self.pages, now);
            self.carry_out(now);
        }
    }

    fn look_after_planes(&mut self, now: Time) {
        if self.ftl.zones().is_some() {
            let is_alone = self.ftl.has_zones_alone();
            self.go_on_with_zones(now);
            if is_alone {
                return;
            }
        }
        let hybrid = self.ftl.merges_blocks();
        while let Some(plane) = self.ftl.next_changed_plane() {
            if hybrid {
                let (lun, transactions) = (self.layout.lun_of(plane), &self.pages.transactions);
                let first = self.scheduler.queues.find_write(lun, transactions, |t| t.ppa.plane == plane);
                self.ftl.look_after_merges(&mut self.pages, first, plane, now);
            } else {
                self.collect(plane, now);
                self.carry_out(now);
                self.give_up_writes(plane, now);
            }
            self.carry_out(now);
        }
        if self.ftl.zones().is_some_and(|zones| zones.has_changed && !zones.is_looking) {
            self.ftl.zone_changed();
        }
    }

    fn collect(&mut self, plane: PlaneId, now: Time) {
        self.ftl.start_collection(plane, now);
        while let Some(from) = self.ftl.next_copy(&mut self.pages, plane, now) {
            let Some(destination) = self.destination(from) else {
                self.ftl.await_register(from);
                break;
            };
            self.ftl.copy_to(&mut self.pages, from, destination, now);
        }
        self.ftl.collection_waits(plane);
    }

    /// The plane, and whether from chip to chip. A page and a register are reserved. None if others only lack a
    /// register.
    fn destination(&mut self, from: Ppa) -> Option<(PlaneId, bool)> {
        if !self.ftl.copies_leave_planes() {
            return Some((from.plane, false));
        }
        let chip = self.layout.chip_of_plane(from.plane);
        let may_go_directly = self.paths.may_copy_directly(self.ftl.copies_of(from));
        let fabric = &mut self.paths.fabric;
        let mut waits = false;
        for to in self.ftl.destinations(from) {
            let chip_there = self.layout.chip_of_plane(to);
            let direct = may_go_directly && fabric.can_copy(chip, chip_there);
            if !self.ftl.may_take_arrival(to) {
                continue;
            }
            if direct && !fabric.registers_mut().is_some_and(|registers| registers.reserve(chip_there)) {
                waits = true;
                continue;
            }
            if self.ftl.promise_arrival(to) {
                return Some((to, direct));
            }
            if let Some(registers) = fabric.registers_mut().filter(|_| direct) {
                registers.release(chip_there);
            }
        }
        (!waits).then_some((from.plane, false))
    }

    fn give_up_writes(&mut self, plane: PlaneId, now: Time) {
        if self.ftl.has_room_for_all(plane) {
            return;
        }
        let lun = self.layout.lun_of(plane);
        if !self.scheduler.queues.has_writes(lun) {
            return;
        }
        for frontier in self.ftl.write_frontiers() {
            let mut goes_on = self.ftl.note_if_exhausted(plane, frontier);
            while goes_on {
                let waits = |t: &Transaction| t.waits_for_page(plane, frontier);
                let write = self.scheduler.queues.take_write(lun, &mut self.pages.transactions, waits);
                goes_on = write.is_some();
                if let Some(id) = write {
                    self.ftl.give_up_write(&mut self.pages, id, now);
                }
                self.carry_out(now);
            }
        }
    }

    #[cold]
    pub(super) fn give_up_oldest(&mut self) -> bool {
        let now = self.events.now();
        let gave_up = self.ftl.give_up_oldest(&mut self.pages, now);
        if gave_up {
            self.carry_out(now);
            self.refill(now);
            self.offer_paths(now);
            if !self.refresh_is_scheduled {
                self.schedule_refresh_scan(now);
            }
        }
        gave_up
    }

    pub(super) fn expect_folding(&mut self, now: Time) {
        let is_last = self.requests.is_empty();
        if let Some(time) = self.ftl.folding.expect_idle_host(is_last, now) {
            self.events.push(time, Event::FoldIdle);
        }
    }

    #[inline(never)]
    pub(super) fn fold_if_idle(&mut self, now: Time) {
        let (becomes_idle, again) = self.ftl.folding.look_for_idle_host(self.requests.is_empty(), now);
        if becomes_idle {
            self.ftl.all_planes_changed();
        }
        if let Some(time) = again {
            self.events.push(time, Event::FoldIdle);
        }
        self.scheduler.touch_all_if_noticed();
    }

    #[cold]
    pub(super) fn schedule_refresh_scan(&mut self, now: Time) {
        if let Some(time) = self.ftl.upkeep.next_scan(now) {
            self.events.push(time, Event::RefreshScan);
            self.refresh_is_scheduled = true;
        }
    }

    #[inline(never)]
    pub(super) fn scan_for_refresh(&mut self, now: Time) {
        self.ftl.scan_for_refresh(now);
        self.offer_paths(now);
        // The run must be able to end; an idle drive with requests from outside continues.
        self.refresh_is_scheduled = false;
        let is_idle = self.requests.is_empty() && self.host.external().is_some();
        if is_idle || !self.events.is_empty() || self.paths.fabric.next_step() != Time::MAX {
            self.schedule_refresh_scan(now);
        }
    }
}
