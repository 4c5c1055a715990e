//! Zones as the standard has them: states, write pointers, and the life of what they hold, which ends with a reset.

use std::collections::HashMap;
use std::ops::Range;

use canaletto::config::design::Design;
use canaletto::config::zns::ZoneShape;
use canaletto::host::request::{Kind, Request, RequestId, Status};

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum State {
    #[default]
    Empty,
    ImplicitlyOpen,
    ExplicitlyOpen,
    Closed,
    Full,
    Failed,
}

/// In sectors from its first one.
#[derive(Clone, Copy, Default, Debug)]
struct Zone {
    state: State,
    pointer: u64,
    written: u64,
    opened: u64,
    /// Odd while it is being reset.
    life: u32,
    /// Versions up to this one are from before its last reset.
    floor: u64,
    /// Number of that reset.
    reset: u32,
}

#[derive(Clone, Default)]
pub struct ZoneModel {
    zones: Vec<Zone>,
    size: u64,
    capacity: u64,
    per_page: u64,
    max_open: usize,
    max_active: usize,
    append_limit: u64,
    area: u64,
    /// Programs and erases may fail, and chips may be cut off: zones fail with them.
    fails: bool,
    opened: u64,
    /// Zone and its life then.
    admitted: HashMap<RequestId, (usize, u32)>,
    pub closed_by_drive: u64,
    pub problems: Vec<String>,
    pub resets: u64,
    pub refused: u64,
}

impl ZoneModel {
    pub fn of(design: &Design) -> ZoneModel {
        let layout = design.layout();
        let shape = ZoneShape::of(design, &layout).expect("zones");
        let (zns, failures) = (&design.zns, &design.flash.failures);
        ZoneModel {
            zones: vec![Zone::default(); shape.zones as usize],
            size: shape.size / 512,
            capacity: shape.capacity / 512,
            per_page: layout.page_bytes() / 512,
            max_open: zns.max_open as usize,
            max_active: zns.max_active as usize,
            append_limit: zns.append_limit.0 / 512,
            area: zns.random_write_area.0 / 512,
            fails: failures.program > 0.0 || failures.erase > 0.0 || design.fabric.failures.any(),
            ..ZoneModel::default()
        }
    }

    pub fn zones(&self) -> usize {
        self.zones.len()
    }

    /// Sectors.
    pub fn sizes(&self) -> (u64, u64, u64) {
        (self.size, self.capacity, self.per_page)
    }

    pub fn pointer(&self, zone: usize) -> u64 {
        self.zones[zone].pointer
    }

    pub fn has_page(&self, lpa: u64) -> bool {
        lpa * self.per_page < self.size * self.zones.len() as u64
    }

    fn zone_of_page(&self, lpa: u64) -> &Zone {
        &self.zones[(lpa * self.per_page / self.size) as usize]
    }

    fn pages_of(&self, zone: usize) -> Range<u64> {
        let first = zone as u64 * self.size / self.per_page;
        first..first + self.size / self.per_page
    }

    /// A read or a write from before a reset, or during one.
    pub fn is_past(&self, id: RequestId) -> bool {
        let past = |&(zone, life): &(usize, u32)| life % 2 == 1 || self.zones[zone].life != life;
        self.admitted.get(&id).is_some_and(past)
    }

    pub fn found(&mut self, id: RequestId, lpa: u64, versions: impl Iterator<Item = u64>) {
        let floor = self.zone_of_page(lpa).floor;
        let old = versions.into_iter().find(|&version| version > 0 && version <= floor);
        if let Some(version) = old.filter(|_| !self.is_past(id)) {
            self.problems.push(format!("page {lpa}: version {version} is from before a reset"));
        }
    }

    /// Carries out a command to a zone that the drive has answered, after that many versions. Returns pages that are
    /// empty now.
    pub fn follow(&mut self, id: RequestId, request: &Request, versions: u64) -> Option<Range<u64>> {
        let zone = (request.lba / self.size) as usize;
        if zone >= self.zones.len() {
            return None;
        }
        if request.kind != Kind::Read {
            self.end_reset(zone, versions);
        }
        let (answer, lba) = (request.status, request.lba);
        let (expected, at) = self.expect(request.kind, lba, u64::from(request.sectors), answer == Status::Success);
        let failed = [Status::ZoneIsReadOnly, Status::ZoneIsOffline, Status::InvalidTransition];
        if answer != expected && self.fails && failed.contains(&answer) {
            self.zones[zone].state = State::Failed;
        } else if (answer, lba) != (expected, at) {
            let at_zone = &self.zones[zone];
            let what = format!("{:?} of {} sectors at {lba} of zone {zone}", request.kind, request.sectors);
            self.problems.push(format!("{what}: {answer:?}, expected {expected:?} at {at}, {at_zone:?}"));
        }
        self.refused += u64::from(answer != Status::Success);
        self.admitted.insert(id, (zone, self.zones[zone].life));
        if answer != Status::Success || request.kind != Kind::Reset {
            return None;
        }
        (self.zones[zone].life, self.zones[zone].reset) = (self.zones[zone].life + 1, request.number);
        self.resets += 1;
        Some(self.pages_of(zone))
    }

    /// At the latest when the host learns of it, and before the next command to the zone.
    fn end_reset(&mut self, zone: usize, versions: u64) {
        let zone = &mut self.zones[zone];
        if zone.life % 2 == 1 {
            (zone.life, zone.floor) = (zone.life + 1, versions);
        }
    }

    pub fn ended(&mut self, request: &Request, versions: u64) {
        let zone = (request.lba / self.size) as usize;
        let is_reset = request.kind == Kind::Reset && request.status == Status::Success;
        if is_reset && self.zones.get(zone).is_some_and(|zone| zone.reset == request.number) {
            self.end_reset(zone, versions);
        }
    }

    /// The standard's answer, and the first sector that a write or an append gets. It is carried out if it `succeeds`.
    pub fn expect(&mut self, kind: Kind, lba: u64, sectors: u64, succeeds: bool) -> (Status, u64) {
        let number = (lba / self.size) as usize;
        let start = number as u64 * self.size;
        let zone = self.zones[number];
        let status = match kind {
            Kind::Read => (lba + sectors > start + self.size).then_some(Status::ZoneBoundaryError),
            Kind::Write | Kind::Append => {
                // An append has been given its address.
                let is_append = kind == Kind::Append;
                let at = if is_append && succeeds { zone.pointer } else { lba - start };
                return self.expect_write(number, at, sectors, is_append, succeeds);
            }
            _ if lba != start => Some(Status::InvalidField),
            Kind::Close if zone.state == State::Closed => None,
            Kind::Close if !is_open(zone.state) => Some(Status::InvalidTransition),
            Kind::Close => {
                self.zones[number].state = if zone.written == 0 { State::Empty } else { State::Closed };
                None
            }
            Kind::Open => match zone.state {
                State::Full | State::Failed => Some(Status::InvalidTransition),
                _ => self.open(number, State::ExplicitlyOpen),
            },
            _ if zone.state == State::Failed => Some(Status::InvalidTransition),
            Kind::Finish => {
                let full = Zone { state: State::Full, pointer: self.capacity, ..zone };
                self.zones[number] = full;
                None
            }
            _ => {
                let Zone { life, floor, reset, .. } = zone;
                self.zones[number] = Zone { life, floor, reset, ..Zone::default() };
                None
            }
        };
        (status.unwrap_or(Status::Success), lba)
    }

    fn expect_write(&mut self, number: usize, at: u64, sectors: u64, is_append: bool, succeeds: bool) -> (Status, u64) {
        let (zone, area) = (self.zones[number], self.area);
        let lba = number as u64 * self.size + at;
        let is_too_large = self.append_limit > 0 && sectors > self.append_limit;
        let begin = if is_append { zone.pointer } else { at };
        let end = begin + sectors;
        let is_welcome = begin >= zone.pointer && end <= zone.pointer + if area == 0 { sectors } else { 2 * area };
        let wrong = match () {
            () if zone.state == State::Failed => Some(Status::ZoneIsReadOnly),
            () if zone.state == State::Full => Some(Status::ZoneIsFull),
            () if is_append && (!succeeds && at != 0 || is_too_large || area > 0) => Some(Status::InvalidField),
            () if end > self.capacity => Some(Status::ZoneBoundaryError),
            () if !is_welcome => Some(Status::ZoneInvalidWrite),
            () if !is_open(zone.state) => self.open(number, State::ImplicitlyOpen),
            () => None,
        };
        if let Some(status) = wrong {
            return (status, lba);
        }
        let zone = &mut self.zones[number];
        zone.written = end.max(zone.written);
        zone.pointer = if end == self.capacity { end } else { zone.pointer.max(end.saturating_sub(area)) };
        if zone.pointer == self.capacity {
            zone.state = State::Full;
        }
        (Status::Success, lba)
    }

    /// Opens a zone, for which the drive closes the zone that a write opened first, if it must.
    fn open(&mut self, number: usize, to: State) -> Option<Status> {
        let before = self.zones[number].state;
        if !is_open(before) {
            let active = self.zones.iter().filter(|zone| is_open(zone.state) || zone.state == State::Closed).count();
            if self.max_active > 0 && active >= self.max_active && before != State::Closed {
                return Some(Status::TooManyActiveZones);
            }
            let open = self.zones.iter().filter(|zone| is_open(zone.state)).count();
            if self.max_open > 0 && open >= self.max_open {
                let implicit = self.zones.iter_mut().filter(|zone| zone.state == State::ImplicitlyOpen);
                let Some(oldest) = implicit.min_by_key(|zone| zone.opened) else {
                    return Some(Status::TooManyOpenZones);
                };
                oldest.state = State::Closed;
                self.closed_by_drive += 1;
            }
            self.opened += 1;
            self.zones[number].opened = self.opened;
        }
        self.zones[number].state = to;
        None
    }

    /// Zones in each state, by the standard's name.
    pub fn states(&self) -> impl Iterator<Item = (&'static str, u32)> {
        let count = |state| self.zones.iter().filter(|zone| zone.state == state).count() as u32;
        let named = [
            (State::Empty, "empty"),
            (State::ImplicitlyOpen, "implicitly_opened"),
            (State::ExplicitlyOpen, "explicitly_opened"),
            (State::Closed, "closed"),
            (State::Full, "full"),
        ];
        named.map(|(state, name)| (name, count(state))).into_iter()
    }

    pub fn may_fail(&self) -> bool {
        self.fails
    }

    /// Complains of pages, in order, that are there after power was lost. They must reach from a zone's start to a
    /// write pointer that the host has seen, without holes, and be from after its last reset.
    pub fn recovered(&self, pages: &[(u64, u64)]) -> Option<String> {
        let settled = |zone: &Zone| zone.life % 2 == 0 && zone.state != State::Failed && !self.fails;
        for (number, zone) in self.zones.iter().enumerate().filter(|(_, zone)| settled(zone)) {
            let of = self.pages_of(number);
            let mut next = of.start;
            for &(lpa, version) in pages.iter().filter(|(lpa, _)| of.contains(lpa)) {
                if lpa != next && self.area == 0 {
                    return Some(format!("zone {number} has no page {next}, but page {lpa}: {zone:?}"));
                }
                if version > 0 && version <= zone.floor || (lpa - of.start) * self.per_page >= zone.written {
                    return Some(format!("page {lpa} came back, with version {version}: {zone:?}"));
                }
                next = lpa + 1;
            }
        }
        None
    }
}

fn is_open(state: State) -> bool {
    matches!(state, State::ImplicitlyOpen | State::ExplicitlyOpen)
}
