//! A circuit takes a trunk, the chip's switch and an inner bus; a copy inner buses of one switch. The switch was
//! granted it, and passes bytes on after its delay; parts follow each other as a chip can turn.

use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open};
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::Line;

pub struct Switches {
    known: Rc<Known>,
}

fn span<'a>(cycles: impl Iterator<Item = &'a Cycles>) -> Option<(Time, Time)> {
    cycles.fold(None, |span, c| {
        let (from, until) = span.unwrap_or((c.from, c.until));
        Some((from.min(c.from), until.max(c.until)))
    })
}

impl Switches {
    pub fn new(known: &Rc<Known>) -> Switches {
        Switches { known: known.clone() }
    }

    fn wires(&self, cycles: &[Cycles], is_kind: fn(&Line) -> bool) -> Vec<u32> {
        let mut wires: Vec<u32> =
            cycles.iter().filter(|c| self.known.shape.line(c.wire).is_some_and(is_kind)).map(|c| c.wire).collect();
        wires.sort_unstable();
        wires.dedup();
        wires
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
            found.add_of(open, &self.known, Rule::Circuit, at, &what, expected);
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
            found.add_of(open, &self.known, Rule::Circuit, seen, "its first cycle on the inner bus", expected);
        }
        let (first, last) = match open.load.direction {
            Direction::ToChip => (sent_until, seen_until),
            Direction::FromChip => (seen_until, sent_until),
        };
        if last < first + delay {
            let expected = format!("{} or later, through the switch", ns(first + delay));
            found.add_of(open, &self.known, Rule::Circuit, last, "its last cycle behind the switch", expected);
        }
    }

    fn check_turns(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let turn = Time::from_ns(self.known.lengths.distances().t_ccs);
        let circuits: Vec<&[Cycles]> = cycles.chunk_by(|_, next| next.what != WireUse::Handshake).collect();
        for pair in circuits.windows(2) {
            let (Some((_, last)), Some((first, _))) = (span(pair[0].iter()), span(pair[1].iter())) else { continue };
            if first < last + turn {
                let expected = format!("{} or later (tCCS)", ns(last + turn));
                found.add_of(open, &self.known, Rule::Distance, first, "a grant for its next part", expected);
            }
        }
    }

    fn check_grant(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let is_grant = |c: &&Cycles| c.what == WireUse::Handshake;
        let Some((first, _)) = span(cycles.iter().filter(|c| !is_grant(c))) else { return };
        let Some(grant) = cycles.iter().find(is_grant) else {
            if !self.known.is_on_held_path(&open.load) {
                found.add_of(open, &self.known, Rule::Handshake, first, "cycles without a grant", "one before");
            }
            return;
        };
        let (setup, _) = self.known.lengths.switch();
        let least = self.known.lengths.grant(self.known.shape.rows);
        if grant.until.saturating_sub(grant.from) < least {
            let expected = format!("{} at the least", ns(least));
            found.add_of(open, &self.known, Rule::Handshake, grant.from, "a grant takes less", expected);
        }
        if first < grant.until + setup {
            let expected = format!("{} or later, after its grant and the set-up", ns(grant.until + setup));
            found.add_of(open, &self.known, Rule::Handshake, first, "its first cycle", expected);
        }
    }
}

impl Check for Switches {
    fn look_back(&mut self, over: &Open, at: Time, found: &mut Found) {
        for circuit in over.cycles.chunk_by(|_, next| next.what != WireUse::Handshake) {
            self.check_way(circuit, over, at, found);
            self.check_grant(circuit, over, found);
        }
        self.check_turns(&over.cycles, over, found);
    }
}
