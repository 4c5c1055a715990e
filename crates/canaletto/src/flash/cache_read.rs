//! Cache registers for reads: data of a page leave while the array reads the next one of its plane.
//!
//! ```text
//! array           │ tR, page 1 │     │ tR, page 2 │         waits       │     │ tR, page 3 │
//! page register                       ············│ page 2              │tRCBSY
//! cache register               │ page 1: waits, then leaves ────────────│     │ page 2 …
//! ```
//! ONFI 5.1, "Read Cache" and "Read Cache Random" (31h, 3Fh): a read of a plane whose cache register holds data goes to
//! the page register behind it. It moves on within tRCBSY once the cache register is empty. Only then the plane takes a
//! further read; a program or an erase needs both registers.
//!
//! In the standard the move is part of the next command (31h), or of one that ends the sequence (3Fh), and the whole
//! LUN is busy meanwhile. Here it begins by itself and concerns its plane alone.

use crate::config::design::Flash;
use crate::engine::in_flight::PageWork;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::flash::FlashBackend;
use crate::flash::address::{Layout, LunId, PlaneId};
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::TransactionId;

/// Empty where planes have one register.
pub struct CacheReads {
    busy: Time,
    planes: Vec<Plane>,
}

#[derive(Clone, Copy)]
struct Plane {
    /// None while the array works.
    page: TransactionId,
    is_next: bool,
    free_at: Time,
}

impl CacheReads {
    pub fn new(config: &Flash, layout: &Layout) -> CacheReads {
        let empty = Plane { page: TransactionId::NONE, is_next: false, free_at: Time::ZERO };
        let planes = if config.cache_read { vec![empty; layout.planes() as usize] } else { Vec::new() };
        CacheReads { busy: config.cache_read_busy.time(), planes }
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        rarely(!self.planes.is_empty())
    }
}

impl FlashBackend {
    pub fn free_for_reads(&self, lun: LunId) -> u64 {
        self.array.empty_behind(lun)
    }

    pub(super) fn begin_behind<P: Probe>(&mut self, id: LunId, command: &Command, work: &PageWork<P>) {
        if !self.cache_reads.is_on() || command.operation != Operation::Read {
            return;
        }
        for &first in command.transactions() {
            let plane = work.transactions[first].ppa.plane;
            let bit = 1 << self.layout.plane_in_lun(plane);
            let lun = &mut self.array.luns[id.index()];
            assert!(lun.behind & bit == 0, "plane {} reads over a page that has not been moved", plane.0);
            if lun.registers & bit != 0 {
                lun.behind |= bit;
                let registers = &mut self.cache_reads.planes[plane.index()];
                (registers.page, registers.is_next) = (TransactionId::NONE, false);
            }
        }
    }

    pub fn is_read_behind(&mut self, lun: LunId, first: TransactionId, plane: PlaneId) -> bool {
        let is_behind = self.array.luns[lun.index()].behind & 1 << self.layout.plane_in_lun(plane) != 0;
        if is_behind {
            self.cache_reads.planes[plane.index()].page = first;
        }
        is_behind
    }

    pub(super) fn leaves_one_behind(&mut self, lun: LunId, plane: PlaneId) -> bool {
        let is_behind = self.array.luns[lun.index()].behind & 1 << self.layout.plane_in_lun(plane) != 0;
        if is_behind {
            self.cache_reads.planes[plane.index()].is_next = true;
        }
        is_behind
    }

    pub fn move_up<P: Probe>(&mut self, lun: LunId, plane: PlaneId, work: &mut PageWork<P>, now: Time) -> Option<Time> {
        let is_behind = self.array.luns[lun.index()].behind & 1 << self.layout.plane_in_lun(plane) != 0;
        let registers = self.cache_reads.planes.get(plane.index()).filter(|_| is_behind)?;
        if !registers.is_next || !registers.page.is_some() {
            return None;
        }
        work.charge_flash_pages(&[registers.page], Cause::ChipBusyUser, now);
        work.probe.notify(|observer| observer.register_filled(plane, now));
        Some(now + self.cache_reads.busy)
    }

    pub fn moved_up<P: Probe>(
        &mut self,
        lun: LunId,
        plane: PlaneId,
        work: &mut PageWork<P>,
        now: Time,
    ) -> TransactionId {
        self.array.luns[lun.index()].behind &= !(1 << self.layout.plane_in_lun(plane));
        let registers = &mut self.cache_reads.planes[plane.index()];
        registers.free_at = now;
        work.charge_flash_pages(&[registers.page], Cause::ArrayRead, now);
        registers.page
    }

    pub(super) fn registers_free_since(&self, lun: LunId, operation: Operation, plane: PlaneId) -> Time {
        if self.cache_reads.is_on() && operation == Operation::Read {
            return self.cache_reads.planes[plane.index()].free_at;
        }
        self.array.drained_since(lun, plane)
    }
}
