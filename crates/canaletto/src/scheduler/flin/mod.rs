//! Fair scheduling among flows at a LUN, after FLIN (A. Tavakkol et al., "FLIN: Enabling Fairness and Enhancing Performance
//! in Modern NVMe Solid State Drives", ISCA 2018; its abstract and MQSim's sketch of it, `TSU_FLIN.cpp`, were at hand). It has
//! three stages:
//!
//! 1. *Fairness-aware queue insertion* ([`Flin::place`]). Transactions of flows of low intensity go before those of high
//!    intensity. Within each group a new one goes to the place at which the slowdowns of those that wait differ least
//!    ([`position::fairest`]); one of the high group whose flow is slowed down most goes to the group's front if fairness has
//!    fallen below a threshold, and nothing that comes later may overtake it.
//! 2. *Priority-aware queue arbitration* is [`WeightedRoundRobin`](crate::scheduler::classes::WeightedRoundRobin).
//! 3. *Wait-balancing transaction selection* ([`Flin::reads_first`], [`Flin::owed`]): of the read and the write in front the one
//!    goes first whose wait is longer in proportion to its service. Before a write goes as much of an urgent collection as is its
//!    flow's share.
//!
//! A transaction's slowdown is the time it takes here (waited so far, what is left of the LUN's command, those ahead, its own
//! service) over the time it would take if its flow were alone, which a clock of the flow at the LUN tells: it continues by the
//! service of each transaction, from now on or from when it stood at last. Service is command, transfer and array time of a
//! page; that planes work side by side is left out, as in MQSim's sketch of FLIN (`TSU_FLIN.cpp`).
//!
//! Assumed: a transaction never overtakes one of its own flow; of transactions that would be as fair, the one that came first
//! goes first; a flow's mean slowdown is that of its transactions in the group; a flow's share of a collection is that of its
//! programs at the LUN since the last erase there, and where no write can be issued, the collection itself is weighed against
//! the read. When free pages are few is said by `gc.hard_threshold` and `gc.preemptible`.

pub mod position;

use crate::config::design::Flin as Config;
use crate::engine::time::Time;
use crate::flash::address::{Layout, LunId};
use crate::flash::interface::Operation;
use crate::scheduler::transaction::Transactions;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};
use position::Waiting;

/// Expected times of a transaction that comes to its LUN.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// When that is.
    pub now: Time,
    /// When it began, or its request arrived.
    pub began: Time,
    /// How long it occupies the LUN.
    pub service: Time,
    /// How long the LUN's command will continue.
    pub busy: Time,
}

/// Record of a queued transaction.
#[derive(Clone, Copy, Default)]
struct Ticket {
    queued: Time,
    service: Time,
    /// From arrival to end if its flow were alone.
    alone: Time,
    /// Whether it is in the group in front, that of low intensity.
    is_low: bool,
    /// Whether nothing may overtake it.
    is_tagged: bool,
}

/// Record of a flow's reads or writes at a LUN.
#[derive(Clone, Copy, Default)]
struct Track {
    /// Number of the epoch in which the last one came, and how many did.
    epoch: u64,
    recent: u64,
    /// Whether it was of low intensity in the epoch before.
    is_low: bool,
    /// When the last one would end if the flow were alone.
    alone_until: Time,
}

/// Record of a LUN's collection.
#[derive(Clone, Copy, Default)]
struct Collection {
    /// Reads and programs that the copies which are queued still take.
    steps: u64,
    /// Programs of the host since the last erase.
    programs: u64,
    /// How many of collection's transactions still go before the next write of the host, once that is known.
    owed: Option<u64>,
}

/// Share of an urgent collection that goes before a write.
#[derive(Clone, Copy, Default)]
pub struct Owed {
    /// That many reads and programs.
    pub steps: u64,
    /// An erase that can be issued.
    pub erase: Option<TransactionId>,
}

/// Reads and writes are distinguished everywhere.
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

/// The scheduler's memory: of transactions in flight, and of every flow at every LUN.
pub struct Flin {
    epoch: Time,
    /// By side: the bytes of an epoch, over the whole drive, from which on a flow is of high intensity.
    thresholds: [u64; 2],
    /// Bytes over the whole drive that a page at one LUN stands for.
    page_share: u64,
    fairness_threshold: f64,
    flows: usize,
    /// By place in the slab.
    tickets: Vec<Ticket>,
    /// By LUN, flow and side.
    tracks: Vec<Track>,
    /// By LUN and flow: programs since the LUN's last erase.
    programs: Vec<u64>,
    collections: Vec<Collection>,
    /// The group that a new transaction belongs to, while its place is looked for.
    line: Vec<Waiting>,
    /// Of each flow in it: the sum of slowdowns, and their number.
    means: Vec<(f64, f64)>,
}

impl Flin {
    /// Nothing is known yet of that many flows.
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

    /// A transaction comes that goes to the end of its list, or, if it `is_first`, to the front, where it stays.
    pub fn note(&mut self, lun: LunId, id: TransactionId, t: &Transaction, is_first: bool, arrival: &Arrival) {
        let Arrival { now, service, .. } = *arrival;
        self.collections[lun.index()].steps += steps(t);
        self.keep(id, Ticket { queued: now, service, alone: service, is_low: is_first, is_tagged: is_first });
    }

    /// A page of a flow comes to a LUN. Returns the transaction of its list, which begins at `head`, that it goes behind; none
    /// if it goes first.
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

    /// Counts a transaction, and says whether its flow was of low intensity in the last epoch.
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

    /// Lists the group of a new transaction, in order. Returns the last one in front of the group, and how long from now a
    /// transaction at the group's end would begin.
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

    /// A transaction leaves its queue for the LUN.
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

    /// How many of the LUN's transactions of collection go before a write of this flow.
    pub fn owed(&mut self, lun: LunId, flow: u16) -> u64 {
        let programs = self.programs[lun.index() * self.flows + usize::from(flow)];
        let collection = &mut self.collections[lun.index()];
        *collection.owed.get_or_insert_with(|| (collection.steps * programs).div_ceil(collection.programs.max(1)))
    }

    /// Whether `read` has waited longer than `other` for what it takes: each as long as it has waited and would if the other one
    /// went first, behind what is `owed`.
    pub fn reads_first(&self, read: TransactionId, other: TransactionId, owed: &Owed, now: Time) -> bool {
        let ticket = |id: TransactionId| self.tickets[id.index()];
        let (read, other) = (ticket(read), ticket(other));
        let (read_takes, other_takes) = (u128::from(read.service.0), u128::from(other.service.0));
        let erase = owed.erase.map_or(0, |erase| u128::from(ticket(erase).service.0));
        let collection = u128::from(owed.steps) * (read_takes + other_takes) / 2 + erase;
        let waited = |ticket: Ticket| u128::from((now - ticket.queued).0);
        // Of a / b >= c / d both sides times b d.
        let read_waits = (waited(read) + other_takes + collection).saturating_mul(other_takes);
        let other_waits = (waited(other) + read_takes + collection).saturating_mul(read_takes);
        read_waits >= other_waits
    }
}

/// Reads and programs of a copy that a transaction of collection begins or ends.
fn steps(t: &Transaction) -> u64 {
    match (t.origin, t.operation) {
        (Origin::Gc, Operation::Read) => 2,
        (Origin::Gc, Operation::Program) => 1,
        _ => 0,
    }
}

impl Track {
    /// Adds a transaction to what the flow would do alone. Returns how long it would take there.
    fn go_on(&mut self, service: Time, now: Time) -> Time {
        self.alone_until = self.alone_until.max(now) + service;
        self.alone_until - now
    }
}

#[cfg(test)]
mod tests;
