//! The conventional drive: one shared bus for each channel.
//!
//! ```text
//! controller 0 ──┬──────┬──────┬──        one leg at a time a channel: command and address cycles (and the data of
//!              chip 0 chip 1 chip 2       writes), or the data of a read; free while the arrays work
//! controller 1 ──┬──────┬──────┬──
//!              chip 0 chip 1 chip 2
//! ```
//! Networked SSD (MICRO 2022) §II, "baseSSD"; Venice (ISCA 2023) §2.

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::{DomainId, Fabric, Grant, Leg, PathId, Usage};
use crate::flash::address::{ChipId, Layout};
use crate::sim::time::Time;

/// Shared buses, one a channel.
pub struct Bus {
    chips_per_channel: u32,
    rate: u64,
    /// Bytes and time of a burst, if data cross in whole bursts only.
    burst: Option<(u64, Time)>,
    channels: Vec<Channel>,
}

#[derive(Clone, Copy)]
struct Channel {
    in_use: bool,
    busy: Time,
}

impl Fabric for Bus {
    fn new(config: &FabricConfig, layout: &Layout) -> Bus {
        let rate = config.link_rate.0;
        let burst_bytes = u64::from(config.burst_bytes);
        // Nearest picosecond: bursts stand for clock periods, whose rate may be a rounded number.
        let burst_ps = (u128::from(burst_bytes) * 1_000_000_000_000 + u128::from(rate) / 2) / u128::from(rate);
        Bus {
            chips_per_channel: layout.chips_per_channel,
            rate,
            burst: (burst_bytes > 0).then_some((burst_bytes, Time(burst_ps as u64))),
            channels: vec![Channel { in_use: false, busy: Time::ZERO }; layout.channels as usize],
        }
    }

    fn domains(&self) -> u32 {
        self.channels.len() as u32
    }

    fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId(chip.0 / self.chips_per_channel)
    }

    fn chips_of(&self, domain: DomainId) -> Range<u32> {
        domain.0 * self.chips_per_channel..(domain.0 + 1) * self.chips_per_channel
    }

    fn may_start(&self, domain: DomainId) -> bool {
        !self.channels[domain.index()].in_use
    }

    fn is_free(&self, chip: ChipId) -> bool {
        self.may_start(self.domain_of(chip))
    }

    fn start(&mut self, leg: Leg, now: Time) -> Grant {
        let domain = self.domain_of(leg.chip);
        let channel = &mut self.channels[domain.index()];
        assert!(!channel.in_use, "channel {} carries two legs at once", domain.0);
        channel.in_use = true;
        channel.busy += leg.command + leg.data;
        Grant { path: PathId(domain.0), ends: now + leg.command + leg.data }
    }

    fn end(&mut self, path: PathId) -> DomainId {
        self.channels[path.index()].in_use = false;
        DomainId(path.0)
    }

    fn data_time(&self, bytes: u64) -> Time {
        match self.burst {
            Some((burst, time)) => time * (bytes / burst),
            None => Time::of_transfer(bytes, self.rate),
        }
    }

    fn peak_rate(&self) -> f64 {
        self.rate as f64 * self.channels.len() as f64
    }

    fn usage(&self) -> Vec<Usage> {
        self.channels.iter().enumerate().map(|(i, c)| Usage { part: format!("channel {i}"), busy: c.busy }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{FabricKind, Geometry, Interface, TransferOrder, Turnarounds};
    use crate::config::units::{Rate, Size};

    fn bus(rate: u64, burst_bytes: u32) -> Bus {
        let geometry = Geometry {
            channels: 2,
            chips_per_channel: 4,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page: Size(4096),
        };
        let config = FabricConfig {
            kind: FabricKind::Bus,
            link_rate: Rate(rate),
            burst_bytes,
            interface: Interface::NvDdr2,
            turnarounds: Turnarounds::InChip,
            order: TransferOrder::DataFirst,
        };
        Bus::new(&config, &Layout::new(&geometry, true))
    }

    /// A channel is refused until its leg ends and granted from then on; the other channel does not care.
    #[test]
    fn one_leg_at_a_time_for_each_channel() {
        let mut bus = bus(1_000_000_000, 0);
        let leg = Leg { chip: ChipId(1), command: Time::from_ns(10), data: bus.data_time(4096) };
        let grant = bus.start(leg, Time::ZERO);
        assert_eq!(grant.ends, Time::from_ns(4106));
        assert!(!bus.is_free(ChipId(0)) && !bus.is_free(ChipId(3)));
        assert!(bus.is_free(ChipId(4)));
        assert_eq!(bus.end(grant.path), DomainId(0));
        assert!(bus.is_free(ChipId(0)));
    }

    /// MQSim at width 6, 200 MT/s: bursts of 12 B in 10 ns, a remainder costs nothing (reference notes, §6).
    #[test]
    fn bursts_drop_the_remainder() {
        assert_eq!(bus(1_200_000_000, 12).data_time(4096), Time::from_ns(3410));
        assert_eq!(bus(1_200_000_000, 0).data_time(4096), Time(3_413_334));
        // Width 8, 333 MT/s, truncated to 6 ns for two beats: a rate that is no whole number of bytes a second.
        assert_eq!(bus(2_666_666_667, 16).data_time(4096), Time::from_ns(256 * 6));
    }
}
