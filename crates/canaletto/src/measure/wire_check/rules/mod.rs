//! A rule sees every entry in order of time.

mod circuits;
mod distances;
mod drivers;
mod ends;
mod grants;
mod handshakes;
mod joins;
mod luns;
mod ports;
mod reach;
mod registers;
mod routes;
mod scouts;
mod spans;
mod steps;
mod switches;
mod ways;

use std::rc::Rc;

use crate::config::design::FabricKind;
use crate::engine::time::Time;
use crate::measure::wire_check::found::Found;
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::Entry;

pub trait Check {
    fn see(&mut self, _entry: &Entry, _transfers: &Transfers, _found: &mut Found) {}

    /// At the end of a transfer, with all its cycles.
    fn look_back(&mut self, _over: &Open, _at: Time, _found: &mut Found) {}

    fn end(&mut self, _now: Time, _transfers: &Transfers, _found: &mut Found) {}
}

pub fn all(known: &Rc<Known>) -> Vec<Box<dyn Check>> {
    let mut rules: Vec<Box<dyn Check>> = vec![
        Box::new(spans::Spans::new(known)),
        Box::new(drivers::Drivers::new(known)),
        Box::new(reach::Reach::new(known)),
        Box::new(ports::Ports::new(known)),
        Box::new(steps::Steps::new(known)),
        Box::new(ends::Ends::new(known)),
        Box::new(luns::Luns::new(known)),
        Box::new(registers::Registers::new(known)),
        Box::new(distances::Gaps::new(known)),
        Box::new(handshakes::Handshakes::new(known)),
    ];
    match known.kind {
        FabricKind::Venice => {
            rules.push(Box::new(circuits::Circuits::new(known)));
            rules.push(Box::new(scouts::Scouts::new(known)));
        }
        FabricKind::ScheduledMesh => {
            rules.push(Box::new(circuits::Circuits::new(known)));
            rules.push(Box::new(grants::RowGrants::new(known)));
        }
        FabricKind::Mesh | FabricKind::Mesh2bit => rules.push(Box::new(routes::Routes::new(known))),
        FabricKind::Clusters => rules.push(Box::new(switches::Switches::new(known))),
        FabricKind::Custom => rules.push(Box::new(ways::Ways::new(known))),
        FabricKind::Omnibus if known.splits_late() => rules.push(Box::new(joins::Joins::new(known))),
        _ => {}
    }
    rules
}
