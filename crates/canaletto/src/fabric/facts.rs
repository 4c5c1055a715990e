use serde::Serialize;

use crate::config::design::Fabric as FabricConfig;
use crate::config::kinds::Signalling;
use crate::config::named::Named;
use crate::fabric::failing::Failing;
use crate::fabric::lines::Line;
pub use crate::fabric::wires::neighbours;
use crate::fabric::{FabricKind, facts_of};

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Facts {
    /// Compared if no fabrics are named.
    pub is_usual: bool,
    /// Can stay taken while the array works (`fabric.hold_path`).
    pub holds_paths: bool,
    /// These draw power all the time.
    pub routers: Option<RouterKind>,
    #[serde(skip)]
    pub interconnect: fn(&FabricConfig, u32, u32) -> Interconnect,
    #[serde(skip)]
    pub failing: Failing,
    /// Each chip is in at least one line.
    #[serde(skip)]
    pub lines: fn(&FabricConfig, u32, u32) -> Vec<Line>,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Listed {
    pub name: &'static str,
    /// With its source.
    pub sentence: &'static str,
    pub signalling: Signalling,
    #[serde(flatten)]
    pub facts: &'static Facts,
}

pub fn facts() -> Vec<Listed> {
    let listed = |&kind: &FabricKind| Listed {
        name: kind.name(),
        sentence: kind.sentence(),
        signalling: kind.signalling(),
        facts: facts_of(kind),
    };
    FabricKind::ALL.iter().map(listed).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouterKind {
    Circuit,
    Packet,
    NarrowPacket,
    Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interconnect {
    pub links: u32,
    pub link_bits: u32,
    pub routers_on_board: bool,
    pub on_die_controllers: bool,
    pub switches: Option<Switches>,
    pub arbiter: Option<Arbiter>,
    /// If counted.
    pub controller_pins: Option<ControllerPins>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    pub count: u32,
    pub buses: u32,
    pub other_pads: u32,
    pub bus_bits: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arbiter {
    pub cells: u32,
    pub router_ports: u32,
    pub grant_pads: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerPins {
    pub buses: u32,
    pub bus_bits: u32,
    pub others: u32,
}

impl Interconnect {
    pub const CHANNELS: Interconnect = Interconnect {
        links: 0,
        link_bits: 0,
        routers_on_board: false,
        on_die_controllers: false,
        switches: None,
        arbiter: None,
        controller_pins: None,
    };

    pub const PACKET_CHANNELS: Interconnect = Interconnect { on_die_controllers: true, ..Interconnect::CHANNELS };
}
