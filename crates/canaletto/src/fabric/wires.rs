//! Places of wires and controllers, and their use.
//!
//! Places are (row, column); controllers sit at column −1 (west) or one beyond the last (east).

pub use crate::config::own::values::Place;
use crate::engine::time::Time;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireKind {
    /// From its controller to the last chip of the row, eight data pins.
    Channel,
    /// Sixteen data pins.
    WideChannel,
    CommandChannel,
    /// Eight data pins.
    Column,
    /// From a controller to one chip.
    Path,
    /// Between two neighbouring routers.
    Link,
    NarrowLink,
    ControllerLink,
    NarrowControllerLink,
    Trunk,
    /// From a switch to some of its chips, sixteen.
    InnerBus,
    GrantLine,
    GrantBus,
    BufferedChannel,
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

    /// Narrow and wide wires have one name.
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

#[derive(Debug, Clone)]
pub struct Wire {
    /// For example `channel 3`.
    pub name: String,
    pub kind: WireKind,
    pub from: Place,
    pub to: Place,
    /// Reservations included.
    pub busy: Time,
    pub active: Time,
}

#[derive(Debug, Clone)]
pub struct ControllerUse {
    pub name: String,
    pub place: Place,
    pub busy: Time,
}

/// Without links to controllers and chips: a channel has as many connectors (Venice §6.6).
pub fn neighbours(rows: u32, columns: u32) -> u32 {
    rows * columns.saturating_sub(1) + columns * rows.saturating_sub(1)
}
