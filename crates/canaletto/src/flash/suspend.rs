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
use crate::flash::address::UnitId;
use crate::flash::array::{Charge, Command};
use crate::flash::interface::Operation;
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
        let on = config.operations != Suspendable::None;
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
