//! Flushes that wait for dirty pages to reach flash.
//!
//! A *unit* is the sectors of a page that set out together. A flush waits for the units of its name space that exist
//! when it comes. A unit delays the flushes from the number that it carries on.

use crate::host::request::RequestId;

struct Flush {
    stream: u16,
    number: u32,
    units: u64,
    request: RequestId,
}

pub struct Flushes {
    waiting: Vec<Flush>,
    next: u32,
    units: Vec<u64>,
}

impl Flushes {
    pub fn new(streams: usize) -> Flushes {
        Flushes { waiting: Vec::new(), next: 0, units: vec![0; streams] }
    }

    pub fn open_unit(&mut self, stream: u16) -> u32 {
        self.units[usize::from(stream)] += 1;
        self.next
    }

    pub fn close_unit(&mut self, stream: u16, number: u32) {
        self.units[usize::from(stream)] -= 1;
        for flush in self.waiting.iter_mut().filter(|f| f.stream == stream && number <= f.number) {
            flush.units -= 1;
        }
    }

    pub fn begin(&mut self, stream: u16, request: RequestId) -> bool {
        let units = self.units[usize::from(stream)];
        if units > 0 {
            self.waiting.push(Flush { stream, number: self.next, units, request });
            self.next += 1;
        }
        units > 0
    }

    pub fn take_done(&mut self) -> Option<RequestId> {
        let at = self.waiting.iter().position(|f| f.units == 0)?;
        Some(self.waiting.remove(at).request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_waits_for_what_was_dirty_when_it_came() {
        let mut flushes = Flushes::new(2);
        assert!(!flushes.begin(0, RequestId(9)));
        let (first, other) = (flushes.open_unit(0), flushes.open_unit(1));
        assert!(flushes.begin(0, RequestId(1)));
        let later = flushes.open_unit(0);
        assert!(flushes.begin(0, RequestId(2)));
        flushes.close_unit(0, later);
        flushes.close_unit(1, other);
        assert_eq!(flushes.take_done(), None);
        flushes.close_unit(0, first);
        assert_eq!(flushes.take_done(), Some(RequestId(1)));
        assert_eq!(flushes.take_done(), Some(RequestId(2)));
        assert_eq!(flushes.take_done(), None);
    }
}
