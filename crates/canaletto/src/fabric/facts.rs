//! Facts that a fabric states about itself, so that nothing else has to list fabrics.

use serde::Serialize;

use crate::config::design::Fabric as FabricConfig;
use crate::config::kinds::Signalling;
use crate::config::named::Named;
use crate::fabric::failing::Failing;
use crate::fabric::lines::Line;
pub use crate::fabric::wires::neighbours;
use crate::fabric::{FabricKind, facts_of};

/// The facts of a fabric, stated in its own file.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Facts {
    /// Whether a comparison that names no fabrics includes it.
    pub is_usual: bool,
    /// Whether a transfer holds a single path, which can stay taken while the array works (`fabric.hold_path`).
    pub holds_paths: bool,
    /// Kind of its routers or switches, if it has any, which draw power all the time.
    pub routers: Option<RouterKind>,
    /// Parts of it that take area, for an array of that many rows and columns.
    #[serde(skip)]
    pub interconnect: fn(&FabricConfig, u32, u32) -> Interconnect,
    /// Parts of it that may fail, and what they cut off.
    #[serde(skip)]
    pub failing: Failing,
    /// Lines of an array of so many rows and columns: chips that share a way to the controllers, each chip in one at least.
    #[serde(skip)]
    pub lines: fn(&FabricConfig, u32, u32) -> Vec<Line>,
}

/// A fabric as a list shows it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Listed {
    /// Name in configurations, on the command line and in results.
    pub name: &'static str,
    /// One sentence about it, with its source.
    pub sentence: &'static str,
    /// Form in which commands come to its chips.
    pub signalling: Signalling,
    /// Its facts.
    #[serde(flatten)]
    pub facts: &'static Facts,
}

/// Every fabric, in the order of lists.
pub fn facts() -> Vec<Listed> {
    let listed = |&kind: &FabricKind| Listed {
        name: kind.name(),
        sentence: kind.sentence(),
        signalling: kind.signalling(),
        facts: facts_of(kind),
    };
    FabricKind::ALL.iter().map(listed).collect()
}

/// Kinds of router, which differ in power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouterKind {
    /// Circuit-switched, without buffers.
    Circuit,
    /// Packets of eight bits a cycle, buffered.
    Packet,
    /// Packets of two bits a cycle, buffered.
    NarrowPacket,
    /// Circuits between buses of sixteen data wires, without buffers.
    Switch,
}

/// Parts of an interconnect that take area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interconnect {
    /// Links between routers, each direction counted if it has its own wires.
    pub links: u32,
    /// Data wires of a link.
    pub link_bits: u32,
    /// Whether routers are chips of their own on the board.
    pub routers_on_board: bool,
    /// Whether flash chips hold a controller that speaks packets.
    pub on_die_controllers: bool,
    /// Switches between buses, chips of their own on the board.
    pub switches: Option<Switches>,
    /// Arbiter of its routers, inside the chip of the controllers.
    pub arbiter: Option<Arbiter>,
    /// Pins of all controllers, where they are counted.
    pub controller_pins: Option<ControllerPins>,
}

/// Switches of an interconnect, and the pads of what is timed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// How many there are.
    pub count: u32,
    /// Buses of each that are timed by themselves.
    pub buses: u32,
    /// Other pads of each: chip enables and grants.
    pub other_pads: u32,
    /// Data pins of a bus.
    pub bus_bits: u32,
}

/// Central arbiter of routers, with a cell for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arbiter {
    /// How many cells there are.
    pub cells: u32,
    /// Ports of a router, each timed by itself.
    pub router_ports: u32,
    /// Pads of a router for its grants.
    pub grant_pads: u32,
}

/// Pins of all controllers on the side of the chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerPins {
    /// Buses or links that are timed by themselves.
    pub buses: u32,
    /// Data pins of each.
    pub bus_bits: u32,
    /// Other pins: grants.
    pub others: u32,
}

impl Interconnect {
    /// Channels of the conventional drive, which take no area beyond it.
    pub const CHANNELS: Interconnect = Interconnect {
        links: 0,
        link_bits: 0,
        routers_on_board: false,
        on_die_controllers: false,
        switches: None,
        arbiter: None,
        controller_pins: None,
    };

    /// Channels whose chips speak packets.
    pub const PACKET_CHANNELS: Interconnect = Interconnect { on_die_controllers: true, ..Interconnect::CHANNELS };
}
