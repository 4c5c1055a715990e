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
    /// The next arrival of a flow is unknown: its place in the order of events is kept.
    Awaited,
    /// A flow in a closed loop has thought about a completion long enough for its next request.
    ThinkTimeOver(u16),
    Submitted(RequestId),
    InterruptTaken(RequestId),
    CompletionHandled(RequestId),
    /// The host has computed on the data of a task.
    Computed(RequestId),
    /// Completions of a queue may have waited long enough for an interrupt.
    Interrupt(u16),
    LinkSent(Direction),
    LinkArrived(Direction),
    /// Something has happened in the PC between host and drive.
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
    /// A completion has reached the host: requests may have come to their ends, and others have arrived.
    Completion,
    /// Entries of a submission queue, to be [taken](Host::take_entry) one by one.
    Entries {
        queue: u16,
        count: u32,
    },
    Request(RequestId),
}

/// Kept until the run asks.
#[derive(Default)]
struct Failure(Option<String>);

impl Failure {
    #[inline]
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
    /// In the link's place, if the drive is attached to a PC.
    attached: Option<Box<Attached>>,
    failure: Failure,
}

/// The host at one moment, with what its steps change next to its own state: requests in flight, and events to come.
pub struct HostStep<'a, P: Probe, L: Later> {
    host: &'a mut Host,
    requests: &'a mut Requests,
    pages: &'a mut PageWork<P>,
    now: Time,
    later: &'a mut L,
}

impl<P: Probe, L: Later> HostStep<'_, P, L> {
    /// The step for a function that is not put in line and takes it by value: so this one need not lie in memory.
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

    /// Flows are ready to start.
    pub fn new(design: &Design, workload: &Workload, limits: &Limits, sources: Sources) -> Self {
        let flows = workload.flow.iter().zip(&limits.flows).zip(sources.flows);
        let priorities: Vec<_> = workload.flow.iter().map(|flow| flow.priority).collect();
        let port = Port::new(&design.host, &priorities);
        let tasks = HostTasks::new(design, workload);
        Host {
            flows: flows.map(|((config, _), source)| Flow::new(config, source)).collect(),
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

    /// Whether every request has its own arrival time, whatever becomes of those before it.
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

    /// Makes every flow keep that many requests outstanding from now on, and start at `start`.
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
