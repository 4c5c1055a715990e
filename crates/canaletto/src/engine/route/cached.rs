//! The share of a request that the cache's DRAM serves is a *part* with its own account. Waiting for room is charged to
//! `write_buffer`, the DRAM to `cache`, waiting for flash to `flush`.

use super::{Event, Route};
use crate::cache::dram::Purpose;
use crate::cache::{DataCache, Destage};
use crate::controller::FROM_CACHE;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::{Ppa, SECTOR};
use crate::flash::interface::Operation;
use crate::host::request::{Kind, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

impl<F: Fabric, P: Probe> Route<F, P> {
    fn cache(&mut self) -> &mut DataCache {
        self.cache.as_mut().expect("only called where there is a cache")
    }

    pub(super) fn begin_cached_read(&mut self, id: RequestId, now: Time) {
        if self.ftl.zones_of(self.requests[id].lba).is_some() && !self.admit_read(id, now) {
            return;
        }
        if self.cache().reads_wait && self.requests[id].outstanding == 0 {
            let flow = self.requests[id].flow;
            let partition = self.cache().partition(flow);
            if self.cache().first_waiting(partition).is_some() {
                return self.cache().wait(flow, id);
            }
        }
        self.read_pages(id, now);
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }

    fn read_pages(&mut self, id: RequestId, now: Time) {
        let pages = self.ftl.spaces.pages(&self.requests[id]);
        let count = pages.left_pages();
        let request = &mut self.requests[id];
        if request.outstanding == 0 {
            (request.outstanding, request.unbegun) = (count, count);
        }
        let these = self.take_unbegun(id);
        let pages = pages.skip((count - these.end) as usize).take(these.len());
        let mut missing = std::mem::take(&mut self.missing);
        let mut found = 0;
        for (lpa, sectors) in pages {
            self.pages.probe.notify(|observer| observer.page_begins(now, id, lpa, sectors, Kind::Read));
            let here = self.cache().read(lpa, sectors);
            let reads = &mut self.cache().counts.reads;
            match here {
                0 => reads.misses += 1,
                _ if here == sectors => reads.hits += 1,
                _ => reads.partial += 1,
            }
            if here != 0 {
                self.pages.probe.notify(|observer| observer.page_read_cached(now, id, lpa, here));
            }
            found += u64::from(self.ftl.spaces.bytes_of(&self.requests[id], lpa, here));
            let rest = sectors & !here;
            if rest != 0 && self.ftl.zones_at(lpa).is_some() && self.cache().holds(lpa) {
                // The buffer has what is written of a zone's page until it is programmed.
                self.pages.probe.notify(|observer| observer.page_read(now, id, lpa, rest, Ppa::NONE));
                found += u64::from(self.ftl.spaces.bytes_of(&self.requests[id], lpa, rest));
            } else if rest != 0 {
                missing.push((lpa, rest));
            }
        }
        if found > 0 {
            let part = self.new_part(id, now);
            self.use_dram(self.requests[id].flow, Purpose::Part(part), found, now);
        }
        self.requests[id].outstanding -= these.len() as u32 - missing.len() as u32;
        self.open_batch();
        for (lpa, sectors) in missing.drain(..) {
            self.ftl.begin_page(&mut self.pages, (id, &self.requests[id]), lpa, sectors, now);
            self.carry_out(now);
        }
        self.close_batch(now);
        self.missing = missing;
        self.note_unbegun(id);
    }

    pub(super) fn begin_cached_write(&mut self, id: RequestId, now: Time) {
        if self.ftl.zones_of(self.requests[id].lba).is_some() {
            return self.begin_zoned_write(id, now);
        }
        let flow = self.requests[id].flow;
        if self.cache().has_slots() && !self.cache().mode(flow).writes() {
            return self.begin_pages(id, now);
        }
        if !self.cache().mode(flow).writes() && !self.is_unwritten_in_cache(id) {
            for (lpa, _) in self.ftl.spaces.pages(&self.requests[id]) {
                self.cache().discard(lpa);
            }
            self.tell_dropped();
            return self.begin_pages(id, now);
        }
        self.buffer_write(id, now);
    }

    pub(super) fn buffer_write(&mut self, id: RequestId, now: Time) {
        let flow = self.requests[id].flow;
        // One more until the cache has taken all pages.
        self.requests[id].outstanding = 1;
        let partition = self.cache().partition(flow);
        if self.cache().first_waiting(partition).is_some() || !self.take_pages(id, now) {
            self.cache().wait(flow, id);
            self.cache().counts.writes.waited += 1;
        }
        self.destage(now);
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }

    /// Then the request's data can only be joined in the cache.
    fn is_unwritten_in_cache(&mut self, id: RequestId) -> bool {
        self.ftl.spaces.pages(&self.requests[id]).any(|(lpa, _)| self.cache().is_unwritten(lpa))
    }

    fn take_pages(&mut self, id: RequestId, now: Time) -> bool {
        let request = &self.requests[id];
        let (flow, fua, taken, since) = (request.flow, request.fua, request.held, request.since);
        let stream = request.stream;
        let safe = self.cache().survives_power_loss || !fua && self.cache().mode(flow).writes();
        let (mut sectors, mut all) = (0, true);
        self.ftl.gather();
        self.open_batch();
        for (lpa, wanted) in self.ftl.spaces.pages(&self.requests[id]).skip(taken as usize) {
            all = self.cache().write((flow, stream), lpa, wanted, since);
            self.tell_dropped();
            if !all {
                break;
            }
            self.pages.probe.notify(|observer| observer.page_begins(now, id, lpa, wanted, Kind::Write));
            self.pages.probe.notify(|observer| observer.page_cached(now, id, lpa, wanted));
            sectors += wanted.count_ones();
            self.requests[id].held += 1;
            if !safe {
                let part = self.new_part(id, now);
                self.pages.transactions[part].next = self.cache().await_landing(lpa, part);
            }
            if !self.cache().has_slots() {
                self.start_due(now);
            }
        }
        self.ftl.send_gathered(&mut self.pages.transactions);
        self.carry_out(now);
        self.send_evicted(flow, now);
        if sectors > 0 {
            let purpose = if safe { Purpose::Part(self.new_part(id, now)) } else { Purpose::Fill };
            self.use_dram(flow, purpose, u64::from(sectors) * SECTOR, now);
        }
        self.start_due(now);
        self.close_batch(now);
        self.requests[id].outstanding -= u32::from(all);
        self.cache().forget_recent(flow, now);
        self.end_batch(now);
        if self.ftl.zones_of(self.requests[id].lba).is_some() {
            self.zone_pages_taken(id, all, now);
        }
        all
    }

    fn send_evicted(&mut self, flow: u16, now: Time) {
        if let Some((transfer, sectors)) = self.cache().take_evicted() {
            self.use_dram(flow, Purpose::Evicted(transfer), u64::from(sectors) * SECTOR, now);
        }
    }

    fn evicted_read(&mut self, transfer: u32, now: Time) {
        let pages = self.cache().take_leaving(transfer);
        self.open_batch();
        for destage in pages {
            self.ftl.begin_destage(&mut self.pages, &destage, FROM_CACHE, now);
            self.carry_out(now);
        }
        self.close_batch(now);
        self.end_batch(now);
    }

    fn new_part(&mut self, id: RequestId, now: Time) -> TransactionId {
        let request = &mut self.requests[id];
        request.outstanding += 1;
        let (flow, since) = (request.flow, request.since);
        let part = Transaction::of_request(Operation::Read, id, self.ftl.spaces[usize::from(flow)].priority, 0, 0, now);
        let part = self.pages.new_page(Transaction { origin: Origin::Cached, flow, since, ..part });
        if self.requests[id].kind == Kind::Read && since < now {
            self.pages.charge_page(part, Cause::DeviceQueue, now);
            return part;
        }
        self.pages.charge_page_for(part, Ended::Destage, Cause::WriteBuffer, now);
        part
    }

    fn use_dram(&mut self, flow: u16, purpose: Purpose, bytes: u64, now: Time) {
        if let Some(time) = self.cache().dram.request(flow, purpose, bytes, now) {
            self.events.push(time, Event::CacheDram);
        }
    }

    #[inline(never)]
    pub(super) fn cache_dram_done(&mut self, now: Time) {
        let (purpose, next) = self.cache().dram.done(now);
        if let Some(time) = next {
            self.events.push(time, Event::CacheDram);
        }
        match purpose {
            Purpose::Part(part) => {
                self.pages.charge_page(part, Cause::Cache, now);
                self.page_finished(part, now);
            }
            Purpose::Destage(id) => {
                let mut group = FlashPageGroup::of(id);
                while let Some(id) = group.next(&self.pages.transactions) {
                    self.pages.charge_page(id, Cause::Cache, now);
                    self.pages.transactions[id].state.stage = FROM_CACHE;
                }
                self.pass_stages(id, now);
            }
            Purpose::Evicted(transfer) => self.evicted_read(transfer, now),
            Purpose::Fill => {}
        }
    }

    #[inline(always)]
    pub(super) fn keep_read(&mut self, id: TransactionId, now: Time) {
        if self.cache.is_some() {
            self.keep_read_in_cache(id, now);
        }
    }

    #[inline(never)]
    fn keep_read_in_cache(&mut self, id: TransactionId, now: Time) {
        let Some(cache) = &self.cache else { return };
        let t = &self.pages.transactions[id];
        if !cache.mode(t.flow).reads() {
            return;
        }
        if cache.has_slots() {
            return self.keep_in_slot(id, now);
        }
        if !self.ftl.is_current(&self.pages, t) {
            return;
        }
        let (flow, lpa, from, sectors) = (t.flow, t.lpa, t.ppa, t.sectors);
        let new = self.cache().fill(flow, lpa, sectors);
        self.tell_dropped();
        if new != 0 {
            self.cache().counts.filled += 1;
            self.pages.probe.notify(|observer| observer.page_filled(now, lpa, new, from));
            self.use_dram(flow, Purpose::Fill, u64::from(new.count_ones()) * SECTOR, now);
        }
        self.start_due(now);
    }

    fn keep_in_slot(&mut self, id: TransactionId, now: Time) {
        let Transaction { flow, lpa, ppa, sectors, request, .. } = self.pages.transactions[id];
        let (programmed, since) = (self.ftl.was_programmed(ppa), self.requests[request].since);
        let is_new = self.cache().keep_in_slot(flow, lpa, programmed, sectors, since);
        self.tell_dropped();
        self.send_evicted(flow, now);
        if is_new {
            self.cache().counts.filled += 1;
            self.use_dram(flow, Purpose::Fill, u64::from(sectors.count_ones()) * SECTOR, now);
        }
    }

    fn start_due(&mut self, now: Time) {
        while let Some(destage) = self.cache().take_due() {
            self.start_destage(destage, now);
        }
    }

    fn destage(&mut self, now: Time) {
        for partition in self.cache().partitions() {
            while let Some(destage) = self.cache().next_destage(partition) {
                self.start_destage(destage, now);
            }
        }
    }

    fn start_destage(&mut self, destage: Destage, now: Time) {
        let Destage { lpa, flow, stream, from_dram, .. } = destage;
        self.ftl.gather();
        self.destage_page(destage, now);
        for other in self.ftl.spaces.written_with(flow, lpa, from_dram) {
            match self.cache().next_with(other) {
                Some(destage) => self.destage_page(destage, now),
                // The cache has nothing new of it, but it may lie together with one that it has.
                None if self.ftl.spaces.widens => {
                    self.write_unchanged(Destage { stream, ..Destage::of(other, 0, flow) }, now);
                }
                None => {}
            }
        }
        self.ftl.send_gathered(&mut self.pages.transactions);
        self.carry_out(now);
    }

    fn write_unchanged(&mut self, page: Destage, now: Time) {
        if !self.ftl.is_written_anyway(page.lpa) {
            self.ftl.begin_destage(&mut self.pages, &page, FROM_CACHE, now);
            self.carry_out(now);
        }
    }

    /// Operands that lie together with those of a write follow it.
    #[cold]
    pub(super) fn write_operands_unchanged(&mut self, others: &[u64], (flow, stream): (u16, u16), now: Time) {
        self.ftl.gather();
        for &lpa in others {
            self.write_unchanged(Destage { stream: Some(stream), ..Destage::of(lpa, 0, flow) }, now);
        }
        self.ftl.send_gathered(&mut self.pages.transactions);
        self.carry_out(now);
        self.offer_paths(now);
    }

    fn destage_page(&mut self, destage: Destage, now: Time) {
        self.pages.probe.notify(|observer| observer.page_destages(now, destage.lpa, destage.sectors));
        let stage = if destage.from_dram { 0 } else { FROM_CACHE };
        self.ftl.begin_destage(&mut self.pages, &destage, stage, now);
        self.carry_out(now);
    }

    fn tell_dropped(&mut self) {
        while let Some(lpa) = self.cache().take_dropped() {
            self.pages.probe.notify(|observer| observer.page_dropped(lpa));
        }
    }

    pub(super) fn read_destaged(&mut self, first: TransactionId, now: Time) {
        let (mut group, mut sectors) = (FlashPageGroup::of(first), 0);
        while let Some(id) = group.next(&self.pages.transactions) {
            sectors += self.pages.transactions[id].sectors.count_ones();
        }
        self.use_dram(self.pages.transactions[first].flow, Purpose::Destage(first), u64::from(sectors) * SECTOR, now);
    }

    pub(super) fn destage_landed(&mut self, id: TransactionId, now: Time) {
        let Transaction { flow, lpa, sectors, .. } = self.pages.transactions[id];
        let began = self.requests.began(&self.pages, id);
        self.pages.remove_awaited(id, Ended::Destage);
        if sectors == 0 {
            return;
        }
        if self.cache().has_slots() {
            self.cache().slot_landed(flow, lpa, sectors, began);
            self.tell_dropped();
            return self.serve_waiting(now);
        }
        let waiters = self.cache().landed(lpa, sectors);
        self.tell_dropped();
        self.finish_waiters(waiters, now);
        self.serve_waiting(now);
    }

    /// The drive is worn out, and the page's data are lost.
    pub(super) fn destage_lost(&mut self, id: TransactionId, now: Time) {
        let t = &self.pages.transactions[id];
        if t.sectors != 0 {
            self.pages.probe.notify(|observer| observer.page_lost(now, t.lpa, t.sectors));
            self.cache().counts.lost += 1;
        }
        self.destage_landed(id, now);
    }

    #[cold]
    pub(super) fn destage_out_of_reach(&mut self, id: TransactionId, now: Time) {
        self.destage_lost(id, now);
        self.carry_out(now);
        self.offer_paths(now);
    }

    /// Tasks read flash: what the cache has of a page goes there first. Returns whether it has anything.
    pub(super) fn awaits_landing(&mut self, page: TransactionId, lpa: u64, now: Time) -> bool {
        let Some(cache) = self.cache.as_mut().filter(|cache| cache.is_unwritten(lpa)) else { return false };
        self.pages.transactions[page].next = cache.await_landing(lpa, page);
        self.destage(now);
        true
    }

    fn finish_waiters(&mut self, mut part: TransactionId, now: Time) {
        while part.is_some() {
            let next = self.pages.transactions[part].next;
            self.pages.charge_page_for(part, Ended::Destage, Cause::Flush, now);
            if self.pages.transactions[part].origin == Origin::Cached {
                self.page_finished(part, now);
            } else {
                self.pages.transactions[part].next = TransactionId::NONE;
                self.ftl.begin_located(&mut self.pages, part, now);
                self.carry_out(now);
            }
            part = next;
        }
        while let Some(flush) = self.cache().take_flushed() {
            if self.pages.probe.follows_waits() {
                self.pages.root_causes.request_waited_for(Ended::Destage, flush, Cause::Flush, now);
            }
            self.requests.charge(&mut self.pages, flush, Cause::Flush, now);
            self.finish(flush, now);
        }
    }

    fn serve_waiting(&mut self, now: Time) {
        for partition in self.cache().partitions() {
            while let Some(first) = self.cache().first_waiting(partition) {
                if self.requests[first].kind == Kind::Read {
                    self.cache().stop_waiting(partition);
                    self.requests.charge(&mut self.pages, first, Cause::WriteBuffer, now);
                    self.read_pages(first, now);
                    continue;
                }
                if !self.take_pages(first, now) {
                    break;
                }
                self.cache().stop_waiting(partition);
            }
        }
        self.destage(now);
        self.scheduler.touch_all_if_noticed();
    }

    /// With power-loss protection what is cached is safe; otherwise all that is dirty goes to flash first.
    pub(super) fn begin_flush(&mut self, id: RequestId, now: Time) {
        let flow = self.requests[id].flow;
        let waits = self.cache.as_mut().is_some_and(|cache| {
            cache.counts.flushes += 1;
            !cache.survives_power_loss && cache.flush(flow, id)
        });
        if !waits {
            return self.finish(id, now);
        }
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.flush_begins(id);
        }
        self.destage(now);
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }

    pub(super) fn has_cached_pages(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| !cache.is_empty())
    }

    pub(super) fn trim_cached(&mut self, request: RequestId, lpa: u64, now: Time) {
        if !self.cache.as_ref().is_some_and(|cache| cache.holds(lpa)) {
            return;
        }
        let (waits, all) = (self.ftl.trim_waits(&self.pages, lpa), self.ftl.whole_page());
        let Some(forgotten) = self.cache.as_mut().and_then(|cache| cache.trim(lpa, all, waits)) else { return };
        self.cache().counts.trimmed += 1;
        self.pages.probe.notify(|observer| observer.page_trimmed_in_cache(now, request, lpa, forgotten.stays));
        self.tell_dropped();
        self.finish_waiters(forgotten.waiters, now);
    }

    pub(super) fn room_after_trim(&mut self, now: Time) {
        if self.cache.is_some() {
            self.serve_waiting(now);
        }
    }

    #[inline(always)]
    pub(super) fn expect_idleness(&mut self, now: Time) {
        if self.cache.is_some() {
            self.expect_destaging(now);
        }
    }

    #[inline(never)]
    fn expect_destaging(&mut self, now: Time) {
        let is_idle = self.requests.is_empty();
        let next_look = self.cache.as_mut().and_then(|cache| cache.expect_idleness(is_idle, now));
        if let Some(time) = next_look {
            self.events.push(time, Event::CacheIdle);
        }
    }

    #[inline(never)]
    pub(super) fn destage_if_idle(&mut self, now: Time) {
        if !self.requests.is_empty() || !self.cache().has_been_idle(now) {
            return;
        }
        self.cache().set_idle(true);
        self.destage(now);
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }
}
