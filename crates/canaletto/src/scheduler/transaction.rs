//! A flash transaction: one page read, one page program or one block erase.

pub use crate::config::own::values::Origin;
use crate::config::workload::Priority;
use crate::engine::arena::Slab;
pub use crate::engine::ids::TransactionId;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::clocks::{Background, Clocks};
use crate::flash::interface::Operation;
use crate::ftl::frontier::{Frontier, Line};
use crate::host::request::RequestId;
use crate::measure::charges::Charges;

/// All transactions in flight.
pub type Transactions = Slab<TransactionId, Transaction>;

/// A page read, page program or block erase.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct Transaction {
    /// Operation of the array.
    pub operation: Operation,
    /// Who wants it.
    pub origin: Origin,
    /// Priority class.
    pub priority: Priority,
    /// Whether it ever waited for a path while its chip was ready.
    pub path_conflict: bool,
    /// The host request it belongs to.
    pub request: RequestId,
    /// The flow whose page it is, for a page of the host.
    pub flow: u16,
    /// For a write: whether its old page is still being read. For an old page's read: the write that waits.
    pub old_page: OldPage,
    /// For a write that is gathered with others: whether it has come to its chip.
    pub has_come: bool,
    /// For a write: whether its page was deallocated before, so that there is nothing to find or merge.
    pub was_trimmed: bool,
    /// For a copy: whether it is programmed from the register it was read into.
    pub copyback: bool,
    /// For a copy: whether it is one out of the pseudo-SLC cache.
    pub folds: bool,
    /// Whether the cells that it concerns are used as pseudo-SLC, once it is issued.
    pub pseudo_slc: bool,
    /// For a read: whether what was read is illegible.
    pub read_failed: bool,
    /// For a read: whether the ECC engine cannot correct it, so that it is read again once the engine is done with it.
    pub ecc_failed: bool,
    /// For a read: what it does about the outer codewords around its data.
    pub outer: Outer,
    /// For a read: how often it was read again.
    pub attempt: u16,
    /// Whether it has failed before and is tried again: its time is charged to that.
    pub retrying: bool,
    /// Where it gets its page from, if it needs one.
    pub frontier: Frontier,
    /// Logical page.
    pub lpa: u64,
    /// Where it goes; no page yet for a write that is bound to one when its command is formed.
    pub ppa: Ppa,
    /// For a write: the page it replaces. For a copy: the page it was copied from.
    pub old: Ppa,
    /// For a copy: the plane it goes to.
    pub to: PlaneId,
    /// For a copy: whether it goes straight from chip to chip, into a register kept for it.
    pub direct: bool,
    /// Sectors it concerns, one bit each. For a piece of a trim: its number of pages.
    pub sectors: u64,
    /// Sectors taken over from the old page.
    pub merged: u64,
    /// Bytes of data that cross to or from the chip.
    pub bytes: u32,
    /// Stages of the controller's inside already passed.
    pub stage: u8,
    /// Its number among all, for timelines.
    pub number: u32,
    /// When its request arrived; for a transaction of no request, when it began.
    pub began: Time,
    /// Time up to which everything is charged.
    pub since: Time,
    /// Where the time went.
    pub charges: Charges,
    /// The LUN's clocks of background work when the transaction was queued.
    pub background_marks: Clocks,
    /// The plane's clock of time without a free page when the transaction was queued.
    pub stall_mark: Time,
    /// Next in the list this transaction is in.
    pub next: TransactionId,
    /// The next of those that cross and are read or programmed together, as pages of one flash page.
    pub next_in_flash_page: TransactionId,
    /// For a write in flight: the next write of the same page, which waits for it.
    pub successor: TransactionId,
}

/// How a transaction takes part in a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum OldPage {
    /// Not at all.
    None,
    /// A write that waits for its old page.
    Awaited,
    /// A write whose old page could not be read.
    Lost,
    /// The read that this write waits for.
    For(TransactionId),
}

/// State of a read with respect to the outer codewords that hold its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Outer {
    /// Nothing: the codewords within do.
    Unread,
    /// So many are read in whole next.
    Wanted(u8),
    /// So many are there, and the ECC engine decodes them.
    Decoded(u8),
}

impl Transaction {
    /// Whether it is a write that only waits for a page of a plane's frontier.
    pub fn waits_for_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.ppa == Ppa::unbound(plane) && self.frontier == frontier && self.old_page != OldPage::Awaited
    }

    /// A transaction of a host request, not yet translated.
    #[inline(always)]
    pub fn of_request(
        operation: Operation,
        request: RequestId,
        priority: Priority,
        lpa: u64,
        sectors: u64,
        now: Time,
    ) -> Self {
        Transaction {
            operation,
            origin: Origin::User,
            priority,
            path_conflict: false,
            request,
            flow: 0,
            old_page: OldPage::None,
            has_come: false,
            was_trimmed: false,
            copyback: false,
            folds: false,
            pseudo_slc: false,
            read_failed: false,
            ecc_failed: false,
            outer: Outer::Unread,
            attempt: 0,
            retrying: false,
            frontier: Frontier::User(0),
            lpa,
            ppa: Ppa::NONE,
            old: Ppa::NONE,
            to: PlaneId::NONE,
            direct: false,
            sectors,
            merged: 0,
            bytes: sectors.count_ones() * 512,
            stage: 0,
            number: 0,
            began: now,
            since: now,
            charges: Charges::NONE,
            background_marks: Clocks::default(),
            stall_mark: Time::ZERO,
            next: TransactionId::NONE,
            next_in_flash_page: TransactionId::NONE,
            successor: TransactionId::NONE,
        }
    }

    /// Which writes it may share a flash page with: of collection's there is one class.
    pub fn line(&self) -> Line {
        let class = match self.origin {
            Origin::Gc => 0,
            Origin::Parity => Line::PARITY,
            _ => self.priority as u8,
        };
        Line { frontier: self.frontier, class }
    }

    /// Whether it writes data of the host, directly or out of the data cache.
    pub fn is_host_write(&self) -> bool {
        self.operation == Operation::Program && matches!(self.origin, Origin::User | Origin::Destage)
    }

    /// The kind of background work it is, if the host did not ask for it.
    #[inline]
    pub fn background(&self) -> Option<Background> {
        if self.origin == Origin::User {
            return None;
        }
        match (self.origin, self.operation) {
            (Origin::Gc, Operation::Read | Operation::Program) if self.folds => Some(Background::Fold),
            (Origin::Gc, Operation::Read) => Some(Background::GcRead),
            (Origin::Gc, Operation::Program) => Some(Background::GcProgram),
            (Origin::Gc, Operation::Erase) => Some(Background::Erase),
            (Origin::Mapping, _) => Some(Background::Mapping),
            (Origin::Parity | Origin::Rebuild, _) => Some(Background::Parity),
            _ => None,
        }
    }

    /// The data that a read was for go on alone, without the rest of their outer codewords.
    pub fn leave_outer_codewords(&mut self) {
        if self.outer != Outer::Unread {
            self.bytes = self.sectors.count_ones() * 512;
            self.outer = Outer::Unread;
        }
    }

    /// A transaction of garbage collection.
    pub fn of_gc(operation: Operation, lpa: u64, ppa: Ppa, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Gc,
            frontier: Frontier::Gc,
            ppa,
            ..Self::of_request(operation, RequestId::NONE, Priority::High, lpa, sectors, now)
        }
    }

    /// A read or a write of a translation page.
    pub fn of_mapping(operation: Operation, lpa: u64, ppa: Ppa, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Mapping,
            frontier: Frontier::Translation(0),
            ppa,
            ..Self::of_request(operation, RequestId::NONE, Priority::High, lpa, sectors, now)
        }
    }

    /// The program of the parity page at `ppa`, so many bytes, whose stripe ends with the write `of` a request, the cache or collection.
    pub fn of_parity(of: &Transaction, ppa: Ppa, bytes: u32, now: Time) -> Self {
        Transaction {
            origin: Origin::Parity,
            flow: of.flow,
            frontier: of.frontier,
            ppa,
            bytes,
            ..Self::of_request(Operation::Program, RequestId::NONE, of.priority, 0, 0, now)
        }
    }

    /// A read of the page at `ppa`, of which that of the read `read` is rebuilt.
    pub fn of_rebuild(read: TransactionId, of: &Transaction, ppa: Ppa, now: Time) -> Self {
        Transaction {
            origin: Origin::Rebuild,
            flow: of.flow,
            frontier: of.frontier,
            old_page: OldPage::For(read),
            ppa,
            ..Self::of_request(Operation::Read, RequestId::NONE, of.priority, 0, of.sectors, now)
        }
    }

    /// A page of `flow` that goes from the data cache to flash.
    pub fn of_destage(flow: u16, priority: Priority, frontier: Frontier, lpa: u64, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Destage,
            flow,
            frontier,
            ..Self::of_request(Operation::Program, RequestId::NONE, priority, lpa, sectors, now)
        }
    }

    /// The read of the old page that the write `write`, a transaction `of` a request or out of the cache, needs.
    pub fn of_old_page(write: TransactionId, of: &Transaction, ppa: Ppa, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::OldPage,
            flow: of.flow,
            old_page: OldPage::For(write),
            ppa,
            ..Self::of_request(Operation::Read, RequestId::NONE, of.priority, of.lpa, sectors, now)
        }
    }
}
