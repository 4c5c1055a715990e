//! A chip's port serves one transfer at a time.
//!
//! Of circuits two may come to one chip over different links. An Omnibus chip has a port per bus (Networked SSD §V-B),
//! and packets of a mesh queue behind the chip's router.

use std::rc::Rc;

use super::Check;
use crate::config::design::FabricKind;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};
use crate::measure::wire_check::shape::{Line, Node};

pub struct Ports {
    known: Rc<Known>,
    has_one: bool,
    last: Vec<(u32, Time)>,
}

impl Ports {
    pub fn new(known: &Rc<Known>) -> Ports {
        let kinds = [
            FabricKind::Bus,
            FabricKind::Packetized,
            FabricKind::Ideal,
            FabricKind::Venice,
            FabricKind::ScheduledMesh,
            FabricKind::Custom,
            FabricKind::Clusters,
        ];
        let chips = (known.shape.rows * known.shape.columns) as usize;
        Ports { has_one: kinds.contains(&known.kind), known: known.clone(), last: vec![(u32::MAX, Time::ZERO); chips] }
    }

    /// Once: a bus, an inner bus, a controller's own link.
    fn counts(&self, wire: u32) -> bool {
        matches!(
            self.known.shape.line(wire),
            Some(Line::Bus { .. } | Line::Inner(..) | Line::Link(Node::Controller(_), _) | Line::Joint(_, true))
        )
    }
}

impl Check for Ports {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        let Fact::Wire(cycles) = &entry.fact else { return };
        if !self.has_one || !matches!(cycles.what, WireUse::Command | WireUse::Data) || !self.counts(cycles.wire) {
            return;
        }
        let Some(open) = transfers.of(cycles) else { return };
        let Some((transfer, until)) = self.last.get_mut(open.load.chip.index()) else { return };
        if *transfer != cycles.transfer && cycles.from < *until {
            let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
            let expected = format!("a port that is free; transfer {transfer} has it until {}", ns(*until));
            found.add(
                Rule::Port,
                cycles.from,
                format!("port of {}", self.known.chip_name(open.load.chip)),
                what,
                expected,
            );
        }
        *until = cycles.until.max(*until);
        *transfer = cycles.transfer;
    }
}
