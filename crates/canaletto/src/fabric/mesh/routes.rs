//! Where links are and which of them a packet takes.
//!
//! ```text
//!                     north
//!                       ⇅
//! controller ⇄ west ⇄ router ⇄ east ⇄ controller      links are numbered router × 8 + port, by the router they leave
//!                       ⇅    ⤡ chip                   or, from a chip or controller, enter
//!                     south
//! ```

use crate::config::design::ControllerEdge;
use crate::fabric::wires::Place;
use crate::flash::address::{ChipId, Layout};
use crate::typed_id;

typed_id!(LinkId);

pub const EAST: u32 = 0;
pub const WEST: u32 = 1;
const SOUTH: u32 = 2;
const NORTH: u32 = 3;
pub const ROUTER_PORTS: u32 = 4;
const TO_CHIP: u32 = 4;
const TO_CONTROLLER: u32 = 5;
pub const FROM_CHIP: u32 = 6;
pub const FROM_CONTROLLER: u32 = 7;
const PORTS: u32 = 8;
const EITHER_NODE: u32 = PORTS - 1 - (TO_CONTROLLER ^ TO_CHIP);
const EITHER_WAY: u32 = PORTS - 1 - (FROM_CHIP ^ TO_CHIP);

impl LinkId {
    fn at(router: u32, port: u32) -> LinkId {
        LinkId(router * PORTS + port)
    }

    pub fn router(self) -> u32 {
        self.0 / PORTS
    }

    pub fn port(self) -> u32 {
        self.0 % PORTS
    }

    pub fn is_ejection(self) -> bool {
        self.port() & EITHER_NODE == TO_CHIP
    }

    pub fn is_injection(self) -> bool {
        self.port() >= FROM_CHIP
    }

    pub fn is_of_chip(self) -> bool {
        self.port() & EITHER_WAY == TO_CHIP
    }

    pub fn opposite(self) -> LinkId {
        debug_assert!(self.is_injection());
        LinkId(self.0 - (FROM_CHIP - TO_CHIP))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    Chip(ChipId),
    Controller(u32),
}

impl Node {
    pub fn controller(self) -> Option<u32> {
        match self {
            Node::Controller(c) => Some(c),
            Node::Chip(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Route {
    port: u8,
    left: u8,
    then: u8,
    then_left: u8,
    last: u8,
}

impl Route {
    #[inline]
    pub fn take(&mut self) -> u32 {
        while self.left == 0 {
            (self.port, self.left) = (self.then, self.then_left);
            (self.then, self.then_left) = (self.last, 1);
        }
        self.left -= 1;
        u32::from(self.port)
    }

    pub fn routers(&self) -> u64 {
        u64::from(self.left) + u64::from(self.then_left) + 1
    }
}

pub struct Grid {
    rows: u32,
    columns: u32,
    controllers: ControllerEdge,
    places: Vec<(u16, u16)>,
}

impl Grid {
    pub fn new(layout: &Layout, controllers: ControllerEdge) -> Grid {
        let (rows, columns) = (layout.channels, layout.chips_per_channel);
        let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r as u16, c as u16))).collect();
        Grid { rows, columns, controllers, places }
    }

    pub fn routers(&self) -> u32 {
        self.places.len() as u32
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    pub fn place(&self, router: u32) -> (u32, u32) {
        let (row, column) = self.places[router as usize];
        (u32::from(row), u32::from(column))
    }

    fn is_east(&self, controller: u32) -> bool {
        self.controllers == ControllerEdge::Alternating && controller % 2 == 1
    }

    pub fn controller_column(&self, controller: u32) -> u32 {
        if self.is_east(controller) { self.columns - 1 } else { 0 }
    }

    pub fn controller_place(&self, controller: u32) -> Place {
        (controller as i32, if self.is_east(controller) { self.columns as i32 } else { -1 })
    }

    fn router_of(&self, node: Node) -> u32 {
        match node {
            Node::Chip(chip) => chip.0,
            Node::Controller(c) => c * self.columns + self.controller_column(c),
        }
    }

    pub fn injection(&self, node: Node) -> LinkId {
        let port = if node.controller().is_some() { FROM_CONTROLLER } else { FROM_CHIP };
        LinkId::at(self.router_of(node), port)
    }

    pub fn source(&self, injection: LinkId) -> Node {
        match injection.port() {
            FROM_CHIP => Node::Chip(ChipId(injection.router())),
            _ => Node::Controller(self.place(injection.router()).0),
        }
    }

    pub fn controller_at(&self, link: LinkId) -> Option<u32> {
        matches!(link.port(), TO_CONTROLLER | FROM_CONTROLLER).then(|| self.place(link.router()).0)
    }

    /// X, then Y.
    pub fn route(&self, source: Node, destination: Node) -> Route {
        let from = self.place(self.router_of(source));
        let to = self.place(self.router_of(destination));
        Route {
            port: (if to.1 >= from.1 { EAST } else { WEST }) as u8,
            left: to.1.abs_diff(from.1) as u8,
            then: (if to.0 >= from.0 { SOUTH } else { NORTH }) as u8,
            then_left: to.0.abs_diff(from.0) as u8,
            last: (if destination.controller().is_some() { TO_CONTROLLER } else { TO_CHIP }) as u8,
        }
    }

    /// First link of the neighbouring router less the router's own.
    pub fn strides(&self) -> [i32; ROUTER_PORTS as usize] {
        let mut strides = [0; ROUTER_PORTS as usize];
        strides[EAST as usize] = PORTS as i32;
        strides[WEST as usize] = -(PORTS as i32);
        strides[SOUTH as usize] = (PORTS * self.columns) as i32;
        strides[NORTH as usize] = -((PORTS * self.columns) as i32);
        strides
    }

    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        (0..self.routers() * PORTS).map(LinkId)
    }

    pub fn far(&self, link: LinkId) -> LinkId {
        let stride = if link.port() < ROUTER_PORTS { self.strides()[link.port() as usize] } else { 0 };
        LinkId((link.0 - link.port()).wrapping_add_signed(stride))
    }

    fn exists(&self, link: LinkId) -> bool {
        let (row, column) = self.place(link.router());
        match link.port() {
            EAST => column + 1 < self.columns,
            WEST => column > 0,
            SOUTH => row + 1 < self.rows,
            NORTH => row > 0,
            TO_CONTROLLER | FROM_CONTROLLER => column == self.controller_column(row),
            _ => true,
        }
    }

    pub fn wires(&self) -> impl Iterator<Item = LinkId> {
        self.links().filter(|&link| !link.is_of_chip() && self.exists(link))
    }

    pub fn ends(&self, link: LinkId) -> (Place, Place) {
        let (row, column) = self.place(link.router());
        let (r, c) = (row as i32, column as i32);
        match link.port() {
            EAST => ((r, c), (r, c + 1)),
            WEST => ((r, c), (r, c - 1)),
            SOUTH => ((r, c), (r + 1, c)),
            NORTH => ((r, c), (r - 1, c)),
            TO_CONTROLLER => ((r, c), self.controller_place(row)),
            _ => (self.controller_place(row), (r, c)),
        }
    }

    pub fn name(&self, link: LinkId) -> String {
        let (from, to) = self.ends(link);
        match link.port() {
            TO_CONTROLLER => format!("link to controller {}", from.0),
            FROM_CONTROLLER => format!("link from controller {}", from.0),
            _ => format!("link {},{} to {},{}", from.0, from.1, to.0, to.1),
        }
    }
}
