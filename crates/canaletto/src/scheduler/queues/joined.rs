//! Commands with transactions of a second list (`flash.multi_plane = "head-page"`).

use super::look::IssueContext;
use super::{ALL_CLASSES, GC_READ, GC_WRITE, Queues, Readiness, Transactions, USER_READ, USER_WRITE};
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::scheduler::transaction::{Origin, TransactionId};

impl Queues {
    pub(super) fn joined(
        &mut self,
        lun: LunId,
        mut command: Command,
        look: &IssueContext,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Command {
        if self.alone[command.operation as usize] {
            return command;
        }
        let first = &transactions[command.transactions()[0]];
        let die = self.die_masks[readiness.plane(first) as usize];
        let used = command.transactions().iter().map(|&id| 1u64 << readiness.plane(&transactions[id]));
        let mut open = look.free.of(command.operation) & die & !used.fold(0, |all, bit| all | bit);
        let Some(list) = (open != 0).then(|| self.second_list(lun, first.origin, command.operation, look)).flatten()
        else {
            return command;
        };
        let mut previous = TransactionId::NONE;
        let mut at = self.luns[lun.index()].lists[list].head;
        while at.is_some() && open != 0 {
            let t = &transactions[at];
            let (next, bit) = (t.next, 1u64 << readiness.plane(t));
            if open & bit != 0 && readiness.ready(t) && readiness.page(t) == self.head_page {
                open &= !bit;
                command.push(at);
                self.take_after(lun, list, previous, at, transactions);
            } else {
                previous = at;
            }
            at = next;
        }
        command
    }

    fn second_list(&mut self, lun: LunId, first: Origin, operation: Operation, look: &IssueContext) -> Option<usize> {
        let waiting = self.luns[lun.index()].waiting;
        let (user, gc) = match operation {
            Operation::Read => (USER_READ, GC_READ),
            Operation::Program => (USER_WRITE, GC_WRITE),
            Operation::Erase => return None,
        };
        let gc = (waiting & 1 << gc != 0).then_some(gc);
        match first {
            Origin::Mapping if operation == Operation::Program => None,
            Origin::Mapping if look.gc_urgent && gc.is_some() => gc,
            Origin::Mapping | Origin::Gc if waiting & ALL_CLASSES << user == 0 => None,
            Origin::Mapping => self.users(lun, user),
            Origin::Gc if look.gc_urgent => self.users(lun, user),
            Origin::Gc => None,
            _ if look.gc_urgent => None,
            _ => gc,
        }
    }

    fn users(&mut self, lun: LunId, base: usize) -> Option<usize> {
        match self.single_class {
            Some(_) if self.luns[lun.index()].waiting & 1 << base != 0 => Some(base),
            Some(class) => Some(base + class),
            None => self.user_list(lun, base, ALL_CLASSES),
        }
    }

    fn take_after(
        &mut self,
        lun: LunId,
        list: usize,
        previous: TransactionId,
        at: TransactionId,
        transactions: &mut Transactions,
    ) {
        if self.luns[lun.index()].indexed & 1 << list != 0 {
            self.take(lun, list, at, transactions);
        } else {
            self.luns[lun.index()].unlink(list, previous, at, transactions);
        }
    }
}
