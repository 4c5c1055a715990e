//! Waits of one flow's requests for chips busy with another flow's.
//!
//! Every LUN has a clock per flow, which runs while it works on that flow's commands. A page's waits are the
//! differences while it waits. Only a request's last page counts, as for blame.

use crate::engine::time::{Time, TimeSum};
use crate::scheduler::transaction::TransactionId;

pub struct FlowInterference {
    /// 0 for a single flow.
    flows: usize,
    marks: Vec<Time>,
    waits: Vec<Time>,
    sums: Vec<TimeSum>,
}

impl FlowInterference {
    pub fn new(flows: usize) -> FlowInterference {
        let flows = if flows > 1 { flows } else { 0 };
        FlowInterference { flows, marks: Vec::new(), waits: Vec::new(), sums: vec![TimeSum::ZERO; flows * flows] }
    }

    pub fn is_tracked(&self) -> bool {
        self.flows > 0
    }

    pub fn tracked_flows(&self) -> usize {
        self.flows
    }

    fn place(&self, page: TransactionId) -> std::ops::Range<usize> {
        let first = page.index() * self.flows;
        first..first + self.flows
    }

    #[inline]
    pub fn begin(&mut self, page: TransactionId) {
        let place = self.place(page);
        if self.waits.len() < place.end {
            self.marks.resize(place.end, Time::ZERO);
            self.waits.resize(place.end, Time::ZERO);
        }
        self.waits[place].fill(Time::ZERO);
    }

    #[inline]
    pub fn mark(&mut self, page: TransactionId, clock: impl Fn(usize) -> Time) {
        let place = self.place(page);
        for (flow, mark) in self.marks[place].iter_mut().enumerate() {
            *mark = clock(flow);
        }
    }

    #[inline]
    pub fn charge(&mut self, page: TransactionId, clock: impl Fn(usize) -> Time, mut own: Time) {
        let place = self.place(page);
        let (waits, marks) = (&mut self.waits[place.clone()], &self.marks[place]);
        for (flow, wait) in waits.iter_mut().enumerate() {
            let worked = (clock(flow) - marks[flow]).min(own);
            *wait += worked;
            own = own - worked;
        }
    }

    #[inline]
    pub fn count(&mut self, flow: usize, page: TransactionId) {
        let place = self.place(page);
        let sums = &mut self.sums[flow * self.flows..];
        for (of, &wait) in self.waits[place].iter().enumerate() {
            sums[of] += wait;
        }
    }

    /// In microseconds; none for a single flow.
    pub fn mean_waits(&self, flow: usize, requests: u64) -> Option<Vec<f64>> {
        let sums = &self.sums[flow * self.flows..(flow + 1) * self.flows];
        let mean = |&TimeSum(sum): &TimeSum| sum as f64 / 1e6 / requests.max(1) as f64;
        self.is_tracked().then(|| sums.iter().map(mean).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_clocks_are_waits() {
        let us = |n: u64| Time::from_ns(1000) * n;
        let mut interference = FlowInterference::new(2);
        let page = TransactionId(3);
        interference.begin(page);
        interference.mark(page, |flow| [us(10), us(20)][flow]);
        interference.charge(page, |flow| [us(15), us(50)][flow], us(100));
        interference.mark(page, |flow| [us(15), us(50)][flow]);
        interference.charge(page, |flow| [us(16), us(60)][flow], us(4));
        interference.count(1, page);
        interference.begin(page);
        interference.count(1, page);
        assert_eq!(interference.mean_waits(1, 2), Some(vec![3.0, 16.5]));
        assert_eq!(interference.mean_waits(0, 0), Some(vec![0.0, 0.0]));
        assert_eq!(FlowInterference::new(1).mean_waits(0, 1), None);
    }
}
