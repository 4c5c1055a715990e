//! Table of requests: one row a request, stored by column.

use crate::engine::time::Time;
use crate::host::request::Kind;
use crate::measure::blame::{CAUSES, Ledger};

/// Receiver of the rows of completed requests, some ten thousands at a time in order of completion, so that a run of any
/// length takes bounded memory. It stops the run by returning false.
pub type RowSink<'a> = dyn FnMut(Records) -> bool + 'a;

/// Per-request columns, in completion order.
#[derive(Debug, Default, PartialEq)]
pub struct Records {
    /// Number of the request, in order of generation.
    pub request: Vec<u32>,
    /// Index of the flow.
    pub flow: Vec<u16>,
    /// Kind of the request, as the number of its [`Kind`].
    pub kind: Vec<u8>,
    /// 1 where the request was completed with an error.
    pub failed: Vec<u8>,
    /// First sector.
    pub lba: Vec<u64>,
    /// Number of sectors.
    pub sectors: Vec<u32>,
    /// Time of arrival, in picoseconds.
    pub arrival: Vec<u64>,
    /// Time of entry into the submission queue, in picoseconds.
    pub enqueue: Vec<u64>,
    /// Time at which the host consumed the completion, in picoseconds.
    pub complete: Vec<u64>,
    /// 1 where a transaction of the request met a path conflict.
    pub path_conflict: Vec<u8>,
    /// Time by cause, in picoseconds; one column a cause.
    pub blame: [Vec<u64>; CAUSES],
    /// Time by root cause, in picoseconds; empty columns where those are not followed.
    pub root_causes: [Vec<u64>; CAUSES],
}

/// Completed request.
pub struct Row<'a> {
    /// Number of the request.
    pub request: u32,
    /// Index of the flow.
    pub flow: u16,
    /// Kind of the request.
    pub kind: Kind,
    /// Whether it was completed with an error.
    pub failed: bool,
    /// First sector.
    pub lba: u64,
    /// Number of sectors.
    pub sectors: u32,
    /// Time of arrival.
    pub arrival: Time,
    /// Time of entry into the submission queue.
    pub enqueue: Time,
    /// Time at which the host consumed the completion.
    pub complete: Time,
    /// Whether a transaction met a path conflict.
    pub path_conflict: bool,
    /// Time by cause.
    pub ledger: &'a Ledger,
}

impl Records {
    /// Appends a request.
    pub fn push(&mut self, row: &Row) {
        self.request.push(row.request);
        self.flow.push(row.flow);
        self.kind.push(row.kind as u8);
        self.failed.push(u8::from(row.failed));
        self.lba.push(row.lba);
        self.sectors.push(row.sectors);
        self.arrival.push(row.arrival.0);
        self.enqueue.push(row.enqueue.0);
        self.complete.push(row.complete.0);
        self.path_conflict.push(u8::from(row.path_conflict));
        for (column, span) in self.blame.iter_mut().zip(&row.ledger.0) {
            column.push(span.0);
        }
    }

    /// Appends the root causes of the request that is appended next.
    pub fn push_root_causes(&mut self, ledger: &Ledger) {
        for (column, span) in self.root_causes.iter_mut().zip(&ledger.0) {
            column.push(span.0);
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.flow.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.flow.is_empty()
    }
}
