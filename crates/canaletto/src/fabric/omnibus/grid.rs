//! Row and column buses, which of them reach a chip, who drives them and how much they were used.

use std::collections::VecDeque;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::failing::{Failed, Parts, without};
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{PathId, Transfer};
use crate::flash::address::{ChipId, Layout};
use crate::typed_id;

typed_id!(
    /// A bus: those of rows first, then those of columns.
    BusId
);

/// The two buses that reach a chip.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct Ways {
    pub row: BusId,
    pub column: BusId,
}

/// A bus.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Bus {
    /// The controller that drives it.
    pub driver: u32,
    /// Path for which it is taken.
    pub path: PathId,
    /// Time that what crosses now took to be agreed on, the transfer's earlier half included if that crossed here just before.
    pub setup: Time,
    /// Transfer that crosses once controllers have agreed.
    pub agreed: Option<Transfer>,
    /// Messages that they have yet to act on.
    pub messages: u32,
    /// Second halves that wait for it, the first in line in front.
    pub waiting: VecDeque<PathId>,
    /// Time it carried something.
    pub active: Time,
    /// Time it was taken, up to the last time it was given back.
    busy: Time,
    since: Time,
}

/// A controller and how many of its two buses are taken.
#[derive(Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Controller {
    taken: u32,
    busy: Time,
    since: Time,
}

/// Columns that share a bus. A controller drives one column bus at most, so where there are fewer controllers than columns, a bus
/// joins several adjacent columns (Networked SSD §V-E).
pub fn columns_each(rows: u32, columns: u32) -> u32 {
    columns.div_ceil(rows.min(columns))
}

/// Column buses of an array.
fn column_buses(rows: u32, columns: u32) -> u32 {
    columns.div_ceil(columns_each(rows, columns))
}

/// Parts that may fail: controllers, and row buses before column buses.
pub fn parts(_: &FabricConfig, rows: u32, columns: u32) -> Parts {
    Parts { controllers: rows, buses: rows + column_buses(rows, columns), ..Parts::default() }
}

/// Whether a bus has failed, by itself or with the controller that drives it.
fn has_failed(bus: u32, rows: u32, failed: &Failed) -> bool {
    let driver = if bus < rows { bus } else { bus - rows };
    failed.buses.contains(&bus) || failed.controllers.contains(&driver)
}

/// Chips both of whose buses have failed.
pub fn cut_off(_: &FabricConfig, rows: u32, columns: u32, failed: &Failed) -> Vec<ChipId> {
    let each = columns_each(rows, columns);
    let ways = |chip: u32| [chip / columns, rows + chip % columns / each];
    without(rows * columns, |chip| ways(chip).into_iter().any(|bus| !has_failed(bus, rows, failed)))
}

/// The path of a bus that has failed: it is never free.
const FAILED: PathId = PathId(u32::MAX - 1);

/// The buses and controllers of an array.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Grid {
    rows: u32,
    columns: u32,
    /// Adjacent columns that share a column bus.
    columns_each: u32,
    ways: Vec<Ways>,
    buses: Vec<Bus>,
    controllers: Vec<Controller>,
    free: u32,
    /// Column buses that carry nothing but copies.
    kept: Vec<bool>,
    /// Whether there may be such.
    keeps_columns: bool,
}

impl Grid {
    /// Idle buses. Where there are more controllers than columns, the last ones drive no column bus (§V-E).
    pub fn new(layout: &Layout) -> Grid {
        let (rows, columns) = (layout.channels, layout.chips_per_channel);
        let columns_each = columns_each(rows, columns);
        let column_buses = column_buses(rows, columns);
        let way = |chip| Ways { row: BusId(chip / columns), column: BusId(rows + chip % columns / columns_each) };
        Grid {
            rows,
            columns,
            columns_each,
            ways: (0..layout.chips()).map(way).collect(),
            buses: (0..rows).chain(0..column_buses).map(Bus::driven_by).collect(),
            controllers: vec![Controller::default(); rows as usize],
            free: rows + column_buses,
            kept: vec![false; (rows + column_buses) as usize],
            keeps_columns: true,
        }
    }

    /// How many buses there are.
    pub fn count(&self) -> u32 {
        self.buses.len() as u32
    }

    /// How many chips there are.
    pub fn chips(&self) -> u32 {
        self.ways.len() as u32
    }

    /// How many buses are free.
    pub fn free(&self) -> u32 {
        self.free
    }

    /// The buses of a chip.
    pub fn ways(&self, chip: ChipId) -> Ways {
        self.ways[chip.index()]
    }

    /// The controller of a chip's row.
    pub fn row_controller(&self, chip: ChipId) -> u32 {
        self.ways[chip.index()].row.0
    }

    /// A bus.
    pub fn bus(&self, bus: BusId) -> &Bus {
        &self.buses[bus.index()]
    }

    /// A bus, to be changed.
    pub fn bus_mut(&mut self, bus: BusId) -> &mut Bus {
        &mut self.buses[bus.index()]
    }

    /// Whether a bus is free.
    pub fn is_free(&self, bus: BusId) -> bool {
        !self.buses[bus.index()].path.is_some()
    }

    /// The bus that a transfer of this chip takes now, if one is free: of two the row's.
    pub fn first_free(&self, chip: ChipId) -> Option<BusId> {
        let Ways { row, column } = self.ways(chip);
        [row, column].into_iter().find(|&bus| self.is_free(bus) && !self.is_kept(bus))
    }

    /// Buses fail. Columns are not kept for copies any more, since they may be the only way to chips of a row whose bus has failed.
    pub fn lose(&mut self, failed: &Failed) {
        for bus in 0..self.count() {
            if has_failed(bus, self.rows, failed) {
                self.buses[bus as usize].path = FAILED;
                self.free -= 1;
                self.keeps_columns &= bus >= self.rows;
            }
        }
    }

    /// Whether a bus has failed.
    pub fn has_failed(&self, bus: BusId) -> bool {
        self.buses[bus.index()].path == FAILED
    }

    /// Whether a bus carries nothing but copies.
    pub fn is_kept(&self, bus: BusId) -> bool {
        self.kept[bus.index()]
    }

    /// From now on the column buses of the chips for which `kept` holds carry nothing but copies.
    pub fn keep_columns(&mut self, kept: impl Fn(ChipId) -> bool) {
        for (chip, ways) in (0..).map(ChipId).zip(&self.ways) {
            self.kept[ways.column.index()] = self.keeps_columns && kept(chip);
        }
    }

    /// Takes a bus.
    pub fn take(&mut self, id: BusId, path: PathId, now: Time) {
        let bus = &mut self.buses[id.index()];
        assert!(!bus.path.is_some(), "bus {} carries two transfers at once", id.0);
        (bus.path, bus.setup, bus.since) = (path, Time::ZERO, now);
        self.free -= 1;
        let controller = &mut self.controllers[bus.driver as usize];
        if controller.taken == 0 {
            controller.since = now;
        }
        controller.taken += 1;
    }

    /// Gives a bus back.
    pub fn give_back(&mut self, id: BusId, now: Time) {
        let bus = &mut self.buses[id.index()];
        assert!(bus.path.is_some(), "bus {} is given back twice", id.0);
        bus.path = PathId::NONE;
        bus.busy += now - bus.since;
        self.free += 1;
        let controller = &mut self.controllers[bus.driver as usize];
        controller.taken -= 1;
        if controller.taken == 0 {
            controller.busy += now - controller.since;
        }
    }

    /// Every bus.
    pub fn wires(&self) -> Vec<Wire> {
        let (east, south) = (self.columns as i32 - 1, self.rows as i32 - 1);
        let wire = |(i, bus): (usize, &Bus)| {
            let id = i as u32;
            let (name, kind, from, to) = if id < self.rows {
                let row = id as i32;
                (format!("channel {row}"), WireKind::Channel, (row, -1), (row, east))
            } else {
                let first = (id - self.rows) * self.columns_each;
                let last = (first + self.columns_each).min(self.columns) - 1;
                let name = if first == last { format!("column {first}") } else { format!("columns {first}-{last}") };
                (name, WireKind::Column, (0, first as i32), (south, last as i32))
            };
            Wire { name, kind, from, to, busy: bus.busy, active: bus.active }
        };
        self.buses.iter().enumerate().map(wire).collect()
    }

    /// Every controller, one a row: busy while either of its buses is taken.
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
    /// Since when it is taken.
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
