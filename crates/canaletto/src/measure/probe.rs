//! Hooks for observers of a run: checks and timelines.
//!
//! The engine is compiled per [`Probe`], so that hooks cost nothing without an observer.

pub use crate::config::own::values::Work;
use crate::engine::time::Time;
use crate::fabric::trace::WireSpan;
use crate::fabric::{Direction, PathId};
use crate::flash::address::{ChipId, LunId, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::host::request::{Kind, Request, RequestId};
use crate::measure::blame::Cause;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// In order of generation; `u32::MAX` for the drive's own work.
    pub request: u32,
    /// In order of creation; `u32::MAX` for a request as a whole.
    pub page: u32,
    pub work: Work,
}

impl Owner {
    pub const NONE: Owner = Owner { request: u32::MAX, page: u32::MAX, work: Work::Host };

    pub fn of_request(request: u32) -> Owner {
        Owner { request, ..Owner::NONE }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    Command,
    Data,
    Copy,
    /// A command to a LUN at work: status, suspension, resumption.
    Control,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub carries: Carries,
    pub operation: Operation,
    pub chip: ChipId,
    pub to: ChipId,
    pub lun: LunId,
    pub planes: u64,
    pub direction: Direction,
    pub bytes: u64,
    /// It does not concern the LUN's registers and array.
    pub apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayStep {
    Begins,
    Stops,
    GoesOn,
    Ends,
}

pub trait Observer {
    fn watches_wires(&self) -> bool {
        false
    }
    fn watches_pages(&self) -> bool {
        false
    }
    /// Whether waits are passed on to their [root causes](crate::measure::root_cause).
    fn follows_waits(&self) -> bool {
        false
    }

    fn page_begins(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _kind: Kind) {}
    /// A page that was never written is found at `at`.
    fn page_found(&mut self, _lpa: u64, _at: Ppa) {}
    /// Called before the run for each page that holds this logical one.
    fn page_preconditioned(&mut self, _lpa: u64, _at: Ppa) {}
    /// A page no longer holds what [`Observer::page_preconditioned`] reported.
    fn page_gone(&mut self, _lpa: u64, _at: Ppa) {}
    /// A page of a host request is read from `from` (none: it reads as zeroes).
    fn page_read(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _from: Ppa) {}
    /// A host write is programmed at `at`; its other sectors were merged from `merged`.
    fn page_programmed(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// Read or programmed in vain: the page keeps its old content.
    fn page_failed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    fn page_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Sectors just read from `from` are kept in the data cache.
    fn page_filled(&mut self, _now: Time, _lpa: u64, _sectors: u64, _from: Ppa) {}
    fn page_read_cached(&mut self, _now: Time, _request: RequestId, _lpa: u64, _sectors: u64) {}
    /// Sectors leave the data cache for flash, with their present content.
    fn page_destages(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    /// Destaged sectors are programmed at `at`; others were merged from `merged`.
    fn page_destaged(&mut self, _now: Time, _lpa: u64, _sectors: u64, _at: Ppa, _merged: Ppa) {}
    /// The data cache removes a trimmed page; if it `stays`, it reads as zeroes from now on.
    fn page_trimmed_in_cache(&mut self, _now: Time, _request: RequestId, _lpa: u64, _stays: bool) {}
    /// A page of the data cache can be programmed nowhere and is lost.
    fn page_lost(&mut self, _now: Time, _lpa: u64, _sectors: u64) {}
    fn page_dropped(&mut self, _lpa: u64) {}
    /// It reads as zeroes from now on.
    fn page_trimmed(&mut self, _now: Time, _request: RequestId, _lpa: u64) {}
    fn page_copied(&mut self, _now: Time, _lpa: u64, _from: Ppa, _to: Ppa) {}
    fn translation_read(&mut self, _now: Time, _lpa: u64, _from: Ppa) {}
    fn translation_programmed(&mut self, _now: Time, _lpa: u64, _at: Ppa) {}
    fn parity_programmed(&mut self, _now: Time, _at: Ppa) {}
    /// From the others of its stripe.
    fn page_rebuilds(&mut self, _now: Time, _at: Ppa, _from: &[Ppa]) {}
    fn block_erased(&mut self, _now: Time, _plane: PlaneId, _block: u32) {}
    fn completed(&mut self, _now: Time, _request: RequestId) {}
    fn arrived(&mut self, _request: &Request) {}
    /// A command to a zone is admitted, an append with its address, or refused as its status says.
    fn zone_command(&mut self, _id: RequestId, _request: &Request) {}
    /// A wire or a controller is used for a transfer of `chip`; the span may reach into the future.
    fn wire_used(&mut self, _span: &WireSpan, _owner: Owner) {}
    /// Times on the wires with `gap` between them have ended at a chip's port.
    fn port_used(&mut self, _chip: ChipId, _owner: Owner, _command: Time, _data: Time, _gap: Time, _now: Time) {}
    fn parts_failed(&mut self, _now: Time) {}
    fn transfer_begins(&mut self, _path: PathId, _load: &Load, _now: Time) {}
    fn transfer_ends(&mut self, _path: PathId, _now: Time) {}
    /// Of some planes (a mask): begin, stop, continue or end.
    fn array_steps(&mut self, _lun: LunId, _planes: u64, _operation: Operation, _step: ArrayStep, _span: (Time, Time)) {
    }
    /// A plane's array begins to work; the span lies in the future.
    fn array_works(&mut self, _plane: PlaneId, _operation: Operation, _owner: Owner, _from: Time, _until: Time) {}
    /// A unit computes: the drive's (0), a channel's or a chip's, in this order; the span may lie in the future.
    fn unit_works(&mut self, _unit: u32, _owner: Owner, _from: Time, _until: Time) {}
    /// A unit of the chip takes the data of a plane's page register, which is then drained.
    fn register_computed(&mut self, _plane: PlaneId, _now: Time) {}
    fn register_filled(&mut self, _plane: PlaneId, _now: Time) {}
    /// Read data have left a plane's page register.
    fn register_drained(&mut self, _plane: PlaneId, _owner: Owner, _now: Time) {}
    fn charged(&mut self, _owner: Owner, _cause: Cause, _from: Time, _until: Time, _chip: Option<ChipId>) {}
    fn ended(&mut self, _request: &Request, _now: Time) {}
    /// Whether the observer has seen enough, which ends the run.
    fn is_done(&mut self, _now: Time) -> bool {
        false
    }
}

/// The engine is compiled for each type, so that [`NoProbe`] costs nothing.
pub trait Probe {
    fn observer(&mut self) -> Option<&mut dyn Observer>;
    fn watches_wires(&self) -> bool;
    fn watches_pages(&self) -> bool;
    fn follows_waits(&self) -> bool;

    #[inline(always)]
    fn notify(&mut self, hook: impl FnOnce(&mut dyn Observer)) {
        if let Some(observer) = self.observer() {
            hook(observer);
        }
    }
}

pub struct NoObserver<const FOLLOWS_WAITS: bool>;

pub type NoProbe = NoObserver<false>;

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

/// Probe of all other runs; its answers are read at run time.
pub struct Observed<'a> {
    observer: Option<&'a mut dyn Observer>,
    watches_wires: bool,
    watches_pages: bool,
    follows_waits: bool,
}

impl<'a> Observed<'a> {
    pub fn by(observer: &'a mut dyn Observer) -> Self {
        Observed {
            watches_wires: observer.watches_wires(),
            watches_pages: observer.watches_pages(),
            follows_waits: observer.follows_waits(),
            observer: Some(observer),
        }
    }

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
