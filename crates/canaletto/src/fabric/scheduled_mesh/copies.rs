//! Copies from chip to chip over the mesh, without a controller.
//!
//! ```text
//! chip ══ R2 ══ R1 ══ R4 ══ chip     granted as a transfer's circuit is; the grant has the router at the source strobe its chip
//! ```
//! As on `omnibus`, the destination receives the page in a V-page register (assumed: Venice's chips have none), and no
//! controller's ECC sees it.

use super::{Circuit, Crossed, ScheduledMesh};
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::scheduled_mesh::links::{Source, Way};
use crate::fabric::venice::grid::RouterId;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::{Direction, PathId, Transfer};
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;

impl ChipToChip<Crossed> for ScheduledMesh {
    const JOINS_CHIPS: bool = true;

    fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        from != to && (self.sets.is_empty() || self.sets[from.index()] == self.sets[to.index()])
    }

    fn registers(&self) -> Option<&PageRegisters> {
        Some(&self.registers)
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        Some(&mut self.registers)
    }

    fn copy_is_free(&self, from: ChipId, to: ChipId) -> bool {
        let source = Source::Chip(RouterId(from.0));
        !self.port_taken[from.index()]
            && !self.port_taken[to.index()]
            && self.links.distance(source, RouterId(to.0)).is_some()
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
        later: &mut impl FnMut(Time, Crossed),
    ) -> PathId {
        self.take_port(from);
        self.take_port(to);
        let path = self.under_way.insert(Circuit { chip: from, to, way: Way::default(), setup: Time::ZERO });
        let begins = self.set_up(path, Source::Chip(RouterId(from.0)), now);
        let page = Transfer { chip: from, direction: Direction::FromChip, command: Time::ZERO, data: time };
        self.cross(path, &page, begins, later);
        path
    }
}
