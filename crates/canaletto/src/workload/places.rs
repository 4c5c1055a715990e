//! Sequential runs, recent places, a busy channel, a hot spot.

use crate::config::workload::{ChannelSkew, Synthetic};
use crate::engine::random::Stream;
use crate::flash::address::SECTOR;
use crate::limits::HotPages;

const RECENT: usize = 1024;

/// Mixed with single requests: one run at a time per kind of request.
pub struct Runs {
    random: Stream,
    /// Probabilities that a request belongs to a run, and that a run continues.
    belongs: f64,
    goes_on: f64,
    /// By kind, if the run continues.
    next: [Option<u64>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Single,
    First,
    Following(u64),
}

impl Runs {
    pub fn new(config: &Synthetic, random: Stream) -> Option<Runs> {
        let share = config.sequential_share;
        (share > 0.0).then(|| {
            let length = config.run_length.unwrap_or(1.0).max(1.0 / (1.0 - share));
            // All requests of a run but the first continue it.
            let goes_on = 1.0 - 1.0 / length;
            Runs { random, belongs: share / goes_on, goes_on, next: [None; 2] }
        })
    }

    pub fn next(&mut self, kind: usize) -> Part {
        if self.random.uniform() >= self.belongs {
            return Part::Single;
        }
        self.next[kind].take().map_or(Part::First, Part::Following)
    }

    /// Before sector `end`.
    pub fn ended(&mut self, kind: usize, end: u64) {
        if self.random.uniform() < self.goes_on {
            self.next[kind] = Some(end);
        }
    }
}

/// Of requests that did not continue a run.
pub struct Recent {
    random: Stream,
    share: f64,
    places: Vec<u64>,
    oldest: usize,
}

impl Recent {
    pub fn new(config: &Synthetic, random: Stream) -> Option<Recent> {
        (config.recent_share > 0.0).then(|| Recent {
            random,
            share: config.recent_share,
            places: Vec::new(),
            oldest: 0,
        })
    }

    /// If the next request returns to one.
    pub fn again(&mut self) -> Option<u64> {
        let wanted = self.random.uniform() < self.share && !self.places.is_empty();
        wanted.then(|| self.places[self.random.integer(0, self.places.len() as u64 - 1) as usize])
    }

    pub fn began(&mut self, lba: u64) {
        if self.places.len() < RECENT {
            self.places.push(lba);
        } else {
            self.places[self.oldest] = lba;
            self.oldest = (self.oldest + 1) % RECENT;
        }
    }
}

/// The first channel of each round.
pub struct Skew {
    random: Stream,
    /// Of the others, one in that many channels begins there anyway.
    moved: f64,
    channels: u64,
    page_sectors: u64,
}

impl Skew {
    pub fn new(config: &ChannelSkew, random: Stream) -> Skew {
        let channels = f64::from(config.channels);
        let moved = (config.share * channels - 1.0) / (channels - 1.0);
        Skew { random, moved, channels: u64::from(config.channels), page_sectors: config.page.0 / SECTOR }
    }

    /// The page of the busiest channel in the same round, or `at`.
    pub fn place(&mut self, at: u64) -> u64 {
        if self.random.uniform() >= self.moved {
            return at;
        }
        at - at / self.page_sectors % self.channels * self.page_sectors
    }
}

pub struct HotSpot {
    random: Stream,
    /// Of the others some begin there anyway.
    moved: f64,
    pages: HotPages,
    /// Of the working set, which holds a round of pages and a request at least.
    range: (u64, u64),
}

impl HotSpot {
    pub fn new(share: f64, pages: HotPages, range: (u64, u64), random: Stream) -> HotSpot {
        let even = pages.even_share();
        let moved = if even < 1.0 { (share - even) / (1.0 - even) } else { 0.0 };
        HotSpot { random, moved, pages, range }
    }

    /// The same sector of a hot page of the round, or of a neighbouring round inside the working set.
    pub fn place(&mut self, at: u64, sectors: u64) -> u64 {
        if self.random.uniform() >= self.moved {
            return at;
        }
        let HotPages { turns, page_sectors, first_sector, .. } = &self.pages;
        let round = self.pages.round_sectors();
        let turn = u64::from(turns[self.random.integer(0, turns.len() as u64 - 1) as usize]);
        let within = (at - first_sector) % round;
        let place = at - within + turn * page_sectors + within % page_sectors;
        let (first, last) = self.range;
        match place {
            _ if place < first => place + round,
            _ if place + sectors > last + 1 && place >= first + round => place - round,
            _ if place + sectors > last + 1 => at,
            _ => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_the_share_and_length_that_are_asked_for() {
        for (share, run_length) in [(0.5, None), (0.3, Some(8.0)), (0.9, Some(40.0))] {
            let config = Synthetic { sequential_share: share, run_length, ..Synthetic::default() };
            let mut runs = Runs::new(&config, Stream::named(1, "run")).unwrap();
            let (mut following, mut begun) = (0.0, 0.0);
            for i in 0..400_000 {
                match runs.next(i % 2) {
                    Part::Single => continue,
                    Part::First => begun += 1.0,
                    Part::Following(at) => {
                        assert_eq!(at % 2, i as u64 % 2, "runs of two kinds are two");
                        following += 1.0;
                    }
                }
                runs.ended(i % 2, i as u64);
            }
            let (found, length) = (following / 4e5, 1.0 + following / begun);
            let expected = run_length.unwrap_or(1.0 / (1.0 - share));
            assert!((found - share).abs() < 0.01, "{share}: {found}");
            assert!((length / expected - 1.0).abs() < 0.03, "{expected}: {length}");
        }
    }

    #[test]
    fn recent_places_are_the_last_ones() {
        let config = Synthetic { recent_share: 0.25, ..Synthetic::default() };
        let mut recent = Recent::new(&config, Stream::named(1, "recent")).unwrap();
        assert_eq!(recent.again(), None);
        let mut returns = 0;
        for i in 0..100_000u64 {
            if let Some(place) = recent.again() {
                assert!(place < i && i - place <= RECENT as u64);
                returns += 1;
            }
            recent.began(i);
        }
        assert!((24_000..26_000).contains(&returns), "{returns}");
    }

    #[test]
    fn a_hot_spot_has_its_share_and_stays_in_the_working_set() {
        let pages = HotPages { turns: vec![2, 3, 4, 9], round: 16, page_sectors: 8, first_sector: 1000 };
        let (first, last) = (1000 + 5 * 8, 1000 + 40 * 8 - 1);
        let mut spot = HotSpot::new(0.7, pages, (first, last), Stream::named(1, "spot"));
        let mut turns = [0u32; 16];
        let mut random = Stream::named(1, "at");
        for _ in 0..160_000 {
            let at = random.integer(first, last - 7) / 8 * 8;
            let place = spot.place(at, 8);
            assert!(first <= place && place + 8 <= last + 1 && place % 8 == at % 8, "{at} to {place}");
            turns[((place - 1000) / 8 % 16) as usize] += 1;
        }
        // Others begin there anyway, not quite evenly.
        let hot = [2, 3, 4, 9].map(|turn: usize| f64::from(turns[turn]) / 1.6e5);
        assert!((hot.iter().sum::<f64>() - 0.7).abs() < 0.02, "{turns:?}");
        assert!(hot.iter().all(|share| (share - 0.175).abs() < 0.02), "{turns:?}");
    }

    #[test]
    fn the_busiest_channel_has_its_share() {
        let config = ChannelSkew { share: 0.4, channels: 8, page: crate::config::units::Size(8192) };
        let mut skew = Skew::new(&config, Stream::named(1, "skew"));
        let mut starts = [0u32; 8];
        for at in 0..160_000u64 {
            let place = skew.place(at);
            assert_eq!((place % 16, place / 128), (at % 16, at / 128), "the same sector of a page of the same round");
            starts[(place / 16 % 8) as usize] += 1;
        }
        assert!((starts[0] as f64 / 1.6e5 - 0.4).abs() < 0.005, "{starts:?}");
        assert!(starts[1..].iter().all(|count| (f64::from(*count) / 1.6e5 - 0.6 / 7.0).abs() < 0.005), "{starts:?}");
    }
}
