use super::{ALL_CLASSES, ERASE, GC_READ, GC_WRITE, LISTS, MAPPING_READ, MAPPING_WRITE, USER_READ, USER_WRITE};
use crate::engine::time::Time;
use crate::flash::interface::Operation;

pub(super) const USER_READS: u16 = ALL_CLASSES << USER_READ;
pub(super) const USER_WRITES: u16 = ALL_CLASSES << USER_WRITE;
pub(super) const MAPPING: u16 = 1 << MAPPING_READ | 1 << MAPPING_WRITE;
pub(super) const COLLECTION: u16 = 1 << GC_READ | 1 << GC_WRITE | 1 << ERASE;
const DATALESS: u16 = 1 << MAPPING_READ | USER_READS | 1 << GC_READ | 1 << ERASE;

/// Lists served together with each: all classes of the host's reads or writes.
pub(super) const KIND: [u16; LISTS] = {
    let (mut kinds, mut list) = ([0; LISTS], 0);
    while list < LISTS {
        kinds[list] = match 1 << list {
            bit if USER_READS & bit != 0 => USER_READS,
            bit if USER_WRITES & bit != 0 => USER_WRITES,
            bit => bit,
        };
        list += 1;
    }
    kinds
};

/// Two sets of lists, one after the other. Lists of a set are served by their numbers.
#[derive(Clone, Copy)]
pub(super) struct Order(pub(super) [u16; 2]);

impl Order {
    pub(super) const USER_FIRST: Order = Order([MAPPING | USER_READS | USER_WRITES | COLLECTION, 0]);
    pub(super) const GC_FIRST: Order =
        Order([1 << MAPPING_READ | COLLECTION, USER_READS | 1 << MAPPING_WRITE | USER_WRITES]);

    pub(super) fn lists(self, waiting: u16) -> impl Iterator<Item = usize> {
        let in_order = |set: u16| (0..LISTS).filter(move |list| set & 1 << list != 0);
        self.0.into_iter().flat_map(move |set| in_order(set & waiting))
    }

    #[inline(always)]
    fn of(self, lists: u16) -> Order {
        Order([self.0[0] & lists, self.0[1] & lists])
    }
}

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
            Served::UserReads => USER_READS | 1 << MAPPING_READ,
            Served::Dataless => DATALESS,
            Served::UserRequests => USER_READS | USER_WRITES | 1 << MAPPING_READ,
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
    #[inline(always)]
    pub(super) fn order(&self) -> Order {
        let order = if self.gc_urgent { Order::GC_FIRST } else { Order::USER_FIRST };
        order.of(self.served.lists())
    }
}
