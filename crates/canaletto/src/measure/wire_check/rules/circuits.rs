//! A link carries what it was reserved for, and a circuit's links are one way from a controller to the chip (Venice
//! §4.2), or from chip to chip.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Check;
use crate::config::design::{FabricKind, Scouts};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::flash::address::ChipId;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::{Line, Node};

#[derive(Clone, Copy)]
struct Reservation {
    path: PathId,
    since: Time,
    until: Time,
}

type Load = (PathId, Time, Time);

struct Together {
    transfer: u32,
    chip: u32,
    to: u32,
    what: WireUse,
    from: Time,
    links: Vec<u32>,
}

pub struct Circuits {
    known: Rc<Known>,
    /// As they hop.
    hop_by_hop: bool,
    reserved: Vec<Option<Reservation>>,
    carried: Vec<(Time, Vec<Load>)>,
    together: Vec<Together>,
}

impl Circuits {
    pub fn new(known: &Rc<Known>) -> Circuits {
        let wires = known.shape.wires.len();
        Circuits {
            hop_by_hop: known.kind == FabricKind::Venice && known.design.fabric.venice.scouts != Scouts::Atomic,
            known: known.clone(),
            reserved: vec![None; wires],
            carried: vec![(Time::ZERO, Vec::new()); wires],
            together: Vec::new(),
        }
    }

    fn ends(&self, wire: u32) -> Option<(Node, Node)> {
        match *self.known.shape.line(wire)? {
            Line::Link(from, to) => Some((from, to)),
            _ => None,
        }
    }

    fn is_own_link(&self, wire: u32) -> bool {
        matches!(self.ends(wire), Some((Node::Controller(_), _)))
    }

    fn add(&self, rule: Rule, cycles: &Cycles, expected: String, found: &mut Found) {
        let what = format!("{:?} of path {} until {}", cycles.what, cycles.path.0, ns(cycles.until));
        found.add(rule, cycles.from, self.known.shape.name(cycles.wire), what, expected);
    }

    fn reserve(&mut self, cycles: &Cycles, found: &mut Found) {
        let held = self.reserved[cycles.wire as usize].filter(|held| held.until > cycles.from);
        if let Some(held) = held {
            let expected = format!("a free link; path {} has it since {}", held.path.0, ns(held.since));
            self.add(Rule::Reservation, cycles, expected, found);
        }
        let (path, since) = (cycles.path, cycles.from);
        self.reserved[cycles.wire as usize] = Some(Reservation { path, since, until: Time::MAX });
    }

    fn give_up(&mut self, cycles: &Cycles, found: &mut Found) {
        let is_busy = self.carried[cycles.wire as usize].1.iter().any(|&(_, _, until)| until > cycles.from);
        match &mut self.reserved[cycles.wire as usize] {
            Some(held) if held.path == cycles.path && held.until == Time::MAX && !is_busy => held.until = cycles.until,
            _ => self.add(
                Rule::Reservation,
                cycles,
                "a link that is reserved and carries nothing any more".into(),
                found,
            ),
        }
    }

    fn carry(&mut self, cycles: &Cycles, found: &mut Found) {
        let holds =
            |held: &Reservation| held.path == cycles.path && held.since <= cycles.from && held.until >= cycles.until;
        if self.hop_by_hop && !self.reserved[cycles.wire as usize].as_ref().is_some_and(holds) {
            self.add(Rule::Reservation, cycles, "a link that is reserved for it".into(), found);
        }
        self.carried[cycles.wire as usize].1.push((cycles.path, cycles.from, cycles.until));
    }

    fn over(&mut self, cycles: &Cycles, found: &mut Found) {
        let (last, carried) = std::mem::take(&mut self.carried[cycles.wire as usize]);
        let is_within =
            |&(path, from, until): &(_, _, _)| path == cycles.path && from >= cycles.from && until <= cycles.until;
        if cycles.from < last {
            self.add(Rule::Reservation, cycles, format!("none before the last one ended at {}", ns(last)), found);
        }
        if !carried.iter().all(is_within) {
            self.add(Rule::Reservation, cycles, "all that the link has carried to be within it".into(), found);
        }
        let held = self.reserved[cycles.wire as usize];
        let is_known = |held: Reservation| {
            let ends = if held.until == Time::MAX { cycles.until } else { held.until };
            (held.path, held.since, ends) == (cycles.path, cycles.from, cycles.until)
        };
        if self.hop_by_hop && !held.is_some_and(is_known) {
            self.add(Rule::Reservation, cycles, "the time from its scout to its end".into(), found);
        }
        self.reserved[cycles.wire as usize] = None;
        self.carried[cycles.wire as usize].0 = cycles.until;
    }

    fn gather(&mut self, cycles: &Cycles, transfers: &Transfers) {
        let Some(open) = transfers.of(cycles) else { return };
        let key = (cycles.transfer, cycles.what, cycles.from);
        match self.together.iter_mut().find(|t| (t.transfer, t.what, t.from) == key) {
            Some(together) => together.links.push(cycles.wire),
            None => self.together.push(Together {
                transfer: cycles.transfer,
                chip: open.load.chip.0,
                to: open.load.to.0,
                what: cycles.what,
                from: cycles.from,
                links: vec![cycles.wire],
            }),
        }
    }

    fn look(&mut self, now: Time, found: &mut Found) {
        while let Some(place) = self.together.iter().position(|together| together.from < now) {
            let Together { transfer, chip, to, what, from, links } = self.together.swap_remove(place);
            if !self.is_way(&links, chip, to) {
                let names: Vec<String> = links.iter().map(|&link| self.known.shape.name(link)).collect();
                let what = format!("{what:?} cycles of transfer {transfer} on {}", names.join(", "));
                let expected = "links that are one way from a controller to the chip, or from chip to chip";
                found.add(Rule::Circuit, from, self.known.chip_name(ChipId(chip)), what, expected);
            }
        }
    }

    fn is_way(&self, links: &[u32], chip: u32, to: u32) -> bool {
        let ends: Vec<(Node, Node)> = links.iter().filter_map(|&link| self.ends(link)).collect();
        let mut odd = BTreeSet::new();
        for node in ends.iter().flat_map(|&(from, to)| [from, to]) {
            if !odd.remove(&node) {
                odd.insert(node);
            }
        }
        let is_controller = |node: &Node| matches!(node, Node::Controller(_));
        let start = if chip == to { odd.iter().copied().find(is_controller) } else { Some(Node::Router(to)) };
        let Some(start) = start else { return false };
        let (mut reached, mut left) = (BTreeSet::from([start]), ends);
        while let Some(next) = left.iter().position(|(from, to)| reached.contains(from) || reached.contains(to)) {
            let (from, to) = left.swap_remove(next);
            reached.extend([from, to]);
        }
        left.is_empty() && odd == BTreeSet::from([start, Node::Router(chip)])
    }
}

impl Check for Circuits {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        self.look(entry.at, found);
        let Fact::Wire(cycles) = &entry.fact else { return };
        if cycles.wire as usize >= self.reserved.len() {
            return;
        }
        let is_data = matches!(cycles.what, WireUse::Command | WireUse::Data);
        if is_data {
            self.gather(cycles, transfers);
        }
        if self.is_own_link(cycles.wire) {
            return;
        }
        match cycles.what {
            WireUse::Scout if self.hop_by_hop => self.reserve(cycles, found),
            WireUse::Cancel if self.hop_by_hop => self.give_up(cycles, found),
            WireUse::Reserved => self.over(cycles, found),
            _ if is_data => self.carry(cycles, found),
            _ => {}
        }
    }

    fn end(&mut self, _: Time, _: &Transfers, found: &mut Found) {
        self.look(Time::MAX, found);
    }
}
