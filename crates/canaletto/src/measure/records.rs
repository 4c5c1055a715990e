//! One row for each request, column by column.

use crate::host::request::Kind;
use crate::measure::blame::{CAUSES, Ledger};
use crate::sim::time::Time;

/// Per-request columns, in completion order.
#[derive(Default)]
pub struct Records {
    /// Number of the request, in order of generation.
    pub request: Vec<u32>,
    /// Index of the flow.
    pub flow: Vec<u16>,
    /// What was asked for, as the number of its [`Kind`].
    pub kind: Vec<u8>,
    /// 1 where the request was completed with an error.
    pub failed: Vec<u8>,
    /// First sector.
    pub lba: Vec<u64>,
    /// Sectors.
    pub sectors: Vec<u32>,
    /// Arrival, picoseconds.
    pub arrival: Vec<u64>,
    /// Placed in the submission queue, picoseconds.
    pub enqueue: Vec<u64>,
    /// Completion consumed by the host, picoseconds.
    pub complete: Vec<u64>,
    /// 1 where a transaction of the request met a path conflict.
    pub path_conflict: Vec<u8>,
    /// Time by cause, picoseconds; one column a cause.
    pub blame: [Vec<u64>; CAUSES],
}

/// One finished request.
pub struct Row<'a> {
    /// Number of the request.
    pub request: u32,
    /// Index of the flow.
    pub flow: u16,
    /// What was asked for.
    pub kind: Kind,
    /// Whether it was completed with an error.
    pub failed: bool,
    /// First sector.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
    /// Arrival.
    pub arrival: Time,
    /// Placed in the submission queue.
    pub enqueue: Time,
    /// Completion consumed by the host.
    pub complete: Time,
    /// Whether a transaction met a path conflict.
    pub path_conflict: bool,
    /// Where the time went.
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

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.flow.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.flow.is_empty()
    }
}
