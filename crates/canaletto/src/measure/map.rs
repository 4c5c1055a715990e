//! Use of the chip array and its wires, for pictures of the fabric.

use serde::Serialize;

use crate::JsonSchema;
use crate::engine::time::Time;
use crate::fabric::wires::{ControllerUse, Place, Wire};
use crate::measure::load::use_share;

/// A map of every wire of a larger array would be longer than all other results.
pub const MOST_CHIPS: u32 = 4096;

/// Position and use of a chip.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ChipShare {
    /// Name of the chip.
    pub name: String,
    /// Row, which is the channel.
    pub row: i32,
    /// Position in the row.
    pub column: i32,
    /// Share of the run, from 0 to 1, in which its arrays worked, mean over its dies.
    pub array: f64,
    /// Share of the run, from 0 to 1, in which commands and data crossed its ports, mean over its ports.
    pub port: f64,
    /// Mean number of erases of its blocks.
    pub erases: f64,
}

/// Activity of a chip.
pub struct ChipUse {
    /// Working time of its arrays, mean over its dies.
    pub array: Time,
    /// Time in use of its ports, mean over its ports.
    pub port: Time,
    /// Mean number of erases of its blocks.
    pub erases: f64,
}

/// Position and use of a controller.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ControllerShare {
    /// Name of the controller.
    pub name: String,
    /// Row of the controller.
    pub row: i32,
    /// −1 west of the array, the number of columns east of it.
    pub column: i32,
    /// Share of the run, from 0 to 1, in which it was in use.
    pub share: f64,
}

/// Position and use of a wire.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct WireShare {
    /// Name of the wire.
    pub name: String,
    /// Kind of wire.
    pub kind: &'static str,
    /// One end: row, column.
    pub from: Place,
    /// Other end: row, column.
    pub to: Place,
    /// Share of the run, from 0 to 1, in which it was in use, reservations included.
    pub share: f64,
}

/// Chip array with wires and controllers.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Map {
    /// Number of rows of chips.
    pub rows: u32,
    /// Number of chips in a row.
    pub columns: u32,
    /// Chips, row by row.
    pub chips: Vec<ChipShare>,
    /// Controllers.
    pub controllers: Vec<ControllerShare>,
    /// Wires, in the fabric's order.
    pub wires: Vec<WireShare>,
}

impl Map {
    /// `chips` go row by row.
    pub fn new(
        (rows, columns): (u32, u32),
        chips: &[ChipUse],
        controllers: &[ControllerUse],
        wires: &[Wire],
        length: Time,
    ) -> Map {
        let share = |busy: Time| use_share(busy, length);
        let chip = |(i, used): (usize, &ChipUse)| {
            let (row, column) = (i as u32 / columns, i as u32 % columns);
            ChipShare {
                name: format!("chip {row},{column}"),
                row: row as i32,
                column: column as i32,
                array: share(used.array),
                port: share(used.port),
                erases: used.erases,
            }
        };
        let controller = |c: &ControllerUse| ControllerShare {
            name: c.name.clone(),
            row: c.place.0,
            column: c.place.1,
            share: share(c.busy),
        };
        let wire = |w: &Wire| WireShare {
            name: w.name.clone(),
            kind: w.kind.name(),
            from: w.from,
            to: w.to,
            share: share(w.busy),
        };
        Map {
            rows,
            columns,
            chips: chips.iter().enumerate().map(chip).collect(),
            controllers: controllers.iter().map(controller).collect(),
            wires: wires.iter().map(wire).collect(),
        }
    }
}
