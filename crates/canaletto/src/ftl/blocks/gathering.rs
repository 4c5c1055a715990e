//! Small writes that are gathered into flash pages of superblocks: where several mapping units fit into one, writes whose places
//! follow each other fill it.
//!
//! A write is given its place before it comes to its chip, and its page when its command is formed: any of those that have come
//! may take the next page of their plane. The flash pages that they are given places in are as few as can hold them. So a
//! command may be formed once so many have come that the others fit into the flash pages that are left.
//!
//! A flash page that has room takes the writes that follow until it is programmed. The host's is programmed with what has come
//! when its chip is free, collection's once it is full or no further copy will come. What is empty then is padding.

use super::{Blocks, Frontier};
use crate::config::workload::Priority;
use crate::flash::address::PlaneId;

/// Writes of a frontier that may share a flash page: those of one priority class wait in one queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Line {
    /// Where they get their pages from.
    pub frontier: Frontier,
    /// Their class.
    pub class: u8,
}

/// Writes of a line and a plane that have a place and no page yet.
#[derive(Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Placed {
    /// All of them.
    waiting: u32,
    /// Writes of these that have come to the chip and wait for nothing else.
    come: u32,
}

impl Placed {
    /// Flash pages of so many units that they take.
    fn flash_pages(self, units: u32) -> u32 {
        self.waiting.div_ceil(units)
    }

    /// Units that the last of these has room for.
    fn room(self, units: u32) -> u32 {
        self.flash_pages(units) * units - self.waiting
    }
}

/// Writes on their way to flash pages of several units.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Gathering {
    /// By plane, frontier and class; none if a flash page is a unit.
    placed: Vec<Placed>,
    frontiers: usize,
    streams: u16,
}

impl Gathering {
    /// Nothing on its way to so many planes of so many frontiers each, `streams` of which are the host's.
    pub(super) fn new(planes: usize, frontiers: usize, streams: u16) -> Gathering {
        Gathering { placed: vec![Placed::default(); planes * frontiers * Priority::COUNT], frontiers, streams }
    }

    fn first(&self, plane: PlaneId, frontier: Frontier) -> usize {
        (plane.index() * self.frontiers + frontier.index(self.streams)) * Priority::COUNT
    }

    fn get(&self, plane: PlaneId, line: Line) -> Placed {
        self.placed[self.first(plane, line.frontier) + usize::from(line.class)]
    }

    fn get_mut(&mut self, plane: PlaneId, line: Line) -> &mut Placed {
        let place = self.first(plane, line.frontier) + usize::from(line.class);
        &mut self.placed[place]
    }

    /// Flash pages of so many units that the writes of a frontier take in a plane.
    fn flash_pages(&self, plane: PlaneId, frontier: Frontier, units: u32) -> u32 {
        let first = self.first(plane, frontier);
        self.placed[first..first + Priority::COUNT].iter().map(|placed| placed.flash_pages(units)).sum()
    }
}

impl Blocks {
    /// Whether writes are gathered.
    #[inline]
    pub fn gathers(&self) -> bool {
        self.superblocks.is_some() && self.pages_per_flash_page > 1
    }

    fn placed(&self, plane: PlaneId, line: Line) -> Placed {
        self.superblocks.as_ref().map_or(Placed::default(), |superblocks| superblocks.gathering.get(plane, line))
    }

    fn placed_mut(&mut self, plane: PlaneId, line: Line) -> Option<&mut Placed> {
        let gathers = self.gathers();
        self.superblocks.as_mut().filter(|_| gathers).map(|superblocks| superblocks.gathering.get_mut(plane, line))
    }

    /// A write of a line has a place in a plane.
    pub(super) fn note_placed(&mut self, plane: PlaneId, line: Line) {
        self.placed_mut(plane, line).into_iter().for_each(|placed| placed.waiting += 1);
    }

    /// A write that has a place has come to its chip, and waits for nothing but the others of its flash page.
    pub fn note_come(&mut self, plane: PlaneId, line: Line) {
        self.placed_mut(plane, line).into_iter().for_each(|placed| placed.come += 1);
    }

    /// A write has its page, whether it `had_come` to its chip or is found there.
    pub fn note_bound(&mut self, plane: PlaneId, line: Line, had_come: bool) {
        if let Some(placed) = self.placed_mut(plane, line) {
            placed.waiting -= 1;
            placed.come -= u32::from(had_come);
        }
    }

    /// Whether a flash page of the plane that the line's writes are given places in has room for one more.
    pub(super) fn has_room_beside(&self, plane: PlaneId, line: Line) -> bool {
        self.placed(plane, line).room(self.pages_per_flash_page) > 0
    }

    /// Whether a flash page of the plane can be programmed: the others that have a place there fit into what is left. If `more`
    /// are to come, not before it is full.
    pub fn fills_flash_page(&self, plane: PlaneId, line: Line, more: bool) -> bool {
        let (placed, units) = (self.placed(plane, line), self.pages_per_flash_page);
        let least = units - placed.room(units);
        placed.come >= units || placed.come >= least && !(more && least < units)
    }

    /// Flash pages of the block that a frontier of a plane's group opened last which are taken in the plane, or given to writes
    /// on their way.
    pub(super) fn flash_pages_given(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        let Some(superblocks) = &self.superblocks else { return 0 };
        let (units, blocks) = (self.pages_per_flash_page, &self.planes[plane.index()].blocks);
        let stripe = superblocks.stripe(plane, frontier);
        let wanted = superblocks.gathering.flash_pages(plane, frontier, units);
        let left = |&block: &u32| {
            let b = &blocks[block as usize];
            let takes_data = !b.bad && !self.is_parity(plane, block);
            if takes_data { (self.pages_per_block - b.written) / units } else { 0 }
        };
        // Blocks opened before are filled first.
        let earlier = stripe.open.iter().filter(|&&block| block != stripe.current).map(left).sum();
        blocks[stripe.current as usize].written / units + wanted.saturating_sub(earlier)
    }

    /// The plane whose flash page the next write of a line is given, if it has room.
    pub fn plane_being_filled(&self, plane: PlaneId, line: Line) -> Option<PlaneId> {
        let stripe = self.superblocks.as_ref()?.stripe(plane, line.frontier);
        let at = PlaneId(self.group(plane).start as u32 + stripe.plane);
        self.has_room_beside(at, line).then_some(at)
    }
}
