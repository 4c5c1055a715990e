//! Counts of irregular lines in a trace that is read all the same.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::error::TraceError;

/// Counts of lines that were left out or put in order. They are shared with the code that reports them once the trace
/// has been read.
#[derive(Debug, Default)]
pub struct Tally {
    skipped: AtomicU64,
    out_of_order: AtomicU64,
    first: Mutex<Option<String>>,
}

impl Tally {
    /// Lines left out so far, as `on_error = "skip"` allows.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Relaxed)
    }

    /// Requests so far whose line comes after one of a later request.
    pub fn out_of_order_lines(&self) -> u64 {
        self.out_of_order.load(Relaxed)
    }

    /// Error of the first line left out.
    pub fn first_skipped(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn skip(&self, error: &TraceError) {
        if self.skipped.fetch_add(1, Relaxed) == 0 {
            *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
    }

    pub(crate) fn out_of_order(&self) {
        self.out_of_order.fetch_add(1, Relaxed);
    }
}
