//! A recording: every use of a wire and every step of an array and a register, in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::{WireSpan, WireUse};
use crate::flash::address::{LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Load};

/// Cycles on a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycles {
    /// The wire, by its place among those of the fabric.
    pub wire: u32,
    /// Their use.
    pub what: WireUse,
    /// Path to which they belong.
    pub path: PathId,
    /// Number of the transfer that was on the path when they were told.
    pub transfer: u32,
    /// From when.
    pub from: Time,
    /// Until when.
    pub until: Time,
}

/// Something that has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fact {
    /// A transfer is given a path.
    Begins { transfer: u32, path: PathId, load: Load },
    /// Parts of the interconnect fail.
    PartsFail,
    /// A transfer has crossed.
    Ends { transfer: u32, path: PathId },
    /// Cycles cross a wire.
    Wire(Cycles),
    /// Arrays of a LUN's planes (a mask) take a step, within a span.
    Array { lun: LunId, planes: u64, operation: Operation, step: ArrayStep, from: Time, until: Time },
    /// Read data have come into a plane's page register, or have left it.
    Register { plane: PlaneId, filled: bool },
}

/// An entry of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its place in time: the beginning of cycles; of reservations and agreements, which are told when they are over, the end.
    pub at: Time,
    /// The fact.
    pub fact: Fact,
}

/// Waiting room in which entries that are told ahead wait for their time.
pub struct Recorder {
    /// The time up to which everything has been told.
    pub now: Time,
    waiting: BinaryHeap<Reverse<Waiting>>,
    noted: u64,
    transfers: u32,
    /// Number of the last transfer on each path.
    on_path: Vec<u32>,
}

/// An entry, ordered by time, then by the order in which it was told.
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
    /// An empty one.
    pub fn new() -> Recorder {
        Recorder { now: Time::ZERO, waiting: BinaryHeap::new(), noted: 0, transfers: 0, on_path: Vec::new() }
    }

    /// Numbers a transfer that begins on a path.
    pub fn begin(&mut self, path: PathId) -> u32 {
        if self.on_path.len() <= path.index() {
            self.on_path.resize(path.index() + 1, u32::MAX);
        }
        self.on_path[path.index()] = self.transfers;
        self.transfers = self.transfers.wrapping_add(1);
        self.on_path[path.index()]
    }

    /// The number of the last transfer on a path.
    pub fn transfer_on(&self, path: PathId) -> u32 {
        self.on_path.get(path.index()).copied().unwrap_or(u32::MAX)
    }

    /// Cycles that a fabric has traced, and their place in time.
    pub fn cycles(&self, span: &WireSpan) -> (Time, Cycles) {
        let WireSpan { wire, what, path, start, end } = *span;
        let at = if matches!(what, WireUse::Reserved | WireUse::Handshake) { end } else { start };
        (at, Cycles { wire, what, path, transfer: self.transfer_on(path), from: start, until: end })
    }

    /// Notes a fact.
    pub fn note(&mut self, at: Time, fact: Fact) {
        self.waiting.push(Reverse(Waiting { order: (at, self.noted), entry: Entry { at, fact } }));
        self.noted += 1;
    }

    /// The next entry from before a time: nothing is told any more of what was before it.
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
