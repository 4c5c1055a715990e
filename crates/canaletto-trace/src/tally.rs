//! Irregular lines, and properties by which a trace may mislead.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use canaletto::workload::replay::Record;

use crate::error::TraceError;

/// Shared with the code that reports them.
#[derive(Debug, Default)]
pub struct Tally {
    skipped: AtomicU64,
    out_of_order: AtomicU64,
    first: Mutex<Option<String>>,
    seen: Mutex<Seen>,
}

/// Properties of the requests read, by which a trace may mislead.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Requests.
    pub requests: u64,
    /// Different device numbers, no more than [`MOST_DEVICES`].
    pub devices: usize,
    /// Requests that arrive at the same time as the one before them.
    pub simultaneous: u64,
    /// Times that the trace's clock has started again, after which its requests follow those before.
    pub restarts: u64,
    /// Largest of 1 s, 1 ms and 1 ns, in nanoseconds, of which all arrivals are multiples after the first.
    pub clock_ns: u64,
}

/// Device numbers that are distinguished.
pub const MOST_DEVICES: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    seen: Seen,
    devices: Vec<u32>,
    first_ns: u64,
    last_ns: u64,
    last_device: u32,
    is_finer_than_s: bool,
    is_finer_than_ms: bool,
}

impl Watch {
    #[inline]
    pub(crate) fn add(&mut self, record: &Record) {
        if self.seen.requests == 0 {
            self.first_ns = record.arrival_ns;
            self.devices.push(record.device);
            self.last_device = record.device;
        } else {
            self.seen.simultaneous += u64::from(record.arrival_ns == self.last_ns);
            if !self.is_finer_than_ms {
                let since = record.arrival_ns.abs_diff(self.first_ns);
                self.is_finer_than_s |= since % 1_000_000_000 != 0;
                self.is_finer_than_ms |= since % 1_000_000 != 0;
            }
        }
        if record.device != self.last_device {
            self.add_device(record.device);
        }
        (self.seen.requests, self.last_ns) = (self.seen.requests + 1, record.arrival_ns);
    }

    #[cold]
    fn add_device(&mut self, device: u32) {
        self.last_device = device;
        if let Err(place) = self.devices.binary_search(&device) {
            if self.devices.len() < MOST_DEVICES {
                self.devices.insert(place, device);
            }
        }
    }

    fn seen(&self) -> Seen {
        let clock_ns = match (self.is_finer_than_s, self.is_finer_than_ms) {
            (false, _) => 1_000_000_000,
            (true, false) => 1_000_000,
            (true, true) => 1,
        };
        Seen { devices: self.devices.len(), clock_ns, ..self.seen.clone() }
    }
}

impl Tally {
    /// As `on_error = "skip"` allows.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Relaxed)
    }

    /// Requests whose line comes after one of a later request.
    pub fn out_of_order_lines(&self) -> u64 {
        self.out_of_order.load(Relaxed)
    }

    /// Of the first line left out.
    pub fn first_skipped(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Of the requests so far.
    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn tell(&self, watch: &Watch, restarts: u64) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Seen { restarts, ..watch.seen() };
    }

    pub(crate) fn skip(&self, error: &TraceError) {
        if self.skipped.fetch_add(1, Relaxed) == 0 {
            *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
    }

    pub(crate) fn out_of_order(&self) {
        self.out_of_order.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canaletto::host::request::Kind;

    fn seen(requests: &[(u64, u32)]) -> (u64, usize, u64, u64) {
        let mut watch = Watch::default();
        for &(arrival_ns, device) in requests {
            watch.add(&Record { arrival_ns, device, offset_bytes: 0, bytes: 512, kind: Kind::Read, ..Record::PLAIN });
        }
        let Seen { requests, devices, simultaneous, clock_ns, .. } = watch.seen();
        (requests, devices, simultaneous, clock_ns)
    }

    #[test]
    fn devices_simultaneous_requests_and_clocks_are_seen() {
        const S: u64 = 1_000_000_000;
        assert_eq!(seen(&[(7, 4), (7, 4), (7 + S, 2), (7 + 3 * S, 4), (7 + 3 * S, 2)]), (5, 2, 2, S));
        assert_eq!(seen(&[(S, 0), (S + 5_000_000, 0), (3 * S, 0)]), (3, 1, 0, 1_000_000));
        assert_eq!(seen(&[(S, 0), (S + 5_000_001, 0), (3 * S, 0)]), (3, 1, 0, 1));
        let many: Vec<(u64, u32)> = (0..5000).map(|i| (i, i as u32)).collect();
        assert_eq!(seen(&many).1, MOST_DEVICES);
    }
}
