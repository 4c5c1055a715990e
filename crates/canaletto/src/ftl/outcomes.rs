//! Consequences of what the flash translation layer did, in the order in which they must be carried out.

use crate::flash::address::{ChipId, LunId};
use crate::host::request::RequestId;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Issue(TransactionId),
    /// On its LUN, before others of its kind.
    IssueFirst(TransactionId),
    /// A write's data, with its flash page's, set out for the chip.
    Outbound(TransactionId),
    PageDone(TransactionId),
    Located(TransactionId),
    Destaged(TransactionId),
    DestageLost(TransactionId),
    /// While its beginning is carried out: the rest of the page lies in a plane that nothing reaches.
    DestageOutOfReach(TransactionId),
    /// The one before has ended.
    StartSuccessor(TransactionId),
    /// The mapping entry has come.
    Translated(TransactionId),
    /// All who waited for this translation page have gone on.
    MappingRead(u64),
    SeatStalled(u16),
    /// Once all outcomes are carried out.
    TrimsGoOn,
    LunChanged(LunId),
    /// From others, because its plane is lost.
    Rebuild(TransactionId),
    OutOfReach(TransactionId),
    RequestFails(RequestId),
    RequestOutOfReach(RequestId),
    /// It was kept for a page from another chip.
    RegisterFreed(ChipId),
}

/// Outcomes told while one is carried out come first.
#[derive(Default)]
pub struct Outcomes {
    /// Below `floor` in reverse order, then the new ones in order.
    list: Vec<Outcome>,
    floor: usize,
}

impl Outcomes {
    #[inline]
    pub fn tell(&mut self, outcome: Outcome) {
        self.list.push(outcome);
    }

    /// Whether any must be carried out before the present ones continue.
    #[inline]
    pub fn are_new(&self) -> bool {
        self.list.len() > self.floor
    }

    /// Takes the new one, if there is just one.
    #[inline]
    pub fn take_only(&mut self) -> Option<Outcome> {
        if self.list.len() == self.floor + 1 { self.list.pop() } else { None }
    }

    /// Begins with the new ones. Returns what [`Outcomes::next`] and [`Outcomes::end`] need.
    pub fn begin(&mut self) -> usize {
        self.floor
    }

    pub fn next(&mut self, outer: usize) -> Option<Outcome> {
        self.list[self.floor..].reverse();
        if self.list.len() == outer {
            return None;
        }
        let next = self.list.pop();
        self.floor = self.list.len();
        next
    }

    pub fn end(&mut self, outer: usize) {
        debug_assert_eq!(self.list.len(), outer, "outcomes were left over");
        self.floor = outer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(number: u32) -> Outcome {
        Outcome::Issue(TransactionId(number))
    }

    /// 1 leads to 10 and 11, 10 leads to 100 and carries that out itself.
    #[test]
    fn depth_first() {
        let mut outcomes = Outcomes::default();
        let mut seen = Vec::new();
        (1..=2).for_each(|n| outcomes.tell(issue(n)));
        let outer = outcomes.begin();
        while let Some(outcome) = outcomes.next(outer) {
            seen.push(outcome);
            if outcome == issue(1) {
                (10..=11).for_each(|n| outcomes.tell(issue(n)));
            }
            if outcome == issue(10) {
                outcomes.tell(issue(100));
                assert!(outcomes.are_new());
                let nested = outcomes.begin();
                while let Some(outcome) = outcomes.next(nested) {
                    seen.push(outcome);
                }
                outcomes.end(nested);
            }
            assert!(outcome == issue(1) || !outcomes.are_new());
        }
        outcomes.end(outer);
        assert_eq!(seen, [1, 10, 100, 11, 2].map(issue));
    }
}
