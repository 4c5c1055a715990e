use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::wire_times::WireTimes;
use crate::flash::address::Layout;
use crate::flash::interface::{CommandTable, Operation};

pub struct Signals {
    commands: CommandTable,
    rate: u64,
    burst: Option<(u64, Time)>,
    page: (u64, Time),
}

impl Signals {
    pub fn new(config: &FabricConfig, layout: &Layout) -> Signals {
        let rate = config.link_rate.0;
        let burst_bytes = u64::from(config.burst_bytes);
        let mut signals = Signals {
            commands: CommandTable::new(config, layout.planes_per_die),
            rate,
            burst: (burst_bytes > 0).then(|| (burst_bytes, config.burst_time())),
            page: (0, Time::ZERO),
        };
        let page = layout.flash_page_bytes();
        signals.page = (page, signals.cycles(page));
        signals
    }

    fn cycles(&self, bytes: u64) -> Time {
        match self.burst {
            Some((burst, time)) => time * (bytes / burst),
            None => Time::of_transfer(bytes, self.rate),
        }
    }

    pub fn rate(&self) -> f64 {
        self.rate as f64
    }
}

impl WireTimes for Signals {
    #[inline]
    fn command(&self, operation: Operation, planes: usize) -> Time {
        self.commands.get(operation, planes).wires
    }

    #[inline]
    fn data(&self, _: Operation, bytes: u64) -> Time {
        if bytes == self.page.0 { self.page.1 } else { self.cycles(bytes) }
    }

    fn copyback(&self, planes: usize) -> Time {
        self.commands.copyback(planes).wires
    }

    fn column(&self) -> Time {
        self.commands.page()
    }

    fn status(&self) -> (Direction, Time) {
        (Direction::ToChip, self.commands.status())
    }

    fn suspend(&self, resume: bool) -> Time {
        if resume { self.commands.resume() } else { self.commands.suspend() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::tests::{config, layout};

    /// MQSim at width 6, 200 MT/s: bursts of 12 B in 10 ns, a remainder costs nothing (reference notes, §6).
    #[test]
    fn bursts_drop_the_remainder() {
        let signals = |rate, burst| Signals::new(&config(rate, burst), &layout());
        assert_eq!(signals(1_200_000_000, 12).data(Operation::Read, 4096), Time::from_ns(3410));
        assert_eq!(signals(1_200_000_000, 0).data(Operation::Read, 4096), Time(3_413_334));
        // Truncated to 6 ns for two beats: no whole number of bytes per second.
        assert_eq!(signals(2_666_666_667, 16).data(Operation::Read, 4096), Time::from_ns(256 * 6));
    }
}
