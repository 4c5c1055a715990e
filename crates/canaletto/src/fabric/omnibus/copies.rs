//! Copies of pages from chip to chip, straight over their common column bus.
//!
//! ```text
//! controller 0 ──(drives v-bus)──┐       2 request ─▶ 0 request ─▶ 3
//! controller 2 ──── source ──────┤       2 ◀─ grant 0 ◀─ grant   3      then the data cross once, from chip to chip
//! controller 3 ──── destination ─┘       (Fig. 11c; without the middle if 0 is the source's or destination's controller)
//! ```
//! Networked SSD (MICRO 2022) §V-C and -D, Figs. 10 and 11. The destination receives the page in a V-page register
//! (§IV-B; §VIII counts two per chip), which stays taken until the page has been programmed. No controller's ECC sees
//! the page: §VIII, "On-die ECC functions", proposes error detection in the chip.

use super::{AGREEMENT, Crossing, Event, Omnibus};
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::packets::READ_DATA_TRANSFER_FLITS;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::{Direction, Fabric, PathId, Transfer};
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;

impl ChipToChip<Event> for Omnibus {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        let column = self.grid.ways(from).column;
        from != to && column == self.grid.ways(to).column && !self.grid.has_failed(column)
    }

    fn registers(&self) -> Option<&PageRegisters> {
        Some(&self.copies)
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        Some(&mut self.copies)
    }

    fn copy_is_free(&self, _: ChipId, to: ChipId) -> bool {
        let column = self.grid.ways(to).column;
        self.grid.is_free(column) && self.grid.is_served(column)
    }

    fn copy_time(&self, bytes: u64) -> Time {
        self.packets.chip_enable()
            + self.packets.flits(READ_DATA_TRANSFER_FLITS)
            + self.data_time(Operation::Program, bytes)
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) -> PathId {
        assert!(self.copy_is_free(from, to), "a copy starts only if its bus is free");
        let (bus, messages) = (self.grid.ways(to).column, self.copy_messages(from, to));
        let direction = Direction::FromChip;
        let path = self.transfers.insert(Crossing { to, ..Crossing::new(from, direction, bus) });
        let transfer = Transfer { chip: from, direction, command: Time::ZERO, data: time };
        self.take(path, bus, messages, transfer, now, later);
        path
    }

    fn keep_columns(&mut self, kept: impl Fn(ChipId) -> bool) {
        self.grid.keep_columns(kept);
    }
}

impl Omnibus {
    /// Through the bus's own controller if that is a third one.
    fn copy_messages(&self, from: ChipId, to: ChipId) -> u32 {
        let (source, destination) = (self.grid.row_controller(from), self.grid.row_controller(to));
        let driver = self.grid.bus(self.grid.ways(to).column).driver;
        let hops = u32::from(source != driver) + u32::from(driver != destination);
        // One controller asks the driver once for both chips.
        AGREEMENT * if source == destination { hops.min(1) } else { hops }
    }

    pub(super) fn tell_status(&mut self, from: ChipId, to: ChipId, now: Time) {
        let (source, destination) = (self.grid.row_controller(from), self.grid.row_controller(to));
        let driver = self.grid.bus(self.grid.ways(to).column).driver;
        for told in [Some(source), Some(destination).filter(|&other| other != source)].into_iter().flatten() {
            if told != driver {
                self.control.send(now);
            }
        }
    }
}
