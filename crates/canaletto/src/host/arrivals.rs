use super::{Host, HostEvent, HostStep, Later};
use crate::config::workload::Flow as FlowConfig;
use crate::engine::time::Time;
use crate::host::request::{Kind, Request, RequestId, Status};
use crate::limits::FlowRange;
use crate::measure::charges::RequestCharges;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::TransactionId;
use crate::workload::external::External;
use crate::workload::flow::{Loop, Source};
use crate::workload::replay::scaled;

pub(super) struct Flow {
    pub source: Source,
    pub looping: Loop,
    pub start: Time,
    /// Latest arrival of an open loop on the flow's own clock, slower by `Host::clock_factor`.
    own_time: Time,
    outstanding: u32,
    is_late: bool,
    /// In a closed loop, between a completion and the next request.
    think: Time,
    /// Of requests that name none.
    stream: u16,
    handles: u16,
}

impl Flow {
    pub fn new(config: &FlowConfig, range: &FlowRange, source: Source) -> Flow {
        Flow {
            source,
            looping: config.looping(),
            start: config.start(),
            own_time: Time::ZERO,
            outstanding: 0,
            is_late: false,
            think: config.synthetic.as_ref().map_or(Time::ZERO, |s| s.think_time.time()),
            stream: range.stream,
            handles: range.handles,
        }
    }

    /// The stream of a write that names a handle: an unknown one is the default (event Invalid Placement Identifier). An update
    /// of one is refused.
    #[cold]
    fn stream_of(&self, handle: u16, kind: Kind, invalid: &mut u64) -> u16 {
        if handle < self.handles || kind == Kind::Update {
            return handle;
        }
        *invalid += 1;
        0
    }

    fn own_time_is(&mut self, own_time: Time, clock_factor: f64) -> Time {
        self.own_time = own_time;
        // Times beyond 64 bits end the run.
        Time(u64::try_from(scaled(own_time.0.into(), clock_factor)).unwrap_or(u64::MAX))
    }
}

impl Host {
    pub fn start(&mut self, only: Option<u16>, later: &mut impl Later) {
        let flows = self.flows.len();
        for place in 0..flows {
            let id = (if self.last_flow_first { flows - 1 - place } else { place }) as u16;
            if only.is_none_or(|only| only == id) {
                self.start_flow(id, later);
            }
        }
    }

    fn start_flow(&mut self, id: u16, later: &mut impl Later) {
        let flow = &mut self.flows[usize::from(id)];
        let first = match flow.looping {
            Loop::Closed(_) | Loop::Unpaced => Some(flow.start),
            Loop::Open | Loop::Limited(_) => {
                let first = self.failure.note(flow.source.first_arrival()).flatten();
                first.map(|first| flow.own_time_is(flow.start + first, self.clock_factor))
            }
        };
        if let Some(first) = first {
            later.at(first, HostEvent::Arrival(id));
            self.arrivals += 1;
        } else if self.external().is_some() {
            later.at(Time::ZERO, HostEvent::Awaited);
        }
    }

    pub fn external(&mut self) -> Option<&mut External> {
        match self.flows.first_mut().map(|flow| &mut flow.source) {
            Some(Source::External(external)) => Some(external),
            _ => None,
        }
    }

    /// Later than anything if there is none.
    pub fn next_submitted(&mut self) -> Time {
        self.external().map_or(Time::MAX, |external| external.next_arrival())
    }

    pub fn schedule_submitted(&mut self) {
        if let Some(external) = self.external() {
            external.schedule();
            self.arrivals += 1;
        }
    }
}

impl<P: Probe, L: Later> HostStep<'_, P, L> {
    #[inline(never)]
    pub fn arrive(&mut self, id: u16) {
        self.host.arrivals -= 1;
        match self.host.flows[usize::from(id)].looping {
            Loop::Closed(depth) => {
                for _ in 0..depth {
                    if !self.generate_now(id) {
                        break;
                    }
                }
            }
            Loop::Unpaced => self.again().fill_queue(id),
            Loop::Open => self.arrive_paced(id),
            Loop::Limited(most) => {
                let flow = &mut self.host.flows[usize::from(id)];
                flow.is_late = flow.outstanding == most;
                if flow.is_late {
                    self.host.arrivals += 1;
                } else {
                    flow.outstanding += 1;
                    self.arrive_paced(id);
                }
            }
        }
    }

    fn arrive_paced(&mut self, id: u16) {
        if !self.generate_now(id) {
            return;
        }
        let flow = &mut self.host.flows[usize::from(id)];
        let following = self.host.failure.note(flow.source.following_arrival(flow.own_time));
        if let Some(own_time) = following.flatten() {
            let time = flow.own_time_is(own_time, self.host.clock_factor);
            // A trace's clock never runs backwards. Late requests come at once.
            self.later.at(time.max(self.now), HostEvent::Arrival(id));
            self.host.arrivals += 1;
        } else if let Source::External(_) = flow.source {
            self.later.at(self.now, HostEvent::Awaited);
        }
    }

    #[inline(never)]
    pub fn think_time_over(&mut self, id: u16) {
        self.host.arrivals -= 1;
        self.generate_now(id);
    }

    #[inline(never)]
    fn fill_queue(mut self, id: u16) {
        let arrival = self.host.flows[usize::from(id)].start;
        while self.host.port.has_room(id) && self.host.cores.is_idle(self.host.port.next_queue(id), self.now) {
            if !self.again().generate_at(id, arrival) {
                break;
            }
        }
    }

    #[inline(always)]
    pub(super) fn fill_queues(&mut self, flow: u16) {
        let flows = self.host.flows.len() as u16;
        let sharers = if self.host.has_slots() { flows } else { 1 };
        for turn in 1..=sharers {
            let id = if sharers == 1 { flow } else { (flow + turn) % flows };
            let Flow { looping, start, .. } = self.host.flows[usize::from(id)];
            if looping == Loop::Unpaced && start <= self.now {
                self.again().fill_queue(id);
            }
        }
    }

    #[inline(always)]
    pub(super) fn follow_up(&mut self, id: u16) {
        let Flow { looping, think, .. } = self.host.flows[usize::from(id)];
        match looping {
            Loop::Closed(_) => {}
            Loop::Limited(_) => return self.again().has_place(id),
            Loop::Open | Loop::Unpaced => return,
        }
        if think == Time::ZERO {
            self.generate(id, self.now);
        } else if self.host.flows[usize::from(id)].source.may_go_on(self.now + think) {
            self.later.at(self.now + think, HostEvent::ThinkTimeOver(id));
            self.host.arrivals += 1;
        }
    }

    #[inline(never)]
    fn has_place(self, id: u16) {
        let flow = &mut self.host.flows[usize::from(id)];
        flow.outstanding -= 1;
        if std::mem::take(&mut flow.is_late) {
            self.later.at(self.now, HostEvent::Arrival(id));
        }
    }

    fn generate_now(&mut self, id: u16) -> bool {
        let now = self.now;
        self.again().generate_at(id, now)
    }

    #[inline(never)]
    fn generate_at(mut self, id: u16, arrival: Time) -> bool {
        self.generate(id, arrival)
    }

    /// In line where a request follows another.
    #[inline(always)]
    fn generate(&mut self, id: u16, arrival: Time) -> bool {
        let flow = &mut self.host.flows[usize::from(id)];
        let own_time = if flow.looping.is_paced() { flow.own_time } else { self.now };
        let Some(wanted) = self.host.failure.note(flow.source.next(own_time)).flatten() else {
            return false;
        };
        let stream = match wanted.handle {
            None => flow.stream,
            Some(handle) => flow.stream_of(handle, wanted.kind, &mut self.host.invalid_placements),
        };
        let queue = self.host.port.take_turn(id);
        let request = self.requests.new_request(
            self.pages,
            Request {
                number: self.requests.statistics.generated() as u32,
                flow: id,
                queue,
                stream,
                kind: wanted.kind,
                zeroes: wanted.zeroes,
                fua: wanted.fua,
                status: Status::Success,
                path_conflict: false,
                edges: wanted.edges,
                lost: Time::ZERO,
                lba: wanted.lba,
                sectors: wanted.sectors,
                outstanding: 0,
                unbegun: 0,
                held: 0,
                arrival,
                enqueue: self.now,
                since: arrival,
                charges: RequestCharges::NONE,
                last_page: TransactionId::NONE,
            },
        );
        self.pages.probe.notify(|observer| observer.arrived(&self.requests[request]));
        self.requests.statistics.count_arrival(id, arrival);
        self.host.newest = Some(request);
        // The host's software takes it up, on the core of its queue.
        match self.host.cores.submit(queue, self.now) {
            Some(time) => self.later.at(time, HostEvent::Submitted(request)),
            None => self.submit(request, queue),
        }
        true
    }

    #[inline(never)]
    pub fn submitted(&mut self, request: RequestId) {
        let Request { flow, queue, .. } = self.requests[request];
        self.submit(request, queue);
        self.fill_queues(flow)
    }
}
