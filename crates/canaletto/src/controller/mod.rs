//! A page read passes ECC engine, system bus and DRAM; a page written the other way round; a copy both. An operand that
//! another channel takes leaves the DRAM too, but is not encoded.

#![allow(missing_docs)]

use crate::config::design::Controller as ControllerConfig;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::measure::blame::Cause;

#[derive(Debug, Clone, Copy)]
struct Server {
    /// Bytes per second; 0 is no limit.
    rate: u64,
    /// Added after service; the next transfer may be served meanwhile.
    latency: Time,
    free_at: Time,
    busy: Time,
}

impl Server {
    fn new(rate: u64, latency: Time) -> Server {
        Server { rate, latency, free_at: Time::ZERO, busy: Time::ZERO }
    }

    fn is_idle_part(&self) -> bool {
        self.rate == 0 && self.latency == Time::ZERO
    }

    fn serve(&mut self, time: Time, now: Time) -> Time {
        self.free_at = self.free_at.max(now) + time;
        self.busy += time;
        self.free_at + self.latency
    }
}

const STAGES: [Cause; 3] = [Cause::Ecc, Cause::SystemBus, Cause::Dram];

const OF_OPERAND: [Cause; 5] = [Cause::Ecc, Cause::SystemBus, Cause::Dram, Cause::Dram, Cause::SystemBus];

/// Cached data start here: the cache's DRAM replaces the DRAM port.
pub const FROM_CACHE: u8 = 1;

#[derive(Clone, Copy)]
pub struct Passing {
    pub inbound: bool,
    /// To another channel.
    pub sent_on: bool,
    pub stage: u8,
    pub channel: u32,
    pub bytes: u64,
    pub outer: bool,
}

pub enum Work {
    Write,
    Append,
    Other,
}

pub struct Controller {
    per_request: Time,
    per_write: Time,
    per_append: Time,
    per_page: Time,
    write_latency: Time,
    takes_time: bool,
    processor: Server,
    system_bus: Server,
    dram: Server,
    ecc: Vec<Server>,
    /// Empty where pages cross while others are decoded.
    turns: Vec<Turn>,
    outer_latency: Time,
}

/// Of a channel whose ECC engine takes a page when it is done with the last one.
#[derive(Clone, Copy, Default)]
struct Turn {
    crosses: bool,
    decoded_at: Time,
}

impl Controller {
    pub fn new(config: &ControllerConfig, channels: u32) -> Controller {
        let system_bus = Server::new(config.system_bus.0, Time::ZERO);
        let dram = Server::new(config.dram.0, Time::ZERO);
        let ecc = Server::new(config.ecc_rate.0, config.ecc_latency.time());
        let outer_latency = config.ecc.outer.latency.time();
        let has_ecc = !ecc.is_idle_part() || outer_latency > Time::ZERO;
        let turns = if config.ecc_overlap || !has_ecc { 0 } else { channels as usize };
        Controller {
            per_request: config.firmware_per_request.time(),
            per_write: config.firmware_per_write.time(),
            per_append: config.firmware_per_append.time(),
            per_page: config.firmware_per_page.time(),
            write_latency: config.write_latency.time(),
            takes_time: has_ecc || [&system_bus, &dram].iter().any(|part| !part.is_idle_part()),
            processor: Server::new(0, Time::ZERO),
            system_bus,
            dram,
            ecc: vec![ecc; channels as usize],
            turns: vec![Turn::default(); turns],
            outer_latency,
        }
    }

    pub fn has_firmware(&self) -> bool {
        let of_requests = self.per_request + self.per_write + self.per_append + self.per_page;
        of_requests + self.write_latency > Time::ZERO
    }

    #[inline]
    pub fn takes_time(&self) -> bool {
        self.takes_time
    }

    pub fn has_ecc(&self) -> bool {
        !self.ecc[0].is_idle_part() || self.outer_latency > Time::ZERO
    }

    #[inline(always)]
    pub fn takes_turns(&self) -> bool {
        rarely(!self.turns.is_empty())
    }

    #[inline(always)]
    pub fn takes_page(&self, channel: u32, now: Time) -> bool {
        !self.takes_turns() || {
            let turn = &self.turns[channel as usize];
            !turn.crosses && turn.decoded_at <= now
        }
    }

    /// Returns since when the channel could have taken it.
    pub fn begins_page(&mut self, channel: u32) -> Time {
        let turn = &mut self.turns[channel as usize];
        turn.crosses = true;
        turn.decoded_at
    }

    pub fn has_page(&mut self, channel: u32) {
        self.turns[channel as usize].crosses = false;
    }

    /// `pages`: pages of the request.
    pub fn firmware(&mut self, work: Work, pages: u32, now: Time) -> Time {
        let (of_kind, latency) = match work {
            Work::Write => (self.per_write, self.write_latency),
            Work::Append => (self.per_write + self.per_append, self.write_latency),
            Work::Other => (Time::ZERO, Time::ZERO),
        };
        self.processor.serve(self.per_request + of_kind + self.per_page * u64::from(pages), now) + latency
    }

    /// The first stage at or after `stage` that takes time.
    #[inline]
    pub fn pass(&mut self, page: Passing, now: Time) -> Option<(u8, Cause, Time)> {
        let has_ecc = self.has_ecc();
        let stages = if page.sent_on { OF_OPERAND.len() } else { STAGES.len() };
        for stage in page.stage..stages as u8 {
            let cause = stage_cause(page.inbound, stage);
            let server = match cause {
                Cause::Ecc => &mut self.ecc[page.channel as usize],
                Cause::SystemBus => &mut self.system_bus,
                _ => &mut self.dram,
            };
            if !server.is_idle_part() || cause == Cause::Ecc && has_ecc {
                let time = server.serve(Time::of_transfer(page.bytes, server.rate), now);
                let longer = if page.outer && cause == Cause::Ecc { self.outer_latency } else { Time::ZERO };
                if page.inbound && cause == Cause::Ecc && !self.turns.is_empty() {
                    let turn = &mut self.turns[page.channel as usize];
                    turn.decoded_at = turn.decoded_at.max(time + longer);
                }
                return Some((stage, cause, time + longer));
            }
        }
        None
    }

    pub fn usage(&self) -> [(&'static str, Time); 4] {
        let ecc = self.ecc.iter().map(|e| e.busy).max().unwrap_or(Time::ZERO);
        [
            ("processor", self.processor.busy),
            ("system bus", self.system_bus.busy),
            ("DRAM port", self.dram.busy),
            ("ECC", ecc),
        ]
    }
}

/// Inbound: from the chips.
pub fn stage_cause(inbound: bool, stage: u8) -> Cause {
    if inbound { OF_OPERAND[stage as usize] } else { STAGES[STAGES.len() - 1 - stage as usize] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::medium::{Ecc, OuterCode};
    use crate::config::units::{Duration, Rate};

    #[test]
    fn serves_one_page_at_a_time() {
        let config = ControllerConfig {
            dram: Rate(4_096_000_000),
            ecc_latency: Duration::from_ns(500),
            ecc: Ecc {
                outer: OuterCode { latency: Duration::from_ns(300), ..Default::default() },
                ..Default::default()
            },
            firmware_per_request: Duration::from_ns(200),
            firmware_per_write: Duration::from_ns(50),
            firmware_per_append: Duration::from_ns(7),
            firmware_per_page: Duration::from_ns(10),
            write_latency: Duration::from_ns(1000),
            ..Default::default()
        };
        let mut controller = Controller::new(&config, 1);
        let mut pass = |stage, outer, now| {
            controller.pass(
                Passing { inbound: true, sent_on: false, stage, channel: 0, bytes: 4096, outer },
                Time::from_ns(now),
            )
        };
        assert_eq!(pass(0, false, 0), Some((0, Cause::Ecc, Time::from_ns(500))));
        assert_eq!(pass(0, false, 0), Some((0, Cause::Ecc, Time::from_ns(500))));
        assert_eq!(pass(0, true, 0), Some((0, Cause::Ecc, Time::from_ns(800))));
        assert_eq!(pass(1, false, 500), Some((2, Cause::Dram, Time::from_ns(1500))));
        assert_eq!(pass(1, true, 500), Some((2, Cause::Dram, Time::from_ns(2500))));
        assert_eq!(pass(3, false, 0), None);
        assert_eq!(controller.firmware(Work::Other, 1, Time::ZERO), Time::from_ns(210));
        // Writes spend their latency side by side.
        assert_eq!(controller.firmware(Work::Write, 1, Time::from_ns(100)), Time::from_ns(1470));
        assert_eq!(controller.firmware(Work::Write, 4, Time::from_ns(100)), Time::from_ns(1760));
        assert_eq!(controller.firmware(Work::Append, 1, Time::from_ns(100)), Time::from_ns(2027));
    }
}
