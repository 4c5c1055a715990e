//! Hooks for observers of a run: checks against a reference model, and timelines.
//!
//! An [`Observer`] receives what happens. The engine reaches it by way of a [`Probe`], for each type of which it is compiled: runs
//! without an observer do not pay for the hooks, and all others share one type.

pub use crate::config::own::values::Work;
use crate::engine::time::Time;
use crate::fabric::trace::WireSpan;
use crate::fabric::{Direction, PathId};
use crate::flash::address::{ChipId, LunId, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::host::request::{Kind, Request, RequestId};
use crate::measure::blame::Cause;

/// Owner of an operation: number of a request, number of a page transaction, and kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Number of the request, in order of generation; `u32::MAX` for the drive's own work.
    pub request: u32,
    /// Number of the page transaction, in order of creation; `u32::MAX` for a request as a whole.
    pub page: u32,
    /// Kind of work.
    pub work: Work,
}

impl Owner {
    /// No owner.
    pub const NONE: Owner = Owner { request: u32::MAX, page: u32::MAX, work: Work::Host };

    /// Returns the owner that is a whole request.
    pub fn of_request(request: u32) -> Owner {
        Owner { request, ..Owner::NONE }
    }
}

/// Part of a flash operation that a transfer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// A command, with the data of a program.
    Command,
    /// The data of a read.
    Data,
    /// The data of a read, to another chip.
    Copy,
    /// A command to a LUN in the middle of its work: for its status, to suspend or to resume.
    Control,
}

/// Load of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Part of the operation.
    pub carries: Carries,
    /// Operation of the array.
    pub operation: Operation,
    /// Chip at the far end.
    pub chip: ChipId,
    /// Chip that a copy goes to; of other transfers, `chip` again.
    pub to: ChipId,
    /// LUN of the operation.
    pub lun: LunId,
    /// Planes of the operation, as a mask by their place in the LUN.
    pub planes: u64,
    /// Direction of the transfer.
    pub direction: Direction,
    /// Bytes of data, without headers; 0 for a command alone.
    pub bytes: u64,
}

/// Step of an array operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayStep {
    /// The command has crossed; the array works within the span.
    Begins,
    /// The operation is being suspended, until the end of the span.
    Stops,
    /// The operation is being resumed; the array works again from the end of the span on.
    GoesOn,
    /// The array is done.
    Ends,
}

/// Observer of a run. Sector masks have one bit for each 512 B of a page.
pub trait Observer {
    /// Whether the observer receives events of wires, arrays and single charges.
    fn watches_wires(&self) -> bool {
        false
    }
    /// Whether the observer receives the content of every page of a preconditioned drive.
    fn watches_pages(&self) -> bool {
        false
    }
    /// Whether waits are passed on to their [root causes](crate::measure::root_cause).
    fn follows_waits(&self) -> bool {
        false
    }

    /// Called when one page of a host request enters the drive.
    fn page_begins(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _kind: Kind) {}
    /// Called when a page that was never written is found at `at`, as if written before the run.
    fn page_found(&mut self, _lpa: u64, _at: Ppa) {}
    /// Called before the run for each page that holds this logical one.
    fn page_preconditioned(&mut self, _lpa: u64, _at: Ppa) {}
    /// Called when a page of a preconditioned drive does not hold what [`Observer::page_preconditioned`] said, and
    /// something else is found there, as if written before the run.
    fn page_gone(&mut self, _lpa: u64, _at: Ppa) {}
    /// Called when a page of a host request is read from `from` (no page: it reads as zeroes).
    fn page_read(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// Called when a host write of `sectors` of `lpa` is programmed at `at`; its other sectors were merged from
    /// `merged`.
    fn page_programmed(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// Called when a page of a host request could not be read, or could not be programmed anywhere and keeps its old
    /// content.
    fn page_failed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    /// Called when a host write of `sectors` of `lpa` is in the data cache.
    fn page_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Called when sectors of a page that were just read from `from` are kept in the data cache.
    fn page_filled(&mut self, _now: Time, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// Called when sectors of a page of a host request are read from the data cache.
    fn page_read_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Called when sectors of a page leave the data cache for flash, with their present content.
    fn page_destages(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    /// Called when destaged sectors are programmed at `at`; the page's other sectors were merged from `merged`.
    fn page_destaged(&mut self, _now: Time, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// Called when the data cache removes a trimmed page; if it stays there, all of it reads as zeroes from now on.
    fn page_trimmed_in_cache(&mut self, _now: Time, _request: RequestId, _lpa: u64, _stays: bool) {}
    /// Called when a page of the data cache can be programmed nowhere and is lost.
    fn page_lost(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    /// Called when the data cache evicts a page.
    fn page_dropped(&mut self, _lpa: u64) {}
    /// Called when a page is deallocated: from now on it reads as zeroes.
    fn page_trimmed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    /// Called when garbage collection has copied a page.
    fn page_copied(&mut self, _now: Time, _lpa: u64, _from: Ppa, _to: Ppa) {}
    /// Called when a translation page of the mapping table is read from `from`.
    fn translation_read(&mut self, _now: Time, _lpa: u64, _from: Ppa) {}
    /// Called when a translation page of the mapping table is programmed at `at`.
    fn translation_programmed(&mut self, _now: Time, _lpa: u64, _at: Ppa) {}
    /// Called when the parity page at `at` is programmed.
    fn parity_programmed(&mut self, _now: Time, _at: Ppa) {}
    /// Called when the page at `at` is about to be rebuilt from the others of its stripe that are on flash.
    fn page_rebuilds(&mut self, _now: Time, _at: Ppa, _from: &[Ppa]) {}
    /// Called when a block is erased.
    fn block_erased(&mut self, _now: Time, _plane: PlaneId, _block: u32) {}
    /// Called when the host has consumed a request's completion.
    fn completed(&mut self, _now: Time, _request: RequestId) {}
    /// Called when a request arrives.
    fn arrived(&mut self, _request: &Request) {}
    /// Called when a wire or a controller is used for a transfer of `chip`; the span may reach into the future.
    fn wire_used(&mut self, _span: &WireSpan, _owner: Owner) {}
    /// Called when a transfer of these times on the wires, with `gap` between them, has come to its end at a chip's port, or has
    /// left it.
    fn port_used(&mut self, _chip: ChipId, _owner: Owner, _command: Time, _data: Time, _gap: Time, _now: Time) {}
    /// Called when parts of the interconnect have failed.
    fn parts_failed(&mut self, _now: Time) {}
    /// Called when a transfer has been given a path.
    fn transfer_begins(&mut self, _path: PathId, _load: &Load, _now: Time) {}
    /// Called when the transfer on a path has crossed.
    fn transfer_ends(&mut self, _path: PathId, _now: Time) {}
    /// Called when the arrays of some planes of a LUN (a mask by their place in it) begin, stop, continue with or end an
    /// operation.
    fn array_steps(&mut self, _lun: LunId, _planes: u64, _operation: Operation, _step: ArrayStep, _span: (Time, Time)) {
    }
    /// Called when a plane's array begins to work; the span lies in the future.
    fn array_works(&mut self, _plane: PlaneId, _operation: Operation, _owner: Owner, _from: Time, _until: Time) {}
    /// Called when read data are in a plane's page register.
    fn register_filled(&mut self, _plane: PlaneId, _now: Time) {}
    /// Called when read data have left a plane's page register.
    fn register_drained(&mut self, _plane: PlaneId, _owner: Owner, _now: Time) {}
    /// Called when time of a page or a request is charged to a cause; `chip` is the one concerned, if any.
    fn charged(&mut self, _owner: Owner, _cause: Cause, _from: Time, _until: Time, _chip: Option<ChipId>) {}
    /// Called when a request ends.
    fn ended(&mut self, _request: &Request, _now: Time) {}
    /// Returns whether the observer has seen enough, which ends the run.
    fn is_done(&mut self, _now: Time) -> bool {
        false
    }
}

/// Connection of a run to its observer. The engine is compiled for each type, so that [`NoProbe`] costs nothing.
pub trait Probe {
    /// Returns the observer, if there is one.
    fn observer(&mut self) -> Option<&mut dyn Observer>;
    /// Answers [`Observer::watches_wires`].
    fn watches_wires(&self) -> bool;
    /// Answers [`Observer::watches_pages`].
    fn watches_pages(&self) -> bool;
    /// Answers [`Observer::follows_waits`].
    fn follows_waits(&self) -> bool;

    /// Calls a hook of the observer, if there is one.
    #[inline(always)]
    fn notify(&mut self, hook: impl FnOnce(&mut dyn Observer)) {
        if let Some(observer) = self.observer() {
            hook(observer);
        }
    }
}

/// Probe of a run without an observer. `FOLLOWS_WAITS`: whether waits are passed on to their root causes.
pub struct NoObserver<const FOLLOWS_WAITS: bool>;

/// Probe of a run without an observer or root causes.
pub type NoProbe = NoObserver<false>;

/// Probe of a run without an observer, whose waits are passed on to their root causes.
pub type WaitFollower = NoObserver<true>;

impl<const FOLLOWS_WAITS: bool> Probe for NoObserver<FOLLOWS_WAITS> {
    #[inline(always)]
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        None
    }

    #[inline(always)]
    fn watches_wires(&self) -> bool {
        false
    }

    #[inline(always)]
    fn watches_pages(&self) -> bool {
        false
    }

    #[inline(always)]
    fn follows_waits(&self) -> bool {
        FOLLOWS_WAITS
    }
}

/// Probe of all other runs: a single type, whose answers are read at run time.
pub struct Observed<'a> {
    observer: Option<&'a mut dyn Observer>,
    watches_wires: bool,
    watches_pages: bool,
    follows_waits: bool,
}

impl<'a> Observed<'a> {
    /// Probe of a run that `observer` watches.
    pub fn by(observer: &'a mut dyn Observer) -> Self {
        Observed {
            watches_wires: observer.watches_wires(),
            watches_pages: observer.watches_pages(),
            follows_waits: observer.follows_waits(),
            observer: Some(observer),
        }
    }

    /// Probe of a run that nobody watches, and whose waits are passed on to their root causes.
    pub fn following_waits() -> Self {
        Observed { observer: None, watches_wires: false, watches_pages: false, follows_waits: true }
    }
}

impl Probe for Observed<'_> {
    #[inline(always)]
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        match &mut self.observer {
            Some(observer) => Some(&mut **observer),
            None => None,
        }
    }

    #[inline(always)]
    fn watches_wires(&self) -> bool {
        self.watches_wires
    }

    #[inline(always)]
    fn watches_pages(&self) -> bool {
        self.watches_pages
    }

    #[inline(always)]
    fn follows_waits(&self) -> bool {
        self.follows_waits
    }
}
