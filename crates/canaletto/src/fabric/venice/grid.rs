//! Routers in rows and columns, their ports and links.
//!
//! As in Algorithm 1 of the Venice paper `Right` leads to a higher column, `Up` to a higher row. Links are numbered
//! along the rows, then along the columns, controllers' links last.

use crate::config::design::ControllerEdge;
use crate::engine::time::Time;
use crate::fabric::wires::{ControllerUse, Place, Wire, WireKind};
use crate::flash::address::ChipId;
use crate::typed_id;

typed_id!(RouterId);
typed_id!(LinkId);

/// A port at a router, so that a hop computes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortAt(u32);

pub const MOST_ROUTERS: usize = 1 << 16;

impl PortAt {
    pub const NONE: PortAt = PortAt(0);

    pub const fn new(router: RouterId, port: Port) -> PortAt {
        debug_assert!(router.0 < 1 << 16);
        PortAt(router.0 << 16 | (port.bit() as u32) << 8 | port as u32)
    }

    #[inline]
    pub fn without_router(self) -> u32 {
        self.0 & 0xffff
    }

    #[inline]
    pub fn with_router(port: u32, router: RouterId) -> PortAt {
        PortAt(router.0 << 16 | port)
    }

    #[inline]
    pub fn is_some(self) -> bool {
        self != PortAt::NONE
    }

    #[inline]
    pub fn router(self) -> RouterId {
        RouterId(self.0 >> 16)
    }

    #[inline]
    pub fn port(self) -> Port {
        Port::numbered(self.0 as u8)
    }

    #[inline]
    pub fn bit(self) -> u8 {
        (self.0 >> 8) as u8
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Port {
    Right,
    Left,
    Up,
    Down,
}

impl Port {
    pub const ALL: [Port; 4] = [Port::Right, Port::Left, Port::Up, Port::Down];

    #[inline]
    pub const fn numbered(number: u8) -> Port {
        match number & 0b11 {
            0 => Port::Right,
            1 => Port::Left,
            2 => Port::Up,
            _ => Port::Down,
        }
    }

    #[inline]
    pub fn opposite(self) -> Port {
        Port::numbered(self as u8 ^ 1)
    }

    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    pub link: LinkId,
    pub router: RouterId,
}

#[derive(Debug, Clone)]
pub struct Grid {
    pub rows: u32,
    pub columns: u32,
    edge: ControllerEdge,
    places: Vec<(u16, u16)>,
    neighbours: Vec<[Neighbour; 4]>,
    /// Of controllers.
    entries: Vec<PortAt>,
}

impl Grid {
    pub fn new(rows: u32, columns: u32, edge: ControllerEdge) -> Grid {
        let mut grid = Grid { rows, columns, edge, places: Vec::new(), neighbours: Vec::new(), entries: Vec::new() };
        grid.places = (0..rows * columns).map(|r| ((r / columns) as u16, (r % columns) as u16)).collect();
        grid.neighbours = (0..rows * columns).map(|r| grid.find_neighbours(r)).collect();
        grid.entries = (0..rows).map(|controller| grid.find_entry(controller)).collect();
        grid
    }

    fn find_neighbours(&self, router: u32) -> [Neighbour; 4] {
        let (row, column) = (router / self.columns, router % self.columns);
        let along_row = |column: u32| LinkId(row * (self.columns - 1) + column);
        let along_column = |row: u32| LinkId(self.along_rows() + row * self.columns + column);
        let mut all = [Neighbour { link: LinkId::NONE, router: RouterId::NONE }; 4];
        let mut lead = |port: Port, link: LinkId, to: u32| {
            all[port as usize] = Neighbour { link, router: RouterId(to) };
        };
        if column + 1 < self.columns {
            lead(Port::Right, along_row(column), router + 1);
        }
        if column > 0 {
            lead(Port::Left, along_row(column - 1), router - 1);
        }
        if row + 1 < self.rows {
            lead(Port::Up, along_column(row), router + self.columns);
        }
        if row > 0 {
            lead(Port::Down, along_column(row - 1), router - self.columns);
        }
        all
    }

    pub fn routers(&self) -> u32 {
        self.rows * self.columns
    }

    pub fn links(&self) -> u32 {
        self.along_rows() + (self.rows - 1) * self.columns
    }

    fn along_rows(&self) -> u32 {
        self.rows * (self.columns - 1)
    }

    pub fn controller_link(&self, controller: u32) -> LinkId {
        LinkId(self.links() + controller)
    }

    pub fn place(&self, router: RouterId) -> (u32, u32) {
        let (row, column) = self.places[router.index()];
        (u32::from(row), u32::from(column))
    }

    pub fn source(&self, chip: ChipId) -> u32 {
        self.rows + chip.0
    }

    /// None for a controller.
    #[inline]
    pub fn chip(&self, source: u32) -> Option<ChipId> {
        source.checked_sub(self.rows).map(ChipId)
    }

    /// A chip's port has no bit.
    #[inline]
    pub fn entry(&self, source: u32) -> PortAt {
        let of_chip = || PortAt::with_router(0, RouterId(source - self.rows));
        self.entries.get(source as usize).copied().unwrap_or_else(of_chip)
    }

    fn find_entry(&self, controller: u32) -> PortAt {
        let first = controller * self.columns;
        match self.is_east(controller) {
            true => PortAt::new(RouterId(first + self.columns - 1), Port::Right),
            false => PortAt::new(RouterId(first), Port::Left),
        }
    }

    pub fn wires<'a>(&'a self, used: impl Fn(LinkId) -> LinkUse + 'a) -> impl Iterator<Item = Wire> + 'a {
        (0..self.links() + self.rows).map(LinkId).map(move |link| {
            let LinkUse { busy, active, .. } = used(link);
            let Some(controller) = link.0.checked_sub(self.links()) else {
                let (from, to) = self.ends(link);
                let name = format!("link {},{} to {},{}", from.0, from.1, to.0, to.1);
                return Wire { name, kind: WireKind::Link, from, to, busy, active };
            };
            let (row, column) = self.place(self.entry(controller).router());
            let (from, to) = (self.controller_place(controller), (row as i32, column as i32));
            let name = format!("link of controller {controller}");
            Wire { name, kind: WireKind::ControllerLink, from, to, busy, active }
        })
    }

    pub fn controller_use(&self, controller: u32, own_link: LinkUse) -> ControllerUse {
        let (name, place) = (format!("controller {controller}"), self.controller_place(controller));
        ControllerUse { name, place, busy: own_link.busy }
    }

    fn is_east(&self, controller: u32) -> bool {
        self.edge == ControllerEdge::Alternating && controller % 2 == 1
    }

    pub fn controller_place(&self, controller: u32) -> Place {
        (controller as i32, if self.is_east(controller) { self.columns as i32 } else { -1 })
    }

    pub fn distance(&self, controller: u32, router: RouterId) -> u32 {
        let (row, column) = self.place(router);
        let at = if self.is_east(controller) { self.columns - 1 } else { 0 };
        1 + row.abs_diff(controller) + column.abs_diff(at)
    }

    pub fn link(&self, output: PortAt) -> LinkId {
        self.neighbours[output.router().index()][output.port() as usize].link
    }

    pub fn outputs(&self, link: LinkId) -> (PortAt, PortAt) {
        let router = |(row, column): Place| RouterId(row as u32 * self.columns + column as u32);
        let (from, to) = self.ends(link);
        let port = if link.0 < self.along_rows() { Port::Right } else { Port::Up };
        (PortAt::new(router(from), port), PortAt::new(router(to), port.opposite()))
    }

    pub fn link_between(&self, one: RouterId, other: RouterId) -> LinkId {
        let leads = |port| self.neighbour(one, port).filter(|&(_, next)| next == other);
        Port::ALL.into_iter().find_map(leads).expect("neighbours").0
    }

    pub fn neighbour(&self, router: RouterId, port: Port) -> Option<(LinkId, RouterId)> {
        let Neighbour { link, router } = self.neighbours[router.index()][port as usize];
        link.is_some().then_some((link, router))
    }

    pub fn ends(&self, link: LinkId) -> (Place, Place) {
        let at = |row: u32, column: u32| (row as i32, column as i32);
        if link.0 < self.along_rows() {
            let (row, column) = (link.0 / (self.columns - 1), link.0 % (self.columns - 1));
            (at(row, column), at(row, column + 1))
        } else {
            let (row, column) =
                ((link.0 - self.along_rows()) / self.columns, (link.0 - self.along_rows()) % self.columns);
            (at(row, column), at(row + 1, column))
        }
    }
}

#[derive(Clone, Copy, Default)]
pub struct LinkUse {
    pub since: Time,
    pub busy: Time,
    pub active: Time,
}

impl LinkUse {
    #[inline]
    pub fn free(&mut self, now: Time) {
        self.busy = Time(self.busy.0 + (now - self.since).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_two_ends() {
        for (rows, columns) in [(1, 1), (1, 5), (5, 1), (4, 5), (8, 8)] {
            let grid = Grid::new(rows, columns, ControllerEdge::West);
            let mut ends = vec![0; grid.links() as usize];
            for router in (0..grid.routers()).map(RouterId) {
                for port in Port::ALL {
                    if let Some((link, next)) = grid.neighbour(router, port) {
                        ends[link.index()] += 1;
                        assert_eq!(grid.neighbour(next, port.opposite()), Some((link, router)));
                        let output = PortAt::new(router, port);
                        let (there, back) = grid.outputs(link);
                        assert!(grid.link(output) == link && [there, back].contains(&output));
                        let (a, b) = grid.ends(link);
                        let here = grid.place(router);
                        assert!([a, b].contains(&(here.0 as i32, here.1 as i32)));
                    }
                }
            }
            assert!(ends.iter().all(|&n| n == 2));
        }
        assert_eq!(Grid::new(8, 8, ControllerEdge::West).links(), 112);
    }

    #[test]
    fn controllers_sit_at_their_edge() {
        let grid = Grid::new(4, 5, ControllerEdge::Alternating);
        assert_eq!((grid.entry(2).router(), grid.entry(2).port()), (RouterId(10), Port::Left));
        assert_eq!((grid.entry(3).router(), grid.entry(3).port()), (RouterId(19), Port::Right));
        assert_eq!(grid.distance(3, RouterId(19)), 1);
        assert_eq!(grid.distance(0, RouterId(19)), 1 + 3 + 4);
        assert_eq!((0..4).map(|c| grid.controller_place(c).1).collect::<Vec<_>>(), [-1, 5, -1, 5]);
    }
}
