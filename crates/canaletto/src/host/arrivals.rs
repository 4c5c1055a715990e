//! Requests arrive: by a flow's clock, or as those before them complete.

use super::{Host, HostEvent, Later};
use crate::config::workload::Flow as FlowConfig;
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::host::request::{Request, RequestId};
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
    /// Latest arrival of an open loop on the flow's own clock, which is slower by `Host::clock_factor`.
    own_time: Time,
    outstanding: u32,
    is_late: bool,
    /// In a closed loop: time between a completion and the request that follows it.
    think: Time,
}

impl Flow {
    pub fn new(config: &FlowConfig, source: Source) -> Flow {
        Flow {
            source,
            looping: config.looping(),
            start: config.start(),
            own_time: Time::ZERO,
            outstanding: 0,
            is_late: false,
            think: config.synthetic.as_ref().map_or(Time::ZERO, |s| s.think_time.time()),
        }
    }

    /// Moves the flow's own clock on to `own_time`. Returns what time it is then in the simulation.
    fn own_time_is(&mut self, own_time: Time, clock_factor: f64) -> Time {
        self.own_time = own_time;
        // What is beyond 64 bits ends the run.
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

    /// The requests from outside, if that is where they come from.
    pub fn external(&mut self) -> Option<&mut External> {
        match self.flows.first_mut().map(|flow| &mut flow.source) {
            Some(Source::External(external)) => Some(external),
            _ => None,
        }
    }

    /// The next unscheduled arrival from outside; later than anything if there is none.
    pub fn next_submitted(&mut self) -> Time {
        self.external().map_or(Time::MAX, |external| external.next_arrival())
    }

    pub fn schedule_submitted(&mut self) {
        if let Some(external) = self.external() {
            external.schedule();
            self.arrivals += 1;
        }
    }

    /// A flow starts, or its next request arrives.
    #[inline(never)]
    pub fn arrive<P: Probe>(&mut self, id: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        self.arrivals -= 1;
        match self.flows[usize::from(id)].looping {
            Loop::Closed(depth) => {
                for _ in 0..depth {
                    if !self.generate(id, now, work, now, later) {
                        break;
                    }
                }
            }
            Loop::Unpaced => self.fill_queue(id, work, now, later),
            Loop::Open => self.arrive_paced(id, work, now, later),
            Loop::Limited(most) => {
                let flow = &mut self.flows[usize::from(id)];
                flow.is_late = flow.outstanding == most;
                if flow.is_late {
                    self.arrivals += 1;
                } else {
                    flow.outstanding += 1;
                    self.arrive_paced(id, work, now, later);
                }
            }
        }
    }

    /// The next request of an open loop arrives.
    fn arrive_paced<P: Probe>(&mut self, id: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        if !self.generate(id, now, work, now, later) {
            return;
        }
        let flow = &mut self.flows[usize::from(id)];
        let following = self.failure.note(flow.source.following_arrival(flow.own_time));
        if let Some(own_time) = following.flatten() {
            let time = flow.own_time_is(own_time, self.clock_factor);
            // A trace's clock never runs backwards. Late requests come at once.
            later.at(time.max(now), HostEvent::Arrival(id));
            self.arrivals += 1;
        } else if let Source::External(_) = flow.source {
            later.at(now, HostEvent::Awaited);
        }
    }

    #[inline(never)]
    pub fn think_time_over<P: Probe>(
        &mut self,
        id: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        self.arrivals -= 1;
        self.generate(id, now, work, now, later);
    }

    /// Makes requests as long as they need not wait.
    #[inline(never)]
    fn fill_queue<P: Probe>(&mut self, id: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        let arrival = self.flows[usize::from(id)].start;
        while self.port.has_room(id) && self.cores.is_idle(self.port.next_queue(id), now) {
            if !self.generate(id, arrival, work, now, later) {
                break;
            }
        }
    }

    /// Fills queues that may have room, the next flow's first.
    #[inline(always)]
    pub(super) fn fill_queues<P: Probe>(
        &mut self,
        flow: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        let flows = self.flows.len() as u16;
        let sharers = if self.speaks_sata() { flows } else { 1 };
        for turn in 1..=sharers {
            let id = if sharers == 1 { flow } else { (flow + turn) % flows };
            let Flow { looping, start, .. } = self.flows[usize::from(id)];
            if looping == Loop::Unpaced && start <= now {
                self.fill_queue(id, work, now, later);
            }
        }
    }

    /// A request is complete: in a closed loop the next one follows, perhaps after a think time.
    #[inline(always)]
    pub(super) fn follow_up<P: Probe>(
        &mut self,
        id: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        let Flow { looping, think, .. } = self.flows[usize::from(id)];
        match looping {
            Loop::Closed(_) => {}
            Loop::Limited(_) => return self.has_place(id, now, later),
            Loop::Open | Loop::Unpaced => return,
        }
        if think == Time::ZERO {
            self.generate(id, now, work, now, later);
        } else if self.flows[usize::from(id)].source.may_go_on(now + think) {
            later.at(now + think, HostEvent::ThinkTimeOver(id));
            self.arrivals += 1;
        }
    }

    /// A request of a flow with a limit is complete: one that is late arrives.
    #[inline(never)]
    fn has_place(&mut self, id: u16, now: Time, later: &mut impl Later) {
        let flow = &mut self.flows[usize::from(id)];
        flow.outstanding -= 1;
        if std::mem::take(&mut flow.is_late) {
            later.at(now, HostEvent::Arrival(id));
        }
    }

    /// Makes and submits the flow's next request. Returns whether there was one.
    #[inline]
    fn generate<P: Probe>(
        &mut self,
        id: u16,
        arrival: Time,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> bool {
        let flow = &mut self.flows[usize::from(id)];
        let own_time = if flow.looping.is_paced() { flow.own_time } else { now };
        let Some(wanted) = self.failure.note(flow.source.next(own_time)).flatten() else {
            return false;
        };
        let queue = self.port.take_turn(id);
        let request = work.new_request(Request {
            number: work.statistics.generated() as u32,
            flow: id,
            queue,
            kind: wanted.kind,
            zeroes: wanted.zeroes,
            fua: wanted.fua,
            failed: false,
            path_conflict: false,
            lost: Time::ZERO,
            lba: wanted.lba,
            sectors: wanted.sectors,
            outstanding: 0,
            unbegun: 0,
            cached: 0,
            arrival,
            enqueue: now,
            since: arrival,
            charges: RequestCharges::NONE,
            last_page: TransactionId::NONE,
        });
        work.pages.probe.notify(|observer| observer.arrived(&work.requests[request]));
        work.statistics.count_arrival(id, arrival);
        self.newest = Some(request);
        // The host's software takes it up, on the core of its queue.
        match self.cores.submit(queue, now) {
            Some(time) => later.at(time, HostEvent::Submitted(request)),
            None => self.submit(request, queue, work, now, later),
        }
        true
    }

    #[inline(never)]
    pub fn submitted<P: Probe>(
        &mut self,
        request: RequestId,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        let Request { flow, queue, .. } = work.requests[request];
        self.submit(request, queue, work, now, later);
        self.fill_queues(flow, work, now, later)
    }
}
