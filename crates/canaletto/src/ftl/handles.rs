//! Reclaim unit handles of Flexible Data Placement: what was written and moved for each.

use crate::config::design::{Design, Isolation};
use crate::flash::address::Layout;
use crate::ftl::blocks::Blocks;
use crate::host::request::Status;
use crate::measure::fdp::{FdpReport, HandleReport};

pub struct Handles {
    isolation: Isolation,
    planes: u32,
    written: Vec<u64>,
    /// Pages moved out of reclaim units that hold data of one handle alone.
    copied: Vec<u64>,
    copied_shared: u64,
    reclaimed: u64,
    reallocated: u64,
    updates: Vec<u64>,
}

impl Handles {
    pub fn new(design: &Design) -> Option<Handles> {
        let count = design.fdp.handles as usize;
        design.fdp.is_on().then(|| Handles {
            isolation: design.fdp.isolation,
            planes: design.ftl.superblock.planes(&design.layout()),
            written: vec![0; count],
            copied: vec![0; count],
            copied_shared: 0,
            reclaimed: 0,
            reallocated: 0,
            updates: vec![0; count],
        })
    }

    /// The host updates a handle.
    ///
    /// # Errors
    /// The status with which the command is completed: an unknown handle.
    pub fn update(&mut self, handle: u16) -> Result<(), Status> {
        *self.updates.get_mut(usize::from(handle)).ok_or(Status::InvalidField)? += 1;
        Ok(())
    }

    pub fn written(&mut self, handle: u16) {
        self.written[usize::from(handle)] += 1;
    }

    /// `owner`: the handle whose data alone the reclaim unit holds.
    pub fn copied(&mut self, owner: Option<u16>) {
        match owner {
            Some(handle) => self.copied[usize::from(handle)] += 1,
            None => self.copied_shared += 1,
        }
    }

    /// A reclaim unit is about to be erased; `moved` if it had valid data.
    pub fn emptied(&mut self, moved: bool) {
        self.reclaimed += 1;
        self.reallocated += u64::from(moved);
    }

    /// Report on handles.
    pub fn report(&self, blocks: &Blocks, layout: &Layout) -> FdpReport {
        let of = |(handle, (&written, &copied)): (usize, (&u64, &u64))| {
            let (units_opened, units_not_full, unit_pages_left) = blocks.opened_by(handle as u16);
            HandleReport {
                handle: handle as u32,
                host_pages: written,
                copied_pages: copied,
                units_opened,
                units_not_full,
                unit_pages_left,
                updates: self.updates[handle],
                write_amplification: (written > 0).then(|| (written + copied) as f64 / written as f64),
            }
        };
        let pages = u64::from(self.planes) * u64::from(layout.pages_per_block);
        FdpReport {
            isolation: self.isolation.name(),
            reclaim_groups: layout.planes() / self.planes,
            reclaim_unit_bytes: pages * layout.page_bytes(),
            handles: self.written.iter().zip(&self.copied).enumerate().map(of).collect(),
            copied_from_shared: self.copied_shared,
            units_reclaimed: self.reclaimed,
            media_reallocated: self.reallocated,
            invalid_placements: 0,
        }
    }
}
