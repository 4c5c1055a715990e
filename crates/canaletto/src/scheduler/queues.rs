//! Lists threaded through the transactions.

use crate::config::design::{Design, MultiPlane, Policy, RoundRobinAdvance};
use crate::config::workload::Priority;
use crate::engine::rarely::rarely;
use crate::flash::address::{Layout, LunId};
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::scheduler::classes::{CLASSES, WeightedRoundRobin};
use crate::scheduler::custom::Ruled;
use crate::scheduler::flin::Flin;
pub use crate::scheduler::transaction::Transactions;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

mod fair;
mod joined;
mod long;
mod look;
mod rings;
mod ruled;
mod waiting_reads;

use long::{LONG, LongQueues};
use look::{COLLECTION, KIND, Order, USER_READS, USER_WRITES};
pub use look::{FreePlanes, IssueContext, Served};
use waiting_reads::WaitingReads;

#[derive(Clone, Copy)]
struct List {
    head: TransactionId,
    tail: TransactionId,
}

/// In the order in which they are served while collection is not urgent.
const MAPPING_READ: usize = 0;
const USER_READ: usize = 1;
const MAPPING_WRITE: usize = USER_READ + CLASSES;
const USER_WRITE: usize = MAPPING_WRITE + 1;
const GC_READ: usize = USER_WRITE + CLASSES;
const GC_WRITE: usize = GC_READ + 1;
const ERASE: usize = GC_READ + 2;
const LISTS: usize = GC_READ + 3;
const ALL_CLASSES: u16 = (1 << CLASSES) - 1;

#[derive(Clone, Copy)]
struct Lun {
    lists: [List; LISTS],
    waiting: u16,
    indexed: u16,
    read_turns: WeightedRoundRobin,
    write_turns: WeightedRoundRobin,
}

impl Lun {
    #[inline]
    fn unlink(&mut self, list: usize, previous: TransactionId, at: TransactionId, transactions: &mut Transactions) {
        let next = std::mem::replace(&mut transactions[at].next, TransactionId::NONE);
        let ends = &mut self.lists[list];
        if previous.is_some() {
            transactions[previous].next = next;
        } else {
            ends.head = next;
            transactions.expect(next);
        }
        if !next.is_some() {
            ends.tail = previous;
        }
        if !ends.head.is_some() {
            self.waiting &= !(1 << list);
            self.indexed &= !(1 << list);
        }
    }
}

pub trait Readiness {
    fn ready(&self, transaction: &Transaction) -> bool;
    fn waits_for_planes(&self, transaction: &Transaction, free: u64) -> bool;
    #[inline]
    fn can_begin(&self, transaction: &Transaction, free: u64) -> bool {
        self.ready(transaction) && !self.waits_for_planes(transaction, free)
    }
    fn page(&self, transaction: &Transaction) -> u32;
    fn is_pseudo_slc(&self, transaction: &Transaction) -> bool;
    fn plane(&self, transaction: &Transaction) -> u32;
    /// Later writes for its plane do not overtake it.
    fn keeps_order(&self, transaction: &Transaction) -> bool;
    fn shares(&self, first: &Transaction, other: &Transaction) -> bool;
}

pub struct Queues {
    luns: Vec<Lun>,
    multi_plane: MultiPlane,
    /// A single plane.
    alone: [bool; Operation::COUNT],
    same_page: bool,
    die_masks: Vec<u64>,
    pages_per_flash_page: u32,
    /// Pages of a plane that are programmed together where programs keep their order.
    pages_per_program: u32,
    waiting_reads: WaitingReads,
    long: Option<LongQueues>,
    /// Of the last command, with [`MultiPlane::HeadPage`].
    head_page: u32,
    /// Without turns.
    single_class: Option<usize>,
    /// Lists of classes that take turns, which are looked at whether or not anything waits.
    looked_at: u16,
    priorities: bool,
    turn: RoundRobinAdvance,
    polls: bool,
    flin: Option<Flin>,
    rule: Option<Ruled>,
    are_told: bool,
}

impl Queues {
    pub fn new(layout: &Layout, design: &Design, priorities: &[Priority]) -> Queues {
        let (config, multi_plane) = (&design.scheduler, design.flash.multi_plane);
        let mut alone = [multi_plane == MultiPlane::Off; Operation::COUNT];
        alone[Operation::Read as usize] |= design.flash.independent_plane_reads;
        let list = List { head: TransactionId::NONE, tail: TransactionId::NONE };
        let lun = Lun {
            lists: [list; LISTS],
            waiting: 0,
            indexed: 0,
            read_turns: WeightedRoundRobin::new(),
            write_turns: WeightedRoundRobin::new(),
        };
        let classes = priorities.iter().map(|&priority| if config.priorities { priority as usize } else { 1 });
        let mut used = (0..CLASSES).filter(|&class| classes.clone().any(|of_flow| of_flow == class));
        let single_class = match (config.priorities, used.next(), used.next()) {
            (false, ..) => Some(1),
            (true, Some(only), None) => Some(only),
            _ => None,
        };
        let die_mask =
            |plane| ((1u64 << layout.planes_per_die) - 1) << (plane / layout.planes_per_die * layout.planes_per_die);
        let same_page = matches!(multi_plane, MultiPlane::SamePage | MultiPlane::HeadPage);
        let flin = (config.policy == Policy::Flin).then(|| Flin::new(&config.flin, layout, priorities.len()));
        let by_number = same_page && !alone[Operation::Read as usize] && layout.planes_per_die > 1;
        let rule = Ruled::new(config, layout);
        let are_told = flin.is_some() || rule.is_some();
        // FLIN queues anywhere, rules take from anywhere, and cells of both modes go apart.
        let can_index = !are_told && !design.flash.pslc.is_on();
        Queues {
            luns: vec![lun; layout.luns() as usize],
            multi_plane,
            alone,
            same_page,
            die_masks: (0..layout.planes_per_lun).map(die_mask).collect(),
            pages_per_flash_page: layout.pages_per_flash_page(),
            pages_per_program: layout.pages_per_flash_page(),
            waiting_reads: WaitingReads::new(layout),
            long: if can_index { LongQueues::new(layout, by_number) } else { None },
            head_page: 0,
            single_class,
            looked_at: if single_class.is_none() { USER_READS | USER_WRITES } else { 0 },
            priorities: config.priorities,
            turn: config.round_robin_advance,
            polls: single_class.is_none() && config.round_robin_advance == RoundRobinAdvance::OnPoll,
            flin,
            rule,
            are_told,
        }
    }

    /// Polling changes who is served later.
    #[inline(always)]
    pub fn must_poll(&self) -> bool {
        rarely(self.polls)
    }

    pub fn pages_share_command(&self, first: u32, other: u32) -> bool {
        match self.multi_plane {
            MultiPlane::Off => false,
            MultiPlane::AnyPage => true,
            MultiPlane::SamePage | MultiPlane::HeadPage => first == other,
        }
    }

    #[inline]
    pub fn has_work(&self, lun: LunId) -> bool {
        self.luns[lun.index()].waiting != 0
    }

    /// Whether it matters if collection is urgent.
    #[inline]
    pub fn weighs_collection(&self, lun: LunId) -> bool {
        let waiting = self.luns[lun.index()].waiting;
        waiting & COLLECTION != 0 && waiting & !COLLECTION != 0 || self.are_fair()
    }

    #[inline]
    pub fn has_any(&self, lun: LunId, served: Served) -> bool {
        self.luns[lun.index()].waiting & served.lists() != 0
    }

    pub fn waits(
        &self,
        id: LunId,
        served: Served,
        free: FreePlanes,
        transactions: &Transactions,
        readiness: &impl Readiness,
    ) -> bool {
        let lun = &self.luns[id.index()];
        let lists = (0..LISTS).filter(|list| lun.waiting & served.lists() & (1 << list) != 0);
        lists.into_iter().any(|list| self.first_ready(id, list, free, transactions, readiness).is_some())
    }

    /// Of those that do not depend on free planes.
    pub fn first_operation(
        &self,
        id: LunId,
        look: &IssueContext,
        transactions: &Transactions,
        readiness: &impl Readiness,
    ) -> Option<Operation> {
        let waiting = self.luns[id.index()].waiting;
        look.order().lists(waiting).find_map(|list| {
            let operation = transactions[self.luns[id.index()].lists[list].head].operation;
            let every = FreePlanes::all(u64::MAX);
            let is_due =
                operation == Operation::Read || self.first_ready(id, list, every, transactions, readiness).is_some();
            is_due.then_some(operation)
        })
    }

    pub fn describe(&self, lun: LunId, transactions: &Transactions) -> String {
        let mut text = String::new();
        for list in &self.luns[lun.index()].lists {
            let mut at = list.head;
            while at.is_some() {
                let t = &transactions[at];
                let bound = if t.ppa.is_bound() { "" } else { " (no page yet)" };
                text += &format!("{:?} {:?} of page {}{bound}, ", t.origin, t.operation, t.lpa);
                at = t.next;
            }
        }
        text + "queued"
    }

    #[inline(always)]
    pub fn push(&mut self, lun: LunId, id: TransactionId, transactions: &mut Transactions) {
        let list = self.list_of(&transactions[id]);
        transactions[id].next = TransactionId::NONE;
        let lun = &mut self.luns[lun.index()];
        let tail = lun.lists[list].tail;
        if lun.indexed & (1 << list) != 0 {
            LongQueues::note(&mut self.long, list, tail, id, transactions);
        }
        if tail.is_some() {
            transactions[tail].next = id;
        } else {
            lun.lists[list].head = id;
            lun.waiting |= 1 << list;
        }
        lun.lists[list].tail = id;
    }

    pub fn push_first(&mut self, lun: LunId, id: TransactionId, transactions: &mut Transactions) {
        let number = self.list_of(&transactions[id]);
        let lun = &mut self.luns[lun.index()];
        let list = &mut lun.lists[number];
        if lun.indexed & (1 << number) != 0 {
            self.long.iter_mut().for_each(|long| long.push_first(number - USER_READ, list.head, id, transactions));
        }
        transactions[id].next = list.head;
        if !list.head.is_some() {
            list.tail = id;
            lun.waiting |= 1 << number;
        }
        list.head = id;
    }

    #[inline]
    pub fn will_wait(&mut self, t: &Transaction) {
        if self.pages_per_flash_page > 1 && t.operation == Operation::Read {
            self.waiting_reads.add(t.ppa);
        }
    }

    #[inline]
    fn list_of(&self, t: &Transaction) -> usize {
        let class = if self.priorities { t.priority as usize } else { 1 };
        match (t.operation, t.origin) {
            (Operation::Read, Origin::Gc) => GC_READ,
            (Operation::Read, Origin::Rebuild) if t.frontier.is_of_collection() => GC_READ,
            (Operation::Program, Origin::Gc) => GC_WRITE,
            (Operation::Program, Origin::Parity) if t.frontier.is_of_collection() => GC_WRITE,
            (Operation::Read, Origin::Mapping) => MAPPING_READ,
            (Operation::Program, Origin::Mapping) => MAPPING_WRITE,
            (Operation::Erase, _) => ERASE,
            (Operation::Read, _) => USER_READ + class,
            (Operation::Program, _) => USER_WRITE + class,
        }
    }

    #[inline(always)]
    pub fn next_command(
        &mut self,
        lun: LunId,
        look: &IssueContext,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        if self.are_fair() {
            return self.fair_command(lun, look, transactions, readiness);
        }
        let command = self.first_command(lun, look.order(), look.free, transactions, readiness);
        let has_more = self.luns[lun.index()].waiting != 0;
        if self.multi_plane != MultiPlane::HeadPage || look.served != Served::All || !has_more {
            return command;
        }
        command.map(|command| self.joined(lun, command, look, transactions, readiness))
    }

    /// In place, because commands are large.
    #[inline(always)]
    fn first_command(
        &mut self,
        lun: LunId,
        order: Order,
        free: FreePlanes,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        let waiting = self.luns[lun.index()].waiting | self.looked_at;
        let Order([first, then]) = order;
        let (mut left, mut others) = (waiting & first, waiting & then);
        while left | others != 0 {
            if left == 0 {
                (left, others) = (others, 0);
            }
            let list = left.trailing_zeros() as usize;
            left &= !KIND[list];
            if rarely(self.looked_at & 1 << list != 0) {
                let command = self.user_command(lun, list, free, transactions, readiness);
                if command.is_some() {
                    return command;
                }
                continue;
            }
            if self.multi_plane == MultiPlane::HeadPage {
                self.head_page = readiness.page(&transactions[self.luns[lun.index()].lists[list].head]);
            }
            let command = self.form(lun, list, free, transactions, readiness);
            if command.is_some() {
                return command;
            }
        }
        None
    }

    /// A turn without a command is not taken, unless looking takes it.
    #[inline(never)]
    fn user_command(
        &mut self,
        id: LunId,
        base: usize,
        free: FreePlanes,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        if self.turn == RoundRobinAdvance::OnPoll {
            let list = self.user_list(id, base, ALL_CLASSES)?;
            self.head_page = readiness.page(&transactions[self.luns[id.index()].lists[list].head]);
            return self.form(id, list, free, transactions, readiness);
        }
        let lun = &self.luns[id.index()];
        let turns = (lun.read_turns, lun.write_turns);
        let mut classes = ALL_CLASSES;
        while let Some(list) = self.user_list(id, base, classes).or_else(|| self.user_list(id, base, classes)) {
            let command = self.form(id, list, free, transactions, readiness);
            if command.is_some() {
                return command;
            }
            classes &= !(1 << (list - base));
        }
        let lun = &mut self.luns[id.index()];
        (lun.read_turns, lun.write_turns) = turns;
        None
    }

    /// Only [`RoundRobinAdvance::OnPoll`] notices.
    pub fn poll(&mut self, lun: LunId) {
        self.user_list(lun, USER_READ, ALL_CLASSES);
        self.user_list(lun, USER_WRITE, ALL_CLASSES);
    }

    fn user_list(&mut self, id: LunId, base: usize, classes: u16) -> Option<usize> {
        let lun = &mut self.luns[id.index()];
        let waiting = (lun.waiting >> base) & classes;
        let turns = if base == USER_READ { &mut lun.read_turns } else { &mut lun.write_turns };
        turns.choose(|class| waiting & (1 << class) != 0).map(|class| base + class)
    }

    #[inline(always)]
    fn form(
        &mut self,
        id: LunId,
        list: usize,
        free: FreePlanes,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        let lun = &mut self.luns[id.index()];
        if rarely(lun.indexed & (1 << list) != 0) {
            return self.form_indexed(id, list, free.of(Operation::Read), transactions, readiness);
        }
        let mut at = lun.lists[list].head;
        let operation = transactions[at].operation;
        let free = free.of(operation);
        let mut open = free;
        let mut command = Command::new(operation);
        let same_page = self.same_page && operation != Operation::Erase;
        let head_page = (self.multi_plane == MultiPlane::HeadPage).then(|| readiness.page(&transactions[at]));
        let mut shared = None;
        let mut previous = TransactionId::NONE;
        let mut passed = 0;
        while at.is_some() && open != 0 {
            let t = &transactions[at];
            let (next, plane) = (t.next, readiness.plane(t));
            let bit = 1u64 << plane;
            let matches = open & bit != 0
                && readiness.ready(t)
                && match command.transactions().first() {
                    None => !readiness.waits_for_planes(t, free),
                    Some(&first) => {
                        let first = &transactions[first];
                        let (page, pseudo_slc) = *shared.get_or_insert_with(|| {
                            let page = same_page.then(|| head_page.unwrap_or_else(|| readiness.page(first)));
                            (page, readiness.is_pseudo_slc(first))
                        });
                        page.is_none_or(|page| page == readiness.page(t)) && pseudo_slc == readiness.is_pseudo_slc(t)
                    }
                };
            if matches {
                open &= self.die_masks[plane as usize] & !bit;
                command.push(at);
                lun.unlink(list, previous, at, transactions);
                if self.alone[operation as usize] {
                    break;
                }
            } else {
                if readiness.keeps_order(t) {
                    open &= !bit;
                }
                previous = at;
                passed += 1;
            }
            at = next;
        }
        let together = if operation == Operation::Program { self.pages_per_program } else { self.pages_per_flash_page };
        if together > 1 {
            for &first in command.transactions() {
                passed += self.join(id, list, first, transactions, readiness);
            }
        }
        if passed > LONG && USER_READS & 1 << list != 0 {
            self.index(id, list, transactions);
        }
        // Not by `then_some`, which copies.
        if command.is_empty() { None } else { Some(command) }
    }

    fn join(
        &mut self,
        id: LunId,
        list: usize,
        first: TransactionId,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> u32 {
        let t = &transactions[first];
        let (page, is_read) = (t.ppa, t.operation == Operation::Read);
        let mut room = match is_read {
            // Any number of requests.
            true => {
                self.waiting_reads.remove(page);
                self.waiting_reads.count(page)
            }
            false if readiness.keeps_order(t) => self.pages_per_program - 1,
            false => self.pages_per_flash_page - 1,
        };
        let (mut last, mut previous, mut passed) = (first, TransactionId::NONE, 0);
        let mut at = self.luns[id.index()].lists[list].head;
        while at.is_some() && room > 0 {
            let next = transactions[at].next;
            if readiness.shares(&transactions[first], &transactions[at]) {
                self.luns[id.index()].unlink(list, previous, at, transactions);
                if is_read {
                    self.waiting_reads.remove(page);
                }
                transactions[last].next_in_flash_page = at;
                last = at;
                room -= 1;
            } else {
                previous = at;
                passed += 1;
            }
            at = next;
        }
        passed
    }
}

impl Queues {
    pub fn program_together(&mut self, flash_pages: u32) {
        self.pages_per_program = self.pages_per_flash_page * flash_pages;
    }

    /// Of host requests or the mapping table.
    pub fn has_writes(&self, lun: LunId) -> bool {
        self.luns[lun.index()].waiting & (USER_WRITES | 1 << MAPPING_WRITE) != 0
    }

    pub fn find_write(
        &self,
        lun: LunId,
        transactions: &Transactions,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Option<TransactionId> {
        (USER_WRITE..USER_WRITE + CLASSES).find_map(|list| {
            let mut at = self.luns[lun.index()].lists[list].head;
            while at.is_some() && !wanted(&transactions[at]) {
                at = transactions[at].next;
            }
            at.is_some().then_some(at)
        })
    }

    pub fn take_write(
        &mut self,
        lun: LunId,
        transactions: &mut Transactions,
        wanted: impl Fn(&Transaction) -> bool,
    ) -> Option<TransactionId> {
        for list in (USER_WRITE..USER_WRITE + CLASSES).chain([MAPPING_WRITE]) {
            let mut previous = TransactionId::NONE;
            let mut at = self.luns[lun.index()].lists[list].head;
            while at.is_some() {
                if wanted(&transactions[at]) {
                    self.luns[lun.index()].unlink(list, previous, at, transactions);
                    self.rule.iter_mut().for_each(|rule| rule.goes(at));
                    return Some(at);
                }
                (previous, at) = (at, transactions[at].next);
            }
        }
        None
    }
}
