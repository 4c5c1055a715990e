//! At the chips: transactions are queued, free paths are offered, transfers cross, arrays work.

use super::{Event, Route, fabric_events, last_event};
use crate::config::design::TransferOrder;
use crate::engine::time::Time;
use crate::fabric::paths::{Carried, Paths, Payload};
use crate::fabric::{Direction, DomainId, Fabric, PathId, Transfer, TransferDone};
use crate::flash::address::{LunId, PlaneId};
use crate::flash::array::Command;
use crate::flash::decode::Decoded;
use crate::flash::interface::Operation;
use crate::flash::suspend::Phase;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::Walk;
use crate::scheduler::classes::CLASSES;
use crate::scheduler::flash_page_group::{FlashPageGroup, bytes_of};
use crate::scheduler::flin::Arrival;
use crate::scheduler::queues::{FreePlanes, IssueContext, Served};
use crate::scheduler::transaction::{Flag, Origin, Transaction, TransactionId};

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(never)]
    pub(super) fn issue(&mut self, id: TransactionId, now: Time) {
        match self.batches.is_open() {
            true => self.issue_in_batch(id, now),
            false => self.queue(id, now),
        }
    }

    #[inline(always)]
    pub(super) fn queue(&mut self, id: TransactionId, now: Time) {
        let lun = self.comes_to_lun(id, now);
        if self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, lun, now);
            self.scheduler.queues.push_fairly(lun, id, &arrival, &mut self.pages.transactions);
        } else {
            self.scheduler.queues.push(lun, id, &mut self.pages.transactions);
        }
        let ready = self.can_act(lun);
        // More work does not make a LUN less ready.
        if ready || self.flash.stays_open() || self.pages.probe.follows_waits() {
            self.note_readiness(lun, ready, false);
        }
    }

    pub(super) fn issue_first(&mut self, id: TransactionId, now: Time) {
        let lun = self.comes_to_lun(id, now);
        if self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, lun, now);
            self.scheduler.queues.push_first_fairly(lun, id, &arrival, &mut self.pages.transactions);
        } else {
            self.scheduler.queues.push_first(lun, id, &mut self.pages.transactions);
        }
        self.refresh(lun);
    }

    #[inline(always)]
    fn comes_to_lun(&mut self, id: TransactionId, now: Time) -> LunId {
        let lun = self.layout.lun_of(self.pages.transactions[id].ppa.plane);
        self.mark_wait(id, lun, now);
        self.scheduler.queues.will_wait(&self.pages.transactions[id]);
        lun
    }

    #[inline(always)]
    pub(super) fn mark_wait(&mut self, id: TransactionId, lun: LunId, now: Time) {
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.lun_wanted(id, lun, now);
        }
        self.flash.mark_wait(id, lun, &mut self.pages, now);
        self.ftl.mark_stall(&mut self.pages, id, now);
    }

    fn expected(&self, id: TransactionId, lun: LunId, now: Time) -> Arrival {
        let at_work = &self.flash.array.luns[lun.index()];
        let busy = match at_work.due {
            _ if !at_work.busy => Time::ZERO,
            // Still on the wires.
            Time::MAX => self.expected_service(at_work.command.transactions()[0]),
            due => due.saturating_sub(now),
        };
        Arrival { now, began: self.requests.began(&self.pages, id), service: self.expected_service(id), busy }
    }

    fn expected_service(&self, id: TransactionId) -> Time {
        let t = &self.pages.transactions[id];
        let data = self.paths.fabric.data_time(t.operation, u64::from(t.bytes));
        let column = if t.operation == Operation::Read { self.paths.fabric.column_time() } else { Time::ZERO };
        self.paths.fabric.command_time(t.operation, 1) + self.flash.expected_time(id, &self.pages) + column + data
    }

    #[inline(always)]
    pub(super) fn refresh(&mut self, lun: LunId) {
        self.refresh_and_offer(lun, false);
    }

    #[inline(always)]
    pub(super) fn refresh_and_offer(&mut self, lun: LunId, free: bool) {
        let ready = self.can_act(lun);
        self.note_readiness(lun, ready, free);
    }

    #[inline(always)]
    fn note_readiness(&mut self, lun: LunId, ready: bool, free: bool) {
        let domain = self.scheduler.set_ready(lun, ready);
        // Any release of a path offers them.
        if (ready | free) && self.paths.may_start(domain) {
            self.scheduler.touch(domain);
        }
        if self.pages.probe.follows_waits() {
            self.tell_if_open(lun, ready);
        }
    }

    #[inline(always)]
    fn tell_if_open(&mut self, lun: LunId, ready: bool) {
        let waits_for_path = ready || self.flash.array.luns[lun.index()].registers != 0;
        self.pages.root_causes.lun_is_open(lun, waits_for_path, self.events.now());
        if self.compute.as_ref().is_some_and(|compute| compute.works_in(lun)) {
            self.pages.root_causes.lun_computes(lun, self.events.now());
        }
    }

    #[inline(always)]
    pub(super) fn free_planes(&self, lun: LunId) -> FreePlanes {
        if self.flash.lanes.are_on() {
            let registers = FreePlanes::all(self.flash.array.empty_registers(lun));
            return self.flash.free_beside(lun, self.free_behind(lun, registers));
        }
        let any = if self.paths.is_holding(lun) { 0 } else { self.flash.array.free_planes(lun) };
        if self.flash.cache_reads.is_on() && !self.flash.array.luns[lun.index()].busy {
            return self.free_behind(lun, FreePlanes::all(any));
        }
        FreePlanes::all(any)
    }

    #[inline]
    fn free_behind(&self, lun: LunId, free: FreePlanes) -> FreePlanes {
        match self.flash.cache_reads.is_on() {
            true => FreePlanes { reads: self.flash.free_for_reads(lun), ..free },
            false => free,
        }
    }

    #[inline]
    pub(super) fn has_free_planes(&self, lun: LunId) -> bool {
        let free = self.free_planes(lun);
        free.reads != 0 || free.programs | free.any != 0
    }

    #[inline]
    pub(super) fn served(&self, lun: LunId) -> Served {
        self.flash.suspensions.served(lun)
    }

    #[inline(always)]
    pub(super) fn offer_paths(&mut self, now: Time) {
        if self.ftl.wants_collection() {
            self.run_collections(now);
        }
        if self.scheduler.is_touched() {
            self.offer_touched(now);
        }
    }

    #[inline(never)]
    fn offer_touched(&mut self, now: Time) {
        let mut from = 0;
        while let Some(domain) = self.scheduler.next_touched(from) {
            from = domain.0 + 1;
            if self.batches.is_busy(domain) {
                continue;
            }
            while self.paths.may_start(domain) && self.start_next(domain, now) {}
            self.scheduler.offered(domain);
            if !self.scheduler.is_touched() {
                break;
            }
        }
    }

    #[inline(always)]
    fn start_next(&mut self, domain: DomainId, now: Time) -> bool {
        match self.scheduler.order {
            TransferOrder::CommandsFirst => {
                self.start_overdue_data(domain, now) || self.start_commands(domain, now) || self.start_data(domain, now)
            }
            _ => self.start_data(domain, now) || self.start_commands(domain, now),
        }
    }

    #[inline(always)]
    fn start_commands(&mut self, domain: DomainId, now: Time) -> bool {
        self.scheduler.has_midway(domain) && self.start_midway(domain, now)
            || self.scheduler.may_have_command(domain) && self.start_command(domain, now)
    }

    #[inline(always)]
    fn start_data(&mut self, domain: DomainId, now: Time) -> bool {
        self.scheduler.has_data(domain) && self.start_waiting_data(domain, now, Time::MAX)
    }

    #[inline]
    fn start_overdue_data(&mut self, domain: DomainId, now: Time) -> bool {
        let until = self.scheduler.overdue_until(domain, &self.pages.transactions, now);
        until.is_some_and(|until| self.start_waiting_data(domain, now, until))
    }

    /// Of data lined up until then.
    #[inline(never)]
    fn start_waiting_data(&mut self, domain: DomainId, now: Time, until: Time) -> bool {
        if let Some((class, id)) = self.scheduler.first_data(domain) {
            if self.may_send(&self.pages.transactions[id], now, until) {
                self.scheduler.take_first_data(domain, class);
                self.send_data(id, now);
                return true;
            }
        }
        self.start_later_data(domain, now, until)
    }

    #[inline(always)]
    fn may_send(&self, t: &Transaction, now: Time, until: Time) -> bool {
        if t.since > until {
            return false;
        }
        let chip = self.layout.chip_of_plane(t.ppa.plane);
        if t.is(Flag::Direct) {
            return self.paths.fabric.copy_is_free(chip, self.layout.chip_of_plane(t.to()));
        }
        self.paths.has_path(chip, Direction::FromChip)
            && self.controller.takes_page(self.layout.channel_of_plane(t.ppa.plane), now)
    }

    #[inline(never)]
    fn start_later_data(&mut self, domain: DomainId, now: Time, until: Time) -> bool {
        let next = self.scheduler.find_data(
            domain,
            &self.pages.transactions,
            |id| self.requests.began(&self.pages, id),
            |t| self.may_send(t, now, until),
        );
        let Some((class, place)) = next else { return false };
        let id = self.scheduler.take_data(domain, class, place);
        self.send_data(id, now);
        true
    }

    #[inline(always)]
    pub(super) fn send_data(&mut self, id: TransactionId, now: Time) {
        if self.pages.transactions[id].is(Flag::Direct) {
            return self.send_to_chip(id, now);
        }
        let plane = self.pages.transactions[id].ppa.plane;
        let chip = self.layout.chip_of_plane(plane);
        let fabric = &self.paths.fabric;
        let data = fabric.data_time(Operation::Read, bytes_of(id, &self.pages.transactions));
        let command = fabric.column_time();
        let port_free_at = fabric.port_free_at(chip, Direction::FromChip);
        if self.controller.takes_turns() {
            self.takes_turn(id, now);
        }
        self.charge_path_wait(id, port_free_at, now);
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.data_sent(self.layout.lun_of(plane), port_free_at, now);
        }
        let transfer = Transfer { chip, direction: Direction::FromChip, command, data };
        let events = &mut self.events;
        let lun = self.layout.lun_of(plane);
        let mut last = None;
        let path = self.paths.start_data(lun, transfer, Payload::Data(id), now, last_event!(events, last));
        events.push_last(last);
        self.watch_transfer(path, now);
    }

    /// Charges the wait for the ECC engine.
    #[inline(never)]
    fn takes_turn(&mut self, first: TransactionId, now: Time) {
        let channel = self.layout.channel_of_plane(self.pages.transactions[first].ppa.plane);
        let decoded_at = self.controller.begins_page(channel);
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.next(&self.pages.transactions) {
            let waited = decoded_at.saturating_sub(self.pages.transactions[id].since);
            self.pages.charge_page_up_to(id, Cause::Ecc, waited, now);
        }
    }

    /// The channel's next page may cross, over any domain that leads there.
    #[inline(never)]
    pub(super) fn turn_is_over(&mut self, plane: PlaneId) {
        let channel = self.layout.channel_of_plane(plane);
        for lun in (0..self.layout.luns()).map(LunId) {
            if self.layout.channel_of_plane(PlaneId(lun.0 * self.layout.planes_per_lun)) == channel {
                self.scheduler.touch(self.scheduler.domain_of(lun));
            }
        }
    }

    /// Charges the wait between array and wires: for the chip's port, then for a path.
    #[inline(always)]
    pub(super) fn charge_path_wait(&mut self, first: TransactionId, port_free_at: Time, now: Time) {
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.next(&self.pages.transactions) {
            let own = port_free_at.saturating_sub(self.pages.transactions[id].since);
            if own > Time::ZERO || self.pages.has_lagging_causes(id) {
                self.pages.charge_page_up_to(id, Cause::ChipBusyUser, own, now);
            }
            self.pages.charge_path_conflict(id, now);
        }
    }

    /// In round robin order among the domain's LUNs.
    #[inline(never)]
    fn start_command(&mut self, domain: DomainId, now: Time) -> bool {
        if self.scheduler.queues.must_poll() {
            return self.poll_all(domain, now);
        }
        let mut walk = self.scheduler.walk(domain);
        let Some(lun) = self.scheduler.next_ready(domain, &mut walk) else { return false };
        self.try_command(domain, lun, now) || self.start_later_command(domain, walk, now)
    }

    /// The first LUN that could take a command has none.
    #[inline(never)]
    fn start_later_command(&mut self, domain: DomainId, mut walk: Walk, now: Time) -> bool {
        while let Some(lun) = self.scheduler.next_ready(domain, &mut walk) {
            // A LUN that stops for reads has taken the path.
            if !self.paths.may_start(domain) {
                return false;
            }
            if self.try_command(domain, lun, now) {
                return true;
            }
        }
        false
    }

    #[inline(never)]
    fn poll_all(&mut self, domain: DomainId, now: Time) -> bool {
        for lun in self.scheduler.all_luns(domain) {
            if !self.has_free_planes(lun) && !self.can_act(lun) {
                self.scheduler.queues.poll(lun);
            } else if self.paths.may_start(domain) && self.try_command(domain, lun, now) {
                return true;
            }
        }
        false
    }

    /// A look may end just before the only class that waits: looks again for at most one round. Returns whether
    /// something has started.
    pub(super) fn poll_until_something_starts(&mut self) -> bool {
        let now = self.events.now();
        let looks = if self.scheduler.queues.must_poll() { CLASSES } else { 0 };
        (0..looks).any(|_| {
            self.scheduler.touch_all_if_noticed();
            self.offer_paths(now);
            !self.events.is_empty()
        })
    }

    #[inline(always)]
    fn try_command(&mut self, domain: DomainId, lun: LunId, now: Time) -> bool {
        let chip = self.layout.chip_of(lun);
        if !self.paths.has_path(chip, Direction::ToChip) {
            return false;
        }
        let takes_data = self.takes_data(lun);
        let next = self.next_command(lun, takes_data, now);
        // In place, because commands are large.
        let Some(command) = &next else {
            if self.flash.phase(lun) == Phase::Loading {
                return self.send_part(lun, now);
            }
            if !takes_data {
                // There may be one with data, which waits for a path.
                return false;
            }
            self.scheduler.set_blocked(lun);
            if self.pages.probe.follows_waits() {
                self.tell_if_open(lun, false);
            }
            // Paths of the domain are being offered: what has just lined up for one is looked at next.
            return self.settle_suspension(lun, now);
        };
        self.scheduler.pass_turn(domain, lun);
        self.send_command(lun, command, now);
        true
    }

    /// One without data where data have no path. A LUN at work may suspend instead.
    #[inline(always)]
    fn next_command(&mut self, lun: LunId, takes_data: bool, now: Time) -> Option<Command> {
        if self.flash.suspensions.is_on() && !self.takes_commands(lun, now) {
            return None;
        }
        let served = self.served(lun);
        let look = IssueContext {
            served: if takes_data { served } else { served.without_data() },
            free: self.free_planes(lun),
            gc_urgent: self.scheduler.queues.weighs_collection(lun) && self.ftl.is_urgent(lun),
            now,
        };
        if self.flash.lanes.are_on() {
            return self.next_beside(lun, &look);
        }
        self.scheduler.queues.next_command(lun, &look, &mut self.pages.transactions, &self.ftl.readiness())
    }

    #[inline(always)]
    fn send_command(&mut self, lun: LunId, command: &Command, now: Time) {
        let chip = self.layout.chip_of(lun);
        let port_free_at = self.paths.fabric.port_free_at(chip, Direction::ToChip);
        let mut data = Time::ZERO;
        let lane = self.lane_for(lun, command);
        let parts = self.flash.load(lane, command, &self.pages);
        self.tell_sent(lane, port_free_at, now);
        let binds = command.operation != Operation::Read || self.ftl.folding.is_on;
        for &first in command.transactions() {
            let mut waited = FlashPageGroup::of(first);
            let mut placed = FlashPageGroup::of(if binds { first } else { TransactionId::NONE });
            while let Some(id) = waited.next(&self.pages.transactions) {
                self.ftl.charge_stall(&mut self.pages, id, now);
                self.flash.charge_wait(id, lun, port_free_at, &mut self.pages, now);
                self.requests.expect(&self.pages, self.pages.transactions[id].request);
            }
            while let Some(id) = placed.next(&self.pages.transactions) {
                self.ftl.bind(&mut self.pages, id, now);
            }
            if command.operation == Operation::Program {
                self.ftl.end_flash_page(&self.pages.transactions[first]);
                let bytes = bytes_of(first, &self.pages.transactions) / parts;
                data += self.paths.fabric.data_time(command.operation, bytes);
            }
        }
        let wires = self.paths.fabric.command_time(command.operation, command.transactions().len());
        self.flash.begin(lane, command, &self.pages, now);
        if self.flash.stays_open() {
            self.refresh(lun);
        } else {
            self.scheduler.set_blocked(lun);
        }
        let transfer = Transfer { chip, direction: Direction::ToChip, command: wires, data };
        let events = &mut self.events;
        let mut last = None;
        let path = self.paths.start(transfer, Payload::Command(lane), now, last_event!(events, last));
        events.push_last(last);
        self.watch_transfer(path, now);
    }

    #[inline(always)]
    fn lane_for(&mut self, lun: LunId, command: &Command) -> LunId {
        match self.flash.lanes.are_on() {
            true => self.flash.lane_for(lun, command, &self.pages),
            false => lun,
        }
    }

    #[inline(always)]
    pub(super) fn fabric_event(&mut self, event: F::Event, now: Time) {
        let events = &mut self.events;
        let outcome = self.paths.fabric.handle(event, now, fabric_events!(events));
        self.watch_wires();
        if let Some(domain) = outcome.freed {
            self.scheduler.touch(domain);
        }
        if let Some(crossed) = outcome.crossed {
            self.transfer_done(crossed, now);
        } else {
            self.fail_parts_at_rest(now);
        }
    }

    #[inline(always)]
    pub(super) fn transfer_done(&mut self, crossed: TransferDone, now: Time) {
        let path = crossed.path;
        let Carried { payload, transfer } = self.paths.done(path);
        let leads_there = !Paths::<F>::is_nowhere(path);
        if leads_there {
            self.flash.array.port_used(transfer.chip, transfer.time());
        }
        if self.pages.probe.watches_wires() && leads_there {
            let owner = self.owner_of(payload);
            self.pages.probe.notify(|observer| {
                observer.port_used(transfer.chip, owner, transfer.command, transfer.data, crossed.gap(), now)
            });
            self.pages.probe.notify(|observer| observer.transfer_ends(path, now));
        }
        match payload {
            Payload::Command(lun) | Payload::Part(lun) if self.awaits_part(lun, &crossed, now) => {}
            Payload::Command(lun) | Payload::Part(lun) => {
                self.command_crossed(lun, &crossed, now);
                let operation = self.flash.command(lun).operation;
                if !self.paths.hold(lun, path, operation) {
                    self.next_on_path(lun, path, now);
                }
            }
            Payload::Data(id) => {
                if !leads_there {
                    self.flash.lose_register(id, &mut self.pages);
                }
                let lun = self.data_crossed(id, &crossed, now);
                self.next_on_path(lun, path, now);
            }
            Payload::Control(lun, control) => self.control_crossed(lun, control, crossed, now),
            Payload::Operand(lun, id) => self.operand_crossed(id, lun, crossed, now),
            Payload::Copy(id) => {
                let to = self.layout.chip_of_plane(self.pages.transactions[id].to());
                if leads_there && to != transfer.chip {
                    self.flash.array.port_used(to, transfer.time());
                }
                let is_operand = self.pages.transactions[id].is(Flag::Computes);
                if is_operand {
                    self.pages.charge_crossing(id, &crossed, now);
                }
                if self.pages.probe.follows_waits() {
                    let lun = self.layout.lun_of(self.pages.transactions[id].ppa.plane);
                    self.pages.root_causes.data_crossed(lun, &crossed, now);
                    let cause = if is_operand { Cause::OperandTransfer } else { Cause::DataTransfer };
                    self.pages.root_causes.charge_page(id, cause, now);
                }
                self.copy_crossed(id, now);
                self.release(path, now);
            }
        }
    }

    #[inline(always)]
    fn next_on_path(&mut self, lun: LunId, path: PathId, now: Time) {
        match self.paths.next_page(lun) {
            Some(id) => {
                self.paths.hold(lun, path, Operation::Read);
                self.send_data(id, now);
            }
            None => self.give_back(lun, path, now),
        }
    }

    #[inline(always)]
    pub(super) fn charge_command_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) {
        let command = self.flash.command(lun);
        let with_data = command.operation == Operation::Program;
        for &first in command.transactions() {
            let mut group = FlashPageGroup::of(first);
            while let Some(id) = group.next(&self.pages.transactions) {
                self.pages.charge_crossing(id, crossed, now);
                if with_data {
                    let wires = self.paths.fabric.command_time(command.operation, command.transactions().len());
                    self.pages.charge_page_up_to(id, Cause::CommandTransfer, wires - crossed.before, now);
                    self.pages.charge_page(id, Cause::DataTransfer, now);
                } else {
                    self.pages.charge_page(id, Cause::CommandTransfer, now);
                }
            }
        }
    }

    #[inline(always)]
    fn command_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) {
        self.charge_command_crossed(lun, crossed, now);
        self.tell_crossed(lun, crossed, now);
        if self.flash.waits_for_array(lun, &self.pages, now) {
            return self.refresh(self.flash.lun_of(lun));
        }
        let ends = self.flash.work(lun, &mut self.pages, now);
        if self.flash.phase(lun) == Phase::Working || self.flash.lanes.are_on() {
            self.refresh(self.flash.lun_of(lun));
        }
        self.events.push_in_line(ends, Event::ArrayDone(lun));
        self.schedule_polls(lun);
    }

    #[inline(always)]
    fn data_crossed(&mut self, first: TransactionId, crossed: &TransferDone, now: Time) -> LunId {
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.next(&self.pages.transactions) {
            self.pages.charge_crossing(id, crossed, now);
            if self.paths.fabric.column_time() > Time::ZERO {
                let column = self.paths.fabric.column_time().saturating_sub(crossed.before);
                self.pages.charge_page_up_to(id, Cause::CommandTransfer, column, now);
            }
            self.pages.charge_page(id, Cause::DataTransfer, now);
        }
        let lun = self.layout.lun_of(self.pages.transactions[first].ppa.plane);
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.data_crossed(lun, crossed, now);
        }
        self.flash.drain_register(first, lun, &mut self.pages, now);
        if self.controller.takes_turns() {
            self.controller.has_page(self.layout.channel_of_plane(self.pages.transactions[first].ppa.plane));
        }
        self.keep_path(lun);
        if self.flash.cache_reads.is_on() {
            self.move_up(lun, self.pages.transactions[first].ppa.plane, now);
        }
        let crossed = self.flash.crossed(first, &self.pages);
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.part(&mut self.pages.transactions) {
            self.ftl.room.count_out(lun);
            self.page_read(id, crossed, now);
        }
        self.free_kept_path();
        self.settle_suspension(lun, now);
        self.refresh(lun);
        lun
    }

    /// With `crossed` sectors of its flash page.
    #[inline(always)]
    fn page_read(&mut self, id: TransactionId, crossed: u64, now: Time) {
        let history = (&self.ftl.upkeep.wear, |at| self.ftl.copies_of(at));
        match self.flash.decode(id, crossed, history, &mut self.pages, now) {
            Decoded::Legible => self.note_legible(id, now),
            // A page that the ECC engine cannot correct is read again once the engine is done with it.
            Decoded::ReadAgain if !self.controller.has_ecc() => return self.read_again(id, now),
            Decoded::ReadAgain => {
                self.pages.transactions[id].set(Flag::EccFailed, true);
                return self.pass_stages(id, now);
            }
            // It stays needed until it is rebuilt.
            Decoded::Lost if self.ftl.is_to_be_rebuilt(id, &self.pages.transactions[id]) => {
                return self.pass_stages(id, now);
            }
            Decoded::Lost if self.pages.transactions[id].origin == Origin::Rebuild => {}
            Decoded::Lost => self.ftl.read_failed(&mut self.pages, &mut self.requests, id, now),
        }
        self.ftl.end_read_of(self.pages.transactions[id].ppa);
        if self.flash.may_fail() && !self.controller.has_ecc() {
            self.pages.transactions[id].set(Flag::Retrying, false);
            self.pages.leave_outer_codewords(id);
        }
        self.pass_stages(id, now);
    }

    #[inline(always)]
    pub(super) fn note_legible(&mut self, id: TransactionId, now: Time) {
        let t = &self.pages.transactions[id];
        match t.origin {
            Origin::User => {
                self.pages.probe.notify(|observer| observer.page_read(now, t.request, t.lpa, t.sectors, t.ppa));
                self.keep_read(id, now);
            }
            Origin::Operand => {
                self.pages.probe.notify(|observer| observer.page_read(now, t.request, t.lpa, t.sectors, t.ppa));
            }
            Origin::Mapping => self.pages.probe.notify(|observer| observer.translation_read(now, t.lpa, t.ppa)),
            _ => {}
        }
    }

    #[inline(always)]
    pub(super) fn release_held(&mut self, lun: LunId, now: Time) {
        if let Some(path) = self.paths.take_held(lun) {
            self.give_back(lun, path, now);
        }
    }

    #[inline(always)]
    fn give_back(&mut self, lun: LunId, path: PathId, now: Time) {
        if self.paths.let_go(lun) {
            self.refresh(lun);
        }
        self.release(path, now);
    }

    #[inline(always)]
    pub(super) fn release(&mut self, path: PathId, now: Time) {
        let events = &mut self.events;
        let domain = self.paths.release(path, now, fabric_events!(events));
        self.watch_wires();
        self.scheduler.touch(domain);
        self.fail_parts_at_rest(now);
    }
}
