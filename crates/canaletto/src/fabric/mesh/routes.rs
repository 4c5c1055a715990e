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

typed_id!(
    /// A directed link.
    LinkId
);

/// East of the router. Ports to the neighbouring routers come first.
pub const EAST: u32 = 0;
/// West of the router.
pub const WEST: u32 = 1;
const SOUTH: u32 = 2;
const NORTH: u32 = 3;
/// How many of them there are.
pub const ROUTER_PORTS: u32 = 4;
// Out of the network, where everything is taken at once.
const TO_CHIP: u32 = 4;
const TO_CONTROLLER: u32 = 5;
/// Into the network, from a chip.
pub const FROM_CHIP: u32 = 6;
/// From a controller.
pub const FROM_CONTROLLER: u32 = 7;
const PORTS: u32 = 8;
/// One bit tells a controller's port from a chip's, another in from out.
const EITHER_NODE: u32 = PORTS - 1 - (TO_CONTROLLER ^ TO_CHIP);
const EITHER_WAY: u32 = PORTS - 1 - (FROM_CHIP ^ TO_CHIP);

impl LinkId {
    fn at(router: u32, port: u32) -> LinkId {
        LinkId(router * PORTS + port)
    }

    /// The router at the near end; of a link into the network, the one at its far end.
    pub fn router(self) -> u32 {
        self.0 / PORTS
    }

    /// Its port there.
    pub fn port(self) -> u32 {
        self.0 % PORTS
    }

    /// Whether it leads out of the network.
    pub fn is_ejection(self) -> bool {
        self.port() & EITHER_NODE == TO_CHIP
    }

    /// Whether it leads into the network.
    pub fn is_injection(self) -> bool {
        self.port() >= FROM_CHIP
    }

    /// Whether a chip is at one end.
    pub fn is_of_chip(self) -> bool {
        self.port() & EITHER_WAY == TO_CHIP
    }

    /// The link out of the network to the node from which this one leads into it.
    pub fn opposite(self) -> LinkId {
        debug_assert!(self.is_injection());
        LinkId(self.0 - (FROM_CHIP - TO_CHIP))
    }
}

/// Who sends and receives packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A chip, at the router of the same number.
    Chip(ChipId),
    /// A controller, counted by rows.
    Controller(u32),
}

impl Node {
    /// The controller, if it is one.
    pub fn controller(self) -> Option<u32> {
        match self {
            Node::Controller(c) => Some(c),
            Node::Chip(_) => None,
        }
    }
}

/// Rest of a packet's way: that many hops along the row, that many along the column, then out.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Where it goes now, and how many more times.
    port: u8,
    left: u8,
    /// Where it goes then, and how many times.
    then: u8,
    then_left: u8,
    last: u8,
}

impl Route {
    /// Takes the next link: its port.
    #[inline]
    pub fn take(&mut self) -> u32 {
        while self.left == 0 {
            (self.port, self.left) = (self.then, self.then_left);
            (self.then, self.then_left) = (self.last, 1);
        }
        self.left -= 1;
        u32::from(self.port)
    }

    /// How often a head waits for a router on the whole way.
    pub fn routers(&self) -> u64 {
        u64::from(self.left) + u64::from(self.then_left) + 1
    }
}

/// The array and what surrounds it.
pub struct Grid {
    rows: u32,
    columns: u32,
    controllers: ControllerEdge,
    /// Row and column of each router.
    places: Vec<(u16, u16)>,
}

impl Grid {
    /// A router at each chip of the array, a controller at an end of each row.
    pub fn new(layout: &Layout, controllers: ControllerEdge) -> Grid {
        let (rows, columns) = (layout.channels, layout.chips_per_channel);
        let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r as u16, c as u16))).collect();
        Grid { rows, columns, controllers, places }
    }

    /// How many routers there are.
    pub fn routers(&self) -> u32 {
        self.places.len() as u32
    }

    /// How many rows, and controllers, there are.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Row and column of a router.
    pub fn place(&self, router: u32) -> (u32, u32) {
        let (row, column) = self.places[router as usize];
        (u32::from(row), u32::from(column))
    }

    fn is_east(&self, controller: u32) -> bool {
        self.controllers == ControllerEdge::Alternating && controller % 2 == 1
    }

    /// Column of the router of a controller.
    pub fn controller_column(&self, controller: u32) -> u32 {
        if self.is_east(controller) { self.columns - 1 } else { 0 }
    }

    /// Where a controller sits.
    pub fn controller_place(&self, controller: u32) -> Place {
        (controller as i32, if self.is_east(controller) { self.columns as i32 } else { -1 })
    }

    fn router_of(&self, node: Node) -> u32 {
        match node {
            Node::Chip(chip) => chip.0,
            Node::Controller(c) => c * self.columns + self.controller_column(c),
        }
    }

    /// The link from a node into the network.
    pub fn injection(&self, node: Node) -> LinkId {
        let port = if node.controller().is_some() { FROM_CONTROLLER } else { FROM_CHIP };
        LinkId::at(self.router_of(node), port)
    }

    /// The node from which a link leads into the network.
    pub fn source(&self, injection: LinkId) -> Node {
        match injection.port() {
            FROM_CHIP => Node::Chip(ChipId(injection.router())),
            _ => Node::Controller(self.place(injection.router()).0),
        }
    }

    /// The controller at one end of a link.
    pub fn controller_at(&self, link: LinkId) -> Option<u32> {
        matches!(link.port(), TO_CONTROLLER | FROM_CONTROLLER).then(|| self.place(link.router()).0)
    }

    /// The way from node to node: along the row first (X), then along the column (Y).
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

    /// For each port, the number of the first link of the router at its far end, less that of the router's own first link.
    pub fn strides(&self) -> [i32; ROUTER_PORTS as usize] {
        let mut strides = [0; ROUTER_PORTS as usize];
        strides[EAST as usize] = PORTS as i32;
        strides[WEST as usize] = -(PORTS as i32);
        strides[SOUTH as usize] = (PORTS * self.columns) as i32;
        strides[NORTH as usize] = -((PORTS * self.columns) as i32);
        strides
    }

    /// All numbers of links; those at the edges do not all stand for one.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        (0..self.routers() * PORTS).map(LinkId)
    }

    /// The first link of the router at the far end of a link, if there is one.
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

    /// The links that are wires between packages, router by router: a chip and its router are one.
    pub fn wires(&self) -> impl Iterator<Item = LinkId> {
        self.links().filter(|&link| !link.is_of_chip() && self.exists(link))
    }

    /// Where a wire starts and ends.
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

    /// A wire's name.
    pub fn name(&self, link: LinkId) -> String {
        let (from, to) = self.ends(link);
        match link.port() {
            TO_CONTROLLER => format!("link to controller {}", from.0),
            FROM_CONTROLLER => format!("link from controller {}", from.0),
            _ => format!("link {},{} to {},{}", from.0, from.1, to.0, to.1),
        }
    }
}
