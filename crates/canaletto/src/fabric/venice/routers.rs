//! The routers: reservation tables (Venice §4.2, Fig. 7) and Algorithm 1 (§4.3).

#[cfg(test)]
use crate::fabric::venice::grid::LinkId;
use crate::fabric::venice::grid::{Grid, Port, RouterId};
use crate::fabric::venice::reach::Reach;
use crate::fabric::venice::scout::ScoutPacket;

/// Where a router sends something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// On to a neighbour.
    To(Port),
    /// To its chip.
    Ejection,
}

/// A row of a reservation table: two ports connected, both ways, for a packet. A port serves one packet at a time, so that
/// a row is found by its exit.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The valid bit.
    valid: bool,
    /// Where the packet came in.
    entry: Port,
    /// The packet's number, that is its controller's.
    packet: u16,
}

/// Place of the ejection port's row, after those of the four ports.
const EJECTION: usize = 4;

/// One router.
#[derive(Clone, Copy)]
struct Router {
    /// Its ports whose links lead somewhere and are not reserved.
    free: u8,
    /// State of the 2-bit linear-feedback shift register, never 0.
    register: u8,
    table: [Row; EJECTION + 1],
}

/// All routers with the links between them.
///
/// Tables and links are those of the hardware; nothing here knows more than it does, [`Routers::is_connected`] apart.
pub struct Routers {
    grid: Grid,
    routers: Vec<Router>,
    /// For each controller and router: the number of the last scout that went on from there, and in the lowest four bits
    /// the outputs it took. Plain numbers, so that what no scout touches takes no memory.
    tried: Vec<u64>,
    /// Number of each controller's present scout.
    scouts: Vec<u64>,
    reach: Reach,
}

impl Routers {
    /// A network without reservations.
    pub fn new(grid: Grid) -> Routers {
        let none = Row { valid: false, entry: Port::Left, packet: 0 };
        let router = |id: u32| {
            let leads = |port: &Port| grid.neighbour(RouterId(id), *port).is_some();
            let free = Port::ALL.into_iter().filter(leads).fold(0, |free, port| free | port.bit());
            Router { free, register: (id % 3) as u8 + 1, table: [none; EJECTION + 1] }
        };
        Routers {
            routers: (0..grid.routers()).map(router).collect(),
            tried: vec![0; grid.rows as usize * grid.routers() as usize],
            scouts: vec![0; grid.rows as usize],
            reach: Reach::new(&grid),
            grid,
        }
    }

    /// Whether the link at a router's port is reserved, or leads nowhere.
    pub fn is_taken(&self, at: RouterId, port: Port) -> bool {
        self.routers[at.index()].free & port.bit() == 0
    }

    /// The shape.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Whether free links lead from one router to another, so that a scout on its own would find a way.
    pub fn is_connected(&mut self, from: RouterId, to: RouterId) -> bool {
        self.reach.is_connected(from, to, &self.grid, |at| self.routers[at.index()].free)
    }

    /// The link at a router's port is free from now on, or taken.
    fn set_free(&mut self, at: RouterId, port: Port, is_free: bool) {
        let next = self.grid.beyond(at, port).router;
        for (end, port) in [(at, port), (next, port.opposite())] {
            let free = &mut self.routers[end.index()].free;
            *free = if is_free { *free | port.bit() } else { *free & !port.bit() };
        }
        self.reach.set(at, port, is_free);
    }

    /// A controller sends a new scout, which has tried nothing yet.
    pub fn new_scout(&mut self, controller: u32) {
        self.scouts[controller as usize] += 1;
    }

    /// Algorithm 1 at a router, for a scout that came in by `input` in reserve mode: the exit it takes, which is reserved
    /// and written into the table; none if it has to go back.
    pub fn find_output(&mut self, scout: &ScoutPacket, at: RouterId, input: Port) -> Option<Exit> {
        let minimal = self.minimal_outputs(scout.destination, at);
        if minimal == 0 {
            self.routers[at.index()].table[EJECTION] = Row::of(scout, input);
            return Some(Exit::Ejection);
        }
        let place = scout.controller as usize * self.routers.len() + at.index();
        let number = self.scouts[scout.controller as usize];
        // Outputs the scout has taken here before: each may be reserved only once, which bounds its way (§4.3, livelock).
        let tried = if self.tried[place] >> 4 == number { self.tried[place] as u8 & 0b1111 } else { 0 };
        let router = &mut self.routers[at.index()];
        let free = router.free & !tried;
        let outputs = if free & minimal != 0 { free & minimal } else { free & !input.bit() };
        let port = router.choose(outputs)?;
        router.table[port as usize] = Row::of(scout, input);
        self.tried[place] = number << 4 | u64::from(tried | port.bit());
        self.set_free(at, port, false);
        Some(Exit::To(port))
    }

    /// The outputs on a shortest way, as a set; empty at the destination. Cases 1 to 9 of the algorithm.
    fn minimal_outputs(&self, destination: RouterId, at: RouterId) -> u8 {
        let ((row, column), (to_row, to_column)) = (self.grid.place(at), self.grid.place(destination));
        let along = |from: u32, to: u32, forward: Port, backward: Port| match to.cmp(&from) {
            std::cmp::Ordering::Greater => forward.bit(),
            std::cmp::Ordering::Less => backward.bit(),
            std::cmp::Ordering::Equal => 0,
        };
        along(column, to_column, Port::Right, Port::Left) | along(row, to_row, Port::Up, Port::Down)
    }

    /// A scout in cancel mode (or the end of a transfer) comes back over `exit`: the row is cleared and its link free.
    /// Returns the port the packet had come in by.
    ///
    /// # Panics
    /// If there is no such reservation.
    pub fn cancel(&mut self, packet: u32, at: RouterId, exit: Exit) -> Port {
        let row = &mut self.routers[at.index()].table[exit.row()];
        assert!(row.valid && u32::from(row.packet) == packet, "a packet gives up only what it reserved");
        row.valid = false;
        let entry = row.entry;
        if let Exit::To(port) = exit {
            self.set_free(at, port, true);
        }
        entry
    }

    /// Where a packet that comes in by `entry` goes on.
    pub fn exit(&self, packet: u32, at: RouterId, entry: Port) -> Option<Exit> {
        let exits = Port::ALL.into_iter().map(Exit::To).chain([Exit::Ejection]);
        exits.into_iter().find(|exit| {
            let row = &self.routers[at.index()].table[exit.row()];
            row.valid && u32::from(row.packet) == packet && row.entry == entry
        })
    }

    /// Whether nothing is reserved anywhere.
    pub fn is_idle(&self) -> bool {
        self.routers.iter().all(|router| router.table.iter().all(|row| !row.valid)) && self.reserved() == 0
    }

    /// Links reserved.
    pub fn reserved(&self) -> u32 {
        let free: u32 = self.routers.iter().map(|router| router.free.count_ones()).sum();
        self.grid.links() - free / 2
    }

    /// Reserves a circuit by hand, for tests: from a controller over the given routers.
    #[cfg(test)]
    pub fn hold(&mut self, packet: u32, routers: &[u32]) {
        let (_, mut entry) = self.grid.entry(packet);
        let row = |entry: Port| Row { valid: true, entry, packet: packet as u16 };
        for pair in routers.windows(2) {
            let at = RouterId(pair[0]);
            let leads = |&port: &Port| self.grid.neighbour(at, port).is_some_and(|(_, next)| next.0 == pair[1]);
            let port = Port::ALL.into_iter().find(leads).expect("neighbours");
            assert!(!self.is_taken(at, port));
            self.routers[at.index()].table[port as usize] = row(entry);
            self.set_free(at, port, false);
            entry = port.opposite();
        }
        let last = *routers.last().expect("a router");
        self.routers[last as usize].table[EJECTION] = row(entry);
    }

    /// Marks a link as reserved by nobody in particular, for tests.
    #[cfg(test)]
    pub fn block(&mut self, link: LinkId) {
        for at in (0..self.grid.routers()).map(RouterId) {
            for port in Port::ALL {
                if self.grid.neighbour(at, port).is_some_and(|(l, _)| l == link) {
                    self.set_free(at, port, false);
                }
            }
        }
    }
}

impl Exit {
    /// Its row in a table.
    fn row(self) -> usize {
        match self {
            Exit::To(port) => port as usize,
            Exit::Ejection => EJECTION,
        }
    }
}

impl Row {
    fn of(scout: &ScoutPacket, entry: Port) -> Row {
        Row { valid: true, entry, packet: scout.controller as u16 }
    }
}

impl Router {
    /// One of a set of outputs: the only one, or by the 2-bit LFSR (x² + x + 1), whose states are 1, 2 and 3; of two, one is
    /// then twice as likely as the other, as in the hardware described. None if there is none.
    fn choose(&mut self, outputs: u8) -> Option<Port> {
        let second = outputs & outputs.wrapping_sub(1);
        if second == 0 {
            return Port::of(outputs);
        }
        self.register = (self.register << 1 | (self.register >> 1 ^ self.register) & 1) & 0b11;
        let third = second & (second - 1);
        Port::of(match (self.register, third) {
            (1, _) | (3, 0) => outputs,
            (2, _) => second,
            _ => third,
        })
    }
}
