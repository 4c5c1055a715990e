//! Hooks for watchers of a run: tests that check it against a model of their own, and timelines.
//!
//! The default methods do nothing and cost nothing: the machine is compiled for each probe.

use crate::fabric::trace::WireSpan;
use crate::flash::address::{ChipId, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::host::request::{Kind, Request, RequestId};
use crate::measure::blame::Cause;
use crate::sim::time::Time;

/// What something is done for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A request of the host.
    Host,
    /// A page goes from the data cache to flash.
    Cache,
    /// Blocks are collected, for whatever reason.
    Gc,
    /// The mapping table's pages on flash.
    Mapping,
}

impl Work {
    /// Names, in the order of their numbers.
    pub const NAMES: [&str; 4] = ["host", "cache", "gc", "mapping"];
}

/// Whom something is done for: the number of a request, that of a page transaction, and the kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Requests are numbered as they are generated; `u32::MAX` for the drive's own work.
    pub request: u32,
    /// Page transactions are numbered as they are made; `u32::MAX` for what concerns the whole request.
    pub page: u32,
    /// The host's, or which of the drive's own.
    pub work: Work,
}

impl Owner {
    /// Nobody.
    pub const NONE: Owner = Owner { request: u32::MAX, page: u32::MAX, work: Work::Host };

    /// A whole request.
    pub fn of_request(request: u32) -> Owner {
        Owner { request, ..Owner::NONE }
    }
}

/// A watcher. Sector masks have one bit for each 512 B of a page.
pub trait Probe {
    /// Whether it wants to hear of wires, arrays and single charges: the machine leaves them out otherwise.
    const WATCHES_WIRES: bool = false;
    /// Whether it wants to hear what every page of a preconditioned drive holds.
    const WATCHES_PAGES: bool = false;

    /// One page of a host request enters the drive.
    fn page_begins(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _kind: Kind) {}
    /// A page that was never written is found at `at`, as if written before the run.
    fn page_found(&mut self, _lpa: u64, _at: Ppa) {}
    /// Before the run, a page holds this logical one.
    fn page_preconditioned(&mut self, _lpa: u64, _at: Ppa) {}
    /// A page of a preconditioned drive turns out not to hold what [`Probe::page_preconditioned`] said: something else is
    /// found there, as if written before the run.
    fn page_gone(&mut self, _lpa: u64, _at: Ppa) {}
    /// A page of a host request is read from `from` (no page: it reads as zeroes).
    fn page_read(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// A host write of `sectors` of `lpa` is programmed at `at`; its other sectors were merged from `merged`.
    fn page_programmed(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// A page of a host request could not be read, or could not be programmed anywhere and keeps what it held.
    fn page_failed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    /// A host write of `sectors` of `lpa` is in the data cache.
    fn page_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Sectors of a page that were just read from `from` are kept in the data cache.
    fn page_filled(&mut self, _now: Time, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// Sectors of a page of a host request are read from the data cache.
    fn page_read_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Sectors of a page set out from the data cache for flash, as they are now.
    fn page_destages(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    /// They are programmed at `at`; the page's other sectors were merged from `merged`.
    fn page_destaged(&mut self, _now: Time, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// The data cache forgets a trimmed page; if it stays there, all of it reads as zeroes from now on.
    fn page_trimmed_in_cache(&mut self, _now: Time, _request: RequestId, _lpa: u64, _stays: bool) {}
    /// A page of the data cache can be programmed nowhere and is lost.
    fn page_lost(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    /// The data cache has given a page up.
    fn page_dropped(&mut self, _lpa: u64) {}
    /// A page is deallocated: from now on it reads as zeroes.
    fn page_trimmed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    /// Garbage collection has copied a page.
    fn page_copied(&mut self, _now: Time, _lpa: u64, _from: Ppa, _to: Ppa) {}
    /// A translation page of the mapping table is read from `from`.
    fn translation_read(&mut self, _now: Time, _lpa: u64, _from: Ppa) {}
    /// A translation page of the mapping table is programmed at `at`.
    fn translation_programmed(&mut self, _now: Time, _lpa: u64, _at: Ppa) {}
    /// A block is erased.
    fn block_erased(&mut self, _now: Time, _plane: PlaneId, _block: u32) {}
    /// The host has consumed a request's completion.
    fn completed(&mut self, _now: Time, _request: RequestId) {}
    /// A request arrives.
    fn arrived(&mut self, _request: &Request) {}
    /// A wire or a controller is used for a transfer of `chip`; the span may reach into the future.
    fn wire_used(&mut self, _span: &WireSpan, _owner: Owner) {}
    /// A transfer of these times on the wires has come to its end at a chip's port, or has left it.
    fn port_used(&mut self, _chip: ChipId, _owner: Owner, _command: Time, _data: Time, _now: Time) {}
    /// A plane's array works; the span lies in the future.
    fn array_works(&mut self, _plane: PlaneId, _operation: Operation, _owner: Owner, _from: Time, _until: Time) {}
    /// Read data are in a plane's page register.
    fn register_filled(&mut self, _plane: PlaneId, _now: Time) {}
    /// They have left it.
    fn register_drained(&mut self, _plane: PlaneId, _owner: Owner, _now: Time) {}
    /// Time of a page or a request is charged to a cause; `chip` is the one concerned, if any.
    fn charged(&mut self, _owner: Owner, _cause: Cause, _from: Time, _until: Time, _chip: Option<ChipId>) {}
    /// A request ends.
    fn ended(&mut self, _request: &Request, _now: Time) {}
    /// Whether it has seen enough: the run is broken off.
    fn is_done(&mut self, _now: Time) -> bool {
        false
    }
}

/// Watches nothing.
pub struct NoProbe;

impl Probe for NoProbe {}
