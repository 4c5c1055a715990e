use crate::engine::time::Time;
use crate::flash::address::PlaneId;
use crate::ftl::frontier::{Frontier, OWN};

#[derive(Clone, Default)]
pub(super) struct Open {
    pub(super) block: Option<u32>,
    pub(super) left: u32,
    pub(super) stalled: Time,
    pub(super) stalled_since: Option<Time>,
}

impl Open {
    pub(super) fn with_room(&self) -> Option<u32> {
        if self.left > 0 { self.block } else { None }
    }

    #[inline]
    pub(super) fn has_gone_on(&self) -> bool {
        self.left > 0 && self.stalled_since.is_none()
    }

    fn note_stall(&mut self, has_page: bool, now: Time) {
        match (has_page, self.stalled_since) {
            (false, None) => self.stalled_since = Some(now),
            (true, Some(since)) => {
                self.stalled += now - since;
                self.stalled_since = None;
            }
            _ => {}
        }
    }
}

pub(super) struct Frontiers {
    open: Vec<Open>,
    per_plane: usize,
    streams: u16,
    is_cached: bool,
}

impl Frontiers {
    /// `streams` for the host each, and as many for the pseudo-SLC cache if it `is_cached`, or for collection if
    /// streams stay `apart`.
    pub(super) fn new(planes: u32, streams: u16, is_cached: bool, apart: bool) -> Frontiers {
        let per_plane = OWN + usize::from(streams) * (2 + usize::from(is_cached || apart));
        Frontiers { open: vec![Open::default(); planes as usize * per_plane], per_plane, streams, is_cached }
    }

    pub(super) fn per_plane(&self) -> usize {
        self.per_plane
    }

    pub(super) fn streams(&self) -> u16 {
        self.streams
    }

    pub(super) fn of_host(&self) -> impl Iterator<Item = Frontier> + use<> {
        let cached = if self.is_cached { self.streams } else { 0 };
        (0..self.streams).map(Frontier::User).chain((0..cached).map(Frontier::Cached))
    }

    #[inline]
    pub(super) fn get(&self, plane: PlaneId, frontier: Frontier) -> &Open {
        &self.open[plane.index() * self.per_plane + frontier.index(self.streams)]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, plane: PlaneId, frontier: Frontier) -> &mut Open {
        &mut self.open[plane.index() * self.per_plane + frontier.index(self.streams)]
    }

    pub(super) fn of_plane(&self, plane: PlaneId) -> &[Open] {
        &self.open[plane.index() * self.per_plane..][..self.per_plane]
    }

    pub(super) fn of_plane_mut(&mut self, plane: PlaneId) -> &mut [Open] {
        &mut self.open[plane.index() * self.per_plane..][..self.per_plane]
    }

    /// Full or not.
    pub(super) fn have(&self, plane: PlaneId, block: u32) -> bool {
        self.of_plane(plane).iter().any(|open| open.block == Some(block))
    }

    pub(super) fn fill(&mut self, plane: PlaneId, frontier: Frontier, block: u32, left: u32) {
        let open = self.get_mut(plane, frontier);
        (open.block, open.left) = (Some(block), left);
    }

    pub(super) fn close(&mut self, plane: PlaneId, block: u32) {
        for open in self.of_plane_mut(plane).iter_mut().filter(|open| open.block == Some(block)) {
            (open.block, open.left) = (None, 0);
        }
    }

    pub(super) fn release(&mut self, plane: PlaneId) {
        self.of_plane_mut(plane).iter_mut().for_each(|open| (open.block, open.left) = (None, 0));
    }

    pub(super) fn note_stall(&mut self, plane: PlaneId, frontier: Frontier, has_page: bool, now: Time) {
        self.get_mut(plane, frontier).note_stall(has_page, now);
    }

    /// Until `now`.
    #[inline(always)]
    pub(super) fn stall_clock(&self, plane: PlaneId, frontier: Frontier, now: Time) -> Time {
        let open = self.get(plane, frontier);
        open.stalled + open.stalled_since.map_or(Time::ZERO, |since| now - since)
    }

    pub(super) fn reset_stalls(&mut self) {
        for open in &mut self.open {
            (open.stalled, open.stalled_since) = (Time::ZERO, None);
        }
    }
}
