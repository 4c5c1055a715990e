//! Sorting of slightly disordered lines by time, in bounded memory.

use canaletto::workload::replay::Record;

/// The newest requests are held back so that a later line can still come before them.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// `held[start..]`, in order of arrival, equals in order of lines.
    held: Vec<Record>,
    start: usize,
    pub(crate) floor_ns: u64,
}

impl Window {
    pub(crate) fn len(&self) -> usize {
        self.held.len() - self.start
    }

    pub(crate) fn add<E>(&mut self, read: impl FnOnce(&mut Vec<Record>, u64) -> Result<(), E>) -> Result<(), E> {
        // Each request is moved once for every `start` handed on: cheap, and the memory stays within twice the window.
        if self.start > self.len() {
            self.held.drain(..self.start);
            self.start = 0;
        }
        let old = self.held.len();
        let outcome = read(&mut self.held, self.floor_ns);
        self.sort_from(old);
        outcome
    }

    /// `held[from..]`; the rest is in order.
    fn sort_from(&mut self, from: usize) {
        // The request before them may have been handed on; none of them is earlier than that.
        let new = &self.held[from.saturating_sub(1)..];
        if new.is_sorted_by_key(|record| record.arrival_ns) {
            return;
        }
        let earliest = self.held[from..].iter().map(|record| record.arrival_ns).min().unwrap_or(0);
        let settled = self.held[self.start..from].partition_point(|record| record.arrival_ns <= earliest);
        // Stable, and quick on what is mostly in order.
        self.held[self.start + settled..].sort_by_key(|record| record.arrival_ns);
    }

    /// At most `limit` requests beyond the newest `kept`.
    pub(crate) fn take(&mut self, kept: usize, limit: usize, batch: &mut Vec<Record>) {
        let count = self.len().saturating_sub(kept).min(limit);
        batch.extend_from_slice(&self.held[self.start..self.start + count]);
        self.start += count;
        if let Some(last) = batch.last() {
            self.floor_ns = last.arrival_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use canaletto::host::request::Kind;

    use super::*;

    fn record(arrival_ns: u64, offset_bytes: u64) -> Record {
        Record { arrival_ns, device: 0, offset_bytes, bytes: 512, kind: Kind::Read, ..Record::PLAIN }
    }

    #[test]
    fn requests_leave_in_order_and_equals_in_the_order_of_lines() {
        let mut window = Window::default();
        let mut next = 0u64;
        let (mut out, mut batch) = (Vec::new(), Vec::new());
        for round in 0..200u64 {
            // Each group of four lines is turned round, and some arrive together.
            let arrivals = [round * 8 + 7, round * 8 + 4, round * 8 + 4, (round * 8).saturating_sub(3)];
            let fresh = arrivals.map(|arrival| {
                next += 1;
                record(arrival, next)
            });
            let added = window.add(|held, floor| {
                assert!(fresh.iter().all(|r| r.arrival_ns >= floor), "{floor}");
                held.extend(fresh);
                Ok::<_, ()>(())
            });
            assert!(added.is_ok());
            batch.clear();
            window.take(8, 3, &mut batch);
            out.append(&mut batch);
        }
        window.take(0, usize::MAX, &mut out);
        assert_eq!(out.len(), 800);
        let key = |r: &Record| (r.arrival_ns, r.offset_bytes);
        assert!(out.is_sorted_by_key(key));
    }
}
