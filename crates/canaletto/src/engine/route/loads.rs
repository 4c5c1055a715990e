//! Programs of several pages of a plane, whose data cross page by page. Meanwhile the path is free for other LUNs.

use super::{Route, fabric_events};
use crate::engine::time::Time;
use crate::fabric::paths::Payload;
use crate::fabric::{Direction, Fabric, Transfer, TransferDone};
use crate::flash::address::LunId;
use crate::flash::suspend::Phase;
use crate::measure::probe::Probe;
use crate::scheduler::flash_page_group::bytes_of;

impl<F: Fabric, P: Probe> Route<F, P> {
    /// Wires and data of one of `parts`.
    fn times_of_part(&self, lun: LunId, parts: u64) -> (Time, Time) {
        let (command, fabric) = (self.flash.command(lun), &self.paths.fabric);
        let bytes = |&first| bytes_of(first, &self.pages.transactions) / parts;
        let data = command.transactions().iter().map(|first| fabric.data_time(command.operation, bytes(first)));
        (fabric.command_time(command.operation, command.transactions().len()), data.fold(Time::ZERO, |a, b| a + b))
    }

    #[inline(always)]
    pub(super) fn takes_data(&self, lun: LunId) -> bool {
        let is_next = || self.flash.suspensions.lets_data_in(self.channel_of(lun));
        self.paths.takes_data(self.layout.chip_of(lun)) && (!self.flash.suspensions.is_on() || is_next())
    }

    fn channel_of(&self, lun: LunId) -> u32 {
        self.layout.chip_of(lun).0 / self.layout.chips_per_channel
    }

    /// Returns whether a part has set out.
    #[cold]
    pub(super) fn send_part(&mut self, lun: LunId, now: Time) -> bool {
        let chip = self.layout.chip_of(lun);
        if !self.flash.suspensions.awaits_path(lun) || !self.paths.takes_data(chip) {
            return false;
        }
        let domain = self.scheduler.domain_of(lun);
        self.scheduler.pass_turn(domain, lun);
        self.flash.suspensions.part_sets_out(lun, self.channel_of(lun));
        self.scheduler.set_blocked(lun);
        let port_free_at = self.paths.fabric.port_free_at(chip, Direction::ToChip);
        self.charge_wait_for_control(lun, port_free_at, now);
        let (wires, data) = self.times_of_part(lun, self.flash.parts(lun, &self.pages));
        let transfer = Transfer { chip, direction: Direction::ToChip, command: wires, data };
        let events = &mut self.events;
        let path = self.paths.start(transfer, Payload::Part(lun), now, fabric_events!(events));
        self.watch_transfer(path, now);
        true
    }

    /// Returns whether the program waits for a further part.
    #[inline]
    pub(super) fn awaits_part(&mut self, lun: LunId, crossed: &TransferDone, now: Time) -> bool {
        self.flash.phase(lun) == Phase::Loading && self.part_crossed(lun, crossed, now)
    }

    #[cold]
    fn part_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) -> bool {
        let follows = self.flash.suspensions.part_crossed(lun, self.channel_of(lun));
        if follows {
            self.charge_command_crossed(lun, crossed, now);
            self.tell_crossed(lun, crossed, now);
            self.release(crossed.path, now);
            self.refresh(lun);
        }
        follows
    }
}
