//! DMAs of a PC with a fixed-latency drive: a command, data over one path or both, an interrupt.
//!
//! A dual-port drive gets all parts in one packed command and interrupts once.

use crate::config::pc::{FixedSsd, Pc};
use crate::engine::time::Time;
use crate::host::attach::routes::{Route, Routes, divide};
use crate::host::attach::service::{Service, Work};
use crate::host::attach::steps::{Step, Steps};
use crate::host::attach::traffic::{Arrived, Traffic};

const REGISTER_BYTES: u32 = 4;
/// Serial ATA 2.6 §10.3.4 and §10.3.5: five double words.
const COMMAND_BYTES: u32 = 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    Read(Work),
    Write,
    DirectWrite,
}

#[derive(Clone, Debug)]
pub enum Job {
    Dma(Vec<Move>, u64),
    Receive(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Command,
    Data,
    Completion,
}

struct State {
    job: Job,
    after: Vec<usize>,
    waits: usize,
    phase: Phase,
    streams: usize,
    steps: Steps,
}

struct Run<'a> {
    pc: &'a Pc,
    routes: Routes,
    traffic: Traffic,
    states: Vec<State>,
}

/// Returns the account of the last to end, its waits included.
pub fn carry_out(pc: &Pc, ssd: &FixedSsd, jobs: Vec<(Job, Vec<usize>)>) -> Steps {
    let service = Service::new(&pc.attachment, ssd, pc.network.rate);
    let states = jobs.into_iter().map(|(job, after)| State {
        job,
        waits: after.len(),
        after,
        phase: Phase::Command,
        streams: 0,
        steps: Steps::open(Time::ZERO),
    });
    let mut run = Run {
        pc,
        routes: Routes::new(&pc.attachment),
        traffic: Traffic::new(service, &pc.attachment.dma),
        states: states.collect(),
    };
    run.all()
}

impl Run<'_> {
    fn all(&mut self) -> Steps {
        let mut last = Steps::open(Time::ZERO);
        for job in 0..self.states.len() {
            if self.states[job].waits == 0 {
                self.start(job, last, Time::ZERO);
            }
        }
        while self.traffic.next_time() < Time::MAX {
            if let Some(ended) = self.traffic.step().and_then(|arrived| self.arrived(arrived)) {
                last = ended;
            }
        }
        last
    }

    fn start(&mut self, id: usize, steps: Steps, now: Time) {
        self.states[id].steps = steps;
        match &self.states[id].job {
            Job::Dma(moves, bytes) => {
                let streams = moves.iter().map(|what| self.ways(*what, *bytes).len()).sum::<usize>() as u64;
                let driver = &self.pc.driver;
                let time = driver.command.time() + driver.pack.time() * (streams - 1);
                let descriptor = driver.descriptor_bytes * streams as u32;
                let route = self.routes.command(REGISTER_BYTES, descriptor, COMMAND_BYTES).from_processor(time);
                self.open(id, Phase::Command, &[(route, 1)], now);
            }
            Job::Receive(bytes) => self.open(id, Phase::Data, &[(self.routes.download(), *bytes)], now),
        }
    }

    fn open(&mut self, id: usize, phase: Phase, streams: &[(Route, u64)], now: Time) {
        let state = &mut self.states[id];
        (state.phase, state.streams) = (phase, streams.len());
        for (route, bytes) in streams {
            self.traffic.open(id as u32, *route, *bytes, now);
        }
    }

    fn arrived(&mut self, arrived: Arrived) -> Option<Steps> {
        let id = arrived.token as usize;
        let state = &mut self.states[id];
        state.streams -= 1;
        if state.streams > 0 {
            return None;
        }
        let instead = match state.phase {
            Phase::Command => Some(Step::Command),
            Phase::Data => None,
            Phase::Completion => Some(Step::Completion),
        };
        state.steps.add(&arrived.steps, instead);
        debug_assert_eq!(state.steps.total(), arrived.time, "the account of a DMA does not close");
        let state = &self.states[id];
        match (state.phase, &state.job) {
            (Phase::Command, Job::Dma(moves, bytes)) => {
                let streams: Vec<_> = moves.iter().flat_map(|what| self.ways(*what, *bytes)).collect();
                self.open(id, Phase::Data, &streams, arrived.time);
            }
            (Phase::Data, Job::Dma(..)) => {
                let interrupt = self.routes.interrupt(COMMAND_BYTES, REGISTER_BYTES);
                let route = interrupt.to_processor(self.pc.driver.interrupt.time());
                self.open(id, Phase::Completion, &[(route, 1)], arrived.time);
            }
            _ => return Some(self.ended(id, arrived.time)),
        }
        None
    }

    fn ended(&mut self, id: usize, now: Time) -> Steps {
        let steps = self.states[id].steps;
        for other in 0..self.states.len() {
            if self.states[other].after.contains(&id) {
                self.states[other].waits -= 1;
                if self.states[other].waits == 0 {
                    self.start(other, steps, now);
                }
            }
        }
        steps
    }

    fn ways(&self, what: Move, bytes: u64) -> Vec<(Route, u64)> {
        let routes = self.routes;
        let (bridges, direct) = match what {
            Move::DirectWrite => (0, bytes),
            _ => divide(&self.pc.attachment, what == Move::Write, bytes),
        };
        let ways = match what {
            Move::Read(work) => [
                (routes.to_memory().out_of_drive(work, 0), bridges),
                (routes.direct(false).out_of_drive(work, 1), direct),
            ],
            Move::Write | Move::DirectWrite => {
                [(routes.to_drive().into_drive(0), bridges), (routes.direct(true).into_drive(1), direct)]
            }
        };
        ways.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
    }
}
