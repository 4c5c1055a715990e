use std::collections::VecDeque;

use crate::config::cache::{CacheDram, DramTiming, Sharing};
use crate::engine::time::Time;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Part(TransactionId),
    Destage(TransactionId),
    Evicted(u32),
    Fill,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Transfer {
    purpose: Purpose,
    bytes: u64,
}

pub struct Dram {
    timing: CacheDram,
    lines: Vec<VecDeque<Transfer>>,
    turn: usize,
    current: Option<Transfer>,
    busy: Time,
}

impl Dram {
    pub fn new(config: &CacheDram, sharing: Sharing, flows: usize) -> Dram {
        let lines = if sharing == Sharing::Equal { flows } else { 1 };
        Dram { timing: config.clone(), lines: vec![VecDeque::new(); lines], turn: 0, current: None, busy: Time::ZERO }
    }

    pub fn request(&mut self, flow: u16, purpose: Purpose, bytes: u64, now: Time) -> Option<Time> {
        let line = if self.lines.len() == 1 { 0 } else { usize::from(flow) };
        let transfer = Transfer { purpose, bytes };
        if self.current.is_some() {
            self.lines[line].push_back(transfer);
            return None;
        }
        self.turn = line;
        Some(self.start(transfer, now))
    }

    fn start(&mut self, transfer: Transfer, now: Time) -> Time {
        let time = transfer_time(&self.timing, transfer.bytes);
        self.busy += time;
        self.current = Some(transfer);
        now + time
    }

    /// Returns what it was for, and when the next one, which starts now, is done.
    pub fn done(&mut self, now: Time) -> (Purpose, Option<Time>) {
        let done = self.current.take().expect("a transfer was under way");
        for _ in 0..self.lines.len() {
            self.turn = (self.turn + 1) % self.lines.len();
            if let Some(next) = self.lines[self.turn].pop_front() {
                return (done.purpose, Some(self.start(next, now)));
            }
        }
        (done.purpose, None)
    }

    pub fn busy(&self) -> Time {
        self.busy
    }
}

pub fn transfer_time(dram: &CacheDram, bytes: u64) -> Time {
    match dram.timing {
        DramTiming::Exact => {
            let rows = bytes.div_ceil(dram.row.0).max(1);
            let open = (dram.trcd.time() + dram.tcl.time()) * rows + dram.trp.time() * (rows - 1);
            open + Time::of_transfer(bytes.next_multiple_of(dram.burst.0), dram.rate.0)
        }
        DramTiming::Mqsim => mqsim_time(dram, bytes),
    }
}

/// MQSim's `estimate_dram_access_time`: two bursts per clock, integer divisions, further rows in pairs, a last partial
/// row's bytes divided by the burst's time.
fn mqsim_time(dram: &CacheDram, bytes: u64) -> Time {
    let (burst, row) = (dram.burst.0, dram.row.0);
    let clock_ns = 2.0 * burst as f64 * 1e9 / dram.rate.0 as f64;
    let data_ns = |bytes: u64| ((bytes / burst / 2) as f64 * clock_ns) as u64;
    let open_ns = dram.trcd.time().ns() + dram.tcl.time().ns();
    if bytes <= row {
        return Time::from_ns(open_ns + data_ns(bytes));
    }
    let pairs = bytes / row / 2;
    let rest_ns = ((bytes % row) as f64 / (burst as f64 * clock_ns)) as u64;
    Time::from_ns(open_ns + (data_ns(row) + dram.trp.time().ns()) * pairs + open_ns + rest_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::{Duration, Rate, Size};

    fn mqsim() -> CacheDram {
        CacheDram {
            trcd: Duration::from_ns(13),
            tcl: Duration::from_ns(13),
            trp: Duration::from_ns(13),
            row: Size(8192),
            rate: Rate(6_400_000_000),
            burst: Size(4),
            timing: DramTiming::Mqsim,
        }
    }

    #[test]
    fn mqsims_times() {
        assert_eq!(transfer_time(&mqsim(), 4096), Time::from_ns(666));
        assert_eq!(transfer_time(&mqsim(), 16384), Time::from_ns(1345));
    }

    #[test]
    fn each_row_is_opened_and_closed() {
        let dram = CacheDram::default();
        let ns = |bytes| transfer_time(&dram, bytes).0 as f64 / 1e3;
        assert_eq!(ns(4096), 27.5 + 320.0);
        assert_eq!(ns(512), 27.5 + 40.0);
        assert_eq!(ns(33), 27.5 + 5.0);
        assert_eq!(ns(16384), 4.0 * 27.5 + 3.0 * 13.75 + 1280.0);
    }

    #[test]
    fn serves_one_transfer_at_a_time() {
        let mut dram = Dram::new(&CacheDram::default(), Sharing::Shared, 2);
        let first = dram.request(0, Purpose::Fill, 4096, Time::ZERO).unwrap();
        assert_eq!(first, Time(347_500));
        let waits = Purpose::Part(TransactionId(7));
        assert_eq!(dram.request(1, waits, 512, Time(first.0 - 1)), None);
        assert_eq!(dram.done(first), (Purpose::Fill, Some(first + Time(67_500))));
        assert_eq!(dram.done(first + Time(67_500)), (waits, None));
        assert_eq!(dram.request(1, waits, 512, Time(first.0 + 67_500)), Some(first + Time(135_000)));
        assert_eq!(dram.busy(), Time(347_500 + 2 * 67_500));
    }

    #[test]
    fn equal_shares_are_served_in_turns() {
        let part = |n| Purpose::Part(TransactionId(n));
        let order = |sharing| {
            let mut dram = Dram::new(&CacheDram::default(), sharing, 2);
            let mut now = dram.request(0, part(0), 512, Time::ZERO).unwrap();
            for (flow, n) in [(0, 1), (0, 2), (1, 3)] {
                dram.request(flow, part(n), 512, now);
            }
            let mut order = Vec::new();
            loop {
                let (done, next) = dram.done(now);
                order.push(done);
                match next {
                    Some(time) => now = time,
                    None => return order,
                }
            }
        };
        assert_eq!(order(Sharing::Shared), [0, 1, 2, 3].map(part));
        assert_eq!(order(Sharing::Equal), [0, 3, 1, 2].map(part));
    }
}
