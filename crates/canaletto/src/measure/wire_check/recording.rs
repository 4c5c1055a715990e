use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::{WireSpan, WireUse};
use crate::flash::address::{LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Load};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycles {
    pub wire: u32,
    pub what: WireUse,
    pub path: PathId,
    pub transfer: u32,
    pub from: Time,
    pub until: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fact {
    Begins {
        transfer: u32,
        path: PathId,
        load: Load,
    },
    PartsFail,
    Ends {
        transfer: u32,
        path: PathId,
    },
    Wire(Cycles),
    Array {
        lun: LunId,
        planes: u64,
        operation: Operation,
        step: ArrayStep,
        from: Time,
        until: Time,
    },
    Register {
        plane: PlaneId,
        filled: bool,
    },
    /// A unit of the chip takes what is in the register.
    Computed(PlaneId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Of cycles the beginning; of reservations and agreements the end, when they are reported.
    pub at: Time,
    pub fact: Fact,
}

/// Entries reported ahead wait for their time.
pub struct Recorder {
    pub now: Time,
    waiting: BinaryHeap<Reverse<Waiting>>,
    noted: u64,
    transfers: u32,
    on_path: Vec<u32>,
}

struct Waiting {
    order: (Time, u64),
    entry: Entry,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

impl Recorder {
    pub fn new() -> Recorder {
        Recorder { now: Time::ZERO, waiting: BinaryHeap::new(), noted: 0, transfers: 0, on_path: Vec::new() }
    }

    pub fn begin(&mut self, path: PathId) -> u32 {
        if self.on_path.len() <= path.index() {
            self.on_path.resize(path.index() + 1, u32::MAX);
        }
        self.on_path[path.index()] = self.transfers;
        self.transfers = self.transfers.wrapping_add(1);
        self.on_path[path.index()]
    }

    pub fn transfer_on(&self, path: PathId) -> u32 {
        self.on_path.get(path.index()).copied().unwrap_or(u32::MAX)
    }

    pub fn cycles(&self, span: &WireSpan) -> (Time, Cycles) {
        let WireSpan { wire, what, path, start, end } = *span;
        let at = if matches!(what, WireUse::Reserved | WireUse::Handshake) { end } else { start };
        (at, Cycles { wire, what, path, transfer: self.transfer_on(path), from: start, until: end })
    }

    pub fn note(&mut self, at: Time, fact: Fact) {
        self.waiting.push(Reverse(Waiting { order: (at, self.noted), entry: Entry { at, fact } }));
        self.noted += 1;
    }

    pub fn take(&mut self, before: Time) -> Option<Entry> {
        if before != Time::MAX {
            self.now = self.now.max(before);
        }
        let due = self.waiting.peek().is_some_and(|Reverse(next)| next.order.0 < before);
        if due { self.waiting.pop().map(|Reverse(next)| next.entry) } else { None }
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::new()
    }
}
