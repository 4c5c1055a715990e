//! Which routers free links join: what a search by scouts, one after the other, would find out.

use crate::fabric::venice::grid::{Grid, Port, RouterId};

const MOST_ON_BOARD: u32 = 64;

pub struct Reach {
    board: Board,
    flood: Flood,
}

struct Board {
    columns: u32,
    fits: bool,
    links: [u64; 2],
}

#[derive(Default)]
struct Flood {
    seen: Vec<u64>,
    search: u64,
    sides: [Vec<RouterId>; 2],
}

impl Reach {
    pub fn new(grid: &Grid) -> Reach {
        Reach { board: Board::new(grid), flood: Flood { seen: vec![0; grid.routers() as usize], ..Flood::default() } }
    }

    /// `first` is the router at the link's west or lower end.
    #[inline]
    pub fn toggle(&mut self, first: RouterId, port: Port) {
        self.board.toggle(first, port);
    }

    /// Whether free links lead from one router to another; `free` gives a router's ports with a free link. Searched
    /// from both ends: what is cut off is usually a few routers around one of them.
    pub fn is_connected(&mut self, from: RouterId, to: RouterId, grid: &Grid, free: impl Fn(RouterId) -> u8) -> bool {
        match from == to {
            true => true,
            false if self.board.fits => self.board.is_connected(from, to),
            false => self.flood.is_connected(from, to, grid, free),
        }
    }
}

impl Board {
    fn new(grid: &Grid) -> Board {
        let leads = |port: Port| {
            let routers = (0..grid.routers()).filter(|&r| grid.neighbour(RouterId(r), port).is_some());
            routers.fold(0, |all, r| all | Board::bit(RouterId(r)))
        };
        let links = [leads(Port::Right), leads(Port::Up)];
        Board { columns: grid.columns, fits: grid.routers() <= MOST_ON_BOARD, links }
    }

    fn bit(router: RouterId) -> u64 {
        1u64.wrapping_shl(router.0)
    }

    #[inline]
    fn toggle(&mut self, first: RouterId, port: Port) {
        self.links[port.axis()] ^= Board::bit(first);
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

    fn step(&self, set: u64) -> u64 {
        let ([rows, columns], shift) = (self.links, self.columns % u64::BITS);
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
        /// Both searches agree.
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
                if (free[at.index()] & port.bit() != 0) == is_free {
                    continue;
                }
                reach.toggle(at.min(next), port);
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
