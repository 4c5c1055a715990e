//! A circuit takes a trunk, the chip's switch and an inner bus; a copy inner buses of one switch. The switch was
//! granted it, and passes bytes on after its delay; parts follow each other as a chip can turn.

use std::rc::Rc;

use super::Check;
use crate::config::design::{FabricKind, HoldPath};
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Switches {
    known: Rc<Known>,
    is_on: bool,
    cycles: Vec<Vec<Cycles>>,
}

fn span<'a>(cycles: impl Iterator<Item = &'a Cycles>) -> Option<(Time, Time)> {
    cycles.fold(None, |span, c| {
        let (from, until) = span.unwrap_or((c.from, c.until));
        Some((from.min(c.from), until.max(c.until)))
    })
}

impl Switches {
    pub fn new(known: &Rc<Known>) -> Switches {
        Switches { known: known.clone(), is_on: known.kind == FabricKind::Clusters, cycles: Vec::new() }
    }

    fn line(&self, cycles: &Cycles) -> Option<&Line> {
        self.known.shape.wires.get(cycles.wire as usize).map(|wire| &wire.line)
    }

    fn wires(&self, cycles: &[Cycles], is_kind: fn(&Line) -> bool) -> Vec<u32> {
        let mut wires: Vec<u32> = cycles.iter().filter(|c| self.line(c).is_some_and(is_kind)).map(|c| c.wire).collect();
        wires.sort_unstable();
        wires.dedup();
        wires
    }

    fn add(&self, rule: Rule, open: &Open, at: Time, what: &str, expected: String, found: &mut Found) {
        let (row, column) = self.known.shape.place(open.load.chip.0);
        let what = format!("transfer {}: {what}", open.transfer);
        found.add(rule, at, format!("chip {row},{column}"), what, expected);
    }

    fn check_way(&self, cycles: &[Cycles], open: &Open, at: Time, found: &mut Found) {
        let trunks = self.wires(cycles, |line| matches!(line, Line::Trunk(_)));
        let buses = self.wires(cycles, |line| matches!(line, Line::Inner(..)));
        let of = |chip: u32| {
            let leads = |line: &Line| matches!(line, Line::Inner(_, chips) if chips.contains(&chip));
            self.known.shape.wires.iter().position(|wire| leads(&wire.line)).map(|wire| wire as u32)
        };
        let mut ends: Vec<u32> = [open.load.chip.0, open.load.to.0].into_iter().filter_map(of).collect();
        ends.sort_unstable();
        ends.dedup();
        let is_copy = open.load.carries == Carries::Copy;
        if trunks.is_empty() && buses.is_empty() {
            return;
        }
        if trunks.len() != usize::from(!is_copy) || buses != ends {
            let what = format!("it crosses {} trunks and {} inner buses", trunks.len(), buses.len());
            let expected = format!("{} and the inner bus of each chip", if is_copy { "none" } else { "one" });
            self.add(Rule::Circuit, open, at, &what, expected, found);
        }
        if !is_copy && trunks.len() == 1 && buses.len() == 1 {
            self.check_delay(cycles, open, (trunks[0], buses[0]), found);
        }
    }

    /// Bytes from the controller are later on the inner bus, to it later on the trunk.
    fn check_delay(&self, cycles: &[Cycles], open: &Open, (trunk, bus): (u32, u32), found: &mut Found) {
        let on = |wire| span(cycles.iter().filter(move |c| c.wire == wire));
        let (Some((sent, sent_until)), Some((seen, seen_until))) = (on(trunk), on(bus)) else { return };
        let (_, delay) = self.known.lengths.switch();
        if seen < sent + delay {
            let expected = format!("{} or later, through the switch", ns(sent + delay));
            self.add(Rule::Circuit, open, seen, "its first cycle on the inner bus", expected, found);
        }
        let (first, last) = match open.load.direction {
            Direction::ToChip => (sent_until, seen_until),
            Direction::FromChip => (seen_until, sent_until),
        };
        if last < first + delay {
            let expected = format!("{} or later, through the switch", ns(first + delay));
            self.add(Rule::Circuit, open, last, "its last cycle behind the switch", expected, found);
        }
    }

    fn check_turns(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let turn = Time::from_ns(self.known.lengths.distances().t_ccs);
        let circuits: Vec<&[Cycles]> = cycles.chunk_by(|_, next| next.what != WireUse::Handshake).collect();
        for pair in circuits.windows(2) {
            let (Some((_, last)), Some((first, _))) = (span(pair[0].iter()), span(pair[1].iter())) else { continue };
            if first < last + turn {
                let expected = format!("{} or later (tCCS)", ns(last + turn));
                self.add(Rule::Distance, open, first, "a grant for its next part", expected, found);
            }
        }
    }

    fn check_grant(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let is_held = self.known.design.fabric.holds() != HoldPath::Never
            && matches!(open.load.carries, Carries::Data | Carries::Control);
        let is_grant = |c: &&Cycles| c.what == WireUse::Handshake;
        let Some((first, _)) = span(cycles.iter().filter(|c| !is_grant(c))) else { return };
        let Some(grant) = cycles.iter().find(is_grant) else {
            if !is_held {
                self.add(Rule::Handshake, open, first, "cycles without a grant", "one before".into(), found);
            }
            return;
        };
        let (setup, _) = self.known.lengths.switch();
        let least = self.known.lengths.grant(self.known.shape.rows);
        if grant.until.saturating_sub(grant.from) < least {
            let expected = format!("{} at the least", ns(least));
            self.add(Rule::Handshake, open, grant.from, "a grant takes less", expected, found);
        }
        if first < grant.until + setup {
            let expected = format!("{} or later, after its grant and the set-up", ns(grant.until + setup));
            self.add(Rule::Handshake, open, first, "its first cycle", expected, found);
        }
    }
}

impl Check for Switches {
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
            Fact::Wire(cycles) if transfers.of(cycles).is_some() => self.cycles[cycles.path.index()].push(*cycles),
            Fact::Ends { transfer, path } => {
                if let Some(open) = transfers.get(*path, *transfer) {
                    let cycles = std::mem::take(&mut self.cycles[path.index()]);
                    let begins = |c: &Cycles| c.what == WireUse::Handshake;
                    for circuit in cycles.chunk_by(|_, next| !begins(next)) {
                        self.check_way(circuit, open, entry.at, found);
                        self.check_grant(circuit, open, found);
                    }
                    self.check_turns(&cycles, open, found);
                    self.cycles[path.index()] = cycles;
                }
            }
            _ => {}
        }
    }
}
