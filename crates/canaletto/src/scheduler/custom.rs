//! Orders by rule, built in or user-defined.
//!
//! ```text
//! engine ─ 17, 18 have come to their LUNs, 9 has gone ─────────> rule     in batches, before it is asked
//! engine ─ LUN 3 is free: 11, 14 and 17 can be issued ─────────> rule     if there is more than one
//! engine <──────────────────────────────────────── 14 goes next ─ rule     checked; others join it in one command
//! ```
//! A transaction is passed over at most [`MOST_OVERTAKES`] times, or a rule could keep the drive at work without end.
//! Without a rule the first goes first.

use crate::config::design::Scheduler as Config;
pub use crate::config::own::order::{OrderRule, Turn, Waiting};
use crate::engine::memory::end_run;
use crate::engine::time::Time;
use crate::flash::address::{Layout, LunId};
use crate::flash::interface::Operation;
use crate::scheduler::flin::Arrival;
use crate::scheduler::orders::first_come::FirstCome;
use crate::scheduler::orders::rule;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

/// Assumed: more than any order needs. At 10 µs each they take a second.
pub const MOST_OVERTAKES: u64 = 100_000;

const BATCH: usize = 256;

#[derive(Clone, Copy)]
struct Ticket {
    number: u64,
    queued: Time,
    began: Time,
    service: Time,
    commands: u64,
}

pub struct Ruled {
    rule: Option<Box<dyn OrderRule>>,
    planes_per_lun: u32,
    tickets: Vec<Option<Ticket>>,
    commands: Vec<u64>,
    next: u64,
    arrived: Vec<Waiting>,
    gone: Vec<u64>,
    ready: Vec<(Waiting, Place)>,
    shown: Vec<Waiting>,
}

#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub id: TransactionId,
    pub previous: TransactionId,
    pub list: usize,
}

impl Ruled {
    pub fn new(config: &Config, layout: &Layout) -> Option<Ruled> {
        config.policy.is_rule().then(|| Ruled {
            rule: rule(config),
            planes_per_lun: layout.planes_per_lun,
            tickets: Vec::new(),
            commands: vec![0; layout.luns() as usize],
            next: 0,
            arrived: Vec::new(),
            gone: Vec::new(),
            ready: Vec::new(),
            shown: Vec::new(),
        })
    }

    pub fn arrives(&mut self, lun: LunId, id: TransactionId, t: &Transaction, arrival: &Arrival) {
        if self.tickets.len() <= id.index() {
            self.tickets.resize(id.index() + 1, None);
        }
        let Arrival { now, began, service, .. } = *arrival;
        let ticket = Ticket { number: self.next, queued: now, began, service, commands: self.commands[lun.index()] };
        self.next += 1;
        self.tickets[id.index()] = Some(ticket);
        if self.rule.is_some() {
            self.arrived.push(self.waiting(&ticket, t));
            self.tell_if(BATCH);
        }
    }

    pub fn goes(&mut self, id: TransactionId) {
        let ticket = self.tickets[id.index()].take().expect("what goes has come");
        if self.rule.is_some() {
            self.gone.push(ticket.number);
            self.tell_if(BATCH);
        }
    }

    fn waiting(&self, ticket: &Ticket, t: &Transaction) -> Waiting {
        let for_itself = matches!(t.origin, Origin::Gc | Origin::Mapping);
        Waiting {
            number: ticket.number,
            operation: t.operation,
            origin: t.origin,
            flow: (!for_itself).then_some(t.flow),
            priority: t.priority as u8,
            lun: LunId(t.ppa.plane.0 / self.planes_per_lun),
            plane: t.ppa.plane,
            bytes: t.bytes,
            queued: ticket.queued,
            began: ticket.began,
            service: ticket.service,
        }
    }

    fn tell_if(&mut self, much: usize) {
        if let Some(rule) = self.rule.as_mut().filter(|_| self.arrived.len() + self.gone.len() >= much) {
            rule.hear(&self.arrived, &self.gone).unwrap_or_else(|why| end_run(format!("scheduler: {why}")));
            self.arrived.clear();
            self.gone.clear();
        }
    }

    pub fn look(&mut self) {
        self.ready.clear();
    }

    pub fn can_go(&mut self, place: Place, t: &Transaction) {
        let ticket = self.tickets[place.id.index()].expect("what waits has come");
        let waiting = self.waiting(&ticket, t);
        self.ready.push((waiting, place));
    }

    pub fn choose(&mut self, lun: LunId, gc_urgent: bool, now: Time) -> Option<Place> {
        self.ready.sort_unstable_by_key(|(waiting, _)| waiting.number);
        let oldest = self.ready.first()?.1;
        let chosen = match self.ready.len() {
            1 => oldest,
            _ => self.ask(lun, gc_urgent, now),
        };
        let commands = &mut self.commands[lun.index()];
        *commands += 1;
        let ticket = self.tickets[oldest.id.index()].expect("what waits has come");
        if chosen.id != oldest.id && *commands - ticket.commands > MOST_OVERTAKES {
            let passed = named(&self.ready[0].0);
            end_run(format!(
                "scheduler: {passed} has waited for LUN {} since {:?}, and can be issued, but {MOST_OVERTAKES} commands went before \
                 it: expected an order in which everything comes to its turn",
                lun.0, ticket.queued
            ));
        }
        Some(chosen)
    }

    fn ask(&mut self, lun: LunId, gc_urgent: bool, now: Time) -> Place {
        self.tell_if(1);
        self.shown.clear();
        self.shown.extend(self.ready.iter().map(|(waiting, _)| waiting));
        let turn = Turn { now, lun, gc_urgent, ready: &self.shown };
        let chosen = self.rule.as_mut().map_or_else(|| FirstCome.choose(&turn), |rule| rule.choose(&turn));
        let number =
            chosen.unwrap_or_else(|why| end_run(format!("scheduler, LUN {}: {why}, {}", lun.0, self.allowed())));
        match self.ready.binary_search_by_key(&number, |(waiting, _)| waiting.number) {
            Ok(at) => self.ready[at].1,
            Err(_) => end_run(format!("scheduler, LUN {}: got transaction {number}, {}", lun.0, self.allowed())),
        }
    }

    fn allowed(&self) -> String {
        let listed: Vec<String> = self.shown.iter().take(4).map(named).collect();
        let more = if self.shown.len() > listed.len() { ", …" } else { "" };
        let count = self.shown.len();
        format!("expected one of the {count} that can be issued: {}{more}", listed.join(", "))
    }
}

fn named(waiting: &Waiting) -> String {
    let operation = match waiting.operation {
        Operation::Read => "read",
        Operation::Program => "program",
        Operation::Erase => "erase",
    };
    format!("{} ({operation} in plane {})", waiting.number, waiting.plane.0)
}
