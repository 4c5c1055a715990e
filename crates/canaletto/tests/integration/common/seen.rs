//! Steps of a run: part of the shadow, the one probe of all tests, since the engine is compiled for each.

use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::host::request::{Kind, RequestId};
use canaletto::measure::probe::Probe;

#[derive(Default)]
pub struct Seen {
    /// Pages and sectors with which requests entered the drive.
    pub entered: Vec<(u64, u64)>,
    /// Places of programs, in their order.
    pub programmed: Vec<Ppa>,
    /// Erases of blocks, with their times.
    pub erases: Vec<(Time, PlaneId, u32)>,
}

impl Probe for Seen {
    fn page_begins(&mut self, _: Time, _: RequestId, lpa: u64, sectors: u64, _: Kind) {
        self.entered.push((lpa, sectors));
    }

    fn page_programmed(&mut self, _: Time, _: RequestId, _: u64, _: u64, at: Ppa, _: Ppa) {
        self.programmed.push(at);
    }

    fn block_erased(&mut self, now: Time, plane: PlaneId, block: u32) {
        self.erases.push((now, plane, block));
    }
}
