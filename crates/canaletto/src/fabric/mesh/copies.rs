//! Packets from chip to chip (`fabric.network.chip_to_chip`): along the row, then along the column. A register receives
//! the page as on `omnibus`.

use super::{Mesh, MeshEvent, Node};
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::{PathId, page_registers::PageRegisters};
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;

impl ChipToChip<MeshEvent> for Mesh {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        self.registers.is_some() && from != to
    }

    fn registers(&self) -> Option<&PageRegisters> {
        self.registers.as_ref()
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        self.registers.as_mut()
    }

    fn copy_is_free(&self, from: ChipId, _: ChipId) -> bool {
        self.idle_chips[from.index()]
    }

    fn copy_time(&self, bytes: u64) -> Time {
        self.data(Operation::Read, bytes)
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) -> PathId {
        self.send_all(Node::Chip(from), Node::Chip(to), (Time::ZERO, time), self.full_packet, now, later)
    }
}
