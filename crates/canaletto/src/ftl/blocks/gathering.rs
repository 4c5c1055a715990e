//! Writes gathered in superblocks: into flash pages of several mapping units, and these into a die's row of a stripe.
//!
//! A write gets its place before it comes to its chip, and its page when its command is formed.
//!
//! The host's flash page is programmed with what has come when its chip is free; collection's once it is full or no
//! copy will come. The rest is padding.
//!
//! Places go through the planes of a die first, because pages programmed one by one would block each other.

use super::{Blocks, Frontier, Line};
use crate::config::design::{Design, MultiPlane};
use crate::config::workload::Priority;
use crate::flash::address::PlaneId;

/// Writes of a line and plane with a place and no page; parity: pages that are not being programmed yet.
#[derive(Clone, Copy, Default)]
struct Placed {
    waiting: u32,
    come: u32,
}

impl Placed {
    fn flash_pages(self, units: u32) -> u32 {
        self.waiting.div_ceil(units)
    }

    fn room(self, units: u32) -> u32 {
        self.flash_pages(units) * units - self.waiting
    }
}

#[derive(Clone, Copy)]
pub struct Together {
    planes: u32,
    any_page: bool,
}

impl Together {
    pub fn of(design: &Design) -> Together {
        let planes = match design.flash.multi_plane {
            MultiPlane::Off => 1,
            _ => design.geometry.planes_per_die,
        };
        Together { planes, any_page: design.flash.multi_plane == MultiPlane::AnyPage }
    }

    pub(super) fn planes(self) -> u32 {
        self.planes
    }
}

pub(super) struct Gathering {
    placed: Vec<Placed>,
    frontiers: usize,
    streams: u16,
    together: Together,
}

impl Gathering {
    pub(super) fn new(planes: usize, frontiers: usize, streams: u16, together: Together) -> Gathering {
        let placed = vec![Placed::default(); planes * frontiers * Line::CLASSES];
        Gathering { placed, frontiers, streams, together }
    }

    fn first(&self, plane: PlaneId, frontier: Frontier) -> usize {
        (plane.index() * self.frontiers + frontier.index(self.streams)) * Line::CLASSES
    }

    fn get(&self, plane: PlaneId, line: Line) -> Placed {
        self.placed[self.first(plane, line.frontier) + usize::from(line.class)]
    }

    fn get_mut(&mut self, plane: PlaneId, line: Line) -> &mut Placed {
        let place = self.first(plane, line.frontier) + usize::from(line.class);
        &mut self.placed[place]
    }

    fn flash_pages(&self, plane: PlaneId, frontier: Frontier, units: u32) -> u32 {
        let first = self.first(plane, frontier);
        self.placed[first..first + Priority::COUNT].iter().map(|placed| placed.flash_pages(units)).sum()
    }
}

impl Blocks {
    #[inline]
    pub fn gathers(&self) -> bool {
        self.superblocks.is_some() && self.pages_per_flash_page > 1
    }

    fn placed(&self, plane: PlaneId, line: Line) -> Placed {
        self.superblocks.as_ref().map_or(Placed::default(), |superblocks| superblocks.gathering.get(plane, line))
    }

    #[inline(always)]
    fn placed_mut(&mut self, plane: PlaneId, line: Line) -> Option<&mut Placed> {
        self.superblocks.as_mut().map(|superblocks| superblocks.gathering.get_mut(plane, line))
    }

    pub(super) fn note_placed(&mut self, plane: PlaneId, line: Line) {
        self.placed_mut(plane, line).into_iter().for_each(|placed| placed.waiting += 1);
    }

    #[inline]
    pub fn note_come(&mut self, plane: PlaneId, line: Line) {
        self.placed_mut(plane, line).into_iter().for_each(|placed| placed.come += 1);
    }

    /// A write has its page. It `had_come` to its chip, or is found there.
    #[inline(always)]
    pub fn note_bound(&mut self, plane: PlaneId, line: Line, had_come: bool) {
        if let Some(placed) = self.placed_mut(plane, line) {
            placed.waiting -= 1;
            placed.come -= u32::from(had_come);
        }
    }

    pub(super) fn has_room_beside(&self, plane: PlaneId, line: Line) -> bool {
        self.placed(plane, line).room(self.pages_per_flash_page) > 0
    }

    /// Whether the die's pages that can be programmed together have come: only full rows if `more` writes will come.
    #[inline(always)]
    pub fn fills_row(&self, plane: PlaneId, line: Line, more: impl FnOnce() -> bool) -> Option<bool> {
        let stripe = self.superblocks.as_ref()?.stripe(plane, line.frontier);
        let more = more();
        if !self.fills_flash_page(plane, line, more) {
            return Some(false);
        }
        let (place, first) = (self.next_flash_page(plane, line.frontier), self.group(plane).start as u32);
        Some(self.planes_beside(plane).all(|other| {
            // Others are ahead, or in another superblock, where blocks are bad or a place was given to a page that was found.
            self.next_flash_page(other, line.frontier) != place
                || match self.placed(other, line).waiting {
                    0 => !(more && stripe.will_give(place, other.0 - first)),
                    _ => self.fills_flash_page(other, line, more),
                }
        }))
    }

    /// Whether the parity of a die's row has come, as far as it is under way.
    pub fn parity_has_come(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let line = Line { frontier, class: Line::PARITY };
        self.planes_beside(plane).all(|other| {
            let placed = self.placed(other, line);
            placed.waiting == 0 || placed.come > 0
        })
    }

    /// Planes whose flash page can be programmed with one that [fills its row](Blocks::fills_row).
    pub fn goes_with(&self, plane: PlaneId, line: Line, more: bool) -> impl Iterator<Item = PlaneId> {
        let place = self.next_flash_page(plane, line.frontier);
        let any_page = self.superblocks.as_ref().is_some_and(|superblocks| superblocks.gathering.together.any_page);
        self.planes_beside(plane).filter(move |&other| {
            if line.class == Line::PARITY {
                return self.placed(other, line).come > 0;
            }
            let is_there = self.placed(other, line).waiting > 0 && self.fills_flash_page(other, line, more);
            is_there && (any_page || self.next_flash_page(other, line.frontier) == place)
        })
    }

    pub fn planes_together(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        let planes = self.superblocks.as_ref().map_or(1, |superblocks| superblocks.gathering.together.planes);
        let first = plane.0 / planes * planes;
        (first..first + planes).map(PlaneId)
    }

    pub(super) fn planes_beside(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        self.planes_together(plane).filter(move |&other| other != plane)
    }

    fn next_flash_page(&self, plane: PlaneId, frontier: Frontier) -> Option<(u32, u32)> {
        let block = self.room_in_stripe(plane, frontier)?;
        Some((block, self.planes[plane.index()].blocks[block as usize].written / self.pages_per_flash_page))
    }

    fn fills_flash_page(&self, plane: PlaneId, line: Line, more: bool) -> bool {
        let (placed, units) = (self.placed(plane, line), self.pages_per_flash_page);
        let least = units - placed.room(units);
        placed.come >= units || placed.come >= least && !(more && least < units)
    }

    pub(super) fn flash_pages_given(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        let Some(superblocks) = &self.superblocks else { return 0 };
        let (units, blocks) = (self.pages_per_flash_page, &self.planes[plane.index()].blocks);
        let stripe = superblocks.stripe(plane, frontier);
        let wanted = superblocks.gathering.flash_pages(plane, frontier, units);
        let left = |&block: &u32| {
            if self.is_parity(plane, block) { 0 } else { self.room_in(plane, block) / units }
        };
        // Blocks opened before are filled first.
        let earlier = stripe.open.iter().filter(|&&block| block != stripe.current).map(left).sum();
        blocks[stripe.current as usize].written / units + wanted.saturating_sub(earlier)
    }

    /// The plane of the group in which a frontier gave its last place, or gives its next one.
    #[inline(always)]
    pub fn plane_being_filled(&self, plane: PlaneId, frontier: Frontier) -> Option<PlaneId> {
        let stripe = self.superblocks.as_ref()?.stripe(plane, frontier);
        Some(PlaneId(self.group(plane).start as u32 + stripe.plane()))
    }
}
