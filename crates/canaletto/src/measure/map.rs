//! The array and its wires, each with the share of the run it was in use: what a picture of the fabric needs.

use serde::Serialize;

use crate::fabric::wires::{ControllerUse, Place, Wire};
use crate::sim::time::Time;

/// Larger arrays are not drawn: a map of every wire would be longer than all other results.
pub const MOST_CHIPS: u32 = 4096;

/// A chip's place and use.
#[derive(Debug, Clone, Serialize)]
pub struct ChipShare {
    /// Its name.
    pub name: String,
    /// Row, that is channel.
    pub row: i32,
    /// Place in the row.
    pub column: i32,
    /// Share of the run that its arrays worked, mean over its dies.
    pub array: f64,
    /// Share of the run that commands and data took on their way to and from it, mean over its ports.
    pub port: f64,
    /// Erases of its blocks, mean.
    pub erases: f64,
}

/// What a chip did.
pub struct ChipUse {
    /// Time its arrays worked, mean over its dies.
    pub array: Time,
    /// Time its ports were used, mean over them.
    pub port: Time,
    /// Erases of its blocks, mean.
    pub erases: f64,
}

/// A controller's place and use.
#[derive(Debug, Clone, Serialize)]
pub struct ControllerShare {
    /// Its name.
    pub name: String,
    /// Its row.
    pub row: i32,
    /// −1 west of the array, one beyond the last column east of it.
    pub column: i32,
    /// Share of the run that it was in use.
    pub share: f64,
}

/// A wire's place and use.
#[derive(Debug, Clone, Serialize)]
pub struct WireShare {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: &'static str,
    /// One end: row, column.
    pub from: Place,
    /// The other.
    pub to: Place,
    /// Share of the run that it was in use, reservations included.
    pub share: f64,
}

/// The array with everything around it.
#[derive(Debug, Clone, Serialize)]
pub struct Map {
    /// Rows of chips.
    pub rows: u32,
    /// Chips a row.
    pub columns: u32,
    /// Chips, row by row.
    pub chips: Vec<ChipShare>,
    /// Controllers.
    pub controllers: Vec<ControllerShare>,
    /// Wires, in the fabric's order.
    pub wires: Vec<WireShare>,
}

impl Map {
    /// The map of a run of `length`: `chips` go row by row.
    pub fn new(
        (rows, columns): (u32, u32),
        chips: &[ChipUse],
        controllers: &[ControllerUse],
        wires: &[Wire],
        length: Time,
    ) -> Map {
        let share = |busy: Time| if length > Time::ZERO { busy.0 as f64 / length.0 as f64 } else { 0.0 };
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
