//! Instead of the link.

use std::collections::VecDeque;

use crate::config::attach::{Attachment, AttachmentKind};
use crate::config::pc::FixedSsd;
use crate::config::units::Rate;
use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::host::attach::routes::{Route, Routes, divide};
use crate::host::attach::service::Service;
use crate::host::attach::traffic::Traffic;
use crate::host::link::{COMPLETION_BYTES, DOORBELL_BYTES, Message};
use crate::typed_id;

typed_id!(MessageId);

/// A DMA Activate frame of Serial ATA (2.6 §10.3.8).
const READY_BYTES: u32 = 4;
/// A Register frame of Serial ATA (2.6 §10.3.4).
const COMMAND_BYTES: u64 = 20;

struct Sent {
    message: Message,
    streams: u32,
    to_host: bool,
}

struct Ways {
    doorbell: Route,
    ready: Route,
    to_drive: Route,
    to_memory: Route,
    direct_to_drive: Route,
    direct_to_memory: Route,
}

pub struct Attached {
    attachment: Attachment,
    traffic: Traffic,
    ways: Ways,
    entry_bytes: u64,
    sent: Slab<MessageId, Sent>,
    /// In order: none may pass a write to main memory (PCI Express Base 3.1 §2.4.1).
    to_host: VecDeque<MessageId>,
    arrived: VecDeque<Message>,
    awaited: Time,
}

impl Attached {
    /// If the drive has one; submission queue entries have `entry_bytes`.
    pub fn new(attachment: &Attachment, entry_bytes: u64) -> Option<Box<Attached>> {
        if attachment.kind == AttachmentKind::None {
            return None;
        }
        let service = Service::new(attachment, &FixedSsd::default().without_inside(), Rate(0));
        let routes = Routes::new(attachment);
        Some(Box::new(Attached {
            traffic: Traffic::new(service, &attachment.dma),
            ways: Ways {
                doorbell: routes.doorbell(DOORBELL_BYTES as u32),
                ready: routes.ask(READY_BYTES),
                to_drive: routes.to_drive(),
                to_memory: routes.to_memory(),
                direct_to_drive: routes.direct(true),
                direct_to_memory: routes.direct(false),
            },
            attachment: attachment.clone(),
            entry_bytes,
            sent: Slab::new(),
            to_host: VecDeque::new(),
            arrived: VecDeque::new(),
            awaited: Time::MAX,
        }))
    }

    pub fn send(&mut self, message: Message, data_bytes: u64, now: Time) {
        let ways = &self.ways;
        let (route, bytes, to_host) = match message {
            Message::SubmissionDoorbell { .. } | Message::CompletionDoorbell { .. } => (ways.doorbell, 1, false),
            Message::FetchEntries { .. } | Message::FetchData(_) | Message::FetchList(_) | Message::Accepted => {
                (ways.ready, 1, true)
            }
            Message::List(_) => (ways.to_drive, data_bytes, false),
            Message::Command(_) => (ways.to_drive, COMMAND_BYTES, false),
            Message::Entries { count, .. } => (ways.to_drive, u64::from(count) * self.entry_bytes, false),
            Message::Completion { .. } => (ways.to_memory, COMPLETION_BYTES, true),
            Message::WriteData(_) => return self.send_data(message, true, data_bytes, now),
            Message::ReadData(_) => return self.send_data(message, false, data_bytes, now),
        };
        let id = self.insert(message, 1, to_host);
        self.traffic.open(id.0, route, bytes, now);
    }

    fn send_data(&mut self, message: Message, to_drive: bool, bytes: u64, now: Time) {
        let (bridges, direct) = divide(&self.attachment, to_drive, bytes);
        let ways = &self.ways;
        let routes = if to_drive {
            [(ways.to_drive, bridges), (ways.direct_to_drive, direct)]
        } else {
            [(ways.to_memory, bridges), (ways.direct_to_memory, direct)]
        };
        let used = routes.into_iter().filter(|(_, bytes)| *bytes > 0);
        let id = self.insert(message, used.clone().count() as u32, !to_drive);
        for (route, bytes) in used {
            self.traffic.open(id.0, route, bytes, now);
        }
    }

    fn insert(&mut self, message: Message, streams: u32, to_host: bool) -> MessageId {
        let id = self.sent.insert(Sent { message, streams, to_host });
        if to_host {
            self.to_host.push_back(id);
        }
        id
    }

    pub fn look(&mut self) -> Option<Time> {
        let next = self.traffic.next_time();
        (next < self.awaited).then(|| {
            self.awaited = next;
            next
        })
    }

    /// Everything until `now` happens. Returns the next message that has arrived by then.
    pub fn next_arrival(&mut self, now: Time) -> Option<Message> {
        if self.awaited <= now {
            self.awaited = Time::MAX;
        }
        while self.arrived.is_empty() && self.traffic.next_time() <= now {
            if let Some(arrived) = self.traffic.step() {
                self.came_through(MessageId(arrived.token));
            }
        }
        self.arrived.pop_front()
    }

    fn came_through(&mut self, id: MessageId) {
        self.sent[id].streams -= 1;
        if self.sent[id].streams > 0 {
            return;
        }
        if !self.sent[id].to_host {
            self.sent.remove(id);
            return self.arrived.push_back(self.sent[id].message);
        }
        while let Some(first) = self.to_host.front().copied().filter(|first| self.sent[*first].streams == 0) {
            self.to_host.pop_front();
            self.sent.remove(first);
            self.arrived.push_back(self.sent[first].message);
        }
    }

    pub fn usage(&self) -> impl Iterator<Item = (&'static str, Time)> + '_ {
        self.traffic.usage()
    }
}
