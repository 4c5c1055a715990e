//! Circuits of a mesh along the row, then along the column, from the nearest free controller (`fabric.custom.route = "x-then-y"`).
//!
//! ```text
//! controller 0 ──●──●──●      a transfer of chip C takes the nearest controller whose own link is free, here 1,
//! controller 1 ══●══●══●      and the one way along that controller's row and the chip's column;
//! controller 2 ──●──●──C      if another circuit has a link of it, the transfer waits
//! ```
//! Dimension-order routing of NoSSD (Venice §3.2) with circuits instead of buffered packets.

use crate::config::own::fabric::{Grants, Plan, View};
use crate::fabric::wires::Place;
use crate::flash::address::Layout;

pub struct XThenY {
    columns: u32,
    own: Vec<(u32, u32)>,
    /// To the next chip of its row, and of its column.
    east: Vec<u32>,
    south: Vec<u32>,
    taken: Vec<bool>,
}

impl XThenY {
    pub fn new(links: &[Vec<Place>], layout: &Layout, controllers: &[Place]) -> XThenY {
        let (rows, columns) = (layout.channels as i32, layout.chips_per_channel as i32);
        let link = |a: Place, b: Place| {
            links.iter().position(|ends| ends.contains(&a) && ends.contains(&b)).map_or(u32::MAX, |link| link as u32)
        };
        let chips = || (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        let entry = |&(row, column): &Place| {
            let enters = column.clamp(0, columns - 1);
            (link((row, column), (row, enters)), enters as u32)
        };
        XThenY {
            columns: columns as u32,
            own: controllers.iter().map(entry).collect(),
            east: chips().map(|(row, column)| link((row, column), (row, column + 1))).collect(),
            south: chips().map(|(row, column)| link((row, column), (row + 1, column))).collect(),
            taken: Vec::new(),
        }
    }

    fn nearest_free(&self, chip: u32, taken: &[bool]) -> Option<u32> {
        let (row, column) = (chip / self.columns, chip % self.columns);
        let hops = |&controller: &u32| controller.abs_diff(row) + self.own[controller as usize].1.abs_diff(column);
        let is_free = |&controller: &u32| !taken[self.own[controller as usize].0 as usize];
        (0..self.own.len() as u32).filter(is_free).min_by_key(hops)
    }

    fn way(&self, controller: u32, chip: u32) -> impl Iterator<Item = u32> + '_ {
        let (row, column) = (chip / self.columns, chip % self.columns);
        let (own, enters) = self.own[controller as usize];
        let across = steps(enters, column).map(move |at| self.east[(controller * self.columns + at) as usize]);
        let along = steps(controller, row).map(move |at| self.south[(at * self.columns + column) as usize]);
        std::iter::once(own).chain(across).chain(along)
    }
}

impl Plan for XThenY {
    fn decide(&mut self, view: &View<'_>, grants: &mut Grants) -> Result<(), String> {
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        taken.extend_from_slice(view.taken);
        for asked in view.waiting {
            let chip = asked.transfer.chip.0;
            let Some(controller) = self.nearest_free(chip, &taken) else { break };
            let way = || self.way(controller, chip);
            if way().all(|link| !taken[link as usize]) {
                way().for_each(|link| taken[link as usize] = true);
                grants.grant(asked.path, way());
            }
        }
        self.taken = taken;
        Ok(())
    }
}

fn steps(from: u32, to: u32) -> impl Iterator<Item = u32> {
    let (low, gaps) = (from.min(to), from.abs_diff(to));
    (0..gaps).map(move |gap| if from < to { low + gap } else { low + gaps - 1 - gap })
}
