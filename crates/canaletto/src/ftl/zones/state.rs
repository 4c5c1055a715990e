//! States of zones: the state machine of NVM Express Zoned Namespace Command Set 1.1 §2.1.1.4, alone.
//!
//! Addresses and sizes are in sectors. The write pointer moves when a command is admitted, before its data are anywhere.

use std::collections::BTreeSet;

use crate::host::request::Status;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing is written (ZSE).
    Empty,
    /// Opened by a write (ZSIO).
    ImplicitlyOpen,
    /// Opened by the host (ZSEO).
    ExplicitlyOpen,
    /// Partly written, without resources for writes (ZSC).
    Closed,
    /// Full or finished (ZSF).
    Full,
    /// Readable only, after a program failed (ZSRO).
    ReadOnly,
    /// Neither readable nor writable, after an erase failed (ZSO).
    Offline,
}

impl State {
    /// Returns the name used in results: the standard's.
    pub fn name(self) -> &'static str {
        match self {
            State::Empty => "empty",
            State::ImplicitlyOpen => "implicitly_opened",
            State::ExplicitlyOpen => "explicitly_opened",
            State::Closed => "closed",
            State::Full => "full",
            State::ReadOnly => "read_only",
            State::Offline => "offline",
        }
    }

    fn is_open(self) -> bool {
        matches!(self, State::ImplicitlyOpen | State::ExplicitlyOpen)
    }

    fn is_active(self) -> bool {
        self.is_open() || self == State::Closed
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Zone {
    pub state: State,
    /// Sectors from the zone's start to the write pointer.
    pub pointer: u64,
    /// Sectors from the zone's start to the end of what was written.
    pub written: u64,
    /// Number of the opening, of all.
    opened: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct ZoneLimits {
    /// Sectors between the first ones of two zones.
    pub size: u64,
    pub capacity: u64,
    pub open: u32,
    pub active: u32,
    pub append: u64,
    pub random_write_area: u64,
}

/// Zones in use of a namespace, whose last one comes before `end`.
struct InUse {
    end: u32,
    open: u32,
    active: u32,
    /// Zones that writes have opened, in the order of their openings.
    implicit: BTreeSet<(u64, u32)>,
}

pub struct ZoneStates {
    zones: Vec<Zone>,
    /// Limits, of each namespace.
    pub limits: ZoneLimits,
    in_use: Vec<InUse>,
    openings: u64,
    /// Zones that the drive closed to open others.
    pub closed_implicitly: u64,
}

impl ZoneStates {
    /// Empty zones, after `full` ones that hold data. `ends` has the zone after the last of each namespace.
    pub fn new(ends: &[u32], full: u32, limits: ZoneLimits) -> ZoneStates {
        let count = ends.last().copied().unwrap_or(0);
        let of = |number| {
            let (state, written) = if number < full { (State::Full, limits.capacity) } else { (State::Empty, 0) };
            Zone { state, pointer: written, written, opened: 0 }
        };
        ZoneStates {
            zones: (0..count).map(of).collect(),
            limits,
            in_use: ends.iter().map(|&end| InUse { end, open: 0, active: 0, implicit: BTreeSet::new() }).collect(),
            openings: 0,
            closed_implicitly: 0,
        }
    }

    pub fn zone_of(&self, lba: u64) -> u32 {
        (lba / self.limits.size) as u32
    }

    pub fn start_of(&self, zone: u32) -> u64 {
        u64::from(zone) * self.limits.size
    }

    pub fn zone(&self, zone: u32) -> &Zone {
        &self.zones[zone as usize]
    }

    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Open and active zones.
    pub fn in_use(&self) -> (u32, u32) {
        self.in_use.iter().fold((0, 0), |sum, each| (sum.0 + each.open, sum.1 + each.active))
    }

    /// Admits a read of sectors: within a zone that is not offline.
    ///
    /// # Errors
    /// The status with which the read is completed.
    pub fn read(&self, lba: u64, sectors: u64) -> Result<(), Status> {
        let zone = self.zone_of(lba);
        if self.zone(zone).state == State::Offline {
            return Err(Status::ZoneIsOffline);
        }
        let ends = lba + sectors <= self.start_of(zone) + self.limits.size;
        if ends { Ok(()) } else { Err(Status::ZoneBoundaryError) }
    }

    /// Admits a write of sectors, and moves the write pointer.
    ///
    /// # Errors
    /// The status with which the write is completed.
    pub fn write(&mut self, lba: u64, sectors: u64) -> Result<(), Status> {
        let zone = self.zone_of(lba);
        self.check_writable(zone)?;
        let (start, area) = (lba - self.start_of(zone), self.limits.random_write_area);
        let (pointer, end) = (self.zone(zone).pointer, start + sectors);
        if end > self.limits.capacity {
            return Err(Status::ZoneBoundaryError);
        }
        // A write within the area moves nothing; one within as much behind it commits what is before. The write that ends
        // with the zone commits everything.
        let is_welcome = if area == 0 { start == pointer } else { start >= pointer && end <= pointer + 2 * area };
        if !is_welcome {
            return Err(Status::ZoneInvalidWrite);
        }
        let pointer = if end == self.limits.capacity { end } else { pointer.max(end.saturating_sub(area)) };
        self.advance(zone, pointer, end)
    }

    /// Admits an append of sectors to the zone that begins at `lba`. Returns the first sector that it writes.
    ///
    /// # Errors
    /// The status with which the append is completed.
    pub fn append(&mut self, lba: u64, sectors: u64) -> Result<u64, Status> {
        let zone = self.zone_of(lba);
        self.check_writable(zone)?;
        let is_small = self.limits.append == 0 || sectors <= self.limits.append;
        if lba != self.start_of(zone) || !is_small || self.limits.random_write_area > 0 {
            return Err(Status::InvalidField);
        }
        let pointer = self.zone(zone).pointer;
        if pointer + sectors > self.limits.capacity {
            return Err(Status::ZoneBoundaryError);
        }
        self.advance(zone, pointer + sectors, pointer + sectors)?;
        Ok(lba + pointer)
    }

    /// Opens a zone explicitly.
    ///
    /// # Errors
    /// The status with which the command is completed.
    pub fn open(&mut self, lba: u64) -> Result<(), Status> {
        let zone = self.first_of(lba)?;
        match self.zone(zone).state {
            State::ExplicitlyOpen => return Ok(()),
            State::ImplicitlyOpen => {}
            State::Empty | State::Closed => self.take_resources(zone)?,
            _ => return Err(Status::InvalidTransition),
        }
        self.set(zone, State::ExplicitlyOpen);
        Ok(())
    }

    /// Closes a zone.
    ///
    /// # Errors
    /// The status with which the command is completed.
    pub fn close(&mut self, lba: u64) -> Result<(), Status> {
        let zone = self.first_of(lba)?;
        match self.zone(zone).state {
            State::Closed => Ok(()),
            state if state.is_open() => {
                // A zone without data needs no resources.
                let to = if self.zone(zone).written == 0 { State::Empty } else { State::Closed };
                self.set(zone, to);
                Ok(())
            }
            _ => Err(Status::InvalidTransition),
        }
    }

    /// Begins to finish a zone, which takes no data from now on. Returns its number.
    ///
    /// # Errors
    /// The status with which the command is completed.
    pub fn finish(&mut self, lba: u64) -> Result<u32, Status> {
        let zone = self.first_of(lba)?;
        if matches!(self.zone(zone).state, State::ReadOnly | State::Offline) {
            return Err(Status::InvalidTransition);
        }
        self.set(zone, State::Full);
        self.zones[zone as usize].pointer = self.limits.capacity;
        Ok(zone)
    }

    /// Begins to reset a zone, which takes no data until it [is empty](ZoneStates::empty). Returns its number.
    ///
    /// # Errors
    /// The status with which the command is completed.
    pub fn reset(&mut self, lba: u64) -> Result<u32, Status> {
        let zone = self.first_of(lba)?;
        match self.zone(zone).state {
            State::ReadOnly | State::Offline => return Err(Status::InvalidTransition),
            State::Empty => {}
            _ => self.set(zone, State::Full),
        }
        Ok(zone)
    }

    /// A zone has been reset.
    pub fn empty(&mut self, zone: u32) {
        self.set(zone, State::Empty);
        let zone = &mut self.zones[zone as usize];
        (zone.pointer, zone.written) = (0, 0);
    }

    /// A zone cannot be written, or not even read, any more.
    pub fn fail(&mut self, zone: u32, to: State) {
        if self.zone(zone).state != State::Offline {
            self.set(zone, to);
        }
    }

    fn check_writable(&self, zone: u32) -> Result<(), Status> {
        match self.zone(zone).state {
            State::Full => Err(Status::ZoneIsFull),
            State::ReadOnly => Err(Status::ZoneIsReadOnly),
            State::Offline => Err(Status::ZoneIsOffline),
            _ => Ok(()),
        }
    }

    fn first_of(&self, lba: u64) -> Result<u32, Status> {
        let zone = self.zone_of(lba);
        if lba == self.start_of(zone) { Ok(zone) } else { Err(Status::InvalidField) }
    }

    /// Moves the write pointer of a zone, which is open then, or full.
    fn advance(&mut self, zone: u32, pointer: u64, end: u64) -> Result<(), Status> {
        if !self.zone(zone).state.is_open() {
            self.take_resources(zone)?;
            self.set(zone, State::ImplicitlyOpen);
        }
        let at = &mut self.zones[zone as usize];
        (at.pointer, at.written) = (pointer, at.written.max(end));
        if pointer == self.limits.capacity {
            self.set(zone, State::Full);
        }
        Ok(())
    }

    /// Makes sure that a zone which is not open may be: the drive closes the zone that a write opened first, if it must.
    fn take_resources(&mut self, zone: u32) -> Result<(), Status> {
        let ZoneLimits { open, active, .. } = self.limits;
        let in_use = &self.in_use[self.namespace_of(zone)];
        if active > 0 && in_use.active >= active && !self.zone(zone).state.is_active() {
            return Err(Status::TooManyActiveZones);
        }
        if open > 0 && in_use.open >= open {
            let &(_, oldest) = in_use.implicit.first().ok_or(Status::TooManyOpenZones)?;
            self.set(oldest, State::Closed);
            self.closed_implicitly += 1;
        }
        Ok(())
    }

    fn namespace_of(&self, zone: u32) -> usize {
        self.in_use.partition_point(|each| each.end <= zone)
    }

    fn set(&mut self, zone: u32, state: State) {
        let namespace = self.namespace_of(zone);
        let (at, in_use) = (&mut self.zones[zone as usize], &mut self.in_use[namespace]);
        let before = std::mem::replace(&mut at.state, state);
        if before == State::ImplicitlyOpen {
            in_use.implicit.remove(&(at.opened, zone));
        }
        if state.is_open() && !before.is_open() {
            self.openings += 1;
            at.opened = self.openings;
        }
        if state == State::ImplicitlyOpen {
            in_use.implicit.insert((at.opened, zone));
        }
        in_use.open = in_use.open + u32::from(state.is_open()) - u32::from(before.is_open());
        in_use.active = in_use.active + u32::from(state.is_active()) - u32::from(before.is_active());
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
