use super::{Ftl, Outcome};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{LunId, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::{Frontier, Line};
use crate::ftl::mapping::Entry;
use crate::ftl::reclaim::gc::epoch::Epoch;
use crate::ftl::reclaim::gc::{Reason, Step};
use crate::ftl::reclaim::hybrid::work::Ground;
use crate::ftl::reclaim::{Way, reclaim};
use crate::measure::probe::Probe;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Flag, Transaction, TransactionId};

impl Ftl {
    pub fn wants_collection(&self) -> bool {
        !self.changed.is_empty() || self.room.is_wanted()
    }

    pub fn next_changed_plane(&mut self) -> Option<PlaneId> {
        if !reclaim!(&self.way, reclaims()) {
            self.changed.clear();
        }
        self.changed.pop()
    }

    /// Has the plane looked at, unless that would change nothing: no write lacks room, and collection has nothing to do.
    #[inline(always)]
    pub(super) fn plane_changed(&mut self, plane: PlaneId) {
        let is_content = self.rules.planes_are_apart
            && self.collector.is_content(plane, &self.blocks)
            && self.room.waiting() == 0
            && self.has_room_for_all(plane);
        if !is_content {
            self.changed.push(plane);
        }
    }

    #[inline(always)]
    pub fn start_collection(&mut self, plane: PlaneId, now: Time) {
        if !self.is_out_of_reach(plane) {
            let due = if self.collector.is_busy(plane) { None } else { self.folding.due(plane, &mut self.blocks) };
            if let Some(block) = due {
                self.collector.want(plane, block, Reason::Fold);
            }
            self.collector.start(plane, &mut self.blocks, self.room.waiting() > 0, now);
        }
    }

    #[inline(always)]
    pub fn collection_waits(&mut self, plane: PlaneId) {
        let is_shared = self.layout.pages_per_flash_page() > 1;
        // No further copies may come to fill a flash page, or a row, with those that are queued.
        if let Some(plane) = self.blocks.plane_being_filled(plane, Frontier::Gc).or(is_shared.then_some(plane)) {
            self.tell(Outcome::LunChanged(self.layout.lun_of(plane)));
        }
        for stream in 0..self.blocks.streams_apart() {
            if let Some(plane) = self.blocks.plane_being_filled(plane, Frontier::GcOf(stream)) {
                self.tell(Outcome::LunChanged(self.layout.lun_of(plane)));
            }
        }
    }

    /// Begins an epoch if one is due, once per round: empty epochs would begin again for ever.
    #[inline(always)]
    pub fn begin_epoch(&mut self, now: Time) -> bool {
        let begins = self.collector.begin_epoch(&self.blocks, now);
        if begins {
            self.all_planes_changed();
        }
        begins
    }

    #[inline(always)]
    pub fn resume_collection(&mut self) {
        if self.room.waiting() == 0 && self.collector.resume() {
            self.all_planes_changed();
        }
    }

    pub fn all_planes_changed(&mut self) {
        self.changed.extend((0..self.layout.planes()).rev().map(PlaneId));
    }

    /// The epoch that decides whose the columns are.
    pub fn epoch_of_columns(&mut self) -> Option<&Epoch> {
        let epoch = self.collector.epoch();
        let changes = epoch.is_running() || self.columns_kept;
        self.columns_kept = epoch.is_running();
        changes.then_some(epoch)
    }

    /// The page to [copy](Ftl::copy_to) next; none where collection waits.
    #[inline(always)]
    pub fn next_copy<P: Probe>(&mut self, work: &mut PageWork<P>, plane: PlaneId, now: Time) -> Option<Ppa> {
        match self.collector.step(plane, &self.blocks, self.room.waiting() > 0) {
            Step::Copy(from) => return Some(from),
            Step::Erase(victim) => {
                self.write_moved(work, plane, self.collector.reclaimed_pages(plane), now);
                let moved = self.collector.reclaimed_pages(plane) > 0;
                self.handles.iter_mut().for_each(|handles| handles.emptied(moved));
                self.erase_victim(work, victim, now);
            }
            Step::Wait => {}
        }
        None
    }

    fn erase_victim<P: Probe>(&mut self, work: &mut PageWork<P>, victim: Ppa, now: Time) {
        let mut blocks = 0;
        for plane in self.blocks.planes_of_group(victim.plane) {
            if self.blocks.is_used_again(plane, victim.block) {
                let erase = Transaction::of_gc(Operation::Erase, 0, Ppa { plane, ..victim }, 0, now);
                let id = work.new_page(erase);
                self.issue(work, id);
                blocks += 1;
            }
        }
        match blocks {
            0 => self.end_job(victim, now),
            _ => self.collector.erases_begin(victim.plane, blocks),
        }
    }

    /// Copies a page to a plane, which has promised one unless it is the page's own.
    #[inline(always)]
    pub fn copy_to<P: Probe>(&mut self, work: &mut PageWork<P>, from: Ppa, (to, direct): (PlaneId, bool), now: Time) {
        let lpa = self.blocks.valid_lpa(from).expect("only valid pages are copied");
        self.blocks.read_begins(from);
        let within = to == from.plane;
        let frontier = match within {
            true => self.blocks.frontier_of_copies(from.plane, from.block),
            false => Frontier::Arrivals,
        };
        let copyback = within && self.may_copy_back(from) && self.blocks.is_flash_page_valid(from);
        let folds = self.folding.is_on && self.blocks.is_cache_block(from.plane, from.block);
        let copy = Transaction::of_gc(Operation::Read, lpa, from, self.blocks.sectors(from), now);
        let id = work.new_page(Transaction { frontier, ..copy });
        let copy = &mut work.transactions[id];
        copy.goes_to(to);
        if direct | copyback | folds {
            copy.set(Flag::Direct, direct);
            copy.set(Flag::Copyback, copyback);
            copy.set(Flag::Folds, folds);
        }
        self.issue(work, id);
    }

    pub fn await_register(&mut self, from: Ppa) {
        self.collector.postpone(from);
        let waiting = &mut self.awaiting_register[self.layout.column_of(from.plane)];
        if !waiting.contains(&from.plane) {
            waiting.push(from.plane);
        }
    }

    /// Since the page last passed a controller.
    pub fn copies_of(&self, page: Ppa) -> u32 {
        u32::from(self.blocks.copies(page))
    }

    #[inline(always)]
    pub fn copies_leave_planes(&self) -> bool {
        self.collector.leaves_planes()
    }

    pub fn destinations(&mut self, from: Ppa) -> impl Iterator<Item = PlaneId> + use<> {
        self.collector.destinations(from.plane, &self.layout)
    }

    pub fn may_take_arrival(&self, plane: PlaneId) -> bool {
        self.room.allocator.may_take(plane, &self.blocks)
    }

    pub fn promise_arrival(&mut self, plane: PlaneId) -> bool {
        self.blocks.promise_arrival(plane)
    }

    /// `first` is the first write in line that goes to the plane.
    pub fn look_after_merges<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) {
        let Way::Hybrid(hybrid) = &mut self.way else { return };
        let mut ground = Ground {
            layout: &self.layout,
            map: self.mapping.table(),
            blocks: &mut self.blocks,
            counts: &mut self.collector.counts,
            maintenance: &mut self.maintenance,
            outcomes: &mut self.outcomes,
        };
        hybrid.look_after(&mut ground, work, first, plane, now);
    }

    /// It goes to its plane's collection frontier or to another plane.
    #[inline(always)]
    pub fn copy_read<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let t = &work.transactions[id];
        let from = t.ppa;
        if self.blocks.valid_lpa(from) != Some(t.lpa) {
            return self.drop_copy(work, id);
        }
        let to = match self.blocks.has_superblocks() {
            true => self.place_copy(from, t.line()),
            false => t.to(),
        };
        let t = &mut work.transactions[id];
        (t.operation, t.state.stage) = (Operation::Program, 0);
        (t.payload.old, t.ppa) = (from, Ppa::unbound(to));
        t.goes_to(to);
        if self.stays_in_plane(work, id) {
            self.collector.copy_is_read(to);
        }
        self.tell(Outcome::Outbound(id));
    }

    fn place_copy(&mut self, from: Ppa, line: Line) -> PlaneId {
        self.collector.copy_is_placed(from.plane);
        self.take_place(from.plane, line, false).expect("the copies of a victim have room")
    }

    fn stays_in_plane<P: Probe>(&self, work: &PageWork<P>, id: TransactionId) -> bool {
        let t = &work.transactions[id];
        t.to() == t.payload.old.plane && !self.blocks.has_superblocks()
    }

    fn drop_copy<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let t = work.transactions[id];
        if t.frontier == Frontier::Arrivals {
            self.blocks.withdraw_arrival(t.to());
        }
        self.give_register_back(&t);
        if reclaim!(&mut self.way, drop_copy(t.ppa.plane, t.lpa)) {
            self.outcomes.tell(Outcome::LunChanged(self.layout.lun_of(t.ppa.plane)));
        }
        self.end_copy(work, id, t.ppa.plane, false);
    }

    pub fn copy_crossed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) -> bool {
        let t = work.transactions[id];
        self.end_read_of(t.ppa);
        let valid = self.blocks.valid_lpa(t.ppa) == Some(t.lpa);
        if !valid {
            self.drop_copy(work, id);
        }
        valid
    }

    pub fn program_copy<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let t = &mut work.transactions[id];
        t.operation = Operation::Program;
        t.payload.old = t.ppa;
        t.ppa = Ppa::unbound(t.to());
        // The data are there already.
        t.bytes = 0;
        self.issue(work, id);
    }

    /// A page in which the chip there found errors.
    pub fn copy_through_controller<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        if self.blocks.valid_lpa(t.ppa) != Some(t.lpa) {
            return self.drop_copy(work, id);
        }
        self.give_register_back(&t);
        work.remove_page(id);
        self.copy_to(work, t.ppa, (t.to(), false), now);
    }

    fn give_register_back(&mut self, t: &Transaction) {
        if !t.is(Flag::Direct) {
            return;
        }
        self.tell(Outcome::RegisterFreed(self.layout.chip_of_plane(t.to())));
        let column = self.layout.column_of(t.to());
        self.changed.append(&mut self.awaiting_register[column]);
    }

    #[inline(always)]
    pub fn copy_programmed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        let old = t.payload.old;
        self.blocks.program_ends(t.ppa);
        let entry = self.mapping.get(t.lpa);
        debug_assert_eq!(self.blocks.valid_lpa(old).is_some(), self.is_newest(work, old, t.lpa));
        let counts = &mut self.collector.counts;
        if t.is(Flag::Folds) {
            counts.folded += 1;
            self.maintenance.fold(now);
        } else {
            counts.copied += 1;
            self.maintenance.copy(now);
        }
        if let Some(handles) = &mut self.handles {
            handles.copied(self.blocks.owner(old.plane, old.block));
        }
        counts.copied_elsewhere += u64::from(t.to() != old.plane);
        counts.copied_directly += u64::from(t.is(Flag::Direct));
        if t.is(Flag::Copyback) {
            self.upkeep.wear.copied(old, t.ppa);
        }
        // They are valid until newer ones have taken effect.
        if self.blocks.valid_lpa(old).is_some() {
            match entry {
                Entry::Pending(write) => work.transactions[write].payload.old = t.ppa,
                _ => {
                    self.mapping.set(t.lpa, Entry::At(t.ppa));
                    self.mapping.moved(t.lpa, old.plane);
                }
            }
            let copies = if t.is(Flag::Direct) { self.blocks.copies(old).saturating_add(1) } else { 0 };
            self.blocks.set_copies(t.ppa, copies);
            self.blocks.invalidate(old);
            work.probe.notify(|observer| observer.page_copied(now, t.lpa, old, t.ppa));
        } else {
            self.blocks.invalidate(t.ppa);
        }
        self.give_register_back(&t);
        self.plane_changed(t.ppa.plane);
        let within = self.stays_in_plane(work, id);
        if self.blocks.has_superblocks() {
            self.collector.placed_copy_ends(old.plane);
        }
        self.end_copy(work, id, old.plane, within);
    }

    fn is_newest<P: Probe>(&self, work: &PageWork<P>, at: Ppa, lpa: u64) -> bool {
        match self.entry(lpa) {
            Entry::At(ppa) => ppa == at,
            Entry::Pending(write) => work.transactions[write].payload.old == at,
            Entry::Unmapped | Entry::Trimmed => false,
        }
    }

    #[inline]
    pub fn end_copy<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, from: PlaneId, within: bool) {
        work.remove_page(id);
        reclaim!(&mut self.way, copy_done(&mut self.collector, from, within));
        self.changed.push(from);
    }

    /// A block whose erase has `failed` is not used again.
    pub fn erased<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, failed: bool, now: Time) {
        let Ppa { plane, block, .. } = work.transactions[id].ppa;
        work.remove_page(id);
        work.probe.notify(|observer| observer.block_erased(now, plane, block));
        self.upkeep.wear.erased(plane, block);
        if let Some(zones) = self.zones_with(Ppa { plane, block, page: 0 }) {
            zones.erased(Ppa { plane, block, page: 0 }, failed);
            self.changed.push(plane);
            return self.maintenance.erase(now);
        }
        if failed {
            // The next victim's copies must still find a block.
            self.retire(plane, block, self.blocks.reserved());
        }
        if reclaim!(&self.way, is_last_erase(&mut self.collector, plane)) {
            self.end_job(Ppa { plane, block, page: 0 }, now);
        } else {
            self.maintenance.erase(now);
        }
    }

    fn end_job(&mut self, victim: Ppa, now: Time) {
        let Ppa { plane, block, .. } = victim;
        self.blocks.erase(plane, block, self.rules.endurance);
        self.maintenance.erase(now);
        let ended = reclaim!(&mut self.way, erase_done(&mut self.collector, &mut self.blocks, plane, now));
        if let Some((since, all)) = ended {
            self.room.allocator.set_exhausted(plane, self.is_out_of_reach(plane));
            self.maintenance.job(since, now);
            if all {
                self.all_planes_changed();
            }
        }
        self.changed.push(plane);
    }

    /// As [`Blocks::retire`]; the block's valid pages move.
    pub fn retire(&mut self, plane: PlaneId, block: u32, keep_free: u32) -> bool {
        let retired = self.blocks.retire(plane, block, keep_free);
        // A block of a superblock keeps its part in it until all of that is collected.
        if retired && !self.blocks.has_superblocks() {
            self.collector.want(plane, block, Reason::Retired);
            self.changed.push(plane);
        }
        retired
    }

    /// Whether the page at `from` may be copied without passing the controller, whose ECC would correct it.
    fn may_copy_back(&self, from: Ppa) -> bool {
        let every = self.rules.copyback_check_every;
        self.rules.copyback && (every == 0 || self.upkeep.wear.copies(from) + 1 < every)
    }

    /// Ends copies whose data were overwritten. Returns the first of the others, and their number.
    pub fn copies_left<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        first: TransactionId,
        lun: LunId,
    ) -> Option<(TransactionId, u32)> {
        let (mut left, mut last) = (None, TransactionId::NONE);
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.part(&mut work.transactions) {
            let Transaction { ppa: from, lpa, .. } = work.transactions[id];
            if self.blocks.valid_lpa(from) != Some(lpa) {
                self.end_read_of(from);
                self.room.count_out(lun);
                self.end_copy(work, id, from.plane, false);
                continue;
            }
            if last.is_some() {
                work.transactions[last].next_in_flash_page = id;
            }
            last = id;
            left = Some(left.map_or((id, 1), |(first, valid)| (first, valid + 1)));
        }
        left
    }

    /// Binds the copies in a register to pages, if all `valid` of them fill a flash page; else they go through the
    /// controller.
    pub fn bind_copyback<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        first: TransactionId,
        valid: u32,
        now: Time,
    ) -> bool {
        let Transaction { ppa: from, frontier, .. } = work.transactions[first];
        let whole = valid == self.layout.pages_per_flash_page();
        let binds = whole && self.blocks.has_page(from.plane, frontier);
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.next(&work.transactions) {
            if binds {
                self.bind_copy(work, id, now);
            } else {
                work.transactions[id].set(Flag::Copyback, false);
            }
        }
        binds
    }

    fn bind_copy<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let Transaction { ppa: from, frontier, lpa, sectors, .. } = work.transactions[id];
        let at = self.allocate(from.plane, frontier, lpa, sectors).expect("the frontier has a page");
        self.end_read_of(from);
        self.blocks.program_begins(at);
        self.collector.copy_is_read(from.plane);
        self.collector.copy_settles(from.plane);
        self.blocks.note_stall(at.plane, frontier, now);
        let t = &mut work.transactions[id];
        (t.operation, t.payload.old, t.ppa) = (Operation::Program, from, at);
        t.set(Flag::PseudoSlc, false);
    }

    /// This disturbs the others of its block.
    #[inline(always)]
    pub fn flash_page_read(&mut self, at: Ppa) {
        if self.upkeep.read(at) {
            self.want(at.plane, at.block, Reason::ReadDisturb);
        }
    }

    pub fn scan_for_refresh(&mut self, now: Time) {
        if let Some((plane, block)) = self.upkeep.scan(&self.blocks, now) {
            self.want(plane, block, Reason::Refresh);
        }
    }

    fn want(&mut self, plane: PlaneId, block: u32, reason: Reason) {
        self.collector.want(plane, block, reason);
        self.changed.push(plane);
    }
}
