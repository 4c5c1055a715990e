//! Generated requests.

use crate::config::workload::{Addresses, Synthetic};
use crate::flash::address::SECTOR;
use crate::host::request::Kind;
use crate::sim::random::Stream;
use crate::sim::time::Time;
use crate::workload::flow::Wanted;

/// The generator of one flow. Every choice has a random stream of its own, so that changing one key never shifts what
/// another key decides.
pub struct Generator {
    config: Synthetic,
    /// First and last sector that requests may start at.
    range: (u64, u64),
    hot_end: u64,
    mean_bytes: u64,
    unit_bytes: u64,
    deviation_sectors: f64,
    alignment: u64,
    types: Stream,
    addresses: Stream,
    hot: Stream,
    sizes: Stream,
    gaps: Stream,
    special: Stream,
    fua: Stream,
    spare_normal: Option<f64>,
    next_sequential: u64,
    generated: u64,
}

impl Generator {
    /// A generator of the validated flow `name` over sectors `first..=last`.
    pub fn new(config: &Synthetic, name: &str, seed: u64, first: u64, last: u64) -> Generator {
        let mut next_mqsim = config.mqsim_seed.unwrap_or(0);
        // MQSim numbers its streams from the flow's seed, in this order, skipping those a flow does not use.
        let mut stream = |choice: &str, used: bool| match config.mqsim_seed {
            None => Stream::named(seed, &format!("workload/{name}/{choice}")),
            Some(_) => {
                let stream = Stream::mqsim(next_mqsim);
                next_mqsim += u32::from(used);
                stream
            }
        };
        let hot_cold = config.addresses == Addresses::HotCold;
        let types = stream("type", true);
        let mut addresses = stream("address", true);
        let hot_address = stream("hot-address", hot_cold);
        let hot = stream("hot", hot_cold);
        let sizes = stream("size", config.size_deviation.0 > 0);
        let gaps = stream("gap", config.inter_arrival.is_some());
        let used_last = first + ((last - first) as f64 * config.working_set) as u64;
        let alignment = (config.alignment.0 / SECTOR).max(1);
        let next_sequential = if config.addresses == Addresses::Sequential {
            let start = addresses.integer(first, used_last);
            start - start % alignment
        } else {
            0
        };
        Generator {
            range: (first, used_last),
            hot_end: first + ((used_last - first) as f64 * config.hot_share.unwrap_or(0.0)) as u64,
            mean_bytes: config.size.0,
            unit_bytes: config.size_unit.0,
            deviation_sectors: config.size_deviation.0 as f64 / SECTOR as f64,
            alignment,
            types,
            addresses: if hot_cold { hot_address } else { addresses },
            hot,
            sizes,
            gaps,
            special: Stream::named(seed, &format!("workload/{name}/special")),
            fua: Stream::named(seed, &format!("workload/{name}/fua")),
            spare_normal: None,
            next_sequential,
            generated: 0,
            config: config.clone(),
        }
    }

    /// The next request, if there is one at `now`.
    pub fn next(&mut self, now: Time) -> Option<Wanted> {
        if self.generated >= self.config.requests || self.config.stop.is_some_and(|stop| now > stop.time()) {
            return None;
        }
        self.generated += 1;
        // Uniform numbers of MQSim's generator are above 0, so that a read share of 0 never reads in either.
        let u = self.types.uniform();
        let read =
            if self.config.mqsim_seed.is_some() { u <= self.config.read_share } else { u < self.config.read_share };
        let sectors = self.size();
        let lba = self.address(sectors);
        let kind = self.special().unwrap_or(if read { Kind::Read } else { Kind::Write });
        let fua = kind == Kind::Write && self.config.fua_share > 0.0 && self.fua.uniform() < self.config.fua_share;
        Some(Wanted { kind, fua, lba, sectors: if kind == Kind::Flush { 0 } else { sectors as u32 } })
    }

    /// A request that neither reads nor writes, if it is the turn of one.
    fn special(&mut self) -> Option<Kind> {
        let (trims, flushes) = (self.config.trim_share, self.config.flush_share);
        if trims + flushes == 0.0 {
            return None;
        }
        let u = self.special.uniform();
        if u < trims { Some(Kind::Trim) } else { (u < trims + flushes).then_some(Kind::Flush) }
    }

    /// Time to the next arrival of an open loop.
    pub fn gap(&mut self) -> Option<Time> {
        let mean = self.config.inter_arrival?;
        if self.config.mqsim_seed.is_some() {
            // MQSim's clock counts whole nanoseconds.
            return Some(Time::from_ns(self.gaps.exponential((mean.0 / 1000) as f64) as u64));
        }
        Some(Time(self.gaps.exponential(mean.0 as f64) as u64))
    }

    fn size(&mut self) -> u64 {
        if self.deviation_sectors > 0.0 {
            let sectors = self.sizes.normal(
                self.mean_bytes as f64 / SECTOR as f64,
                self.deviation_sectors,
                &mut self.spare_normal,
            );
            // The tail of the distribution must still fit the working set.
            return (sectors.ceil() as u64).clamp(1, self.range.1 - self.range.0);
        }
        let (whole, rest) = (self.mean_bytes / self.unit_bytes, self.mean_bytes % self.unit_bytes);
        let units = if rest == 0 {
            whole
        } else {
            // A mixture of the two neighbouring multiples has the wanted mean.
            let up = self.sizes.uniform() < rest as f64 / self.unit_bytes as f64;
            whole + u64::from(up)
        };
        units.max(1) * self.unit_bytes / SECTOR
    }

    fn address(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let lba = match self.config.addresses {
            Addresses::Uniform => {
                let lba = self.addresses.integer(first, last);
                if lba + sectors > last { first } else { lba }
            }
            Addresses::HotCold => {
                let cold = self.hot.uniform() < self.config.hot_share.unwrap_or(0.0);
                let (from, to) = if cold { (self.hot_end + 1, last) } else { (first, self.hot_end) };
                let lba = self.addresses.integer(from.min(to), to);
                if lba + sectors > last { first } else { lba }
            }
            Addresses::Sequential => {
                let lba = if self.next_sequential + sectors > last { first } else { self.next_sequential };
                self.next_sequential += sectors;
                if self.next_sequential > last {
                    self.next_sequential = first;
                }
                self.next_sequential = self.next_sequential.next_multiple_of(self.alignment);
                lba
            }
        };
        // The range itself may begin unaligned.
        (lba - lba % self.alignment).max(first)
    }
}
