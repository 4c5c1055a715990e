//! Hooks for watchers of a run: tests that check it against a model of their own, and timelines.
//!
//! The default methods do nothing and cost nothing: the machine is compiled for each probe.

use crate::flash::address::{PlaneId, Ppa};
use crate::host::request::RequestId;
use crate::sim::time::Time;

/// A watcher. Sector masks have one bit for each 512 B of a page.
pub trait Probe {
    /// A host write or read of one page enters the drive.
    fn page_begins(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _write: bool) {}
    /// A page that was never written is found at `at`, as if written before the run.
    fn page_found(&mut self, _lpa: u64, _at: Ppa) {}
    /// A page of a host request is read from `from` (no page: it reads as zeroes).
    fn page_read(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// A host write of `sectors` of `lpa` is programmed at `at`; its other sectors were merged from `merged`.
    fn page_programmed(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// Garbage collection has copied a page.
    fn page_copied(&mut self, _now: Time, _lpa: u64, _from: Ppa, _to: Ppa) {}
    /// A block is erased.
    fn block_erased(&mut self, _now: Time, _plane: PlaneId, _block: u32) {}
    /// The host has consumed a request's completion.
    fn completed(&mut self, _now: Time, _request: RequestId) {}
}

/// Watches nothing.
pub struct NoProbe;

impl Probe for NoProbe {}
