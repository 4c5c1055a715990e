use std::ops::Range;

use super::{ALL_CLASSES, ERASE, GC_READ, GC_WRITE, MAPPING_READ, MAPPING_WRITE, USER_READ, USER_WRITE};
use crate::engine::time::Time;
use crate::flash::interface::Operation;
use crate::scheduler::classes::CLASSES;

#[derive(Clone, Copy)]
pub(super) enum Choice {
    List(usize),
    User(usize),
}

impl Choice {
    pub(super) fn lists(self) -> Range<usize> {
        match self {
            Choice::List(list) => list..list + 1,
            Choice::User(base) => base..base + CLASSES,
        }
    }
}

pub(super) const USER_FIRST: [Choice; 7] = [
    Choice::List(MAPPING_READ),
    Choice::User(USER_READ),
    Choice::List(MAPPING_WRITE),
    Choice::User(USER_WRITE),
    Choice::List(GC_READ),
    Choice::List(GC_WRITE),
    Choice::List(ERASE),
];
pub(super) const GC_FIRST: [Choice; 7] = [
    Choice::List(MAPPING_READ),
    Choice::List(GC_READ),
    Choice::List(GC_WRITE),
    Choice::List(ERASE),
    Choice::User(USER_READ),
    Choice::List(MAPPING_WRITE),
    Choice::User(USER_WRITE),
];
pub(super) const DATALESS_USER_FIRST: [Choice; 4] =
    [Choice::List(MAPPING_READ), Choice::User(USER_READ), Choice::List(GC_READ), Choice::List(ERASE)];
pub(super) const DATALESS_GC_FIRST: [Choice; 4] =
    [Choice::List(MAPPING_READ), Choice::List(GC_READ), Choice::List(ERASE), Choice::User(USER_READ)];
pub(super) const USER_ALONE: [Choice; 3] =
    [Choice::List(MAPPING_READ), Choice::User(USER_READ), Choice::User(USER_WRITE)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    All,
    /// Also of the mapping table.
    UserReads,
    UserRequests,
    Dataless,
}

impl Served {
    #[inline]
    pub fn without_data(self) -> Served {
        match self {
            Served::All | Served::Dataless => Served::Dataless,
            Served::UserReads | Served::UserRequests => Served::UserReads,
        }
    }

    pub(super) fn lists(self) -> u16 {
        match self {
            Served::All => u16::MAX,
            Served::UserReads => (ALL_CLASSES << USER_READ) | 1 << MAPPING_READ,
            Served::Dataless => (ALL_CLASSES << USER_READ) | 1 << MAPPING_READ | 1 << GC_READ | 1 << ERASE,
            Served::UserRequests => (ALL_CLASSES << USER_READ) | (ALL_CLASSES << USER_WRITE) | 1 << MAPPING_READ,
        }
    }
}

/// By place in the LUN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FreePlanes {
    pub reads: u64,
    pub programs: u64,
    pub any: u64,
}

impl FreePlanes {
    pub const NONE: FreePlanes = FreePlanes { reads: 0, programs: 0, any: 0 };

    #[inline]
    pub fn all(planes: u64) -> FreePlanes {
        FreePlanes { reads: planes, programs: planes, any: planes }
    }

    pub fn but_reads(self) -> FreePlanes {
        FreePlanes { reads: 0, ..self }
    }

    pub fn is_for_programs_alone(self) -> bool {
        self.programs != 0 && self.reads | self.any == 0
    }

    #[inline(always)]
    pub(super) fn of(self, operation: Operation) -> u64 {
        match operation {
            Operation::Read => self.reads,
            Operation::Program => self.programs,
            Operation::Erase => self.any,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct IssueContext {
    pub served: Served,
    pub free: FreePlanes,
    pub gc_urgent: bool,
    pub now: Time,
}

impl IssueContext {
    #[inline]
    pub(super) fn order(&self) -> &'static [Choice] {
        match self.served {
            Served::All if self.gc_urgent => &GC_FIRST,
            Served::All => &USER_FIRST,
            Served::Dataless if self.gc_urgent => &DATALESS_GC_FIRST,
            Served::Dataless => &DATALESS_USER_FIRST,
            Served::UserRequests => &USER_ALONE,
            Served::UserReads => &USER_ALONE[..2],
        }
    }
}
