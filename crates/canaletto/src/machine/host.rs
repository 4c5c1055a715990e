//! At the host's end: requests arrive, are handed to the host's software, cross the link and are completed. What differs between
//! host interfaces is in [`super::nvme`] and [`super::sata`].

use super::{Event, Flow, Machine};
use crate::RunError;
use crate::fabric::Fabric;
use crate::host::link::{Direction, Message};
use crate::host::port::Port;
use crate::host::request::{Kind, Request, RequestId};
use crate::measure::blame::{Account, Cause};
use crate::measure::probe::Probe;
use crate::measure::records::Row;
use crate::sim::time::Time;
use crate::workload::flow::Loop;
use crate::workload::replay::scaled;

impl Flow {
    /// Moves the flow's own clock on to `own_time`. Returns what time it is then in the simulation.
    fn own_time_is(&mut self, own_time: Time, clock_factor: f64) -> Time {
        self.own_time = own_time;
        // What is beyond 64 bits ends the run, as everything late does.
        Time(u64::try_from(scaled(own_time.0.into(), clock_factor)).unwrap_or(u64::MAX))
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    pub(super) fn start_flow(&mut self, id: u16) -> Result<(), RunError> {
        let flow = &mut self.flows[id as usize];
        let first = match flow.looping {
            Loop::Closed(_) | Loop::Unpaced => Some(flow.start),
            Loop::Open => {
                let first = flow.source.first_arrival().map_err(RunError::Trace)?;
                first.map(|first| flow.own_time_is(flow.start + first, self.clock_factor))
            }
        };
        if let Some(first) = first {
            self.events.push(first, Event::Arrival(id));
            self.arrivals += 1;
        }
        Ok(())
    }

    /// A flow starts (without times: with all requests that may be outstanding), or its next request arrives.
    pub(super) fn arrival(&mut self, id: u16, now: Time) -> Result<(), RunError> {
        match self.flows[id as usize].looping {
            Loop::Closed(depth) => {
                for _ in 0..depth {
                    if !self.generate(id, now, now)? {
                        break;
                    }
                }
            }
            Loop::Unpaced => self.fill_queue(id, now)?,
            Loop::Open => {
                if self.generate(id, now, now)? {
                    let flow = &mut self.flows[id as usize];
                    let following = flow.source.following_arrival(flow.own_time).map_err(RunError::Trace)?;
                    if let Some(own_time) = following {
                        let time = flow.own_time_is(own_time, self.clock_factor);
                        // A trace's clock may repeat itself, but the reader has made sure that it never runs backwards.
                        self.events.push(time.max(now), Event::Arrival(id));
                        self.arrivals += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes requests that have been there since the flow's start, as long as they do not have to wait any more.
    fn fill_queue(&mut self, id: u16, now: Time) -> Result<(), RunError> {
        let arrival = self.flows[id as usize].start;
        while self.port.has_room(id) && self.cores.is_idle(self.port.next_queue(id), now) {
            if !self.generate(id, arrival, now)? {
                break;
            }
        }
        Ok(())
    }

    /// A request of a closed loop is complete: the next one comes, at once or after some thought.
    fn follow_up(&mut self, id: u16, now: Time) -> Result<(), RunError> {
        let think = self.flows[id as usize].think;
        if think == Time::ZERO {
            self.generate(id, now, now)?;
        } else {
            self.events.push(now + think, Event::Thought(id));
            self.arrivals += 1;
        }
        Ok(())
    }

    /// Makes the flow's next request, which has been there since `arrival`, and submits it. Returns whether there was one.
    pub(super) fn generate(&mut self, id: u16, arrival: Time, now: Time) -> Result<bool, RunError> {
        self.end_idleness();
        let flow = &mut self.flows[id as usize];
        let own_time = if flow.looping == Loop::Open { flow.own_time } else { now };
        let Some(wanted) = flow.source.next(own_time).map_err(RunError::Trace)? else {
            return Ok(false);
        };
        let request = self.requests.insert(Request {
            number: self.generated as u32,
            flow: id,
            queue: 0,
            kind: wanted.kind,
            zeroes: wanted.zeroes,
            fua: wanted.fua,
            failed: false,
            path_conflict: false,
            lost: Time::ZERO,
            lba: wanted.lba,
            sectors: wanted.sectors,
            outstanding: 0,
            cached: 0,
            arrival,
            enqueue: now,
            account: Account::open(arrival),
        });
        let first_page = flow.first_page + ((wanted.lba - flow.first_sector) >> self.layout.sector_shift);
        self.map.expect(first_page);
        self.probe.arrived(&self.requests[request]);
        self.generated += 1;
        self.first_arrival.get_or_insert(arrival);
        flow.tally.generated += 1;
        self.hand_to_core(id, request, now);
        Ok(true)
    }

    /// The host's software takes a request up, on the core of the queue that it will take.
    fn hand_to_core(&mut self, flow: u16, request: RequestId, now: Time) {
        let queue = self.port.next_queue(flow);
        if let Port::Nvme(nvme) = &mut self.port {
            nvme.turn(flow);
        }
        self.requests[request].queue = queue;
        match self.cores.submit(queue, now) {
            Some(time) => self.events.push(time, Event::Submitted(request)),
            None => self.submit(request, now),
        }
    }

    /// The host's software is through with a request.
    pub(super) fn submitted(&mut self, request: RequestId, now: Time) -> Result<(), RunError> {
        self.submit(request, now);
        self.fill_queues(self.requests[request].flow, now)
    }

    /// There may be room for requests of a flow that need not wait; where all flows share the room, for those of any such
    /// flow, the next one first.
    fn fill_queues(&mut self, flow: u16, now: Time) -> Result<(), RunError> {
        let flows = self.flows.len() as u16;
        let sharers = if matches!(self.port, Port::Sata(_)) { flows } else { 1 };
        for turn in 1..=sharers {
            let id = if sharers == 1 { flow } else { (flow + turn) % flows };
            let Flow { looping, start, .. } = self.flows[id as usize];
            if looping == Loop::Unpaced && start <= now {
                self.fill_queue(id, now)?;
            }
        }
        Ok(())
    }

    fn submit(&mut self, request: RequestId, now: Time) {
        let queue = self.requests[request].queue;
        match &mut self.port {
            Port::Nvme(nvme) => nvme.queues[usize::from(queue)].submit(request),
            Port::Sata(slots) => slots.submit(request),
        }
        self.place_waiting(queue, now);
    }

    /// Moves waiting requests to where the drive finds them, while there is room.
    fn place_waiting(&mut self, queue: u16, now: Time) {
        match &self.port {
            Port::Nvme(_) => self.place_in_queue(queue, now),
            Port::Sata(_) => self.issue_commands(now),
        }
    }

    /// A request goes to the drive.
    pub(super) fn placed(&mut self, request: RequestId, now: Time) {
        self.requests[request].enqueue = now;
        self.charge_request(request, Cause::HostQueue, now);
    }

    pub(super) fn send(&mut self, direction: Direction, message: Message, data_bytes: u64, now: Time) {
        if self.attached.is_some() {
            return self.send_attached(message, data_bytes, now);
        }
        let lane = self.link.lane(direction);
        if let Some(time) = self.link.send(lane, message, data_bytes, now) {
            self.events.push_single(lane as usize, time, Event::LinkSent(lane));
        }
    }

    pub(super) fn link_sent(&mut self, direction: Direction, now: Time) -> Result<(), RunError> {
        match self.link.sent(direction, now) {
            Ok(message) => self.receive(message, now)?,
            Err(arrives) => self.events.push(arrives, Event::LinkArrived(direction)),
        }
        if let Some(time) = self.link.next_departure(direction, now) {
            self.events.push_single(direction as usize, time, Event::LinkSent(direction));
        }
        Ok(())
    }

    pub(super) fn receive(&mut self, message: Message, now: Time) -> Result<(), RunError> {
        match message {
            Message::SubmissionDoorbell { queue, tail } => self.doorbell_rang(queue, tail, now),
            Message::FetchEntries { queue, count } => {
                self.send(Direction::ToDevice, Message::Entries { queue, count }, 0, now)
            }
            Message::Entries { queue, count } => self.entries_arrived(queue, count, now),
            Message::FetchList(request) => {
                let bytes = self.port.nvme().list_bytes(&self.requests[request]).unwrap_or(0);
                self.send(Direction::ToDevice, Message::List(request), bytes, now);
            }
            Message::List(request) | Message::Command(request) => self.command_arrived(request, now),
            Message::Accepted => {}
            Message::FetchData(request) => {
                let bytes = self.port.payload_bytes(&self.requests[request]);
                self.send(Direction::ToDevice, Message::WriteData(request), bytes, now);
            }
            Message::WriteData(request) => {
                self.charge_request(request, Cause::HostLink, now);
                self.enter_drive(request, now);
            }
            Message::ReadData(request) => self.charge_request(request, Cause::HostLink, now),
            Message::Completion { request, head } => match &self.port {
                Port::Nvme(_) => self.completion_posted(request, head, now)?,
                Port::Sata(_) => self.device_bits_set(request, now)?,
            },
            Message::CompletionDoorbell { queue } => self.completion_acknowledged(queue, now),
        }
        Ok(())
    }

    /// The drive knows what is asked of it: it fetches the data, if there are any, or begins.
    pub(super) fn command_arrived(&mut self, request: RequestId, now: Time) {
        self.charge_request(request, Cause::HostLink, now);
        if matches!(self.port, Port::Sata(_)) {
            self.send(Direction::ToHost, Message::Accepted, 0, now);
        }
        if self.port.payload_bytes(&self.requests[request]) > 0 {
            self.send(Direction::ToHost, Message::FetchData(request), 0, now);
        } else {
            self.enter_drive(request, now);
        }
    }

    /// The processor takes the request up.
    fn enter_drive(&mut self, request: RequestId, now: Time) {
        if !self.controller.has_firmware() {
            return self.begin(request, now);
        }
        let pages = match self.requests[request].kind {
            Kind::Read | Kind::Write => {
                let (first, last) = self.page_range(request);
                (last - first + 1) as u32
            }
            Kind::Trim | Kind::Flush => 0,
        };
        let time = self.controller.firmware(pages, now);
        self.events.push(time, Event::FirmwareDone(request));
    }

    /// The drive starts to work on a request.
    pub(super) fn begin(&mut self, request: RequestId, now: Time) {
        match self.requests[request].kind {
            Kind::Read if self.cache.is_some() => self.begin_cached_read(request, now),
            Kind::Write if self.cache.is_some() => self.begin_cached_write(request, now),
            Kind::Read | Kind::Write => self.begin_pages(request, now),
            Kind::Trim => self.begin_trim(request, now),
            Kind::Flush => self.begin_flush(request, now),
        }
    }

    /// The back end has finished a request: data (of a read) and completion go to the host.
    pub(super) fn finish(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        let (kind, bytes) = (request.kind, request.bytes());
        if kind == Kind::Read {
            self.send(Direction::ToHost, Message::ReadData(id), bytes, now);
        }
        match &self.port {
            Port::Nvme(_) => self.post_completion(id, now),
            Port::Sata(_) => self.send(Direction::ToHost, Message::Completion { request: id, head: 0 }, 0, now),
        }
    }

    /// The host has been told of a completion; its software takes it up.
    pub(super) fn notice(&mut self, request: RequestId, now: Time) -> Result<(), RunError> {
        match self.cores.complete(self.requests[request].queue, now) {
            Some(time) => self.events.push(time, Event::Noticed(request)),
            None => self.completed_at_host(request, now)?,
        }
        Ok(())
    }

    /// The host has dealt with a completion: it accounts for the request, puts further ones in its place and, in a closed loop,
    /// makes the next one.
    pub(super) fn completed_at_host(&mut self, id: RequestId, now: Time) -> Result<(), RunError> {
        self.charge_request(id, Cause::Completion, now);
        self.requests.remove(id);
        self.probe.completed(now, id);
        self.probe.ended(&self.requests[id], now);
        self.count(id, now);
        let Request { flow, queue, .. } = self.requests[id];
        let looping = self.flows[flow as usize].looping;
        self.place_waiting(queue, now);
        self.fill_queues(flow, now)?;
        if let Port::Nvme(_) = self.port {
            self.send(Direction::ToDevice, Message::CompletionDoorbell { queue }, 0, now);
        }
        if let Loop::Closed(_) = looping {
            self.follow_up(flow, now)?;
        }
        self.expect_idleness(now);
        Ok(())
    }

    fn count(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        let latency = now - request.arrival;
        // Every picosecond is charged to one cause: a difference is a defect of the model.
        debug_assert_eq!(request.account.ledger.total(), latency, "the accounts of a request do not close");
        self.completed += 1;
        let flow = &mut self.flows[request.flow as usize];
        flow.tally.completed += 1;
        if self.completed <= self.options.warmup {
            return;
        }
        flow.tally.count(request, now);
        if let Some(records) = &mut self.records {
            records.push(&Row {
                request: request.number,
                flow: request.flow,
                kind: request.kind,
                failed: request.failed,
                lba: request.lba,
                sectors: request.sectors,
                arrival: request.arrival,
                enqueue: request.enqueue,
                complete: now,
                path_conflict: request.path_conflict,
                ledger: &request.account.ledger,
            });
        }
    }
}
