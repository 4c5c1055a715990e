//! The host: flows, its software, queues or command slots, the link, and PCs.
//!
//! - In: its own [events](HostEvent), requests that the drive has [finished](Host::finish).
//! - Out: [`HostOutcome`]s: commands that have reached the drive.
//! - State: sources of requests, what waits where, messages on the link.

// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

pub mod arbiter;
mod arrivals;
pub mod attach;
pub mod cores;
mod exchange;
pub mod interrupts;
pub mod link;
pub mod message;
pub mod nvme;
pub mod port;
pub mod request;
pub mod sata;
mod tasks;

use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::engine::error::RunError;
use crate::engine::in_flight::{PageWork, Requests};
use crate::engine::time::Time;
use crate::host::arrivals::Flow;
use crate::host::attach::attached::Attached;
use crate::host::cores::Cores;
use crate::host::link::{Direction, Link};
use crate::host::port::Port;
use crate::host::request::RequestId;
use crate::host::tasks::HostTasks;
use crate::limits::Limits;
use crate::measure::probe::Probe;
use crate::measure::replay::{ReplayReport, TimeScaling};
use crate::workload::flow::{Loop, Source};
use crate::workload::sources::Sources;

#[derive(Clone, Copy, Debug)]
pub enum HostEvent {
    Arrival(u16),
    Awaited,
    ThinkTimeOver(u16),
    Submitted(RequestId),
    InterruptTaken(RequestId),
    CompletionHandled(RequestId),
    Computed(RequestId),
    Interrupt(u16),
    LinkSent(Direction),
    LinkArrived(Direction),
    Attachment,
}

/// Receives the host's events. A trait, so that it is inlined.
pub trait Later {
    fn at(&mut self, time: Time, event: HostEvent);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOutcome {
    /// Nothing but further messages.
    None,
    /// Others may have arrived.
    Completion {
        has_ended: bool,
    },
    Entries {
        queue: u16,
        count: u32,
    },
    Request(RequestId),
}

#[derive(Default)]
struct Failure(Option<String>);

impl Failure {
    #[inline(always)]
    fn note<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result.map_err(|reason| self.0 = Some(reason)).ok()
    }
}

pub struct Host {
    flows: Vec<Flow>,
    clock_factor: f64,
    time_scaling: Option<TimeScaling>,
    last_flow_first: bool,
    arrivals: u32,
    newest: Option<RequestId>,
    port: Port,
    cores: Cores,
    tasks: HostTasks,
    link: Link,
    /// Instead of the link, if the drive is attached to a PC.
    attached: Option<Box<Attached>>,
    failure: Failure,
    /// Writes with an unknown reclaim unit handle.
    pub invalid_placements: u64,
}

/// The host with what its steps change: requests in flight, and events.
pub struct HostStep<'a, P: Probe, L: Later> {
    host: &'a mut Host,
    requests: &'a mut Requests,
    pages: &'a mut PageWork<P>,
    now: Time,
    later: &'a mut L,
}

impl<P: Probe, L: Later> HostStep<'_, P, L> {
    /// By value, for functions that are not inlined: this step need not lie in memory.
    #[inline(always)]
    fn again(&mut self) -> HostStep<'_, P, L> {
        let HostStep { host, requests, pages, now, later } = self;
        HostStep { host, requests, pages, now: *now, later }
    }
}

impl Host {
    #[inline(always)]
    pub fn at<'a, P: Probe, L: Later>(
        &'a mut self,
        now: Time,
        requests: &'a mut Requests,
        pages: &'a mut PageWork<P>,
        later: &'a mut L,
    ) -> HostStep<'a, P, L> {
        HostStep { host: self, requests, pages, now, later }
    }

    pub fn new(design: &Design, workload: &Workload, limits: &Limits, sources: Sources) -> Self {
        let flows = workload.flow.iter().zip(&limits.flows).zip(sources.flows);
        let priorities: Vec<_> = workload.flow.iter().map(|flow| flow.priority).collect();
        let port = Port::new(&design.host, &priorities);
        let tasks = HostTasks::new(design, workload);
        Host {
            flows: flows.map(|((config, range), source)| Flow::new(config, range, source)).collect(),
            clock_factor: sources.factor,
            time_scaling: sources.scaling,
            last_flow_first: workload.last_flow_first,
            arrivals: 0,
            newest: None,
            cores: Cores::new(&design.host, port.queues(), tasks.are_some()),
            tasks,
            port,
            link: Link::new(design),
            attached: Attached::new(&design.attachment, u64::from(design.host.submission_entry_bytes)),
            failure: Failure::default(),
            invalid_placements: 0,
        }
    }

    #[inline]
    pub fn take_failure(&mut self) -> Option<RunError> {
        if self.failure.0.is_some() { self.failure.0.take().map(RunError::Trace) } else { None }
    }

    #[inline]
    pub fn has_arrivals(&self) -> bool {
        self.arrivals > 0
    }

    #[inline]
    pub fn take_newest(&mut self) -> Option<RequestId> {
        self.newest.take()
    }

    pub fn usage(&self) -> Vec<(String, Time)> {
        let links: &[_] = if self.link.is_half_duplex() {
            &[("host link", Direction::ToDevice)]
        } else {
            &[("link to device", Direction::ToDevice), ("link to host", Direction::ToHost)]
        };
        links.iter().map(|&(name, direction)| (name.to_owned(), self.link.busy(direction))).collect()
    }

    pub fn is_paced(&self) -> bool {
        self.flows.iter().all(|flow| matches!(flow.looping, Loop::Open))
    }

    pub fn attachment_usage(&self) -> Vec<(String, Time)> {
        self.attached.iter().flat_map(|pc| pc.usage()).map(|(part, busy)| (part.to_owned(), busy)).collect()
    }

    pub fn replay_reports(&self, workload: &Workload) -> Vec<ReplayReport> {
        let reports = self.flows.iter().zip(&workload.flow).filter_map(|(flow, config)| match &flow.source {
            Source::Replay(replay) => Some(replay.report(&config.name, flow.looping, self.clock_factor)),
            _ => None,
        });
        reports.collect()
    }

    pub fn take_time_scaling(&mut self) -> Option<TimeScaling> {
        self.time_scaling.take()
    }

    pub fn describe(&self) -> String {
        self.port.describe()
    }

    /// Every flow keeps `depth` requests outstanding from `start` on.
    pub fn start_closed_at(&mut self, depth: Option<u32>, start: Time) {
        for flow in &mut self.flows {
            flow.looping = depth.map_or(flow.looping, Loop::Closed);
            flow.start = start;
        }
    }

    pub fn sources(&mut self) -> impl Iterator<Item = &mut Source> {
        self.flows.iter_mut().map(|flow| &mut flow.source)
    }
}
