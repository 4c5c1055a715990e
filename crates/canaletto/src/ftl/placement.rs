//! Static allocation.

use crate::config::design::Allocation;
use crate::flash::address::{Layout, PlaneId};
use crate::flash::plane_set::PlaneSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions {
    pub channels: Vec<u32>,
    pub chips: Vec<u32>,
    pub dies: Vec<u32>,
    pub planes: Vec<u32>,
}

impl Positions {
    pub fn all(layout: &Layout) -> Positions {
        Positions {
            channels: (0..layout.channels).collect(),
            chips: (0..layout.chips_per_channel).collect(),
            dies: (0..layout.dies_per_chip).collect(),
            planes: (0..layout.planes_per_die).collect(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Placement {
    planes: Vec<PlaneId>,
    /// Binary logarithm of the pages that go to a plane together (a flash page).
    shift: u32,
    /// Where writes go instead; none as long as all planes can be written.
    stand_ins: Vec<PlaneId>,
    /// Planes before each that cannot be written.
    lost_before: Vec<u64>,
    planes_shift: Option<u32>,
}

impl Placement {
    /// The first letter of `allocation` varies fastest.
    pub fn new(layout: &Layout, allocation: Allocation, positions: &Positions) -> Placement {
        let letters = format!("{allocation:?}");
        let counts = |letter| match letter {
            'C' => positions.channels.len(),
            'W' => positions.chips.len(),
            'D' => positions.dies.len(),
            _ => positions.planes.len(),
        };
        let total: usize = "CWDP".chars().map(counts).product();
        let planes: Vec<PlaneId> = (0..total)
            .map(|lpa| {
                let (mut rest, mut channel, mut chip, mut die, mut plane) = (lpa, 0, 0, 0, 0);
                for letter in letters.chars() {
                    let place = rest % counts(letter);
                    rest /= counts(letter);
                    match letter {
                        'C' => channel = positions.channels[place],
                        'W' => chip = positions.chips[place],
                        'D' => die = positions.dies[place],
                        _ => plane = positions.planes[place],
                    }
                }
                layout.plane(channel, chip, die, plane)
            })
            .collect();
        let planes_shift = total.is_power_of_two().then(|| total.trailing_zeros());
        Placement { planes, shift: layout.flash_shift, stand_ins: Vec::new(), lost_before: Vec::new(), planes_shift }
    }

    pub fn plane(&self, lpa: u64) -> PlaneId {
        self.planes[self.turn(lpa).1 as usize]
    }

    /// And how many pages before `lpa` go there.
    pub fn plane_and_place(&self, lpa: u64) -> (PlaneId, u64) {
        let (round, place) = self.turn(lpa);
        (self.planes[place as usize], (round << self.shift) + (lpa & ((1 << self.shift) - 1)))
    }

    pub fn leave_out(&mut self, lost: &PlaneSet) {
        self.stand_ins = self.planes.iter().copied().filter(|&plane| !lost.has(plane)).collect();
        let before = |count: &mut u64, plane: &PlaneId| {
            let so_far = *count;
            *count += u64::from(lost.has(*plane));
            Some(so_far)
        };
        self.lost_before = self.planes.iter().scan(0, before).collect();
    }

    /// The other planes in turn. None if there are none.
    pub fn stand_in(&self, lpa: u64) -> Option<PlaneId> {
        let (round, place) = self.turn(lpa);
        let count = self.stand_ins.len() as u64;
        let lost = self.planes.len() as u64 - count;
        let turn = round * lost + self.lost_before[place as usize];
        (count > 0).then(|| self.stand_ins[(turn % count) as usize])
    }

    fn turn(&self, lpa: u64) -> (u64, u64) {
        let turn = lpa >> self.shift;
        match self.planes_shift {
            Some(shift) => (turn >> shift, turn & ((1 << shift) - 1)),
            None => (turn / self.planes.len() as u64, turn % self.planes.len() as u64),
        }
    }

    pub fn planes(&self) -> &[PlaneId] {
        &self.planes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::Geometry;
    use crate::config::units::Size;

    fn layout() -> Layout {
        Layout::new(
            &Geometry {
                channels: 2,
                chips_per_channel: 3,
                dies_per_chip: 2,
                planes_per_die: 2,
                blocks_per_plane: 4,
                pages_per_block: 4,
                page: Size(4096),
            },
            true,
        )
    }

    #[test]
    fn the_first_letter_varies_fastest() {
        let layout = layout();
        let all = Positions::all(&layout);
        let cwdp = Placement::new(&layout, Allocation::CWDP, &all);
        assert_eq!(cwdp.plane(1), layout.plane(1, 0, 0, 0));
        assert_eq!(cwdp.plane(2), layout.plane(0, 1, 0, 0));
        assert_eq!(cwdp.plane(6), layout.plane(0, 0, 1, 0));
        assert_eq!(cwdp.plane(12), layout.plane(0, 0, 0, 1));
        let pwcd = Placement::new(&layout, Allocation::PWCD, &all);
        assert_eq!(pwcd.plane(1), layout.plane(0, 0, 0, 1));
        assert_eq!(pwcd.plane(2), layout.plane(0, 1, 0, 0));
    }

    #[test]
    fn places_count_the_pages_of_a_plane() {
        for (channels, parts) in [(vec![0, 1], 1), (vec![1], 2), (vec![0, 1], 4)] {
            let layout = layout().divided(parts);
            for chips in [vec![0, 1, 2], vec![0, 2]] {
                let positions = Positions { channels: channels.clone(), chips, ..Positions::all(&layout) };
                let placement = Placement::new(&layout, Allocation::CWDP, &positions);
                let mut next = vec![0; layout.planes() as usize];
                for lpa in 0..300 {
                    let plane = placement.plane(lpa);
                    assert_eq!(placement.plane_and_place(lpa), (plane, next[plane.index()]));
                    next[plane.index()] += 1;
                }
            }
        }
    }

    #[test]
    fn others_stand_in_equally() {
        let layout = layout();
        for (scheme, lost) in [
            (Allocation::CWDP, &[1, 3, 4][..]),
            (Allocation::PWCD, &[0]),
            (Allocation::CWDP, &[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]),
        ] {
            let mut placement = Placement::new(&layout, scheme, &Positions::all(&layout));
            let mut set = PlaneSet::default();
            set.add(&lost.iter().map(|&plane| PlaneId(plane)).collect::<Vec<_>>());
            placement.leave_out(&set);
            let mut counts = vec![0u32; 24];
            for lpa in (0..24 * 400).filter(|&lpa| set.has(placement.plane(lpa))) {
                counts[placement.stand_in(lpa).expect("others are left").index()] += 1;
            }
            let others: Vec<u32> =
                (0..24).filter(|&plane| !set.has(PlaneId(plane))).map(|plane| counts[plane as usize]).collect();
            let (least, most) = (others.iter().min().unwrap(), others.iter().max().unwrap());
            assert!(most - least <= 1 && counts.iter().sum::<u32>() == 400 * lost.len() as u32, "{counts:?}");
        }
    }

    #[test]
    fn every_scheme_visits_every_plane_once() {
        use Allocation::*;
        let layout = layout();
        for scheme in [
            CWDP, CWPD, CDWP, CDPW, CPWD, CPDW, WCDP, WCPD, WDCP, WDPC, WPCD, WPDC, DCWP, DCPW, DWCP, DWPC, DPCW, DPWC,
            PCWD, PCDW, PWCD, PWDC, PDCW, PDWC,
        ] {
            let mut planes = Placement::new(&layout, scheme, &Positions::all(&layout)).planes().to_vec();
            planes.sort();
            assert_eq!(planes, (0..24).map(PlaneId).collect::<Vec<_>>(), "{scheme:?}");
        }
    }
}
