use crate::engine::ids::TransactionId;
use crate::engine::time::Time;
use crate::flash::address::{ChipId, Layout, LunId, PlaneId};
pub use crate::flash::clocks::{Background, Clocks};
use crate::flash::interface::Operation;

pub const MAX_PLANES: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    Background(Background),
    Flow(u16),
}

#[derive(Clone, Copy)]
pub struct Command {
    pub operation: Operation,
    transactions: [TransactionId; MAX_PLANES],
    length: u8,
}

impl Command {
    pub const MOST: usize = MAX_PLANES;

    pub fn new(operation: Operation) -> Command {
        Command { operation, transactions: [TransactionId::NONE; MAX_PLANES], length: 0 }
    }

    #[inline]
    pub fn push(&mut self, transaction: TransactionId) {
        self.transactions[self.length as usize] = transaction;
        self.length += 1;
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    #[inline]
    pub fn transactions(&self) -> &[TransactionId] {
        &self.transactions[..self.length as usize]
    }
}

#[derive(Clone, Copy)]
pub struct Lun {
    pub command: Command,
    pub busy: bool,
    has_background: bool,
    /// [`Time::MAX`] until the array begins.
    pub due: Time,
    pub registers: u64,
    pub behind: u64,
    array_free_at: Time,
    drained_at: Time,
    /// Finished commands only.
    background: Clocks,
    background_since: Option<(Background, Time)>,
    /// With the time of issue, where flows are distinguished.
    flow_since: Option<(u16, Time)>,
    pub array_busy: Time,
}

pub struct Array {
    pub luns: Vec<Lun>,
    register_free_at: Vec<Time>,
    port_busy: Vec<Time>,
    busy_until_data_out: bool,
    planes: u64,
    flow_clocks: Vec<Time>,
    flows: usize,
}

impl Array {
    /// For that many flows that are distinguished.
    pub fn new(layout: &Layout, lanes: usize, busy_until_data_out: bool, flows: usize) -> Array {
        let lun = Lun {
            command: Command::new(Operation::Read),
            busy: false,
            has_background: false,
            due: Time::MAX,
            registers: 0,
            behind: 0,
            array_free_at: Time::ZERO,
            drained_at: Time::ZERO,
            background: Clocks::default(),
            background_since: None,
            flow_since: None,
            array_busy: Time::ZERO,
        };
        Array {
            luns: vec![lun; lanes],
            register_free_at: vec![Time::ZERO; layout.planes() as usize],
            port_busy: vec![Time::ZERO; layout.chips() as usize],
            busy_until_data_out,
            planes: u64::MAX >> (u64::BITS - layout.planes_per_lun),
            flow_clocks: vec![Time::ZERO; lanes * flows],
            flows,
        }
    }

    /// Mask by place in the LUN.
    #[inline(always)]
    pub fn free_planes(&self, lun: LunId) -> u64 {
        if self.luns[lun.index()].busy { 0 } else { self.empty_registers(lun) }
    }

    /// Planes that could take a command if the LUN were not busy.
    #[inline]
    pub fn empty_registers(&self, lun: LunId) -> u64 {
        let lun = &self.luns[lun.index()];
        if self.busy_until_data_out && lun.registers != 0 { 0 } else { self.planes & !lun.registers }
    }

    pub fn empty_behind(&self, lun: LunId) -> u64 {
        self.planes & !self.luns[lun.index()].behind
    }

    #[inline(always)]
    pub fn begin(&mut self, id: LunId, command: &Command, charge: Option<Charge>, now: Time) {
        // That work ends now.
        let lun = self.close(id, now);
        match charge {
            Some(Charge::Background(kind)) => {
                lun.background_since = Some((kind, now));
                lun.has_background = true;
            }
            Some(Charge::Flow(flow)) => lun.flow_since = Some((flow, now)),
            None => {}
        }
        assert!(!lun.busy, "LUN {} was given a second command", id.0);
        lun.busy = true;
        lun.command = *command;
    }

    #[inline]
    pub fn fill_register(&mut self, id: LunId, plane_in_lun: u32) {
        self.luns[id.index()].registers |= 1 << plane_in_lun;
    }

    #[inline(always)]
    pub fn array_done(&mut self, id: LunId, worked: Time, now: Time) {
        let lun = &mut self.luns[id.index()];
        lun.busy = false;
        lun.due = Time::MAX;
        lun.array_free_at = now;
        lun.array_busy += worked;
        if lun.registers == 0 {
            self.close(id, now);
        }
    }

    pub fn pause(&mut self, id: LunId, worked: Time) {
        let lun = &mut self.luns[id.index()];
        lun.due = Time::MAX;
        lun.array_busy += worked;
    }

    pub fn go_on(&mut self, id: LunId, command: Command, charge: Option<Charge>, now: Time) {
        let lun = &mut self.luns[id.index()];
        assert!(lun.busy, "LUN {} has nothing to go on with", id.0);
        lun.busy = false;
        self.begin(id, &command, charge, now);
    }

    pub fn use_register(&mut self, id: LunId, planes: u64) {
        let lun = &mut self.luns[id.index()];
        assert!(lun.registers & planes == planes, "LUN {} has nothing in its registers", id.0);
        lun.registers &= !planes;
    }

    pub fn put_aside(&mut self, id: LunId, now: Time) {
        let lun = &mut self.luns[id.index()];
        assert!(lun.busy, "LUN {} has nothing to put aside", id.0);
        lun.busy = false;
        lun.due = Time::MAX;
        lun.array_free_at = now;
        self.close(id, now);
    }

    #[inline(always)]
    pub fn drain_register(&mut self, id: LunId, plane: PlaneId, plane_in_lun: u32, now: Time) {
        let lun = &mut self.luns[id.index()];
        debug_assert!(lun.registers & (1 << plane_in_lun) != 0);
        lun.registers &= !(1 << plane_in_lun);
        lun.drained_at = now;
        self.register_free_at[plane.index()] = now;
        if lun.registers == 0 && !lun.busy {
            self.close(id, now);
        }
    }

    pub fn drain_lane(&mut self, lane: LunId, now: Time) {
        self.luns[lane.index()].registers = 0;
        if !self.luns[lane.index()].busy {
            self.close(lane, now);
        }
    }

    #[inline]
    pub fn port_used(&mut self, chip: ChipId, time: Time) {
        self.port_busy[chip.index()] += time;
    }

    pub fn port_busy(&self, chip: ChipId) -> Time {
        self.port_busy[chip.index()]
    }

    #[inline]
    pub fn drained_since(&self, lun: LunId, plane: PlaneId) -> Time {
        if self.busy_until_data_out { self.luns[lun.index()].drained_at } else { self.register_free_at[plane.index()] }
    }

    /// Array and register.
    #[inline(always)]
    pub fn free_since(&self, lun: LunId, plane: PlaneId) -> Time {
        let lun = &self.luns[lun.index()];
        let drained = if self.busy_until_data_out { lun.drained_at } else { self.register_free_at[plane.index()] };
        lun.array_free_at.max(drained)
    }

    #[inline]
    pub fn array_free_at(&self, lun: LunId) -> Time {
        self.luns[lun.index()].array_free_at
    }

    #[inline(always)]
    pub fn has_background_clocks(&self, lun: LunId) -> bool {
        self.luns[lun.index()].has_background
    }

    #[inline]
    pub fn background_clocks(&self, lun: LunId, now: Time) -> Clocks {
        let lun = &self.luns[lun.index()];
        let mut clocks = lun.background;
        if let Some((kind, since)) = lun.background_since {
            clocks[kind as usize] += now - since;
        }
        clocks
    }

    pub fn flows(&self) -> usize {
        self.flows
    }

    #[inline]
    pub fn flow_clock(&self, lun: LunId, flow: usize, now: Time) -> Time {
        let clock = self.flow_clocks[lun.index() * self.flows + flow];
        match self.luns[lun.index()].flow_since {
            Some((working, since)) if usize::from(working) == flow => clock + (now - since),
            _ => clock,
        }
    }

    #[inline(always)]
    fn close(&mut self, id: LunId, now: Time) -> &mut Lun {
        let lun = &mut self.luns[id.index()];
        if let Some((kind, since)) = lun.background_since {
            lun.background_since = None;
            lun.background[kind as usize] += now - since;
        }
        if let Some((flow, since)) = lun.flow_since {
            lun.flow_since = None;
            self.flow_clocks[id.index() * self.flows + usize::from(flow)] += now - since;
        }
        lun
    }
}
