//! Circuits from chip to chip (`fabric.network.chip_to_chip`): the source's router sends the scout.
//!
//! ```text
//! chip ── R2 ══ R1 ══ R4 ── chip      1. a scout sets out as a controller's does, by Algorithm 1
//!                                    2. it returns over what it reserved, the page crosses, a packet in cancel mode follows
//! ```
//! Venice's scouts are controllers' (§4.2); §8 names what chips could send each other. Assumed: the destination's
//! number names a circuit between chips, and an unused bit of the tail flit marks it, so flits stay as wide as in Fig.
//! 6. A chip's failed scout is sent again after a while. A register receives the page as on `omnibus`.

use super::{Event, Venice};
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::{Direction, PathId, Transfer};
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;

impl ChipToChip<Event> for Venice {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        self.registers.is_some()
            && from != to
            && (self.sets.is_empty() || self.sets[from.index()] == self.sets[to.index()])
    }

    fn registers(&self) -> Option<&PageRegisters> {
        self.registers.as_ref()
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        self.registers.as_mut()
    }

    fn copy_is_free(&self, from: ChipId, to: ChipId) -> bool {
        !self.port_taken[from.index()] && !self.port_taken[to.index()]
    }

    fn copy_time(&self, bytes: u64) -> Time {
        self.cycles.column() + self.cycles.data(Operation::Read, bytes)
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) -> PathId {
        assert!(self.copy_is_free(from, to), "the port of a chip takes one circuit");
        self.port_taken[from.index()] = true;
        self.port_taken[to.index()] = true;
        let id = self.grid.source(from);
        let source = &mut self.controllers[id as usize];
        source.transfer = Transfer { chip: to, direction: Direction::ToChip, command: Time::ZERO, data: time };
        source.began = now;
        source.patient_since = now;
        self.send_scout(id, now, later);
        PathId(id)
    }
}
