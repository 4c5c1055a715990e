//! Grants of a scheduled mesh go to every row before anything crosses.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Check;
use crate::config::design::{FabricKind, HoldPath};
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::{Line, Node};

pub struct RowGrants {
    known: Rc<Known>,
    is_on: bool,
    cycles: Vec<Vec<Cycles>>,
}

impl RowGrants {
    pub fn new(known: &Rc<Known>) -> RowGrants {
        RowGrants { known: known.clone(), is_on: known.kind == FabricKind::ScheduledMesh, cycles: Vec::new() }
    }

    fn line(&self, cycles: &Cycles) -> Option<&Line> {
        self.known.shape.wires.get(cycles.wire as usize).map(|wire| &wire.line)
    }

    fn add(&self, open: &Open, at: Time, what: &str, expected: String, found: &mut Found) {
        let (row, column) = self.known.shape.place(open.load.chip.0);
        let what = format!("transfer {}: {what}", open.transfer);
        found.add(Rule::Handshake, at, format!("chip {row},{column}"), what, expected);
    }

    fn rows(&self, cycles: &[Cycles]) -> BTreeSet<u32> {
        let ends = cycles.iter().filter_map(|c| match self.line(c) {
            Some(Line::Link(from, to)) => Some([*from, *to]),
            _ => None,
        });
        let row = |node| match node {
            Node::Router(router) => Some(self.known.shape.place(router).0),
            Node::Controller(_) => None,
        };
        ends.flatten().filter_map(row).collect()
    }

    fn check(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let (grants, crossing): (Vec<&Cycles>, Vec<&Cycles>) =
            cycles.iter().partition(|c| c.what == WireUse::Handshake);
        let Some(first) = crossing.iter().map(|c| c.from).min() else { return };
        let is_held = self.known.design.fabric.holds() != HoldPath::Never
            && matches!(open.load.carries, Carries::Data | Carries::Control);
        if grants.is_empty() && is_held {
            return;
        }
        let least = self.known.lengths.row_grant(self.known.shape.columns);
        let links: BTreeSet<u32> = crossing.iter().map(|c| c.wire).collect();
        let (search, setup) = self.known.lengths.scheduled(links.len());
        for row in self.rows(cycles) {
            let Some(grant) = grants.iter().find(|c| matches!(self.line(c), Some(Line::RowGrants(to)) if *to == row))
            else {
                self.add(open, first, &format!("no grant to row {row}"), "one before it crosses".into(), found);
                continue;
            };
            if grant.until.saturating_sub(grant.from) < least {
                self.add(open, grant.from, "a grant takes less", format!("{} at the least", ns(least)), found);
            }
            if grant.from < open.began + search {
                let expected = format!("{} or later, after the search", ns(open.began + search));
                self.add(open, grant.from, "a grant before its way is found", expected, found);
            }
            if first < grant.until + setup {
                let expected = format!("{} or later, after its grant and the set-up", ns(grant.until + setup));
                self.add(open, first, "its first cycle", expected, found);
            }
        }
    }
}

impl Check for RowGrants {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        if !self.is_on {
            return;
        }
        match &entry.fact {
            Fact::Begins { path, .. } => {
                if self.cycles.len() <= path.index() {
                    self.cycles.resize(path.index() + 1, Vec::new());
                }
                self.cycles[path.index()].clear();
            }
            Fact::Wire(cycles) if cycles.what != WireUse::Reserved && transfers.of(cycles).is_some() => {
                self.cycles[cycles.path.index()].push(*cycles);
            }
            Fact::Ends { transfer, path } => {
                if let Some(open) = transfers.get(*path, *transfer) {
                    self.check(&self.cycles[path.index()], open, found);
                }
            }
            _ => {}
        }
    }
}
