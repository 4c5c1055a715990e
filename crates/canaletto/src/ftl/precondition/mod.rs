//! The state a drive is in before the run.
//!
//! `steady` computes it: [`rates`] has the writes per logical page, [`super::steady`] the state of collection,
//! [`drive`] the blocks, and [`Seeds`] contents without memory per page. `tests/precondition.rs` compares it with
//! `replay`.

pub mod drive;
pub mod occupied;
pub mod rates;
pub mod spaces;

use std::collections::BTreeMap;

use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::frontier::Frontier;
use crate::ftl::precondition::spaces::Spaces;
use crate::ftl::steady::seeded::SeededPlane;

pub struct Kind {
    /// In the order of [`SeededPlane::open`].
    pub frontiers: Vec<Frontier>,
    /// Per page that the host writes.
    pub write_amplification: f64,
    /// In a unit that all kinds share.
    pub writes: f64,
    /// By class, of the host's writes to the plane.
    pub rates: Vec<f64>,
}

pub struct Seeds {
    spaces: Spaces,
    planes: Vec<SeededPlane>,
    kinds: Vec<Kind>,
    kind_of: Vec<usize>,
    /// By packed address.
    adopted: BTreeMap<u64, u64>,
}

impl Seeds {
    pub fn new(spaces: Spaces, planes: Vec<SeededPlane>, kinds: Vec<Kind>, kind_of: Vec<usize>) -> Seeds {
        Seeds { spaces, planes, kinds, kind_of, adopted: BTreeMap::new() }
    }

    #[inline(always)]
    pub fn locate(&self, lpa: u64) -> Option<Ppa> {
        let (plane, local) = self.spaces.local(lpa)?;
        let (block, page) = self.planes[plane.index()].locate(local)?;
        Some(Ppa { plane, block, page })
    }

    /// In the beginning.
    pub fn content(&self, at: Ppa) -> Option<u64> {
        self.planes[at.plane.index()].content(at.block, at.page).map(|local| self.spaces.lpa(at.plane, local))
    }

    /// In the beginning.
    pub fn each_content(&self, plane: PlaneId, block: u32, mut give: impl FnMut(u32, u64)) {
        self.planes[plane.index()].each_content(block, |page, local| give(page, self.spaces.lpa(plane, local)));
    }

    /// Instead of the page computed for it.
    pub fn adopted(&self, at: Ppa) -> Option<u64> {
        if self.adopted.is_empty() { None } else { self.adopted.get(&at.pack()).copied() }
    }

    /// Instead of the page computed for it.
    pub fn adopt(&mut self, at: Ppa, lpa: u64) {
        self.adopted.insert(at.pack(), lpa);
    }

    #[inline(always)]
    pub fn give_up(&mut self, at: Ppa) -> bool {
        !self.adopted.is_empty() && self.adopted.remove(&at.pack()).is_some()
    }

    /// Where, and which.
    pub fn adopted_in(&self, plane: PlaneId, block: u32) -> impl Iterator<Item = (u32, u64)> + use<'_> {
        let first = Ppa { plane, block, page: 0 }.pack();
        self.adopted.range(first..=first + 0xffff).map(|(&at, &lpa)| (Ppa::unpack(at).page, lpa))
    }

    pub fn adopted_pages(&self) -> u64 {
        self.adopted.len() as u64
    }

    /// It holds data but need not; another one per `attempt`.
    pub fn stand_in(&self, lpa: u64, attempt: u32) -> Option<u64> {
        let (plane, local) = self.spaces.local(lpa)?;
        let other = self.planes[plane.index()].stand_in(local, attempt)?;
        Some(self.spaces.lpa(plane, other))
    }

    pub fn plane(&self, plane: PlaneId) -> (&SeededPlane, &Kind) {
        (&self.planes[plane.index()], &self.kinds[self.kind_of[plane.index()]])
    }

    pub fn write_amplification(&self) -> f64 {
        let addressed = |kind: &&Kind| kind.frontiers.iter().any(|frontier| matches!(frontier, Frontier::User(_)));
        let of_planes = || self.kind_of.iter().map(|&kind| &self.kinds[kind]).filter(addressed);
        let differ = self.kinds.len() > 1 && of_planes().any(|kind| kind.writes > 0.0);
        let weight = |kind: &Kind| if differ { kind.writes } else { 1.0 };
        let sum: f64 = of_planes().map(|kind| weight(kind) * kind.write_amplification).sum();
        sum / of_planes().map(weight).sum::<f64>()
    }
}
