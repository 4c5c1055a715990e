//! NVM Express queue pairs, one for each flow: the host's end and the drive's.
//!
//! NVM Express Base Specification 2.0 §3.3.3: rings of entries, a tail that the host moves by doorbell, a head that the
//! drive reports in completions.

use std::collections::VecDeque;

use crate::config::design::{Fetch, Host};
use crate::host::request::RequestId;

/// A queue pair.
pub struct QueuePair {
    entries: u32,
    /// Requests for which the submission queue has no room.
    waiting: VecDeque<RequestId>,
    /// The submission ring.
    ring: Vec<RequestId>,
    /// Host: next place to fill.
    tail: u32,
    /// Host: first place still in use, as far as completions have told.
    known_head: u32,
    /// Drive: tail as told by doorbells.
    device_tail: u32,
    /// Drive: next entry to ask for.
    asked: u32,
    /// Drive: next entry to arrive; reported to the host as the head.
    head: u32,
    /// Drive: requests asked for and not finished by the back end.
    in_flight: u32,
    /// Drive: a fetch of several entries is on its way.
    fetching: bool,
    /// Drive: completions for which the completion queue has no room.
    unreported: VecDeque<RequestId>,
    /// Completions sent and not yet acknowledged by doorbell.
    unacknowledged: u32,
    limit: u32,
    fetch: Fetch,
}

impl QueuePair {
    /// An empty pair.
    pub fn new(config: &Host) -> QueuePair {
        QueuePair {
            entries: config.queue_entries,
            waiting: VecDeque::new(),
            ring: vec![RequestId::NONE; config.queue_entries as usize],
            tail: 0,
            known_head: 0,
            device_tail: 0,
            asked: 0,
            head: 0,
            in_flight: 0,
            fetching: false,
            unreported: VecDeque::new(),
            unacknowledged: 0,
            limit: config.fetch_limit,
            fetch: config.fetch,
        }
    }

    fn after(&self, place: u32) -> u32 {
        if place + 1 == self.entries { 0 } else { place + 1 }
    }

    /// Host: puts a request in line.
    pub fn submit(&mut self, request: RequestId) {
        self.waiting.push_back(request);
    }

    /// Host: whether a request put in line now would be placed at once.
    pub fn has_room(&self) -> bool {
        self.waiting.is_empty() && self.after(self.tail) != self.known_head
    }

    /// Host: moves the first waiting request into the submission queue if there is room. Returns it and the new tail,
    /// to be told by doorbell.
    pub fn place(&mut self) -> Option<(RequestId, u32)> {
        if self.after(self.tail) == self.known_head {
            return None;
        }
        let request = self.waiting.pop_front()?;
        self.ring[self.tail as usize] = request;
        self.tail = self.after(self.tail);
        Some((request, self.tail))
    }

    /// Drive: a doorbell has told the tail. Returns the newly visible requests' places, oldest first.
    pub fn doorbell(&mut self, tail: u32) -> impl Iterator<Item = RequestId> + '_ {
        let from = self.device_tail;
        self.device_tail = tail;
        let count = (tail + self.entries - from) % self.entries;
        (0..count).map(move |i| self.ring[((from + i) % self.entries) as usize])
    }

    /// Drive: how many entries to ask for now (0: none). They count as in flight from now on.
    pub fn fetch(&mut self) -> u32 {
        let visible = (self.device_tail + self.entries - self.asked) % self.entries;
        let allowed = self.limit.saturating_sub(self.in_flight).min(visible);
        let count = match self.fetch {
            Fetch::OnePerDoorbell => allowed.min(1),
            Fetch::AllWaiting if self.fetching => 0,
            Fetch::AllWaiting => allowed,
        };
        self.fetching = count > 0;
        self.in_flight += count;
        self.asked = (self.asked + count) % self.entries;
        count
    }

    /// Requests whose entries were asked for last, given how many those were.
    pub fn asked_for(&self, count: u32) -> impl Iterator<Item = RequestId> + '_ {
        let from = self.asked + self.entries - count;
        (0..count).map(move |i| self.ring[((from + i) % self.entries) as usize])
    }

    /// Drive: the next entry has arrived.
    pub fn entry_arrived(&mut self) -> RequestId {
        let request = self.ring[self.head as usize];
        self.head = self.after(self.head);
        request
    }

    /// Drive: all entries of a fetch have arrived. Returns whether to look for further ones, told of meanwhile.
    pub fn fetch_arrived(&mut self) -> bool {
        self.fetching = false;
        self.fetch == Fetch::AllWaiting
    }

    /// Drive: the back end has finished a request.
    pub fn finished(&mut self) {
        self.in_flight -= 1;
    }

    /// Drive: a completion is due. Returns the head to report if the completion queue has room; otherwise the completion
    /// is kept until [`QueuePair::acknowledged`] makes room.
    pub fn complete(&mut self, request: RequestId) -> Option<u32> {
        if self.unacknowledged + 1 >= self.entries {
            self.unreported.push_back(request);
            return None;
        }
        self.unacknowledged += 1;
        Some(self.head)
    }

    /// Drive: the host has taken a completion. Returns a kept one that can go now, with the head to report.
    pub fn acknowledged(&mut self) -> Option<(RequestId, u32)> {
        self.unacknowledged -= 1;
        let request = self.unreported.pop_front()?;
        self.unacknowledged += 1;
        Some((request, self.head))
    }

    /// Host: a completion has told the head.
    pub fn learn_head(&mut self, head: u32) {
        self.known_head = head;
    }

    /// One line on what the pair holds, for a stuck run's explanation.
    pub fn describe(&self) -> String {
        format!(
            "{} waiting in the host, {} in the submission queue, {} in the drive, {} completions held back",
            self.waiting.len(),
            (self.tail + self.entries - self.asked) % self.entries,
            self.in_flight,
            self.unreported.len()
        )
    }
}
