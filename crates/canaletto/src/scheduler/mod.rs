//! The scheduler: what a free LUN works on next, and which transfers a free path is offered to.
//!
//! - In: transactions to [queue](Scheduler::push), LUNs that [can take a command](Scheduler::set_ready), read data
//!   that [wait for a path](Scheduler::line_up_data), domains that [changed](Scheduler::touch).
//! - Out: the [next LUN](Scheduler::next_ready), its [next command](queues::Queues::next_command), the [next
//!   data](Scheduler::first_data).
//! - State: every LUN's queues; per domain, whose turn it is and what waits.
//!
//! Within a LUN reads go before writes before erases, user requests before garbage collection unless that is urgent,
//! and further planes of the die join the first one's command. [`flin`] orders by fairness instead, [`custom`] by a
//! rule.

// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

pub mod classes;
pub mod custom;
pub mod flash_page_group;
pub mod flin;
pub mod orders;
pub mod queues;
pub mod transaction;

use std::collections::VecDeque;
use std::ops::Range;

use crate::config::design::{DataQueue, Design, TransferOrder};
use crate::config::units::Duration;
use crate::config::workload::Priority;
use crate::engine::fifo::Fifo;
use crate::engine::ring::Ring;
use crate::engine::time::Time;
use crate::fabric::DomainId;
use crate::flash::address::{Layout, LunId};
use crate::flash::interface::Control;
use crate::scheduler::queues::{Queues, Transactions};
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

const DATA_CLASSES: usize = 3;

struct Domain {
    first_lun: u32,
    luns: u32,
    /// By number within the domain.
    ready: Ring,
    next_index: u32,
    data: [Fifo<TransactionId>; DATA_CLASSES],
    data_waiting: u32,
    midway: VecDeque<(LunId, Midway)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Midway {
    Copyback,
    Control(Control),
    /// Operand or result of a task.
    Operand(TransactionId),
}

/// Where a walk round a domain's LUNs has come to.
pub struct Walk {
    from: u32,
    start: u32,
    wrapped: bool,
}

pub struct Scheduler {
    pub queues: Queues,
    domains: Vec<Domain>,
    lun_domains: Vec<DomainId>,
    touched: Ring,
    is_touched: bool,
    data_queue: DataQueue,
    pub order: TransferOrder,
    order_bound: Time,
}

impl Scheduler {
    pub fn new(
        design: &Design,
        layout: &Layout,
        priorities: &[Priority],
        domains: impl Iterator<Item = Range<u32>>,
    ) -> Scheduler {
        let domain = |chips: Range<u32>| {
            let luns = (chips.end - chips.start) * layout.luns_per_chip;
            Domain {
                first_lun: chips.start * layout.luns_per_chip,
                luns,
                ready: Ring::new(luns),
                next_index: 0,
                data: Default::default(),
                data_waiting: 0,
                midway: VecDeque::new(),
            }
        };
        let domains: Vec<Domain> = domains.map(domain).collect();
        let mut lun_domains = vec![DomainId(0); layout.luns() as usize];
        for (number, domain) in domains.iter().enumerate() {
            let luns = domain.first_lun as usize..(domain.first_lun + domain.luns) as usize;
            lun_domains[luns].fill(DomainId(number as u32));
        }
        Scheduler {
            queues: Queues::new(layout, design, priorities),
            touched: Ring::new(domains.len() as u32),
            is_touched: false,
            domains,
            lun_domains,
            data_queue: design.fabric.data_queue,
            order: design.fabric.transfer_order,
            order_bound: design.fabric.order_bound.map_or(Time::MAX, Duration::time),
        }
    }

    #[inline]
    pub fn domain_of(&self, lun: LunId) -> DomainId {
        self.lun_domains[lun.index()]
    }

    /// Returns the domain.
    #[inline(always)]
    pub fn set_ready(&mut self, lun: LunId, ready: bool) -> DomainId {
        let domain = self.domain_of(lun);
        let d = &mut self.domains[domain.index()];
        d.ready.set(lun.0 - d.first_lun, ready);
        domain
    }

    /// Until something changes.
    #[inline]
    pub fn set_blocked(&mut self, lun: LunId) {
        let d = &mut self.domains[self.lun_domains[lun.index()].index()];
        d.ready.set(lun.0 - d.first_lun, false);
    }

    /// Has a domain be offered its paths, if anything could take one.
    #[inline(always)]
    pub fn touch(&mut self, domain: DomainId) {
        let d = &self.domains[domain.index()];
        let is_empty = d.ready.is_empty() && d.data_waiting == 0 && d.midway.is_empty();
        if !is_empty || self.queues.must_poll() {
            self.touched.set(domain.0, true);
            self.is_touched = true;
        }
    }

    #[inline(always)]
    pub fn touch_all_if_noticed(&mut self) {
        if self.queues.must_poll() {
            (0..self.domains.len() as u32).for_each(|domain| self.touch(DomainId(domain)));
        }
    }

    #[inline]
    pub fn is_touched(&self) -> bool {
        self.is_touched
    }

    /// At or after `from`.
    #[inline]
    pub fn next_touched(&self, from: u32) -> Option<DomainId> {
        self.touched.first_in(from, self.domains.len() as u32).map(DomainId)
    }

    #[inline]
    pub fn offered(&mut self, domain: DomainId) {
        self.touched.set(domain.0, false);
        self.is_touched = !self.touched.is_empty();
    }

    /// Or must be looked at all the same.
    #[inline]
    pub fn may_have_command(&self, domain: DomainId) -> bool {
        !self.domains[domain.index()].ready.is_empty() || self.queues.must_poll()
    }

    #[inline]
    pub fn walk(&self, domain: DomainId) -> Walk {
        let start = self.domains[domain.index()].next_index;
        Walk { from: start, start, wrapped: false }
    }

    #[inline(always)]
    pub fn next_ready(&self, domain: DomainId, walk: &mut Walk) -> Option<LunId> {
        let d = &self.domains[domain.index()];
        loop {
            let end = if walk.wrapped { walk.start } else { d.luns };
            if let Some(place) = d.ready.first_in(walk.from, end) {
                walk.from = place + 1;
                return Some(LunId(d.first_lun + place));
            }
            if walk.wrapped {
                return None;
            }
            (walk.from, walk.wrapped) = (0, true);
        }
    }

    pub fn all_luns(&self, domain: DomainId) -> impl Iterator<Item = LunId> + use<> {
        let Domain { first_lun, luns, next_index, .. } = self.domains[domain.index()];
        (0..luns).map(move |step| LunId(first_lun + (next_index + step) % luns))
    }

    #[inline]
    pub fn pass_turn(&mut self, domain: DomainId, lun: LunId) {
        let d = &mut self.domains[domain.index()];
        let next = lun.0 - d.first_lun + 1;
        d.next_index = if next == d.luns { 0 } else { next };
    }

    #[inline(always)]
    pub fn line_up_data(&mut self, id: TransactionId, origin: Origin, lun: LunId) {
        let class = match origin {
            Origin::Mapping => 0,
            Origin::Gc => 2,
            _ => 1,
        };
        let domain = self.domain_of(lun);
        let d = &mut self.domains[domain.index()];
        d.data[class].push(id);
        d.data_waiting += 1;
    }

    #[inline]
    pub fn has_data(&self, domain: DomainId) -> bool {
        self.domains[domain.index()].data_waiting > 0
    }

    /// Data lined up until then go before commands.
    #[inline]
    pub fn overdue_until(&self, domain: DomainId, transactions: &Transactions, now: Time) -> Option<Time> {
        let until = Time(now.0.checked_sub(self.order_bound.0)?);
        // In each class those that have waited longest are in front.
        let mut oldest = self.domains[domain.index()].data.iter().filter_map(Fifo::first);
        oldest.any(|&id| transactions[id].since <= until).then_some(until)
    }

    /// The class and the first of the first class, where they go in turn.
    #[inline(always)]
    pub fn first_data(&self, domain: DomainId) -> Option<(usize, TransactionId)> {
        if self.data_queue != DataQueue::Fifo {
            return None;
        }
        let data = &self.domains[domain.index()].data;
        for (class, waiting) in data.iter().enumerate() {
            if let Some(&first) = waiting.first() {
                return Some((class, first));
            }
        }
        None
    }

    #[inline(always)]
    pub fn take_first_data(&mut self, domain: DomainId, class: usize) {
        let d = &mut self.domains[domain.index()];
        d.data_waiting -= 1;
        d.data[class].pop();
    }

    /// By classes, where `is_free` says that a path is free. Returns the class and the place in it.
    pub fn find_data(
        &self,
        domain: DomainId,
        transactions: &Transactions,
        began: impl Fn(TransactionId) -> Time,
        is_free: impl Fn(&Transaction) -> bool,
    ) -> Option<(usize, usize)> {
        let data = &self.domains[domain.index()].data;
        data.iter().enumerate().find_map(|(class, waiting)| {
            let mut free = waiting.iter().enumerate().filter(|(_, id)| is_free(&transactions[**id]));
            let found = match self.data_queue {
                DataQueue::Fifo => free.next(),
                DataQueue::OldestRequest => free.min_by_key(|(_, id)| began(**id)),
            };
            found.map(|(place, _)| (class, place))
        })
    }

    pub fn take_data(&mut self, domain: DomainId, class: usize, place: usize) -> TransactionId {
        let d = &mut self.domains[domain.index()];
        d.data_waiting -= 1;
        d.data[class].remove(place)
    }

    pub fn line_up_midway(&mut self, domain: DomainId, lun: LunId, what: Midway) {
        self.domains[domain.index()].midway.push_back((lun, what));
    }

    #[inline]
    pub fn has_midway(&self, domain: DomainId) -> bool {
        !self.domains[domain.index()].midway.is_empty()
    }

    pub fn next_midway(
        &mut self,
        domain: DomainId,
        is_free: impl Fn(LunId, Midway) -> bool,
    ) -> Option<(LunId, Midway)> {
        let waiting = &mut self.domains[domain.index()].midway;
        let place = waiting.iter().position(|&(lun, what)| is_free(lun, what))?;
        waiting.remove(place)
    }
}
