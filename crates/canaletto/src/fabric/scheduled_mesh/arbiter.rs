//! The arbiter next to the controllers: searches one after the other, and grants to the routers, row by row.
//!
//! ```text
//! grant │ way │ first column │ its link │ last column │ its link │     way: to the chip or from it; of a copy, towards the last
//! ```
//! A grant joins routers of one row, from the first column to the last. The link at either end leads to the row before
//! or the next, to the controller, or to the chip: two bits. Columns have as many bits as their numbers need. The
//! routers of a row share their pins: grants to one row wait for each other.
//!
//! The wave of a search goes out and the way is traced back, a link per step (`search_step`). The arbiter sees all
//! links, so a search is never in vain.

use crate::config::design::ScheduledMesh as Keys;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::grants::{Grants, bits};
use crate::fabric::venice::grid::Grid;

pub struct Arbiter {
    step: Time,
    setup: Time,
    grants: Grants,
    free_at: Time,
    searching: Time,
    waits: TimeSum,
}

impl Arbiter {
    pub fn new(keys: &Keys, grid: &Grid) -> Arbiter {
        let bits = 1 + 2 * (bits(grid.columns) + 2);
        Arbiter {
            step: keys.search_step.time(),
            setup: keys.setup.time(),
            grants: Grants::new(bits, keys.grant_width, keys.grant_rate, grid.rows),
            free_at: Time::ZERO,
            searching: Time::ZERO,
            waits: TimeSum::ZERO,
        }
    }

    pub fn search(&mut self, links: u64, now: Time) -> Time {
        let begins = self.free_at.max(now);
        let time = self.step * (2 * links);
        self.waits += begins - now;
        self.searching += time;
        self.free_at = begins + time;
        self.free_at
    }

    pub fn grant(&mut self, row: u32, now: Time) -> (Time, Time) {
        self.grants.send(row, now)
    }

    pub fn setup(&self) -> Time {
        self.setup
    }

    pub fn searching(&self) -> Time {
        self.searching
    }

    pub fn busy(&self) -> impl Iterator<Item = Time> + '_ {
        self.grants.busy()
    }

    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        let waited = (self.waits.seconds() * 1e9).round() as u64;
        [self.grants.counters(), vec![("searches_waited_ns", waited)]].concat()
    }
}
