//! Collection is looked after: planes that have changed, epochs, pages that wait for room.

use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::PlaneId;
use crate::measure::probe::Probe;

impl<F: Fabric, P: Probe> Route<'_, F, P> {
    /// Starts or moves on collection in every plane where something has changed.
    #[inline(never)]
    pub(super) fn run_collections(&mut self, now: Time) {
        while self.ftl.wants_collection() {
            self.look_after_planes(now);
            if self.ftl.begin_epoch(now) {
                self.look_after_planes(now);
            }
            self.ftl.share_columns(&mut self.paths.fabric);
            self.place_stalled(now);
            self.ftl.resume_collection();
        }
    }

    /// Gives room to pages that wait for some, and ends those for which none will come.
    fn place_stalled(&mut self, now: Time) {
        for _ in 0..self.ftl.begin_placing_stalled() {
            self.ftl.place_next_stalled(&mut self.work, now);
            self.carry_out(now);
        }
        for _ in 0..self.ftl.stalled_perhaps_for_ever() {
            self.ftl.give_up_next_stalled(&mut self.work, now);
            self.carry_out(now);
        }
    }

    fn look_after_planes(&mut self, now: Time) {
        let hybrid = self.ftl.merges_blocks();
        while let Some(plane) = self.ftl.next_changed_plane() {
            if hybrid {
                self.ftl.look_after_merges(&mut self.work, &self.scheduler.queues, plane, now);
            } else {
                self.ftl.look_after(&mut self.work, &mut self.paths.fabric, plane, now);
                self.carry_out(now);
                self.give_up_writes(plane, now);
            }
            self.carry_out(now);
        }
    }

    /// Sends writes that wait for a page of the plane elsewhere, or ends them with an error, if there will be none.
    fn give_up_writes(&mut self, plane: PlaneId, now: Time) {
        for frontier in self.ftl.write_frontiers(plane, &self.scheduler.queues) {
            let mut goes_on = self.ftl.note_if_exhausted(plane, frontier);
            while goes_on {
                let queued = &mut self.scheduler.queues;
                goes_on = self.ftl.give_up_write(&mut self.work, queued, (plane, frontier), now);
                self.carry_out(now);
            }
        }
    }

    /// Ends the page that has waited longest for room, at the end of everything. Returns whether there was one.
    #[cold]
    pub(super) fn give_up_oldest(&mut self) -> bool {
        let now = self.events.now();
        let gave_up = self.ftl.give_up_oldest(&mut self.work, now);
        if gave_up {
            self.carry_out(now);
            self.offer_paths(now);
            if !self.refresh_is_scheduled {
                self.schedule_refresh_scan(now);
            }
        }
        gave_up
    }

    /// Requests have been completed: the drive may become idle, and fold its pseudo-SLC cache.
    pub(super) fn expect_folding(&mut self, now: Time) {
        let is_last = self.work.requests.is_empty();
        if let Some(time) = self.ftl.expect_idle_host(is_last, now) {
            self.events.push(time, Event::FoldIdle);
        }
    }

    /// Folds the pseudo-SLC cache if the drive is idle.
    #[inline(never)]
    pub(super) fn fold_if_idle(&mut self, now: Time) {
        if let Some(time) = self.ftl.look_for_idle_host(self.work.requests.is_empty(), now) {
            self.events.push(time, Event::FoldIdle);
        }
        self.scheduler.touch_all_if_noticed();
    }

    /// Schedules the next scan for data that are too old, if ages matter.
    #[cold]
    pub(super) fn schedule_refresh_scan(&mut self, now: Time) {
        if let Some(time) = self.ftl.next_refresh_scan(now) {
            self.events.push(time, Event::RefreshScan);
            self.refresh_is_scheduled = true;
        }
    }

    /// Looks at the next block for data that are too old.
    #[inline(never)]
    pub(super) fn scan_for_refresh(&mut self, now: Time) {
        self.ftl.scan_for_refresh(now);
        self.offer_paths(now);
        // Where nothing else is left to happen, the run must be able to end, or to say what it waits for; an idle drive whose
        // requests come from outside goes on.
        self.refresh_is_scheduled = false;
        let is_idle = self.work.requests.is_empty() && self.host.external().is_some();
        if is_idle || !self.events.is_empty() || self.paths.fabric.next_step() != Time::MAX {
            self.schedule_refresh_scan(now);
        }
    }
}
