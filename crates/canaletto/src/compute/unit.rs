//! A place that computes: it serves one piece of work at a time and holds as many operands as its buffer.

use std::collections::VecDeque;

use crate::config::compute::Unit as Keys;
use crate::engine::ids::{RequestId, TransactionId};
use crate::engine::time::Time;

/// Waits for room: a page in its register, or a task with all of its operands.
#[derive(Clone, Copy)]
pub enum Waiting {
    Page(TransactionId),
    Task(RequestId),
}

pub struct Unit {
    rate: u64,
    latency: Time,
    /// Less than nothing while a page passes tasks that hold all of it.
    room: i64,
    /// Bytes of pages that hold room.
    of_pages: u64,
    free_at: Time,
    waiting: VecDeque<(u64, Waiting)>,
}

impl Unit {
    pub fn new(keys: &Keys) -> Unit {
        Unit {
            rate: keys.rate.0,
            latency: keys.latency.time(),
            room: i64::try_from(keys.buffer.0).unwrap_or(i64::MAX),
            of_pages: 0,
            free_at: Time::ZERO,
            waiting: VecDeque::new(),
        }
    }

    /// Works on bytes that have arrived. Returns from when and until when it works, and when the result is there.
    pub fn serve(&mut self, bytes: u64, now: Time) -> (Time, Time, Time) {
        let from = self.free_at.max(now);
        self.free_at = from + Time::of_transfer(bytes, self.rate);
        (from, self.free_at, self.free_at + self.latency)
    }

    /// Takes room for bytes, behind pages and tasks that wait for some. Returns whether there is any.
    pub fn take(&mut self, bytes: u64, what: Waiting) -> bool {
        let fits = self.waiting.is_empty() && bytes as i64 <= self.room || self.passes(what);
        match fits {
            true => self.hold(bytes, what),
            false => self.waiting.push_back((bytes, what)),
        }
        fits
    }

    /// A page that waits in its register may keep a task from an operand in that chip, so one at a time passes tasks.
    fn passes(&self, what: Waiting) -> bool {
        self.of_pages == 0 && matches!(what, Waiting::Page(_))
    }

    fn hold(&mut self, bytes: u64, what: Waiting) {
        self.room -= bytes as i64;
        self.of_pages += if let Waiting::Page(_) = what { bytes } else { 0 };
    }

    pub fn give_back(&mut self, bytes: u64, is_page: bool) {
        self.room += bytes as i64;
        self.of_pages -= if is_page { bytes } else { 0 };
    }

    /// The next page or task that waits, if there is room for it now.
    pub fn next_waiting(&mut self) -> Option<Waiting> {
        let first = self.waiting.front().filter(|(bytes, _)| *bytes as i64 <= self.room).map(|_| 0);
        let next = first.or_else(|| self.waiting.iter().position(|&(_, what)| self.passes(what)))?;
        let (bytes, what) = self.waiting.remove(next)?;
        self.hold(bytes, what);
        Some(what)
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::{Duration, Power, Rate, Size};

    #[test]
    fn serves_in_order_and_holds_what_fits() {
        let keys =
            Keys { rate: Rate(1_000_000_000), latency: Duration::from_ns(10), power: Power(0), buffer: Size(100) };
        let mut unit = Unit::new(&keys);
        assert_eq!(unit.serve(50, Time::ZERO), (Time::ZERO, Time::from_ns(50), Time::from_ns(60)));
        assert_eq!(unit.serve(50, Time::from_ns(20)).2, Time::from_ns(110));
        let page = |number| Waiting::Page(TransactionId(number));
        assert!(unit.take(60, page(0)) && !unit.take(60, page(1)) && !unit.take(10, page(2)));
        assert!(unit.next_waiting().is_none());
        unit.give_back(60, true);
        let next = [unit.next_waiting(), unit.next_waiting(), unit.next_waiting()];
        assert!(matches!(next, [Some(Waiting::Page(TransactionId(1))), Some(Waiting::Page(TransactionId(2))), None]));
        let task = Waiting::Task(RequestId(0));
        unit.give_back(10, true);
        unit.give_back(60, true);
        assert!(unit.take(100, task) && unit.take(60, page(3)), "a page passes");
        assert!(!unit.take(60, page(4)) && !unit.take(100, task) && unit.next_waiting().is_none());
        unit.give_back(60, true);
        assert!(matches!(unit.next_waiting(), Some(Waiting::Page(TransactionId(4)))));
    }
}
