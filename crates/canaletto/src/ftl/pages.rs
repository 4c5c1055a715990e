use super::{Ftl, Outcome};
use crate::cache::{Destage, TrimWaits};
use crate::config::design::{MapUpdate, PartialWrites, UnwrittenReads};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::{Frontier, Line};
use crate::ftl::mapping::Entry;
use crate::ftl::reclaim::gc::pacing::Pacing;
use crate::ftl::reclaim::{Way, reclaim};
use crate::ftl::spaces::{FlowSpace, sector_mask};
use crate::host::request::{Kind, Request, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{Flag, Origin, Transaction, TransactionId};

pub(super) enum Found {
    At(Ppa),
    Nothing,
    /// Never written, and there is no room to find it in.
    NoRoom,
    OutOfReach,
}

impl Ftl {
    #[inline(always)]
    pub fn begin_translated<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        match (work.transactions[id].origin, work.transactions[id].operation) {
            (Origin::Trim, _) => self.begin_translated_trim(work, id, now),
            (_, Operation::Program) => self.begin_write(work, id, now),
            _ => self.begin_read(work, id, now),
        }
    }

    pub fn whole_page(&self) -> u64 {
        sector_mask(0, u64::from(self.layout.sectors_per_page))
    }

    #[inline(always)]
    pub fn begin_page<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        (id, request): (RequestId, &Request),
        lpa: u64,
        sectors: u64,
        now: Time,
    ) {
        let flow = request.flow;
        let &FlowSpace { priority, .. } = &self.spaces[usize::from(flow)];
        let stream = request.stream;
        let write = request.kind == Kind::Write;
        let operation = if write { Operation::Program } else { Operation::Read };
        let frontier = if write { self.folding.frontier_of_host(stream) } else { Frontier::User(stream) };
        let since = request.since;
        let transaction = Transaction::of_request(operation, id, priority, lpa, sectors, now);
        let bytes = self.spaces.bytes_of(request, lpa, sectors);
        let transaction = work.new_page(Transaction { flow, frontier, since, bytes, ..transaction });
        if since < now {
            // Pages of the request before it have been in flight.
            work.charge_page(transaction, Cause::DeviceQueue, now);
        }
        self.begin_located(work, transaction, now);
    }

    /// A page of a task, which ends at the host or at a unit that `computes`.
    pub fn new_operand<P: Probe>(
        &self,
        work: &mut PageWork<P>,
        (id, request): (RequestId, &Request),
        (lpa, sectors): (u64, u64),
        computes: bool,
        now: Time,
    ) -> TransactionId {
        let (flow, since, frontier) = (request.flow, request.since, Frontier::User(request.stream));
        let (priority, origin) =
            (self.spaces[usize::from(flow)].priority, if computes { Origin::Operand } else { Origin::User });
        let page = Transaction::of_request(Operation::Read, id, priority, lpa, sectors, now);
        work.new_page(Transaction { flow, origin, frontier, since, ..page.with(Flag::Computes, computes) })
    }

    #[inline(always)]
    pub fn begin_located<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        if self.look_up(work, id, now) {
            self.begin_translated(work, id, now);
        }
    }

    #[inline]
    pub fn plane_of<P: Probe>(&self, work: &PageWork<P>, transaction: TransactionId) -> PlaneId {
        let t = &work.transactions[transaction];
        if t.origin == Origin::Mapping {
            return t.ppa.plane;
        }
        self.spaces.plane(t.flow, t.lpa)
    }

    #[inline(always)]
    pub(super) fn begin_read<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        match self.translate_read(work, id) {
            Found::At(at) if work.transactions[id].is(Flag::Computes) && self.is_out_of_reach(at.plane) => {
                self.read_out_of_reach(work, id, now);
            }
            Found::At(at) => {
                work.transactions[id].ppa = at;
                self.begin_read_of(at);
                self.write_due(work, now);
                if work.transactions[id].is(Flag::Computes) {
                    self.room.count_in(&work.transactions[id]);
                    return self.tell(Outcome::Located(id));
                }
                self.issue(work, id);
            }
            Found::Nothing if work.transactions[id].origin == Origin::Mapping => self.translation_read(work, id),
            Found::Nothing => {
                let t = &work.transactions[id];
                work.probe.notify(|observer| observer.page_read(now, t.request, t.lpa, t.sectors, Ppa::NONE));
                self.end_without_data(work, id);
            }
            Found::NoRoom => self.room.wait(id, &work.transactions),
            Found::OutOfReach => self.read_out_of_reach(work, id, now),
        }
    }

    #[cold]
    fn read_out_of_reach<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        self.uncorrectable += 1;
        let Transaction { request, lpa, .. } = work.transactions[id];
        self.note_out_of_reach(request);
        work.probe.notify(|observer| observer.page_failed(now, request, lpa));
        self.end_without_data(work, id);
    }

    pub(super) fn end_without_data<P: Probe>(&mut self, work: &PageWork<P>, id: TransactionId) {
        let computes = work.transactions[id].is(Flag::Computes);
        self.tell(if computes { Outcome::Located(id) } else { Outcome::PageDone(id) });
    }

    #[inline(always)]
    pub(super) fn begin_read_of(&mut self, at: Ppa) {
        reclaim!(&mut self.way, read_begins(&mut self.blocks, at));
    }

    #[inline(always)]
    pub fn end_read_of(&mut self, from: Ppa) {
        if reclaim!(&mut self.way, read_ends(&mut self.blocks, &self.collector, from)) {
            self.changed.push(from.plane);
        }
    }

    /// Or else the place where preconditioning has put it.
    #[inline(always)]
    pub fn entry(&self, lpa: u64) -> Entry {
        self.entry_or_seed(lpa, self.mapping.get(lpa))
    }

    #[inline(always)]
    fn entry_or_seed(&self, lpa: u64, entry: Entry) -> Entry {
        match entry {
            Entry::Unmapped if !self.mapping.holds(lpa) => reclaim!(&self.way, locate(&self.blocks, lpa)),
            entry => entry,
        }
    }

    #[inline(always)]
    fn translate_read<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) -> Found {
        let entry = self.entry(work.transactions[id].lpa);
        if let Entry::At(ppa) = entry { Found::At(ppa) } else { self.translate_pending_read(work, id, entry) }
    }

    #[inline(never)]
    fn translate_pending_read<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, entry: Entry) -> Found {
        let known = if matches!(entry, Entry::Unmapped) { None } else { Self::written_page(work, entry) };
        match known {
            Some(found) => found,
            None => self.find_unwritten(work, id, entry),
        }
    }

    #[inline(never)]
    fn written_page<P: Probe>(work: &PageWork<P>, entry: Entry) -> Option<Found> {
        match entry {
            Entry::At(ppa) => Some(Found::At(ppa)),
            Entry::Pending(write) if work.transactions[write].is(Flag::WasTrimmed) => Some(Found::Nothing),
            Entry::Pending(write) => {
                let old = work.transactions[write].payload.old;
                old.is_bound().then_some(Found::At(old))
            }
            Entry::Trimmed => Some(Found::Nothing),
            Entry::Unmapped => None,
        }
    }

    /// A page that was never written is allocated as if written before the run.
    #[inline(always)]
    pub(super) fn find_unwritten<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        id: TransactionId,
        entry: Entry,
    ) -> Found {
        let &Transaction { lpa, sectors, origin, .. } = &work.transactions[id];
        let sectors = match self.rules.unwritten {
            _ if origin == Origin::Mapping => self.whole_page(),
            UnwrittenReads::Zeroes => return Found::Nothing,
            UnwrittenReads::AssumeSectorsWritten => sectors,
            UnwrittenReads::AssumePageWritten => self.whole_page(),
        };
        if !self.lost.planes.is_empty() && self.is_out_of_reach(self.plane_of(work, id)) {
            return Found::OutOfReach;
        }
        let fixed = if reclaim!(&self.way, has_places()) {
            reclaim!(&self.way, place(self.plane_of(work, id), lpa))
        } else {
            None
        };
        let adopted = if fixed.is_some() { fixed } else { self.adopt(work, lpa) };
        let found = if adopted.is_some() { adopted } else { self.allocate_found(work, id, sectors) };
        let Some(at) = found else {
            return Found::NoRoom;
        };
        match entry {
            Entry::Pending(write) => work.transactions[write].payload.old = at,
            _ => self.mapping.set(lpa, Entry::At(at)),
        }
        if self.rules.unwritten == UnwrittenReads::AssumeSectorsWritten {
            self.mapping.changed(lpa);
        }
        self.upkeep.wear.found(at);
        if let Some(unprogrammed) = &mut self.unprogrammed {
            unprogrammed.insert(at.pack());
        }
        work.probe.notify(|observer| observer.page_found(lpa, at));
        Found::At(at)
    }

    #[inline(always)]
    fn adopt<P: Probe>(&mut self, work: &mut PageWork<P>, lpa: u64) -> Option<Ppa> {
        let (map, collector) = (&self.mapping, &self.collector);
        let may_go = |gone, at: Ppa| map.get(gone) == Entry::Unmapped && !collector.collects(at.plane, at.block);
        let (at, gone) = self.blocks.adopt(lpa, may_go)?;
        work.probe.notify(|observer| observer.page_gone(gone, at));
        Some(at)
    }

    #[inline(always)]
    fn allocate_found<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, sectors: u64) -> Option<Ppa> {
        let t = &work.transactions[id];
        let (lpa, frontier) = (t.lpa, t.frontier.native());
        let line = Line { frontier, ..t.line() };
        let plane = self.plane_to_find(work, id, frontier)?;
        let at = self.allocate(plane, frontier, lpa, sectors)?;
        self.blocks.note_bound(plane, line, false);
        if self.rules.unwritten == UnwrittenReads::AssumePageWritten && self.layout.pages_per_flash_page() > 1 {
            self.find_rest_of_page(work, id, at);
        }
        self.blocks.end_flash_page(at);
        Some(at)
    }

    #[inline(never)]
    pub(super) fn begin_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let lpa = work.transactions[id].lpa;
        let entry = self.mapping.get(lpa);
        if let Entry::Pending(earlier) = entry {
            return self.follow(work, earlier, id);
        }
        if self.translate_write(work, id, entry, now) {
            self.send_data_out(id);
        }
    }

    /// Changes of one page keep their order.
    pub fn follow<P: Probe>(&mut self, work: &mut PageWork<P>, earlier: TransactionId, id: TransactionId) {
        let mut last = earlier;
        while work.transactions[last].successor().is_some() {
            last = work.transactions[last].successor();
        }
        work.transactions[last].set_successor(id);
    }

    /// Finds the replaced page, and starts the read of a partial write. `entry`: in the table. Returns whether a plane
    /// was found; else it waits.
    #[inline(always)]
    fn translate_write<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        id: TransactionId,
        entry: Entry,
        now: Time,
    ) -> bool {
        let Transaction { lpa, sectors, .. } = work.transactions[id];
        let whole = self.whole_page();
        let entry = self.entry_or_seed(lpa, entry);
        let (was_trimmed, widened) = (entry == Entry::Trimmed, sectors == 0);
        let mut old = if let Entry::At(ppa) = entry { ppa } else { Ppa::NONE };
        if !was_trimmed
            && !old.is_some()
            && sectors != whole
            && self.rules.unwritten == UnwrittenReads::AssumePageWritten
        {
            match self.find_unwritten(work, id, entry) {
                Found::At(at) => old = at,
                Found::OutOfReach => {
                    self.leave_as_it_is(work, id, now);
                    return false;
                }
                Found::Nothing | Found::NoRoom => {}
            }
        }
        if old.is_bound() {
            let missing = reclaim!(&self.way, missing(&self.blocks, old, sectors, whole));
            if missing != 0 && self.is_out_of_reach(old.plane) {
                self.leave_as_it_is(work, id, now);
                return false;
            }
            let listed = self.mapping.listed(lpa);
            if missing != 0 {
                let read = missing & listed.unwrap_or(u64::MAX);
                work.rare_mut(id).merged = missing;
                if read != 0 {
                    self.read_old_page(work, id, old, read, now);
                }
            }
            if let Some(listed) = listed {
                self.mapping.note_listed(lpa, listed | sectors, missing | sectors);
            }
        } else {
            old = Ppa::NONE;
        }
        if widened && !old.is_bound() {
            self.leave_unwritten(work, id);
            return false;
        }
        let w = &mut work.transactions[id];
        w.payload.old = old;
        w.set(Flag::WasTrimmed, was_trimmed);
        if was_trimmed {
            let rest = reclaim!(&self.way, to_clear(whole & !w.sectors));
            if rest != 0 {
                work.rare_mut(id).merged = rest;
            }
        }
        if self.rules.partial == PartialWrites::Merged {
            self.count_merged(work, id, whole);
        }
        self.mapping.set(lpa, Entry::Pending(id));
        let Some(plane) = self.plane_to_write(work, id) else {
            self.room.wait(id, &work.transactions);
            return false;
        };
        self.send_to_plane(work, id, plane, now);
        true
    }

    #[inline(always)]
    fn count_merged<P: Probe>(&self, work: &mut PageWork<P>, id: TransactionId, whole: u64) {
        let merged = work.rare(id).merged;
        let w = &mut work.transactions[id];
        let all = w.sectors | merged;
        w.bytes = if all == whole { self.layout.page_bytes() as u32 } else { all.count_ones() * 512 };
    }

    /// Whether a write of an operand is on its way already. Mapping units keep the order of their writes.
    pub fn is_written_anyway(&self, lpa: u64) -> bool {
        self.spaces.pages_per_unit == 1 && matches!(self.mapping.get(lpa), Entry::Pending(_))
    }

    #[inline(always)]
    pub fn send_to_plane<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, plane: PlaneId, now: Time) {
        if let Some(at) = reclaim!(&self.way, place(plane, work.transactions[id].lpa)) {
            work.transactions[id].ppa = at;
            return;
        }
        work.transactions[id].ppa = Ppa::unbound(plane);
        if self.rules.map_update == MapUpdate::Issue {
            self.bind_at_once(work, id);
            self.write_due(work, now);
        }
    }

    fn read_old_page<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        write: TransactionId,
        old: Ppa,
        missing: u64,
        now: Time,
    ) {
        let w = &mut work.transactions[write];
        w.set(Flag::AwaitsOldPage, true);
        let read = Transaction::of_old_page(write, w, old, missing, now);
        let read = work.new_page(read);
        self.begin_read_of(old);
        self.issue(work, read);
    }

    /// The write takes effect before it is programmed, if the plane has room.
    fn bind_at_once<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let t = work.transactions[id];
        // With later writes of the page waiting, it stays marked until the last of them has its turn.
        if t.successor().is_some() {
            return;
        }
        if let Some(at) = self.allocate(t.ppa.plane, t.frontier, t.lpa, t.sectors | work.rare(id).merged) {
            self.blocks.program_begins(at);
            self.blocks.note_in_flight(at);
            self.blocks.note_bound(at.plane, t.line(), false);
            self.mapping.set(t.lpa, Entry::At(at));
            if let Some(unprogrammed) = &mut self.unprogrammed {
                unprogrammed.insert(at.pack());
            }
            if t.payload.old.is_bound() {
                self.blocks.invalidate(t.payload.old);
            }
            work.transactions[id].ppa = at;
            self.room.page_given(&work.transactions[id]);
            self.mapping.changed(t.lpa);
        }
    }

    #[inline(always)]
    pub fn allocate(&mut self, plane: PlaneId, frontier: Frontier, lpa: u64, sectors: u64) -> Option<Ppa> {
        let (at, opened) = self.blocks.allocate(plane, frontier, lpa, sectors)?;
        if opened {
            self.changed.push(plane);
        }
        Some(at)
    }

    #[inline(always)]
    pub fn host_page_programmed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = &work.transactions[id];
        if t.is(Flag::LostOldPage) {
            return self.undo_partial_write(work, id, now);
        }
        let (at, lpa, old, origin, successor) = (t.ppa, t.lpa, t.payload.old, t.origin, t.successor());
        reclaim!(&mut self.way, program_ends(&mut self.blocks, at));
        if let Some(unprogrammed) = &mut self.unprogrammed {
            unprogrammed.remove(&at.pack());
        }
        self.tell_of_program(work, id, now);
        if self.mapping.replace(lpa, Entry::Pending(id), Entry::At(at)) {
            if old.is_bound() {
                reclaim!(&self.way, invalidate(&mut self.blocks, old));
            }
            self.mapping.changed(lpa);
            if successor.is_some() {
                if work.probe.follows_waits() {
                    work.root_causes.ends(Ended::Write, id);
                }
                self.start_successor(work, successor, now);
            }
        }
        self.plane_changed(at.plane);
        self.write_due(work, now);
        if origin == Origin::Destage {
            self.tell(Outcome::Destaged(id));
        } else {
            self.tell(Outcome::PageDone(id));
        }
    }

    pub fn start_successor<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        work.charge_page_for(id, Ended::Write, Cause::SamePage, now);
        if work.transactions[id].origin == Origin::Trim {
            return self.trim_after_write(work, id, now);
        }
        let entry = self.mapping.get(work.transactions[id].lpa);
        if self.translate_write(work, id, entry, now) {
            self.send_data_out(id);
        }
    }

    /// A flash page that nobody wrote holds all its logical pages that have no other place.
    fn find_rest_of_page<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, at: Ppa) {
        let Transaction { lpa, frontier, flow, origin, .. } = work.transactions[id];
        if origin == Origin::Mapping {
            return;
        }
        for other in self.spaces.found_with(flow, lpa) {
            if self.mapping.get(other) == Entry::Unmapped && self.blocks.locate(other).is_none() {
                let whole = self.whole_page();
                let beside = match self.blocks.has_superblocks() {
                    true => self.blocks.write_beside(at, other, whole),
                    false => self.allocate(at.plane, frontier.native(), other, whole),
                };
                if let Some(at) = beside {
                    self.mapping.set(other, Entry::At(at));
                    work.probe.notify(|observer| observer.page_found(other, at));
                }
            }
        }
    }

    fn leave_unwritten<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let (origin, successor) = (work.transactions[id].origin, work.transactions[id].successor());
        if origin == Origin::Destage {
            self.tell(Outcome::Destaged(id))
        } else {
            self.tell(Outcome::PageDone(id))
        }
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }

    #[inline]
    fn tell_of_program<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = &work.transactions[id];
        if t.sectors == 0 {
            if !t.payload.old.is_bound() {
                return;
            }
            // Nobody wrote it: it belongs to the unit of a page that somebody wrote.
            return work.probe.notify(|observer| observer.page_copied(now, t.lpa, t.payload.old, t.ppa));
        }
        self.maintenance.host_page(now);
        if let (Some(handles), Frontier::User(stream)) = (&mut self.handles, t.frontier) {
            if !matches!(&self.way, Way::Zoned(zoned) if zoned.0.has_block(t.ppa)) {
                handles.written(stream);
            }
        }
        if t.is(Flag::PseudoSlc) {
            self.maintenance.cached_page(now);
        }
        let merged = if work.rare(id).merged == 0 { Ppa::NONE } else { t.payload.old };
        if t.origin == Origin::Destage {
            work.probe.notify(|observer| observer.page_destaged(now, t.lpa, t.sectors, t.ppa, merged));
        } else {
            work.probe.notify(|observer| observer.page_programmed(now, t.request, t.lpa, t.sectors, t.ppa, merged));
        }
    }

    pub fn begin_destage<P: Probe>(&mut self, work: &mut PageWork<P>, destage: &Destage, stage: u8, now: Time) {
        let &Destage { lpa, sectors, flow, stream, priority, stamp, .. } = destage;
        let space = &self.spaces[usize::from(flow)];
        let (priority, frontier) =
            (priority.unwrap_or(space.priority), self.folding.frontier_of_host(stream.unwrap_or(space.stream)));
        let page = Transaction::of_destage(flow, priority, frontier, lpa, sectors, now);
        let page = work.new_page(Transaction { state: page.state.at_stage(stage), ..page });
        if let Some(stamp) = stamp {
            work.set_began(page, stamp);
        }
        self.begin_located(work, page, now);
    }

    /// And not only found as if it had been.
    pub fn was_programmed(&self, at: Ppa) -> bool {
        self.unprogrammed.as_ref().is_none_or(|pages| !pages.contains(&at.pack()))
    }

    pub fn is_current<P: Probe>(&self, work: &PageWork<P>, read: &Transaction) -> bool {
        self.entry(read.lpa) == Entry::At(read.ppa) && !self.is_awaited(work, read.lpa)
    }

    pub fn trim_waits<P: Probe>(&self, work: &PageWork<P>, lpa: u64) -> TrimWaits {
        match self.mapping.get(lpa) {
            _ if self.is_awaited(work, lpa) => TrimWaits::Longer,
            Entry::Pending(write) if is_landing(work, write) => TrimWaits::ForLanding,
            Entry::Pending(_) => TrimWaits::Longer,
            _ => TrimWaits::No,
        }
    }

    /// None if every plane must end what is under way first.
    #[inline(always)]
    pub fn plane_to_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) -> Option<PlaneId> {
        if self.blocks.has_superblocks() {
            let (plane, line) = (self.plane_of(work, id), work.transactions[id].line());
            return match self.collector.pacing {
                None => self.take_place(plane, line, false),
                Some(_) => self.take_paced_place(plane, line),
            };
        }
        if !self.room.is_dynamic {
            return Some(self.home_of(work, id)).filter(|&plane| !self.is_out_of_reach(plane));
        }
        let stream = self.spaces[usize::from(work.transactions[id].flow)].stream;
        let plane = match self.room.allocator.go_on(stream, &self.blocks) {
            Some(plane) => plane,
            None => {
                let plane = self.least_busy_plane(work, id)?;
                self.room.allocator.fill(stream, plane);
                plane
            }
        };
        self.room.expect(plane);
        Some(plane)
    }

    /// Its own plane, or the one that stands in.
    #[inline(always)]
    pub fn home_of<P: Probe>(&self, work: &PageWork<P>, id: TransactionId) -> PlaneId {
        let plane = self.plane_of(work, id);
        if !self.is_out_of_reach(plane) {
            return plane;
        }
        let t = &work.transactions[id];
        self.spaces.stand_in(t.flow, t.lpa).unwrap_or(plane)
    }

    /// The plane of a group that the stripe decides. None if there is no room.
    pub fn take_place(&mut self, plane: PlaneId, line: Line, alone: bool) -> Option<PlaneId> {
        let (to, opened) = self.blocks.take_place(plane, line, alone)?;
        if opened {
            self.changed.push(plane);
        }
        Some(to)
    }

    /// As [`Ftl::take_place`], for a write that may have to wait for copies.
    fn take_paced_place(&mut self, plane: PlaneId, line: Line) -> Option<PlaneId> {
        let waits = self.collector.pacing.as_ref().and_then(Pacing::left) == Some(0);
        if waits && !self.blocks.is_within_row(plane, line, self.layout.planes_per_lun) {
            return None;
        }
        let to = self.take_place(plane, line, false)?;
        if self.collector.pacing.as_mut().is_some_and(Pacing::spend) {
            self.changed.push(plane);
        }
        Some(to)
    }

    fn least_busy_plane<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) -> Option<PlaneId> {
        let t = &work.transactions[id];
        let planes = self.spaces[t.flow as usize].placement.planes();
        let epoch = self.collector.epoch();
        let avoided = |plane| epoch.keeps_writes_from(plane);
        self.room.allocator.choose(planes, t.frontier, &self.layout, &self.blocks, avoided)
    }

    /// For an unwritten page: by static allocation, if there is room.
    #[inline(always)]
    fn plane_to_find<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        id: TransactionId,
        frontier: Frontier,
    ) -> Option<PlaneId> {
        let plane = self.plane_of(work, id);
        if self.blocks.has_superblocks() {
            return self.take_place(plane, Line { frontier, ..work.transactions[id].line() }, true);
        }
        let fits = |plane| self.room.allocator.may_take(plane, &self.blocks) && self.blocks.has_page(plane, frontier);
        let fixed = !self.room.is_dynamic || work.transactions[id].origin == Origin::Mapping;
        Some(if fixed || fits(plane) { plane } else { self.least_busy_plane(work, id).unwrap_or(plane) })
    }
}

impl Ftl {
    /// Data of the write buffer, or padding.
    pub fn send_zone_page<P: Probe>(&mut self, work: &mut PageWork<P>, destage: &Destage, now: Time) {
        let &Destage { lpa, sectors, flow, .. } = destage;
        let (priority, bytes) = (self.spaces[usize::from(flow)].priority, self.layout.page_bytes() as u32);
        let Some(zones) = self.zones() else { return };
        let ppa = zones.place(lpa);
        zones.program_begins(ppa);
        if sectors == 0 {
            zones.pads(lpa);
        }
        let page = Transaction::of_destage(flow, priority, Frontier::User(0), lpa, sectors, now);
        let id = work.new_page(Transaction { ppa, bytes, ..page });
        self.room.count_placed(ppa.plane);
        self.send_data_out(id);
    }

    /// A program has come to its chip: it is queued with its row.
    pub fn queue_row<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let lpa = work.transactions[id].lpa;
        let Some(zones) = self.zones() else { return };
        let Some(row) = zones.comes(lpa, id) else { return };
        for &id in &row {
            work.charge_page(id, Cause::Cache, now);
            self.tell(Outcome::Issue(id));
        }
        if let Some(zones) = self.zones() {
            zones.give_back(row);
        }
    }

    pub fn erase_zone<P: Probe>(&mut self, work: &mut PageWork<P>, blocks: &[Ppa], now: Time) {
        for &at in blocks {
            let id = work.new_page(Transaction::of_gc(Operation::Erase, 0, at, 0, now));
            self.issue(work, id);
        }
    }
}

/// Whether only the last change after `write` is not programmed, and it comes from the cache.
fn is_landing<P: Probe>(work: &PageWork<P>, write: TransactionId) -> bool {
    let Transaction { origin, sectors, .. } = work.transactions[write];
    let mut successor = work.transactions[write].successor();
    while successor.is_some() && work.transactions[successor].origin == Origin::Trim {
        successor = work.transactions[successor].successor();
    }
    origin == Origin::Destage && sectors != 0 && !successor.is_some()
}
