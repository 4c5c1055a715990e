//! Facts that a fabric states about itself, so that nothing else has to list fabrics.

use serde::Serialize;

pub use crate::flash::interface::Signalling;

/// The facts of a fabric, stated in its own file.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Facts {
    /// Name in configurations, on the command line and in results.
    pub name: &'static str,
    /// One sentence about it, with its source.
    pub sentence: &'static str,
    /// Whether a comparison that names no fabrics includes it.
    pub is_usual: bool,
    /// Form in which commands come to its chips.
    pub signalling: Signalling,
    /// Whether a transfer holds a single path, which can stay taken while the array works (`fabric.hold_path`).
    pub holds_paths: bool,
    /// Kind of its routers, if it has any: one at each chip, which draws power all the time.
    pub routers: Option<RouterKind>,
    /// Parts of it that take area, for an array of so many rows and columns.
    #[serde(skip)]
    pub interconnect: fn(u32, u32) -> Interconnect,
}

impl Facts {
    /// Number of its routers beside so many chips.
    pub fn router_count(&self, chips: u32) -> u32 {
        if self.routers.is_some() { chips } else { 0 }
    }
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
}

/// Parts of an interconnect that take area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interconnect {
    /// Links between routers, each direction counted if it has wires of its own.
    pub links: u32,
    /// Data wires of a link.
    pub link_bits: u32,
    /// Whether routers are chips of their own on the board.
    pub routers_on_board: bool,
    /// Whether flash chips hold a controller that speaks packets.
    pub on_die_controllers: bool,
}

impl Interconnect {
    /// Channels of the conventional drive, which take no area beyond it.
    pub const CHANNELS: Interconnect =
        Interconnect { links: 0, link_bits: 0, routers_on_board: false, on_die_controllers: false };

    /// Channels whose chips speak packets.
    pub const PACKET_CHANNELS: Interconnect = Interconnect { on_die_controllers: true, ..Interconnect::CHANNELS };
}

/// Pairs of neighbours in a mesh. Links to controllers and chips are not among them: a channel has as many connectors
/// (Venice §6.6).
pub fn neighbours(rows: u32, columns: u32) -> u32 {
    rows * columns.saturating_sub(1) + columns * rows.saturating_sub(1)
}
