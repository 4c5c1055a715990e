//! The data cache: a write buffer and read cache in the controller's DRAM.
//!
//! This module decides what is evicted and destaged; `engine/route/cached.rs` moves requests through it. At most one
//! version of a page is *flying* to flash; later data stay dirty behind it.

#![allow(missing_docs)]

mod destage;
pub mod dram;
pub mod flushes;
pub mod pages;
pub mod recent;
mod slots;

use std::collections::{BTreeMap, VecDeque};

use crate::cache::dram::Dram;
use crate::cache::flushes::Flushes;
use crate::cache::pages::{CachedId, CachedPage, List, Pages, State};
use crate::cache::recent::Recent;
use crate::config::cache::{Cache as CacheConfig, CacheMode, Destage as DestageRule, Sharing};
use crate::config::workload::Priority;
use crate::engine::time::Time;
use crate::host::request::RequestId;
use crate::limits::Limits;
use crate::measure::cache::CacheCounts;
use crate::scheduler::transaction::TransactionId;

/// One for each state, and one for dirty pages of zones, which set out with their row.
const LISTS: usize = 4;
const OF_ZONES: usize = 3;

struct Member {
    mode: CacheMode,
    partition: u16,
    stream: u16,
}

struct Partition {
    capacity: usize,
    used: usize,
    lists: [List; LISTS],
    in_flight: u64,
    draining: bool,
    urgent: VecDeque<CachedId>,
    waiting: VecDeque<RequestId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destage {
    pub lpa: u64,
    /// All that the cache holds of it.
    pub sectors: u64,
    pub flow: u16,
    /// Stream that it is written to; none is the flow's.
    pub stream: Option<u16>,
    pub from_dram: bool,
    pub priority: Option<Priority>,
    pub stamp: Option<Time>,
}

impl Destage {
    pub fn of(lpa: u64, sectors: u64, flow: u16) -> Destage {
        Destage { lpa, sectors, flow, stream: None, from_dram: false, priority: None, stamp: None }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrimWaits {
    No,
    ForLanding,
    /// The page's mapping entry, or further writes of the page.
    Longer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    pub stays: bool,
    pub waiters: TransactionId,
}

pub struct DataCache {
    pages: Pages,
    partitions: Vec<Partition>,
    members: Vec<Member>,
    flushes: Flushes,
    recent: Recent,
    rule: DestageRule,
    keep_destaged: bool,
    end_of_zones: u64,
    limit: u64,
    high: f64,
    low: f64,
    uses: u64,
    idle: bool,
    /// Without requests, before everything dirty goes to flash; zero: never.
    idle_destage: Time,
    last_completion: Time,
    pub survives_power_loss: bool,
    pub reads_wait: bool,
    due: VecDeque<Destage>,
    evicted: Vec<Destage>,
    leaving: BTreeMap<u32, Vec<Destage>>,
    transfers: u32,
    dropped: Vec<u64>,
    pub dram: Dram,
    pub counts: CacheCounts,
}

impl DataCache {
    pub fn new(config: &CacheConfig, modes: &[CacheMode], limits: &Limits) -> Option<DataCache> {
        let capacity = limits.cache_pages;
        if capacity == 0 {
            return None;
        }
        let parts = if config.sharing == Sharing::Equal { modes.len() } else { 1 };
        let partition = || Partition {
            capacity: capacity as usize / parts,
            used: 0,
            lists: [List::EMPTY; LISTS],
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
            keep_destaged: config.keep_destaged && limits.zones.is_none(),
            end_of_zones: limits.end_of_zones >> layout.sector_shift,
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
            reads_wait: config.reads_wait,
            due: VecDeque::new(),
            evicted: Vec::new(),
            leaving: BTreeMap::new(),
            transfers: 0,
            dropped: Vec::new(),
            dram: Dram::new(&config.dram, config.sharing, modes.len()),
            counts: CacheCounts::default(),
        })
    }

    pub fn capacity(&self) -> u64 {
        self.partitions.iter().map(|p| p.capacity as u64).sum()
    }

    pub fn mode(&self, flow: u16) -> CacheMode {
        self.members[usize::from(flow)].mode
    }

    pub fn partition(&self, flow: u16) -> u16 {
        self.members[usize::from(flow)].partition
    }

    pub fn partitions(&self) -> std::ops::Range<u16> {
        0..self.partitions.len() as u16
    }

    pub fn is_unwritten(&self, lpa: u64) -> bool {
        self.pages.find(lpa).is_some_and(|id| self.pages[id].state() != State::Clean)
    }

    pub fn dirty_pages(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let lists =
            |p: &Partition| [p.lists[State::Dirty as usize], p.lists[OF_ZONES], p.lists[State::Flying as usize]];
        let ids = self.partitions.iter().flat_map(lists).flat_map(|list| self.pages.cold_first(&list));
        ids.map(|id| (self.pages[id].lpa, self.pages[id].dirty | self.pages[id].flying))
    }

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

    /// `stamp`: when they came to the drive.
    pub fn write(&mut self, (flow, stream): (u16, u16), lpa: u64, sectors: u64, stamp: Time) -> bool {
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
        (page.flow, page.stream) = (flow, stream);
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

    /// Returns those that are new here.
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

    /// For a write that bypasses the cache. The page must be clean.
    pub fn discard(&mut self, lpa: u64) {
        if let Some(id) = self.pages.find(lpa) {
            debug_assert_eq!(self.pages[id].state(), State::Clean);
            self.partitions[usize::from(self.pages[id].partition)].used -= 1;
            self.forget(id);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    pub fn holds(&self, lpa: u64) -> bool {
        self.pages.find(lpa).is_some()
    }

    /// Zeroes stay where flash would show older versions until the trim takes effect. None if there was nothing.
    pub fn trim(&mut self, lpa: u64, all_sectors: u64, waits: TrimWaits) -> Option<Forgotten> {
        let id = self.pages.find(lpa)?;
        let (state, epoch) = (self.pages[id].state(), self.pages[id].epoch);
        let shows_older = match state {
            State::Clean => false,
            State::Dirty => waits != TrimWaits::No,
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

    pub fn wait(&mut self, flow: u16, request: RequestId) {
        let partition = usize::from(self.partition(flow));
        self.partitions[partition].waiting.push_back(request);
    }

    pub fn first_waiting(&self, partition: u16) -> Option<RequestId> {
        self.partitions[usize::from(partition)].waiting.front().copied()
    }

    pub fn stop_waiting(&mut self, partition: u16) {
        self.partitions[usize::from(partition)].waiting.pop_front();
    }

    pub fn forget_recent(&mut self, flow: u16, now: Time) {
        self.recent.forget_if_due(flow, now);
    }

    pub fn set_idle(&mut self, idle: bool) {
        self.idle = idle;
    }

    /// If the drive `is_idle`, returns when to look whether it still is.
    pub fn expect_idleness(&mut self, is_idle: bool, now: Time) -> Option<Time> {
        self.last_completion = now;
        let looks = is_idle && self.idle_destage > Time::ZERO && self.has_dirty();
        looks.then(|| now + self.idle_destage)
    }

    pub fn has_been_idle(&self, now: Time) -> bool {
        now - self.last_completion >= self.idle_destage
    }

    pub fn has_dirty(&self) -> bool {
        self.partitions.iter().any(|p| p.lists[State::Dirty as usize].len() + p.lists[OF_ZONES].len() > 0)
    }

    pub fn take_dropped(&mut self) -> Option<u64> {
        self.dropped.pop()
    }

    pub fn describe(&self) -> String {
        let line = |p: &Partition| {
            let [clean, dirty, flying, of_zones] = p.lists.map(|list| list.len());
            let dirty = dirty + of_zones;
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
        let list = &mut self.partitions[usize::from(page.partition)].lists[list_of(page, self.end_of_zones)];
        if hot { self.pages.push_hot(list, id) } else { self.pages.push_cold(list, id) }
    }

    fn unlink(&mut self, id: CachedId) {
        let page = &self.pages[id];
        let list = &mut self.partitions[usize::from(page.partition)].lists[list_of(page, self.end_of_zones)];
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

fn list_of(page: &CachedPage, end_of_zones: u64) -> usize {
    let state = page.state();
    if state == State::Dirty && page.lpa < end_of_zones { OF_ZONES } else { state as usize }
}

impl Partition {
    fn unwritten(&self) -> usize {
        self.lists[State::Dirty as usize].len() + self.lists[OF_ZONES].len() + self.lists[State::Flying as usize].len()
    }
}
