//! Static plane allocation: which plane a logical page belongs to.

use crate::config::design::Allocation;
use crate::flash::address::{Layout, PlaneId};

/// Positions a flow's pages may use, as numbers of channels, chips of a channel, dies of a chip and planes of a die.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions {
    /// Channels.
    pub channels: Vec<u32>,
    /// Chips (ways).
    pub chips: Vec<u32>,
    /// Dies.
    pub dies: Vec<u32>,
    /// Planes.
    pub planes: Vec<u32>,
}

impl Positions {
    /// All of the array.
    pub fn all(layout: &Layout) -> Positions {
        Positions {
            channels: (0..layout.channels).collect(),
            chips: (0..layout.chips_per_channel).collect(),
            dies: (0..layout.dies_per_chip).collect(),
            planes: (0..layout.planes_per_die).collect(),
        }
    }
}

/// The planes in the order in which consecutive logical pages visit them.
#[derive(Debug, Clone)]
pub struct Placement {
    planes: Vec<PlaneId>,
    /// Binary logarithm of the pages that go to a plane together: those of a flash page.
    shift: u32,
    /// Number of planes - 1 where that number is a power of two: the usual case needs no division.
    mask: Option<u64>,
}

impl Placement {
    /// The order that `allocation` gives over `positions`: its first letter varies fastest.
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
        let mask = total.is_power_of_two().then(|| total as u64 - 1);
        Placement { planes, shift: layout.flash_shift, mask }
    }

    /// The plane of logical page `lpa`.
    pub fn plane(&self, lpa: u64) -> PlaneId {
        let turn = lpa >> self.shift;
        let place = self.mask.map_or_else(|| turn % self.planes.len() as u64, |mask| turn & mask);
        self.planes[place as usize]
    }

    /// Every plane, in visiting order.
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

    /// Every scheme is a permutation of the planes.
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
