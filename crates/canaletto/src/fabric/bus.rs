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
use crate::fabric::buses::{Buses, Kind, SharedBuses};
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing;
use crate::fabric::lines::Line;
use crate::fabric::signals::Signals;
use crate::fabric::wires::WireKind;
use crate::flash::address::Layout;

pub const FACTS: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: None,
    interconnect: |_, _, _| Interconnect::CHANNELS,
    failing: failing::ROWS,
    lines: |_, rows, columns| Line::rows("channel", rows, columns, |_| 1),
};

pub enum Channels {}

impl Kind for Channels {
    type Times = Signals;

    fn new(config: &FabricConfig, layout: &Layout) -> (Buses, Signals) {
        (Buses::new(layout, WireKind::Channel), Signals::new(config, layout))
    }

    fn rate(times: &Signals) -> f64 {
        times.rate()
    }
}

pub type Bus = SharedBuses<Channels>;
