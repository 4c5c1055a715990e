use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::flash::interface::Operation;
use canaletto::host::request::{Kind, RequestId};
use canaletto::measure::probe::{Observer, Owner, Work};

#[derive(Default)]
pub struct Seen {
    pub entered: Vec<(u64, u64)>,
    pub programmed: Vec<Ppa>,
    pub erases: Vec<(Time, PlaneId, u32)>,
    pub programs_of_collection: Vec<(PlaneId, Time)>,
    pub events: Vec<Time>,
}

impl Observer for Seen {
    fn page_begins(&mut self, _: Time, _: RequestId, lpa: u64, sectors: u64, _: Kind) {
        self.entered.push((lpa, sectors));
    }

    fn page_programmed(&mut self, _: Time, _: RequestId, _: u64, _: u64, at: Ppa, _: Ppa) {
        self.programmed.push(at);
    }

    fn block_erased(&mut self, now: Time, plane: PlaneId, block: u32) {
        self.erases.push((now, plane, block));
    }

    fn array_works(&mut self, plane: PlaneId, operation: Operation, owner: Owner, from: Time, _: Time) {
        if (operation, owner.work) == (Operation::Program, Work::Gc) {
            self.programs_of_collection.push((plane, from));
        }
    }

    fn is_done(&mut self, now: Time) -> bool {
        self.events.push(now);
        false
    }
}
