//! Operands of gathers that are written together (`ftl.write_placement = "operands"`).

use crate::config::design::{Design, WritePlacement};
use crate::config::workload::Flow;
use crate::flash::address::SECTOR;
use crate::limits::FlowRange;

/// Pages of a flow with gathers.
#[derive(Clone, Copy)]
pub struct Operands {
    first_page: u64,
    pages: u64,
    distance: u64,
    /// Pages from the first operand of a task to the end of its last one's distance.
    span: u64,
}

impl Operands {
    /// None if writes do not heed them.
    pub fn of(design: &Design, flow: &Flow, range: &FlowRange, per_page: u64) -> Option<Operands> {
        let task = flow.compute.filter(|_| design.ftl.write_placement == WritePlacement::Operands)?;
        let distance = task.distance?.0 / SECTOR / per_page;
        let (first, sectors) = range.used(flow);
        Some(Operands {
            first_page: range.first_page + (first - range.first_sector) / per_page,
            pages: sectors / per_page,
            distance,
            span: distance * u64::from(task.operands),
        })
    }

    /// Those of the task that has this page, if any has.
    pub fn with(self, lpa: u64) -> Option<impl Iterator<Item = u64>> {
        let place = lpa.checked_sub(self.first_page).filter(|&place| place < self.pages)?;
        let start = place / self.span * self.span + place % self.distance;
        let all = (start..self.pages.min(start + self.span)).step_by(self.distance as usize);
        Some(all.map(move |place| self.first_page + place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_the_operands_of_its_task() {
        let operands = Operands { first_page: 100, pages: 30, distance: 4, span: 12 };
        let with = |lpa| operands.with(lpa).map(|all| all.collect::<Vec<_>>());
        for lpa in [101, 105, 109] {
            assert_eq!(with(lpa), Some(vec![101, 105, 109]));
        }
        assert_eq!(with(115), Some(vec![115, 119, 123]));
        assert_eq!(with(128), Some(vec![124, 128]), "the rest has fewer");
        assert_eq!((with(99), with(130)), (None, None));
    }
}
