//! Where a page is: channel, chip, die, plane, block and page, and the ids that number them.

use crate::design::{Geometry, Numbering};
use crate::latin;
use crate::typed_id;

typed_id!(
    /// A chip, counted channel by channel.
    ChipId
);
typed_id!(
    /// The part of a chip that takes one command at a time: a die, or a chip without interleaving.
    LunId
);
typed_id!(
    /// A plane, counted channel by channel, chip by chip, die by die.
    PlaneId
);

/// A physical page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ppa {
    /// Its plane.
    pub plane: PlaneId,
    /// Block within the plane.
    pub block: u32,
    /// Page within the block.
    pub page: u32,
}

impl Ppa {
    /// No page.
    pub const NONE: Ppa = Ppa { plane: PlaneId::NONE, block: u32::MAX, page: u32::MAX };

    /// Whether this is a page at all.
    #[inline]
    pub fn is_some(self) -> bool {
        self.plane.is_some()
    }

    /// Some page of `plane`, chosen later.
    #[inline]
    pub fn unbound(plane: PlaneId) -> Ppa {
        Ppa { plane, ..Ppa::NONE }
    }

    /// Whether the page itself is chosen, not only its plane.
    #[inline]
    pub fn is_bound(self) -> bool {
        self.block != u32::MAX
    }

    /// Packs the address into 62 bits, the geometry's limits (26 for the plane, 20 for the block, 16 for the page).
    #[inline]
    pub fn pack(self) -> u64 {
        (u64::from(self.plane.0) << 36) | (u64::from(self.block) << 16) | u64::from(self.page)
    }

    /// The address that [`Ppa::pack`] packed.
    #[inline]
    pub fn unpack(packed: u64) -> Ppa {
        Ppa {
            plane: PlaneId((packed >> 36) as u32),
            block: (packed >> 16) as u32 & 0xf_ffff,
            page: packed as u32 & 0xffff,
        }
    }
}

/// Sizes of the array, and the arithmetic between ids.
///
/// A *page* here, as in all of the FTL, is what a mapping entry places: flash's page, unless `ftl.mapping_unit` divides
/// that. Then several pages make a *flash page*.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Rows of chips.
    pub channels: u32,
    /// Chips a row.
    pub chips_per_channel: u32,
    /// Dies a chip.
    pub dies_per_chip: u32,
    /// Planes a die.
    pub planes_per_die: u32,
    /// Blocks a plane.
    pub blocks_per_plane: u32,
    /// Pages a block.
    pub pages_per_block: u32,
    /// Sectors of 512 B a page.
    pub sectors_per_page: u32,
    /// Its binary logarithm: pages are powers of two.
    pub sector_shift: u32,
    /// Binary logarithm of the number of pages in a flash page.
    pub flash_shift: u32,
    /// LUNs a chip: its dies, or 1.
    pub luns_per_chip: u32,
    /// Planes a LUN.
    pub planes_per_lun: u32,
    /// Looked up several times per request, when divisions would be a tenth of the run time.
    places: Vec<Place>,
    /// Chips of the FTL's channels and ways, unless their numbers say it.
    numbered: Option<Box<[ChipId]>>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    lun: LunId,
    in_lun: u32,
    chip: ChipId,
    channel: u32,
}

/// Bytes of the smallest read that a memory answers: places and sizes of such reads are multiples of it.
pub const GRAIN: u64 = 64;

/// Bytes of a sector, the unit of host addresses.
pub const SECTOR: u64 = 512;

impl Layout {
    /// The layout of a validated geometry.
    pub fn new(geometry: &Geometry, die_interleaving: bool) -> Layout {
        let dies = geometry.dies_per_chip;
        let luns_per_chip = if die_interleaving { dies } else { 1 };
        let planes_per_lun = geometry.planes_per_die * dies / luns_per_chip;
        let planes_per_chip = dies * geometry.planes_per_die;
        let planes = geometry.channels * geometry.chips_per_channel * planes_per_chip;
        let place = |plane| Place {
            lun: LunId(plane / planes_per_lun),
            in_lun: plane % planes_per_lun,
            chip: ChipId(plane / planes_per_chip),
            channel: plane / planes_per_chip / geometry.chips_per_channel,
        };
        Layout {
            channels: geometry.channels,
            chips_per_channel: geometry.chips_per_channel,
            dies_per_chip: dies,
            planes_per_die: geometry.planes_per_die,
            blocks_per_plane: geometry.blocks_per_plane,
            pages_per_block: geometry.pages_per_block,
            sectors_per_page: (geometry.page.0 / SECTOR) as u32,
            sector_shift: (geometry.page.0 / SECTOR).trailing_zeros(),
            flash_shift: 0,
            luns_per_chip,
            planes_per_lun,
            places: (0..planes).map(place).collect(),
            numbered: None,
        }
    }

    /// The layout with another numbering of the FTL's channels and ways.
    pub fn numbered(self, numbering: Numbering) -> Layout {
        Layout { numbered: latin::chips(numbering, self.channels, self.chips_per_channel), ..self }
    }

    /// The layout with each page divided in `parts`, a power of two, mapped separately.
    pub fn divided(self, parts: u32) -> Layout {
        let shift = parts.trailing_zeros();
        Layout {
            pages_per_block: self.pages_per_block << shift,
            sectors_per_page: self.sectors_per_page >> shift,
            sector_shift: self.sector_shift - shift,
            flash_shift: self.flash_shift + shift,
            ..self
        }
    }

    /// Pages in a flash page.
    #[inline]
    pub fn pages_per_flash_page(&self) -> u32 {
        1 << self.flash_shift
    }

    /// Number, within its block, of the page's flash page.
    #[inline]
    pub fn flash_page(&self, at: Ppa) -> u32 {
        at.page >> self.flash_shift
    }

    /// Whether two pages are in one flash page.
    #[inline]
    pub fn share_flash_page(&self, a: Ppa, b: Ppa) -> bool {
        (a.plane, a.block, self.flash_page(a)) == (b.plane, b.block, self.flash_page(b))
    }

    /// Number, among all of the drive, of the page's flash page.
    #[inline]
    pub fn flash_page_number(&self, at: Ppa) -> u64 {
        let block = u64::from(at.plane.0) * u64::from(self.blocks_per_plane) + u64::from(at.block);
        block * u64::from(self.pages_per_block) + u64::from(self.flash_page(at))
    }

    /// Bytes of user data in a flash page.
    #[inline]
    pub fn flash_page_bytes(&self) -> u64 {
        self.page_bytes() << self.flash_shift
    }

    /// Chips.
    #[inline]
    pub fn chips(&self) -> u32 {
        self.channels * self.chips_per_channel
    }

    /// LUNs.
    #[inline]
    pub fn luns(&self) -> u32 {
        self.chips() * self.luns_per_chip
    }

    /// Planes.
    #[inline]
    pub fn planes(&self) -> u32 {
        self.chips() * self.dies_per_chip * self.planes_per_die
    }

    /// Pages.
    #[inline]
    pub fn pages(&self) -> u64 {
        u64::from(self.planes()) * u64::from(self.blocks_per_plane) * u64::from(self.pages_per_block)
    }

    /// Bytes of user data in a page.
    #[inline]
    pub fn page_bytes(&self) -> u64 {
        u64::from(self.sectors_per_page) * SECTOR
    }

    /// Plane at a position, in the FTL's numbers of channels and chips.
    #[inline]
    pub fn plane(&self, channel: u32, chip: u32, die: u32, plane: u32) -> PlaneId {
        let number = channel * self.chips_per_channel + chip;
        let chip = self.numbered.as_ref().map_or(number, |chips| chips[number as usize].0);
        PlaneId((chip * self.dies_per_chip + die) * self.planes_per_die + plane)
    }

    /// Column of a plane's chip.
    #[inline]
    pub fn column_of(&self, plane: PlaneId) -> usize {
        (self.chip_of_plane(plane).0 % self.chips_per_channel) as usize
    }

    /// LUN of a plane.
    #[inline]
    pub fn lun_of(&self, plane: PlaneId) -> LunId {
        self.places[plane.index()].lun
    }

    /// A plane's place within its LUN.
    #[inline]
    pub fn plane_in_lun(&self, plane: PlaneId) -> u32 {
        self.places[plane.index()].in_lun
    }

    /// Chip of a plane.
    #[inline]
    pub fn chip_of_plane(&self, plane: PlaneId) -> ChipId {
        self.places[plane.index()].chip
    }

    /// The planes of a chip.
    #[inline]
    pub fn planes_of_chip(&self, chip: ChipId) -> impl Iterator<Item = PlaneId> + use<> {
        let each = self.dies_per_chip * self.planes_per_die;
        (chip.0 * each..(chip.0 + 1) * each).map(PlaneId)
    }

    /// Channel of a plane's chip.
    #[inline]
    pub fn channel_of_plane(&self, plane: PlaneId) -> u32 {
        self.places[plane.index()].channel
    }

    /// Chip of a LUN.
    #[inline]
    pub fn chip_of(&self, lun: LunId) -> ChipId {
        if self.luns_per_chip == 1 { ChipId(lun.0) } else { ChipId(lun.0 / self.luns_per_chip) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_the_address(plane in 0u32..1 << 26, block in 0u32..1 << 20, page in 0u32..1 << 16) {
            let ppa = Ppa { plane: PlaneId(plane), block, page };
            prop_assert_eq!(Ppa::unpack(ppa.pack()), ppa);
        }
    }
}
