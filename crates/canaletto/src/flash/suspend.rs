//! Suspended programs and erases: what each unit has put aside, and when it takes it up again.
//!
//! ```text
//!            crossed            a read waits        suspend_time          nothing waits         resume_time
//! Idle ───────────────> Working ───────────> Suspending ───────> Suspended ───────────> Resuming ───────────> Working
//!   <── array done ────────┘                                      (serves)
//! ```
//!
//! The event that was to end the operation stays in the queue and is ignored: a unit's `due` says which event counts.

use crate::config::medium::{Suspend, SuspendTrigger, Suspendable};
use crate::engine::features::Features;
use crate::engine::in_flight::InFlight;
use crate::flash::FlashBackend;
use crate::flash::address::UnitId;
use crate::flash::array::{Charge, Command};
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::queues::Served;
use crate::sim::time::Time;

/// Where a unit's operation stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The unit works on nothing that could be suspended.
    Idle,
    /// The array works.
    Working,
    /// The array is being stopped.
    Suspending,
    /// The operation is put aside; the unit takes other commands.
    Suspended,
    /// The array takes the operation up again.
    Resuming,
}

/// A unit's operation that can be suspended.
#[derive(Clone, Copy)]
pub struct Suspendee {
    /// Where it stands.
    pub phase: Phase,
    /// The operation.
    pub command: Command,
    /// Whose its time is.
    pub charge: Option<Charge>,
    /// Since when the array has worked on it, for timelines.
    pub since: Time,
    /// Array time it still needs.
    pub remaining: Time,
    /// Until when a suspended unit takes further commands.
    until: Time,
    /// Whether it has taken one.
    has_served: bool,
    /// Times it was suspended.
    taken: u32,
}

/// What every unit has put aside; empty where nothing can be suspended.
pub struct Suspensions {
    erases: bool,
    programs: bool,
    writes_too: bool,
    /// From the decision to suspend to the next command.
    pub suspend_time: Time,
    /// From the decision to resume until the array works.
    pub resume_time: Time,
    limit: u32,
    min_remaining: Time,
    longest: Time,
    units: Vec<Suspendee>,
    /// Suspensions so far.
    pub count: u64,
}

impl Suspensions {
    /// Nothing suspended, in `units` units.
    pub fn new(config: &Suspend, units: u32) -> Suspensions {
        let none = Suspendee {
            phase: Phase::Idle,
            command: Command::new(Operation::Erase),
            charge: None,
            since: Time::ZERO,
            remaining: Time::ZERO,
            until: Time::ZERO,
            has_served: false,
            taken: 0,
        };
        let on = Suspensions::are_possible(config);
        Suspensions {
            erases: matches!(config.operations, Suspendable::Erase | Suspendable::Both),
            programs: matches!(config.operations, Suspendable::Program | Suspendable::Both),
            writes_too: config.trigger == SuspendTrigger::ReadsAndWrites,
            suspend_time: config.suspend_time.time(),
            resume_time: config.resume_time.time(),
            limit: config.max_suspensions,
            min_remaining: config.min_remaining.time(),
            longest: config.max_suspended_time.time(),
            units: if on { vec![none; units as usize] } else { Vec::new() },
            count: 0,
        }
    }

    /// Whether a configuration allows for any.
    pub fn are_possible(config: &Suspend) -> bool {
        config.operations != Suspendable::None
    }

    /// Whether anything can be suspended.
    pub fn is_on(&self) -> bool {
        !self.units.is_empty()
    }

    /// The unit's operation, if any can be suspended.
    pub fn get(&self, unit: UnitId) -> Option<&Suspendee> {
        self.units.get(unit.index())
    }

    /// Where the unit's operation stands.
    pub fn phase(&self, unit: UnitId) -> Phase {
        self.get(unit).map_or(Phase::Idle, |u| u.phase)
    }

    /// Transactions that the unit's operation is put aside for.
    pub fn served(&self, unit: UnitId) -> Served {
        match self.get(unit) {
            Some(u) if u.phase == Phase::Idle => Served::All,
            Some(u) if self.writes_too && u.command.operation == Operation::Erase => Served::UserRequests,
            Some(_) => Served::UserReads,
            None => Served::All,
        }
    }

    /// The array works on `command` from `begins` on. Returns whether it can be suspended; what a unit does while another
    /// operation is put aside cannot.
    pub fn works(&mut self, id: UnitId, command: Command, charge: Option<Charge>, begins: Time) -> bool {
        let suspendable = match command.operation {
            Operation::Read => false,
            Operation::Program => self.programs,
            Operation::Erase => self.erases,
        };
        let Some(unit) = self.units.get_mut(id.index()).filter(|u| suspendable && u.phase == Phase::Idle) else {
            return false;
        };
        *unit = Suspendee { phase: Phase::Working, command, charge, since: begins, taken: 0, ..*unit };
        true
    }

    /// Whether the unit's operation has suspensions left.
    pub fn has_turns_left(&self, unit: UnitId) -> bool {
        self.get(unit).is_some_and(|u| u.taken < self.limit)
    }

    /// Whether an operation with `remaining` to do is worth suspending.
    pub fn is_worth_while(&self, remaining: Time) -> bool {
        remaining >= self.min_remaining
    }

    /// The array is being stopped, with `remaining` left to do.
    pub fn suspend(&mut self, unit: UnitId, remaining: Time) {
        let unit = &mut self.units[unit.index()];
        assert!(unit.phase == Phase::Working && unit.taken < self.limit, "suspended what does not work");
        (unit.phase, unit.remaining) = (Phase::Suspending, remaining);
        unit.taken += 1;
        self.count += 1;
    }

    /// The array has stopped: the unit takes other commands.
    pub fn suspended(&mut self, unit: UnitId, now: Time) {
        let unit = &mut self.units[unit.index()];
        unit.phase = Phase::Suspended;
        (unit.until, unit.has_served) = (now + self.longest, false);
    }

    /// The unit takes a command, perhaps while its operation is put aside.
    pub fn serves(&mut self, unit: UnitId) {
        if let Some(unit) = self.units.get_mut(unit.index()) {
            unit.has_served = true;
        }
    }

    /// Whether a suspended unit takes no further commands because it has served for long enough.
    pub fn is_overdue(&self, unit: UnitId, now: Time) -> bool {
        self.get(unit).is_some_and(|u| u.has_served && now >= u.until)
    }

    /// The array takes the operation up again. Returns it.
    pub fn resume(&mut self, unit: UnitId) -> (Command, Option<Charge>) {
        let unit = &mut self.units[unit.index()];
        assert_eq!(unit.phase, Phase::Suspended, "resumed what is not suspended");
        unit.phase = Phase::Resuming;
        (unit.command, unit.charge)
    }

    /// The array works again. Returns how long it still has to.
    pub fn resumed(&mut self, unit: UnitId, now: Time) -> Time {
        let unit = &mut self.units[unit.index()];
        (unit.phase, unit.since) = (Phase::Working, now);
        unit.remaining
    }

    /// The operation is done.
    pub fn done(&mut self, unit: UnitId) {
        self.units[unit.index()].phase = Phase::Idle;
    }
}

impl<X: Features> FlashBackend<X> {
    /// Stops a unit's operation, which has worked until now, to serve what waits for it. Returns when the unit can be given
    /// another command.
    pub fn suspend<P: Probe>(&mut self, unit: UnitId, work: &mut InFlight<'_, P>, now: Time) -> Time {
        self.tell_of_suspendee(unit, work, now);
        let command = &self.array.units[unit.index()].command;
        if command.operation == Operation::Program {
            work.charge_flash_pages::<X>(command.transactions(), Cause::ArrayProgram, now);
        }
        self.suspensions.suspend(unit, self.remaining(unit, now));
        self.works_until(unit, now + self.suspensions.suspend_time)
    }

    /// Array time that the unit's operation still needs.
    pub fn remaining(&self, unit: UnitId, now: Time) -> Time {
        self.array.units[unit.index()].due - now
    }

    /// The unit's operation has been stopped.
    pub fn has_suspended(&mut self, unit: UnitId, now: Time) {
        self.suspensions.suspended(unit, now);
        self.array.put_aside(unit, now);
    }

    /// Takes a unit's suspended operation up again. Returns when its array works.
    pub fn resume<P: Probe>(&mut self, unit: UnitId, work: &InFlight<'_, P>, now: Time) -> Time {
        let (command, charge) = self.suspensions.resume(unit);
        let planes = self.planes_of(&command, work);
        self.array.take_up(unit, command, planes, charge, now);
        self.works_until(unit, now + self.suspensions.resume_time)
    }

    /// The unit's array works again. Returns when it ends.
    pub fn has_resumed<P: Probe>(&mut self, unit: UnitId, work: &mut InFlight<'_, P>, now: Time) -> Time {
        let remaining = self.suspensions.resumed(unit, now);
        work.charge_flash_pages::<X>(self.command(unit).transactions(), Cause::Suspended, now);
        self.works_until(unit, now + remaining)
    }

    /// An operation that could have been suspended has ended.
    pub fn suspendee_ends<P: Probe>(&mut self, unit: UnitId, work: &mut InFlight<'_, P>, now: Time) {
        self.tell_of_suspendee(unit, work, now);
        self.suspensions.done(unit);
    }

    /// Tells the watcher how long the array has worked on what may be suspended.
    fn tell_of_suspendee<P: Probe>(&self, unit: UnitId, work: &mut InFlight<'_, P>, now: Time) {
        let Some(suspendee) = self.suspensions.get(unit).filter(|_| P::WATCHES_WIRES) else { return };
        if suspendee.since < now {
            for &id in suspendee.command.transactions() {
                let plane = work.transactions[id].ppa.plane;
                let operation = suspendee.command.operation;
                work.probe.array_works(plane, operation, work.owner(id), suspendee.since, now);
            }
        }
    }

    /// Whether the registers that a suspended operation works with are empty, and nothing holds the unit.
    pub fn can_resume<P: Probe>(&self, unit: UnitId, work: &InFlight<'_, P>) -> bool {
        let own = self.suspensions.get(unit).map_or(0, |suspendee| self.planes_of(&suspendee.command, work));
        !self.array.units[unit.index()].busy && self.array.empty_registers(unit) & own == own
    }

    /// Planes of a suspended unit that can serve others: copies that have yet to be programmed keep their registers until the
    /// operation goes on.
    pub fn planes_without_copies<P: Probe>(&self, unit: UnitId, work: &InFlight<'_, P>) -> u64 {
        !self.copybacks.pending(unit).map_or(0, |pages| self.planes_of(pages, work))
    }

    /// The planes that a command concerns, as a mask by place in the unit.
    fn planes_of<P: Probe>(&self, command: &Command, work: &InFlight<'_, P>) -> u64 {
        let plane = |&id| 1u64 << self.layout.plane_in_unit(work.transactions[id].ppa.plane);
        command.transactions().iter().map(plane).sum()
    }

    /// Whether none of the pages that a suspended program is writing is read.
    pub(super) fn leaves_suspended_pages_alone<P: Probe>(&self, unit: UnitId, work: &InFlight<'_, P>) -> bool {
        let Some(suspendee) = self.suspensions.get(unit).filter(|u| u.phase == Phase::Suspended) else { return true };
        let read = self.command(unit);
        let same = |a, b| self.layout.share_flash_page(work.transactions[a].ppa, work.transactions[b].ppa);
        suspendee.command.operation == Operation::Erase
            || !read.transactions().iter().any(|&a| suspendee.command.transactions().iter().any(|&b| same(a, b)))
    }

    /// Whether a unit's suspendable operation is the drive's own work.
    pub fn suspends_background_work(&self, unit: UnitId) -> bool {
        self.suspensions.get(unit).is_some_and(|u| matches!(u.charge, Some(Charge::Background(_))))
    }
}
