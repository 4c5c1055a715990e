//! A set of shared buses, each with its own chips: what the fabrics of one bus a chip have in common.

use std::ops::Range;

use crate::fabric::tape::Tape;
use crate::fabric::wires::{ControllerUse, Place, Wire, WireKind};
use crate::fabric::{Crossed, DomainId, Happened, Leg, PathId};
use crate::flash::address::{ChipId, Layout};
use crate::sim::time::Time;

/// Buses that serve equal numbers of consecutive chips, one leg at a time each.
pub struct Buses {
    chips_each: u32,
    columns: u32,
    kind: WireKind,
    buses: Vec<Bus>,
    /// When each chip's last leg ended.
    port_free_at: Vec<Time>,
    /// What goes on, for timelines.
    pub tape: Tape,
}

#[derive(Clone, Copy)]
struct Bus {
    in_use: bool,
    chip: ChipId,
    since: Time,
    /// Time taken, by legs that have ended.
    busy: Time,
    /// Time it carried something.
    active: Time,
}

/// The leg on a bus has crossed.
#[derive(Clone, Copy, Debug)]
pub struct LegDone(PathId);

impl Buses {
    /// Idle buses of a kind: one a row of the array, or one a chip for [`WireKind::Path`].
    pub fn new(layout: &Layout, kind: WireKind) -> Buses {
        let chips_each = if kind == WireKind::Path { 1 } else { layout.chips_per_channel };
        let idle = Bus { in_use: false, chip: ChipId::NONE, since: Time::ZERO, busy: Time::ZERO, active: Time::ZERO };
        Buses {
            chips_each,
            columns: layout.chips_per_channel,
            kind,
            buses: vec![idle; (layout.chips() / chips_each) as usize],
            port_free_at: vec![Time::ZERO; layout.chips() as usize],
            tape: Tape::default(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.buses.len() as u32
    }

    /// The bus of a chip.
    pub fn of(&self, chip: ChipId) -> DomainId {
        DomainId(chip.0 / self.chips_each)
    }

    /// The chips of a bus.
    pub fn chips(&self, bus: DomainId) -> Range<u32> {
        bus.0 * self.chips_each..(bus.0 + 1) * self.chips_each
    }

    /// Whether a bus is free.
    pub fn is_free(&self, bus: DomainId) -> bool {
        !self.buses[bus.index()].in_use
    }

    /// When the chip's last leg ended.
    pub fn port_free_at(&self, chip: ChipId) -> Time {
        self.port_free_at[chip.index()]
    }

    /// Takes the chip's bus for a leg.
    pub fn start(&mut self, leg: Leg, now: Time, later: &mut impl FnMut(Time, LegDone)) -> PathId {
        let id = self.of(leg.chip);
        let bus = &mut self.buses[id.index()];
        assert!(!bus.in_use, "bus {} carries two legs at once", id.0);
        bus.in_use = true;
        bus.chip = leg.chip;
        bus.since = now;
        self.go_on(PathId(id.0), leg, now, later);
        PathId(id.0)
    }

    /// Sends a leg over a bus that is taken for its chip.
    pub fn go_on(&mut self, path: PathId, leg: Leg, now: Time, later: &mut impl FnMut(Time, LegDone)) {
        let bus = &mut self.buses[path.index()];
        debug_assert!(bus.in_use && bus.chip == leg.chip);
        bus.active += leg.time();
        self.tape.write_leg(path.0, &leg, path, now);
        later(now + leg.time(), LegDone(path));
    }

    /// The leg on a bus has crossed.
    pub fn handle(&mut self, LegDone(path): LegDone, now: Time) -> Happened {
        self.port_free_at[self.buses[path.index()].chip.index()] = now;
        Happened { crossed: Some(Crossed::freely(path)), freed: None }
    }

    /// Gives a bus back.
    pub fn release(&mut self, path: PathId, now: Time) -> DomainId {
        let bus = &mut self.buses[path.index()];
        bus.in_use = false;
        bus.busy += now - bus.since;
        DomainId(path.0)
    }

    /// Every bus.
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

    /// The controllers: one a row, each busy while any of its buses is.
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

/// The part of the [`Fabric`](crate::fabric::Fabric) trait that a fabric of shared buses leaves to its field `buses`.
macro_rules! on_buses {
    () => {
        type Event = $crate::fabric::buses::LegDone;

        fn domains(&self) -> u32 {
            self.buses.count()
        }

        fn domain_of(&self, chip: $crate::flash::address::ChipId) -> $crate::fabric::DomainId {
            self.buses.of(chip)
        }

        fn chips_of(&self, domain: $crate::fabric::DomainId) -> std::ops::Range<u32> {
            self.buses.chips(domain)
        }

        fn may_start(&self, domain: $crate::fabric::DomainId) -> bool {
            self.buses.is_free(domain)
        }

        fn is_free(&self, chip: $crate::flash::address::ChipId, _: $crate::fabric::Direction) -> bool {
            self.buses.is_free(self.buses.of(chip))
        }

        fn port_free_at(
            &self,
            chip: $crate::flash::address::ChipId,
            _: $crate::fabric::Direction,
        ) -> $crate::sim::time::Time {
            self.buses.port_free_at(chip)
        }

        fn start(
            &mut self,
            leg: $crate::fabric::Leg,
            now: $crate::sim::time::Time,
            later: &mut impl FnMut($crate::sim::time::Time, Self::Event),
        ) -> $crate::fabric::PathId {
            self.buses.start(leg, now, later)
        }

        fn go_on(
            &mut self,
            path: $crate::fabric::PathId,
            leg: $crate::fabric::Leg,
            now: $crate::sim::time::Time,
            later: &mut impl FnMut($crate::sim::time::Time, Self::Event),
        ) {
            self.buses.go_on(path, leg, now, later);
        }

        fn handle(
            &mut self,
            event: Self::Event,
            now: $crate::sim::time::Time,
            _: &mut impl FnMut($crate::sim::time::Time, Self::Event),
        ) -> $crate::fabric::Happened {
            self.buses.handle(event, now)
        }

        fn release(
            &mut self,
            path: $crate::fabric::PathId,
            now: $crate::sim::time::Time,
            _: &mut impl FnMut($crate::sim::time::Time, Self::Event),
        ) -> $crate::fabric::DomainId {
            self.buses.release(path, now)
        }

        fn wires(&self) -> Vec<$crate::fabric::wires::Wire> {
            self.buses.wires()
        }

        fn controllers(&self) -> Vec<$crate::fabric::wires::ControllerUse> {
            self.buses.controllers()
        }

        fn tape(&mut self) -> &mut $crate::fabric::tape::Tape {
            &mut self.buses.tape
        }
    };
}
pub(crate) use on_buses;
