use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::trace::WireTrace;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::wires::{ControllerUse, Place, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

pub struct Buses {
    chips_each: u32,
    /// Divisions would take longer.
    of_chips: Vec<DomainId>,
    columns: u32,
    kind: WireKind,
    buses: Vec<Bus>,
    buffer: Time,
    port_free_at: Vec<Time>,
    pub trace: WireTrace,
}

#[derive(Clone, Copy)]
struct Bus {
    in_use: bool,
    chip: ChipId,
    since: Time,
    busy: Time,
    active: Time,
}

#[derive(Clone, Copy, Debug)]
pub struct TransferEnd(PathId);

impl Buses {
    pub fn new(layout: &Layout, kind: WireKind) -> Buses {
        let chips_each = if kind == WireKind::Path { 1 } else { layout.chips_per_channel };
        let idle = Bus { in_use: false, chip: ChipId::NONE, since: Time::ZERO, busy: Time::ZERO, active: Time::ZERO };
        Buses {
            chips_each,
            of_chips: (0..layout.chips()).map(|chip| DomainId(chip / chips_each)).collect(),
            columns: layout.chips_per_channel,
            kind,
            buffer: Time::ZERO,
            buses: vec![idle; (layout.chips() / chips_each) as usize],
            port_free_at: vec![Time::ZERO; layout.chips() as usize],
            trace: WireTrace::default(),
        }
    }

    fn put_buffers(&mut self, delay: Time) {
        self.buffer = delay;
        self.kind = match self.kind {
            WireKind::Channel => WireKind::BufferedChannel,
            WireKind::WideChannel => WireKind::BufferedWideChannel,
            other => other,
        };
    }

    pub fn count(&self) -> u32 {
        self.buses.len() as u32
    }

    #[inline]
    pub fn of(&self, chip: ChipId) -> DomainId {
        self.of_chips[chip.index()]
    }

    pub fn chips(&self, bus: DomainId) -> Range<u32> {
        bus.0 * self.chips_each..(bus.0 + 1) * self.chips_each
    }

    #[inline]
    pub fn is_free(&self, bus: DomainId) -> bool {
        !self.buses[bus.index()].in_use
    }

    #[inline]
    pub fn port_free_at(&self, chip: ChipId) -> Time {
        self.port_free_at[chip.index()]
    }

    #[inline(always)]
    pub fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, TransferEnd)) -> PathId {
        let id = self.of(transfer.chip);
        let bus = &mut self.buses[id.index()];
        assert!(!bus.in_use, "bus {} carries two transfers at once", id.0);
        bus.in_use = true;
        bus.chip = transfer.chip;
        bus.since = now;
        self.start_on_held_path(PathId(id.0), transfer, now, later);
        PathId(id.0)
    }

    #[inline(always)]
    pub fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, TransferEnd),
    ) {
        let bus = &mut self.buses[path.index()];
        debug_assert!(bus.in_use && bus.chip == transfer.chip);
        bus.active += transfer.time();
        self.trace.write_transfer(path.0, &transfer, path, now);
        later(now + transfer.time() + self.buffer, TransferEnd(path));
    }

    #[inline(always)]
    pub fn handle(&mut self, TransferEnd(path): TransferEnd, now: Time) -> FabricOutcome {
        self.port_free_at[self.buses[path.index()].chip.index()] = now;
        FabricOutcome { crossed: Some(TransferDone::freely(path)), freed: None }
    }

    #[inline]
    pub fn release(&mut self, path: PathId, now: Time) -> DomainId {
        let bus = &mut self.buses[path.index()];
        bus.in_use = false;
        bus.busy += now - bus.since;
        DomainId(path.0)
    }

    pub fn wires(&self) -> Vec<Wire> {
        let wire = |(i, bus): (usize, &Bus)| {
            let first = i as u32 * self.chips_each;
            let at = |chip: u32| -> Place { ((chip / self.columns) as i32, (chip % self.columns) as i32) };
            let (row, _) = at(first);
            let name = match self.kind {
                WireKind::Path => format!("path to chip {},{}", at(first).0, at(first).1),
                _ => format!("channel {i}"),
            };
            let to = at(first + self.chips_each - 1);
            Wire { name, kind: self.kind, from: (row, -1), to, busy: bus.busy, active: bus.active }
        };
        self.buses.iter().enumerate().map(wire).collect()
    }

    pub fn controllers(&self) -> Vec<ControllerUse> {
        if self.kind == WireKind::Path {
            return Vec::new();
        }
        let each = |(i, bus): (usize, &Bus)| ControllerUse {
            name: format!("controller {i}"),
            place: (i as i32, -1),
            busy: bus.busy,
        };
        self.buses.iter().enumerate().map(each).collect()
    }
}

pub trait Kind {
    type Times: WireTimes;

    fn new(config: &FabricConfig, layout: &Layout) -> (Buses, Self::Times);

    fn rate(times: &Self::Times) -> f64;
}

pub struct SharedBuses<K: Kind> {
    buses: Buses,
    times: K::Times,
}

impl<K: Kind> ChipToChip<TransferEnd> for SharedBuses<K> {}

impl<K: Kind> Fabric for SharedBuses<K> {
    type Event = TransferEnd;
    type Times = K::Times;
    const ONE_PATH: bool = true;

    fn new(config: &FabricConfig, layout: &Layout) -> Self {
        let (mut buses, times) = K::new(&config.loaded(layout.chips_per_channel, layout.dies_per_chip), layout);
        if config.load.is_buffered() {
            buses.put_buffers(config.load.buffer_delay.time());
        }
        SharedBuses { buses, times }
    }

    fn domains(&self) -> u32 {
        self.buses.count()
    }

    fn domain_of(&self, chip: ChipId) -> DomainId {
        self.buses.of(chip)
    }

    fn chips_of(&self, domain: DomainId) -> Range<u32> {
        self.buses.chips(domain)
    }

    fn may_start(&self, domain: DomainId) -> bool {
        self.buses.is_free(domain)
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        self.buses.is_free(self.buses.of(chip))
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.buses.port_free_at(chip)
    }

    #[inline(always)]
    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, TransferEnd)) -> PathId {
        self.buses.start(transfer, now, later)
    }

    #[inline(always)]
    fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, TransferEnd),
    ) {
        self.buses.start_on_held_path(path, transfer, now, later);
    }

    #[inline(always)]
    fn handle(&mut self, event: TransferEnd, now: Time, _: &mut impl FnMut(Time, TransferEnd)) -> FabricOutcome {
        self.buses.handle(event, now)
    }

    fn release(&mut self, path: PathId, now: Time, _: &mut impl FnMut(Time, TransferEnd)) -> DomainId {
        self.buses.release(path, now)
    }

    fn times(&self) -> &K::Times {
        &self.times
    }

    fn peak_rate(&self) -> f64 {
        K::rate(&self.times) * f64::from(self.buses.count())
    }

    fn wires(&self) -> Vec<Wire> {
        self.buses.wires()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        self.buses.controllers()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.buses.trace
    }
}
