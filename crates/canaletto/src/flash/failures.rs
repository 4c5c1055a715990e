use crate::config::medium::Failures as FailuresConfig;
use crate::engine::random::Stream;
use crate::flash::address::PlaneId;
use crate::flash::plane_set::PlaneSet;

pub struct Failures {
    program: f64,
    erase: f64,
    read: f64,
    random: Stream,
    lost: PlaneSet,
    pub programs: u64,
    pub erases: u64,
}

impl Failures {
    pub fn new(config: &FailuresConfig, seed: u64) -> Failures {
        Failures {
            program: config.program,
            erase: config.erase,
            read: config.read,
            lost: PlaneSet::default(),
            random: Stream::named(seed, "flash failures"),
            programs: 0,
            erases: 0,
        }
    }

    pub fn lose(&mut self, planes: &[PlaneId]) {
        self.lost.add(planes);
    }

    pub fn program_fails(&mut self, plane: PlaneId) -> bool {
        let failed = self.is_lost(plane) || self.program > 0.0 && self.random.uniform() < self.program;
        self.programs += u64::from(failed);
        failed
    }

    pub fn erase_fails(&mut self, plane: PlaneId) -> bool {
        let failed = self.is_lost(plane) || self.erase > 0.0 && self.random.uniform() < self.erase;
        self.erases += u64::from(failed);
        failed
    }

    pub fn read_fails(&mut self, plane: PlaneId) -> bool {
        self.is_lost(plane) || self.read > 0.0 && self.random.uniform() < self.read
    }

    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.lost.has(plane)
    }
}
