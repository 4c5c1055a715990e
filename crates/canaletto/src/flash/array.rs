//! What every unit, plane register and chip port is doing.

use crate::flash::address::{ChipId, Layout, PlaneId, UnitId};
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

/// Most planes one command can touch.
pub const MAX_PLANES: usize = 16;

/// Work that the host did not ask for, told apart because waits for it are blamed apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Background {
    /// Garbage collection reads.
    GcRead,
    /// Garbage collection programs.
    GcProgram,
    /// A block is erased.
    Erase,
    /// A mapping table's page is read or programmed.
    Mapping,
}

impl Background {
    /// Every kind, in the order of the clocks.
    pub const ALL: [Background; 4] =
        [Background::GcRead, Background::GcProgram, Background::Erase, Background::Mapping];

    /// What waiting for it is charged to.
    pub fn cause(self) -> Cause {
        match self {
            Background::GcRead => Cause::ChipBusyGcRead,
            Background::GcProgram => Cause::ChipBusyGcProgram,
            Background::Erase => Cause::ChipBusyErase,
            Background::Mapping => Cause::ChipBusyMapping,
        }
    }
}

/// Whose the time of a unit is, where that is told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    /// The drive's own work.
    Background(Background),
    /// A flow's, if there are several.
    Flow(u16),
}

/// Time a unit has spent on each kind of background work; differences tell how much of a wait that was.
pub type Clocks = [Time; Background::ALL.len()];

/// A command on its way through a unit: its operation and its transactions.
#[derive(Clone, Copy)]
pub struct Command {
    /// What the array does.
    pub operation: Operation,
    transactions: [TransactionId; MAX_PLANES],
    length: u8,
}

impl Command {
    /// A command without transactions yet.
    pub fn new(operation: Operation) -> Command {
        Command { operation, transactions: [TransactionId::NONE; MAX_PLANES], length: 0 }
    }

    /// Adds the transaction of one more plane.
    pub fn push(&mut self, transaction: TransactionId) {
        self.transactions[self.length as usize] = transaction;
        self.length += 1;
    }

    /// The transactions, in the order they were taken.
    pub fn transactions(&self) -> &[TransactionId] {
        &self.transactions[..self.length as usize]
    }
}

/// One unit's state.
#[derive(Clone, Copy)]
pub struct Unit {
    /// The command on the wires or in the array.
    pub command: Command,
    /// Whether a command is on the wires or in the array.
    pub busy: bool,
    /// When the array is done with what it does now; [`Time::MAX`] until it begins.
    pub due: Time,
    /// Planes (by their place in the unit) whose page register still holds read data.
    pub registers: u64,
    /// When the array was last freed.
    array_free_at: Time,
    /// When the last page left the unit's registers.
    drained_at: Time,
    /// Time this unit has spent on background work, finished commands only.
    background: Clocks,
    /// The background command in work, and when it was issued.
    background_since: Option<(Background, Time)>,
    /// Likewise the flow whose command is in work, where flows are told apart.
    flow_since: Option<(u16, Time)>,
    /// Time with the array at work, for utilisation.
    pub array_busy: Time,
}

/// The array's state.
pub struct Array {
    /// Every unit.
    pub units: Vec<Unit>,
    /// When each plane's register was last emptied.
    register_free_at: Vec<Time>,
    /// Time transfers of each chip took on the wires.
    port_busy: Vec<Time>,
    busy_until_data_out: bool,
    /// Time each unit has spent on the commands of each flow, finished ones only.
    flow_clocks: Vec<Time>,
    flows: usize,
}

impl Array {
    /// An idle array, for so many flows that are told apart.
    pub fn new(layout: &Layout, busy_until_data_out: bool, flows: usize) -> Array {
        let unit = Unit {
            command: Command::new(Operation::Read),
            busy: false,
            due: Time::MAX,
            registers: 0,
            array_free_at: Time::ZERO,
            drained_at: Time::ZERO,
            background: Clocks::default(),
            background_since: None,
            flow_since: None,
            array_busy: Time::ZERO,
        };
        Array {
            units: vec![unit; layout.units() as usize],
            register_free_at: vec![Time::ZERO; layout.planes() as usize],
            port_busy: vec![Time::ZERO; layout.chips() as usize],
            busy_until_data_out,
            flow_clocks: vec![Time::ZERO; layout.units() as usize * flows],
            flows,
        }
    }

    /// Planes of the unit that can take a command now, as a mask by place in the unit.
    pub fn free_planes(&self, unit: UnitId) -> u64 {
        if self.units[unit.index()].busy { 0 } else { self.empty_registers(unit) }
    }

    /// Planes of the unit that could take a command if the unit were not busy.
    pub fn empty_registers(&self, unit: UnitId) -> u64 {
        let unit = &self.units[unit.index()];
        if self.busy_until_data_out && unit.registers != 0 { 0 } else { !unit.registers }
    }

    /// Gives the unit a command.
    pub fn begin(&mut self, id: UnitId, command: Command, charge: Option<Charge>, now: Time) {
        // Pages of the last command may still be leaving: that work ends where further work of its kind begins.
        match charge {
            Some(Charge::Background(kind)) => {
                self.close(id, now);
                self.units[id.index()].background_since = Some((kind, now));
            }
            Some(Charge::Flow(flow)) => {
                self.close_flow(id, now);
                self.units[id.index()].flow_since = Some((flow, now));
            }
            None => {}
        }
        let unit = &mut self.units[id.index()];
        assert!(!unit.busy, "unit {} was given a second command", id.0);
        unit.busy = true;
        unit.command = command;
    }

    /// Marks a plane's register as holding data to be transferred.
    pub fn fill_register(&mut self, id: UnitId, plane_in_unit: u32) {
        self.units[id.index()].registers |= 1 << plane_in_unit;
    }

    /// The array has finished the unit's command, which it worked on for `worked`.
    pub fn array_done(&mut self, id: UnitId, worked: Time, now: Time) {
        let unit = &mut self.units[id.index()];
        unit.busy = false;
        unit.due = Time::MAX;
        unit.array_free_at = now;
        unit.array_busy += worked;
        if unit.registers == 0 {
            self.close(id, now);
        }
    }

    /// The array has worked for `worked`, but the unit goes on with what it has in its registers.
    pub fn pause(&mut self, id: UnitId, worked: Time) {
        let unit = &mut self.units[id.index()];
        unit.due = Time::MAX;
        unit.array_busy += worked;
    }

    /// The unit goes on with a further command for what it has in its registers.
    pub fn go_on(&mut self, id: UnitId, command: Command, charge: Option<Charge>, now: Time) {
        let unit = &mut self.units[id.index()];
        assert!(unit.busy, "unit {} has nothing to go on with", id.0);
        unit.busy = false;
        self.begin(id, command, charge, now);
    }

    /// What the registers of `planes` (a mask by place in the unit) hold is used in the chip.
    pub fn use_register(&mut self, id: UnitId, planes: u64) {
        let unit = &mut self.units[id.index()];
        assert!(unit.registers & planes == planes, "unit {} has nothing in its registers", id.0);
        unit.registers &= !planes;
    }

    /// The unit's command is suspended: it can take another one.
    pub fn put_aside(&mut self, id: UnitId, now: Time) {
        let unit = &mut self.units[id.index()];
        assert!(unit.busy, "unit {} has nothing to put aside", id.0);
        unit.busy = false;
        unit.due = Time::MAX;
        unit.array_free_at = now;
        self.close(id, now);
    }

    /// The unit goes on with a suspended command, which concerns `planes` (a mask by place in the unit).
    pub fn take_up(&mut self, id: UnitId, command: Command, planes: u64, charge: Option<Charge>, now: Time) {
        let unit = &self.units[id.index()];
        assert!(unit.registers & planes == 0, "unit {} goes on in planes that still hold read data", id.0);
        self.begin(id, command, charge, now);
    }

    /// A page has left its register.
    pub fn drain_register(&mut self, id: UnitId, plane: PlaneId, plane_in_unit: u32, now: Time) {
        let unit = &mut self.units[id.index()];
        debug_assert!(unit.registers & (1 << plane_in_unit) != 0);
        unit.registers &= !(1 << plane_in_unit);
        unit.drained_at = now;
        self.register_free_at[plane.index()] = now;
        if unit.registers == 0 && !unit.busy {
            self.close(id, now);
        }
    }

    /// A chip's port was used for a transfer of this length.
    pub fn port_used(&mut self, chip: ChipId, time: Time) {
        self.port_busy[chip.index()] += time;
    }

    /// Time a chip's port was used.
    pub fn port_busy(&self, chip: ChipId) -> Time {
        self.port_busy[chip.index()]
    }

    /// Since when a plane that is free now has been able to take a command, its chip's port apart: until then a waiting
    /// transaction waited for its chip, after that for a path.
    pub fn available_since(&self, unit: UnitId, plane: PlaneId) -> Time {
        let u = &self.units[unit.index()];
        let drained = if self.busy_until_data_out { u.drained_at } else { self.register_free_at[plane.index()] };
        u.array_free_at.max(drained)
    }

    /// Whether the unit has ever done background work: else all of its clocks stand at zero.
    #[inline]
    pub fn has_background_clocks(&self, unit: UnitId) -> bool {
        let unit = &self.units[unit.index()];
        unit.background != Clocks::default() || unit.background_since.is_some()
    }

    /// Time the unit has spent on each kind of background work until `now`.
    pub fn background_clocks(&self, unit: UnitId, now: Time) -> Clocks {
        let unit = &self.units[unit.index()];
        let mut clocks = unit.background;
        if let Some((kind, since)) = unit.background_since {
            clocks[kind as usize] += now - since;
        }
        clocks
    }

    /// Time the unit has spent on the commands of each flow until `now`.
    pub fn flow_clocks(&self, unit: UnitId, now: Time) -> impl Iterator<Item = Time> {
        let current = self.units[unit.index()].flow_since;
        let first = unit.index() * self.flows;
        self.flow_clocks[first..first + self.flows].iter().enumerate().map(move |(flow, &clock)| match current {
            Some((working, since)) if usize::from(working) == flow => clock + (now - since),
            _ => clock,
        })
    }

    fn close(&mut self, id: UnitId, now: Time) {
        let unit = &mut self.units[id.index()];
        if let Some((kind, since)) = unit.background_since.take() {
            unit.background[kind as usize] += now - since;
        }
        self.close_flow(id, now);
    }

    fn close_flow(&mut self, id: UnitId, now: Time) {
        if let Some((flow, since)) = self.units[id.index()].flow_since.take() {
            self.flow_clocks[id.index() * self.flows + usize::from(flow)] += now - since;
        }
    }
}
