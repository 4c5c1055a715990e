//! Programs and erases that make way for host requests.

use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::LunId;
use crate::flash::interface::Control;
use crate::flash::suspend::Phase;
use crate::measure::probe::Probe;
use crate::scheduler::Midway;
use crate::scheduler::queues::FreePlanes;

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(always)]
    pub(super) fn can_act(&self, lun: LunId) -> bool {
        let suspensions = &self.flash.suspensions;
        match self.flash.phase(lun) {
            Phase::Idle => self.scheduler.queues.has_work(lun) && self.has_free_planes(lun),
            Phase::Working => {
                let loads = self.flash.lanes.load_programs();
                suspensions.has_turns_left(lun) && self.has_served(lun)
                    || loads && self.scheduler.queues.has_work(lun) && self.has_free_planes(lun)
            }
            Phase::Suspended => self.has_served(lun) && self.has_free_planes(lun),
            Phase::Suspending | Phase::Resuming => false,
            Phase::Loading => suspensions.awaits_path(lun),
        }
    }

    fn has_served(&self, lun: LunId) -> bool {
        self.scheduler.queues.has_any(lun, self.flash.suspensions.makes_way_for(lun))
    }

    pub(super) fn takes_commands(&mut self, lun: LunId, now: Time) -> bool {
        let loads = self.flash.lanes.load_programs();
        match self.flash.phase(lun) {
            Phase::Working => !self.try_suspend(lun, now) && loads,
            Phase::Suspending | Phase::Resuming | Phase::Loading => false,
            _ if self.flash.array.luns[lun.index()].busy && !loads => false,
            Phase::Idle | Phase::Suspended => !self.suspension_is_over(lun, now),
        }
    }

    fn waits(&self, lun: LunId, free: FreePlanes) -> bool {
        let (queues, transactions) = (&self.scheduler.queues, &self.pages.transactions);
        let served = self.flash.suspensions.makes_way_for(lun);
        queues.waits(lun, served, free, transactions, &self.ftl.readiness())
    }

    fn is_needed_at_once(&self, lun: LunId) -> bool {
        self.flash.suspends_background_work(lun) && self.ftl.is_urgent(lun)
    }

    fn try_suspend(&mut self, lun: LunId, now: Time) -> bool {
        let lane = self.flash.suspendee(lun);
        if self.flash.statuses.is_being_suspended(lane) {
            return true;
        }
        if !self.flash.suspensions.has_turns_left(lun)
            || self.flash.statuses.is_asked(lane)
            || self.flash.has_half_done(lane)
            || !self.flash.suspensions.is_worth_while(self.flash.remaining(lane, now))
            || self.is_needed_at_once(lun)
            || !self.waits(lun, FreePlanes::all(self.flash.array.empty_registers(lun)))
        {
            return false;
        }
        if self.flash.statuses.suspensions_are_told() {
            self.flash.statuses.sends_suspension(lane);
            self.send_control(lane, Control::Suspend, now);
        } else {
            self.suspend(lane, now);
        }
        true
    }

    pub(super) fn suspend_crossed(&mut self, lane: LunId, now: Time) {
        let is_meant = self.flash.statuses.takes_suspension(lane) && self.flash.phase(lane) == Phase::Working;
        let is_at_work = self.flash.suspendee(self.flash.lun_of(lane)) == lane;
        if is_meant && is_at_work && self.flash.remaining(lane, now) > Time::ZERO {
            self.suspend(lane, now);
        }
    }

    fn suspend(&mut self, lane: LunId, now: Time) {
        let time = self.flash.suspend(lane, &mut self.pages, now);
        self.events.push(time, Event::ArrayDone(lane));
    }

    #[inline(always)]
    pub(super) fn suspension_moves(&mut self, lane: LunId, now: Time) -> bool {
        self.flash.phase(lane) != Phase::Idle && self.suspendee_moves(lane, now)
    }

    #[inline(never)]
    fn suspendee_moves(&mut self, lane: LunId, now: Time) -> bool {
        let lun = self.flash.lun_of(lane);
        match self.flash.phase(lun) {
            Phase::Suspending => {
                self.flash.has_suspended(lane, now);
                if self.pages.probe.follows_waits() {
                    self.pages.root_causes.array_ended(lun, false, now);
                }
                self.settle_suspension(lun, now);
            }
            Phase::Resuming => {
                let time = self.flash.has_resumed(lane, &mut self.pages, now);
                self.events.push(time, Event::ArrayDone(lane));
                self.schedule_polls(lane);
            }
            Phase::Working => {
                self.flash.suspendee_ends(lane, &mut self.pages, now);
                return false;
            }
            Phase::Suspended | Phase::Idle | Phase::Loading => return false,
        }
        self.refresh(lun);
        let domain = self.scheduler.domain_of(lun);
        self.scheduler.touch(domain);
        true
    }

    fn suspension_is_over(&self, lun: LunId, now: Time) -> bool {
        self.flash.phase(lun) == Phase::Suspended
            && (self.flash.suspensions.is_overdue(lun, now) || self.is_needed_at_once(lun))
    }

    /// If nothing it made way for is left, or it has waited long enough. Returns whether the command waits for a path.
    #[inline(always)]
    pub(super) fn settle_suspension(&mut self, lun: LunId, now: Time) -> bool {
        self.flash.phase(lun) == Phase::Suspended && self.resume_if_due(lun, now)
    }

    #[inline(never)]
    fn resume_if_due(&mut self, lun: LunId, now: Time) -> bool {
        if !self.flash.can_resume(lun, &self.pages) {
            return false;
        }
        let free = FreePlanes::all(self.flash.planes_without_copies(lun, &self.pages));
        if !self.suspension_is_over(lun, now) && self.waits(lun, free) {
            return false;
        }
        let lane = self.flash.resume(lun, &self.pages, now);
        if self.pages.probe.follows_waits() {
            let seen_as = self.flash.seen_as(lane, &self.pages);
            self.pages.root_causes.command_resumed(lun, seen_as, now);
        }
        let is_told = self.flash.statuses.suspensions_are_told();
        if is_told {
            self.line_up_midway(lane, Midway::Control(Control::Resume));
        } else {
            let time = self.flash.begin_resumption(lane, &mut self.pages, now);
            self.events.push(time, Event::ArrayDone(lane));
        }
        self.refresh(lun);
        is_told
    }
}
