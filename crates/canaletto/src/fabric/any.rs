//! The interconnect of any kind as one type.
//!
//! A run has its fabric compiled in. Watched runs, stepped drives and development builds share an instance of the
//! engine, in which each call of the fabric is a jump by its kind: a tenth more instructions.

use std::ops::Range;

use super::{AnyEvent, AnyFabric, inside};
use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::failing::Failed;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::WireTrace;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::wires::{ControllerUse, Wire};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer};
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;

impl ChipToChip<AnyEvent> for AnyFabric {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        inside!(self, fabric => fabric.can_copy(from, to))
    }

    fn registers(&self) -> Option<&PageRegisters> {
        inside!(self, fabric => fabric.registers())
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        inside!(self, fabric => fabric.registers_mut())
    }

    fn copy_is_free(&self, from: ChipId, to: ChipId) -> bool {
        inside!(self, fabric => fabric.copy_is_free(from, to))
    }

    fn copy_time(&self, bytes: u64) -> Time {
        inside!(self, fabric => fabric.copy_time(bytes))
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, AnyEvent),
    ) -> PathId {
        inside!(self, fabric, later => fabric.start_copy(from, to, time, now, later))
    }

    fn keep_columns(&mut self, kept: impl Fn(ChipId) -> bool) {
        inside!(self, fabric => fabric.keep_columns(kept));
    }
}

impl WireTimes for AnyFabric {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        inside!(self, fabric => fabric.times().command(operation, planes))
    }

    fn data(&self, operation: Operation, bytes: u64) -> Time {
        inside!(self, fabric => fabric.times().data(operation, bytes))
    }

    fn copyback(&self, planes: usize) -> Time {
        inside!(self, fabric => fabric.times().copyback(planes))
    }

    fn column(&self) -> Time {
        inside!(self, fabric => fabric.times().column())
    }

    fn status(&self) -> (Direction, Time) {
        inside!(self, fabric => WireTimes::status(fabric.times()))
    }

    fn suspend(&self, resume: bool) -> Time {
        inside!(self, fabric => fabric.times().suspend(resume))
    }
}

impl Fabric for AnyFabric {
    type Event = AnyEvent;
    type Times = AnyFabric;

    fn new(config: &FabricConfig, layout: &Layout) -> Self {
        AnyFabric::of(config, layout)
    }

    fn domains(&self) -> u32 {
        inside!(self, fabric => fabric.domains())
    }

    fn domain_of(&self, chip: ChipId) -> DomainId {
        inside!(self, fabric => fabric.domain_of(chip))
    }

    fn chips_of(&self, domain: DomainId) -> Range<u32> {
        inside!(self, fabric => fabric.chips_of(domain))
    }

    fn may_start(&self, domain: DomainId) -> bool {
        inside!(self, fabric => fabric.may_start(domain))
    }

    fn is_free(&self, chip: ChipId, direction: Direction) -> bool {
        inside!(self, fabric => fabric.is_free(chip, direction))
    }

    fn takes_data(&self, chip: ChipId) -> bool {
        inside!(self, fabric => fabric.takes_data(chip))
    }

    fn port_free_at(&self, chip: ChipId, direction: Direction) -> Time {
        inside!(self, fabric => fabric.port_free_at(chip, direction))
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, AnyEvent)) -> PathId {
        inside!(self, fabric, later => fabric.start(transfer, now, later))
    }

    fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, AnyEvent),
    ) {
        inside!(self, fabric, later => fabric.start_on_held_path(path, transfer, now, later));
    }

    fn handle(&mut self, event: AnyEvent, now: Time, later: &mut impl FnMut(Time, AnyEvent)) -> FabricOutcome {
        self.handle_inside(event, now, later)
    }

    fn next_step(&self) -> Time {
        inside!(self, fabric => fabric.next_step())
    }

    fn step(&mut self, now: Time, until: Time, later: &mut impl FnMut(Time, AnyEvent)) {
        inside!(self, fabric, later => fabric.step(now, until, later));
    }

    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, AnyEvent)) -> DomainId {
        inside!(self, fabric, later => fabric.release(path, now, later))
    }

    fn times(&self) -> &AnyFabric {
        self
    }

    fn peak_rate(&self) -> f64 {
        inside!(self, fabric => fabric.peak_rate())
    }

    fn wires(&self) -> Vec<Wire> {
        inside!(self, fabric => fabric.wires())
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        inside!(self, fabric => fabric.controllers())
    }

    fn ports(&self) -> u64 {
        inside!(self, fabric => fabric.ports())
    }

    fn router_time(&self) -> TimeSum {
        inside!(self, fabric => fabric.router_time())
    }

    fn arbiter_time(&self) -> Time {
        inside!(self, fabric => fabric.arbiter_time())
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        inside!(self, fabric => fabric.counters())
    }

    fn is_at_rest(&self) -> bool {
        inside!(self, fabric => fabric.is_at_rest())
    }

    fn lose(&mut self, failed: &Failed) {
        inside!(self, fabric => fabric.lose(failed));
    }

    fn trace(&mut self) -> &mut WireTrace {
        inside!(self, fabric => fabric.trace())
    }
}
