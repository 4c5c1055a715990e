//! Programs and erases that make way for requests of the host.

use super::{Event, Machine};
use crate::fabric::Fabric;
use crate::flash::address::UnitId;
use crate::flash::array::{Charge, Command};
use crate::flash::interface::Operation;
use crate::flash::suspend::Phase;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::mates::Mates;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Whether the unit has something to do when a path is free: a command to take, or work to put aside for one.
    pub(super) fn can_act(&self, unit: UnitId) -> bool {
        match self.suspensions.phase(unit) {
            Phase::Idle => self.queues.has_work(unit) && self.free_planes(unit) != 0,
            Phase::Working => self.suspensions.has_turns_left(unit) && self.has_served(unit),
            Phase::Suspended => self.has_served(unit) && self.free_planes(unit) != 0,
            Phase::Suspending | Phase::Resuming => false,
        }
    }

    fn has_served(&self, unit: UnitId) -> bool {
        self.queues.has_any(unit, self.suspensions.served(unit))
    }

    /// Whether anything that the unit's operation makes way for could be issued in the planes `free` (a mask).
    fn waits(&self, unit: UnitId, free: u64) -> bool {
        self.queues.waits(unit, self.suspensions.served(unit), free, &self.transactions, &self.pages_seen())
    }

    /// Whether the unit's operation may not make way: it frees blocks that are needed at once.
    fn is_needed_at_once(&self, unit: UnitId) -> bool {
        let background = self.suspensions.get(unit).is_some_and(|u| matches!(u.charge, Some(Charge::Background(_))));
        background && self.collection_is_urgent(unit)
    }

    /// Puts a unit's work aside if something it makes way for waits.
    pub(super) fn try_suspend(&mut self, unit: UnitId, now: Time) {
        if self.suspensions.phase(unit) != Phase::Working {
            return;
        }
        let remaining = self.array.units[unit.index()].due - now;
        if !self.suspensions.is_worth_while(remaining)
            || self.is_needed_at_once(unit)
            || !self.waits(unit, self.array.empty_registers(unit))
        {
            return;
        }
        self.tell_of_work(unit, now);
        let command = self.array.units[unit.index()].command;
        if command.operation == Operation::Program {
            self.charge_all(&command, Cause::ArrayProgram, now);
        }
        self.suspensions.suspend(unit, remaining);
        self.array_until(unit, now + self.suspensions.suspend_time);
    }

    /// Charges all pages of a command.
    fn charge_all(&mut self, command: &Command, cause: Cause, now: Time) {
        for &first in command.transactions() {
            let mut mates = Mates::of(first);
            while let Some(id) = mates.next(&self.transactions) {
                self.charge_page(id, cause, now);
            }
        }
    }

    /// Tells the watcher how long the array has worked on what may be suspended.
    fn tell_of_work(&mut self, unit: UnitId, now: Time) {
        let Some(suspendee) = self.suspensions.get(unit) else { return };
        let (command, since) = (suspendee.command, suspendee.since);
        if since < now {
            for &id in command.transactions() {
                let plane = self.transactions[id].ppa.plane;
                self.probe.array_works(plane, command.operation, self.owner(id), since, now);
            }
        }
    }

    /// The unit's array is at work until `time`.
    pub(super) fn array_until(&mut self, unit: UnitId, time: Time) {
        self.array.units[unit.index()].due = time;
        self.events.push(time, Event::ArrayDone(unit));
    }

    /// The array comes to the end of something that may be suspended, or has stopped, or works again. Returns whether that
    /// is all there is to do.
    pub(super) fn suspension_moves(&mut self, unit: UnitId, now: Time) -> bool {
        match self.suspensions.phase(unit) {
            Phase::Suspending => {
                self.suspensions.suspended(unit, now);
                self.array.put_aside(unit, now);
                self.settle_suspension(unit, now);
            }
            Phase::Resuming => {
                let remaining = self.suspensions.resumed(unit, now);
                let command = self.array.units[unit.index()].command;
                self.charge_all(&command, Cause::Suspended, now);
                self.array_until(unit, now + remaining);
            }
            Phase::Working => {
                self.tell_of_work(unit, now);
                self.suspensions.done(unit);
                return false;
            }
            Phase::Suspended | Phase::Idle => return false,
        }
        self.refresh_ready(unit);
        self.touch(self.domain_of(unit));
        true
    }

    /// Whether a suspended unit takes no further commands, because its operation has waited long enough.
    pub(super) fn suspension_is_over(&self, unit: UnitId, now: Time) -> bool {
        self.suspensions.phase(unit) == Phase::Suspended
            && (self.suspensions.is_overdue(unit, now) || self.is_needed_at_once(unit))
    }

    /// Takes a suspended operation up again if nothing it made way for is left, or it has waited long enough, and its
    /// planes' registers are empty.
    pub(super) fn settle_suspension(&mut self, unit: UnitId, now: Time) {
        if self.suspensions.phase(unit) != Phase::Suspended || self.array.units[unit.index()].busy {
            return;
        }
        let own = self.suspensions.get(unit).map_or(0, |suspendee| self.planes_of(&suspendee.command));
        // Copies that have yet to be programmed keep their registers until the operation goes on.
        let free = !self.copybacks.pending(unit).map_or(0, |pages| self.planes_of(pages));
        if self.array.empty_registers(unit) & own != own
            || !self.suspension_is_over(unit, now) && self.waits(unit, free)
        {
            return;
        }
        let (command, charge) = self.suspensions.resume(unit);
        self.array.take_up(unit, command, own, charge, now);
        self.array_until(unit, now + self.suspensions.resume_time);
        self.refresh_ready(unit);
    }

    /// The planes that a command concerns, as a mask by place in the unit.
    fn planes_of(&self, command: &Command) -> u64 {
        let plane = |&id| 1u64 << self.layout.plane_in_unit(self.transactions[id].ppa.plane);
        command.transactions().iter().map(plane).sum()
    }

    /// Whether none of the pages that a suspended program is writing is read.
    pub(super) fn leaves_suspended_pages_alone(&self, unit: UnitId) -> bool {
        let Some(suspendee) = self.suspensions.get(unit).filter(|u| u.phase == Phase::Suspended) else { return true };
        let read = self.array.units[unit.index()].command;
        let same = |a, b| self.layout.share_flash_page(self.transactions[a].ppa, self.transactions[b].ppa);
        suspendee.command.operation == Operation::Erase
            || !read.transactions().iter().any(|&a| suspendee.command.transactions().iter().any(|&b| same(a, b)))
    }
}
