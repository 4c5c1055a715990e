//! The flash back end: chips, their arrays, registers and ports.
//!
//! - In: commands that LUNs [begin](FlashBackend::begin), that have [crossed](FlashBackend::work) and whose arrays
//!   have [ended](FlashBackend::has_ended).
//! - Out: when arrays end, and whether they failed.
//! - State: every LUN, page register and port; suspensions; pages read behind others; copies held in registers.

#![allow(missing_docs)]

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

use crate::config::design::{Design, HoldPath, Superblock};
use crate::engine::in_flight::PageWork;
use crate::engine::rarely::rarely;
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
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Flag, Origin, TransactionId};

#[derive(Clone, Copy, Default)]
pub struct Operations {
    pub reads: u64,
    pub programs: u64,
    pub erases: u64,
    pub read_time: TimeSum,
    pub program_time: TimeSum,
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

pub struct FlashBackend {
    layout: Layout,
    pub array: Array,
    timing: ArrayTiming,
    commands: CommandTable,
    pub suspensions: Suspensions,
    pub cache_reads: CacheReads,
    pub lanes: Lanes,
    pub copybacks: Copybacks,
    pub statuses: Statuses,
    /// Anything below may make an operation fail, or a page illegible.
    may_fail: bool,
    failures: Failures,
    reliability: Option<Reliability>,
    outer_code: Option<OuterCode>,
    operations: Operations,
    in_cache: Operations,
    has_parity: bool,
    of_parity: Operations,
    read_retries: u64,
    /// Added time of sensing several pages at once.
    longer: Time,
    /// Array times depend on more than the page.
    is_special: bool,
    loads_in_parts: bool,
}

/// Lost planes apart.
fn may_fail(design: &Design) -> bool {
    design.flash.failures.are_possible() || Reliability::is_on(design) || design.controller.ecc.outer.is_on()
}

impl FlashBackend {
    /// With a clock per flow if there are several.
    pub fn new(design: &Design, layout: &Layout, flows: usize, seed: u64) -> Self {
        let lanes = Lanes::count(&design.flash, layout);
        let is_one_shot = design.has_zones() && design.zns.pages_per_program > 1;
        let is_alone = lanes == layout.luns() as usize && design.fabric.holds() != HoldPath::Always;
        let loads_in_parts = is_one_shot && is_alone;
        FlashBackend {
            array: Array::new(layout, lanes, design.flash.busy_until_data_out, flows),
            timing: ArrayTiming::new(&design.flash),
            commands: CommandTable::new(&design.fabric, layout.planes_per_die),
            suspensions: Suspensions::new(&design.flash, layout, loads_in_parts),
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
            longer: Time::ZERO,
            is_special: design.flash.pslc.is_on() || is_one_shot,
            loads_in_parts,
            layout: layout.clone(),
        }
    }

    #[inline]
    pub fn command(&self, lun: LunId) -> &Command {
        &self.array.luns[lun.index()].command
    }

    #[inline(always)]
    pub fn phase(&self, lane: LunId) -> Phase {
        if self.suspensions.is_on() { self.suspensions.phase(self.lun_of(lane)) } else { Phase::Idle }
    }

    #[inline(always)]
    pub fn begin<P: Probe>(&mut self, lane: LunId, command: &Command, work: &PageWork<P>, now: Time) {
        let (lun, charge) = (self.lun_of(lane), self.charge_of(command, work));
        if self.cache_reads.is_on() {
            self.begin_behind(lun, command, work);
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

    /// The first of several pages decides.
    #[inline]
    pub fn charge_of<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> Option<Charge> {
        let first = &work.transactions[command.transactions()[0]];
        let flow = work.interference.is_tracked().then_some(Charge::Flow(first.flow));
        first.background().map(Charge::Background).or(flow)
    }

    #[inline(always)]
    pub fn seen_as<P: Probe>(&self, lun: LunId, work: &PageWork<P>) -> Cause {
        let first = &work.transactions[self.command(lun).transactions()[0]];
        first.background().map_or(Cause::ChipBusyUser, Background::cause)
    }

    #[inline(always)]
    pub fn work<P: Probe>(&mut self, lun: LunId, work: &mut PageWork<P>, now: Time) -> Time {
        let begins = now + self.time_to_begin(&self.array.luns[lun.index()].command, work);
        self.work_from(lun, begins, work)
    }

    /// Returns the end.
    #[inline(always)]
    pub fn work_from<P: Probe>(&mut self, lun: LunId, begins: Time, work: &mut PageWork<P>) -> Time {
        self.lane_works(lun, begins);
        let command = &self.array.luns[lun.index()].command;
        let ends = begins + self.array_time(command, work);
        let is_suspendable = self.suspensions.is_on() && {
            let command = *command;
            let charge = self.charge_of(&command, work);
            self.suspensions.works(self.lun_of(lun), lun, command, charge, begins)
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

    #[inline(always)]
    fn time_to_begin<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> Time {
        let (operation, planes) = (command.operation, command.transactions().len());
        let copies_back =
            operation == Operation::Program && work.transactions[command.transactions()[0]].is(Flag::Copyback);
        if copies_back { self.commands.copyback(planes).chip } else { self.commands.get(operation, planes).chip }
    }

    pub fn first_poll<P: Probe>(&mut self, lun: LunId, work: &PageWork<P>, now: Time) -> Option<Time> {
        let at_work = &self.array.luns[lun.index()];
        let command = &at_work.command;
        let together = if self.is_special { self.pages_together(command, work) } else { 1 };
        let shortest = self.timing.shortest(command.operation) * together;
        let longer = self.array_time(command, work).saturating_sub(shortest);
        let time = Time(at_work.due.0.saturating_sub(longer.0)).max(now);
        self.statuses.begin(lun, time).then_some(time)
    }

    #[inline(always)]
    fn tell_of_work<P: Probe>(&self, lun: LunId, work: &mut PageWork<P>, from: Time, until: Time) {
        if work.probe.watches_wires() {
            let command = self.command(lun);
            for &id in command.transactions() {
                let plane = work.transactions[id].ppa.plane;
                let owner = work.owner(id);
                work.probe.notify(|observer| observer.array_works(plane, command.operation, owner, from, until));
            }
        }
    }

    #[inline]
    pub fn tell_of_step<P: Probe>(
        &self,
        lun: LunId,
        command: &Command,
        step: ArrayStep,
        span: (Time, Time),
        work: &mut PageWork<P>,
    ) {
        if work.probe.watches_wires() {
            let (lun, planes) = (self.lun_of(lun), self.planes_of(command, work));
            work.probe.notify(|observer| observer.array_steps(lun, planes, command.operation, step, span));
        }
    }

    #[inline]
    pub fn works_until(&mut self, lun: LunId, time: Time) -> Time {
        self.array.luns[lun.index()].due = time;
        time
    }

    /// The end of one suspended meanwhile does not count.
    #[inline]
    pub fn has_ended(&self, lun: LunId, now: Time) -> bool {
        self.array.luns[lun.index()].due == now
    }

    /// MQSim's pages of one command are all of one kind.
    #[inline(always)]
    fn array_time<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> Time {
        match rarely(self.is_special) {
            true => self.special_time(command, work),
            false => self.plain_time(command, work),
        }
    }

    /// Flash pages of tasks are chains of pages that are sensed at once, which takes that much longer.
    pub fn senses_several(&mut self, longer: Time) {
        (self.is_special, self.longer) = (true, longer);
    }

    #[inline(never)]
    fn special_time<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> Time {
        let several = |&id: &TransactionId| {
            let t = &work.transactions[id];
            t.is(Flag::Computes) && t.next_in_flash_page.is_some()
        };
        let longer = if command.transactions().iter().any(several) { self.longer } else { Time::ZERO };
        match self.timing.has_pseudo_slc() && self.is_in_cache(command, work) {
            true => self.timing.pseudo_slc(command.operation) + longer,
            false => self.plain_time(command, work) * self.pages_together(command, work) + longer,
        }
    }

    /// Flash pages of each plane whose data cross one after the other. Between them the path is free.
    #[inline(always)]
    pub fn load<P: Probe>(&mut self, lun: LunId, command: &Command, work: &PageWork<P>) -> u64 {
        if !rarely(self.loads_in_parts) || self.phase(lun) != Phase::Idle {
            return 1;
        }
        let parts = self.pages_together(command, work);
        if parts > 1 {
            self.suspensions.loads(lun, parts);
        }
        parts
    }

    /// Parts in which the data of a LUN's command cross.
    pub fn parts<P: Probe>(&self, lun: LunId, work: &PageWork<P>) -> u64 {
        if self.phase(lun) == Phase::Loading { self.pages_together(self.command(lun), work) } else { 1 }
    }

    /// Flash pages of each plane that a command programs; 1 of other commands.
    fn pages_together<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> u64 {
        if command.operation != Operation::Program {
            return 1;
        }
        let page = |id| self.layout.flash_page(work.transactions[id].ppa);
        let mut group = FlashPageGroup::of(command.transactions()[0]);
        let (mut least, mut most) = (u32::MAX, 0);
        while let Some(id) = group.next(&work.transactions) {
            (least, most) = (least.min(page(id)), most.max(page(id)));
        }
        u64::from(most - least) + 1
    }

    #[inline(always)]
    fn plain_time<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> Time {
        if let Some(time) = self.timing.uniform(command.operation) {
            return time;
        }
        let time = |&id: &TransactionId| {
            let page = self.layout.flash_page(work.transactions[id].ppa);
            self.timing.get(command.operation, page)
        };
        command.transactions().iter().map(time).max().expect("a command has a transaction")
    }

    fn is_in_cache<P: Probe>(&self, command: &Command, work: &PageWork<P>) -> bool {
        work.transactions[command.transactions()[0]].is(Flag::PseudoSlc)
    }

    pub fn expected_time<P: Probe>(&self, id: TransactionId, work: &PageWork<P>) -> Time {
        let t = &work.transactions[id];
        if t.ppa.is_bound() {
            self.timing.get(t.operation, self.layout.flash_page(t.ppa))
        } else {
            self.timing.mean(t.operation)
        }
    }

    #[inline(always)]
    pub fn count_ended<P: Probe>(&mut self, command: &Command, work: &PageWork<P>) -> Time {
        let (operation, planes) = (command.operation, command.transactions().len() as u64);
        let worked = self.array_time(command, work);
        self.operations.count(operation, planes, worked);
        if rarely(self.is_special) {
            self.operations.programs += planes * (self.pages_together(command, work) - 1);
        }
        if rarely(self.timing.has_pseudo_slc()) && self.is_in_cache(command, work) {
            self.in_cache.count(operation, planes, worked);
        }
        if rarely(self.has_parity) {
            let of_parity =
                |id: &&TransactionId| matches!(work.transactions[**id].origin, Origin::Parity | Origin::Rebuild);
            let planes = command.transactions().iter().filter(of_parity).count() as u64;
            self.of_parity.count(operation, planes, worked);
        }
        worked
    }

    /// Whether its registers hold copies to be programmed.
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

    #[inline(always)]
    pub fn fill_register<P: Probe>(&mut self, lun: LunId, plane: PlaneId, work: &mut PageWork<P>, now: Time) {
        self.array.fill_register(lun, self.layout.plane_in_lun(plane));
        if let Some(lane) = self.reader_of(plane) {
            self.array.fill_register(lane, 0);
        }
        work.probe.notify(|observer| observer.register_filled(plane, now));
    }

    #[inline(always)]
    pub fn drain_register<P: Probe>(&mut self, id: TransactionId, lun: LunId, work: &mut PageWork<P>, now: Time) {
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

    /// Until `port_free_at` for the chip's port, then for a path.
    #[inline(always)]
    pub fn charge_wait<P: Probe>(
        &self,
        id: TransactionId,
        lun: LunId,
        port_free_at: Time,
        work: &mut PageWork<P>,
        now: Time,
    ) {
        let t = &work.transactions[id];
        let (operation, plane) = (t.operation, t.ppa.plane);
        let available = self.available_since(lun, operation, plane).max(port_free_at);
        let own = available.saturating_sub(t.since);
        if own > Time::ZERO && !work.is_accounted(id) {
            work.pass_over(id, own, now);
        } else if own > Time::ZERO {
            let own = self.charge_background(id, lun, own, work, now);
            if work.interference.is_tracked() && own > Time::ZERO {
                work.interference.charge(id, |flow| self.flow_clock(lun, operation, plane, flow, now), own);
            }
            work.blame_page_up_to(id, Cause::ChipBusyUser, own, now);
        }
        if work.probe.follows_waits() {
            work.root_causes.lun_given(id, lun, work.transactions[id].since, now);
        }
        work.charge_path_conflict(id, now);
    }

    /// Returns what is left of the time for which the LUN was busy.
    #[inline(always)]
    fn charge_background<P: Probe>(
        &self,
        id: TransactionId,
        lun: LunId,
        mut own: Time,
        work: &mut PageWork<P>,
        now: Time,
    ) -> Time {
        let t = &work.transactions[id];
        let (operation, plane) = (t.operation, t.ppa.plane);
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
        own
    }

    #[inline(always)]
    pub fn mark_wait<P: Probe>(&self, id: TransactionId, lun: LunId, work: &mut PageWork<P>, now: Time) {
        let t = &work.transactions[id];
        let (operation, plane) = (t.operation, t.ppa.plane);
        if work.is_accounted(id) && (t.is(Flag::HasRare) || self.has_background_clocks(lun, operation, plane)) {
            work.rare_mut(id).background_marks = self.background_clocks(lun, operation, plane, now);
        }
        if work.interference.is_tracked() {
            work.interference.mark(id, |flow| self.flow_clock(lun, operation, plane, flow, now));
        }
    }

    #[inline(always)]
    fn available_since(&self, lun: LunId, operation: Operation, plane: PlaneId) -> Time {
        if self.lanes.are_on() || self.cache_reads.is_on() {
            return self.available_since_beside(lun, operation, plane);
        }
        self.array.free_since(lun, plane)
    }

    #[inline(never)]
    fn available_since_beside(&self, lun: LunId, operation: Operation, plane: PlaneId) -> Time {
        let array = match self.lanes.are_on() {
            true => self.lane_free_since(lun, operation, plane),
            false => self.array.array_free_at(lun),
        };
        array.max(self.registers_free_since(lun, operation, plane))
    }

    #[inline(always)]
    fn has_background_clocks(&self, lun: LunId, operation: Operation, plane: PlaneId) -> bool {
        match self.lanes.are_on() {
            true => self.lanes_have_background_clocks(lun, operation, plane),
            false => self.array.has_background_clocks(lun),
        }
    }

    #[inline(always)]
    fn background_clocks(&self, lun: LunId, operation: Operation, plane: PlaneId, now: Time) -> Clocks {
        match self.lanes.are_on() {
            true => self.background_clocks_of_lanes(lun, operation, plane, now),
            false => self.array.background_clocks(lun, now),
        }
    }

    #[inline]
    fn flow_clock(&self, lun: LunId, operation: Operation, plane: PlaneId, flow: usize, now: Time) -> Time {
        let clock = |lane| self.array.flow_clock(lane, flow, now);
        match self.lanes.are_on() {
            true => self.lanes_before(lun, operation, plane).fold(clock(lun), |sum, lane| sum + clock(lane)),
            false => clock(lun),
        }
    }

    #[inline(always)]
    pub fn program_fails(&mut self, plane: PlaneId) -> bool {
        self.may_fail() && self.failures.program_fails(plane)
    }

    pub fn lose_planes(&mut self, planes: &[PlaneId]) {
        self.may_fail |= !planes.is_empty();
        self.failures.lose(planes);
    }

    pub fn erase_fails(&mut self, plane: PlaneId) -> bool {
        self.may_fail() && self.failures.erase_fails(plane)
    }

    #[inline(always)]
    pub fn may_fail(&self) -> bool {
        rarely(self.may_fail)
    }

    #[inline(always)]
    pub fn stays_open(&self) -> bool {
        self.suspensions.is_on() || self.lanes.are_on()
    }

    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    pub fn operations_in_cache(&self) -> &Operations {
        &self.in_cache
    }

    pub fn operations_of_parity(&self) -> &Operations {
        &self.of_parity
    }

    pub fn count_retry(&mut self) {
        self.read_retries += 1;
    }

    pub fn read_retries(&self) -> u64 {
        self.read_retries
    }

    pub fn outer_reads(&self) -> Option<u64> {
        self.outer_code.as_ref().map(|code| code.reads)
    }

    pub fn failed(&self) -> (u64, u64) {
        (self.failures.programs, self.failures.erases)
    }
}
