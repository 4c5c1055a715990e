//! A transfer ends when its last cycle has crossed, and every transfer ends.

use std::rc::Rc;

use super::Check;
use crate::config::design::FabricKind;
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};

#[derive(Clone, Copy, Default)]
struct Crossed {
    transfer: u32,
    links: u64,
    /// First wire, since when, and time there.
    wire: u32,
    since: Time,
    there: Time,
    until: Time,
}

pub struct Ends {
    known: Rc<Known>,
    crossed: Vec<Crossed>,
}

impl Ends {
    pub fn new(known: &Rc<Known>) -> Ends {
        Ends { known: known.clone(), crossed: Vec::new() }
    }

    fn on(&mut self, path: PathId) -> &mut Crossed {
        if self.crossed.len() <= path.index() {
            self.crossed.resize(path.index() + 1, Crossed::default());
        }
        &mut self.crossed[path.index()]
    }

    /// From the last cycle to the end. Over n links the last byte is n cycles behind (Venice §4.1, Eq. 1), or 2 n with
    /// strobes; in a mesh it may wait for its chip.
    fn delay(&self, crossed: &Crossed) -> (Time, Time) {
        let flit = self.known.lengths.flit();
        match self.known.kind {
            FabricKind::ScheduledMesh => (flit * crossed.links, flit * crossed.links),
            FabricKind::Custom => (flit * crossed.links.saturating_sub(1), flit * crossed.links),
            FabricKind::Venice => (flit * crossed.links, flit * (2 * crossed.links)),
            FabricKind::Mesh | FabricKind::Mesh2bit => (Time::ZERO, Time::LATEST),
            FabricKind::Bus | FabricKind::Packetized | FabricKind::Ideal => {
                (self.known.lengths.buffer(), self.known.lengths.buffer())
            }
            _ => (Time::ZERO, Time::ZERO),
        }
    }

    fn hops(&self, crossed: &Crossed, open: &Open) -> bool {
        let (_, column) = self.known.shape.place(open.load.chip.0);
        let hops = match self.known.kind {
            FabricKind::DaisyChain => column,
            FabricKind::Ring if open.load.carries == Carries::Data => self.known.shape.columns - 1 - column,
            FabricKind::Ring => column,
            _ => return true,
        };
        crossed.until == crossed.since + crossed.there + self.known.lengths.chain_hop() * u64::from(hops)
    }
}

impl Check for Ends {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        match &entry.fact {
            Fact::Begins { transfer, path, .. } => {
                if let Some(open) = transfers.on(*path) {
                    let what = format!("transfer {transfer} begins on the path of transfer {}", open.transfer);
                    found.add(Rule::End, entry.at, self.known.chip_name(open.load.chip), what, "that to end first");
                }
                *self.on(*path) = Crossed { transfer: *transfer, ..Crossed::default() };
            }
            Fact::Wire(cycles) if matches!(cycles.what, WireUse::Command | WireUse::Data) => {
                let crossed = self.on(cycles.path);
                if crossed.transfer == cycles.transfer {
                    // At the same time.
                    crossed.links = if cycles.from >= crossed.until { 1 } else { crossed.links + 1 };
                    if crossed.there == Time::ZERO {
                        (crossed.wire, crossed.since) = (cycles.wire, cycles.from);
                    }
                    if crossed.wire == cycles.wire {
                        crossed.there += cycles.until.saturating_sub(cycles.from);
                    }
                    crossed.until = crossed.until.max(cycles.until);
                }
            }
            Fact::Ends { transfer, path } => {
                let crossed = *self.on(*path);
                let Some(open) = transfers.get(*path, *transfer) else {
                    let what = format!("transfer {transfer} ends");
                    found.add(Rule::End, entry.at, format!("path {}", path.0), what, "one that is under way");
                    return;
                };
                let (least, most) = self.delay(&crossed);
                let (since, until) = (crossed.until.max(open.began), entry.at);
                let is_over =
                    until >= since + least && until.saturating_sub(since) <= most && self.hops(&crossed, open);
                if !is_over && crossed.links > 0 {
                    let what = format!("transfer {transfer} ends");
                    let expected = format!("an end at {}", ns(since + least));
                    found.add(Rule::End, entry.at, self.known.chip_name(open.load.chip), what, expected);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, now: Time, transfers: &Transfers, found: &mut Found) {
        if self.known.takes_several_wires() {
            return;
        }
        for (path, open) in transfers.all() {
            let crossed = self.crossed[path.index()];
            let (_, most) = self.delay(&crossed);
            if crossed.links > 0 && most < Time::LATEST && crossed.until + most < now {
                let what = format!("transfer {} has not ended", open.transfer);
                let expected = format!("an end at {} at the latest", ns(crossed.until + most));
                found.add(Rule::End, now, self.known.chip_name(open.load.chip), what, expected);
            }
        }
    }
}
