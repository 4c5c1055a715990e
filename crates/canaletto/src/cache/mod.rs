//! The data cache: a write buffer and read cache in the controller's DRAM.
//!
//! This module holds what is cached and decides what is evicted and what goes to flash; `engine/route/cached.rs` moves
//! requests through it. A cached page is clean, dirty, or *flying*: on its way to flash. A flying page keeps its data until they
//! are programmed, so that reads always find them, and at most one version of a page flies at a time: what is
//! written meanwhile stays dirty behind it.

mod destage;
pub mod dram;
pub mod flushes;
pub mod pages;
pub mod recent;
mod slots;

use std::collections::{BTreeMap, VecDeque};

use crate::cache::dram::Dram;
use crate::cache::flushes::Flushes;
use crate::cache::pages::{CachedId, List, Pages, State};
use crate::cache::recent::Recent;
use crate::config::cache::{Cache as CacheConfig, CacheMode, Destage as DestageRule, Sharing};
use crate::config::workload::Priority;
use crate::engine::time::Time;
use crate::host::request::RequestId;
use crate::limits::Limits;
use crate::measure::cache::CacheCounts;
use crate::scheduler::transaction::TransactionId;

/// Settings of a flow in the cache.
struct Member {
    mode: CacheMode,
    partition: u16,
    stream: u16,
}

/// A part of the cache's room, and the requests that wait for it.
struct Partition {
    /// Pages it may hold.
    capacity: usize,
    /// Pages that take its room.
    used: usize,
    /// Clean, dirty and flying pages.
    lists: [List; 3],
    /// Sectors on their way to flash.
    in_flight: u64,
    /// Whether it writes back until the low watermark.
    draining: bool,
    /// Pages that go to flash first, some of which may have gone already.
    urgent: VecDeque<CachedId>,
    /// Writes that wait for room, oldest first.
    waiting: VecDeque<RequestId>,
}

/// A page that sets out for flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destage {
    /// Logical page.
    pub lpa: u64,
    /// Sectors to write: all that the cache holds of it.
    pub sectors: u64,
    /// Who wrote it last.
    pub flow: u16,
    /// Whether its data have to be read from DRAM: not if they go to flash as they come from the host.
    pub from_dram: bool,
    /// Its priority class, if it is not its flow's.
    pub priority: Option<Priority>,
    /// When its data came to the drive, where that decides whether the page stays.
    pub stamp: Option<Time>,
}

impl Destage {
    /// Sectors of a page that go to flash as they come from the host.
    pub fn of(lpa: u64, sectors: u64, flow: u16) -> Destage {
        Destage { lpa, sectors, flow, from_dram: false, priority: None, stamp: None }
    }
}

/// Event that a trim of a page waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrimWaits {
    /// Nothing.
    No,
    /// The page's own way to flash, at whose end it takes effect.
    ForLanding,
    /// Something that may take longer: the page's mapping entry, or further writes of the page.
    Longer,
}

/// Fate of a trimmed page that was cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Whether it stays, reading as zeroes, because older versions of it are on their way to flash.
    pub stays: bool,
    /// Parts of requests that waited until its data were on flash.
    pub waiters: TransactionId,
}

/// Cached pages, and the flows that they are cached for.
pub struct DataCache {
    pages: Pages,
    partitions: Vec<Partition>,
    members: Vec<Member>,
    flushes: Flushes,
    recent: Recent,
    rule: DestageRule,
    keep_destaged: bool,
    /// Most sectors of a partition in flight, looked at before each page.
    limit: u64,
    high: f64,
    low: f64,
    uses: u64,
    /// Whether the drive is idle, so that everything goes to flash.
    idle: bool,
    /// Idle time after which everything dirty goes to flash; zero: never.
    idle_destage: Time,
    last_completion: Time,
    /// Whether data in the cache are as safe as on flash.
    pub survives_power_loss: bool,
    /// Pages that set out for flash while others were written, not yet taken on.
    due: VecDeque<Destage>,
    /// Pages evicted together, not yet taken on.
    evicted: Vec<Destage>,
    /// Evicted pages that are read from DRAM, by the number of their transfer.
    leaving: BTreeMap<u32, Vec<Destage>>,
    transfers: u32,
    /// Pages that were given up since that was last asked.
    dropped: Vec<u64>,
    /// The memory itself.
    pub dram: Dram,
    /// Counts of what happened.
    pub counts: CacheCounts,
}

impl DataCache {
    /// An empty cache for flows of these modes; none if it would hold nothing.
    pub fn new(config: &CacheConfig, modes: &[CacheMode], limits: &Limits) -> Option<DataCache> {
        let capacity = limits.cache_pages;
        if capacity == 0 {
            return None;
        }
        let parts = if config.sharing == Sharing::Equal { modes.len() } else { 1 };
        let partition = || Partition {
            capacity: capacity as usize / parts,
            used: 0,
            lists: [List::EMPTY; 3],
            in_flight: 0,
            draining: false,
            urgent: VecDeque::new(),
            waiting: VecDeque::new(),
        };
        let member = |(flow, &mode): (usize, &CacheMode)| Member {
            mode,
            partition: if parts == 1 { 0 } else { flow as u16 },
            stream: limits.flows[flow].stream,
        };
        let layout = &limits.layout;
        Some(DataCache {
            pages: Pages::default(),
            partitions: (0..parts).map(|_| partition()).collect(),
            members: modes.iter().enumerate().map(member).collect(),
            flushes: Flushes::new(usize::from(limits.streams)),
            recent: Recent::new(modes.len()),
            rule: config.destage,
            keep_destaged: config.keep_destaged,
            limit: u64::from(config.destages_per_plane)
                * u64::from(layout.planes())
                * (u64::from(layout.sectors_per_page) << layout.flash_shift),
            high: config.high_watermark,
            low: config.low_watermark,
            uses: 0,
            idle: false,
            idle_destage: config.idle_destage.time(),
            last_completion: Time::ZERO,
            survives_power_loss: config.power_loss_protection,
            due: VecDeque::new(),
            evicted: Vec::new(),
            leaving: BTreeMap::new(),
            transfers: 0,
            dropped: Vec::new(),
            dram: Dram::new(&config.dram, config.sharing, modes.len()),
            counts: CacheCounts::default(),
        })
    }

    /// Pages it may hold.
    pub fn capacity(&self) -> u64 {
        self.partitions.iter().map(|p| p.capacity as u64).sum()
    }

    /// How a flow uses the cache.
    pub fn mode(&self, flow: u16) -> CacheMode {
        self.members[usize::from(flow)].mode
    }

    /// The partition that a flow's new pages go to.
    pub fn partition(&self, flow: u16) -> u16 {
        self.members[usize::from(flow)].partition
    }

    /// The partitions' numbers.
    pub fn partitions(&self) -> std::ops::Range<u16> {
        0..self.partitions.len() as u16
    }

    /// Whether the page has data here that flash has not.
    pub fn is_unwritten(&self, lpa: u64) -> bool {
        self.pages.find(lpa).is_some_and(|id| self.pages[id].state() != State::Clean)
    }

    /// Pages and sectors that a loss of power would catch before they are on flash.
    pub fn dirty_pages(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let lists = |p: &Partition| [p.lists[State::Dirty as usize], p.lists[State::Flying as usize]];
        let ids = self.partitions.iter().flat_map(lists).flat_map(|list| self.pages.cold_first(&list));
        ids.map(|id| (self.pages[id].lpa, self.pages[id].dirty | self.pages[id].flying))
    }

    /// A read looks for sectors of a page. Returns those that are here.
    pub fn read(&mut self, lpa: u64, sectors: u64) -> u64 {
        let Some(id) = self.pages.find(lpa) else {
            return 0;
        };
        let here = self.pages[id].valid & sectors;
        if here != 0 || self.has_slots() {
            self.touch(id);
        }
        here
    }

    /// Takes sectors of a page that came to the drive at `stamp`, if there is room for them.
    pub fn write(&mut self, flow: u16, lpa: u64, sectors: u64, stamp: Time) -> bool {
        if self.has_slots() {
            return self.write_slot(flow, lpa, sectors, stamp);
        }
        let partition = usize::from(self.partition(flow));
        if self.rule == DestageRule::FirstWrites && self.partitions[partition].in_flight >= self.limit {
            return false;
        }
        let Some(id) = self.place_for(flow, lpa) else {
            return false;
        };
        let before = self.pages[id].state();
        self.unlink(id);
        let page = &mut self.pages[id];
        page.flow = flow;
        page.valid |= sectors;
        if page.dirty == 0 {
            page.epoch = self.flushes.open_unit(self.members[usize::from(flow)].stream);
        }
        page.dirty |= sectors;
        page.touched = true;
        self.link(id, true);
        if before == State::Clean {
            let dirty: usize = self.partitions.iter().map(Partition::unwritten).sum();
            self.counts.dirty_pages_max = self.counts.dirty_pages_max.max(dirty as u64);
        }
        if self.rule == DestageRule::FirstWrites && self.recent.note(flow, lpa) {
            self.write_through(id);
        }
        true
    }

    /// The page's place: its old one or a new one, if there is room.
    fn place_for(&mut self, flow: u16, lpa: u64) -> Option<CachedId> {
        let found = self.pages.find(lpa);
        if let Some(id) = found.filter(|&id| !self.pages[id].evicted) {
            self.counts.writes.merged += 1;
            return Some(id);
        }
        let partition = found.map_or_else(|| self.partition(flow), |id| self.pages[id].partition);
        if !self.make_room(partition) {
            return None;
        }
        self.counts.writes.inserted += 1;
        self.partitions[usize::from(partition)].used += 1;
        let id = found.unwrap_or_else(|| self.add(flow, lpa, partition));
        self.pages[id].evicted = false;
        Some(id)
    }

    fn add(&mut self, flow: u16, lpa: u64, partition: u16) -> CachedId {
        let id = self.pages.add(lpa, flow, partition);
        self.link(id, true);
        id
    }

    /// Makes room for one page, by giving up the coldest one that can be given up.
    fn make_room(&mut self, partition: u16) -> bool {
        let p = &self.partitions[usize::from(partition)];
        if p.used < p.capacity {
            return true;
        }
        let clean = p.lists[State::Clean as usize].coldest();
        let dirty = p.lists[State::Dirty as usize].coldest().filter(|_| self.rule == DestageRule::FirstWrites);
        let used = |id: &CachedId| self.pages[*id].used;
        let Some(victim) = clean.into_iter().chain(dirty).min_by_key(used) else {
            return false;
        };
        self.partitions[usize::from(partition)].used -= 1;
        if Some(victim) == clean {
            self.counts.evicted_clean += 1;
            self.forget(victim);
        } else {
            self.counts.evicted_dirty += 1;
            self.pages[victim].evicted = true;
            let destage = self.set_out(victim, true);
            self.due.push_back(destage);
        }
        true
    }

    /// Keeps sectors that were read from flash, whose place there is the page's current one. Returns those that are new
    /// here; without room none are.
    pub fn fill(&mut self, flow: u16, lpa: u64, sectors: u64) -> u64 {
        let id = match self.pages.find(lpa) {
            Some(id) => id,
            None => {
                let partition = self.partition(flow);
                if !self.make_room(partition) {
                    return 0;
                }
                self.partitions[usize::from(partition)].used += 1;
                self.add(flow, lpa, partition)
            }
        };
        let new = sectors & !self.pages[id].valid;
        self.pages[id].valid |= sectors;
        self.touch(id);
        new
    }

    /// Forgets a page for a write that goes round the cache. The page must not hold what flash has not.
    pub fn discard(&mut self, lpa: u64) {
        if let Some(id) = self.pages.find(lpa) {
            debug_assert_eq!(self.pages[id].state(), State::Clean);
            self.partitions[usize::from(self.pages[id].partition)].used -= 1;
            self.forget(id);
        }
    }

    /// Whether it holds nothing at all.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Whether it holds anything of a page.
    pub fn holds(&self, lpa: u64) -> bool {
        self.pages.find(lpa).is_some()
    }

    /// Forgets what it holds of a trimmed page; none if there was nothing. Where flash would show older versions than the
    /// cache until the trim takes effect, the page stays, as zeroes that go to flash behind it.
    pub fn trim(&mut self, lpa: u64, all_sectors: u64, waits: TrimWaits) -> Option<Forgotten> {
        let id = self.pages.find(lpa)?;
        let (state, epoch) = (self.pages[id].state(), self.pages[id].epoch);
        let shows_older = match state {
            State::Clean => false,
            State::Dirty => waits != TrimWaits::No,
            // It stays until it has landed in any case.
            State::Flying => self.pages[id].dirty != 0 && waits == TrimWaits::Longer,
        };
        if shows_older {
            let page = &mut self.pages[id];
            (page.valid, page.dirty) = (all_sectors, all_sectors);
            return Some(Forgotten { stays: true, waiters: TransactionId::NONE });
        }
        if self.pages[id].dirty != 0 {
            self.close_unit(id, epoch);
        }
        let page = &mut self.pages[id];
        let waiters = std::mem::replace(&mut page.waiters, TransactionId::NONE);
        if state == State::Flying {
            (page.valid, page.dirty, page.urgent) = (all_sectors, 0, false);
        } else {
            self.partitions[usize::from(page.partition)].used -= 1;
            self.forget(id);
        }
        Some(Forgotten { stays: state == State::Flying, waiters })
    }

    /// A write waits for room.
    pub fn wait(&mut self, flow: u16, request: RequestId) {
        let partition = usize::from(self.partition(flow));
        self.partitions[partition].waiting.push_back(request);
    }

    /// The oldest write that waits for room.
    pub fn first_waiting(&self, partition: u16) -> Option<RequestId> {
        self.partitions[usize::from(partition)].waiting.front().copied()
    }

    /// The oldest write has all its room.
    pub fn stop_waiting(&mut self, partition: u16) {
        self.partitions[usize::from(partition)].waiting.pop_front();
    }

    /// Forgets a flow's recently written pages, if that is due.
    pub fn forget_recent(&mut self, flow: u16, now: Time) {
        self.recent.forget_if_due(flow, now);
    }

    /// The drive has become idle, or is so no longer.
    pub fn set_idle(&mut self, idle: bool) {
        self.idle = idle;
    }

    /// A request is complete; if it `is_idle`, without any other, the drive may become idle. Returns when to look whether it
    /// has.
    pub fn expect_idleness(&mut self, is_idle: bool, now: Time) -> Option<Time> {
        self.last_completion = now;
        let looks = is_idle && self.idle_destage > Time::ZERO && self.has_dirty();
        looks.then(|| now + self.idle_destage)
    }

    /// Whether no request has been completed for so long that the drive counts as idle.
    pub fn has_been_idle(&self, now: Time) -> bool {
        now - self.last_completion >= self.idle_destage
    }

    /// Whether anything is dirty that has not set out for flash.
    pub fn has_dirty(&self) -> bool {
        self.partitions.iter().any(|p| !p.lists[State::Dirty as usize].is_empty())
    }

    /// A page that was given up since the last call.
    pub fn take_dropped(&mut self) -> Option<u64> {
        self.dropped.pop()
    }

    /// Pages that take room, and requests that wait for some: for the explanation of a stuck run.
    pub fn describe(&self) -> String {
        let line = |p: &Partition| {
            let [clean, dirty, flying] = p.lists.map(|list| list.len());
            format!(
                "{} of {} cached pages in use ({clean} clean, {dirty} dirty, {flying} on their way to flash), {} writes wait",
                p.used,
                p.capacity,
                p.waiting.len()
            )
        };
        self.partitions.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    fn touch(&mut self, id: CachedId) {
        self.unlink(id);
        self.pages[id].touched = true;
        self.link(id, true);
    }

    fn link(&mut self, id: CachedId, hot: bool) {
        let page = &mut self.pages[id];
        if hot {
            self.uses += 1;
            page.used = self.uses;
        }
        let list = &mut self.partitions[usize::from(page.partition)].lists[page.state() as usize];
        if hot { self.pages.push_hot(list, id) } else { self.pages.push_cold(list, id) }
    }

    fn unlink(&mut self, id: CachedId) {
        let page = &self.pages[id];
        let list = &mut self.partitions[usize::from(page.partition)].lists[page.state() as usize];
        self.pages.unlink(list, id);
    }

    fn forget(&mut self, id: CachedId) {
        self.unlink(id);
        self.dropped.push(self.pages[id].lpa);
        self.pages.remove(id);
    }

    fn close_unit(&mut self, id: CachedId, number: u32) {
        let stream = self.members[usize::from(self.pages[id].flow)].stream;
        self.flushes.close_unit(stream, number);
    }
}

impl Partition {
    /// Pages that hold what flash has not.
    fn unwritten(&self) -> usize {
        self.lists[State::Dirty as usize].len() + self.lists[State::Flying as usize].len()
    }
}
