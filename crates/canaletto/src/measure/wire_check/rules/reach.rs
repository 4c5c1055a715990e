//! A wire that has failed carries nothing. A bus leads to the chip whose commands and data cross it, an inner bus of a switch to
//! one of the two chips of a copy.

use std::rc::Rc;

use super::Check;
use crate::config::design::FabricKind;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Reach {
    known: Rc<Known>,
    parts_failed: bool,
}

impl Reach {
    pub fn new(known: &Rc<Known>) -> Reach {
        Reach { known: known.clone(), parts_failed: false }
    }
}

impl Check for Reach {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        self.parts_failed |= entry.fact == Fact::PartsFail;
        let Fact::Wire(cycles) = &entry.fact else { return };
        let shape = &self.known.shape;
        let Some(wire) = shape.wires.get(cycles.wire as usize) else { return };
        if self.parts_failed && shape.has_failed(cycles.wire) {
            let what = format!("{:?} of path {}", cycles.what, cycles.path.0);
            found.add(Rule::Reach, cycles.from, wire.name.clone(), what, "nothing on a wire that has failed");
        }
        if !matches!(cycles.what, WireUse::Command | WireUse::Data | WireUse::Handshake) {
            return;
        }
        let Some(open) = transfers.of(cycles) else { return };
        let chips = [open.load.chip, open.load.to];
        if let Line::Inner(_, reached) = &wire.line {
            if chips.iter().any(|chip| reached.contains(&chip.0)) {
                return;
            }
        }
        for chip in chips {
            let (row, column) = shape.place(chip.0);
            let is_reached = match &wire.line {
                Line::Bus { rows, columns, .. } => rows.contains(&row) && columns.contains(&column),
                Line::Trunk(switches) => switches.contains(&shape.switch_of(chip.0)),
                Line::Grants(switch) => *switch == shape.switch_of(chip.0),
                Line::Inner(..) => false,
                Line::Link(from, to) if matches!(self.known.kind, FabricKind::DaisyChain | FabricKind::Ring) => {
                    let (comes_back, is_ring) =
                        (open.load.carries == Carries::Data, self.known.kind == FabricKind::Ring);
                    shape.is_on_chain(*from, *to, chip.0, comes_back, is_ring)
                }
                Line::Link(..) | Line::RowGrants(_) | Line::Joint(..) => true,
            };
            if !is_reached {
                let what = format!("cycles for chip {row},{column}");
                found.add(Rule::Reach, cycles.from, wire.name.clone(), what, "those of a chip on this wire");
                return;
            }
        }
    }
}
