//! Requests, page transactions, and their accounts of time. Each step charges the time since the last one.

use std::ops::{Index, IndexMut};

use crate::engine::arena::Slab;
use crate::engine::rarely::rarely;
use crate::engine::run::RunOptions;
use crate::engine::time::Time;
use crate::fabric::crossed::TransferDone;
use crate::flash::address::Layout;
use crate::flash::interface::Operation;
use crate::host::request::{Request, RequestId};
use crate::measure::blame::{Account, Cause, Ledger};
use crate::measure::charges::{self, Ledgers, RequestCharges};
use crate::measure::flow_interference::FlowInterference;
use crate::measure::probe::{Owner, Probe};
use crate::measure::root_cause::{Ended, RootCauses};
use crate::measure::statistics::Statistics;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Flag, OldPage, Origin, Outer, Rare, Transaction, TransactionId, Transactions};

pub struct PageWork<P: Probe> {
    pub transactions: Transactions,
    rare: Vec<Rare>,
    ledgers: Ledgers,
    pub interference: FlowInterference,
    pub root_causes: RootCauses,
    /// For probes that watch wires.
    numbers: Vec<u32>,
    pub probe: P,
    layout: Layout,
    made: u32,
}

pub struct Requests {
    live: Slab<RequestId, Request>,
    pub statistics: Statistics,
    ledgers: Ledgers,
}

impl Index<RequestId> for Requests {
    type Output = Request;

    #[inline(always)]
    fn index(&self, id: RequestId) -> &Request {
        &self.live[id]
    }
}

impl IndexMut<RequestId> for Requests {
    #[inline(always)]
    fn index_mut(&mut self, id: RequestId) -> &mut Request {
        &mut self.live[id]
    }
}

struct RequestAccount<'a> {
    request: &'a RequestCharges,
    page: Option<&'a Transaction>,
    ledgers: &'a Ledgers,
    ledgers_of_pages: &'a Ledgers,
}

impl Account for RequestAccount<'_> {
    #[inline(always)]
    fn add_to(&self, ledger: &mut Ledger) {
        self.request.add_to(ledger, &charges::OF_REQUEST, self.ledgers);
        match self.page {
            Some(page) if page.operation == Operation::Read => {
                page.charges.add_to(ledger, &charges::OF_READ, self.ledgers_of_pages);
            }
            Some(page) => page.charges.add_to(ledger, &charges::OF_PROGRAM, self.ledgers_of_pages),
            None => {}
        }
    }
}

impl<P: Probe> PageWork<P> {
    pub fn new(layout: &Layout, flows: usize, probe: P) -> Self {
        PageWork {
            transactions: Slab::new(),
            rare: Vec::new(),
            ledgers: Slab::new(),
            interference: FlowInterference::new(flows),
            root_causes: RootCauses::new(if probe.follows_waits() { layout.luns() } else { 0 }),
            numbers: Vec::new(),
            probe,
            layout: layout.clone(),
            made: 0,
        }
    }

    #[inline(always)]
    pub fn new_page(&mut self, transaction: Transaction) -> TransactionId {
        let (origin, since) = (transaction.origin, transaction.since);
        let has_own_time = !transaction.request.is_some() || origin == Origin::Trim;
        let id = self.transactions.insert_fields(transaction);
        if self.probe.watches_wires() {
            self.rare_mut(id).number = self.made;
        }
        if has_own_time {
            self.set_began(id, since);
        }
        self.made = self.made.wrapping_add(1);
        if self.interference.is_tracked() {
            self.interference.begin(id);
        }
        if self.probe.follows_waits() {
            self.root_causes.page_begins(id, origin.work(), since);
        }
        id
    }

    #[inline(always)]
    pub fn rare(&self, id: TransactionId) -> &Rare {
        if self.transactions[id].is(Flag::HasRare) { &self.rare[id.index()] } else { &Rare::NONE }
    }

    #[inline(always)]
    pub fn rare_mut(&mut self, id: TransactionId) -> &mut Rare {
        if !self.transactions[id].is(Flag::HasRare) {
            self.add_rare(id);
        }
        &mut self.rare[id.index()]
    }

    #[inline(never)]
    fn add_rare(&mut self, id: TransactionId) {
        self.transactions[id].set(Flag::HasRare, true);
        if self.rare.len() <= id.index() {
            self.rare.resize(id.index() + 1, Rare::NONE);
        }
        self.rare[id.index()] = Rare::NONE;
    }

    pub fn set_began(&mut self, id: TransactionId, time: Time) {
        self.transactions[id].set(Flag::HasOwnTime, true);
        self.rare_mut(id).began = time;
    }

    fn own_time(&self, id: TransactionId) -> Option<Time> {
        self.transactions[id].is(Flag::HasOwnTime).then(|| self.rare(id).began)
    }

    pub fn begins_with(&mut self, id: TransactionId, served: TransactionId) {
        self.transactions[id].request = self.transactions[served].request;
        match self.own_time(served) {
            Some(began) => self.set_began(id, began),
            None => self.transactions[id].set(Flag::HasOwnTime, false),
        }
    }

    #[inline(always)]
    pub fn leave_outer_codewords(&mut self, id: TransactionId) {
        if self.rare(id).outer != Outer::Unread {
            let rare = self.rare_mut(id);
            rare.outer = Outer::Unread;
            self.transactions[id].bytes = rare.asked;
        }
    }

    #[inline(always)]
    pub fn remove_page(&mut self, id: TransactionId) {
        if let Some(ledger) = self.transactions[id].charges.ledger() {
            self.ledgers.remove(ledger);
        }
        self.transactions.remove(id);
        if self.probe.follows_waits() {
            self.root_causes.page_ends(id);
        }
    }

    #[inline(always)]
    pub fn remove_awaited(&mut self, id: TransactionId, what: Ended) {
        if self.probe.follows_waits() {
            self.root_causes.ends(what, id);
        }
        self.remove_page(id);
    }

    /// A wait for what has just ended.
    #[inline(always)]
    pub fn charge_page_for(&mut self, id: TransactionId, what: Ended, cause: Cause, now: Time) {
        if self.probe.follows_waits() {
            self.root_causes.page_waited_for(what, id, cause, now);
        }
        self.charge_page(id, cause, now);
    }

    #[inline(always)]
    pub fn charge_page(&mut self, id: TransactionId, cause: Cause, now: Time) {
        let cause = self.blame_page(id, cause, now);
        if self.probe.follows_waits() {
            self.root_causes.charge_page(id, cause, now);
        }
    }

    /// Returns the cause charged.
    #[inline(always)]
    pub fn blame_page(&mut self, id: TransactionId, cause: Cause, now: Time) -> Cause {
        let t = &mut self.transactions[id];
        let cause = if t.is(Flag::Retrying) { Cause::Retry } else { cause };
        let since = std::mem::replace(&mut t.since, now);
        t.charges.enter(cause, now - since, &mut self.ledgers);
        self.tell_page(id, cause, since, now);
        cause
    }

    /// Whether root causes have yet to come to where blame has.
    #[inline(always)]
    pub fn has_lagging_causes(&self, id: TransactionId) -> bool {
        self.probe.follows_waits() && rarely(self.root_causes.lag(id, self.transactions[id].since))
    }

    /// Returns how much of at most `span` that was.
    #[inline(always)]
    pub fn charge_page_up_to(&mut self, id: TransactionId, cause: Cause, span: Time, now: Time) -> Time {
        let part = self.blame_page_up_to(id, cause, span, now);
        if self.probe.follows_waits() {
            let t = &self.transactions[id];
            let cause = if t.is(Flag::Retrying) { Cause::Retry } else { cause };
            self.root_causes.charge_page(id, cause, t.since);
        }
        part
    }

    #[inline(always)]
    pub fn blame_page_up_to(&mut self, id: TransactionId, cause: Cause, span: Time, now: Time) -> Time {
        let t = &mut self.transactions[id];
        let cause = if t.is(Flag::Retrying) { Cause::Retry } else { cause };
        let since = t.since;
        let part = span.min(now - since);
        t.since += part;
        t.charges.enter(cause, part, &mut self.ledgers);
        self.tell_page(id, cause, since, since + part);
        part
    }

    /// Whether anybody reads the page's account. Collection's pages end without a request.
    #[inline(always)]
    pub fn is_accounted(&self, id: TransactionId) -> bool {
        self.transactions[id].origin != Origin::Gc || self.probe.watches_wires() || self.interference.is_tracked()
    }

    /// As [`PageWork::blame_page_up_to`], for a page whose account nobody reads.
    #[inline(always)]
    pub fn pass_over(&mut self, id: TransactionId, span: Time, now: Time) {
        let t = &mut self.transactions[id];
        t.since += span.min(now - t.since);
    }

    #[inline(always)]
    pub fn charge_path_conflict(&mut self, id: TransactionId, now: Time) {
        let waited = self.transactions[id].since < now;
        if waited {
            self.transactions[id].set(Flag::PathConflict, true);
        }
        if waited || self.has_lagging_causes(id) {
            self.charge_page(id, Cause::PathConflict, now);
        }
    }

    #[inline(always)]
    pub fn charge_crossing(&mut self, id: TransactionId, crossed: &TransferDone, now: Time) {
        if crossed.met_nothing() {
            return;
        }
        if crossed.conflict > Time::ZERO {
            self.transactions[id].set(Flag::PathConflict, true);
        }
        self.charge_page_up_to(id, Cause::CommandTransfer, crossed.before, now);
        self.charge_page_up_to(id, Cause::PathConflict, crossed.conflict, now);
        self.charge_page_up_to(id, Cause::ChipBusyUser, crossed.port, now);
        self.charge_page_up_to(id, Cause::PathReservation, crossed.setup, now);
    }

    #[inline(always)]
    pub fn charge_flash_pages(&mut self, firsts: &[TransactionId], cause: Cause, now: Time) {
        for &first in firsts {
            let mut group = FlashPageGroup::of(first);
            while let Some(id) = group.next(&self.transactions) {
                self.charge_page(id, cause, now);
            }
        }
    }

    #[inline(always)]
    fn tell_page(&mut self, id: TransactionId, cause: Cause, since: Time, until: Time) {
        if self.probe.watches_wires() && since < until {
            let plane = self.transactions[id].concerned();
            let chip = plane.is_some().then(|| self.layout.chip_of_plane(plane));
            let owner = self.owner(id);
            self.probe.notify(|observer| observer.charged(owner, cause, since, until, chip));
        }
    }

    pub fn owner(&self, id: TransactionId) -> Owner {
        if !self.probe.watches_wires() {
            return Owner::NONE;
        }
        let t = &self.transactions[id];
        let asking = match t.old_page() {
            OldPage::For(write) if t.origin == Origin::OldPage => &self.transactions[write],
            _ => t,
        };
        Owner { request: self.number_of(asking.request), page: self.rare(id).number, work: asking.origin.work() }
    }

    fn note_number(&mut self, request: RequestId, number: u32) {
        if self.numbers.len() <= request.index() {
            self.numbers.resize(request.index() + 1, Owner::NONE.request);
        }
        self.numbers[request.index()] = number;
    }

    fn number_of(&self, request: RequestId) -> u32 {
        self.numbers.get(request.index()).copied().unwrap_or(Owner::NONE.request)
    }
}

impl Requests {
    pub fn new(flows: usize, has_handles: bool, options: &RunOptions) -> Self {
        let statistics = Statistics::new(flows, has_handles, options.warmup, options.records);
        Requests { live: Slab::new(), statistics, ledgers: Slab::new() }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    #[inline(always)]
    pub fn new_request<P: Probe>(&mut self, pages: &mut PageWork<P>, request: Request) -> RequestId {
        let (arrival, number) = (request.arrival, request.number);
        let id = self.live.insert_fields(request);
        if pages.probe.watches_wires() {
            pages.note_number(id, number);
        }
        if pages.probe.follows_waits() {
            pages.root_causes.request_begins(id, arrival);
        }
        id
    }

    /// A prefetch.
    #[inline(always)]
    pub fn expect<P: Probe>(&self, pages: &PageWork<P>, id: RequestId) {
        self.live.expect(id);
        if pages.probe.follows_waits() {
            pages.root_causes.expect_request(id);
        }
    }

    #[inline(always)]
    pub fn expect_last_page<P: Probe>(&self, pages: &PageWork<P>, id: RequestId) {
        let last = self[id].last_page;
        pages.transactions.expect(last);
        if pages.probe.follows_waits() {
            pages.root_causes.expect_page(last);
        }
    }

    pub fn began<P: Probe>(&self, pages: &PageWork<P>, id: TransactionId) -> Time {
        match pages.own_time(id) {
            Some(began) => began,
            None => self[pages.transactions[id].request].arrival,
        }
    }

    #[inline(always)]
    pub fn charge<P: Probe>(&mut self, pages: &mut PageWork<P>, id: RequestId, cause: Cause, now: Time) {
        let request = &mut self.live[id];
        let since = std::mem::replace(&mut request.since, now);
        request.charges.enter(cause, now - since, &mut self.ledgers);
        if pages.probe.follows_waits() {
            pages.root_causes.charge_request(id, cause, now);
        }
        if pages.probe.watches_wires() && since < now {
            let owner = Owner::of_request(request.number);
            pages.probe.notify(|observer| observer.charged(owner, cause, since, now, None));
        }
    }

    /// The last page's account is the request's.
    #[inline(always)]
    pub fn close_account<P: Probe>(&mut self, pages: &mut PageWork<P>, id: RequestId, last: TransactionId, now: Time) {
        debug_assert_eq!(pages.transactions[last].since, now);
        let request = &mut self.live[id];
        request.since = now;
        request.last_page = last;
        if pages.probe.follows_waits() {
            pages.root_causes.last_page(id, last);
        }
    }

    #[inline(always)]
    pub fn complete<P: Probe>(&mut self, pages: &mut PageWork<P>, id: RequestId, now: Time) {
        let request = &self.live[id];
        let (last, others) = (request.last_page, request.charges.ledger());
        let PageWork { transactions, ledgers: ledgers_of_pages, root_causes, probe, .. } = pages;
        let page = last.is_some().then(|| &transactions[last]);
        let account = RequestAccount { request: &request.charges, page, ledgers: &self.ledgers, ledgers_of_pages };
        let follows = probe.follows_waits();
        self.statistics.count_request(request, &account, follows.then(|| root_causes.account(id)).as_ref(), now);
        if follows {
            root_causes.request_ends(id);
        }
        self.live.remove(id);
        if let Some(others) = others {
            self.ledgers.remove(others);
        }
        if last.is_some() {
            pages.remove_page(last);
        }
    }
}
