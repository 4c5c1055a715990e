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

/// Stages of an operand's way that the controller's inside does not have.
pub mod stage {
    /// It is in its page register.
    pub const REGISTER: u8 = 16;
    /// It is on its way to a chip.
    pub const FORWARDED: u8 = 17;
    /// It carries the result of its task in that chip.
    pub const COMBINED: u8 = 18;
}

pub type Transactions = Slab<TransactionId, Transaction>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Flag {
    PathConflict = 1,
    Retrying = 1 << 1,
    PseudoSlc = 1 << 2,
    ReadFailed = 1 << 3,
    EccFailed = 1 << 4,
    HasCome = 1 << 5,
    WasTrimmed = 1 << 6,
    AwaitsOldPage = 1 << 7,
    LostOldPage = 1 << 8,
    Copyback = 1 << 9,
    Direct = 1 << 10,
    Folds = 1 << 11,
    HasRare = 1 << 12,
    HasOwnTime = 1 << 13,
    Computes = 1 << 14,
}

/// Packed, so that a transaction has no gap after it.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct State {
    flags: u16,
    pub stage: u8,
}

impl State {
    const NEW: State = State { flags: 0, stage: 0 };

    pub fn at_stage(self, stage: u8) -> State {
        State { stage, ..self }
    }
}

/// Many transactions wait, so this is small; what only some have is [`Rare`].
#[derive(Clone, Copy)]
pub struct Transaction {
    pub operation: Operation,
    pub origin: Origin,
    pub priority: Priority,
    pub state: State,
    pub flow: u16,
    pub frontier: Frontier,
    pub request: RequestId,
    pub lpa: u64,
    pub sectors: u64,
    pub ppa: Ppa,
    pub next: TransactionId,
    pub next_in_flash_page: TransactionId,
    pub bytes: u32,
    pub since: Time,
    pub charges: PageCharges,
    pub payload: Payload,
}

#[derive(Clone, Copy)]
pub struct Payload {
    pub old: Ppa,
    /// See [`Transaction::successor`], [`Transaction::old_page`] and [`Transaction::to`].
    partner: u32,
}

#[derive(Clone, Copy)]
pub struct Rare {
    pub number: u32,
    pub attempt: u16,
    pub outer: Outer,
    /// Bytes that it is asked for, while outer codewords are read or decoded.
    pub asked: u32,
    pub began: Time,
    pub merged: u64,
    pub background_marks: Clocks,
    pub stall_mark: Time,
}

impl Rare {
    pub const NONE: Rare = Rare {
        number: 0,
        attempt: 0,
        outer: Outer::Unread,
        asked: 0,
        began: Time::ZERO,
        merged: 0,
        background_marks: [Time::ZERO; Background::ALL.len()],
        stall_mark: Time::ZERO,
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OldPage {
    None,
    Awaited,
    Lost,
    For(TransactionId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outer {
    Unread,
    Wanted(u8),
    Decoded(u8),
}

impl Transaction {
    /// Whether it only waits for a page of the plane's frontier.
    pub fn waits_for_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.ppa == Ppa::unbound(plane) && self.frontier == frontier && !self.awaits_old_page()
    }

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
            state: State::NEW,
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

    #[inline(always)]
    pub fn is(&self, flag: Flag) -> bool {
        self.state.flags & flag as u16 != 0
    }

    #[inline(always)]
    pub fn is_any(&self, one: Flag, other: Flag) -> bool {
        self.state.flags & (one as u16 | other as u16) != 0
    }

    #[inline(always)]
    pub fn set(&mut self, flag: Flag, is: bool) {
        let others = self.state.flags & !(flag as u16);
        self.state.flags = others | if is { flag as u16 } else { 0 };
    }

    pub fn with(mut self, flag: Flag, is: bool) -> Transaction {
        self.set(flag, is);
        self
    }

    fn is_for_write(&self) -> bool {
        match self.origin {
            Origin::OldPage | Origin::Rebuild => true,
            Origin::Mapping => self.operation == Operation::Read,
            _ => false,
        }
    }

    #[inline]
    pub fn old_page(&self) -> OldPage {
        match TransactionId(self.payload.partner) {
            _ if self.is(Flag::AwaitsOldPage) => OldPage::Awaited,
            _ if self.is(Flag::LostOldPage) => OldPage::Lost,
            write if write.is_some() && self.is_for_write() => OldPage::For(write),
            _ => OldPage::None,
        }
    }

    #[inline(always)]
    pub fn awaits_old_page(&self) -> bool {
        self.is(Flag::AwaitsOldPage)
    }

    pub fn old_page_is_there(&mut self, is_lost: bool) {
        self.set(Flag::AwaitsOldPage, false);
        self.set(Flag::LostOldPage, is_lost);
    }

    pub fn for_write(mut self, write: TransactionId) -> Transaction {
        self.payload.partner = write.0;
        debug_assert!(self.is_for_write());
        self
    }

    #[inline]
    pub fn successor(&self) -> TransactionId {
        match self.origin {
            Origin::Gc | Origin::Operand => TransactionId::NONE,
            _ if self.is_for_write() => TransactionId::NONE,
            _ => TransactionId(self.payload.partner),
        }
    }

    pub fn set_successor(&mut self, successor: TransactionId) {
        debug_assert!(self.origin != Origin::Gc && !self.is_for_write());
        self.payload.partner = successor.0;
    }

    pub fn to(&self) -> PlaneId {
        debug_assert!(matches!(self.origin, Origin::Gc | Origin::Operand));
        PlaneId(self.payload.partner)
    }

    pub fn goes_to(&mut self, plane: PlaneId) {
        debug_assert!(matches!(self.origin, Origin::Gc | Origin::Operand));
        self.payload.partner = plane.0;
    }

    /// The plane of the chip that its transfers concern.
    pub fn concerned(&self) -> PlaneId {
        match self.origin == Origin::Operand && self.state.stage >= stage::FORWARDED {
            true => self.to(),
            false => self.ppa.plane,
        }
    }

    /// Writes that may share a flash page: of collection's there is one class.
    #[inline]
    pub fn line(&self) -> Line {
        let class = match self.origin {
            Origin::Gc => 0,
            Origin::Parity => Line::PARITY,
            _ => self.priority as u8,
        };
        Line { frontier: self.frontier, class }
    }

    pub fn is_host_write(&self) -> bool {
        self.operation == Operation::Program && matches!(self.origin, Origin::User | Origin::Destage)
    }

    /// None if the host asked for it.
    #[inline(always)]
    pub fn background(&self) -> Option<Background> {
        if self.origin == Origin::User { None } else { self.background_of_others() }
    }

    fn background_of_others(&self) -> Option<Background> {
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

    #[inline(always)]
    pub fn of_gc(operation: Operation, lpa: u64, ppa: Ppa, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Gc,
            frontier: Frontier::Gc,
            ppa,
            ..Self::of_request(operation, RequestId::NONE, Priority::High, lpa, sectors, now)
        }
    }

    pub fn of_mapping(operation: Operation, lpa: u64, ppa: Ppa, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Mapping,
            frontier: Frontier::Translation(0),
            ppa,
            ..Self::of_request(operation, RequestId::NONE, Priority::High, lpa, sectors, now)
        }
    }

    /// `of`: the write that ends the stripe.
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

    pub fn of_destage(flow: u16, priority: Priority, frontier: Frontier, lpa: u64, sectors: u64, now: Time) -> Self {
        Transaction {
            origin: Origin::Destage,
            flow,
            frontier,
            ..Self::of_request(Operation::Program, RequestId::NONE, priority, lpa, sectors, now)
        }
    }

    /// `of`: the write, if a request or the cache made it.
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

    #[test]
    fn a_waiting_page_is_small() {
        assert!(size_of::<Transaction>() <= 128, "{} bytes", size_of::<Transaction>());
        assert!(size_of::<crate::host::request::Request>() <= 128);
    }
}
