//! The wires and controllers of an interconnect: where they are and how much they were used.
//!
//! Places are (row, column) of the chip array; controllers sit at column −1 (west of it) or one beyond the last (east).

pub use crate::config::own::values::Place;
use crate::engine::time::Time;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireKind {
    /// A row bus of eight data pins, from its controller to the last chip of the row.
    Channel,
    /// A row bus of sixteen.
    WideChannel,
    /// The pins of a row bus that carry commands and addresses alone.
    CommandChannel,
    /// A column bus of eight.
    Column,
    /// A controller's own line to one chip.
    Path,
    /// Between two neighbouring routers.
    Link,
    /// The same, with two data pins.
    NarrowLink,
    ControllerLink,
    /// The same, with two data pins.
    NarrowControllerLink,
    /// From a controller to several switches, sixteen data pins.
    Trunk,
    /// From a switch to some of its chips, sixteen.
    InnerBus,
    /// Pins over which a switch is granted its circuits.
    GrantLine,
    /// The same for the routers of a row, which share them.
    GrantBus,
    /// A row bus of eight data pins to buffers, with the wires behind them.
    BufferedChannel,
    /// A row bus of sixteen.
    BufferedWideChannel,
}

impl WireKind {
    pub const ALL: [WireKind; 15] = [
        WireKind::Channel,
        WireKind::WideChannel,
        WireKind::CommandChannel,
        WireKind::Column,
        WireKind::Path,
        WireKind::Link,
        WireKind::NarrowLink,
        WireKind::ControllerLink,
        WireKind::NarrowControllerLink,
        WireKind::Trunk,
        WireKind::InnerBus,
        WireKind::GrantLine,
        WireKind::GrantBus,
        WireKind::BufferedChannel,
        WireKind::BufferedWideChannel,
    ];

    /// Its name in results: narrow and wide ones are called like the others.
    pub fn name(self) -> &'static str {
        match self {
            WireKind::Channel | WireKind::WideChannel | WireKind::BufferedChannel | WireKind::BufferedWideChannel => {
                "channel"
            }
            WireKind::CommandChannel => "command_channel",
            WireKind::Column => "column",
            WireKind::Path => "path",
            WireKind::Link | WireKind::NarrowLink => "link",
            WireKind::ControllerLink | WireKind::NarrowControllerLink => "controller_link",
            WireKind::Trunk => "trunk",
            WireKind::InnerBus => "inner_bus",
            WireKind::GrantLine | WireKind::GrantBus => "grant_line",
        }
    }
}

/// A wire (or bundle of wires used as one) and its use over a run.
#[derive(Debug, Clone)]
pub struct Wire {
    /// Its name, for example `channel 3`.
    pub name: String,
    pub kind: WireKind,
    pub from: Place,
    pub to: Place,
    /// Time in use, reservations included.
    pub busy: Time,
    /// Time it carried commands or data.
    pub active: Time,
}

/// A flash controller and its use over a run.
#[derive(Debug, Clone)]
pub struct ControllerUse {
    pub name: String,
    pub place: Place,
    pub busy: Time,
}

/// Pairs of neighbours in a mesh. Links to controllers and chips are not among them: a channel has as many connectors
/// (Venice §6.6).
pub fn neighbours(rows: u32, columns: u32) -> u32 {
    rows * columns.saturating_sub(1) + columns * rows.saturating_sub(1)
}
