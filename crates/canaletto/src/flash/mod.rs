//! The flash back end: chips with their arrays, registers and ports, what they are doing and how long it takes.
//!
//! - In: commands that LUNs [begin](FlashBackend::begin), that have [crossed](FlashBackend::work) to them and whose arrays have
//!   [ended](FlashBackend::has_ended); data that have left a register.
//! - Out: when arrays end, and whether what they did has failed.
//! - State: every LUN, page register and port; suspended programs and erases; pages read behind others; copies held in
//!   registers.

pub mod array;
pub mod cache_read;
pub mod clocks;
pub mod copyback;
pub mod decode;
pub mod failures;
pub mod interface;
pub mod lanes;
pub mod outer_code;
pub mod plane_set;
pub mod reliability;
pub mod status;
pub mod suspend;
pub mod timing;
pub mod wear;

pub use canaletto_config::address;

use crate::config::design::{Design, Superblock};
use crate::engine::in_flight::PageWork;
use crate::engine::time::{Time, TimeSum};
use crate::flash::address::{Layout, LunId, PlaneId};
use crate::flash::array::{Array, Background, Charge, Clocks, Command};
use crate::flash::cache_read::CacheReads;
use crate::flash::copyback::Copybacks;
use crate::flash::failures::Failures;
use crate::flash::interface::{CommandTable, Operation};
use crate::flash::lanes::Lanes;
use crate::flash::outer_code::OuterCode;
use crate::flash::reliability::Reliability;
use crate::flash::status::Statuses;
use crate::flash::suspend::{Phase, Suspensions};
use crate::flash::timing::ArrayTiming;
use crate::measure::blame::Cause;
use crate::measure::probe::{ArrayStep, Probe};
use crate::scheduler::transaction::{Flag, Origin, TransactionId};

/// Page operations of the arrays, and the time they took.
#[derive(Clone, Copy, Default)]
pub struct Operations {
    /// Pages read.
    pub reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Array time of reads, summed over planes.
    pub read_time: TimeSum,
    /// Array time of programs, summed over planes.
    pub program_time: TimeSum,
    /// Array time of erases, summed over planes.
    pub erase_time: TimeSum,
}

impl Operations {
    #[inline]
    fn count(&mut self, operation: Operation, planes: u64, worked: Time) {
        let (count, time) = match operation {
            Operation::Read => (&mut self.reads, &mut self.read_time),
            Operation::Program => (&mut self.programs, &mut self.program_time),
            Operation::Erase => (&mut self.erases, &mut self.erase_time),
        };
        *count += planes;
        *time += worked * planes;
    }
}

/// The flash chips.
pub struct FlashBackend {
    layout: Layout,
    /// LUNs, registers and ports.
    pub array: Array,
    timing: ArrayTiming,
    commands: CommandTable,
    /// Programs and erases that are suspended.
    pub suspensions: Suspensions,
    /// Pages read behind others.
    pub cache_reads: CacheReads,
    /// Commands side by side in a LUN.
    pub lanes: Lanes,
    /// Copies held in registers.
    pub copybacks: Copybacks,
    /// Status reads under way.
    pub statuses: Statuses,
    /// Whether anything below ever makes an operation fail, or a page illegible.
    may_fail: bool,
    failures: Failures,
    reliability: Option<Reliability>,
    outer_code: Option<OuterCode>,
    operations: Operations,
    /// Of these, those in cells used as pseudo-SLC.
    in_cache: Operations,
    /// Whether pages have parity.
    has_parity: bool,
    /// Of these, programs of parity, and reads of pages of which others are rebuilt.
    of_parity: Operations,
    /// Pages read again because they could not be corrected.
    read_retries: u64,
}

/// Whether a design has anything that makes operations fail, or pages illegible, lost planes apart.
fn may_fail(design: &Design) -> bool {
    design.flash.failures.are_possible() || Reliability::is_on(design) || design.controller.ecc.outer.is_on()
}

impl FlashBackend {
    /// Idle chips of a validated design; LUNs keep a clock for each of `flows` if there are several.
    pub fn new(design: &Design, layout: &Layout, flows: usize, seed: u64) -> Self {
        let lanes = Lanes::count(&design.flash, layout);
        FlashBackend {
            array: Array::new(layout, lanes, design.flash.busy_until_data_out, flows),
            timing: ArrayTiming::new(&design.flash),
            commands: CommandTable::new(&design.fabric, layout.planes_per_die),
            suspensions: Suspensions::new(&design.flash.suspend, layout.luns()),
            cache_reads: CacheReads::new(&design.flash, layout),
            lanes: Lanes::new(&design.flash, layout),
            copybacks: Copybacks::new(&design.gc, layout.luns()),
            statuses: Statuses::new(&design.fabric, lanes),
            may_fail: may_fail(design),
            failures: Failures::new(&design.flash.failures, seed),
            reliability: Reliability::new(design, seed),
            outer_code: OuterCode::new(design, seed),
            operations: Operations::default(),
            in_cache: Operations::default(),
            has_parity: design.ftl.superblock != Superblock::None,
            of_parity: Operations::default(),
            read_retries: 0,
            layout: layout.clone(),
        }
    }

    /// The command that a LUN works on, or did last.
    #[inline]
    pub fn command(&self, lun: LunId) -> &Command {
        &self.array.luns[lun.index()].command
    }

    /// Where a LUN's suspended operation stands.
    #[inline]
    pub fn phase(&self, lun: LunId) -> Phase {
        self.suspensions.phase(lun)
    }

    /// Gives a LUN a command, in one of its lanes.
    #[inline(always)]
    pub fn begin<P: Probe>(&mut self, lane: LunId, command: Command, work: &PageWork<'_, P>, now: Time) {
        let (lun, charge) = (self.lun_of(lane), self.charge_of(&command, work));
        if self.cache_reads.is_on() {
            self.begin_behind(lun, &command, work);
        }
        self.array.begin(lane, command, charge, now);
        if self.suspensions.is_on() {
            self.suspensions.serves(lun);
            debug_assert!(
                self.leaves_suspended_pages_alone(lun, lane, work),
                "read a page while its program is suspended"
            );
        }
    }

    /// Whom a LUN's time is charged to while it works on a command: of several pages the first decides.
    #[inline]
    pub fn charge_of<P: Probe>(&self, command: &Command, work: &PageWork<'_, P>) -> Option<Charge> {
        let first = &work.transactions[command.transactions()[0]];
        let flow = work.interference.is_tracked().then_some(Charge::Flow(first.flow));
        first.background().map(Charge::Background).or(flow)
    }

    /// Root cause of others' waits for a LUN while its array works on its command: of several pages the first decides.
    pub fn seen_as<P: Probe>(&self, lun: LunId, work: &PageWork<'_, P>) -> Cause {
        let first = &work.transactions[self.command(lun).transactions()[0]];
        first.background().map_or(Cause::ChipBusyUser, Background::cause)
    }

    /// A LUN's command has crossed: its array begins. Returns when it ends.
    #[inline(always)]
    pub fn work<P: Probe>(&mut self, lun: LunId, work: &mut PageWork<'_, P>, now: Time) -> Time {
        let begins = now + self.time_to_begin(&self.array.luns[lun.index()].command, work);
        self.work_from(lun, begins, work)
    }

    /// A LUN's array begins at a time for its command. Returns when it ends.
    #[inline(always)]
    pub fn work_from<P: Probe>(&mut self, lun: LunId, begins: Time, work: &mut PageWork<'_, P>) -> Time {
        self.lane_works(lun, begins);
        let command = &self.array.luns[lun.index()].command;
        let ends = begins + self.array_time(command, work);
        let is_suspendable = self.suspensions.is_on() && {
            let command = *command;
            let charge = self.charge_of(&command, work);
            self.suspensions.works(lun, command, charge, begins)
        };
        if !is_suspendable {
            self.tell_of_work(lun, work, begins, ends);
        }
        if work.probe.watches_wires() {
            let command = *self.command(lun);
            self.tell_of_step(lun, &command, ArrayStep::Begins, (begins, ends), work);
        }
        self.works_until(lun, ends)
    }

    /// Time that the chip takes for a command besides its cycles.
    #[inline(always)]
    fn time_to_begin<P: Probe>(&self, command: &Command, work: &PageWork<'_, P>) -> Time {
        let (operation, planes) = (command.operation, command.transactions().len());
        let copies_back =
            operation == Operation::Program && work.transactions[command.transactions()[0]].is(Flag::Copyback);
        if copies_back { self.commands.copyback(planes).chip } else { self.commands.get(operation, planes).chip }
    }

    /// When the status of a LUN is first polled, whose array has just been set to work, with full sequences; none if it is not.
    pub fn first_poll<P: Probe>(&mut self, lun: LunId, work: &PageWork<'_, P>, now: Time) -> Option<Time> {
        let at_work = &self.array.luns[lun.index()];
        let command = &at_work.command;
        // The array may have worked for a while before it was suspended.
        let longer = self.array_time(command, work).saturating_sub(self.timing.shortest(command.operation));
        let time = Time(at_work.due.0.saturating_sub(longer.0)).max(now);
        self.statuses.begin(lun, time).then_some(time)
    }

    fn tell_of_work<P: Probe>(&self, lun: LunId, work: &mut PageWork<'_, P>, from: Time, until: Time) {
        if work.probe.watches_wires() {
            let command = self.command(lun);
            for &id in command.transactions() {
                let plane = work.transactions[id].ppa.plane;
                let owner = work.owner(id);
                work.probe.notify(|observer| observer.array_works(plane, command.operation, owner, from, until));
            }
        }
    }

    /// Tells the watcher what the array of a LUN does for a command, within a span.
    #[inline]
    pub fn tell_of_step<P: Probe>(
        &self,
        lun: LunId,
        command: &Command,
        step: ArrayStep,
        span: (Time, Time),
        work: &mut PageWork<'_, P>,
    ) {
        if work.probe.watches_wires() {
            let (lun, planes) = (self.lun_of(lun), self.planes_of(command, work));
            work.probe.notify(|observer| observer.array_steps(lun, planes, command.operation, step, span));
        }
    }

    /// Notes that the LUN's array is at work until `time`, which it returns.
    #[inline]
    pub fn works_until(&mut self, lun: LunId, time: Time) -> Time {
        self.array.luns[lun.index()].due = time;
        time
    }

    /// Whether the LUN's array ends now: the end of one that was suspended meanwhile does not count.
    #[inline]
    pub fn has_ended(&self, lun: LunId, now: Time) -> bool {
        self.array.luns[lun.index()].due == now
    }

    /// Planes work side by side: the slowest page decides. MQSim's pages of one command are all of one kind.
    #[inline(always)]
    fn array_time<P: Probe>(&self, command: &Command, work: &PageWork<'_, P>) -> Time {
        if self.timing.has_pseudo_slc() && self.is_in_cache(command, work) {
            return self.timing.pseudo_slc(command.operation);
        }
        if let Some(time) = self.timing.uniform(command.operation) {
            return time;
        }
        let time = |&id: &TransactionId| {
            let page = self.layout.flash_page(work.transactions[id].ppa);
            self.timing.get(command.operation, page)
        };
        command.transactions().iter().map(time).max().expect("a command has a transaction")
    }

    /// Whether a command concerns cells used as pseudo-SLC: all of its planes', or none.
    fn is_in_cache<P: Probe>(&self, command: &Command, work: &PageWork<'_, P>) -> bool {
        work.transactions[command.transactions()[0]].is(Flag::PseudoSlc)
    }

    /// How long the array can be expected to work on one page; the mean over the kinds of page where it is not known yet.
    pub fn expected_time<P: Probe>(&self, id: TransactionId, work: &PageWork<'_, P>) -> Time {
        let t = &work.transactions[id];
        if t.ppa.is_bound() {
            self.timing.get(t.operation, self.layout.flash_page(t.ppa))
        } else {
            self.timing.mean(t.operation)
        }
    }

    /// Counts a command that has ended and returns how long its array worked.
    #[inline(always)]
    pub fn count_ended<P: Probe>(&mut self, command: &Command, work: &PageWork<'_, P>) -> Time {
        let (operation, planes) = (command.operation, command.transactions().len() as u64);
        let worked = self.array_time(command, work);
        self.operations.count(operation, planes, worked);
        if self.timing.has_pseudo_slc() && self.is_in_cache(command, work) {
            self.in_cache.count(operation, planes, worked);
        }
        if self.has_parity {
            let of_parity =
                |id: &&TransactionId| matches!(work.transactions[**id].origin, Origin::Parity | Origin::Rebuild);
            let planes = command.transactions().iter().filter(of_parity).count() as u64;
            self.of_parity.count(operation, planes, worked);
        }
        worked
    }

    /// The LUN's array has worked for `worked`: it is free, unless its registers hold copies to be programmed. Returns whether
    /// they do.
    #[inline(always)]
    pub fn end(&mut self, lun: LunId, worked: Time, now: Time) -> bool {
        let goes_on = self.copybacks.pending(lun).is_some() && self.phase(lun) == Phase::Idle;
        if goes_on {
            self.array.pause(lun, worked);
        } else {
            let worked = if self.lanes.are_on() { self.lane_is_free(lun, worked, now) } else { worked };
            self.array.array_done(lun, worked, now);
        }
        goes_on
    }

    /// Data of a page are in its plane's register.
    #[inline(always)]
    pub fn fill_register<P: Probe>(&mut self, lun: LunId, plane: PlaneId, work: &mut PageWork<'_, P>, now: Time) {
        self.array.fill_register(lun, self.layout.plane_in_lun(plane));
        if let Some(lane) = self.reader_of(plane) {
            self.array.fill_register(lane, 0);
        }
        work.probe.notify(|observer| observer.register_filled(plane, now));
    }

    /// Data of a page have left its plane's register.
    #[inline(always)]
    pub fn drain_register<P: Probe>(&mut self, id: TransactionId, lun: LunId, work: &mut PageWork<'_, P>, now: Time) {
        let plane = work.transactions[id].ppa.plane;
        if !(self.cache_reads.is_on() && self.leaves_one_behind(lun, plane)) {
            self.array.drain_register(lun, plane, self.layout.plane_in_lun(plane), now);
        }
        if let Some(lane) = self.reader_of(plane) {
            self.array.drain_lane(lane, now);
        }
        if work.probe.watches_wires() {
            let owner = work.owner(id);
            work.probe.notify(|observer| observer.register_drained(plane, owner, now));
        }
    }

    /// Charges what a transaction has waited for until it could be issued, a free page apart: its LUN, busy with whatever work,
    /// until `port_free_at` its chip's port, and then a path.
    #[inline(always)]
    pub fn charge_wait<P: Probe>(
        &self,
        id: TransactionId,
        lun: LunId,
        port_free_at: Time,
        work: &mut PageWork<'_, P>,
        now: Time,
    ) {
        let t = &work.transactions[id];
        let (operation, plane) = (t.operation, t.ppa.plane);
        let available = self.available_since(lun, operation, plane).max(port_free_at);
        let mut own = available.saturating_sub(t.since);
        if self.has_background_clocks(lun, operation, plane) {
            let marks = work.rare(id).background_marks;
            let clocks = self.background_clocks(lun, operation, plane, now);
            for kind in Background::ALL {
                let worked = clocks[kind as usize] - marks[kind as usize];
                if worked > Time::ZERO {
                    own = own - work.blame_page_up_to(id, kind.cause(), worked.min(own), now);
                }
            }
        }
        if work.interference.is_tracked() && own > Time::ZERO {
            match self.lanes.are_on() {
                true => work.interference.charge(id, self.flow_clocks_of_lanes(lun, operation, plane, now), own),
                false => work.interference.charge(id, self.array.flow_clocks(lun, now), own),
            }
        }
        if own > Time::ZERO {
            work.blame_page_up_to(id, Cause::ChipBusyUser, own, now);
        }
        if work.probe.follows_waits() {
            work.root_causes.lun_given(id, lun, work.transactions[id].since, now);
        }
        work.charge_path_conflict(id, now);
    }

    /// Notes the LUN's clocks, from which a transaction that is queued is charged when it is issued.
    #[inline]
    pub fn mark_wait<P: Probe>(&self, id: TransactionId, lun: LunId, work: &mut PageWork<'_, P>, now: Time) {
        let t = &work.transactions[id];
        let (operation, plane) = (t.operation, t.ppa.plane);
        if t.is(Flag::HasRare) || self.has_background_clocks(lun, operation, plane) {
            work.rare_mut(id).background_marks = self.background_clocks(lun, operation, plane, now);
        }
        if work.interference.is_tracked() {
            match self.lanes.are_on() {
                true => work.interference.mark(id, self.flow_clocks_of_lanes(lun, operation, plane, now)),
                false => work.interference.mark(id, self.array.flow_clocks(lun, now)),
            }
        }
    }

    /// Since when a plane that is free now has been able to take a command of an operation, its chip's port apart: until then a
    /// waiting transaction waited for its chip, after that for a path.
    #[inline(always)]
    fn available_since(&self, lun: LunId, operation: Operation, plane: PlaneId) -> Time {
        let array = match self.lanes.are_on() {
            true => self.lane_free_since(lun, operation, plane),
            false => self.array.array_free_at(lun),
        };
        array.max(self.registers_free_since(lun, operation, plane))
    }

    /// Whether background work has ever kept an operation from a plane: else all of its clocks stand at zero.
    #[inline(always)]
    fn has_background_clocks(&self, lun: LunId, operation: Operation, plane: PlaneId) -> bool {
        match self.lanes.are_on() {
            true => self.lanes_before(lun, operation, plane).any(|lane| self.array.has_background_clocks(lane)),
            false => self.array.has_background_clocks(lun),
        }
    }

    /// Time spent until `now` on each kind of background work that keeps an operation from a plane.
    #[inline(always)]
    fn background_clocks(&self, lun: LunId, operation: Operation, plane: PlaneId, now: Time) -> Clocks {
        match self.lanes.are_on() {
            true => self.background_clocks_of_lanes(lun, operation, plane, now),
            false => self.array.background_clocks(lun, now),
        }
    }

    /// Time spent until `now` on the commands of each flow in lanes that keep an operation from a plane.
    fn flow_clocks_of_lanes(
        &self,
        lun: LunId,
        operation: Operation,
        plane: PlaneId,
        now: Time,
    ) -> impl Iterator<Item = Time> {
        let lanes = self.lanes_before(lun, operation, plane);
        (0..self.array.flows()).map(move |flow| {
            let clocks = lanes.clone().map(|lane| self.array.flow_clock(lane, flow, now));
            clocks.fold(Time::ZERO, |sum, clock| sum + clock)
        })
    }

    /// Whether the program of a flash page that ends now has failed.
    pub fn program_fails(&mut self, plane: PlaneId) -> bool {
        self.may_fail && self.failures.program_fails(plane)
    }

    /// The die of these planes stops working.
    pub fn lose_planes(&mut self, planes: &[PlaneId]) {
        self.may_fail |= !planes.is_empty();
        self.failures.lose(planes);
    }

    /// Whether the erase of a block that ends now has failed.
    pub fn erase_fails(&mut self, plane: PlaneId) -> bool {
        self.may_fail && self.failures.erase_fails(plane)
    }

    /// Whether operations may fail, or what was read may be illegible.
    #[inline]
    pub fn may_fail(&self) -> bool {
        self.may_fail
    }

    /// Whether a LUN that works may be given another command.
    #[inline]
    pub fn stays_open(&self) -> bool {
        self.suspensions.is_on() || self.lanes.are_on()
    }

    /// Page operations so far.
    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// Page operations in cells used as pseudo-SLC.
    pub fn operations_in_cache(&self) -> &Operations {
        &self.in_cache
    }

    /// Programs of parity, and reads of pages of which others are rebuilt.
    pub fn operations_of_parity(&self) -> &Operations {
        &self.of_parity
    }

    /// Pages read again because they could not be corrected.
    pub fn read_retries(&self) -> u64 {
        self.read_retries
    }

    /// Reads of whole outer codewords; none without an outer code.
    pub fn outer_reads(&self) -> Option<u64> {
        self.outer_code.as_ref().map(|code| code.reads)
    }

    /// Programs and erases that failed.
    pub fn failed(&self) -> (u64, u64) {
        (self.failures.programs, self.failures.erases)
    }
}
