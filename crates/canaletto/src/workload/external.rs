use std::collections::VecDeque;

use crate::engine::time::Time;
use crate::workload::wanted::Wanted;

#[derive(Default)]
pub struct External {
    /// And of submission.
    pending: VecDeque<Submitted>,
    scheduled: bool,
    /// From the oldest that is not complete; none for complete ones.
    tags: VecDeque<Option<u64>>,
    first: u32,
    /// Nobody has asked for their tags.
    under_way: u64,
}

struct Submitted {
    arrival: Time,
    wanted: Wanted,
    tag: u64,
}

impl External {
    pub fn push(&mut self, arrival: Time, wanted: Wanted, tag: u64) {
        let place = self.pending.partition_point(|before| before.arrival <= arrival);
        self.pending.insert(place, Submitted { arrival, wanted, tag });
    }

    /// Not among the engine's events yet; later than anything if there is none.
    pub fn next_arrival(&self) -> Time {
        self.pending.front().filter(|_| !self.scheduled).map_or(Time::MAX, |next| next.arrival)
    }

    pub fn schedule(&mut self) {
        self.scheduled = true;
    }

    pub fn take(&mut self) -> Option<Wanted> {
        let Submitted { wanted, tag, .. } = self.pending.pop_front()?;
        self.scheduled = false;
        self.tags.push_back(Some(tag));
        self.under_way += 1;
        Some(wanted)
    }

    /// By its number.
    ///
    /// # Panics
    /// If no such request is under way.
    pub fn complete(&mut self, number: u32) -> u64 {
        // Numbers go round after 2^32.
        let place = number.wrapping_sub(self.first) as usize;
        let tag = self.tags[place].take().expect("a request completes once");
        self.under_way -= 1;
        while let Some(None) = self.tags.front() {
            self.tags.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        tag
    }

    pub fn outstanding(&self) -> u64 {
        self.under_way + self.pending.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lba: u64) -> Wanted {
        Wanted::read(lba, 8)
    }

    #[test]
    fn requests_arrive_by_time_and_keep_their_order() {
        let mut external = External::default();
        for (arrival, lba, tag) in [(20, 0, 7), (20, 8, 8), (10, 16, 9)] {
            external.push(Time(arrival), read(lba), tag);
        }
        assert_eq!((external.outstanding(), external.next_arrival()), (3, Time(10)));
        external.schedule();
        assert_eq!(external.next_arrival(), Time::MAX, "it is not scheduled twice");
        let arrived: Vec<_> = std::iter::from_fn(|| external.take()).collect();
        assert_eq!(arrived, [read(16), read(0), read(8)]);
        assert_eq!((external.complete(1), external.complete(0), external.complete(2)), (7, 9, 8));
        assert_eq!(external.outstanding(), 0);
    }

    #[test]
    fn numbers_go_round() {
        let mut external = External { first: u32::MAX, ..External::default() };
        external.push(Time(0), read(0), 1);
        external.push(Time(0), read(8), 2);
        while external.take().is_some() {}
        assert_eq!((external.complete(0), external.complete(u32::MAX)), (2, 1));
        assert_eq!((external.first, external.tags.len()), (1, 0));
    }
}
