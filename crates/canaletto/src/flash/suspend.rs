//! Suspended programs and erases: what each LUN has put aside, and when it takes it up again.
//!
//! ```text
//!            crossed            a read waits        suspend_time          nothing waits         resume_time
//! Idle ───────────────> Working ───────────> Suspending ───────> Suspended ───────────> Resuming ───────────> Working
//!   <── array done ────────┘                                      (serves)
//! ```
//!
//! The event that would have ended the operation stays in the queue: a LUN's `due` says which event counts.
//!
//! A program that is loaded behind a suspended one (`flash.cache_program`) is put aside with it. The chip moves its data
//! from the cache registers to other latches, which frees the registers for reads, and back when it resumes
//! (US 9,021,158, claim 3). Times to suspend and resume include that. Data that still cross are waited for.

use crate::config::design::Flash;
use crate::config::medium::{SuspendTrigger, Suspendable};
use crate::engine::in_flight::PageWork;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::flash::FlashBackend;
use crate::flash::address::{Layout, LunId};
use crate::flash::array::{Charge, Command};
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::{ArrayStep, Probe};
use crate::scheduler::queues::Served;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Idle,
    /// A program's data cross in parts.
    Loading,
    Working,
    Suspending,
    Suspended,
    Resuming,
}

#[derive(Clone, Copy)]
pub struct Suspendee {
    pub phase: Phase,
    /// In which it works: not always the LUN's own, where programs are loaded behind programs.
    pub lane: LunId,
    pub command: Command,
    /// Loaded behind it, and its soonest beginning.
    behind: Option<(Command, Time)>,
    pub charge: Option<Charge>,
    pub since: Time,
    pub remaining: Time,
    until: Time,
    has_served: bool,
    taken: u32,
    /// Parts of a program that have not set out.
    parts: u64,
    awaits_path: bool,
}

pub struct Suspensions {
    erases: bool,
    programs: bool,
    writes_too: bool,
    loads_programs: bool,
    pub suspend_time: Time,
    pub resume_time: Time,
    limit: u32,
    min_remaining: Time,
    longest: Time,
    luns: Vec<Suspendee>,
    /// LUNs of each channel whose next part awaits a path. Empty if no data cross in parts.
    awaiting: Vec<u32>,
    pub count: u64,
}

impl Suspensions {
    pub fn new(flash: &Flash, layout: &Layout, loads_in_parts: bool) -> Suspensions {
        let config = &flash.suspend;
        let none = Suspendee {
            phase: Phase::Idle,
            lane: LunId(0),
            behind: None,
            command: Command::new(Operation::Erase),
            charge: None,
            since: Time::ZERO,
            remaining: Time::ZERO,
            until: Time::ZERO,
            has_served: false,
            taken: 0,
            parts: 0,
            awaits_path: false,
        };
        let on = config.operations != Suspendable::None || loads_in_parts;
        Suspensions {
            erases: matches!(config.operations, Suspendable::Erase | Suspendable::Both),
            programs: matches!(config.operations, Suspendable::Program | Suspendable::Both),
            writes_too: config.trigger == SuspendTrigger::ReadsAndWrites,
            loads_programs: flash.cache_program,
            suspend_time: config.suspend_time.time(),
            resume_time: config.resume_time.time(),
            limit: config.max_suspensions,
            min_remaining: config.min_remaining.time(),
            longest: config.max_suspended_time.time(),
            luns: if on { vec![none; layout.luns() as usize] } else { Vec::new() },
            awaiting: if loads_in_parts { vec![0; layout.channels as usize] } else { Vec::new() },
            count: 0,
        }
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        rarely(!self.luns.is_empty())
    }

    #[inline]
    pub fn get(&self, lun: LunId) -> Option<&Suspendee> {
        self.luns.get(lun.index())
    }

    #[inline]
    pub fn phase(&self, lun: LunId) -> Phase {
        self.get(lun).map_or(Phase::Idle, |u| u.phase)
    }

    /// While it works, what can be loaded behind it.
    #[inline]
    pub fn served(&self, lun: LunId) -> Served {
        match self.get(lun) {
            Some(u) if u.phase == Phase::Working && self.loads_programs => Served::All,
            _ => self.makes_way_for(lun),
        }
    }

    #[inline]
    pub fn makes_way_for(&self, lun: LunId) -> Served {
        match self.get(lun) {
            Some(u) if u.phase == Phase::Idle => Served::All,
            Some(u) if self.writes_too && u.command.operation == Operation::Erase => Served::UserRequests,
            Some(_) => Served::UserReads,
            None => Served::All,
        }
    }

    pub fn loads(&mut self, lun: LunId, parts: u64) {
        let lun = &mut self.luns[lun.index()];
        (lun.phase, lun.parts, lun.awaits_path) = (Phase::Loading, parts - 1, false);
    }

    pub fn awaits_path(&self, lun: LunId) -> bool {
        self.get(lun).is_some_and(|u| u.awaits_path)
    }

    /// Programs of a channel are loaded one after the other, so that the first one begins soon.
    pub fn lets_data_in(&self, channel: u32) -> bool {
        self.awaiting.get(channel as usize).is_none_or(|&awaiting| awaiting == 0)
    }

    pub fn part_sets_out(&mut self, lun: LunId, channel: u32) {
        let lun = &mut self.luns[lun.index()];
        lun.parts -= 1;
        lun.awaits_path = false;
        self.awaiting[channel as usize] -= 1;
    }

    /// Returns whether another part follows.
    pub fn part_crossed(&mut self, lun: LunId, channel: u32) -> bool {
        let lun = &mut self.luns[lun.index()];
        lun.awaits_path = lun.parts > 0;
        if !lun.awaits_path {
            lun.phase = Phase::Idle;
        }
        self.awaiting[channel as usize] += u32::from(lun.awaits_path);
        lun.awaits_path
    }

    pub fn works(&mut self, id: LunId, lane: LunId, command: Command, charge: Option<Charge>, begins: Time) -> bool {
        let suspendable = match command.operation {
            Operation::Read => false,
            Operation::Program => self.programs,
            Operation::Erase => self.erases,
        };
        let Some(lun) = self.luns.get_mut(id.index()).filter(|u| suspendable && u.phase == Phase::Idle) else {
            return false;
        };
        *lun = Suspendee { phase: Phase::Working, lane, command, charge, since: begins, taken: 0, ..*lun };
        true
    }

    pub fn has_turns_left(&self, lun: LunId) -> bool {
        self.get(lun).is_some_and(|u| u.taken < self.limit)
    }

    pub fn is_worth_while(&self, remaining: Time) -> bool {
        remaining >= self.min_remaining
    }

    pub fn suspend(&mut self, lun: LunId, remaining: Time) {
        let lun = &mut self.luns[lun.index()];
        assert!(lun.phase == Phase::Working && lun.taken < self.limit, "suspended what does not work");
        (lun.phase, lun.remaining) = (Phase::Suspending, remaining);
        lun.taken += 1;
        self.count += 1;
    }

    fn suspended(&mut self, lun: LunId, behind: Option<(Command, Time)>, now: Time) {
        let lun = &mut self.luns[lun.index()];
        (lun.phase, lun.behind) = (Phase::Suspended, behind);
        (lun.until, lun.has_served) = (now + self.longest, false);
    }

    pub fn serves(&mut self, lun: LunId) {
        if let Some(lun) = self.luns.get_mut(lun.index()) {
            lun.has_served = true;
        }
    }

    pub fn is_overdue(&self, lun: LunId, now: Time) -> bool {
        self.get(lun).is_some_and(|u| u.has_served && now >= u.until)
    }

    fn resume(&mut self, lun: LunId) -> Suspendee {
        let lun = &mut self.luns[lun.index()];
        assert_eq!(lun.phase, Phase::Suspended, "resumed what is not suspended");
        lun.phase = Phase::Resuming;
        Suspendee { behind: lun.behind.take(), ..*lun }
    }

    pub fn resumed(&mut self, lun: LunId, now: Time) -> Time {
        let lun = &mut self.luns[lun.index()];
        (lun.phase, lun.since) = (Phase::Working, now);
        lun.remaining
    }

    pub fn done(&mut self, lun: LunId) {
        self.luns[lun.index()].phase = Phase::Idle;
    }
}

impl FlashBackend {
    /// Of what works in the LUN and can be suspended, or has been.
    #[inline]
    pub fn suspendee(&self, lun: LunId) -> LunId {
        if self.lanes.are_on() { self.suspensions.luns[lun.index()].lane } else { lun }
    }

    /// Returns when the LUN can take another command.
    pub fn suspend<P: Probe>(&mut self, lane: LunId, work: &mut PageWork<P>, now: Time) -> Time {
        let lun = self.lun_of(lane);
        self.tell_of_suspendee(lun, work, now);
        let command = &self.array.luns[lane.index()].command;
        if command.operation == Operation::Program {
            work.charge_flash_pages(command.transactions(), Cause::ArrayProgram, now);
        }
        self.suspensions.suspend(lun, self.remaining(lane, now));
        let stops = now + self.suspensions.suspend_time;
        if work.probe.watches_wires() {
            let command = *self.command(lane);
            self.tell_of_step(lane, &command, ArrayStep::Stops, (now, stops), work);
        }
        self.works_until(lane, stops)
    }

    pub fn remaining(&self, lane: LunId, now: Time) -> Time {
        self.array.luns[lane.index()].due - now
    }

    pub fn has_suspended(&mut self, lane: LunId, now: Time) {
        let lun = self.lun_of(lane);
        self.array.put_aside(lane, now);
        let behind = self.unload(lun).map(|(loaded, soonest)| {
            self.array.put_aside(loaded, now);
            (*self.command(loaded), soonest)
        });
        self.suspensions.suspended(lun, behind, now);
    }

    /// It [begins](FlashBackend::begin_resumption) when told to. Returns its lane.
    pub fn resume<P: Probe>(&mut self, lun: LunId, work: &PageWork<P>, now: Time) -> LunId {
        let Suspendee { lane, command, behind, charge, .. } = self.suspensions.resume(lun);
        let planes = self.planes_of(&command, work);
        assert!(
            self.array.luns[lun.index()].registers & planes == 0,
            "LUN {} goes on in planes that still hold read data",
            lun.0
        );
        self.array.begin(lane, &command, charge, now);
        if let Some((command, soonest)) = behind {
            let loaded = self.load_again(lane, soonest);
            self.array.begin(loaded, &command, self.charge_of(&command, work), now);
        }
        lane
    }

    /// Returns when its array works.
    pub fn begin_resumption<P: Probe>(&mut self, lane: LunId, work: &mut PageWork<P>, now: Time) -> Time {
        let goes_on = now + self.suspensions.resume_time;
        let command = *self.command(lane);
        self.tell_of_step(lane, &command, ArrayStep::GoesOn, (now, goes_on), work);
        self.works_until(lane, goes_on)
    }

    pub fn has_resumed<P: Probe>(&mut self, lane: LunId, work: &mut PageWork<P>, now: Time) -> Time {
        let remaining = self.suspensions.resumed(self.lun_of(lane), now);
        work.charge_flash_pages(self.command(lane).transactions(), Cause::Suspended, now);
        self.works_until(lane, now + remaining)
    }

    pub fn suspendee_ends<P: Probe>(&mut self, lane: LunId, work: &mut PageWork<P>, now: Time) {
        let lun = self.lun_of(lane);
        self.tell_of_suspendee(lun, work, now);
        self.suspensions.done(lun);
    }

    fn tell_of_suspendee<P: Probe>(&self, lun: LunId, work: &mut PageWork<P>, now: Time) {
        let Some(suspendee) = self.suspensions.get(lun).filter(|_| work.probe.watches_wires()) else { return };
        if suspendee.since < now {
            for &id in suspendee.command.transactions() {
                let plane = work.transactions[id].ppa.plane;
                let (operation, owner) = (suspendee.command.operation, work.owner(id));
                work.probe.notify(|observer| observer.array_works(plane, operation, owner, suspendee.since, now));
            }
        }
    }

    pub fn can_resume<P: Probe>(&self, lun: LunId, work: &PageWork<P>) -> bool {
        let own = self.suspensions.get(lun).map_or(0, |suspendee| {
            let behind = suspendee.behind.map_or(0, |(command, _)| self.planes_of(&command, work));
            behind | self.planes_of(&suspendee.command, work)
        });
        let is_busy = self.array.luns[lun.index()].busy || self.lanes.are_on() && self.works_beside(lun);
        !is_busy && self.array.empty_registers(lun) & own == own
    }

    /// Copies keep their registers.
    pub fn planes_without_copies<P: Probe>(&self, lun: LunId, work: &PageWork<P>) -> u64 {
        !self.copybacks.pending(lun).map_or(0, |pages| self.planes_of(pages, work))
    }

    pub fn planes_of<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> u64 {
        let plane = |&id| 1u64 << self.layout.plane_in_lun(work.transactions[id].ppa.plane);
        command.transactions().iter().map(plane).sum()
    }

    pub(super) fn leaves_suspended_pages_alone<P: Probe>(&self, lun: LunId, lane: LunId, work: &PageWork<P>) -> bool {
        let Some(suspendee) = self.suspensions.get(lun).filter(|u| u.phase == Phase::Suspended) else { return true };
        let read = self.command(lane);
        let same = |a, b| self.layout.share_flash_page(work.transactions[a].ppa, work.transactions[b].ppa);
        suspendee.command.operation == Operation::Erase
            || !read.transactions().iter().any(|&a| suspendee.command.transactions().iter().any(|&b| same(a, b)))
    }

    pub fn suspends_background_work(&self, lun: LunId) -> bool {
        self.suspensions.get(lun).is_some_and(|u| matches!(u.charge, Some(Charge::Background(_))))
    }
}
