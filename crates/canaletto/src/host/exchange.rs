//! Commands, data and completions are exchanged between host and drive.
//!
//! NVM Express: doorbells, fetches of submission queue entries, completions and interrupts. Serial ATA: commands are issued
//! while the drive has slots for them. Messages take the link, or the PC in its place; what they take is charged to
//! `host_link`.

use super::{Host, HostEvent, HostOutcome, Later};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::host::interrupts::Notice;
use crate::host::link::{Direction, Message};
use crate::host::nvme::QueuePair;
use crate::host::request::{Kind, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Slots;

/// Messages ahead of one that is [looked at](Host::expect_next): first what it names, then the requests of that queue pair, or the
/// request's last page, then what those requests will look up.
const FAR: usize = 128;
const NEAR: usize = 64;
const NEXT: usize = 16;

impl Host {
    pub(super) fn speaks_sata(&self) -> bool {
        self.port.sata.is_some()
    }

    #[inline(always)]
    fn queue(&mut self, queue: u16) -> &mut QueuePair {
        &mut self.port.nvme.queues[usize::from(queue)]
    }

    // The host's end.

    #[inline(always)]
    pub(super) fn submit<P: Probe>(
        &mut self,
        request: RequestId,
        queue: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        if let Some(slots) = &mut self.port.sata {
            slots.submit(request);
            return self.place_waiting(queue, work, now, later);
        }
        let pair = self.queue(queue);
        if !pair.has_room() {
            pair.submit(request);
            return self.place_waiting(queue, work, now, later);
        }
        let tail = pair.enter(request);
        self.entered(request, queue, tail, work, now, later);
    }

    /// A request is in the submission queue, whose new tail is told by doorbell.
    #[inline(always)]
    fn entered<P: Probe>(
        &mut self,
        request: RequestId,
        queue: u16,
        tail: u32,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        self.placed(request, work, now);
        self.send(Direction::ToDevice, Message::SubmissionDoorbell { queue, tail }, 0, now, later);
    }

    /// A request has found its place in the queue.
    #[inline(always)]
    fn placed<P: Probe>(&self, request: RequestId, work: &mut InFlight<P>, now: Time) {
        work.requests[request].enqueue = now;
        if work.probe.follows_waits() {
            let slots = Slots::Submission(work.requests[request].queue);
            work.root_causes.slot_taken(slots, request, now);
        }
        work.charge_request(request, Cause::HostQueue, now);
    }

    /// Tells root causes whether requests wait for room.
    #[inline(always)]
    fn note_if_full<P: Probe>(&self, queue: u16, work: &mut InFlight<P>, now: Time) {
        work.root_causes.slots_are_wanted(Slots::Submission(queue), self.port.has_waiting(queue), now);
    }

    /// Moves waiting requests to where the drive finds them, while there is room.
    #[inline(never)]
    fn place_waiting<P: Probe>(&mut self, queue: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        if self.speaks_sata() {
            self.issue_commands(work, now, later);
            if work.probe.follows_waits() {
                self.note_if_full(queue, work, now);
            }
            return;
        }
        while let Some((request, tail)) = self.queue(queue).place() {
            self.entered(request, queue, tail, work, now, later);
        }
        if work.probe.follows_waits() {
            self.note_if_full(queue, work, now);
        }
    }

    /// Serial ATA: sends waiting commands while the drive can take them.
    fn issue_commands<P: Probe>(&mut self, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        loop {
            let Some(slots) = &mut self.port.sata else { return };
            let Some(request) = slots.issue(|id| work.requests[id].kind) else { return };
            self.placed(request, work, now);
            self.send(Direction::ToDevice, Message::Command(request), 0, now, later);
        }
    }

    /// A completion is in the host's memory: the host is told of it, at once or with others.
    #[inline(always)]
    fn completion_posted<P: Probe>(
        &mut self,
        request: RequestId,
        head: u32,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        if let Some(slots) = &mut self.port.sata {
            // The drive has told of a completion, whose slot is free now.
            slots.complete();
            if work.probe.follows_waits() {
                work.root_causes.charge_request(request, Cause::Completion, now);
                work.root_causes.slot_freed(Slots::Submission(0), request, now);
            }
            self.issue_commands(work, now, later);
            return self.notice(request, work, now, later);
        }
        let queue = work.requests[request].queue;
        match self.queue(queue).interrupts.post(request, head, now) {
            Notice::OfThis => self.told(queue, request, head, work, now, later),
            Notice::Now => self.interrupt(queue, work, now, later),
            Notice::At(time) => later.at(time, HostEvent::Interrupt(queue)),
            Notice::WithOthers => {}
        }
    }

    /// The oldest completion that the host has not been told of may have waited long enough.
    pub fn interrupt_if_due<P: Probe>(
        &mut self,
        queue: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        if self.queue(queue).interrupts.is_due(now) {
            self.interrupt(queue, work, now, later);
        }
    }

    /// The host looks at a completion queue.
    #[inline(never)]
    fn interrupt<P: Probe>(&mut self, queue: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        while let Some((request, head)) = self.queue(queue).interrupts.take() {
            self.told(queue, request, head, work, now, later);
        }
    }

    /// The host finds a completion, which tells the drive's submission queue head.
    #[inline(always)]
    fn told<P: Probe>(
        &mut self,
        queue: u16,
        request: RequestId,
        head: u32,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        self.queue(queue).learn_head(head);
        if work.probe.follows_waits() {
            work.root_causes.charge_request(request, Cause::Completion, now);
            work.root_causes.slot_freed(Slots::Submission(queue), request, now);
        }
        self.notice(request, work, now, later);
    }

    /// The host has been told of a completion; its software hears of it by an interrupt, or at once.
    #[inline(always)]
    fn notice<P: Probe>(&mut self, request: RequestId, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        if self.cores.delay_completions() {
            match self.cores.interrupted(now) {
                Some(time) => later.at(time, HostEvent::InterruptTaken(request)),
                None => self.take_up(request, work, now, later),
            }
        } else {
            self.complete(request, work, now, later);
        }
    }

    /// The host's software takes a completion up.
    pub fn take_up<P: Probe>(&mut self, request: RequestId, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        match self.cores.complete(work.requests[request].queue, now) {
            Some(time) => later.at(time, HostEvent::CompletionHandled(request)),
            None => self.complete(request, work, now, later),
        }
    }

    /// The host has dealt with a completion: it accounts for the request, puts further ones in its place and, in a closed loop,
    /// makes the next one.
    #[inline(always)]
    pub fn complete<P: Probe>(&mut self, id: RequestId, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        work.charge_request(id, Cause::Completion, now);
        let request = &work.requests[id];
        let (flow, queue) = (request.flow, request.queue);
        work.pages.probe.notify(|observer| observer.completed(now, id));
        work.pages.probe.notify(|observer| observer.ended(request, now));
        work.complete(id, now);
        if self.speaks_sata() || self.queue(queue).has_waiting() {
            self.place_waiting(queue, work, now, later);
        }
        self.fill_queues(flow, work, now, later);
        if !self.speaks_sata() {
            self.send(Direction::ToDevice, Message::CompletionDoorbell { queue }, 0, now, later);
        }
        self.follow_up(flow, work, now, later)
    }

    // The drive's end.

    #[inline(always)]
    fn doorbell_rang<P: Probe>(
        &mut self,
        queue: u16,
        tail: u32,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        for request in self.port.nvme.queues[usize::from(queue)].doorbell(tail) {
            work.charge_request(request, Cause::HostLink, now);
        }
        self.fetch(queue, work, now, later);
        if work.probe.follows_waits() {
            self.note_if_held_back(queue, work, now);
        }
    }

    /// The commands of a queue that the drive works on at a time; of all queues, where they wait for each other.
    fn commands(&self, queue: u16) -> Slots {
        Slots::Commands(if self.port.nvme.arbitrates() { 0 } else { queue })
    }

    /// Tells root causes whether commands wait for earlier ones.
    fn note_if_held_back<P: Probe>(&self, queue: u16, work: &mut InFlight<P>, now: Time) {
        let nvme = &self.port.nvme;
        let wanted = match nvme.arbitrates() {
            true => (0..self.port.queues() as u16).any(|queue| nvme.holds_back(queue)),
            false => nvme.holds_back(queue),
        };
        work.root_causes.slots_are_wanted(self.commands(queue), wanted, now);
    }

    /// The drive asks for as many submission queue entries as rules and limits allow, now that something has changed in
    /// `queue`.
    #[inline(always)]
    fn fetch<P: Probe>(&mut self, queue: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        // Most looks find nothing.
        let mut found = self.port.nvme.fetch(queue);
        while let Some((chosen, count)) = found {
            self.fetch_entries(chosen, count, work, now, later);
            found = if self.port.nvme.arbitrates() { self.port.nvme.fetch(queue) } else { None };
        }
    }

    #[inline(never)]
    fn fetch_entries<P: Probe>(
        &mut self,
        queue: u16,
        count: u32,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) {
        let slots = self.commands(queue);
        for request in self.port.nvme.queues[usize::from(queue)].asked_for(count) {
            if work.probe.follows_waits() {
                work.root_causes.slot_taken(slots, request, now);
            }
            work.charge_request(request, Cause::DeviceQueue, now);
        }
        self.send(Direction::ToHost, Message::FetchEntries { queue, count }, 0, now, later);
    }

    /// The drive takes the next entry that has arrived. Returns its request if it can begin.
    #[inline(always)]
    pub fn take_entry<P: Probe>(
        &mut self,
        queue: u16,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> Option<RequestId> {
        let request = self.queue(queue).entry_arrived();
        if self.port.nvme.list_bytes(&work.requests[request]).is_none() {
            return self.command_arrived(request, work, now, later);
        }
        work.charge_request(request, Cause::HostLink, now);
        self.send(Direction::ToHost, Message::FetchList(request), 0, now, later);
        None
    }

    /// All entries that have arrived are taken: the drive may ask for more.
    #[inline(always)]
    pub fn entries_taken<P: Probe>(&mut self, queue: u16, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        if self.queue(queue).fetch_arrived() {
            self.fetch(queue, work, now, later);
        }
    }

    /// The drive knows what is asked of it: it fetches the data if there are any; else it can begin.
    #[inline(always)]
    fn command_arrived<P: Probe>(
        &mut self,
        request: RequestId,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> Option<RequestId> {
        work.charge_request(request, Cause::HostLink, now);
        if self.speaks_sata() {
            self.send(Direction::ToHost, Message::Accepted, 0, now, later);
        }
        if self.port.payload_bytes(&work.requests[request]) == 0 {
            return Some(request);
        }
        self.send(Direction::ToHost, Message::FetchData(request), 0, now, later);
        None
    }

    /// The drive has finished a request: data (of a read) and completion go to the host.
    #[inline(always)]
    pub fn finish<P: Probe>(&mut self, id: RequestId, work: &mut InFlight<P>, now: Time, later: &mut impl Later) {
        let request = &work.requests[id];
        let (kind, bytes, queue) = (request.kind, request.bytes(), request.queue);
        if kind == Kind::Read {
            self.send(Direction::ToHost, Message::ReadData(id), bytes, now, later);
        }
        if self.speaks_sata() {
            return self.send(Direction::ToHost, Message::Completion { request: id, head: 0 }, 0, now, later);
        }
        self.port.nvme.finished(queue);
        if work.probe.follows_waits() {
            work.root_causes.slot_freed(self.commands(queue), id, now);
        }
        self.fetch(queue, work, now, later);
        if work.probe.follows_waits() {
            self.note_if_held_back(queue, work, now);
        }
        if let Some(head) = self.queue(queue).complete(id) {
            self.send(Direction::ToHost, Message::Completion { request: id, head }, 0, now, later);
        }
    }

    /// The host has taken a completion entry: a kept one can go.
    #[inline(always)]
    fn completion_acknowledged(&mut self, queue: u16, now: Time, later: &mut impl Later) {
        if let Some((request, head)) = self.queue(queue).acknowledged() {
            self.send(Direction::ToHost, Message::Completion { request, head }, 0, now, later);
        }
    }

    // Between them.

    #[inline(always)]
    fn send(&mut self, direction: Direction, message: Message, data_bytes: u64, now: Time, later: &mut impl Later) {
        if let Some(attached) = &mut self.attached {
            attached.send(message, data_bytes, now);
            return self.await_attachment(later);
        }
        let lane = self.link.lane(direction);
        if let Some(time) = self.link.send(lane, message, data_bytes, now) {
            later.at(time, HostEvent::LinkSent(lane));
        }
    }

    /// The message on a direction of the link has left the wires. [`Host::send_next`] must follow what comes of it.
    #[inline(always)]
    pub fn link_sent<P: Probe>(
        &mut self,
        direction: Direction,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> HostOutcome {
        match self.link.sent(direction, now) {
            Ok(message) => self.receive(message, work, now, later),
            Err(arrives) => {
                later.at(arrives, HostEvent::LinkArrived(direction));
                HostOutcome::None
            }
        }
    }

    /// Sends the next message that waits for a direction of the link.
    #[inline(always)]
    pub fn send_next(&mut self, direction: Direction, now: Time, later: &mut impl Later) {
        if let Some(time) = self.link.next_departure(direction, now) {
            later.at(time, HostEvent::LinkSent(direction));
        }
    }

    /// Tells the processor which queue pairs and requests are next, where many messages wait for a direction of the link: those of
    /// a million requests lie outside its caches. Returns a request whose pages will soon be looked up.
    #[inline(always)]
    pub fn expect_next<P: Probe>(&self, direction: Direction, work: &InFlight<P>) -> Option<RequestId> {
        let far = self.link.waiting(direction, FAR)?;
        self.expect(far, direction, work)
    }

    #[inline(never)]
    fn expect<P: Probe>(&self, far: Message, direction: Direction, work: &InFlight<P>) -> Option<RequestId> {
        let nvme = &self.port.nvme;
        match far {
            Message::FetchEntries { queue, .. } => nvme.expect(queue),
            far => far.request().into_iter().for_each(|request| work.expect_request(request)),
        }
        let arriving = |message| match message {
            Some(Message::FetchEntries { queue, count }) => Some(nvme.queues[usize::from(queue)].arriving(count)),
            _ => None,
        };
        let near = self.link.waiting(direction, NEAR);
        arriving(near).into_iter().flatten().for_each(|request| work.expect_request(request));
        near.and_then(Message::request).into_iter().for_each(|request| work.expect_last_page(request));
        arriving(self.link.waiting(direction, NEXT))?.next()
    }

    /// A message has arrived after the link's latency.
    #[inline(never)]
    pub fn link_arrived<P: Probe>(
        &mut self,
        direction: Direction,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> HostOutcome {
        let message = self.link.arrived(direction);
        self.receive(message, work, now, later)
    }

    /// The next message that has come through the PC in the link's place; none if there is none now.
    #[inline(never)]
    pub fn attachment_arrived<P: Probe>(
        &mut self,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> Option<HostOutcome> {
        match self.attached.as_mut().and_then(|attached| attached.next_arrival(now)) {
            Some(message) => Some(self.receive(message, work, now, later)),
            None => {
                self.await_attachment(later);
                None
            }
        }
    }

    fn await_attachment(&mut self, later: &mut impl Later) {
        if let Some(time) = self.attached.as_mut().and_then(|attached| attached.look()) {
            later.at(time, HostEvent::Attachment);
        }
    }

    #[inline(always)]
    fn receive<P: Probe>(
        &mut self,
        message: Message,
        work: &mut InFlight<P>,
        now: Time,
        later: &mut impl Later,
    ) -> HostOutcome {
        match message {
            Message::SubmissionDoorbell { queue, tail } => self.doorbell_rang(queue, tail, work, now, later),
            Message::FetchEntries { queue, count } => {
                self.send(Direction::ToDevice, Message::Entries { queue, count }, 0, now, later);
            }
            Message::Entries { queue, count } => return HostOutcome::Entries { queue, count },
            Message::FetchList(request) => {
                let bytes = self.port.nvme.list_bytes(&work.requests[request]).unwrap_or(0);
                self.send(Direction::ToDevice, Message::List(request), bytes, now, later);
            }
            Message::List(request) | Message::Command(request) => {
                let begins = self.command_arrived(request, work, now, later);
                return begins.map_or(HostOutcome::None, HostOutcome::Request);
            }
            Message::Accepted => {}
            Message::FetchData(request) => {
                let bytes = self.port.payload_bytes(&work.requests[request]);
                self.send(Direction::ToDevice, Message::WriteData(request), bytes, now, later);
            }
            Message::WriteData(request) => {
                work.charge_request(request, Cause::HostLink, now);
                return HostOutcome::Request(request);
            }
            Message::ReadData(request) => work.charge_request(request, Cause::HostLink, now),
            Message::Completion { request, head } => self.completion_posted(request, head, work, now, later),
            Message::CompletionDoorbell { queue } => self.completion_acknowledged(queue, now, later),
        }
        HostOutcome::None
    }
}
