use crate::flash::address::{Layout, PlaneId};
use crate::ftl::placement::Placement;

const NONE: u32 = u32::MAX;

struct Space {
    first_page: u64,
    pages: u64,
    placement: Placement,
    /// Binary logarithm of the pages that go to a plane together.
    shift: u32,
    places: Vec<u32>,
    before: Vec<u32>,
}

impl Space {
    fn planes(&self) -> u64 {
        self.placement.planes().len() as u64
    }

    fn pages_before(&self, plane: PlaneId, pages: u64) -> u64 {
        let place = self.places[plane.index()];
        if place == NONE {
            return 0;
        }
        let (turns, rest) = (pages >> self.shift, pages & ((1 << self.shift) - 1));
        let whole = turns.saturating_sub(u64::from(place)).div_ceil(self.planes()) << self.shift;
        if turns % self.planes() == u64::from(place) { whole + rest } else { whole }
    }
}

pub struct Spaces {
    spaces: Vec<Space>,
}

impl Spaces {
    /// First page, number of pages and placement each.
    ///
    /// # Errors
    /// A plane has more pages than 32 bits can number.
    pub fn new(layout: &Layout, spaces: impl Iterator<Item = (u64, u64, Placement)>) -> Result<Spaces, String> {
        let mut before = vec![0u32; layout.planes() as usize];
        let mut made = Spaces { spaces: Vec::new() };
        for (first_page, pages, placement) in spaces {
            let mut places = vec![NONE; before.len()];
            (0..).zip(placement.planes()).for_each(|(place, plane)| places[plane.index()] = place);
            let shift = layout.flash_shift;
            let space = Space { first_page, pages, placement, shift, places, before: before.clone() };
            for (plane, before) in (0..).map(PlaneId).zip(&mut before) {
                let all = u64::from(*before) + space.pages_before(plane, pages);
                *before = u32::try_from(all).map_err(|_| format!("a plane of {all} pages cannot be preconditioned"))?;
            }
            made.spaces.push(space);
        }
        Ok(made)
    }

    /// None for pages that no host address leads to.
    #[inline(always)]
    pub fn local(&self, lpa: u64) -> Option<(PlaneId, u32)> {
        let space = self.spaces.iter().rev().find(|space| space.first_page <= lpa)?;
        let offset = lpa - space.first_page;
        if offset >= space.pages {
            return None;
        }
        let (plane, place) = space.placement.plane_and_place(offset);
        Some((plane, space.before[plane.index()] + place as u32))
    }

    #[inline]
    pub fn lpa(&self, plane: PlaneId, local: u32) -> u64 {
        let has = |space: &&Space| space.places[plane.index()] != NONE && space.before[plane.index()] <= local;
        let space = self.spaces.iter().rev().find(has).expect("the plane has this page");
        let local = u64::from(local - space.before[plane.index()]);
        let (round, within) = (local >> space.shift, local & ((1 << space.shift) - 1));
        let turn = round * space.planes() + u64::from(space.places[plane.index()]);
        space.first_page + (turn << space.shift) + within
    }

    pub fn of_plane(&self, plane: PlaneId) -> Vec<usize> {
        (0..self.spaces.len()).filter(|&space| self.spaces[space].places[plane.index()] != NONE).collect()
    }

    /// From `from` to before `until`.
    pub fn pages_between(&self, space: usize, plane: PlaneId, from: u64, until: u64) -> u32 {
        let space = &self.spaces[space];
        (space.pages_before(plane, until) - space.pages_before(plane, from)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{Allocation, Geometry};
    use crate::config::units::Size;
    use crate::ftl::placement::Positions;

    #[test]
    fn numbers_in_planes_count_and_go_back() {
        (0..3).for_each(|shift| check(1 << shift));
    }

    fn check(parts: u32) {
        let geometry = Geometry {
            channels: 3,
            chips_per_channel: 2,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page: Size(4096),
        };
        let layout = Layout::new(&geometry, true).divided(parts);
        let all = Positions::all(&layout);
        let some = Positions { channels: vec![2, 0], ..all.clone() };
        let placed = |positions| Placement::new(&layout, Allocation::PWCD, positions);
        let sizes = [(0, 101, placed(&some)), (101, 57, placed(&all)), (158, 3, placed(&some))];
        let spaces = Spaces::new(&layout, sizes.into_iter()).expect("small planes");
        let mut next = [0u32; 12];
        for lpa in 0..161 {
            let (plane, local) = spaces.local(lpa).expect("a page of some space");
            assert_eq!(local, next[plane.index()], "page {lpa}");
            assert_eq!(spaces.lpa(plane, local), lpa);
            next[plane.index()] += 1;
        }
        assert_eq!(spaces.local(161), None);
        assert_eq!(spaces.of_plane(PlaneId(4)), [1]);
        let of_space = |plane: u32| {
            spaces.pages_between(1, PlaneId(plane), 0, 20) + spaces.pages_between(1, PlaneId(plane), 20, 57)
        };
        assert_eq!((0..12).map(of_space).sum::<u32>(), 57);
    }
}
