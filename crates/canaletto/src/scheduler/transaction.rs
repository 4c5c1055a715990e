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
use crate::measure::charges::PageCharges;

/// All transactions in flight.
pub type Transactions = Slab<TransactionId, Transaction>;

/// Something that is either so of a transaction, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Flag {
    /// It has waited for a path while its chip was ready.
    PathConflict = 1,
    /// It has failed before and is tried again: its time is charged to that.
    Retrying = 1 << 1,
    /// The cells that it concerns are used as pseudo-SLC. Known once it is issued.
    PseudoSlc = 1 << 2,
    /// What was read is illegible.
    ReadFailed = 1 << 3,
    /// The ECC engine cannot correct what was read, which is read again once the engine is done with it.
    EccFailed = 1 << 4,
    /// A write that is gathered with others has come to its chip.
    HasCome = 1 << 5,
    /// The page of a write was deallocated before, so that there is nothing to find or merge.
    WasTrimmed = 1 << 6,
    /// A write waits for its old page.
    AwaitsOldPage = 1 << 7,
    /// The old page of a write could not be read.
    LostOldPage = 1 << 8,
    /// A copy is programmed from the register it was read into.
    Copyback = 1 << 9,
    /// A copy goes straight from chip to chip, into a register kept for it.
    Direct = 1 << 10,
    /// A copy leaves the pseudo-SLC cache.
    Folds = 1 << 11,
    /// It has a row in the table of [`Rare`] things.
    HasRare = 1 << 12,
    /// It did not begin when its request arrived.
    HasOwnTime = 1 << 13,
}

/// Flags of a transaction, and its way through the controller.
#[derive(Clone, Copy, Default)]
pub struct State {
    /// In bytes, so that a transaction has no gap after them.
    flags: [u8; 2],
    /// Stages of the controller's inside already passed.
    pub stage: u8,
}

impl State {
    /// The same, with the stages before this one passed.
    pub fn at_stage(self, stage: u8) -> State {
        State { stage, ..self }
    }
}

/// A page read, page program or block erase. As many wait as requests are outstanding, so that it is small; what only some have is
/// [`Rare`].
#[derive(Clone, Copy)]
pub struct Transaction {
    /// Operation of the array.
    pub operation: Operation,
    /// Who wants it.
    pub origin: Origin,
    /// Priority class.
    pub priority: Priority,
    /// How far it has come.
    pub state: State,
    /// The flow whose page it is, for a page of the host.
    pub flow: u16,
    /// Where it gets its page from, if it needs one.
    pub frontier: Frontier,
    /// The host request it belongs to.
    pub request: RequestId,
    /// Logical page.
    pub lpa: u64,
    /// Sectors it concerns, one bit each. For a piece of a trim: its number of pages.
    pub sectors: u64,
    /// Where it goes; no page yet for a write that is bound to one when its command is formed.
    pub ppa: Ppa,
    /// Next in the list this transaction is in.
    pub next: TransactionId,
    /// The next of those that cross and are read or programmed together, as pages of one flash page.
    pub next_in_flash_page: TransactionId,
    /// Bytes of data that cross to or from the chip.
    pub bytes: u32,
    /// Time up to which everything is charged.
    pub since: Time,
    /// Where the time went.
    pub charges: PageCharges,
    /// What only transactions of its kind have.
    pub payload: Payload,
}

/// What only transactions of some kinds have.
#[derive(Clone, Copy)]
pub struct Payload {
    /// For a write: the page it replaces. For a copy: the page it was copied from.
    pub old: Ppa,
    /// Number of another thing: see [`Transaction::successor`], [`Transaction::old_page`] and [`Transaction::to`].
    partner: u32,
}

/// What few transactions have, each in a row of a table by their ids.
#[derive(Clone, Copy)]
pub struct Rare {
    /// Its number among all, for watchers.
    pub number: u32,
    /// How often a page was read again.
    pub attempt: u16,
    /// What a read does about the outer codewords around its data.
    pub outer: Outer,
    /// When it began, for what is no page of a request.
    pub began: Time,
    /// Sectors that a write takes over from the old page.
    pub merged: u64,
    /// The LUN's clocks of background work when the transaction was queued.
    pub background_marks: Clocks,
    /// The plane's clock of time without a free page when the transaction was queued.
    pub stall_mark: Time,
}

impl Rare {
    /// The row of a transaction that has nothing rare.
    pub const NONE: Rare = Rare {
        number: 0,
        attempt: 0,
        outer: Outer::Unread,
        began: Time::ZERO,
        merged: 0,
        background_marks: [Time::ZERO; Background::ALL.len()],
        stall_mark: Time::ZERO,
    };
}

/// How a transaction takes part in a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outer {
    /// Nothing: the codewords within do.
    Unread,
    /// That many are read in whole next.
    Wanted(u8),
    /// That many are there, and the ECC engine decodes them.
    Decoded(u8),
}

impl Transaction {
    /// Whether it is a write that only waits for a page of a plane's frontier.
    pub fn waits_for_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.ppa == Ppa::unbound(plane) && self.frontier == frontier && !self.awaits_old_page()
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
            state: State::default(),
            flow: 0,
            frontier: Frontier::User(0),
            request,
            lpa,
            sectors,
            ppa: Ppa::NONE,
            next: TransactionId::NONE,
            next_in_flash_page: TransactionId::NONE,
            bytes: sectors.count_ones() * 512,
            since: now,
            charges: PageCharges::NONE,
            payload: Payload { old: Ppa::NONE, partner: u32::MAX },
        }
    }

    /// Whether something is so.
    #[inline(always)]
    pub fn is(&self, flag: Flag) -> bool {
        u16::from_ne_bytes(self.state.flags) & flag as u16 != 0
    }

    /// Settles whether something is so.
    #[inline(always)]
    pub fn set(&mut self, flag: Flag, is: bool) {
        let others = u16::from_ne_bytes(self.state.flags) & !(flag as u16);
        self.state.flags = (others | if is { flag as u16 } else { 0 }).to_ne_bytes();
    }

    /// The same, with something that is so, or not.
    pub fn with(mut self, flag: Flag, is: bool) -> Transaction {
        self.set(flag, is);
        self
    }

    /// Whether the partner is a write that waits for this read.
    fn is_for_write(&self) -> bool {
        match self.origin {
            Origin::OldPage | Origin::Rebuild => true,
            Origin::Mapping => self.operation == Operation::Read,
            _ => false,
        }
    }

    /// How it takes part in a read-modify-write.
    #[inline]
    pub fn old_page(&self) -> OldPage {
        match TransactionId(self.payload.partner) {
            _ if self.is(Flag::AwaitsOldPage) => OldPage::Awaited,
            _ if self.is(Flag::LostOldPage) => OldPage::Lost,
            write if write.is_some() && self.is_for_write() => OldPage::For(write),
            _ => OldPage::None,
        }
    }

    /// Whether it is a write that waits for its old page.
    #[inline(always)]
    pub fn awaits_old_page(&self) -> bool {
        self.is(Flag::AwaitsOldPage)
    }

    /// The old page of a write has come, or could not be read.
    pub fn old_page_is_there(&mut self, is_lost: bool) {
        self.set(Flag::AwaitsOldPage, false);
        self.set(Flag::LostOldPage, is_lost);
    }

    /// The same read, which a write waits for.
    pub fn for_write(mut self, write: TransactionId) -> Transaction {
        self.payload.partner = write.0;
        debug_assert!(self.is_for_write());
        self
    }

    /// For a write or a trim in flight: the next change of the same page, which waits for it.
    #[inline]
    pub fn successor(&self) -> TransactionId {
        match self.origin {
            Origin::Gc => TransactionId::NONE,
            _ if self.is_for_write() => TransactionId::NONE,
            _ => TransactionId(self.payload.partner),
        }
    }

    /// Another change of the same page waits for this one.
    pub fn set_successor(&mut self, successor: TransactionId) {
        debug_assert!(self.origin != Origin::Gc && !self.is_for_write());
        self.payload.partner = successor.0;
    }

    /// For a copy: the plane it goes to.
    pub fn to(&self) -> PlaneId {
        debug_assert_eq!(self.origin, Origin::Gc);
        PlaneId(self.payload.partner)
    }

    /// A copy goes to a plane.
    pub fn goes_to(&mut self, plane: PlaneId) {
        debug_assert_eq!(self.origin, Origin::Gc);
        self.payload.partner = plane.0;
    }

    /// Which writes it may share a flash page with: of collection's there is one class.
    #[inline]
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
            (Origin::Gc, Operation::Read | Operation::Program) if self.is(Flag::Folds) => Some(Background::Fold),
            (Origin::Gc, Operation::Read) => Some(Background::GcRead),
            (Origin::Gc, Operation::Program) => Some(Background::GcProgram),
            (Origin::Gc, Operation::Erase) => Some(Background::Erase),
            (Origin::Mapping, _) => Some(Background::Mapping),
            (Origin::Parity | Origin::Rebuild, _) => Some(Background::Parity),
            _ => None,
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

    /// The program of the parity page at `ppa`, that many bytes, whose stripe ends with the write `of` a request, the cache or
    /// collection.
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
            ppa,
            ..Self::of_request(Operation::Read, RequestId::NONE, of.priority, 0, of.sectors, now)
        }
        .for_write(read)
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
            ppa,
            ..Self::of_request(Operation::Read, RequestId::NONE, of.priority, of.lpa, sectors, now)
        }
        .for_write(write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million wait where a million requests are outstanding.
    #[test]
    fn a_waiting_page_is_small() {
        assert!(size_of::<Transaction>() <= 128, "{} bytes", size_of::<Transaction>());
        assert!(size_of::<crate::host::request::Request>() <= 128);
    }
}
