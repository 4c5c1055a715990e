use crate::config::workload::{Addresses, SizeShare, Synthetic};
use crate::engine::random::Stream;
use crate::engine::time::Time;
use crate::flash::address::SECTOR;
use crate::host::request::Kind;
use crate::limits::FlowRange;
use crate::workload::arrivals::Arrivals;
use crate::workload::places::{HotSpot, Part, Recent, Runs, Skew};
use crate::workload::popularity::{Law, Scatter};
use crate::workload::wanted::Wanted;

/// Every choice has its own random stream: a change of one key never shifts another's draws.
pub struct Generator {
    config: Synthetic,
    range: (u64, u64),
    hot_end: u64,
    mean_bytes: u64,
    unit_bytes: u64,
    /// Units of places and sizes, in bytes: of all below that are named sectors.
    grain: u64,
    deviation_sectors: f64,
    only_size: Option<u64>,
    /// Of reads and of others.
    mixes: [Option<Mix>; 2],
    alignment: u64,
    /// Nothing moves requests elsewhere.
    only_uniform: bool,
    popularity: Option<(Law, Scatter)>,
    runs: Option<Runs>,
    recent: Option<Recent>,
    skew: Option<Skew>,
    hot_spot: Option<HotSpot>,
    arrivals: Option<Arrivals>,
    types: Stream,
    addresses: Stream,
    hot: Stream,
    sizes: Stream,
    special: Stream,
    fua: Stream,
    zeroes: Stream,
    spare_normal: Option<f64>,
    next_sequential: u64,
    generated: u64,
}

impl Generator {
    /// `streams` names its random streams, by the flow's position.
    pub fn of(config: &Synthetic, streams: &str, seed: u64, range: &FlowRange) -> Generator {
        let last = range.first_sector + range.sectors - 1;
        let mut generator = Generator::new(config, streams, seed, range.first_sector, last);
        if let (Some(spot), Some(pages)) = (&config.hot_spot, &range.hot) {
            let random = Stream::named(seed, &format!("workload/{streams}/hot-spot"));
            generator.hot_spot = Some(HotSpot::new(spot.share, pages.clone(), generator.range, random));
            generator.only_uniform = false;
        }
        generator
    }

    pub fn new(config: &Synthetic, streams: &str, seed: u64, first: u64, last: u64) -> Generator {
        let mut next_mqsim = config.mqsim_seed.unwrap_or(0);
        // From the flow's seed, in this order, without those that a flow does not use.
        let mut stream = |choice: &str, used: bool| match config.mqsim_seed {
            None => Stream::named(seed, &format!("workload/{streams}/{choice}")),
            Some(_) => {
                let stream = Stream::mqsim(next_mqsim);
                next_mqsim = next_mqsim.wrapping_add(u32::from(used));
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
        let (grain, unit) = (config.grain(), config.unit_bytes());
        let (first, used_last) = in_grains(config.used_range(first, last), grain);
        let alignment = config.alignment().0 / grain;
        let size = config.size.map(|size| size.0);
        let next_sequential = if config.addresses == Addresses::Sequential {
            let start = addresses.integer(first, used_last);
            start - start % alignment
        } else {
            0
        };
        let own = |choice: &str| Stream::named(seed, &format!("workload/{streams}/{choice}"));
        let places = ((used_last - first + 1) / alignment).max(1);
        let scatter = |law| (law, Scatter::new(places, config.popular_regions));
        let mixes = [true, false].map(|reads| config.mix(reads).map(|mix| Mix::new(mix, grain)));
        let draws_size = mixes.iter().any(Option::is_some)
            || config.size_deviation.0 > 0
            || size.is_none_or(|size| size % unit != 0);
        let units = size.map_or(0, |size| size / unit).max(1);
        let (runs, recent) = (Runs::new(config, own("run")), Recent::new(config, own("recent")));
        let skew = config.channel_skew.as_ref().map(|skew| Skew::new(skew, own("channel-skew")));
        let only_uniform =
            config.addresses == Addresses::Uniform && runs.is_none() && recent.is_none() && skew.is_none();
        Generator {
            range: (first, used_last),
            hot_end: first + ((used_last - first) as f64 * config.hot_share.unwrap_or(0.0)) as u64,
            mean_bytes: size.unwrap_or(0),
            unit_bytes: unit,
            grain,
            deviation_sectors: config.size_deviation.0 as f64 / grain as f64,
            only_size: (!draws_size).then_some(units * unit / grain),
            mixes,
            alignment,
            only_uniform,
            popularity: Law::of(config, places).map(scatter),
            runs,
            recent,
            skew,
            hot_spot: None,
            arrivals: Arrivals::new(config, gaps, own("pause")),
            types,
            addresses: if hot_cold { hot_address } else { addresses },
            hot,
            sizes,
            special: Stream::named(seed, &format!("workload/{streams}/special")),
            fua: Stream::named(seed, &format!("workload/{streams}/fua")),
            zeroes: Stream::named(seed, &format!("workload/{streams}/zeroes")),
            spare_normal: None,
            next_sequential,
            generated: 0,
            config: config.clone(),
        }
    }

    #[inline]
    pub fn goes_on(&self, now: Time) -> bool {
        self.generated < self.config.requests && self.config.stop.is_none_or(|stop| now <= stop.time())
    }

    pub fn next(&mut self, now: Time) -> Option<Wanted> {
        if !self.goes_on(now) {
            return None;
        }
        self.generated += 1;
        let read = self.reads();
        let sectors = self.only_size.unwrap_or_else(|| self.size(read));
        let lba = if self.only_uniform { self.drawn(sectors) } else { self.address(read, sectors) };
        let kind = self.special().unwrap_or(if read { Kind::Read } else { Kind::Write });
        if kind == Kind::Read {
            let whole = self.grain == SECTOR;
            let parts = || Wanted::read_bytes(lba * self.grain, sectors * self.grain);
            return Some(if whole { Wanted::read(lba, sectors as u32) } else { parts() });
        }
        let fua = kind == Kind::Write && self.config.fua_share > 0.0 && self.fua.uniform() < self.config.fua_share;
        let zeroes = kind == Kind::Write
            && self.config.write_zeroes_share > 0.0
            && self.zeroes.uniform() < self.config.write_zeroes_share;
        let sectors = if kind == Kind::Flush { 0 } else { sectors as u32 };
        Some(Wanted { kind, fua, zeroes, ..Wanted::read(lba, sectors) })
    }

    #[inline(always)]
    fn reads(&mut self) -> bool {
        let share = self.config.read_share;
        // Uniform numbers are below 1, MQSim's above 0: nobody else draws from this stream.
        if share <= 0.0 || share >= 1.0 {
            return share > 0.0;
        }
        let u = self.types.uniform();
        if self.is_mqsims() { u <= share } else { u < share }
    }

    fn special(&mut self) -> Option<Kind> {
        let (trims, flushes) = (self.config.trim_share, self.config.flush_share);
        if trims + flushes == 0.0 {
            return None;
        }
        let u = self.special.uniform();
        if u < trims { Some(Kind::Trim) } else { (u < trims + flushes).then_some(Kind::Flush) }
    }

    pub fn gap(&mut self) -> Option<Time> {
        self.arrivals.as_mut().map(Arrivals::gap)
    }

    fn size(&mut self, read: bool) -> u64 {
        if let Some(mix) = &self.mixes[usize::from(!read)] {
            // The working set may hold no more.
            return mix.draw(&mut self.sizes).min(self.range.1 - self.range.0);
        }
        if self.deviation_sectors > 0.0 {
            let sectors = self.sizes.normal(
                self.mean_bytes as f64 / SECTOR as f64,
                self.deviation_sectors,
                &mut self.spare_normal,
            );
            // The tail must fit the working set.
            let whole = if self.is_mqsims() { sectors.ceil() } else { sectors.round() };
            return (whole as u64).clamp(1, self.range.1 - self.range.0);
        }
        let (whole, rest) = (self.mean_bytes / self.unit_bytes, self.mean_bytes % self.unit_bytes);
        let units = if rest == 0 {
            whole
        } else {
            // A mixture of two neighbouring multiples has the wanted mean.
            let up = self.sizes.uniform() < rest as f64 / self.unit_bytes as f64;
            whole + u64::from(up)
        };
        units.max(1) * self.unit_bytes / self.grain
    }

    fn address(&mut self, read: bool, sectors: u64) -> u64 {
        let kind = usize::from(!read);
        let part = self.runs.as_mut().map_or(Part::Single, |runs| runs.next(kind));
        let last = self.range.1;
        let lba = match part {
            Part::Following(lba) if lba + sectors <= last + 1 => lba,
            _ => self.elsewhere(sectors),
        };
        if part != Part::Single {
            self.runs.as_mut().expect("the request belongs to one").ended(kind, lba + sectors);
        }
        lba
    }

    fn elsewhere(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let again = self.recent.as_mut().and_then(Recent::again);
        let lba = match again {
            Some(lba) if lba + sectors <= last + 1 => lba,
            _ => {
                let lba = self.drawn(sectors);
                let lba = self.skew.as_mut().map_or(lba, |skew| first + skew.place(lba - first));
                self.hot_spot.as_mut().map_or(lba, |spot| spot.place(lba, sectors))
            }
        };
        if let Some(recent) = &mut self.recent {
            recent.began(lba);
        }
        lba
    }

    #[inline(always)]
    fn drawn(&mut self, sectors: u64) -> u64 {
        let lba = if self.is_mqsims() { self.drawn_as_mqsim(sectors) } else { self.drawn_within(sectors) };
        self.aligned(lba).max(self.range.0)
    }

    /// Rounded down to the alignment, a request begins there.
    #[inline(always)]
    fn drawn_within(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let end = (self.aligned((last + 1).saturating_sub(sectors)) + self.alignment - 1).max(first);
        match self.config.addresses {
            Addresses::Uniform => self.addresses.integer(first, end),
            Addresses::HotCold => self.hot_or_cold(end),
            Addresses::Zipf | Addresses::Pareto => {
                let (law, scatter) = self.popularity.as_ref().expect("a flow with such addresses has a law");
                let lba = first + scatter.place(law.draw(&mut self.addresses)) * self.alignment;
                // The last places are too near the end for a large request: the first stand in.
                if lba > end { first + (lba - first) % (end + 1 - first) } else { lba }
            }
            Addresses::Sequential => {
                let lba = if self.next_sequential + sectors > last + 1 { first } else { self.next_sequential };
                self.next_sequential = (lba + sectors).next_multiple_of(self.alignment);
                lba
            }
        }
    }

    /// Never the last place; a request that would run over the end goes to the beginning.
    #[inline(always)]
    fn drawn_as_mqsim(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        match self.config.addresses {
            // Such requests may run over the end.
            Addresses::HotCold => self.hot_or_cold(last),
            Addresses::Sequential => {
                let lba = if self.next_sequential + sectors > last { first } else { self.next_sequential };
                self.next_sequential += sectors;
                if self.next_sequential > last {
                    self.next_sequential = first;
                }
                self.next_sequential = self.next_sequential.next_multiple_of(self.alignment);
                lba
            }
            // `synthetic_check` refuses Zipf and Pareto here.
            _ => {
                let lba = self.addresses.integer(first, last);
                if lba + sectors > last { first } else { lba }
            }
        }
    }

    fn hot_or_cold(&mut self, end: u64) -> u64 {
        let cold = self.hot.uniform() < self.config.hot_share.unwrap_or(0.0);
        let (from, to) = if cold { (self.hot_end + 1, end) } else { (self.range.0, self.hot_end.min(end)) };
        self.addresses.integer(from.min(to), to)
    }

    fn is_mqsims(&self) -> bool {
        self.config.mqsim_seed.is_some()
    }

    fn aligned(&self, lba: u64) -> u64 {
        // Powers of two need no division.
        if self.alignment.is_power_of_two() { lba & !(self.alignment - 1) } else { lba - lba % self.alignment }
    }
}

/// Limits ensure that something is behind the working set's offset.
fn in_grains((first, last): (u64, u64), grain: u64) -> (u64, u64) {
    let per_sector = SECTOR / grain;
    (first * per_sector, (last + 1) * per_sector - 1)
}

struct Mix {
    sectors: Vec<u64>,
    until: Vec<f64>,
}

impl Mix {
    fn new(mix: &[SizeShare], grain: u64) -> Mix {
        let all: f64 = mix.iter().map(|each| each.share).sum();
        let mut sum = 0.0;
        let until = mix.iter().map(|each| {
            sum += each.share / all;
            sum
        });
        Mix { until: until.collect(), sectors: mix.iter().map(|each| each.size.0 / grain).collect() }
    }

    fn draw(&self, random: &mut Stream) -> u64 {
        let u = random.uniform();
        let at = self.until.partition_point(|until| *until <= u);
        // Sums of shares may end just below 1.
        self.sectors[at.min(self.sectors.len() - 1)]
    }
}

#[cfg(test)]
#[path = "synthetic/tests.rs"]
mod tests;
