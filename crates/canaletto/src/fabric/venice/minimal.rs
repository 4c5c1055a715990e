//! Ports on a shortest way: cases 1 to 9 of Algorithm 1 (Venice §4.3), as a table.

use std::cmp::Ordering;

use crate::engine::memory::zeroed;
use crate::fabric::venice::grid::{MOST_ROUTERS, Port};

/// Covers all distances of columns and rows, in an array as long as any network needs: no hop checks bounds, and the
/// rest takes no memory.
pub struct MinimalPorts {
    ports: Box<Table>,
    width: u32,
    here: u32,
}

pub type Table = [u8; PLACES];

/// More than (2 × rows − 1) × (2 × columns − 1).
const PLACES: usize = 4 * MOST_ROUTERS;

impl MinimalPorts {
    pub fn new(rows: u32, columns: u32) -> MinimalPorts {
        let along = |apart: u32, none: u32, forward: Port, backward: Port| match apart.cmp(&none) {
            Ordering::Greater => forward.bit(),
            Ordering::Less => backward.bit(),
            Ordering::Equal => 0,
        };
        let (height, width) = (2 * rows - 1, 2 * columns - 1);
        let ports = (0..height * width).map(|place| {
            let (up, right) = (place / width, place % width);
            along(right, columns - 1, Port::Right, Port::Left) | along(up, rows - 1, Port::Up, Port::Down)
        });
        let mut table = zeroed(PLACES).into_boxed_slice();
        table.iter_mut().zip(ports).for_each(|(place, ports)| *place = ports);
        let ports = table.try_into().expect("a table of all places");
        MinimalPorts { ports, width, here: (rows - 1) * width + columns - 1 }
    }

    pub fn place(&self, (row, column): (u32, u32)) -> u32 {
        row * self.width + column
    }

    pub fn destination(&self, router: (u32, u32)) -> u32 {
        self.place(router) + self.here
    }

    pub fn table(&self) -> &Table {
        &self.ports
    }
}

#[inline]
pub fn between(table: &Table, place: u32, destination: u32) -> u8 {
    table[(destination - place) as usize % PLACES]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::ControllerEdge;
    use crate::fabric::venice::grid::{Grid, RouterId};

    #[test]
    fn minimal_ports_lead_nearer() {
        for (rows, columns) in [(1, 1), (1, 5), (5, 1), (4, 5), (8, 8)] {
            let (grid, minimal) = (Grid::new(rows, columns, ControllerEdge::West), MinimalPorts::new(rows, columns));
            let routers = || (0..grid.routers()).map(RouterId);
            for (at, to) in routers().flat_map(|at| routers().map(move |to| (at, to))) {
                let apart = |at: RouterId| {
                    let ((row, column), (to_row, to_column)) = (grid.place(at), grid.place(to));
                    row.abs_diff(to_row) + column.abs_diff(to_column)
                };
                let ports =
                    between(minimal.table(), minimal.place(grid.place(at)), minimal.destination(grid.place(to)));
                for port in Port::ALL {
                    let nearer = grid.neighbour(at, port).is_some_and(|(_, next)| apart(next) < apart(at));
                    assert_eq!(ports & port.bit() != 0, nearer, "{at:?} to {to:?} by {port:?}");
                }
            }
        }
    }
}
