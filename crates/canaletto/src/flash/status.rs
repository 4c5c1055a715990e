//! Status of LUNs: operations that are over only when the controller has read it, and polls.
//!
//! ```text
//! command crossed       shortest time: first poll       array done             a poll finds it ready
//! ────────┼───────────────────────┼──── period ────┼──────────┼───────────┼──────────┼────────> the LUN is free
//!              array                     too early                          status on the wires
//! ```
//! Polls are of a controller that knows the shortest time of an operation from the data sheet (`fabric.status`).

use crate::config::design::Fabric;
use crate::engine::time::Time;
use crate::flash::address::LunId;
use crate::flash::interface::{Operation, StatusReads};

#[derive(Clone, Copy)]
struct Lun {
    is_done: bool,
    is_asked: bool,
    was_done: bool,
    /// [`Time::MAX`] if none is due.
    poll_at: Time,
    is_being_suspended: bool,
}

/// And lanes beyond them. Empty with short sequences.
pub struct Statuses {
    luns: Vec<Lun>,
    reads: StatusReads,
    period: Time,
    suspensions_are_told: bool,
    count: u64,
    early: u64,
}

impl Statuses {
    pub fn new(fabric: &Fabric, lanes: usize) -> Statuses {
        let none =
            Lun { is_done: false, is_asked: false, was_done: false, poll_at: Time::MAX, is_being_suspended: false };
        let reads = StatusReads::of(fabric);
        let lanes = if fabric.has_full_sequences() { lanes } else { 0 };
        let suspensions_are_told = fabric.has_full_sequences() && fabric.sequence_table().suspend.is_some();
        let period = fabric.status.period.time();
        Statuses { luns: vec![none; lanes], reads, period, suspensions_are_told, count: 0, early: 0 }
    }

    pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = [("status_reads", self.count), ("status_reads_too_early", self.early)];
        counts.into_iter().filter(|_| self.reads != StatusReads::Never)
    }

    pub fn concern(&self, operation: Operation) -> bool {
        self.reads.concern(operation)
    }

    pub fn is_empty(&self) -> bool {
        self.luns.is_empty()
    }

    pub fn suspensions_are_told(&self) -> bool {
        self.suspensions_are_told
    }

    pub fn begin(&mut self, lun: LunId, time: Time) -> bool {
        let polls = self.reads == StatusReads::Polled;
        let Some(lun) = self.luns.get_mut(lun.index()) else { return false };
        lun.is_being_suspended = false;
        lun.poll_at = if polls { time } else { Time::MAX };
        polls
    }

    /// Returns whether the poll is still meant.
    pub fn take_due(&mut self, lun: LunId, now: Time) -> bool {
        let lun = &mut self.luns[lun.index()];
        let is_due = lun.poll_at == now;
        if is_due {
            lun.poll_at = Time::MAX;
        }
        is_due
    }

    /// Returns whether its status must be read at once.
    pub fn array_done(&mut self, lun: LunId) -> bool {
        self.luns[lun.index()].is_done = true;
        self.reads == StatusReads::WhenDone
    }

    /// Its status has yet to say so.
    pub fn is_done(&self, lun: LunId) -> bool {
        self.luns.get(lun.index()).is_some_and(|lun| lun.is_done)
    }

    pub fn ask(&mut self, lun: LunId) {
        self.luns[lun.index()].is_asked = true;
    }

    /// Returns whether its array is done.
    pub fn sets_out(&mut self, lun: LunId) -> bool {
        let lun = &mut self.luns[lun.index()];
        lun.was_done = lun.is_done;
        lun.is_done
    }

    pub fn was_done(&self, lun: LunId) -> bool {
        self.luns[lun.index()].was_done
    }

    pub fn sends_suspension(&mut self, lun: LunId) {
        self.luns[lun.index()].is_being_suspended = true;
    }

    /// Returns whether it is still meant.
    pub fn takes_suspension(&mut self, lun: LunId) -> bool {
        let lun = &mut self.luns[lun.index()];
        let is_meant = std::mem::take(&mut lun.is_being_suspended) && !lun.is_asked && !lun.is_done;
        if is_meant {
            lun.poll_at = Time::MAX;
        }
        is_meant
    }

    pub fn is_asked(&self, lun: LunId) -> bool {
        self.luns.get(lun.index()).is_some_and(|lun| lun.is_asked)
    }

    pub fn is_being_suspended(&self, lun: LunId) -> bool {
        self.luns.get(lun.index()).is_some_and(|lun| lun.is_being_suspended)
    }

    /// The next poll, or none if the LUN is ready.
    pub fn read(&mut self, lun: LunId, now: Time) -> Option<Time> {
        self.count += 1;
        let lun = &mut self.luns[lun.index()];
        lun.is_asked = false;
        if std::mem::take(&mut lun.is_done) {
            lun.poll_at = Time::MAX;
            return None;
        }
        self.early += 1;
        lun.poll_at = now + self.period;
        Some(lun.poll_at)
    }
}
