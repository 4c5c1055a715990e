//! Commands, data and completions between host and drive.
//!
//! NVM Express: doorbells, fetches, completions and interrupts. Serial ATA: commands while the drive has slots. Memory:
//! accesses and answers. Messages are charged to `host_link`.

use super::{Host, HostEvent, HostOutcome, HostStep, Later};
use crate::engine::rarely::rarely;
use crate::host::interrupts::Notice;
use crate::host::link::{Direction, Message};
use crate::host::nvme::QueuePair;
use crate::host::request::{Kind, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Slots;

/// Messages ahead of one that is [looked at](Host::expect_next).
const FAR: usize = 128;
const NEAR: usize = 64;
const NEXT: usize = 16;

impl Host {
    #[inline(always)]
    pub(super) fn has_slots(&self) -> bool {
        rarely(self.port.slots.is_some())
    }

    #[inline(always)]
    fn queue(&mut self, queue: u16) -> &mut QueuePair {
        &mut self.port.nvme.queues[usize::from(queue)]
    }

    /// Commands that the drive works on at a time: of one queue, or of all if they wait for each other.
    fn commands(&self, queue: u16) -> Slots {
        Slots::Commands(if self.port.nvme.arbitrates() { 0 } else { queue })
    }
}

impl<P: Probe, L: Later> HostStep<'_, P, L> {
    #[inline(always)]
    fn charge(&mut self, request: RequestId, cause: Cause) {
        self.requests.charge(self.pages, request, cause, self.now);
    }

    #[inline(always)]
    pub(super) fn submit(&mut self, request: RequestId, queue: u16) {
        if let Some(slots) = &mut self.host.port.slots {
            slots.submit(request);
            return self.again().place_waiting(queue);
        }
        let pair = self.host.queue(queue);
        if !pair.has_room() {
            pair.submit(request);
            return self.again().place_waiting(queue);
        }
        let tail = pair.enter(request);
        self.entered(request, queue, tail);
    }

    #[inline(always)]
    fn entered(&mut self, request: RequestId, queue: u16, tail: u32) {
        self.placed(request);
        self.send(Direction::ToDevice, Message::SubmissionDoorbell { queue, tail }, 0);
    }

    #[inline(always)]
    fn placed(&mut self, request: RequestId) {
        self.requests[request].enqueue = self.now;
        if self.pages.probe.follows_waits() {
            let slots = Slots::Submission(self.requests[request].queue);
            self.pages.root_causes.slot_taken(slots, request, self.now);
        }
        self.charge(request, Cause::HostQueue);
    }

    #[inline(always)]
    fn note_if_full(&mut self, queue: u16) {
        self.pages.root_causes.slots_are_wanted(Slots::Submission(queue), self.host.port.has_waiting(queue), self.now);
    }

    #[inline(never)]
    fn place_waiting(mut self, queue: u16) {
        if self.host.has_slots() {
            self.again().issue_commands();
            if self.pages.probe.follows_waits() {
                self.note_if_full(queue);
            }
            return;
        }
        while let Some((request, tail)) = self.host.queue(queue).place() {
            self.entered(request, queue, tail);
        }
        if self.pages.probe.follows_waits() {
            self.note_if_full(queue);
        }
    }

    fn issue_commands(mut self) {
        loop {
            let Some(slots) = &mut self.host.port.slots else { return };
            let Some(request) = slots.issue(|id| self.requests[id].kind) else { return };
            self.placed(request);
            let port = &self.host.port;
            let carried = if port.is_memory { port.payload_bytes(&self.requests[request]) } else { 0 };
            self.send(Direction::ToDevice, Message::Command(request), carried);
        }
    }

    #[inline(always)]
    fn completion_posted(&mut self, request: RequestId, head: u16) {
        if let Some(slots) = &mut self.host.port.slots {
            // The drive has told of a completion, whose slot is free now.
            slots.complete();
            if self.pages.probe.follows_waits() {
                self.pages.root_causes.charge_request(request, Cause::Completion, self.now);
                self.pages.root_causes.slot_freed(Slots::Submission(0), request, self.now);
            }
            self.again().issue_commands();
            return self.notice(request);
        }
        let queue = self.requests[request].queue;
        match self.host.queue(queue).interrupts.post(request, head, self.now) {
            Notice::OfThis => self.told(queue, request, head),
            Notice::Now => self.again().interrupt(queue),
            Notice::At(time) => self.later.at(time, HostEvent::Interrupt(queue)),
            Notice::WithOthers => {}
        }
    }

    /// The oldest completion without an interrupt may have waited long enough.
    pub fn interrupt_if_due(&mut self, queue: u16) {
        if self.host.queue(queue).interrupts.is_due(self.now) {
            self.again().interrupt(queue);
        }
    }

    #[inline(never)]
    fn interrupt(mut self, queue: u16) {
        while let Some((request, head)) = self.host.queue(queue).interrupts.take() {
            self.told(queue, request, head);
        }
    }

    #[inline(always)]
    fn told(&mut self, queue: u16, request: RequestId, head: u16) {
        self.host.queue(queue).learn_head(head);
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.charge_request(request, Cause::Completion, self.now);
            self.pages.root_causes.slot_freed(Slots::Submission(queue), request, self.now);
        }
        self.notice(request);
    }

    #[inline(always)]
    fn notice(&mut self, request: RequestId) {
        if self.host.cores.delay_completions() {
            match self.host.cores.interrupted(self.now) {
                Some(time) => self.later.at(time, HostEvent::InterruptTaken(request)),
                None => self.again().take_up(request),
            }
        } else {
            self.complete(request);
        }
    }

    pub fn take_up(mut self, request: RequestId) {
        match self.host.cores.complete(self.requests[request].queue, self.now) {
            Some(time) => self.later.at(time, HostEvent::CompletionHandled(request)),
            None => self.handled(request),
        }
    }

    pub fn handled(&mut self, id: RequestId) {
        let request = &self.requests[id];
        let Some(time) = self.host.tasks.compute(request, self.now) else { return self.complete(id) };
        self.charge(id, Cause::Completion);
        self.later.at(time, HostEvent::Computed(id));
    }

    pub fn computed(&mut self, id: RequestId) {
        self.charge(id, Cause::Compute);
        self.complete(id);
    }

    /// In a closed loop the next request follows.
    #[inline(always)]
    pub fn complete(&mut self, id: RequestId) {
        self.charge(id, Cause::Completion);
        let request = &self.requests[id];
        let (flow, queue) = (request.flow, request.queue);
        self.pages.probe.notify(|observer| observer.completed(self.now, id));
        self.pages.probe.notify(|observer| observer.ended(request, self.now));
        self.requests.complete(self.pages, id, self.now);
        if self.host.has_slots() || self.host.queue(queue).has_waiting() {
            self.again().place_waiting(queue);
        }
        self.fill_queues(flow);
        if !self.host.has_slots() {
            self.send(Direction::ToDevice, Message::CompletionDoorbell { queue }, 0);
        }
        self.follow_up(flow)
    }

    #[inline(always)]
    fn doorbell_rang(&mut self, queue: u16, tail: u32) {
        for request in self.host.port.nvme.queues[usize::from(queue)].doorbell(tail) {
            self.requests.charge(self.pages, request, Cause::HostLink, self.now);
        }
        self.fetch(queue);
        if self.pages.probe.follows_waits() {
            self.again().note_if_held_back(queue);
        }
    }

    #[inline(always)]
    fn note_if_held_back(self, queue: u16) {
        let nvme = &self.host.port.nvme;
        let wanted = if nvme.arbitrates() { nvme.holds_any_back() } else { nvme.holds_back(queue) };
        self.pages.root_causes.slots_are_wanted(self.host.commands(queue), wanted, self.now);
    }

    #[inline(always)]
    fn fetch(&mut self, queue: u16) {
        // Most looks find nothing.
        let mut found = self.host.port.nvme.fetch(queue);
        while let Some((chosen, count)) = found {
            self.again().fetch_entries(chosen, count);
            found = if self.host.port.nvme.arbitrates() { self.host.port.nvme.fetch(queue) } else { None };
        }
    }

    #[inline(never)]
    fn fetch_entries(mut self, queue: u16, count: u32) {
        let slots = self.host.commands(queue);
        for request in self.host.port.nvme.queues[usize::from(queue)].asked_for(count) {
            if self.pages.probe.follows_waits() {
                self.pages.root_causes.slot_taken(slots, request, self.now);
            }
            self.requests.charge(self.pages, request, Cause::DeviceQueue, self.now);
        }
        self.send(Direction::ToHost, Message::FetchEntries { queue, count }, 0);
    }

    #[inline(always)]
    pub fn take_entry(&mut self, queue: u16) -> Option<RequestId> {
        let request = self.host.queue(queue).entry_arrived();
        if self.host.port.nvme.list_bytes(&self.requests[request]).is_none() {
            return self.command_arrived(request);
        }
        self.charge(request, Cause::HostLink);
        self.send(Direction::ToHost, Message::FetchList(request), 0);
        None
    }

    #[inline(always)]
    pub fn entries_taken(&mut self, queue: u16) {
        if self.host.queue(queue).fetch_arrived() {
            self.fetch(queue);
        }
    }

    #[inline(always)]
    fn command_arrived(&mut self, request: RequestId) -> Option<RequestId> {
        self.charge(request, Cause::HostLink);
        if self.host.port.is_memory {
            return Some(request);
        }
        if self.host.has_slots() {
            self.send(Direction::ToHost, Message::Accepted, 0);
        }
        if self.host.port.payload_bytes(&self.requests[request]) == 0 {
            return Some(request);
        }
        self.send(Direction::ToHost, Message::FetchData(request), 0);
        None
    }

    #[inline(always)]
    pub fn finish(&mut self, id: RequestId) {
        let request = &self.requests[id];
        let (kind, bytes, queue) = (request.kind, request.bytes(), request.queue);
        if kind.returns_data() {
            self.send(Direction::ToHost, Message::ReadData(id), bytes);
        }
        if self.host.port.is_memory && kind == Kind::Read {
            return;
        }
        if self.host.has_slots() {
            return self.send(Direction::ToHost, Message::Completion { request: id, head: 0 }, 0);
        }
        self.host.port.nvme.finished(queue);
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.slot_freed(self.host.commands(queue), id, self.now);
        }
        self.fetch(queue);
        if self.pages.probe.follows_waits() {
            self.again().note_if_held_back(queue);
        }
        if let Some(head) = self.host.queue(queue).complete(id) {
            self.send(Direction::ToHost, Message::Completion { request: id, head }, 0);
        }
    }

    #[inline(always)]
    fn completion_acknowledged(&mut self, queue: u16) {
        if let Some((request, head)) = self.host.queue(queue).acknowledged() {
            self.send(Direction::ToHost, Message::Completion { request, head }, 0);
        }
    }

    #[inline(always)]
    fn send(&mut self, direction: Direction, message: Message, data_bytes: u64) {
        if rarely(self.host.attached.is_some()) {
            return self.again().send_through_pc(message, data_bytes);
        }
        let lane = self.host.link.lane(direction);
        if let Some(time) = self.host.link.send(lane, message, data_bytes, self.now) {
            self.later.at(time, HostEvent::LinkSent(lane));
        }
    }

    #[inline(never)]
    fn send_through_pc(self, message: Message, data_bytes: u64) {
        if let Some(attached) = &mut self.host.attached {
            attached.send(message, data_bytes, self.now);
            self.await_attachment();
        }
    }

    /// [`Host::send_next`] must follow what comes of it.
    #[inline(always)]
    pub fn link_sent(&mut self, direction: Direction) -> HostOutcome {
        let message = self.host.link.sent(direction);
        if self.host.link.has_latency() {
            self.again().fly(direction, message);
            return HostOutcome::None;
        }
        self.receive(message)
    }

    #[inline(never)]
    fn fly(self, direction: Direction, message: Message) {
        let arrives = self.host.link.fly(direction, message, self.now);
        self.later.at(arrives, HostEvent::LinkArrived(direction));
    }

    #[inline(always)]
    pub fn send_next(&mut self, direction: Direction) {
        if let Some(time) = self.host.link.next_departure(direction, self.now) {
            self.later.at(time, HostEvent::LinkSent(direction));
        }
    }

    /// Prefetches queue pairs and requests. Returns a request whose pages will soon be looked up.
    #[inline(always)]
    pub fn expect_next(&mut self, direction: Direction) -> Option<RequestId> {
        let far = self.host.link.waiting(direction, FAR)?;
        self.again().expect(far, direction)
    }

    #[inline(never)]
    fn expect(self, far: Message, direction: Direction) -> Option<RequestId> {
        let nvme = &self.host.port.nvme;
        match far {
            Message::FetchEntries { queue, .. } => nvme.expect(queue),
            far => far.request().into_iter().for_each(|request| self.requests.expect(self.pages, request)),
        }
        let arriving = |message| match message {
            Some(Message::FetchEntries { queue, count }) => Some(nvme.queues[usize::from(queue)].arriving(count)),
            _ => None,
        };
        let near = self.host.link.waiting(direction, NEAR);
        arriving(near).into_iter().flatten().for_each(|request| self.requests.expect(self.pages, request));
        near.and_then(Message::request)
            .into_iter()
            .for_each(|request| self.requests.expect_last_page(self.pages, request));
        arriving(self.host.link.waiting(direction, NEXT))?.next()
    }

    #[inline(never)]
    pub fn link_arrived(&mut self, direction: Direction) -> HostOutcome {
        let message = self.host.link.arrived(direction);
        self.receive(message)
    }

    /// From the PC in the link's place.
    #[inline(never)]
    pub fn attachment_arrived(&mut self) -> Option<HostOutcome> {
        match self.host.attached.as_mut().and_then(|attached| attached.next_arrival(self.now)) {
            Some(message) => Some(self.receive(message)),
            None => {
                self.again().await_attachment();
                None
            }
        }
    }

    fn await_attachment(self) {
        if let Some(time) = self.host.attached.as_mut().and_then(|attached| attached.look()) {
            self.later.at(time, HostEvent::Attachment);
        }
    }

    #[inline(always)]
    fn receive(&mut self, message: Message) -> HostOutcome {
        match message {
            Message::SubmissionDoorbell { queue, tail } => self.doorbell_rang(queue, tail),
            Message::FetchEntries { queue, count } => {
                self.send(Direction::ToDevice, Message::Entries { queue, count }, 0);
            }
            Message::Entries { queue, count } => return HostOutcome::Entries { queue, count },
            Message::FetchList(request) => {
                let bytes = self.host.port.nvme.list_bytes(&self.requests[request]).unwrap_or(0);
                self.send(Direction::ToDevice, Message::List(request), bytes);
            }
            Message::List(request) | Message::Command(request) => {
                let begins = self.command_arrived(request);
                return begins.map_or(HostOutcome::None, HostOutcome::Request);
            }
            Message::Accepted => {}
            Message::FetchData(request) => {
                let bytes = self.host.port.payload_bytes(&self.requests[request]);
                self.send(Direction::ToDevice, Message::WriteData(request), bytes);
            }
            Message::WriteData(request) => {
                self.charge(request, Cause::HostLink);
                return HostOutcome::Request(request);
            }
            Message::ReadData(request) => {
                self.charge(request, Cause::HostLink);
                if self.host.port.is_memory {
                    self.completion_posted(request, 0);
                }
            }
            Message::Completion { request, head } => {
                let completed = self.requests.statistics.completed();
                self.completion_posted(request, head);
                return HostOutcome::Completion { has_ended: self.requests.statistics.completed() > completed };
            }
            Message::CompletionDoorbell { queue } => self.completion_acknowledged(queue),
        }
        HostOutcome::None
    }
}
