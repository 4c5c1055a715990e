//! Timeline of wires, controllers, chips and requests within chosen windows of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::engine::time::Time;
use crate::fabric::trace::{WireSpan, WireUse};
use crate::fabric::wires::{ControllerUse, Place, Wire};
use crate::flash::address::{ChipId, Layout, PlaneId};
use crate::flash::interface::Operation;
use crate::host::request::Request;
use crate::measure::blame::Cause;
use crate::measure::probe::{Observer, Owner, Work};
use crate::measure::records::EdgeColumns;

/// Kinds of span, in the order of their numbers.
pub const KINDS: [&str; 11] = [
    "command",
    "data",
    "scout",
    "cancel",
    "reserved",
    "handshake",
    "array_read",
    "array_program",
    "array_erase",
    "register",
    "compute",
];

fn kind_of_wire(what: WireUse) -> u8 {
    match what {
        WireUse::Command => 0,
        WireUse::Data => 1,
        WireUse::Scout => 2,
        WireUse::Cancel => 3,
        WireUse::Reserved => 4,
        WireUse::Handshake => 5,
    }
}

fn kind_of_array(operation: Operation) -> u8 {
    match operation {
        Operation::Read => 6,
        Operation::Program => 7,
        Operation::Erase => 8,
    }
}

const REGISTER: u8 = 9;
const COMPUTE: u8 = 10;

#[derive(Debug, Clone)]
pub struct Windows {
    pub windows: Vec<(Time, Time)>,
    pub limit: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct Part {
    pub name: String,
    pub kind: &'static str,
    pub row: i32,
    pub column: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub die: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Place>,
}

#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct Spans {
    pub kind: Vec<u8>,
    pub part: Vec<u32>,
    pub start: Vec<u64>,
    pub end: Vec<u64>,
    pub request: Vec<u32>,
    pub page: Vec<u32>,
    pub work: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct Steps {
    pub request: Vec<u32>,
    pub page: Vec<u32>,
    pub cause: Vec<u8>,
    pub start: Vec<u64>,
    pub end: Vec<u64>,
    pub part: Vec<u32>,
}

/// Requests outstanding in a window; `complete` is `u64::MAX` for those that had not ended.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct Alive {
    pub number: Vec<u32>,
    pub flow: Vec<u16>,
    pub kind: Vec<u8>,
    pub lba: Vec<u64>,
    pub sectors: Vec<u32>,
    pub edges: EdgeColumns,
    pub stream: Vec<u16>,
    pub arrival: Vec<u64>,
    pub complete: Vec<u64>,
}

/// Data of a timeline next to its columns.
#[derive(Debug, Clone, Serialize)]
pub struct Header {
    pub truncated: bool,
    pub from_ps: u64,
    pub until_ps: u64,
    pub kinds: [&'static str; KINDS.len()],
    pub works: [&'static str; Work::NAMES.len()],
    pub causes: Vec<&'static str>,
    /// Tracks.
    pub parts: Vec<Part>,
}

pub struct Timeline {
    windows: Windows,
    end: Time,
    parts: Vec<Part>,
    first_chip: u32,
    first_plane: u32,
    /// Of units that compute, if there are tasks.
    first_unit: u32,
    filled: Vec<Time>,
    alive: BTreeMap<u32, Request>,
    now: Time,
    truncated: bool,
    pub spans: Spans,
    pub steps: Steps,
    pub requests: Alive,
}

impl Timeline {
    /// `computes`: whether there are tasks.
    pub fn new(
        windows: Windows,
        layout: &Layout,
        wires: &[Wire],
        controllers: &[ControllerUse],
        computes: bool,
    ) -> Timeline {
        let mut parts: Vec<Part> = wires.iter().map(part_of_wire).collect();
        parts.extend(controllers.iter().map(|c| part("controller", c.name.clone(), c.place)));
        let first_chip = parts.len() as u32;
        let place = |chip: u32| -> Place {
            ((chip / layout.chips_per_channel) as i32, (chip % layout.chips_per_channel) as i32)
        };
        parts.extend((0..layout.chips()).map(|chip| {
            let at = place(chip);
            part("chip", format!("chip {},{}", at.0, at.1), at)
        }));
        let first_plane = parts.len() as u32;
        let planes_per_chip = layout.planes() / layout.chips();
        parts.extend((0..layout.planes()).map(|plane| {
            let at = place(plane / planes_per_chip);
            let (die, plane) = (plane % planes_per_chip / layout.planes_per_die, plane % layout.planes_per_die);
            let name = format!("chip {},{} die {die} plane {plane}", at.0, at.1);
            Part { die: Some(die), plane: Some(plane), ..part("plane", name, at) }
        }));
        let first_unit = parts.len() as u32;
        if computes {
            parts.extend(units(layout, place));
        }
        Timeline {
            end: windows.windows.iter().map(|w| w.1).max().unwrap_or_default(),
            windows,
            parts,
            first_chip,
            first_plane,
            first_unit,
            filled: vec![Time::ZERO; layout.planes() as usize],
            alive: BTreeMap::new(),
            now: Time::ZERO,
            truncated: false,
            spans: Spans::default(),
            steps: Steps::default(),
            requests: Alive::default(),
        }
    }

    pub fn finish(&mut self) -> Header {
        for request in std::mem::take(&mut self.alive).into_values() {
            self.note_request(&request, None);
        }
        Header {
            truncated: self.truncated,
            from_ps: self.windows.windows.iter().map(|w| w.0.0).min().unwrap_or(0),
            until_ps: self.now.0,
            kinds: KINDS,
            works: Work::NAMES,
            causes: Cause::ALL.iter().map(|c| c.key()).collect(),
            parts: self.parts.clone(),
        }
    }

    fn overlaps(&self, start: Time, end: Time) -> bool {
        self.windows.windows.iter().any(|&(from, until)| start < until && end > from)
    }

    fn is_wanted(&self, owner: Owner, from: Time, until: Time) -> bool {
        self.overlaps(from, until)
            || self.alive.get(&owner.request).is_some_and(|request| self.overlaps(request.arrival, until))
    }

    fn has_room(&mut self) -> bool {
        self.truncated |= self.spans.kind.len() + self.steps.cause.len() >= self.windows.limit;
        !self.truncated
    }

    fn note_span(&mut self, kind: u8, part: u32, owner: Owner, start: Time, end: Time) {
        if start >= end || !self.overlaps(start, end) || !self.has_room() {
            return;
        }
        self.spans.kind.push(kind);
        self.spans.part.push(part);
        self.spans.start.push(start.0);
        self.spans.end.push(end.0);
        self.spans.request.push(owner.request);
        self.spans.page.push(owner.page);
        self.spans.work.push(owner.work as u8);
    }

    fn note_request(&mut self, request: &Request, complete: Option<Time>) {
        if !self.overlaps(request.arrival, complete.unwrap_or(Time::MAX)) {
            return;
        }
        self.requests.number.push(request.number);
        self.requests.flow.push(request.flow);
        self.requests.kind.push(request.kind as u8);
        self.requests.lba.push(request.lba);
        self.requests.edges.push(request.edges, self.requests.sectors.len());
        self.requests.sectors.push(request.sectors);
        self.requests.stream.push(request.stream);
        self.requests.arrival.push(request.arrival.0);
        self.requests.complete.push(complete.map_or(u64::MAX, |time| time.0));
    }
}

/// In the order of their numbers.
fn units(layout: &Layout, place: impl Fn(u32) -> Place) -> impl Iterator<Item = Part> {
    let unit = |of: String, at| part("unit", format!("unit of {of}"), at);
    let channels = (0..layout.channels).map(move |channel| unit(format!("channel {channel}"), (channel as i32, -1)));
    let chips = (0..layout.chips()).map(place).map(move |at| unit(format!("chip {},{}", at.0, at.1), at));
    std::iter::once(part("unit", "processors".to_owned(), (-1, -1))).chain(channels).chain(chips)
}

fn part(kind: &'static str, name: String, (row, column): Place) -> Part {
    Part { name, kind, row, column, die: None, plane: None, from: None, to: None }
}

fn part_of_wire(wire: &Wire) -> Part {
    Part { from: Some(wire.from), to: Some(wire.to), ..part(wire.kind.name(), wire.name.clone(), wire.from) }
}

impl Observer for Timeline {
    fn watches_wires(&self) -> bool {
        true
    }

    fn is_done(&mut self, now: Time) -> bool {
        self.now = now;
        self.truncated || (now > self.end && self.alive.values().next().is_none_or(|first| first.arrival > self.end))
    }

    fn arrived(&mut self, request: &Request) {
        self.alive.insert(request.number, *request);
    }

    fn ended(&mut self, request: &Request, now: Time) {
        self.alive.remove(&request.number);
        self.note_request(request, Some(now));
    }

    fn wire_used(&mut self, span: &WireSpan, owner: Owner) {
        self.note_span(kind_of_wire(span.what), span.wire, owner, span.start, span.end);
    }

    fn port_used(&mut self, chip: ChipId, owner: Owner, command: Time, data: Time, gap: Time, now: Time) {
        let port = self.first_chip + chip.0;
        let turn = now.saturating_sub(data);
        let commanded = turn.saturating_sub(gap);
        self.note_span(kind_of_wire(WireUse::Command), port, owner, commanded.saturating_sub(command), commanded);
        self.note_span(kind_of_wire(WireUse::Data), port, owner, turn, now);
    }

    fn array_works(&mut self, plane: PlaneId, operation: Operation, owner: Owner, from: Time, until: Time) {
        self.note_span(kind_of_array(operation), self.first_plane + plane.0, owner, from, until);
    }

    fn unit_works(&mut self, unit: u32, owner: Owner, from: Time, until: Time) {
        self.note_span(COMPUTE, self.first_unit + unit, owner, from, until);
    }

    fn register_filled(&mut self, plane: PlaneId, now: Time) {
        self.filled[plane.index()] = now;
    }

    fn register_drained(&mut self, plane: PlaneId, owner: Owner, now: Time) {
        self.note_span(REGISTER, self.first_plane + plane.0, owner, self.filled[plane.index()], now);
    }

    fn charged(&mut self, owner: Owner, cause: Cause, from: Time, until: Time, chip: Option<ChipId>) {
        if from >= until || !self.is_wanted(owner, from, until) || !self.has_room() {
            return;
        }
        self.steps.request.push(owner.request);
        self.steps.page.push(owner.page);
        self.steps.cause.push(cause as u8);
        self.steps.start.push(from.0);
        self.steps.end.push(until.0);
        self.steps.part.push(chip.map_or(u32::MAX, |chip| self.first_chip + chip.0));
    }
}
