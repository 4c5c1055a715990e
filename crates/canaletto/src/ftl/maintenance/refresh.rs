//! Data to move before they are lost: in blocks read too often, and too old ones.
//!
//! A scan visits one block per interval, each in the next plane, so that data of one age do not all move at once (Cai
//! et al., ICCD 2012).

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::wear::Wear;

pub struct Refresh {
    /// Reads that a block may see; 0: any number.
    reads: u32,
    age: Time,
    age_before: Time,
    /// From one look of the patrol to the next.
    interval: Time,
    looks: u64,
    planes: u32,
    blocks: u32,
}

fn of_days(days: f64) -> Time {
    // Conversions saturate: beyond what simulated time holds nothing ever comes due.
    Time((days * 86_400e12) as u64)
}

impl Refresh {
    pub fn new(design: &Design, layout: &Layout) -> Refresh {
        Refresh {
            reads: design.refresh.read_limit,
            age: of_days(design.refresh.age_limit_days),
            age_before: of_days(design.flash.errors.initial_age_days),
            interval: design.refresh.scan_interval.time(),
            looks: 0,
            planes: layout.planes(),
            blocks: layout.blocks_per_plane,
        }
    }

    #[inline(always)]
    pub fn is_disturbed(&self, at: Ppa, wear: &Wear) -> bool {
        // Asked at every read: once is enough.
        self.reads > 0 && wear.reads_since_erase(at.plane, at.block) == self.reads
    }

    pub fn next_look(&self, now: Time) -> Option<Time> {
        (self.age > Time::ZERO).then_some(now + self.interval)
    }

    pub fn look(&mut self) -> (PlaneId, u32) {
        let planes = u64::from(self.planes);
        let (plane, block) = (self.looks % planes, self.looks / planes % u64::from(self.blocks));
        self.looks += 1;
        (PlaneId(plane as u32), block as u32)
    }

    pub fn is_old(&self, plane: PlaneId, block: u32, wear: &Wear, now: Time) -> bool {
        wear.age(plane, block, now).unwrap_or(self.age_before + now) >= self.age
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;

    fn refresh(overrides: &[&str]) -> (Refresh, Wear) {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        let design = load_design("performance-optimized", None, &overrides).unwrap();
        let layout = Layout::new(&design.geometry, true);
        (Refresh::new(&design, &layout), Wear::new(&layout, true))
    }

    const AT: Ppa = Ppa { plane: PlaneId(3), block: 2, page: 4 };
    const DAY: u64 = 86_400_000_000;

    #[test]
    fn a_block_comes_to_its_limit_of_reads_once() {
        let (refresh, mut wear) = refresh(&["refresh.read_limit=3"]);
        let mut due = 0;
        for _ in 0..10 {
            wear.read(AT);
            due += u32::from(refresh.is_disturbed(AT, &wear));
        }
        assert_eq!(due, 1);
        wear.erased(AT.plane, AT.block);
        assert!(!refresh.is_disturbed(AT, &wear));
    }

    #[test]
    fn ages_count_from_the_first_program_or_from_what_the_run_found() {
        let (refresh, mut wear) = refresh(&["refresh.age_limit_days=3.0", "flash.errors.initial_age_days=2.0"]);
        let is_old = |wear: &Wear, days: u64| refresh.is_old(AT.plane, AT.block, wear, Time::from_us(days * DAY));
        assert_eq!((is_old(&wear, 0), is_old(&wear, 1)), (false, true), "found: two days old in the beginning");
        wear.programmed(AT, Time::from_us(5 * DAY));
        assert_eq!((is_old(&wear, 7), is_old(&wear, 8)), (false, true));
    }

    #[test]
    fn the_patrol_comes_to_every_block_in_turn() {
        let (mut refresh, _) = refresh(&["refresh.age_limit_days=1.0", "refresh.scan_interval=1ms"]);
        assert_eq!(refresh.next_look(Time::from_us(5)), Some(Time::from_us(1005)));
        let (planes, blocks) = (u64::from(refresh.planes), u64::from(refresh.blocks));
        let first: Vec<_> = (0..planes).map(|_| refresh.look()).collect();
        assert!((0..).zip(&first).all(|(plane, look)| *look == (PlaneId(plane), 0)));
        assert_eq!(refresh.look(), (PlaneId(0), 1));
        refresh.looks = planes * blocks;
        assert_eq!(refresh.look(), (PlaneId(0), 0), "and begins anew");
    }
}
