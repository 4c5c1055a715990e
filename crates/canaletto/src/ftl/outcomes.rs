//! Consequences of what the flash translation layer did, in the order in which they must be carried out.

use crate::flash::address::{ChipId, LunId};
use crate::host::request::RequestId;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Issue(TransactionId),
    /// On its LUN, before others of its kind.
    IssueFirst(TransactionId),
    /// Data of a write, with its flash page's, set out for the chip.
    Outbound(TransactionId),
    PageDone(TransactionId),
    /// The place of an operand of a task is known; it has none if it holds nothing.
    Located(TransactionId),
    /// A page from the data cache is on flash.
    Destaged(TransactionId),
    /// A page from the data cache can be programmed nowhere.
    DestageLost(TransactionId),
    /// The same while its beginning is still being carried out: the rest of the page lies in a plane that nothing
    /// reaches.
    DestageOutOfReach(TransactionId),
    /// The one before has ended.
    StartSuccessor(TransactionId),
    /// The mapping entry has come.
    Translated(TransactionId),
    /// All who waited for this translation page have gone on.
    MappingRead(u64),
    /// There may be room in this table for entries of pages that found none.
    SeatStalled(u16),
    /// Trims that have waited for the mapping table continue, once all outcomes are carried out.
    TrimsGoOn,
    /// A LUN may have something to do that it could not do before.
    LunChanged(LunId),
    /// The page of a read, which lies in a lost plane, must be rebuilt from others.
    Rebuild(TransactionId),
    /// The page of a read lies in a plane that nothing reaches.
    OutOfReach(TransactionId),
    /// A request fails: one of its pages could not be written.
    RequestFails(RequestId),
    /// A request fails: one of its pages lies in a plane that nothing reaches.
    RequestOutOfReach(RequestId),
    /// A register of a chip is no longer kept for a page from another chip.
    RegisterFreed(ChipId),
}

/// Outcomes that were not carried out.
///
/// Those told while one is carried out come first. Carrying out may nest, and then covers only what was told since.
#[derive(Default)]
pub struct Outcomes {
    /// Outcomes below `floor` in reverse order, then the new ones in the order in which they were told.
    list: Vec<Outcome>,
    floor: usize,
}

impl Outcomes {
    #[inline]
    pub fn tell(&mut self, outcome: Outcome) {
        self.list.push(outcome);
    }

    /// Whether any has been told that is not to wait for those being carried out.
    #[inline]
    pub fn are_new(&self) -> bool {
        self.list.len() > self.floor
    }

    /// Takes the only one that is new, if there is just one: it can be carried out without further ado.
    #[inline]
    pub fn take_only(&mut self) -> Option<Outcome> {
        if self.list.len() == self.floor + 1 { self.list.pop() } else { None }
    }

    /// Begins to carry out those that are new. Returns what [`Outcomes::next`] and [`Outcomes::end`] want.
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
