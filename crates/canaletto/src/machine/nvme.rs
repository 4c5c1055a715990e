//! NVM Express: doorbells, fetches of submission queue entries, completions and interrupts.

use super::charges::charge;
use super::{Event, Machine};
use crate::RunError;
use crate::fabric::Fabric;
use crate::host::interrupts::Notice;
use crate::host::link::{Direction, Message};
use crate::host::nvme::QueuePair;
use crate::host::request::RequestId;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    fn queue(&mut self, queue: u16) -> &mut QueuePair {
        &mut self.port.nvme().queues[usize::from(queue)]
    }

    /// Moves waiting requests into the submission queue while it has room, each with a doorbell.
    pub(super) fn place_in_queue(&mut self, queue: u16, now: Time) {
        while let Some((request, tail)) = self.queue(queue).place() {
            self.placed(request, now);
            self.send(Direction::ToDevice, Message::SubmissionDoorbell { queue, tail }, 0, now);
        }
    }

    pub(super) fn doorbell_rang(&mut self, queue: u16, tail: u32, now: Time) {
        for request in self.port.nvme().queues[usize::from(queue)].doorbell(tail) {
            charge(&mut self.requests[request], Cause::HostLink, now, self.probe);
        }
        self.fetch(queue, now);
    }

    /// The drive asks for as many submission queue entries as rules and limits allow, now that something has changed in
    /// `queue`.
    fn fetch(&mut self, queue: u16, now: Time) {
        while let Some((queue, count)) = self.port.nvme().fetch(queue) {
            for request in self.port.nvme().queues[usize::from(queue)].asked_for(count) {
                charge(&mut self.requests[request], Cause::DeviceQueue, now, self.probe);
            }
            self.send(Direction::ToHost, Message::FetchEntries { queue, count }, 0, now);
            if !self.port.nvme().arbitrates() {
                return;
            }
        }
    }

    pub(super) fn entries_arrived(&mut self, queue: u16, count: u32, now: Time) {
        for _ in 0..count {
            let request = self.queue(queue).entry_arrived();
            if self.port.nvme().list_bytes(&self.requests[request]).is_some() {
                self.charge_request(request, Cause::HostLink, now);
                self.send(Direction::ToHost, Message::FetchList(request), 0, now);
            } else {
                self.command_arrived(request, now);
            }
        }
        if self.queue(queue).fetch_arrived() {
            self.fetch(queue, now);
        }
    }

    /// The back end has finished a request: the completion entry is due, and others may be fetched.
    pub(super) fn post_completion(&mut self, request: RequestId, now: Time) {
        let queue = self.requests[request].queue;
        self.port.nvme().finished(queue);
        self.fetch(queue, now);
        if let Some(head) = self.queue(queue).complete(request) {
            self.send(Direction::ToHost, Message::Completion { request, head }, 0, now);
        }
    }

    /// A completion entry is in the host's memory.
    pub(super) fn completion_posted(&mut self, request: RequestId, head: u32, now: Time) -> Result<(), RunError> {
        let queue = self.requests[request].queue;
        match self.queue(queue).interrupts.post(request, head, now) {
            Notice::Now => self.interrupt(queue, now)?,
            Notice::At(time) => self.events.push(time, Event::Interrupt(queue)),
            Notice::WithOthers => {}
        }
        Ok(())
    }

    /// The oldest completion that the host has not been told of may have waited long enough.
    pub(super) fn interrupt_if_due(&mut self, queue: u16, now: Time) -> Result<(), RunError> {
        if self.queue(queue).interrupts.is_due(now) { self.interrupt(queue, now) } else { Ok(()) }
    }

    /// The host looks at a completion queue.
    fn interrupt(&mut self, queue: u16, now: Time) -> Result<(), RunError> {
        while let Some((request, head)) = self.queue(queue).interrupts.take() {
            self.queue(queue).learn_head(head);
            self.notice(request, now)?;
        }
        Ok(())
    }

    /// The host has taken a completion entry: a kept one can go.
    pub(super) fn completion_acknowledged(&mut self, queue: u16, now: Time) {
        if let Some((request, head)) = self.queue(queue).acknowledged() {
            self.send(Direction::ToHost, Message::Completion { request, head }, 0, now);
        }
    }
}
