//! Programs and erases that make way for requests of the host.

use super::{Event, Route};
use crate::engine::features::Features;
use crate::fabric::Fabric;
use crate::flash::address::UnitId;
use crate::flash::suspend::Phase;
use crate::measure::probe::Probe;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Whether the unit has something to do when a path is free: a command to take, or work to put aside for one.
    #[inline]
    pub(super) fn can_act(&self, unit: UnitId) -> bool {
        let suspensions = &self.flash.suspensions;
        match self.flash.phase(unit) {
            Phase::Idle => self.scheduler.queues.has_work(unit) && self.free_planes(unit) != 0,
            Phase::Working => suspensions.has_turns_left(unit) && self.has_served(unit),
            Phase::Suspended => self.has_served(unit) && self.free_planes(unit) != 0,
            Phase::Suspending | Phase::Resuming => false,
        }
    }

    fn has_served(&self, unit: UnitId) -> bool {
        self.scheduler.queues.has_any(unit, self.served(unit))
    }

    /// Whether the unit takes a command now. One at work may be stopped to do so later.
    pub(super) fn takes_commands(&mut self, unit: UnitId, now: Time) -> bool {
        if self.flash.array.units[unit.index()].busy {
            self.try_suspend(unit, now);
            return false;
        }
        !self.suspension_is_over(unit, now)
    }

    /// Whether anything that the unit's operation makes way for could be issued in the planes `free` (a mask).
    fn waits(&self, unit: UnitId, free: u64) -> bool {
        let (queues, transactions) = (&self.scheduler.queues, &self.work.transactions);
        queues.waits(unit, self.served(unit), free, transactions, &self.ftl.readiness())
    }

    /// Whether the unit's operation may not make way: it frees blocks that are needed at once.
    fn is_needed_at_once(&self, unit: UnitId) -> bool {
        self.flash.suspends_background_work(unit) && self.ftl.is_urgent(unit)
    }

    /// Puts a unit's work aside if something it makes way for waits.
    fn try_suspend(&mut self, unit: UnitId, now: Time) {
        if self.flash.phase(unit) != Phase::Working
            || !self.flash.suspensions.is_worth_while(self.flash.remaining(unit, now))
            || self.is_needed_at_once(unit)
            || !self.waits(unit, self.flash.array.empty_registers(unit))
        {
            return;
        }
        let time = self.flash.suspend(unit, &mut self.work, now);
        self.events.push(time, Event::ArrayDone(unit));
    }

    /// The array comes to the end of something that may be suspended, or has stopped, or works again. Returns whether that
    /// is all there is to do.
    pub(super) fn suspension_moves(&mut self, unit: UnitId, now: Time) -> bool {
        match self.flash.phase(unit) {
            Phase::Suspending => {
                self.flash.has_suspended(unit, now);
                self.settle_suspension(unit, now);
            }
            Phase::Resuming => {
                let time = self.flash.has_resumed(unit, &mut self.work, now);
                self.events.push(time, Event::ArrayDone(unit));
            }
            Phase::Working => {
                self.flash.suspendee_ends(unit, &mut self.work, now);
                return false;
            }
            Phase::Suspended | Phase::Idle => return false,
        }
        self.refresh(unit);
        let domain = self.scheduler.domain_of(unit);
        self.scheduler.touch(domain);
        true
    }

    /// Whether a suspended unit takes no further commands, because its operation has waited long enough.
    fn suspension_is_over(&self, unit: UnitId, now: Time) -> bool {
        self.flash.phase(unit) == Phase::Suspended
            && (self.flash.suspensions.is_overdue(unit, now) || self.is_needed_at_once(unit))
    }

    /// Takes a suspended operation up again if nothing it made way for is left, or it has waited long enough, and its
    /// planes' registers are empty.
    #[inline]
    pub(super) fn settle_suspension(&mut self, unit: UnitId, now: Time) {
        if !X::SUSPENSION || self.flash.phase(unit) != Phase::Suspended || !self.flash.can_resume(unit, &self.work) {
            return;
        }
        let free = self.flash.planes_without_copies(unit, &self.work);
        if !self.suspension_is_over(unit, now) && self.waits(unit, free) {
            return;
        }
        let time = self.flash.resume(unit, &self.work, now);
        self.events.push(time, Event::ArrayDone(unit));
        self.refresh(unit);
    }
}
