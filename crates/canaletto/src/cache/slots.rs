//! The cache as MQSim has it (`cache.destage = "mqsim"`): slots that are evicted by age alone.
//!
//! A slot goes when a write ends that is as new as its data, so contents are lost: that needs `ftl.map_update =
//! "issue"`.

use super::pages::{CachedId, State};
use super::{DataCache, Destage, DestageRule};
use crate::config::workload::Priority;
use crate::engine::time::Time;

/// Pages that are read without having been programmed, one per partition.
const UNPROGRAMMED: u64 = u64::MAX - 1;

impl DataCache {
    pub fn has_slots(&self) -> bool {
        self.rule == DestageRule::Mqsim
    }

    pub(super) fn write_slot(&mut self, flow: u16, lpa: u64, sectors: u64, stamp: Time) -> bool {
        let partition = self.partition(flow);
        if self.partitions[usize::from(partition)].in_flight >= self.limit {
            return false;
        }
        let found = self.pages.find(lpa);
        match found {
            Some(_) => self.counts.writes.merged += 1,
            None => self.counts.writes.inserted += 1,
        }
        let id = found.unwrap_or_else(|| self.new_slot(flow, lpa, Priority::Urgent));
        let first = self.recent.note(flow, lpa);
        self.put(id, sectors, stamp, if first { State::Flying } else { State::Dirty });
        if first {
            self.partitions[usize::from(partition)].in_flight += u64::from(sectors.count_ones());
            self.due.push_back(Destage { stamp: Some(stamp), ..Destage::of(lpa, sectors, flow) });
        }
        true
    }

    /// Returns whether sectors that a request of `stamp` has read must be written to DRAM.
    pub fn keep_in_slot(&mut self, flow: u16, lpa: u64, programmed: bool, sectors: u64, stamp: Time) -> bool {
        let lpa = if programmed { lpa } else { UNPROGRAMMED - u64::from(self.partition(flow)) };
        let found = self.pages.find(lpa);
        let id = found.unwrap_or_else(|| self.new_slot(flow, lpa, Priority::High));
        self.put(id, sectors, stamp, if found.is_some() { State::Dirty } else { State::Clean });
        found.is_none()
    }

    pub fn slot_landed(&mut self, flow: u16, lpa: u64, sectors: u64, stamp: Time) {
        let partition = usize::from(self.partition(flow));
        self.counts.destaged += 1;
        self.partitions[partition].in_flight -= u64::from(sectors.count_ones());
        if let Some(id) = self.pages.find(lpa).filter(|&id| stamp >= self.pages[id].stamp) {
            self.partitions[usize::from(self.pages[id].partition)].used -= 1;
            self.forget(id);
        }
    }

    /// Number and sectors of one transfer from DRAM.
    pub fn take_evicted(&mut self) -> Option<(u32, u32)> {
        let evicted = std::mem::take(&mut self.evicted);
        let sectors = evicted.iter().map(|destage| destage.sectors.count_ones()).sum();
        if evicted.is_empty() {
            return None;
        }
        self.transfers += 1;
        self.leaving.insert(self.transfers, evicted);
        Some((self.transfers, sectors))
    }

    pub fn take_leaving(&mut self, transfer: u32) -> Vec<Destage> {
        self.leaving.remove(&transfer).unwrap_or_default()
    }

    fn put(&mut self, id: CachedId, sectors: u64, stamp: Time, state: State) {
        self.unlink(id);
        let page = &mut self.pages[id];
        page.valid |= sectors;
        page.stamp = page.stamp.max(stamp);
        page.dirty = if state == State::Dirty { page.valid } else { 0 };
        page.flying = if state == State::Flying { page.valid } else { 0 };
        self.link(id, true);
    }

    fn new_slot(&mut self, flow: u16, lpa: u64, priority: Priority) -> CachedId {
        let partition = self.partition(flow);
        let p = &self.partitions[usize::from(partition)];
        let coldest = || p.lists.iter().filter_map(|list| list.coldest()).min_by_key(|&id| self.pages[id].used);
        if let Some(victim) = (p.used >= p.capacity).then(coldest).flatten() {
            self.evict_slot(victim, priority);
        }
        self.partitions[usize::from(partition)].used += 1;
        self.add(flow, lpa, partition)
    }

    fn evict_slot(&mut self, victim: CachedId, priority: Priority) {
        let page = self.pages[victim];
        let partition = &mut self.partitions[usize::from(page.partition)];
        partition.used -= 1;
        if page.state() == State::Dirty && page.lpa <= UNPROGRAMMED - 1 - u64::from(u16::MAX) {
            self.counts.evicted_dirty += 1;
            partition.in_flight += u64::from(page.valid.count_ones());
            let (stamp, priority) = (Some(page.stamp), Some(priority));
            self.evicted.push(Destage { stamp, priority, ..Destage::of(page.lpa, page.valid, page.flow) });
        } else {
            self.counts.evicted_clean += 1;
        }
        self.forget(victim);
    }
}
