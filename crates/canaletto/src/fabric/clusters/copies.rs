//! Copies of pages from chip to chip behind one switch, which joins their inner buses; no trunk takes part.
//!
//! ```text
//! arbiter ── grant ─▶ switch     the switch enables both chips, asks the source for its data, and passes them on; chips of
//!   source ══════▶  ┼            one inner bus send each other their pages over that
//!   destination ◀══ ┘
//! ```
//! As over a column bus of `omnibus`, the destination receives the page in a V-page register, and no controller's ECC
//! sees it.

use super::{Clusters, Crossing, Event};
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::packets::READ_DATA_TRANSFER_FLITS;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::WireUse;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::{Direction, PathId};
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;

impl ChipToChip<Event> for Clusters {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        from != to && self.tree.of(from).switch == self.tree.of(to).switch
    }

    fn registers(&self) -> Option<&PageRegisters> {
        Some(&self.registers)
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        Some(&mut self.registers)
    }

    fn copy_is_free(&self, from: ChipId, to: ChipId) -> bool {
        let is_free =
            |chip: ChipId| self.buses[self.tree.of(chip).bus.index()].is_free() && !self.in_parts[chip.index()];
        is_free(from) && is_free(to)
    }

    fn copy_time(&self, bytes: u64) -> Time {
        self.packets.chip_enable()
            + self.packets.flits(READ_DATA_TRANSFER_FLITS)
            + self.packets.data(Operation::Program, bytes)
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) -> PathId {
        assert!(self.copy_is_free(from, to), "a copy starts only if its buses are free");
        let (source, destination) = (self.tree.of(from).bus, self.tree.of(to).bus);
        let path = self.under_way.insert(Crossing::new(from, to, Direction::FromChip, Time::ZERO));
        let begins = self.grant(path, self.tree.of(from).switch, now);
        self.take_bus(source, path, now);
        self.carry(self.bus_wire(source), path, WireUse::Data, begins, time);
        let mut ends = begins + time;
        if source != destination {
            self.take_bus(destination, path, now);
            self.carry(self.bus_wire(destination), path, WireUse::Data, begins + self.delay, time);
            ends += self.delay;
            self.crossed += time;
        }
        later(ends, Event::Crossed(path));
        path
    }
}
