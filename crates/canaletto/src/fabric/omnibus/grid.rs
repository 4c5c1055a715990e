use std::collections::VecDeque;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::failing::{Failed, Parts, without};
use crate::fabric::lines::{joined_columns, line_of_column, name_of_columns};
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{PathId, Transfer};
use crate::flash::address::{ChipId, Layout};
use crate::typed_id;

typed_id!(BusId);

#[derive(Clone, Copy)]
pub struct Ways {
    pub row: BusId,
    pub column: BusId,
}

pub struct Bus {
    pub driver: u32,
    pub path: PathId,
    pub setup: Time,
    pub agreed: Option<Transfer>,
    pub messages: u32,
    pub waiting: VecDeque<PathId>,
    pub active: Time,
    busy: Time,
    since: Time,
}

#[derive(Clone, Copy, Default)]
struct Controller {
    taken: u32,
    busy: Time,
    since: Time,
}

/// A controller drives at most one, so buses join adjacent columns if controllers are fewer (Networked SSD §V-E).
pub fn column_buses(rows: u32, columns: u32) -> u32 {
    rows.min(columns)
}

fn ways_of(chip: u32, rows: u32, columns: u32) -> Ways {
    let column_bus = line_of_column(chip % columns, column_buses(rows, columns), columns);
    Ways { row: BusId(chip / columns), column: BusId(rows + column_bus) }
}

pub fn parts(_: &FabricConfig, rows: u32, columns: u32) -> Parts {
    Parts { controllers: rows, buses: rows + column_buses(rows, columns), ..Parts::default() }
}

fn has_failed(bus: u32, rows: u32, failed: &Failed) -> bool {
    let driver = if bus < rows { bus } else { bus - rows };
    failed.buses.contains(&bus) || failed.controllers.contains(&driver)
}

pub fn cut_off(_: &FabricConfig, rows: u32, columns: u32, failed: &Failed) -> Vec<ChipId> {
    without(rows * columns, |chip| {
        let ways = ways_of(chip, rows, columns);
        [ways.row, ways.column].into_iter().any(|bus| !has_failed(bus.0, rows, failed))
    })
}

const COPIES: u32 = 1;
const OTHER: u32 = 2;

/// Never free.
const FAILED: PathId = PathId(u32::MAX - 1);

pub struct Grid {
    rows: u32,
    columns: u32,
    ways: Vec<Ways>,
    buses: Vec<Bus>,
    controllers: Vec<Controller>,
    free: u32,
    /// `COPIES`, and `OTHER`.
    kept: Vec<u32>,
    /// A place behind all buses if controllers serve two transfers.
    other: Vec<BusId>,
    keeps_columns: bool,
}

impl Grid {
    pub fn new(layout: &Layout, transfers_per_controller: u32) -> Grid {
        let (rows, columns) = (layout.channels, layout.chips_per_channel);
        let column_buses = column_buses(rows, columns);
        let count = rows + column_buses;
        let other = |bus: u32| match (transfers_per_controller, bus.checked_sub(rows)) {
            (1, Some(driver)) => BusId(driver),
            (1, None) if bus < column_buses => BusId(rows + bus),
            _ => BusId(count),
        };
        Grid {
            rows,
            columns,
            ways: (0..layout.chips()).map(|chip| ways_of(chip, rows, columns)).collect(),
            buses: (0..rows).chain(0..column_buses).map(Bus::driven_by).collect(),
            controllers: vec![Controller::default(); rows as usize],
            free: count,
            kept: vec![0; count as usize + 1],
            other: (0..count).map(other).collect(),
            keeps_columns: true,
        }
    }

    pub fn count(&self) -> u32 {
        self.buses.len() as u32
    }

    pub fn at_once(&self) -> u32 {
        let are_served_alone = self.other.iter().filter(|other| other.0 < self.count()).count() as u32;
        self.count() - are_served_alone / 2
    }

    pub fn chips(&self) -> u32 {
        self.ways.len() as u32
    }

    pub fn free(&self) -> u32 {
        self.free
    }

    pub fn ways(&self, chip: ChipId) -> Ways {
        self.ways[chip.index()]
    }

    pub fn row_controller(&self, chip: ChipId) -> u32 {
        self.ways[chip.index()].row.0
    }

    pub fn bus(&self, bus: BusId) -> &Bus {
        &self.buses[bus.index()]
    }

    pub fn bus_mut(&mut self, bus: BusId) -> &mut Bus {
        &mut self.buses[bus.index()]
    }

    pub fn is_free(&self, bus: BusId) -> bool {
        !self.buses[bus.index()].path.is_some()
    }

    pub fn first_free(&self, chip: ChipId) -> Option<BusId> {
        let Ways { row, column } = self.ways(chip);
        [row, column].into_iter().find(|&bus| self.is_free(bus) && !self.is_kept(bus))
    }

    pub fn lose(&mut self, failed: &Failed) {
        for bus in 0..self.count() {
            if has_failed(bus, self.rows, failed) {
                self.buses[bus as usize].path = FAILED;
                self.free -= 1;
                self.keeps_columns &= bus >= self.rows;
            }
        }
    }

    pub fn has_failed(&self, bus: BusId) -> bool {
        self.buses[bus.index()].path == FAILED
    }

    /// It is for copies, or its controller serves its other bus.
    pub fn is_kept(&self, bus: BusId) -> bool {
        self.kept[bus.index()] != 0
    }

    pub fn is_served(&self, bus: BusId) -> bool {
        self.kept[bus.index()] < OTHER
    }

    pub fn keep_columns(&mut self, kept: impl Fn(ChipId) -> bool) {
        for (chip, ways) in (0..).map(ChipId).zip(&self.ways) {
            let kept = u32::from(self.keeps_columns && kept(chip)) * COPIES;
            let reasons = &mut self.kept[ways.column.index()];
            *reasons = *reasons & !COPIES | kept;
        }
    }

    pub fn take(&mut self, id: BusId, path: PathId, now: Time) {
        let bus = &mut self.buses[id.index()];
        assert!(!bus.path.is_some(), "bus {} carries two transfers at once", id.0);
        (bus.path, bus.setup, bus.since) = (path, Time::ZERO, now);
        self.free -= 1;
        self.kept[self.other[id.index()].index()] += OTHER;
        let controller = &mut self.controllers[bus.driver as usize];
        if controller.taken == 0 {
            controller.since = now;
        }
        controller.taken += 1;
    }

    pub fn give_back(&mut self, id: BusId, now: Time) {
        let bus = &mut self.buses[id.index()];
        assert!(bus.path.is_some(), "bus {} is given back twice", id.0);
        bus.path = PathId::NONE;
        bus.busy += now - bus.since;
        self.free += 1;
        self.kept[self.other[id.index()].index()] -= OTHER;
        let controller = &mut self.controllers[bus.driver as usize];
        controller.taken -= 1;
        if controller.taken == 0 {
            controller.busy += now - controller.since;
        }
    }

    pub fn wires(&self) -> Vec<Wire> {
        let (east, south) = (self.columns as i32 - 1, self.rows as i32 - 1);
        let column_buses = column_buses(self.rows, self.columns);
        let wire = |(i, bus): (usize, &Bus)| {
            let id = i as u32;
            let (name, kind, from, to) = if id < self.rows {
                let row = id as i32;
                (format!("channel {row}"), WireKind::Channel, (row, -1), (row, east))
            } else {
                let joined = joined_columns(id - self.rows, column_buses, self.columns);
                let (first, last) = (joined.start as i32, joined.end as i32 - 1);
                (name_of_columns(&joined), WireKind::Column, (0, first), (south, last))
            };
            Wire { name, kind, from, to, busy: bus.busy, active: bus.active }
        };
        self.buses.iter().enumerate().map(wire).collect()
    }

    pub fn controllers(&self) -> Vec<ControllerUse> {
        let each = |(i, controller): (usize, &Controller)| ControllerUse {
            name: format!("controller {i}"),
            place: (i as i32, -1),
            busy: controller.busy,
        };
        self.controllers.iter().enumerate().map(each).collect()
    }
}

impl Bus {
    pub fn since(&self) -> Time {
        self.since
    }

    fn driven_by(driver: u32) -> Bus {
        Bus {
            driver,
            path: PathId::NONE,
            setup: Time::ZERO,
            agreed: None,
            messages: 0,
            waiting: VecDeque::new(),
            active: Time::ZERO,
            busy: Time::ZERO,
            since: Time::ZERO,
        }
    }
}
