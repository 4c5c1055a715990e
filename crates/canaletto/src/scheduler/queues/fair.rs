use super::look::{COLLECTION, FreePlanes, IssueContext, MAPPING, Order, Served, USER_READS, USER_WRITES};
use super::{ALL_CLASSES, ERASE, GC_READ, GC_WRITE, MAPPING_READ, MAPPING_WRITE, USER_READ, USER_WRITE};
use super::{Queues, Readiness, Transactions};
use crate::engine::rarely::rarely;
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::flin::{Arrival, Owed};
use crate::scheduler::transaction::TransactionId;

const WRITES_FIRST: Order = Order([MAPPING | USER_WRITES, USER_READS | COLLECTION]);
const READS_THEN_GC: Order = Order([1 << MAPPING_READ | USER_READS | COLLECTION, 1 << MAPPING_WRITE | USER_WRITES]);
const WRITES_THEN_GC: Order = Order([MAPPING | USER_WRITES | COLLECTION, USER_READS]);
const WRITES_ALONE: Order = Order([1 << MAPPING_READ | USER_WRITES, USER_READS]);

impl Queues {
    /// By [`Queues::push_fairly`].
    #[inline(always)]
    pub fn are_fair(&self) -> bool {
        rarely(self.are_told)
    }

    pub fn push_fairly(&mut self, lun: LunId, id: TransactionId, arrival: &Arrival, transactions: &mut Transactions) {
        if let Some(rule) = &mut self.rule {
            rule.arrives(lun, id, &transactions[id], arrival);
        }
        let list = self.list_of(&transactions[id]);
        let Some(flin) = &mut self.flin else {
            return self.push(lun, id, transactions);
        };
        if (USER_READS | USER_WRITES) & 1 << list == 0 {
            flin.note(lun, id, &transactions[id], false, arrival);
            return self.push(lun, id, transactions);
        }
        let head = self.luns[lun.index()].lists[list].head;
        let previous = flin.place(lun, id, head, arrival, transactions);
        self.insert(lun, list, previous, id, transactions);
    }

    /// It stays before others of its kind.
    pub fn push_first_fairly(
        &mut self,
        lun: LunId,
        id: TransactionId,
        arrival: &Arrival,
        transactions: &mut Transactions,
    ) {
        if let Some(rule) = &mut self.rule {
            rule.arrives(lun, id, &transactions[id], arrival);
        }
        if let Some(flin) = &mut self.flin {
            flin.note(lun, id, &transactions[id], true, arrival);
        }
        self.push_first(lun, id, transactions);
    }

    fn insert(
        &mut self,
        lun: LunId,
        list: usize,
        previous: TransactionId,
        id: TransactionId,
        transactions: &mut Transactions,
    ) {
        if !previous.is_some() {
            return self.push_first(lun, id, transactions);
        }
        transactions[id].next = transactions[previous].next;
        transactions[previous].next = id;
        let tail = &mut self.luns[lun.index()].lists[list].tail;
        if *tail == previous {
            *tail = id;
        }
    }

    #[inline(never)]
    pub(super) fn fair_command(
        &mut self,
        lun: LunId,
        look: &IssueContext,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        if self.rule.is_some() {
            return self.ruled_command(lun, look, transactions, readiness);
        }
        let order = self.fair_order(lun, look, transactions, readiness);
        let command = self.first_command(lun, order, look.free, transactions, readiness)?;
        self.note_issued(lun, &command, transactions);
        Some(command)
    }

    fn fair_order(
        &mut self,
        lun: LunId,
        look: &IssueContext,
        transactions: &Transactions,
        readiness: &impl Readiness,
    ) -> Order {
        let read = self.in_front(lun, USER_READ, look.free, transactions, readiness);
        let write = self.in_front(lun, USER_WRITE, look.free, transactions, readiness);
        let ready = |list| self.first_ready(lun, list, look.free, transactions, readiness);
        let urgent = look.served == Served::All && look.gc_urgent;
        let erase = if urgent { ready(ERASE) } else { None };
        let moved = if urgent { ready(GC_READ).or_else(|| ready(GC_WRITE)).or(erase) } else { None };
        let Some(flin) = &mut self.flin else {
            return look.order();
        };
        let mut owed = Owed::default();
        if let Some(write) = write.filter(|_| urgent) {
            owed = Owed { steps: flin.owed(lun, transactions[write].flow), erase };
        }
        let reads_first = match (read, write.or(moved)) {
            (Some(read), Some(other)) => flin.reads_first(read, other, &owed, look.now),
            (_, other) => other.is_none(),
        };
        let gc_first = write.is_none() || owed.steps > 0 || owed.erase.is_some();
        match (look.served, urgent, reads_first) {
            (Served::UserReads | Served::Dataless, ..) | (_, false, true) => look.order(),
            (Served::UserRequests, ..) => WRITES_ALONE,
            (Served::All, false, false) => WRITES_FIRST,
            (Served::All, true, true) => READS_THEN_GC,
            (Served::All, true, false) if gc_first => Order::GC_FIRST,
            (Served::All, true, false) => WRITES_THEN_GC,
        }
    }

    fn in_front(
        &self,
        lun: LunId,
        base: usize,
        free: FreePlanes,
        transactions: &Transactions,
        readiness: &impl Readiness,
    ) -> Option<TransactionId> {
        let u = &self.luns[lun.index()];
        let waiting = u.waiting >> base & ALL_CLASSES;
        let mut turns = if base == USER_READ { u.read_turns } else { u.write_turns };
        let mut look = || turns.choose(|class| waiting & (1 << class) != 0);
        let class = match self.single_class {
            Some(class) => Some(class),
            None => look().or_else(look),
        };
        self.first_ready(lun, base + class?, free, transactions, readiness)
    }

    pub(super) fn first_ready(
        &self,
        lun: LunId,
        list: usize,
        free: FreePlanes,
        transactions: &Transactions,
        readiness: &impl Readiness,
    ) -> Option<TransactionId> {
        let mut at = self.luns[lun.index()].lists[list].head;
        let all = if at.is_some() { free.of(transactions[at].operation) } else { 0 };
        let mut free = all;
        while at.is_some() {
            let t = &transactions[at];
            let bit = 1 << readiness.plane(t);
            if free & bit != 0 && readiness.can_begin(t, all) {
                return Some(at);
            }
            if readiness.keeps_order(t) {
                free &= !bit;
            }
            at = t.next;
        }
        None
    }

    pub(super) fn note_issued(&mut self, lun: LunId, command: &Command, transactions: &Transactions) {
        for &first in command.transactions() {
            let mut group = FlashPageGroup::of(first);
            while let Some(id) = group.next(transactions) {
                self.flin.iter_mut().for_each(|flin| flin.issued(lun, &transactions[id]));
                self.rule.iter_mut().for_each(|rule| rule.goes(id));
            }
        }
    }
}
