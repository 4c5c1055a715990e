//! The conventional drive: one shared bus for each channel.
//!
//! ```text
//! controller 0 ──┬──────┬──────┬──        one transfer at a time a channel: command and address cycles (and the data of
//!              chip 0 chip 1 chip 2       writes), or the data of a read; free while the arrays work
//! controller 1 ──┬──────┬──────┬──
//!              chip 0 chip 1 chip 2
//! ```
//! Networked SSD (MICRO 2022) §II, "baseSSD"; Venice (ISCA 2023) §2.

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::Fabric;
use crate::fabric::buses::{Buses, TransferEnd, on_buses};
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing;
use crate::fabric::lines::Line;
use crate::fabric::signals::{Signals, on_signals};
use crate::fabric::wires::WireKind;
use crate::flash::address::Layout;

/// Facts of the conventional drive.
pub const FACTS: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: None,
    interconnect: |_, _, _| Interconnect::CHANNELS,
    failing: failing::ROWS,
    // A row's bus is its only way.
    lines: |_, rows, columns| Line::rows("channel", rows, columns, |_| 1),
};

/// Shared buses, one a channel.
pub struct Bus {
    buses: Buses,
    signals: Signals,
}

impl ChipToChip<TransferEnd> for Bus {}

impl Fabric for Bus {
    fn new(config: &FabricConfig, layout: &Layout) -> Bus {
        Bus { buses: Buses::new(layout, WireKind::Channel), signals: Signals::new(config, layout) }
    }

    on_signals!();
    on_buses!();
}
