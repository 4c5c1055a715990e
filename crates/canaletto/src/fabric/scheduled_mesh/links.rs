//! Links as the arbiter sees them, and the shortest way over free ones.
//!
//! ```text
//! c0 ─ 1 ─ 2 ─ 3      a wave goes out from all free controllers at once, a free link a step (Lee, "An Algorithm for Path
//!      │   │   x      Connections and Its Applications", IRE Trans. Electronic Computers, 1961); each router keeps the step
//! c1 x 2 ─ 3 ─ 4      that reached it. A way is traced back from the chip, each time to a router of the step before.
//! ```
//! A minimal way is found before any detour, and a detour is as short as possible. Of several routers of the step
//! before, one in the same column is taken first: the way then goes along the row of its controller. It hardly matters
//! (docs/explanation/decisions.md).

use std::cell::RefCell;

use crate::engine::time::Time;
use crate::fabric::venice::grid::LinkUse;
use crate::fabric::venice::grid::{Grid, LinkId, Port, RouterId};

const BACK: [Port; 4] = [Port::Down, Port::Up, Port::Left, Port::Right];

const FAR: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Controllers,
    Chip(RouterId),
}

/// From its far end to its source.
#[derive(Debug, Default)]
pub struct Way {
    pub links: Vec<LinkId>,
    /// Each run in one row has one grant.
    pub rows: Vec<u32>,
}

#[derive(Default)]
struct Wave {
    source: Option<Source>,
    steps: Vec<u32>,
    reached: Vec<RouterId>,
}

/// Controllers' links last.
pub struct Links {
    grid: Grid,
    free: Vec<u8>,
    free_controllers: Vec<bool>,
    uses: Vec<LinkUse>,
    /// Behind a cell because questions about a chip change nothing.
    wave: RefCell<Wave>,
}

impl Links {
    pub fn new(grid: Grid) -> Links {
        let ports = |router| {
            let leads = |port: &Port| grid.neighbour(RouterId(router), *port).is_some();
            Port::ALL.into_iter().filter(leads).fold(0, |set, port| set | port.bit())
        };
        Links {
            free: (0..grid.routers()).map(ports).collect(),
            free_controllers: vec![true; grid.rows as usize],
            uses: vec![LinkUse::default(); (grid.links() + grid.rows) as usize],
            wave: RefCell::default(),
            grid,
        }
    }

    pub fn distance(&self, source: Source, to: RouterId) -> Option<u32> {
        let mut wave = self.wave.borrow_mut();
        if wave.source != Some(source) {
            self.spread(&mut wave, source);
        }
        Some(wave.steps[to.index()]).filter(|&steps| steps != FAR)
    }

    fn spread(&self, wave: &mut Wave, source: Source) {
        let Wave { steps, reached, .. } = wave;
        steps.clear();
        steps.resize(self.grid.routers() as usize, FAR);
        reached.clear();
        match source {
            Source::Chip(router) => {
                steps[router.index()] = 0;
                reached.push(router);
            }
            Source::Controllers => {
                for controller in (0..self.grid.rows).filter(|&c| self.free_controllers[c as usize]) {
                    let router = self.grid.entry(controller).router();
                    steps[router.index()] = 1;
                    reached.push(router);
                }
            }
        }
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for port in BACK.into_iter().filter(|port| self.free[at.index()] & port.bit() != 0) {
                let Some((_, beyond)) = self.grid.neighbour(at, port) else { continue };
                if steps[beyond.index()] == FAR {
                    steps[beyond.index()] = steps[at.index()] + 1;
                    reached.push(beyond);
                }
            }
        }
        wave.source = Some(source);
    }

    pub fn trace_back(&self, source: Source, from: RouterId, way: &mut Way) -> Option<u32> {
        let mut left = self.distance(source, from).expect("free links lead there");
        let steps = &self.wave.borrow().steps;
        let (mut at, first) = (from, u32::from(source == Source::Controllers));
        way.rows.push(self.grid.place(at).0);
        while left > first {
            left -= 1;
            let before = |port: &Port| {
                let (link, next) = self.grid.neighbour(at, *port)?;
                (self.free[at.index()] & port.bit() != 0 && steps[next.index()] == left).then_some((link, next))
            };
            let (link, next) = BACK.iter().find_map(before).expect("a wave comes from its source");
            way.links.push(link);
            let row = self.grid.place(next).0;
            if row != self.grid.place(at).0 {
                way.rows.push(row);
            }
            at = next;
        }
        let controller = (source == Source::Controllers).then(|| self.grid.place(at).0);
        way.links.extend(controller.map(|c| self.grid.controller_link(c)));
        controller
    }

    fn toggle(&mut self, link: LinkId) {
        self.wave.get_mut().source = None;
        if link.0 >= self.grid.links() {
            let is_free = &mut self.free_controllers[(link.0 - self.grid.links()) as usize];
            *is_free = !*is_free;
            return;
        }
        let (there, back) = self.grid.outputs(link);
        self.free[there.router().index()] ^= there.bit();
        self.free[back.router().index()] ^= back.bit();
    }

    pub fn is_free(&self, link: LinkId) -> bool {
        if link.0 >= self.grid.links() {
            return self.free_controllers[(link.0 - self.grid.links()) as usize];
        }
        let (there, _) = self.grid.outputs(link);
        self.free[there.router().index()] & there.bit() != 0
    }

    pub fn fail(&mut self, link: LinkId) {
        self.toggle(link);
    }

    pub fn take(&mut self, link: LinkId, now: Time) {
        assert!(self.is_free(link), "link {} carries two circuits at once", link.0);
        self.toggle(link);
        self.uses[link.index()].since = now;
    }

    pub fn give_back(&mut self, link: LinkId, now: Time) -> Time {
        assert!(!self.is_free(link), "link {} is given back twice", link.0);
        self.toggle(link);
        self.uses[link.index()].free(now);
        self.uses[link.index()].since
    }

    pub fn carry(&mut self, link: LinkId, time: Time) {
        self.uses[link.index()].active += time;
    }

    pub fn used(&self, link: LinkId) -> LinkUse {
        self.uses[link.index()]
    }

    pub fn grid(&self) -> &Grid {
        &self.grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::ControllerEdge;
    use proptest::prelude::*;

    fn relaxed(links: &Links, source: Source) -> Vec<u32> {
        let grid = links.grid();
        let mut steps = vec![FAR; grid.routers() as usize];
        match source {
            Source::Chip(router) => steps[router.index()] = 0,
            Source::Controllers => (0..grid.rows)
                .filter(|&c| links.is_free(grid.controller_link(c)))
                .for_each(|c| steps[grid.entry(c).router().index()] = 1),
        }
        loop {
            let before = steps.clone();
            for link in (0..grid.links()).map(LinkId).filter(|&link| links.is_free(link)) {
                let (a, b) = grid.outputs(link);
                let (a, b) = (a.router().index(), b.router().index());
                steps[a] = steps[a].min(steps[b].saturating_add(1));
                steps[b] = steps[b].min(steps[a].saturating_add(1));
            }
            if steps == before {
                return steps;
            }
        }
    }

    proptest! {
        #[test]
        fn ways_are_the_shortest_free_ones(
            rows in 1u32..7,
            columns in 1u32..7,
            two_edges in prop::bool::ANY,
            taken in prop::collection::vec(0u32..100, 0..60),
            chip in 0u32..36,
        ) {
            let edge = if two_edges { ControllerEdge::Alternating } else { ControllerEdge::West };
            let mut links = Links::new(Grid::new(rows, columns, edge));
            let count = links.grid().links() + rows;
            for link in taken.into_iter().map(|link| LinkId(link % count)) {
                match links.is_free(link) {
                    true => links.take(link, Time::ZERO),
                    false => { links.give_back(link, Time::ZERO); }
                }
            }
            for source in [Source::Controllers, Source::Chip(RouterId(chip % (rows * columns)))] {
                let expected = relaxed(&links, source);
                for to in (0..rows * columns).map(RouterId) {
                    let found = links.distance(source, to);
                    prop_assert_eq!(found.unwrap_or(FAR), expected[to.index()]);
                    let Some(length) = found else { continue };
                    let mut way = Way::default();
                    let controller = links.trace_back(source, to, &mut way);
                    prop_assert_eq!(way.links.len() as u32, length);
                    prop_assert!(way.links.iter().all(|&link| links.is_free(link)));
                    prop_assert_eq!(controller.is_some(), source == Source::Controllers);
                    let mut at = to;
                    let mut runs = vec![links.grid().place(at).0];
                    for &link in way.links.iter().filter(|link| link.0 < links.grid().links()) {
                        let (a, b) = links.grid().outputs(link);
                        prop_assert!(a.router() == at || b.router() == at);
                        at = if a.router() == at { b.router() } else { a.router() };
                        if runs.last() != Some(&links.grid().place(at).0) {
                            runs.push(links.grid().place(at).0);
                        }
                    }
                    prop_assert_eq!(&runs, &way.rows);
                    let begins = match (source, controller) {
                        (Source::Chip(router), _) => router,
                        (_, Some(c)) => links.grid().entry(c).router(),
                        _ => RouterId::NONE,
                    };
                    prop_assert_eq!(at, begins);
                }
            }
        }
    }
}
