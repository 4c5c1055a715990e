//! Grants of a scheduled mesh go to every row before anything crosses.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open};
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::{Line, Node};

pub struct RowGrants {
    known: Rc<Known>,
}

impl RowGrants {
    pub fn new(known: &Rc<Known>) -> RowGrants {
        RowGrants { known: known.clone() }
    }

    fn rows(&self, cycles: &[Cycles]) -> BTreeSet<u32> {
        let ends = cycles.iter().filter_map(|c| match self.known.shape.line(c.wire) {
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
        if grants.is_empty() && self.known.is_on_held_path(&open.load) {
            return;
        }
        let least = self.known.lengths.row_grant(self.known.shape.columns);
        let links: BTreeSet<u32> = crossing.iter().map(|c| c.wire).collect();
        let (search, setup) = self.known.lengths.scheduled(links.len());
        for row in self.rows(cycles) {
            let Some(grant) = grants
                .iter()
                .find(|c| matches!(self.known.shape.line(c.wire), Some(Line::RowGrants(to)) if *to == row))
            else {
                found.add_of(
                    open,
                    &self.known,
                    Rule::Handshake,
                    first,
                    &format!("no grant to row {row}"),
                    "one before it crosses",
                );
                continue;
            };
            if grant.until.saturating_sub(grant.from) < least {
                found.add_of(
                    open,
                    &self.known,
                    Rule::Handshake,
                    grant.from,
                    "a grant takes less",
                    format!("{} at the least", ns(least)),
                );
            }
            if grant.from < open.began + search {
                let expected = format!("{} or later, after the search", ns(open.began + search));
                found.add_of(
                    open,
                    &self.known,
                    Rule::Handshake,
                    grant.from,
                    "a grant before its way is found",
                    expected,
                );
            }
            if first < grant.until + setup {
                let expected = format!("{} or later, after its grant and the set-up", ns(grant.until + setup));
                found.add_of(open, &self.known, Rule::Handshake, first, "its first cycle", expected);
            }
        }
    }
}

impl Check for RowGrants {
    fn look_back(&mut self, over: &Open, _: Time, found: &mut Found) {
        let cycles: Vec<Cycles> = over.cycles.iter().filter(|c| c.what != WireUse::Reserved).copied().collect();
        self.check(&cycles, over, found);
    }
}
