//! Which routers free links join: what a search by scouts, one after the other, would find out.

use crate::fabric::venice::grid::{Grid, Port, RouterId};

/// Routers whose links fit the bits of a word, a bit each.
const MOST_ON_BOARD: u32 = 64;

/// Free links, and the memory of a search among them.
pub struct Reach {
    board: Option<Board>,
    flood: Flood,
}

/// The free links of a small network, so that a step of the search goes from all routers at once. Going from router to router
/// took half of the time of a saturated network.
struct Board {
    columns: u32,
    /// Bit r: router r to the next one of its row.
    along_rows: u64,
    /// Bit r: router r to the next one of its column.
    along_columns: u64,
}

/// A search from router to router.
#[derive(Default)]
struct Flood {
    /// For each router the number of the search that last came to it, from either side.
    seen: Vec<u64>,
    search: u64,
    sides: [Vec<RouterId>; 2],
}

impl Reach {
    /// All links are free.
    pub fn new(grid: &Grid) -> Reach {
        let board = (grid.routers() <= MOST_ON_BOARD).then(|| Board::new(grid));
        Reach { board, flood: Flood { seen: vec![0; grid.routers() as usize], ..Flood::default() } }
    }

    /// The link at a router's port is free from now on, or taken.
    pub fn set(&mut self, at: RouterId, port: Port, is_free: bool) {
        if let Some(board) = &mut self.board {
            board.set(at, port, is_free);
        }
    }

    /// Whether free links lead from one router to another; `free` tells a router's ports that have one, as a set. Searched from
    /// both ends at once: what is cut off is usually a few routers around one of them.
    pub fn is_connected(&mut self, from: RouterId, to: RouterId, grid: &Grid, free: impl Fn(RouterId) -> u8) -> bool {
        match &self.board {
            _ if from == to => true,
            Some(board) => board.is_connected(from, to),
            None => self.flood.is_connected(from, to, grid, free),
        }
    }
}

impl Board {
    fn new(grid: &Grid) -> Board {
        let leads = |port| {
            let routers = (0..grid.routers()).filter(|&r| grid.neighbour(RouterId(r), port).is_some());
            routers.fold(0, |all, r| all | 1 << r)
        };
        Board { columns: grid.columns, along_rows: leads(Port::Right), along_columns: leads(Port::Up) }
    }

    fn set(&mut self, at: RouterId, port: Port, is_free: bool) {
        let (links, first) = match port {
            Port::Right => (&mut self.along_rows, at.0),
            Port::Left => (&mut self.along_rows, at.0 - 1),
            Port::Up => (&mut self.along_columns, at.0),
            Port::Down => (&mut self.along_columns, at.0 - self.columns),
        };
        *links = if is_free { *links | 1 << first } else { *links & !(1 << first) };
    }

    fn is_connected(&self, from: RouterId, to: RouterId) -> bool {
        let (mut near, mut far) = (1 << from.0, 1 << to.0);
        loop {
            let (nearer, farther) = (self.step(near), self.step(far));
            if nearer & farther != 0 {
                return true;
            }
            if nearer == near || farther == far {
                return false;
            }
            (near, far) = (nearer, farther);
        }
    }

    /// A set of routers, and all that a free link joins to one of it.
    fn step(&self, set: u64) -> u64 {
        let (rows, columns, shift) = (self.along_rows, self.along_columns, self.columns % u64::BITS);
        set | (set & rows) << 1 | set >> 1 & rows | (set & columns) << shift | set >> shift & columns
    }
}

impl Flood {
    fn is_connected(&mut self, from: RouterId, to: RouterId, grid: &Grid, free: impl Fn(RouterId) -> u8) -> bool {
        let Flood { seen, search, sides } = self;
        *search += 2;
        for (side, start) in [from, to].into_iter().enumerate() {
            seen[start.index()] = *search + side as u64;
            sides[side].clear();
            sides[side].push(start);
        }
        let [near, far] = sides;
        loop {
            for (side, open) in [&mut *near, &mut *far].into_iter().enumerate() {
                let Some(at) = open.pop() else { return false };
                let free = free(at);
                for port in Port::ALL.into_iter().filter(|port| free & port.bit() != 0) {
                    let Some((_, next)) = grid.neighbour(at, port) else { continue };
                    let mark = &mut seen[next.index()];
                    if *mark == *search + side as u64 {
                        continue;
                    }
                    if *mark == *search + 1 - side as u64 {
                        return true;
                    }
                    *mark = *search + side as u64;
                    open.push(next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::ControllerEdge;
    use proptest::prelude::*;

    proptest! {
        /// Both ways of searching say the same, whatever is taken, also once it is free again.
        #[test]
        fn board_and_flood_agree(
            rows in 1u32..9,
            columns in 1u32..9,
            changes in prop::collection::vec((0u32..64, 0usize..4, prop::bool::weighted(0.2)), 0..150),
        ) {
            let grid = Grid::new(rows, columns, ControllerEdge::default());
            let mut reach = Reach::new(&grid);
            let leads = |r, p: &Port| grid.neighbour(RouterId(r), *p).is_some();
            let ports = |r| Port::ALL.into_iter().filter(move |p| leads(r, p)).fold(0, |set, p| set | p.bit());
            let mut free: Vec<u8> = (0..grid.routers()).map(ports).collect();
            for (router, port, is_free) in changes {
                let (at, port) = (RouterId(router % grid.routers()), Port::ALL[port]);
                let Some((_, next)) = grid.neighbour(at, port) else { continue };
                reach.set(at, port, is_free);
                for (end, port) in [(at, port), (next, port.opposite())] {
                    let set = &mut free[end.index()];
                    *set = if is_free { *set | port.bit() } else { *set & !port.bit() };
                }
            }
            for (from, to) in (0..grid.routers()).flat_map(|from| (0..grid.routers()).map(move |to| (from, to))) {
                let (from, to) = (RouterId(from), RouterId(to));
                let found = reach.is_connected(from, to, &grid, |r| free[r.index()]);
                let flooded = from == to || reach.flood.is_connected(from, to, &grid, |r| free[r.index()]);
                prop_assert_eq!(found, flooded, "{:?} to {:?}", from, to);
            }
        }
    }
}
