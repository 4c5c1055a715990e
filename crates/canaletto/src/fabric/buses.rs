//! A set of shared buses, each with its own chips: what the bus-like fabrics have in common.

use std::ops::Range;

use crate::fabric::{DomainId, Grant, Leg, PathId, Usage};
use crate::flash::address::ChipId;
use crate::sim::time::Time;

/// Buses that serve equal numbers of consecutive chips, one leg at a time each.
pub struct Buses {
    chips_each: u32,
    name: &'static str,
    buses: Vec<Bus>,
}

#[derive(Clone, Copy)]
struct Bus {
    in_use: bool,
    busy: Time,
}

impl Buses {
    /// `count` idle buses with `chips_each` chips each; `name` is what usage calls one.
    pub fn new(count: u32, chips_each: u32, name: &'static str) -> Buses {
        Buses { chips_each, name, buses: vec![Bus { in_use: false, busy: Time::ZERO }; count as usize] }
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

    /// Takes the chip's bus for a leg.
    pub fn start(&mut self, leg: Leg, now: Time) -> Grant {
        let id = self.of(leg.chip);
        let bus = &mut self.buses[id.index()];
        assert!(!bus.in_use, "{} {} carries two legs at once", self.name, id.0);
        bus.in_use = true;
        bus.busy += leg.command + leg.data;
        Grant { path: PathId(id.0), ends: now + leg.command + leg.data }
    }

    /// Gives a bus back.
    pub fn end(&mut self, path: PathId) -> DomainId {
        self.buses[path.index()].in_use = false;
        DomainId(path.0)
    }

    /// Use of every bus.
    pub fn usage(&self) -> Vec<Usage> {
        let usage = |(i, bus): (usize, &Bus)| Usage { part: format!("{} {i}", self.name), busy: bus.busy };
        self.buses.iter().enumerate().map(usage).collect()
    }
}

/// The part of the [`Fabric`](crate::fabric::Fabric) trait that a fabric of shared buses leaves to its field `buses`.
macro_rules! on_buses {
    () => {
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

        fn is_free(&self, chip: $crate::flash::address::ChipId) -> bool {
            self.buses.is_free(self.buses.of(chip))
        }

        fn start(&mut self, leg: $crate::fabric::Leg, now: $crate::sim::time::Time) -> $crate::fabric::Grant {
            self.buses.start(leg, now)
        }

        fn end(&mut self, path: $crate::fabric::PathId) -> $crate::fabric::DomainId {
            self.buses.end(path)
        }

        fn usage(&self) -> Vec<$crate::fabric::Usage> {
            self.buses.usage()
        }
    };
}
pub(crate) use on_buses;
