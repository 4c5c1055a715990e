//! Fair scheduling among flows at a LUN, after FLIN (A. Tavakkol et al., "FLIN: Enabling Fairness and Enhancing
//! Performance in Modern NVMe Solid State Drives", ISCA 2018; only its abstract and MQSim's sketch, `TSU_FLIN.cpp`,
//! were at hand):
//!
//! 1. *Fairness-aware queue insertion* ([`Flin::place`]). Flows of low intensity go first. In each group a
//!    transaction goes where slowdowns differ least ([`position::fairest`]). One of the most slowed flow goes to the
//!    high group's front if fairness is below a threshold.
//! 2. *Priority-aware queue arbitration* is [`WeightedRoundRobin`](crate::scheduler::classes::WeightedRoundRobin).
//! 3. *Wait-balancing transaction selection* ([`Flin::reads_first`], [`Flin::owed`]): the read or write in front
//!    goes first whose wait is longer in proportion to its service. Before a write goes its flow's share of an urgent
//!    collection.
//!
//! Slowdown is time here over time alone, by a clock of the flow at the LUN. Service is command, transfer and array
//! time of a page; planes side by side do not count, as in MQSim's sketch.
//!
//! Assumed: a transaction never overtakes one of its flow; ties go to the first; a flow's mean slowdown is over its
//! transactions in the group; its share of a collection is its share of programs since the last erase.
//! `gc.hard_threshold` and `gc.preemptible` decide when collection is urgent.

pub mod position;

use crate::config::design::Flin as Config;
use crate::engine::time::Time;
use crate::flash::address::{Layout, LunId};
use crate::flash::interface::Operation;
use crate::scheduler::transaction::Transactions;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};
use position::Waiting;

#[derive(Clone, Copy)]
pub struct Arrival {
    pub now: Time,
    pub began: Time,
    pub service: Time,
    pub busy: Time,
}

#[derive(Clone, Copy, Default)]
struct Ticket {
    queued: Time,
    service: Time,
    alone: Time,
    is_low: bool,
    is_tagged: bool,
}

#[derive(Clone, Copy, Default)]
struct Track {
    epoch: u64,
    recent: u64,
    is_low: bool,
    alone_until: Time,
}

#[derive(Clone, Copy, Default)]
struct Collection {
    steps: u64,
    programs: u64,
    /// Transactions before the next host write.
    owed: Option<u64>,
}

#[derive(Clone, Copy, Default)]
pub struct Owed {
    pub steps: u64,
    pub erase: Option<TransactionId>,
}

#[derive(Clone, Copy)]
enum Side {
    Read,
    Write,
}

impl Side {
    fn of(operation: Operation) -> Side {
        if operation == Operation::Read { Side::Read } else { Side::Write }
    }
}

pub struct Flin {
    epoch: Time,
    /// Bytes per epoch from which a flow is of high intensity, by side.
    thresholds: [u64; 2],
    page_share: u64,
    fairness_threshold: f64,
    flows: usize,
    tickets: Vec<Ticket>,
    tracks: Vec<Track>,
    programs: Vec<u64>,
    collections: Vec<Collection>,
    line: Vec<Waiting>,
    means: Vec<(f64, f64)>,
}

impl Flin {
    pub fn new(config: &Config, layout: &Layout, flows: usize) -> Flin {
        let luns = layout.luns() as usize;
        Flin {
            epoch: config.epoch.time(),
            thresholds: [config.read_threshold.0, config.write_threshold.0],
            page_share: layout.page_bytes() * luns as u64,
            fairness_threshold: config.fairness_threshold,
            flows,
            tickets: Vec::new(),
            tracks: vec![Track::default(); luns * flows * 2],
            programs: vec![0; luns * flows],
            collections: vec![Collection::default(); luns],
            line: Vec::new(),
            means: vec![(0.0, 0.0); flows],
        }
    }

    fn track(&mut self, lun: LunId, flow: usize, side: Side) -> &mut Track {
        let place = (lun.index() * self.flows + flow) * 2 + side as usize;
        &mut self.tracks[place]
    }

    fn keep(&mut self, id: TransactionId, ticket: Ticket) {
        if self.tickets.len() <= id.index() {
            self.tickets.resize(id.index() + 1, Ticket::default());
        }
        self.tickets[id.index()] = ticket;
    }

    pub fn note(&mut self, lun: LunId, id: TransactionId, t: &Transaction, is_first: bool, arrival: &Arrival) {
        let Arrival { now, service, .. } = *arrival;
        self.collections[lun.index()].steps += steps(t);
        self.keep(id, Ticket { queued: now, service, alone: service, is_low: is_first, is_tagged: is_first });
    }

    /// Returns the transaction that it goes behind.
    pub fn place(
        &mut self,
        lun: LunId,
        id: TransactionId,
        head: TransactionId,
        arrival: &Arrival,
        transactions: &Transactions,
    ) -> TransactionId {
        let t = &transactions[id];
        let (flow, side) = (usize::from(t.flow), Side::of(t.operation));
        let Arrival { now, service, .. } = *arrival;
        let is_low = self.count(lun, flow, side, now);
        let alone = self.track(lun, flow, side).go_on(service, now);
        let mut new = Ticket { queued: now, service, alone, is_low, is_tagged: false };
        let last = self.last_of_group(head, is_low, transactions);
        if !last.is_some() || self.tickets[last.index()].is_tagged || transactions[last].flow == t.flow {
            self.keep(id, new);
            return last;
        }
        let (in_front, begins) = self.line_up(head, is_low, arrival, transactions);
        let first = position::earliest(&self.line, t.flow);
        let at_end = position::slowdown(begins + service, alone);
        let threshold = self.fairness_threshold;
        let place = if !is_low && position::is_worst_off(&self.line, t.flow, at_end, threshold, &mut self.means) {
            new.is_tagged = first < self.line.len();
            first
        } else {
            position::fairest(&mut self.line, first, begins, service, alone)
        };
        self.keep(id, new);
        if place == 0 { in_front } else { self.line[place - 1].id }
    }

    /// Returns whether its flow was of low intensity in the last epoch.
    fn count(&mut self, lun: LunId, flow: usize, side: Side, now: Time) -> bool {
        let (epoch, threshold, share) = (now.0 / self.epoch.0, self.thresholds[side as usize], self.page_share);
        let track = self.track(lun, flow, side);
        if epoch != track.epoch {
            let counted = if epoch == track.epoch + 1 { track.recent } else { 0 };
            track.is_low = counted.saturating_mul(share) < threshold;
            (track.epoch, track.recent) = (epoch, 0);
        }
        track.recent += 1;
        track.is_low
    }

    fn last_of_group(&self, head: TransactionId, is_low: bool, transactions: &Transactions) -> TransactionId {
        let (mut last, mut at) = (TransactionId::NONE, head);
        while at.is_some() && (!is_low || self.tickets[at.index()].is_low) {
            last = at;
            at = transactions[at].next;
        }
        last
    }

    /// Returns the last transaction in front of the group, and when one at its end would begin.
    fn line_up(
        &mut self,
        head: TransactionId,
        is_low: bool,
        arrival: &Arrival,
        transactions: &Transactions,
    ) -> (TransactionId, Time) {
        self.line.clear();
        let (mut begins, mut in_front) = (arrival.busy, TransactionId::NONE);
        let mut at = head;
        while at.is_some() {
            let ticket = &self.tickets[at.index()];
            if is_low && !ticket.is_low {
                break;
            }
            if ticket.is_low == is_low {
                let flow = transactions[at].flow;
                let waited = arrival.now - ticket.queued;
                self.line.push(Waiting::new(at, flow, ticket.is_tagged, waited, begins, ticket.service, ticket.alone));
            } else {
                in_front = at;
            }
            begins += ticket.service;
            at = transactions[at].next;
        }
        (in_front, begins)
    }

    pub fn issued(&mut self, lun: LunId, t: &Transaction) {
        let collection = &mut self.collections[lun.index()];
        if t.origin == Origin::Gc {
            collection.steps -= steps(t);
            collection.owed = collection.owed.map(|owed| owed.saturating_sub(1));
            if t.operation == Operation::Erase {
                collection.programs = 0;
                self.programs[lun.index() * self.flows..][..self.flows].fill(0);
            }
        }
        if t.background().is_some() {
            return;
        }
        if t.operation == Operation::Program {
            collection.programs += 1;
            collection.owed = None;
            self.programs[lun.index() * self.flows + usize::from(t.flow)] += 1;
        }
    }

    pub fn owed(&mut self, lun: LunId, flow: u16) -> u64 {
        let programs = self.programs[lun.index() * self.flows + usize::from(flow)];
        let collection = &mut self.collections[lun.index()];
        *collection.owed.get_or_insert_with(|| (collection.steps * programs).div_ceil(collection.programs.max(1)))
    }

    /// In proportion to its service, behind what is `owed`.
    pub fn reads_first(&self, read: TransactionId, other: TransactionId, owed: &Owed, now: Time) -> bool {
        let ticket = |id: TransactionId| self.tickets[id.index()];
        let (read, other) = (ticket(read), ticket(other));
        let (read_takes, other_takes) = (u128::from(read.service.0), u128::from(other.service.0));
        let erase = owed.erase.map_or(0, |erase| u128::from(ticket(erase).service.0));
        let collection = u128::from(owed.steps) * (read_takes + other_takes) / 2 + erase;
        let waited = |ticket: Ticket| u128::from((now - ticket.queued).0);
        // Both sides times b d.
        let read_waits = (waited(read) + other_takes + collection).saturating_mul(other_takes);
        let other_waits = (waited(other) + read_takes + collection).saturating_mul(read_takes);
        read_waits >= other_waits
    }
}

fn steps(t: &Transaction) -> u64 {
    match (t.origin, t.operation) {
        (Origin::Gc, Operation::Read) => 2,
        (Origin::Gc, Operation::Program) => 1,
        _ => 0,
    }
}

impl Track {
    fn go_on(&mut self, service: Time, now: Time) -> Time {
        self.alone_until = self.alone_until.max(now) + service;
        self.alone_until - now
    }
}

#[cfg(test)]
mod tests;
