//! Under a rule of `scheduler.policy`.

use super::look::{COLLECTION, IssueContext, MAPPING, Order, USER_READS, USER_WRITES};
use super::{Queues, Readiness, Transactions};
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::scheduler::custom::Place;
use crate::scheduler::transaction::TransactionId;

const AS_SHOWN: Order = Order([USER_READS | USER_WRITES | COLLECTION, MAPPING]);

impl Queues {
    #[inline(never)]
    pub(super) fn ruled_command(
        &mut self,
        lun: LunId,
        look: &IssueContext,
        transactions: &mut Transactions,
        readiness: &impl Readiness,
    ) -> Option<Command> {
        self.list_ready(lun, look, transactions, readiness);
        let Place { id, previous, list } = self.rule.as_mut()?.choose(lun, look.gc_urgent, look.now)?;
        if previous.is_some() {
            self.luns[lun.index()].unlink(list, previous, id, transactions);
            self.push_first(lun, id, transactions);
        }
        let command = self.form(lun, list, look.free, transactions, readiness)?;
        self.note_issued(lun, &command, transactions);
        Some(command)
    }

    fn list_ready(&mut self, lun: LunId, look: &IssueContext, transactions: &Transactions, readiness: &impl Readiness) {
        let Some(rule) = &mut self.rule else { return };
        rule.look();
        let queues = &self.luns[lun.index()];
        let waiting = queues.waiting & look.served.lists();
        for list in AS_SHOWN.lists(waiting) {
            let (mut at, mut previous) = (queues.lists[list].head, TransactionId::NONE);
            let all = look.free.of(transactions[at].operation);
            let mut free = all;
            while at.is_some() && free != 0 {
                let t = &transactions[at];
                let bit = 1 << readiness.plane(t);
                if free & bit != 0 && readiness.can_begin(t, all) {
                    rule.can_go(Place { id: at, previous, list }, t);
                }
                if readiness.keeps_order(t) {
                    free &= !bit;
                }
                (previous, at) = (at, t.next);
            }
        }
    }
}
