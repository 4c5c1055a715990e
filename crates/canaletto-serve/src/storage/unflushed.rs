//! Writes that a loss of power may undo.
//!
//! Data survive once a flush that began after their write was complete is itself complete, or a write with force unit
//! access is (NVM Express Base Specification 2.0, §7.1 Flush; NVM Command Set §3.2.6 Write). Pages of other writes
//! survive or not, each by itself: this is drawn from what the promise allows rather than from what the simulated cache
//! holds. A page never goes back behind a version that has survived.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use canaletto::engine::random::Stream;
use serde::Serialize;

/// The smallest page that a drive programs at once.
const PAGE: u64 = 4096;

/// Of writes under way, for a drive without a volatile cache.
const MOST_UNDER_WAY: u64 = 1 << 30;

/// A write from its beginning to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket(u64);

impl Ticket {
    /// No write, or one that need not be noted.
    pub const NONE: Ticket = Ticket(0);
}

/// Data that a loss of power has undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// Writes that were not safe.
    pub unsafe_writes: u64,
    /// In pages of 4 KiB.
    pub unsafe_pages: u64,
    /// Pages that went back to what they held before.
    pub lost_pages: u64,
}

struct Noted {
    ticket: Ticket,
    offset: u64,
    before: Vec<u8>,
    /// Writes complete when this one was; none while it is not.
    completed: Option<u64>,
    safe: bool,
}

/// Writes that are not safe yet, and later ones.
pub struct Unflushed {
    /// In the order in which the data were written.
    noted: VecDeque<Noted>,
    /// How many have been forgotten.
    forgotten: u64,
    /// By numbers among all that were ever noted.
    under_way: BTreeMap<u64, Vec<u64>>,
    /// Of `noted`, and the most allowed.
    bytes: u64,
    most: u64,
    /// A write is safe once it is complete.
    writes_through: bool,
    tickets: u64,
    completed: u64,
    lost: bool,
    random: Stream,
}

impl Unflushed {
    /// With a volatile cache of `cache` bytes the oldest writes beyond are safe. Without one a write is safe once it is
    /// complete.
    pub fn new(cache: u64, seed: u64) -> Unflushed {
        Unflushed {
            noted: VecDeque::new(),
            forgotten: 0,
            under_way: BTreeMap::new(),
            bytes: 0,
            most: if cache == 0 { MOST_UNDER_WAY } else { cache },
            writes_through: cache == 0,
            tickets: 0,
            completed: 0,
            lost: false,
            random: Stream::named(seed, "loss of power"),
        }
    }

    pub(super) fn begin(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    pub(super) fn note(&mut self, ticket: Ticket, offset: u64, before: Vec<u8>) {
        self.bytes += before.len() as u64;
        self.under_way.entry(ticket.0).or_default().push(self.forgotten + self.noted.len() as u64);
        self.noted.push_back(Noted { ticket, offset, before, completed: None, safe: false });
        while self.bytes > self.most {
            self.forget_oldest();
        }
    }

    pub(super) fn complete(&mut self, ticket: Ticket, forced: bool) {
        self.completed += 1;
        for number in self.under_way.remove(&ticket.0).into_iter().flatten() {
            let place = number.checked_sub(self.forgotten);
            if let Some(noted) = place.and_then(|place| self.noted.get_mut(place as usize)) {
                noted.completed = Some(self.completed);
                noted.safe |= forced || self.writes_through;
            }
        }
        self.forget_safe();
    }

    pub(super) fn completed(&self) -> u64 {
        self.completed
    }

    pub(super) fn flushed(&mut self, flush: u64) {
        for noted in &mut self.noted {
            noted.safe |= noted.completed.is_some_and(|completed| completed <= flush);
        }
        self.forget_safe();
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// And which data to put back where, in order.
    pub(super) fn lose(&mut self) -> (Loss, Vec<(u64, Vec<u8>)>) {
        self.lost = true;
        let (mut loss, mut undone, mut writes) = (Loss::default(), Vec::new(), BTreeSet::new());
        // Of a page that has survived, earlier versions have, too.
        let mut survived = BTreeSet::new();
        while let Some(noted) = self.noted.pop_back() {
            let end = noted.offset + noted.before.len() as u64;
            if !noted.safe {
                writes.insert(noted.ticket.0);
            }
            for page in noted.offset / PAGE..end.div_ceil(PAGE) {
                let is_safe = noted.safe || survived.contains(&page);
                loss.unsafe_pages += u64::from(!is_safe);
                if is_safe || self.random.uniform() < 0.5 {
                    survived.insert(page);
                    continue;
                }
                loss.lost_pages += 1;
                let (from, until) = (noted.offset.max(page * PAGE), end.min((page + 1) * PAGE));
                let range = (from - noted.offset) as usize..(until - noted.offset) as usize;
                undone.push((from, noted.before[range].to_vec()));
            }
        }
        loss.unsafe_writes = writes.len() as u64;
        (loss, undone)
    }

    /// Unless an earlier one that would be undone lies below them.
    fn forget_safe(&mut self) {
        while self.noted.front().is_some_and(|noted| noted.safe) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(noted) = self.noted.pop_front() {
            self.bytes -= noted.before.len() as u64;
            self.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::storage::Storage;

    const BYTES: u64 = 16 * PAGE;

    fn store(cache: u64, seed: u64) -> Storage {
        let mut storage = Storage::in_memory(1 << 30);
        storage.expect_loss(Unflushed::new(cache, seed));
        storage
    }

    fn page(storage: &Storage, page: u64) -> u8 {
        let mut found = [0; PAGE as usize];
        storage.read(page * PAGE, &mut found).unwrap();
        assert!(found.iter().all(|byte| *byte == found[0]), "a torn page");
        found[0]
    }

    fn write(storage: &Storage, page: u64, value: u8) -> Ticket {
        let ticket = storage.begin();
        storage.write(ticket, page * PAGE, &[value; PAGE as usize]).unwrap();
        ticket
    }

    #[test]
    fn without_a_cache_only_writes_under_way_are_lost() {
        let lost = (0..64).filter(|&seed| {
            let storage = store(0, seed);
            let first = write(&storage, 0, 1);
            storage.complete(first, false);
            write(&storage, 0, 2);
            storage.lose_power().unwrap();
            assert!(storage.write(Ticket::NONE, 0, &[3]).is_err(), "there is no power");
            page(&storage, 0) == 1
        });
        assert!((10..54).contains(&lost.count()), "either may be");
    }

    #[test]
    fn no_more_is_lost_than_the_cache_holds() {
        let storage = store(2 * PAGE, 1);
        for (place, value) in [(0, 1), (1, 2), (2, 3)] {
            let ticket = write(&storage, place, value);
            storage.complete(ticket, false);
        }
        assert_eq!(storage.lose_power().unwrap().unsafe_writes, 2);
        assert_eq!(page(&storage, 0), 1);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Write { page: u64, forced: bool, completes: bool },
        CompleteOldest,
        Flush,
        BeginFlush,
        EndFlush,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let write = (0..BYTES / PAGE, any::<bool>(), any::<bool>()).prop_map(|(page, forced, completes)| Step::Write {
            page,
            forced,
            completes,
        });
        let step = prop_oneof![
            6 => write,
            2 => Just(Step::CompleteOldest),
            1 => Just(Step::Flush),
            1 => Just(Step::BeginFlush),
            1 => Just(Step::EndFlush),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn what_was_safe_survives(steps in steps(), seed: u64) {
            let storage = store(1 << 30, seed);
            let mut version = 0u8;
            // Versions of each page in order; those that are complete; the newest safe one.
            let mut written: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
            let mut completed: Vec<(u64, u8)> = Vec::new();
            let mut under_way: VecDeque<(Ticket, u64, u8, bool)> = VecDeque::new();
            let mut safe: BTreeMap<u64, u8> = BTreeMap::new();
            let mut flush = None;
            for step in steps {
                let mut end = |(ticket, page, value, forced): (Ticket, u64, u8, bool), safe: &mut BTreeMap<u64, u8>| {
                    storage.complete(ticket, forced);
                    completed.push((page, value));
                    if forced {
                        let newest = safe.entry(page).or_default();
                        *newest = value.max(*newest);
                    }
                };
                match step {
                    Step::Write { page, forced, completes } => {
                        version += 1;
                        written.entry(page).or_default().push(version);
                        let begun = (write(&storage, page, version), page, version, forced);
                        if completes { end(begun, &mut safe) } else { under_way.push_back(begun) }
                    }
                    Step::CompleteOldest => {
                        if let Some(begun) = under_way.pop_front() {
                            end(begun, &mut safe);
                        }
                    }
                    Step::Flush => {
                        storage.flushed(storage.flush());
                        for (page, value) in &completed {
                            let newest = safe.entry(*page).or_default();
                            *newest = (*value).max(*newest);
                        }
                    }
                    Step::BeginFlush => flush = Some((storage.flush(), completed.clone())),
                    Step::EndFlush => {
                        if let Some((number, completed)) = flush.take() {
                            storage.flushed(number);
                            for (page, value) in completed {
                                let newest = safe.entry(page).or_default();
                                *newest = value.max(*newest);
                            }
                        }
                    }
                }
            }
            let loss = storage.lose_power().unwrap();
            prop_assert!(loss.lost_pages <= loss.unsafe_pages);
            for place in 0..BYTES / PAGE {
                let found = page(&storage, place);
                let least = safe.get(&place).copied().unwrap_or(0);
                prop_assert!(found >= least, "page {place} holds version {found}, {least} was safe");
                prop_assert!(found == 0 || written[&place].contains(&found));
            }
        }
    }
}
