//! Which routers free links join.

use crate::engine::memory::zeroed;
use crate::fabric::venice::grid::{Grid, MOST_ROUTERS, Port, RouterId};

const MOST_ON_BOARD: u32 = 64;

/// By router, as sets. In an array as long as a port can name routers: no hop checks bounds, and the rest takes no
/// memory.
pub type Free = Box<[u8; MOST_ROUTERS]>;

pub struct Reach {
    columns: u32,
    flood: Flood,
}

struct Board {
    columns: u32,
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
        let flood = Flood { seen: vec![0; grid.routers() as usize], ..Flood::default() };
        Reach { columns: grid.columns, flood }
    }

    pub fn all_free(grid: &Grid) -> Free {
        let leads = |r: u32, port: &Port| grid.neighbour(RouterId(r), *port).is_some();
        let ports = |r| Port::ALL.into_iter().filter(|port| leads(r, port)).fold(0, |set, port| set | port.bit());
        let mut free = zeroed(MOST_ROUTERS).into_boxed_slice();
        (0..grid.routers()).zip(&mut free).for_each(|(router, free)| *free = ports(router));
        free.try_into().expect("as many routers as a port can name")
    }

    /// Searched from both ends at once: what is cut off is usually a few routers.
    pub fn is_connected(&mut self, from: RouterId, to: RouterId, grid: &Grid, free: &Free) -> bool {
        match from == to {
            true => true,
            // It is often one of both alone that is cut off.
            false if free[from.index()] == 0 || free[to.index()] == 0 => false,
            false if grid.routers() <= MOST_ON_BOARD => Board::new(free, self.columns).is_connected(from, to),
            false => self.flood.is_connected(from, to, grid, |at| free[at.index()]),
        }
    }
}

const IN_A_WORD: usize = 8;

/// Of the bytes of a word: the product brings each to its place in the highest byte.
fn lowest_bits(word: u64) -> u64 {
    (word & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

impl Board {
    fn new(free: &Free, columns: u32) -> Board {
        let mut links = [0; 2];
        for (place, word) in free[..MOST_ON_BOARD as usize].chunks_exact(IN_A_WORD).enumerate() {
            let word = u64::from_le_bytes(word.try_into().expect("a word"));
            links[0] |= lowest_bits(word >> Port::Right as u8) << (place * IN_A_WORD);
            links[1] |= lowest_bits(word >> Port::Up as u8) << (place * IN_A_WORD);
        }
        Board { columns, links }
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
        #[test]
        fn board_and_flood_agree(
            rows in 1u32..9,
            columns in 1u32..9,
            changes in prop::collection::vec((0u32..64, 0usize..4, prop::bool::weighted(0.2)), 0..150),
        ) {
            let grid = Grid::new(rows, columns, ControllerEdge::default());
            let mut reach = Reach::new(&grid);
            let mut free = Reach::all_free(&grid);
            for (router, port, is_free) in changes {
                let (at, port) = (RouterId(router % grid.routers()), Port::ALL[port]);
                let Some((_, next)) = grid.neighbour(at, port) else { continue };
                if (free[at.index()] & port.bit() != 0) == is_free {
                    continue;
                }
                for (end, port) in [(at, port), (next, port.opposite())] {
                    let set = &mut free[end.index()];
                    *set = if is_free { *set | port.bit() } else { *set & !port.bit() };
                }
            }
            for (from, to) in (0..grid.routers()).flat_map(|from| (0..grid.routers()).map(move |to| (from, to))) {
                let (from, to) = (RouterId(from), RouterId(to));
                let found = reach.is_connected(from, to, &grid, &free);
                let flooded = from == to || reach.flood.is_connected(from, to, &grid, |r| free[r.index()]);
                prop_assert_eq!(found, flooded, "{:?} to {:?}", from, to);
            }
        }
    }
}
