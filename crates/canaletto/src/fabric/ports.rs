//! Ports that take a transfer per LUN's page register.

use std::ops::Range;

use crate::engine::time::Time;
use crate::fabric::DomainId;
use crate::flash::address::{ChipId, Layout};

#[derive(Clone, Copy, Default)]
struct Port {
    under_way: u32,
    free_at: Time,
}

pub struct Ports {
    columns: u32,
    /// Divisions would take longer.
    rows: Vec<DomainId>,
    ports: Vec<Port>,
    luns_per_chip: u32,
}

impl Ports {
    pub fn new(layout: &Layout) -> Ports {
        let columns = layout.chips_per_channel;
        Ports {
            columns,
            rows: (0..layout.chips()).map(|chip| DomainId(chip / columns)).collect(),
            ports: vec![Port::default(); layout.chips() as usize],
            luns_per_chip: layout.luns_per_chip,
        }
    }

    pub fn columns(&self) -> u32 {
        self.columns
    }

    pub fn row_of(&self, chip: ChipId) -> DomainId {
        self.rows[chip.index()]
    }

    pub fn chips_of(&self, row: DomainId) -> Range<u32> {
        row.0 * self.columns..(row.0 + 1) * self.columns
    }

    pub fn each(&self) -> u64 {
        u64::from(self.luns_per_chip)
    }

    pub fn has_room(&self, chip: ChipId) -> bool {
        self.ports[chip.index()].under_way < self.luns_per_chip
    }

    /// Room again after none.
    pub fn free_at(&self, chip: ChipId) -> Time {
        self.ports[chip.index()].free_at
    }

    pub fn take(&mut self, chip: ChipId) {
        self.ports[chip.index()].under_way += 1;
    }

    pub fn give_back(&mut self, chip: ChipId, now: Time) {
        let port = &mut self.ports[chip.index()];
        if port.under_way == self.luns_per_chip {
            port.free_at = now;
        }
        port.under_way -= 1;
    }
}
