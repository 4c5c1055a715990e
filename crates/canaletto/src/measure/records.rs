//! Table of requests: one row per request, stored by column.

use crate::engine::time::Time;
use crate::host::request::{Edges, Kind, Status};
use crate::measure::blame::{CAUSES, Ledger};

/// Receives rows, some ten thousand at a time, so that memory is bounded. False stops the run.
pub type RowSink<'a> = dyn FnMut(Records) -> bool + 'a;

/// Bytes that requests leave out of their first and last sectors; empty while none does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeColumns {
    pub before: Vec<u16>,
    pub behind: Vec<u16>,
}

impl EdgeColumns {
    /// The row behind that many others.
    #[inline]
    pub fn push(&mut self, edges: Edges, rows: usize) {
        if edges != Edges::NONE || !self.before.is_empty() {
            for (column, bytes) in [(&mut self.before, edges.before), (&mut self.behind, edges.behind)] {
                column.resize(rows, 0);
                column.push(bytes);
            }
        }
    }
}

/// Per-request columns, in completion order.
#[derive(Debug, PartialEq)]
pub struct Records {
    pub request: Vec<u32>,
    pub flow: Vec<u16>,
    pub kind: Vec<u8>,
    /// Status code of NVM Express with which the request was completed; 0 is success.
    pub status: Vec<u8>,
    pub lba: Vec<u64>,
    pub sectors: Vec<u32>,
    pub edges: EdgeColumns,
    /// Reclaim unit handle of a write or an update; 0 else.
    pub handle: Vec<u16>,
    pub arrival: Vec<u64>,
    pub enqueue: Vec<u64>,
    pub complete: Vec<u64>,
    pub path_conflict: Vec<u8>,
    pub blame: [Vec<u64>; CAUSES],
    /// Empty where root causes are not followed.
    pub root_causes: [Vec<u64>; CAUSES],
}

pub struct Row<'a> {
    pub request: u32,
    pub flow: u16,
    pub kind: Kind,
    /// Its result.
    pub status: Status,
    pub lba: u64,
    pub sectors: u32,
    pub edges: Edges,
    pub handle: u16,
    pub arrival: Time,
    pub enqueue: Time,
    pub complete: Time,
    pub path_conflict: bool,
    pub ledger: &'a Ledger,
}

impl Default for Records {
    fn default() -> Self {
        Records {
            request: Vec::new(),
            flow: Vec::new(),
            kind: Vec::new(),
            status: Vec::new(),
            lba: Vec::new(),
            sectors: Vec::new(),
            edges: EdgeColumns::default(),
            handle: Vec::new(),
            arrival: Vec::new(),
            enqueue: Vec::new(),
            complete: Vec::new(),
            path_conflict: Vec::new(),
            blame: [const { Vec::new() }; CAUSES],
            root_causes: [const { Vec::new() }; CAUSES],
        }
    }
}

impl Records {
    pub fn push(&mut self, row: &Row) {
        self.request.push(row.request);
        self.flow.push(row.flow);
        self.kind.push(row.kind as u8);
        self.status.push(row.status as u8);
        self.lba.push(row.lba);
        self.edges.push(row.edges, self.sectors.len());
        self.sectors.push(row.sectors);
        self.handle.push(row.handle);
        self.arrival.push(row.arrival.0);
        self.enqueue.push(row.enqueue.0);
        self.complete.push(row.complete.0);
        self.path_conflict.push(u8::from(row.path_conflict));
        for (column, span) in self.blame.iter_mut().zip(&row.ledger.0) {
            column.push(span.0);
        }
    }

    pub fn push_root_causes(&mut self, ledger: &Ledger) {
        for (column, span) in self.root_causes.iter_mut().zip(&ledger.0) {
            column.push(span.0);
        }
    }

    pub fn len(&self) -> usize {
        self.flow.len()
    }

    pub fn is_empty(&self) -> bool {
        self.flow.is_empty()
    }
}
