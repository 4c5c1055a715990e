//! NVM Express queue pairs, one or several per flow.
//!
//! NVM Express Base Specification 2.0 §3.3.3: rings of entries; the host moves a tail by doorbell, the drive reports a
//! head in completions.

use crate::config::design::{Fetch, Host};
use crate::config::workload::Priority;
use crate::engine::fifo::Fifo;
use crate::engine::memory::expect;
use crate::engine::rarely::rarely;
use crate::host::arbiter::Arbiter;
use crate::host::interrupts::Interrupts;
use crate::host::request::{Request, RequestId};

pub struct QueuePair {
    entries: u32,
    waiting: Fifo<RequestId>,
    ring: Vec<RequestId>,
    tail: u32,
    known_head: u32,
    device_tail: u32,
    asked: u32,
    /// Drive: next entry to arrive; reported to the host as the head, in 16 bits.
    head: u32,
    in_flight: u32,
    fetching: bool,
    unreported: Fifo<RequestId>,
    unacknowledged: u32,
    limit: u32,
    fetch: Fetch,
    pub interrupts: Interrupts,
}

impl QueuePair {
    pub fn new(config: &Host) -> QueuePair {
        QueuePair {
            entries: config.queue_entries,
            waiting: Fifo::new(),
            ring: Vec::new(),
            tail: 0,
            known_head: 0,
            device_tail: 0,
            asked: 0,
            head: 0,
            in_flight: 0,
            fetching: false,
            unreported: Fifo::new(),
            unacknowledged: 0,
            limit: config.fetch_limit,
            fetch: config.fetch,
            interrupts: Interrupts::new(&config.interrupts),
        }
    }

    #[inline]
    fn after(&self, place: u32) -> u32 {
        self.wrap(place + 1)
    }

    #[inline]
    fn wrap(&self, place: u32) -> u32 {
        if place >= self.entries { place - self.entries } else { place }
    }

    #[inline]
    fn distance(&self, from: u32, to: u32) -> u32 {
        self.wrap(to + self.entries - from)
    }

    #[inline]
    fn entries(&self, from: u32, count: u32) -> impl Iterator<Item = RequestId> + '_ {
        (0..count).map(move |i| self.ring[self.wrap(from + i) as usize])
    }

    pub fn submit(&mut self, request: RequestId) {
        self.waiting.push(request);
    }

    #[inline]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting.is_empty() && self.after(self.tail) != self.known_head
    }

    /// Host: submits the first waiting request if there is room. Returns it and the new tail.
    #[inline]
    pub fn place(&mut self) -> Option<(RequestId, u32)> {
        if self.after(self.tail) == self.known_head {
            return None;
        }
        let request = self.waiting.pop()?;
        Some((request, self.enter(request)))
    }

    /// Host: submits a request. Returns the new tail.
    #[inline(always)]
    pub fn enter(&mut self, request: RequestId) -> u32 {
        match self.ring.get_mut(self.tail as usize) {
            Some(entry) => *entry = request,
            None => self.ring.push(request),
        }
        self.tail = self.after(self.tail);
        self.tail
    }

    /// Drive: a doorbell came. Returns the newly visible requests, oldest first.
    #[inline]
    pub fn doorbell(&mut self, tail: u32) -> impl Iterator<Item = RequestId> + '_ {
        let from = self.device_tail;
        self.device_tail = tail;
        self.entries(from, self.distance(from, tail))
    }

    #[inline]
    fn allowed(&self) -> u32 {
        let visible = self.distance(self.asked, self.device_tail);
        self.limit.saturating_sub(self.in_flight).min(visible)
    }

    #[inline(always)]
    fn fetch(&mut self) -> u32 {
        if self.asked == self.device_tail {
            self.fetching = false;
            return 0;
        }
        let count = match self.fetch {
            Fetch::OnePerDoorbell => self.allowed().min(1),
            Fetch::AllWaiting if self.fetching => 0,
            Fetch::AllWaiting => self.allowed(),
        };
        self.ask(count)
    }

    #[inline]
    fn ask(&mut self, count: u32) -> u32 {
        self.fetching = count > 0;
        self.in_flight += count;
        self.asked = self.wrap(self.asked + count);
        count
    }

    /// Requests whose entries were asked for last.
    #[inline]
    pub fn asked_for(&self, count: u32) -> impl Iterator<Item = RequestId> + '_ {
        self.entries(self.distance(count, self.asked), count)
    }

    #[inline]
    pub fn arriving(&self, count: u32) -> impl Iterator<Item = RequestId> + '_ {
        self.entries(self.head, count)
    }

    #[inline]
    pub fn entry_arrived(&mut self) -> RequestId {
        let request = self.ring[self.head as usize];
        self.head = self.after(self.head);
        request
    }

    /// Drive: all entries of a fetch have arrived. Returns whether there are further ones.
    #[inline]
    pub fn fetch_arrived(&mut self) -> bool {
        self.fetching = false;
        self.fetch == Fetch::AllWaiting
    }

    /// Drive: Returns the head to report if the completion queue has room; else [`QueuePair::acknowledged`] sends it
    /// later.
    #[inline]
    pub fn complete(&mut self, request: RequestId) -> Option<u16> {
        if self.unacknowledged + 1 >= self.entries {
            self.unreported.push(request);
            return None;
        }
        self.unacknowledged += 1;
        Some(self.head as u16)
    }

    /// Drive: the host has taken a completion. Returns a kept one.
    #[inline(always)]
    pub fn acknowledged(&mut self) -> Option<(RequestId, u16)> {
        self.unacknowledged -= 1;
        let request = self.unreported.pop()?;
        self.unacknowledged += 1;
        Some((request, self.head as u16))
    }

    #[inline]
    pub fn learn_head(&mut self, head: u16) {
        self.known_head = u32::from(head);
    }

    pub fn describe(&self) -> String {
        format!(
            "{} waiting in the host, {} in the submission queue, {} in the drive, {} completions held back",
            self.waiting.len(),
            self.distance(self.asked, self.tail),
            self.in_flight,
            self.unreported.len()
        )
    }
}

pub struct Nvme {
    pub queues: Vec<QueuePair>,
    per_flow: u16,
    turns: Vec<u16>,
    /// If the drive works on few commands, so that queues wait for each other.
    arbiter: Option<Arbiter>,
    prp_lists: bool,
}

/// Bytes of a page of the host and of an entry in a list of them (NVM Express Base 2.0 §4.1.1).
const HOST_PAGE: u64 = 4096;
const LIST_ENTRY: u64 = 8;

impl Nvme {
    pub fn new(config: &Host, priorities: &[Priority]) -> Nvme {
        let per_flow = config.queues_per_flow as usize;
        let classes: Vec<_> = priorities.iter().flat_map(|&class| std::iter::repeat_n(class, per_flow)).collect();
        Nvme {
            queues: classes.iter().map(|_| QueuePair::new(config)).collect(),
            per_flow: per_flow as u16,
            turns: vec![0; priorities.len()],
            arbiter: config.command_limit.map(|commands| Arbiter::new(&config.arbitration, commands, &classes)),
            prp_lists: config.prp_lists,
        }
    }

    #[inline]
    pub fn next_queue(&self, flow: u16) -> u16 {
        flow * self.per_flow + self.turns[usize::from(flow)]
    }

    /// A flow's requests go to its queues in turn.
    #[inline(always)]
    pub fn take_turn(&mut self, flow: u16) -> u16 {
        let turn = &mut self.turns[usize::from(flow)];
        let taken = *turn;
        *turn = if taken + 1 == self.per_flow { 0 } else { taken + 1 };
        flow * self.per_flow + taken
    }

    /// Drive: which queue to fetch from, and how many entries.
    #[inline(always)]
    pub fn fetch(&mut self, queue: u16) -> Option<(u16, u32)> {
        if rarely(self.arbiter.is_some()) {
            return self.fetch_by_turns(queue);
        }
        let count = self.queues[usize::from(queue)].fetch();
        (count > 0).then_some((queue, count))
    }

    #[inline(never)]
    fn fetch_by_turns(&mut self, queue: u16) -> Option<(u16, u32)> {
        let arbiter = self.arbiter.as_mut()?;
        arbiter.set_ready(queue, self.queues[usize::from(queue)].allowed() > 0);
        let (chosen, most) = arbiter.grant()?;
        let pair = &mut self.queues[usize::from(chosen)];
        let batch = if pair.fetch == Fetch::OnePerDoorbell { 1 } else { most };
        let count = pair.ask(pair.allowed().min(batch));
        arbiter.started(chosen, count);
        arbiter.set_ready(chosen, pair.allowed() > 0);
        Some((chosen, count))
    }

    pub fn arbitrates(&self) -> bool {
        self.arbiter.is_some()
    }

    #[inline]
    pub fn holds_back(&self, queue: u16) -> bool {
        let pair = &self.queues[usize::from(queue)];
        pair.asked != pair.device_tail
    }

    pub fn holds_any_back(&self) -> bool {
        (0..self.queues.len() as u16).any(|queue| self.holds_back(queue))
    }

    pub fn expect(&self, queue: u16) {
        expect(&self.queues[usize::from(queue)]);
    }

    #[inline]
    pub fn finished(&mut self, queue: u16) {
        self.queues[usize::from(queue)].in_flight -= 1;
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.finished();
        }
    }

    #[inline]
    pub fn list_bytes(&self, request: &Request) -> Option<u64> {
        if !self.prp_lists {
            return None;
        }
        let pages = request.bytes().div_ceil(HOST_PAGE);
        (pages > 2).then(|| (pages - 1) * LIST_ENTRY)
    }
}
