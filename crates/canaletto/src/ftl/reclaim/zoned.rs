//! Zones: the host writes in order and resets, so that nothing is collected.

use super::Reclaim;
use super::gc::Collector;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::Entry;
use crate::ftl::zones::Zones;

/// Zones, whose blocks the host reclaims.
pub struct Zoned(pub Box<Zones>);

/// Writes have their pages from the beginning, and are programmed in the order in which they were queued.
impl Reclaim for Zoned {
    fn locate(&self, _blocks: &Blocks, lpa: u64) -> Entry {
        self.0.locate(lpa)
    }

    fn read_begins(&mut self, _blocks: &mut Blocks, at: Ppa) {
        self.0.read_begins(at);
    }

    fn read_ends(&mut self, _blocks: &mut Blocks, _collector: &Collector, from: Ppa) -> bool {
        self.0.read_ends(from)
    }

    fn program_ends(&mut self, _blocks: &mut Blocks, at: Ppa) {
        self.0.program_ends(at);
    }

    fn count_valid(&self, _mapped: u64) -> u64 {
        0
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn fills_bound_pages(&self) -> bool {
        true
    }

    fn describe(&self, _collector: &Collector, _plane: PlaneId) -> String {
        self.0.describe()
    }
}
