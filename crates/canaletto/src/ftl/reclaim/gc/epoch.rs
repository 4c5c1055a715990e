//! Device-wide epochs: every plane of a group collects some blocks at the same time.
//!
//! Parallel GC has one group. Spatial GC (Networked SSD, MICRO 2022, §VI-A) has groups of columns that take turns,
//! while the host's writes go to the others.

use crate::config::design::{EpochTrigger, Gc, Scope};
use crate::engine::time::Time;
use crate::flash::address::{ChipId, Layout, PlaneId};
use crate::measure::maintenance::Spans;

pub struct Epoch {
    group_of: Vec<u8>,
    chip_groups: Vec<u8>,
    groups: u8,
    victims: u32,
    trigger: EpochTrigger,
    /// An epoch is due below.
    start_below: u64,
    plane_is_short: bool,
    current: Option<u8>,
    next: u8,
    /// By plane.
    quota: Vec<u32>,
    unfinished: u32,
    collects: bool,
    since: Time,
    /// Epochs in which anything was collected.
    pub lengths: Spans,
}

impl Epoch {
    /// A plane is short with fewer than `start_below` free blocks.
    pub fn new(config: &Gc, layout: &Layout, start_below: u32) -> Epoch {
        let columns = layout.chips_per_channel;
        let groups = match config.scope {
            Scope::Spatial => ((1.0 / config.group_share).round() as u32).clamp(1, columns.min(255)),
            Scope::Plane | Scope::Parallel => 1,
        };
        let group_of_chip = |chip: ChipId| (chip.0 % columns * groups / columns) as u8;
        Epoch {
            group_of: (0..layout.planes()).map(|p| group_of_chip(layout.chip_of_plane(PlaneId(p)))).collect(),
            chip_groups: (0..layout.chips()).map(|c| group_of_chip(ChipId(c))).collect(),
            groups: groups as u8,
            victims: config.victims_per_plane * groups,
            trigger: config.epoch_trigger,
            start_below: u64::from(start_below) * u64::from(layout.planes()),
            plane_is_short: false,
            current: None,
            next: 0,
            quota: vec![0; layout.planes() as usize],
            unfinished: 0,
            collects: false,
            since: Time::ZERO,
            lengths: Spans::default(),
        }
    }

    pub fn note_short_plane(&mut self) {
        self.plane_is_short = true;
    }

    /// If none is under way and one is due at `free` blocks. Returns whether it did.
    pub fn begin(&mut self, free: u64, now: Time) -> bool {
        let due = match self.trigger {
            EpochTrigger::Device => free < self.start_below,
            EpochTrigger::Plane => self.plane_is_short,
        };
        if !due || self.current.is_some() {
            return false;
        }
        self.plane_is_short = false;
        self.current = Some(self.next);
        self.since = now;
        for (quota, group) in self.quota.iter_mut().zip(&self.group_of) {
            if *group == self.next {
                *quota = self.victims;
                self.unfinished += 1;
            }
        }
        self.next = (self.next + 1) % self.groups;
        true
    }

    pub fn wants(&self, plane: PlaneId) -> bool {
        self.quota[plane.index()] > 0
    }

    pub fn job_starts(&mut self, plane: PlaneId) {
        self.quota[plane.index()] -= 1;
        self.collects = true;
    }

    pub fn plane_is_done(&mut self, plane: PlaneId, now: Time) {
        self.quota[plane.index()] = 0;
        self.one_less(now);
    }

    pub fn job_ends(&mut self, plane: PlaneId, now: Time) -> bool {
        if self.quota[plane.index()] == 0 {
            self.one_less(now);
        }
        self.current.is_none()
    }

    fn one_less(&mut self, now: Time) {
        self.unfinished -= 1;
        if self.unfinished == 0 {
            self.current = None;
            if std::mem::take(&mut self.collects) {
                self.lengths.count(now - self.since);
            }
        }
    }

    /// Out of several groups.
    pub fn keeps_writes_from(&self, plane: PlaneId) -> bool {
        self.groups > 1 && self.current == Some(self.group_of[plane.index()])
    }

    pub fn owns_column_of(&self, chip: ChipId) -> bool {
        self.groups > 1 && self.current == Some(self.chip_groups[chip.index()])
    }

    pub fn is_running(&self) -> bool {
        self.current.is_some()
    }
}
