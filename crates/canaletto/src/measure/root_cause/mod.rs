//! Root causes: every wait is passed on to what its holder was doing, until somebody worked.
//!
//! [`blame`](crate::measure::blame) charges a wait for a busy chip to that chip. Here a page that waits while the
//! chip's register waits for the wires is charged to these.
//!
//! - A LUN has one [`History`]: command on its way, array at work, data in a register or crossing, ready and waiting
//!   for a path. A waiting page takes its sums over the wait.
//! - Of several holders the one that let go is followed. This may be a holder of a queue's slot, room in the write
//!   buffer, an earlier write of the page, a mapping entry, an old page, a block. The holder's [`Trail`] holds its
//!   steps meanwhile.
//! - Waits for the link, the controller's inside and a path are not passed on.
//!
//! The hooks are called where [`Probe::follows_waits`](crate::measure::probe::Probe::follows_waits) says so.

mod history;
mod trail;

use std::collections::BTreeMap;
use std::ops::Range;

use history::{History, ROOM};
use trail::{MOST, Step};

use crate::engine::arena::CACHED;
use crate::engine::fifo::Fifo;
use crate::engine::memory::expect;
use crate::engine::time::Time;
use crate::fabric::crossed::TransferDone;
use crate::flash::address::LunId;
use crate::host::request::RequestId;
use crate::measure::blame::{Account, Cause, Ledger};
use crate::measure::probe::Work;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, Debug)]
pub enum Slots {
    Submission(u16),
    /// Or of all queues together.
    Commands(u16),
}

impl Slots {
    const KINDS: usize = 2;

    #[inline]
    fn kind(self) -> usize {
        match self {
            Slots::Submission(_) => 0,
            Slots::Commands(_) => 1,
        }
    }

    #[inline]
    fn number(self) -> usize {
        let (Slots::Submission(queue) | Slots::Commands(queue)) = self;
        usize::from(queue) * Slots::KINDS + self.kind()
    }

    #[inline]
    fn cause(self) -> Cause {
        match self {
            Slots::Submission(_) => Cause::HostQueue,
            Slots::Commands(_) => Cause::DeviceQueue,
        }
    }
}

#[derive(Clone, Copy)]
pub enum Ended {
    OldPage,
    Translation,
    Write,
    Destage,
    Erase,
}

impl Ended {
    const COUNT: usize = 5;
}

impl Cause {
    fn own(self) -> Option<Cause> {
        match self {
            Cause::ReadModifyWrite | Cause::MappingMiss => Some(self),
            Cause::Flush => Some(Cause::ArrayProgram),
            _ => None,
        }
    }

    fn of_holder(self, work: Work) -> Cause {
        match (self, work) {
            (Cause::CommandTransfer | Cause::DataTransfer, _) => Cause::TransferOfOthers,
            (Cause::ArrayRead, Work::Gc) => Cause::ChipBusyGcRead,
            (Cause::ArrayProgram, Work::Gc) => Cause::ChipBusyGcProgram,
            (Cause::ArrayRead | Cause::ArrayProgram, Work::Mapping) => Cause::ChipBusyMapping,
            (Cause::ArrayRead | Cause::ArrayProgram, Work::Parity) => Cause::ChipBusyParity,
            (Cause::ArrayRead | Cause::ArrayProgram, Work::Host | Work::Cache) => Cause::ChipBusyUser,
            (cause, _) => cause,
        }
    }
}

struct Lun {
    history: History,
    doing: Cause,
    is_busy: bool,
    crossing: u32,
}

impl Lun {
    #[inline(always)]
    fn add_path_wait(&mut self, port_free_at: Time, now: Time) {
        self.history.add(Cause::TransferOfOthers, port_free_at.min(now));
        self.history.add(Cause::PathConflict, now);
    }

    #[inline(always)]
    fn add_crossing(&mut self, crossed: &TransferDone, now: Time) {
        if crossed.conflict + crossed.port + crossed.setup == Time::ZERO {
            return self.history.add(Cause::TransferOfOthers, now);
        }
        let since = self.history.since() + crossed.before;
        let stopped = since + crossed.conflict;
        let (at_port, set_up) = (stopped + crossed.port, stopped + crossed.port + crossed.setup);
        self.history.add(Cause::TransferOfOthers, since.min(now));
        self.history.add(Cause::PathConflict, stopped.min(now));
        self.history.add(Cause::TransferOfOthers, at_port.min(now));
        self.history.add(Cause::PathReservation, set_up.min(now));
        self.history.add(Cause::TransferOfOthers, now);
    }
}

type Page = trail::Trail<13>;

type Request = trail::Trail<8>;

struct Slot {
    /// Since it was given back while somebody waited.
    past: Option<Box<Past>>,
    taken: Time,
}

struct Past {
    /// While somebody waited.
    history: History,
    asked: Time,
}

impl Slot {
    fn history(&mut self) -> &mut History {
        let past = || Box::new(Past { history: History::NEW, asked: Time::ZERO });
        &mut self.past.get_or_insert_with(past).history
    }
}

#[derive(Default)]
struct Pool {
    is_numbered: bool,
    /// Without a number, and the most ever.
    used: u32,
    most: u32,
    free: Fifo<u32>,
    wanted: Option<Time>,
}

struct Held {
    luns: Vec<Lun>,
    slots: Vec<Slot>,
}

impl Held {
    /// Returns its number.
    #[cold]
    fn new_slot(&mut self, taken: Time) -> u32 {
        self.slots.push(Slot { past: None, taken });
        self.slots.len() as u32 - 1
    }

    fn pass_on<const N: usize>(
        &self,
        holder: &Page,
        waited: &mut trail::Trail<N>,
        otherwise: Cause,
        now: Time,
        spans: &mut Vec<(Time, Cause)>,
    ) {
        if holder.since() == now {
            self.follow(holder, &[], waited.since()..now, otherwise, spans);
            spans.drain(..).for_each(|(until, cause)| waited.charge(cause, until));
        }
    }

    fn follow<const N: usize>(
        &self,
        holder: &trail::Trail<N>,
        pages: &[Page],
        during: Range<Time>,
        otherwise: Cause,
        spans: &mut Vec<(Time, Cause)>,
    ) {
        debug_assert!(spans.is_empty());
        let Range { start, end } = during;
        if holder.began() > start {
            spans.push((holder.began().min(end), otherwise));
        }
        let mut retrace = |until: Time, step| {
            let (from, until) = (spans.last().map_or(start, |&(until, _)| until), until.min(end));
            match step {
                Step::Cause(cause) => {
                    let seen = cause.of_holder(holder.work);
                    spans.push((until, if seen == cause { cause } else { otherwise.own().unwrap_or(seen) }));
                }
                Step::Lun(lun) => spans.extend(self.luns[lun.index()].history.between(from, until)),
                Step::Slot(number) => {
                    let past = self.slots[number as usize].past.iter();
                    spans.extend(past.flat_map(|past| past.history.between(from, until)));
                }
                Step::Part(_) | Step::Page(_) => unreachable!("parts have no time of their own, and pages no pages"),
            }
        };
        for (until, step) in holder.after(start) {
            match step {
                Step::Page(page) => pages[page.index()].after(start).for_each(|(until, step)| retrace(until, step)),
                step => retrace(until, step),
            }
        }
        spans.push((end, otherwise));
    }
}

pub struct RootCauses {
    pages: Vec<Page>,
    requests: Vec<Request>,
    /// [`Time::MAX`] for pages without a past. Apart from the trails, because [`RootCauses::forget`] reads all.
    looking_back: Vec<Time>,
    flushes: BTreeMap<RequestId, Time>,
    slots: Vec<[u32; Slots::KINDS]>,
    held: Held,
    /// Before old spans are looked for.
    room_of_slots: isize,
    pools: Vec<Pool>,
    ended: [Page; Ended::COUNT],
    followed: Vec<(Time, Cause)>,
    #[cfg(test)]
    looks: u32,
}

struct RequestAccount<'a> {
    root_causes: &'a RootCauses,
    id: RequestId,
}

impl Account for RequestAccount<'_> {
    fn add_to(&self, ledger: &mut Ledger) {
        self.root_causes.requests[self.id.index()].add_to(ledger, &self.root_causes.pages);
    }
}

impl RootCauses {
    pub fn new(luns: u32) -> RootCauses {
        let lun = |_| Lun { history: History::NEW, doing: Cause::FreeBlocks, is_busy: false, crossing: 0 };
        RootCauses {
            pages: Vec::new(),
            requests: Vec::new(),
            looking_back: Vec::new(),
            flushes: BTreeMap::new(),
            slots: Vec::new(),
            held: Held { luns: (0..luns).map(lun).collect(), slots: Vec::new() },
            room_of_slots: 0,
            pools: Vec::new(),
            ended: [const { Page::NONE }; Ended::COUNT],
            followed: Vec::new(),
            #[cfg(test)]
            looks: 0,
        }
    }

    #[inline(always)]
    pub fn request_begins(&mut self, id: RequestId, now: Time) {
        at(&mut self.requests, id.index(), || Request::NONE).begin(Work::Host, now);
        at(&mut self.slots, id.index(), || [NO_SLOT; Slots::KINDS]);
    }

    #[inline(always)]
    pub fn expect_request(&self, id: RequestId) {
        if self.requests.len() > CACHED {
            self.requests.get(id.index()).into_iter().for_each(expect);
            self.slots.get(id.index()).into_iter().for_each(expect);
        }
    }

    #[inline(always)]
    pub fn expect_page(&self, id: TransactionId) {
        if self.pages.len() > CACHED {
            self.pages.get(id.index()).into_iter().for_each(expect);
        }
    }

    pub fn flush_begins(&mut self, id: RequestId) {
        self.flushes.insert(id, self.requests[id.index()].began());
    }

    #[inline(always)]
    pub fn page_begins(&mut self, id: TransactionId, work: Work, now: Time) {
        at(&mut self.pages, id.index(), || Page::NONE).begin(work, now);
        *at(&mut self.looking_back, id.index(), || Time::MAX) = now;
    }

    #[inline(always)]
    pub fn page_ends(&mut self, id: TransactionId) {
        self.looking_back[id.index()] = Time::MAX;
        self.pages[id.index()].end();
    }

    #[inline(always)]
    pub fn last_page(&mut self, request: RequestId, page: TransactionId) {
        self.looking_back[page.index()] = Time::MAX;
        self.requests[request.index()].go_through(page, &self.pages[page.index()]);
    }

    pub fn account(&self, id: RequestId) -> impl Account {
        RequestAccount { root_causes: self, id }
    }

    #[inline(always)]
    pub fn request_ends(&mut self, id: RequestId) {
        self.requests[id.index()].end();
        if !self.flushes.is_empty() {
            self.flushes.remove(&id);
        }
    }

    #[inline(always)]
    pub fn charge_request(&mut self, id: RequestId, cause: Cause, until: Time) {
        self.requests[id.index()].charge(cause, until);
    }

    #[inline(always)]
    pub fn charge_page(&mut self, id: TransactionId, cause: Cause, until: Time) {
        let cause = if cause == Cause::ChipBusyUser { Cause::TransferOfOthers } else { cause };
        self.pages[id.index()].charge(cause, until);
    }

    #[inline(always)]
    pub fn lag(&self, id: TransactionId, now: Time) -> bool {
        self.pages[id.index()].since() < now
    }

    pub fn lun_wanted(&mut self, id: TransactionId, lun: LunId, now: Time) {
        let page = &mut self.pages[id.index()];
        debug_assert_eq!(page.since(), now, "all of a page's time up to its wait is charged");
        (page.lun, page.lun_was_at) = (lun, self.held.luns[lun.index()].history.next());
    }

    /// From `ready_at` on it waited for a path alone.
    #[inline]
    pub fn lun_given(&mut self, id: TransactionId, lun: LunId, ready_at: Time, now: Time) {
        let page = &mut self.pages[id.index()];
        let wanted = std::mem::replace(&mut page.lun, LunId::NONE);
        if wanted.is_some() && page.since() < now {
            debug_assert_eq!(wanted, lun, "a wait ends where it began");
            page.waited_for_lun(lun, &self.held.luns[lun.index()].history, ready_at, now);
        }
    }

    /// It may wait for a path.
    #[inline(always)]
    pub fn lun_is_open(&mut self, lun: LunId, waits_for_path: bool, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        if lun.is_busy || lun.crossing > 0 {
            return;
        }
        let doing = if waits_for_path { Cause::PathConflict } else { Cause::FreeBlocks };
        if doing != lun.doing {
            lun.history.add(lun.doing, now);
            lun.doing = doing;
        }
    }

    #[inline(always)]
    pub fn command_sent(&mut self, id: LunId, port_free_at: Time, now: Time) {
        let lun = &mut self.held.luns[id.index()];
        match lun.doing {
            Cause::PathConflict => lun.add_path_wait(port_free_at, now),
            doing => lun.history.add(doing, now),
        }
        (lun.is_busy, lun.doing) = (true, Cause::TransferOfOthers);
        if lun.history.is_full() {
            self.forget();
        }
    }

    pub fn command_sent_beside(&mut self, id: LunId, now: Time) {
        let lun = &mut self.held.luns[id.index()];
        lun.history.add(lun.doing, now);
        if lun.history.is_full() {
            self.forget();
        }
    }

    /// Others see its array's work as `doing`.
    #[inline(always)]
    pub fn command_crossed(&mut self, lun: LunId, crossed: &TransferDone, doing: Cause, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        lun.add_crossing(crossed, now);
        lun.doing = doing;
    }

    /// Seen as `doing`.
    pub fn command_resumed(&mut self, lun: LunId, doing: Cause, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        lun.history.add(lun.doing, now);
        (lun.is_busy, lun.doing) = (true, doing);
    }

    /// It may continue with a loaded program.
    #[inline(always)]
    pub fn array_ended(&mut self, lun: LunId, goes_on: bool, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        lun.history.add(lun.doing, now);
        lun.is_busy = goes_on;
        lun.doing = match lun.crossing {
            _ if goes_on => Cause::PathConflict,
            0 => Cause::FreeBlocks,
            _ => Cause::TransferOfOthers,
        };
    }

    pub fn lun_computes(&mut self, lun: LunId, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        if !lun.is_busy && lun.crossing == 0 {
            lun.history.add(lun.doing, now);
            lun.doing = Cause::Compute;
        }
    }

    #[inline(always)]
    pub fn data_sent(&mut self, lun: LunId, port_free_at: Time, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        lun.crossing += 1;
        if !lun.is_busy {
            lun.add_path_wait(port_free_at, now);
            lun.doing = Cause::TransferOfOthers;
        }
    }

    #[inline(always)]
    pub fn data_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) {
        let lun = &mut self.held.luns[lun.index()];
        lun.crossing -= 1;
        if !lun.is_busy {
            lun.add_crossing(crossed, now);
        }
    }

    #[inline(always)]
    pub fn slots_are_wanted(&mut self, slots: Slots, wanted: bool, now: Time) {
        let pool = pool(&mut self.pools, slots);
        if wanted {
            self.slots_are_awaited(slots, now);
        } else {
            pool.wanted = None;
        }
    }

    #[inline(never)]
    fn slots_are_awaited(&mut self, slots: Slots, now: Time) {
        let pool = pool(&mut self.pools, slots);
        pool.wanted.get_or_insert(now);
        if !pool.is_numbered {
            pool.is_numbered = true;
            for _ in pool.used..pool.most {
                pool.free.push(self.held.new_slot(Time::MAX));
            }
        }
    }

    #[inline(always)]
    pub fn slot_freed(&mut self, slots: Slots, by: RequestId, now: Time) {
        let pool = pool(&mut self.pools, slots);
        if !pool.is_numbered {
            pool.used -= 1;
            return;
        }
        let number = match std::mem::replace(&mut self.slots[by.index()][slots.kind()], NO_SLOT) {
            NO_SLOT => {
                pool.used -= 1;
                self.held.new_slot(Time::ZERO)
            }
            number => number,
        };
        pool.free.push(number);
        let taken = std::mem::replace(&mut self.held.slots[number as usize].taken, Time::MAX);
        if let Some(wanted) = pool.wanted.filter(|_| number < MOST) {
            self.wanted_slot_freed(slots.cause(), number, by, taken.max(wanted)..now);
        }
    }

    #[inline(never)]
    fn wanted_slot_freed(&mut self, cause: Cause, number: u32, by: RequestId, while_wanted: Range<Time>) {
        let history = self.held.slots[number as usize].history();
        history.add(cause, while_wanted.start);
        let during = history.since()..while_wanted.end;
        self.held.follow(&self.requests[by.index()], &self.pages, during, cause, &mut self.followed);
        let history = self.held.slots[number as usize].history();
        let before = history.len();
        self.followed.drain(..).for_each(|(until, cause)| history.add(cause, until));
        self.room_of_slots -= (history.len() - before) as isize;
        if self.room_of_slots < 0 {
            self.forget();
        }
    }

    /// The one free longest. The request's wait is charged next, to the slots' own cause as far as nothing else is
    /// known.
    #[inline(always)]
    pub fn slot_taken(&mut self, slots: Slots, by: RequestId, now: Time) {
        let pool = pool(&mut self.pools, slots);
        if !pool.is_numbered {
            pool.used += 1;
            pool.most = pool.most.max(pool.used);
            return;
        }
        let number = pool.free.pop().unwrap_or_else(|| self.held.new_slot(Time::MAX));
        self.slots[by.index()][slots.kind()] = number;
        let slot = &mut self.held.slots[number as usize];
        slot.taken = now;
        // Without a past, nobody has had it for whom others waited.
        if slot.past.is_some() && self.requests[by.index()].since() < now {
            self.slot_waited_for(slots.cause(), number, by, now);
        }
    }

    #[inline(never)]
    fn slot_waited_for(&mut self, cause: Cause, number: u32, by: RequestId, now: Time) {
        let (slot, request) = (&mut self.held.slots[number as usize], &mut self.requests[by.index()]);
        if let Some(past) = &mut slot.past {
            past.asked = request.since();
            past.history.add(cause, now);
            request.waited_for_slot(number, &past.history, now);
        }
    }

    pub fn ends(&mut self, what: Ended, page: TransactionId) {
        self.ended[what as usize].copy(&self.pages[page.index()]);
    }

    pub fn page_waited_for(&mut self, what: Ended, page: TransactionId, otherwise: Cause, now: Time) {
        let (holder, waiting) = (&self.ended[what as usize], &mut self.pages[page.index()]);
        self.held.pass_on(holder, waiting, otherwise, now, &mut self.followed);
    }

    pub fn request_waited_for(&mut self, what: Ended, request: RequestId, otherwise: Cause, now: Time) {
        let (holder, waiting) = (&self.ended[what as usize], &mut self.requests[request.index()]);
        self.held.pass_on(holder, waiting, otherwise, now, &mut self.followed);
    }

    fn forget(&mut self) {
        let trails = self.looking_back.iter().chain(self.flushes.values()).min().copied().unwrap_or(Time::MAX);
        // They were taken before anybody waited.
        let has_older = self.pools.iter().any(|pool| pool.is_numbered && pool.used > 0);
        let slots = self.held.slots.iter().map(|slot| slot.taken).chain(has_older.then_some(Time::ZERO));
        let wanted = self.pools.iter().filter_map(|pool| pool.wanted).min().unwrap_or(Time::MAX);
        let horizon = trails.min(slots.min().unwrap_or(Time::MAX).max(wanted));
        // Less often with much in flight.
        let in_flight = self.looking_back.len() + self.held.slots.len();
        let room = ROOM.max(in_flight / (4 * self.held.luns.len()));
        self.held.luns.iter_mut().for_each(|lun| lun.history.forget(horizon, room));
        // There may be as many slots as requests outstanding: only once they have grown together.
        if self.room_of_slots >= 0 {
            return;
        }
        #[cfg(test)]
        {
            self.looks += 1;
        }
        let mut kept = 0;
        for past in self.held.slots.iter_mut().filter_map(|slot| slot.past.as_mut()) {
            past.history.forget(horizon.min(past.asked), ROOM.max(past.history.len() / 2));
            kept += past.history.len();
        }
        if kept > MOST_SPANS {
            let pasts = self.held.slots.iter_mut().filter_map(|slot| slot.past.as_mut());
            pasts.for_each(|past| past.history.forget_half());
        }
        self.room_of_slots = (4 * in_flight).clamp(SLOTS_ROOM, MOST_SPANS / 4) as isize;
    }
}

/// 75 MB. Longer waits stay waits for the slot.
const MOST_SPANS: usize = 1 << 23;

const SLOTS_ROOM: usize = 1 << 16;

const NO_SLOT: u32 = u32::MAX;

#[inline(always)]
fn pool(pools: &mut Vec<Pool>, slots: Slots) -> &mut Pool {
    at(pools, slots.number(), Pool::default)
}

/// Up to it, places are filled with new ones.
#[inline(always)]
fn at<T>(all: &mut Vec<T>, number: usize, new: fn() -> T) -> &mut T {
    if number < all.len() { &mut all[number] } else { add(all, number, new) }
}

#[cold]
#[inline(never)]
fn add<T>(all: &mut Vec<T>, number: usize, new: fn() -> T) -> &mut T {
    all.resize_with(number + 1, new);
    &mut all[number]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_histories_are_looked_through_now_and_then() {
        let (slots, page) = (Slots::Commands(0), TransactionId(0));
        let mut roots = RootCauses::new(1);
        roots.slots_are_wanted(slots, true, Time::ZERO);
        for request in (0..200).map(RequestId) {
            roots.request_begins(request, Time::ZERO);
            roots.slot_taken(slots, request, Time::ZERO);
        }
        for request in (0..200).map(RequestId) {
            for _ in 0..2 * ROOM as u64 {
                let (lun, now) = (LunId(0), roots.held.luns[0].history.since());
                roots.command_sent(lun, now, now + Time(1));
                roots.array_ended(lun, false, now + Time(2));
            }
            roots.page_begins(page, Work::Host, Time::ZERO);
            for at in 1..=2 * ROOM {
                let cause = [Cause::ArrayRead, Cause::DataTransfer][at % 2];
                roots.charge_page(page, cause, Time(at as u64));
            }
            roots.last_page(request, page);
            roots.slot_freed(slots, request, Time(2 * ROOM as u64));
            roots.page_ends(page);
            roots.request_ends(request);
        }
        assert!((1..10).contains(&roots.looks), "{}", roots.looks);
    }
}
