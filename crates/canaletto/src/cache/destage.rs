use crate::cache::pages::{CachedId, State};
use crate::cache::{DataCache, Destage};
use crate::config::cache::Destage as DestageRule;
use crate::host::request::RequestId;
use crate::scheduler::transaction::TransactionId;

impl DataCache {
    pub(super) fn write_through(&mut self, id: CachedId) {
        if self.pages[id].state() == State::Flying {
            self.pages[id].urgent = true;
            return;
        }
        let destage = self.set_out(id, false);
        self.due.push_back(destage);
    }

    pub fn next_destage(&mut self, partition: u16) -> Option<Destage> {
        let p = &mut self.partitions[usize::from(partition)];
        if p.in_flight >= self.limit {
            return None;
        }
        while let Some(id) = p.urgent.pop_front() {
            if self.pages[id].urgent && self.pages[id].state() == State::Dirty {
                return Some(self.set_out(id, true));
            }
        }
        let (dirty, all) = (p.lists[State::Dirty as usize].len() as f64, p.capacity as f64);
        p.draining = dirty > self.low * all && (p.draining || p.unwritten() as f64 > self.high * all);
        let short_of_room = !p.waiting.is_empty() && self.rule == DestageRule::Watermarks;
        let wanted = self.idle || short_of_room || p.draining && self.rule == DestageRule::Watermarks;
        let coldest = p.lists[State::Dirty as usize].coldest().filter(|_| wanted)?;
        Some(self.set_out(coldest, true))
    }

    pub fn next_with(&mut self, lpa: u64) -> Option<Destage> {
        let id = self.pages.find(lpa).filter(|&id| self.pages[id].state() == State::Dirty)?;
        Some(self.set_out(id, true))
    }

    pub fn take_due(&mut self) -> Option<Destage> {
        self.due.pop_front()
    }

    pub(super) fn set_out(&mut self, id: CachedId, from_dram: bool) -> Destage {
        self.unlink(id);
        let page = &mut self.pages[id];
        let destage = Destage { from_dram, stream: Some(page.stream), ..Destage::of(page.lpa, page.valid, page.flow) };
        (page.flying, page.dirty) = (page.dirty, 0);
        page.flying_epoch = page.epoch;
        page.flying_waiters = std::mem::replace(&mut page.waiters, TransactionId::NONE);
        page.urgent = false;
        page.touched = !from_dram;
        let partition = usize::from(page.partition);
        self.link(id, true);
        self.partitions[partition].in_flight += u64::from(destage.sectors.count_ones());
        destage
    }

    /// Returns who waited for the page.
    pub fn landed(&mut self, lpa: u64, sectors: u64) -> TransactionId {
        let id = self.pages.find(lpa).expect("flying pages stay in the cache");
        self.counts.destaged += 1;
        self.unlink(id);
        let page = &mut self.pages[id];
        page.flying = 0;
        let waiters = std::mem::replace(&mut page.flying_waiters, TransactionId::NONE);
        let (partition, hot, epoch) = (page.partition, page.touched, page.flying_epoch);
        let goes = page.evicted || !self.keep_destaged && page.dirty == 0;
        let (evicted, urgent) = (page.evicted, page.urgent);
        self.close_unit(id, epoch);
        self.link(id, hot);
        let p = &mut self.partitions[usize::from(partition)];
        p.in_flight -= u64::from(sectors.count_ones());
        if goes {
            p.used -= usize::from(!evicted);
            self.forget(id);
        } else if urgent {
            p.urgent.push_back(id);
        }
        waiters
    }

    /// Returns who came before.
    pub fn await_landing(&mut self, lpa: u64, part: TransactionId) -> TransactionId {
        let id = self.pages.find(lpa).expect("the page has just been written");
        let page = &mut self.pages[id];
        let (waiters, flies) =
            if page.dirty != 0 { (&mut page.waiters, false) } else { (&mut page.flying_waiters, true) };
        let before = std::mem::replace(waiters, part);
        if !flies {
            self.hurry(id);
        }
        before
    }

    pub fn flush(&mut self, flow: u16, request: RequestId) -> bool {
        let stream = self.members[usize::from(flow)].stream;
        if !self.flushes.begin(stream, request) {
            return false;
        }
        for partition in 0..self.partitions.len() {
            for list in [State::Dirty, State::Flying] {
                let ids = self.pages.cold_first(&self.partitions[partition].lists[list as usize]);
                let concerned: Vec<CachedId> = ids.filter(|&id| self.pages[id].dirty != 0).collect();
                for id in concerned {
                    if self.members[usize::from(self.pages[id].flow)].stream == stream {
                        self.hurry(id);
                    }
                }
            }
        }
        true
    }

    pub fn take_flushed(&mut self) -> Option<RequestId> {
        self.flushes.take_done()
    }

    fn hurry(&mut self, id: CachedId) {
        let page = &mut self.pages[id];
        if !page.urgent {
            page.urgent = true;
            if page.state() == State::Dirty {
                self.partitions[usize::from(page.partition)].urgent.push_back(id);
            }
        }
    }
}
