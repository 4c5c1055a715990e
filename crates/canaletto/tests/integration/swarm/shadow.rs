//! A checker that never reads the FTL's tables.

use std::collections::{HashMap, HashSet};

use canaletto::config::design::{Design, MapUpdate, MappingScheme};
use canaletto::config::workload::Workload;
use canaletto::engine::time::Time;
use canaletto::fabric::PathId;
use canaletto::fabric::trace::WireSpan;
use canaletto::flash::address::{LunId, PlaneId, Ppa};
use canaletto::flash::interface::Operation;
use canaletto::host::request::{Kind, Request, RequestId};
use canaletto::measure::probe::{ArrayStep, Load, Observer, Owner};
use canaletto::measure::wire_check::WireCheck;
use canaletto::{Outcome, Progress, RunOptions, Simulation, TraceInput};

use super::shadow_cache::ShadowCache;
use super::zone_model::ZoneModel;
use crate::common::contents::Contents;
use crate::common::recovery::Recorder;
use crate::common::seen::Seen;

/// Version of each sector; 0 is from before the run.
pub type Sectors = [u64; 64];

#[derive(Default)]
pub struct Shadow {
    flash: HashMap<(PlaneId, u32), HashMap<u32, (u64, Sectors)>>,
    /// Newest version of each sector that the host has seen completed.
    pub acknowledged: HashMap<u64, Sectors>,
    /// (logical page, sectors, version).
    writing: HashMap<RequestId, Vec<(u64, u64, u64)>>,
    /// With its sectors not read yet, and the versions acknowledged when the read began.
    reading: HashMap<RequestId, Vec<(u64, u64, Sectors)>>,
    pub cache: ShadowCache,
    cached: HashSet<RequestId>,
    pub recorder: Recorder,
    pub seen: Seen,
    pub contents: Option<Contents>,
    pub zones: Option<ZoneModel>,
    wires: Option<WireCheck>,
    last_written: Vec<(u64, u64, u64)>,
    programmed: HashMap<(PlaneId, u32), HashMap<u32, Time>>,
    flash_shift: u32,
    last_cached: bool,
    pub lost: HashSet<u64>,
    trimmed: HashMap<u64, u64>,
    /// Place and version.
    journal: HashMap<u64, Vec<(usize, u64)>>,
    journaled: usize,
    holding: HashSet<u64>,
    pub preconditioned: u64,
    versions: u64,
    pub reads: u64,
    pub trims: u64,
    pub failures: u64,
    pub translation_reads: u64,
    pub translation_writes: u64,
    /// Writes take effect when queued: contents are not checked.
    pub early: bool,
    in_place: bool,
    problems: Vec<String>,
    last_event: Option<u64>,
}

impl Shadow {
    pub fn with(contents: Option<Contents>) -> Shadow {
        Shadow { contents, ..Shadow::default() }
    }

    pub fn events(&self) -> u64 {
        self.seen.events.len() as u64
    }

    pub fn held(&self, at: Ppa) -> Option<(u64, Sectors)> {
        self.flash.get(&(at.plane, at.block))?.get(&at.page).copied()
    }

    fn note_trim(&mut self, request: RequestId, lpa: u64) -> u64 {
        let (.., version) = *self.writing[&request].iter().find(|w| w.0 == lpa).expect("a trim that began");
        self.journal.entry(lpa).or_default().push((self.journaled, version));
        self.journaled += 1;
        version
    }

    pub fn journaled(&self, lpa: u64, entries: usize) -> u64 {
        let trims = self.journal.get(&lpa).into_iter().flatten().filter(|trim| trim.0 < entries);
        trims.map(|trim| trim.1).max().unwrap_or(0)
    }

    pub fn blank(&self, lpa: u64) -> Sectors {
        [self.trimmed.get(&lpa).copied().unwrap_or(0); 64]
    }

    fn check_translation(&mut self, lpa: u64, from: Ppa) {
        let holds = self.held(from).map(|(holds, _)| holds);
        if holds != Some(lpa) && !self.early {
            self.problems.push(format!("translation page {lpa} was read from {from:?}, which holds {holds:?}"));
        }
    }

    fn store(&mut self, at: Ppa, lpa: u64, content: Sectors) -> bool {
        let held = self.flash.entry((at.plane, at.block)).or_default().insert(at.page, (lpa, content));
        held.is_none_or(|(holds, _)| self.in_place && holds == lpa)
    }

    fn pulse(&mut self, now: Time, at: Ppa) {
        let pages = self.programmed.entry((at.plane, at.block)).or_default();
        if *pages.entry(at.page >> self.flash_shift).or_insert(now) != now && !self.early && !self.in_place {
            self.problems.push(format!("the flash page of {at:?} was programmed once more without an erase"));
        }
    }

    fn note(&mut self, result: Result<(), String>) {
        self.problems.extend(result.err().filter(|_| !self.early));
    }

    /// None may be older than what was acknowledged when the read began.
    fn found(&mut self, request: RequestId, lpa: u64, sectors: u64, versions: &Sectors) {
        self.reads += 1;
        let pages = self.reading.get_mut(&request).expect("a read that began");
        let Some(page) = pages.iter_mut().find(|page| page.0 == lpa) else {
            assert!(self.failures > 0, "a read of page {lpa} that nobody wanted");
            return;
        };
        assert_eq!(sectors & !page.1, 0, "sectors of page {lpa} were read twice");
        page.1 &= !sectors;
        let expected = page.2;
        if let Some(zones) = self.zones.as_mut().filter(|zones| zones.has_page(lpa)) {
            zones.found(request, lpa, members(sectors).map(|s| versions[s as usize]));
            if zones.is_past(request) {
                return;
            }
        }
        let known = if self.lost.contains(&lpa) { 0 } else { sectors };
        for s in members(known).map(|s| s as usize).filter(|&s| versions[s] < expected[s]) {
            let (read, wanted) = (versions[s], expected[s]);
            self.note(Err(format!("page {lpa} sector {s}: read version {read}, acknowledged {wanted}")));
        }
    }

    fn version(&self, request: RequestId, lpa: u64) -> u64 {
        self.writing[&request].iter().find(|w| w.0 == lpa).expect("a change that began").2
    }

    fn program(&mut self, lpa: u64, sectors: u64, new: &Sectors, at: Ppa, merged: Ppa) {
        self.cache.programmed(lpa, sectors, new);
        if self.early {
            return;
        }
        let mut content =
            if merged.is_some() { self.held(merged).expect("a page to merge").1 } else { self.blank(lpa) };
        if let Some((_, held)) = self.held(at).filter(|_| self.in_place) {
            content.iter_mut().zip(held).for_each(|(version, held)| *version = held.max(*version));
        }
        members(sectors).for_each(|s| content[s as usize] = new[s as usize]);
        if !self.store(at, lpa, content) {
            self.problems.push(format!("{at:?} was programmed twice without an erase"));
        }
    }
}

pub fn members(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |s| mask & (1 << s) != 0)
}

impl Observer for Shadow {
    fn watches_pages(&self) -> bool {
        true
    }

    // The engine asserts that root causes add up.
    fn follows_waits(&self) -> bool {
        true
    }

    fn watches_wires(&self) -> bool {
        true
    }

    fn parts_failed(&mut self, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.parts_failed(now);
        }
    }

    fn transfer_begins(&mut self, path: PathId, load: &Load, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.transfer_begins(path, load, now);
        }
    }

    fn transfer_ends(&mut self, path: PathId, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.transfer_ends(path, now);
        }
    }

    fn wire_used(&mut self, span: &WireSpan, owner: Owner) {
        if let Some(wires) = &mut self.wires {
            wires.wire_used(span, owner);
        }
    }

    fn array_steps(&mut self, lun: LunId, planes: u64, operation: Operation, step: ArrayStep, span: (Time, Time)) {
        if let Some(wires) = &mut self.wires {
            wires.array_steps(lun, planes, operation, step, span);
        }
    }

    fn register_computed(&mut self, plane: PlaneId, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.register_computed(plane, now);
        }
    }

    fn register_filled(&mut self, plane: PlaneId, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.register_filled(plane, now);
        }
    }

    fn register_drained(&mut self, plane: PlaneId, owner: Owner, now: Time) {
        if let Some(wires) = &mut self.wires {
            wires.register_drained(plane, owner, now);
        }
    }

    fn page_preconditioned(&mut self, lpa: u64, at: Ppa) {
        self.recorder.page_preconditioned(lpa, at);
        self.preconditioned += 1;
        if !self.store(at, lpa, [0; 64]) || !self.holding.insert(lpa) {
            self.problems.push(format!("page {lpa} is at {at:?} and elsewhere, or something else is"));
        }
    }

    fn page_gone(&mut self, lpa: u64, at: Ppa) {
        self.recorder.page_gone(lpa, at);
        if self.held(at) != Some((lpa, [0; 64])) || !self.holding.remove(&lpa) {
            self.problems.push(format!("page {lpa} was to go from {at:?}, which holds something else"));
        }
        self.flash.entry((at.plane, at.block)).or_default().remove(&at.page);
    }

    fn page_begins(&mut self, now: Time, request: RequestId, lpa: u64, sectors: u64, kind: Kind) {
        self.recorder.page_begins(now, request, lpa, sectors, kind);
        self.seen.page_begins(now, request, lpa, sectors, kind);
        self.versions += 1;
        if kind != Kind::Read {
            self.writing.entry(request).or_default().push((lpa, sectors, self.versions));
            if kind == Kind::Trim {
                self.cache.trim(lpa, self.versions);
            }
        } else {
            let seen = self.acknowledged.get(&lpa).copied().unwrap_or([0; 64]);
            self.reading.entry(request).or_default().push((lpa, sectors, seen));
        }
    }

    fn page_found(&mut self, lpa: u64, at: Ppa) {
        self.recorder.page_found(lpa, at);
        if !self.store(at, lpa, [0; 64]) && !self.early {
            self.problems.push(format!("{at:?} was found in use"));
        }
    }

    fn page_read(&mut self, _: Time, request: RequestId, lpa: u64, sectors: u64, from: Ppa) {
        let blank = || self.cache.trims.get(&lpa).map_or(self.blank(lpa), |&begun| [begun; 64]);
        let held = if from.is_some() { self.held(from) } else { Some((lpa, blank())) };
        if held.is_none_or(|(holds, _)| holds != lpa) {
            self.note(Err(format!("page {lpa} was read from {from:?}, which holds {held:?}")));
        }
        self.found(request, lpa, sectors, &held.map_or([0; 64], |held| held.1));
    }

    fn page_read_cached(&mut self, _: Time, request: RequestId, lpa: u64, sectors: u64) {
        let here = self.cache.find(lpa, sectors);
        if here.is_none() {
            self.note(Err(format!("page {lpa}: sectors {sectors:x} are not in the cache")));
        }
        self.found(request, lpa, sectors, &here.unwrap_or([0; 64]));
    }

    fn page_programmed(&mut self, now: Time, request: RequestId, lpa: u64, sectors: u64, at: Ppa, merged: Ppa) {
        self.recorder.page_programmed(now, request, lpa, sectors, at, merged);
        self.seen.page_programmed(now, request, lpa, sectors, at, merged);
        if let Some(contents) = &mut self.contents {
            contents.page_programmed(now, request, lpa, sectors, at, merged);
        }
        self.pulse(now, at);
        let version = self.version(request, lpa);
        self.program(lpa, sectors, &[version; 64], at, merged);
    }

    fn page_cached(&mut self, now: Time, request: RequestId, lpa: u64, sectors: u64) {
        self.recorder.page_cached(now, request, lpa, sectors);
        let version = self.version(request, lpa);
        self.cached.insert(request);
        self.cache.put(lpa, sectors, version);
    }

    fn page_filled(&mut self, _: Time, lpa: u64, sectors: u64, from: Ppa) {
        let held = self.held(from).map_or([0; 64], |held| held.1);
        let filled = self.cache.fill(lpa, sectors, &held);
        self.note(filled);
    }

    fn page_destages(&mut self, now: Time, lpa: u64, sectors: u64) {
        self.recorder.page_destages(now, lpa, sectors);
        let result = self.cache.set_out(lpa, sectors);
        self.note(result);
    }

    fn page_destaged(&mut self, now: Time, lpa: u64, sectors: u64, at: Ppa, merged: Ppa) {
        self.recorder.page_destaged(now, lpa, sectors, at, merged);
        if let Some(contents) = &mut self.contents {
            contents.page_destaged(now, lpa, sectors, at, merged);
        }
        self.pulse(now, at);
        let content = self.cache.land(lpa, sectors);
        self.program(lpa, sectors, &content, at, merged);
    }

    fn page_trimmed_in_cache(&mut self, now: Time, request: RequestId, lpa: u64, stays: bool) {
        self.recorder.page_trimmed_in_cache(now, request, lpa, stays);
        if self.zones.as_ref().is_some_and(|zones| zones.has_page(lpa)) {
            return self.cache.forget(lpa);
        }
        self.note_trim(request, lpa);
        self.cache.trim_cached(lpa, stays);
    }

    fn page_dropped(&mut self, lpa: u64) {
        self.recorder.page_dropped(lpa);
        let result = self.cache.drop_page(lpa);
        self.note(result);
    }

    fn page_lost(&mut self, now: Time, lpa: u64, sectors: u64) {
        self.recorder.page_lost(now, lpa, sectors);
        let content = self.cache.land(lpa, sectors);
        self.cache.programmed(lpa, sectors, &content);
        self.lost.insert(lpa);
    }

    fn page_failed(&mut self, now: Time, request: RequestId, lpa: u64) {
        self.recorder.page_failed(now, request, lpa);
        self.failures += 1;
        if let Some(pages) = self.reading.get_mut(&request) {
            pages.retain(|page| page.0 != lpa);
        }
        if let Some(writes) = self.writing.get_mut(&request) {
            writes.retain(|write| write.0 != lpa);
        }
    }

    fn page_trimmed(&mut self, now: Time, request: RequestId, lpa: u64) {
        self.recorder.page_trimmed(now, request, lpa);
        self.trims += 1;
        let version = self.note_trim(request, lpa);
        self.trimmed.insert(lpa, version);
    }

    fn parity_programmed(&mut self, now: Time, at: Ppa) {
        if let Some(contents) = &mut self.contents {
            contents.parity_programmed(now, at);
        }
    }

    fn page_rebuilds(&mut self, now: Time, at: Ppa, from: &[Ppa]) {
        if let Some(contents) = &mut self.contents {
            contents.page_rebuilds(now, at, from);
        }
    }

    fn page_copied(&mut self, now: Time, lpa: u64, from: Ppa, to: Ppa) {
        if let Some(contents) = &mut self.contents {
            contents.page_copied(now, lpa, from, to);
        }
        if self.early {
            return;
        }
        self.recorder.page_copied(now, lpa, from, to);
        self.pulse(now, to);
        let content = self.held(from).expect("a page to copy").1;
        self.store(to, lpa, content);
    }

    fn translation_read(&mut self, _: Time, lpa: u64, from: Ppa) {
        self.translation_reads += 1;
        self.check_translation(lpa, from);
    }

    fn translation_programmed(&mut self, now: Time, lpa: u64, at: Ppa) {
        self.recorder.translation_programmed(now, lpa, at);
        self.pulse(now, at);
        self.translation_writes += 1;
        if !self.store(at, lpa, [0; 64]) && !self.early {
            self.problems.push(format!("{at:?} was programmed twice without an erase"));
        }
    }

    fn block_erased(&mut self, now: Time, plane: PlaneId, block: u32) {
        self.recorder.block_erased(now, plane, block);
        self.seen.block_erased(now, plane, block);
        if let Some(contents) = &mut self.contents {
            contents.block_erased(now, plane, block);
        }
        self.flash.remove(&(plane, block));
        self.programmed.remove(&(plane, block));
    }

    fn completed(&mut self, _: Time, request: RequestId) {
        self.last_written = self.writing.remove(&request).unwrap_or_default();
        if self.zones.as_ref().is_some_and(|zones| zones.is_past(request)) {
            self.last_written.clear();
        }
        self.last_cached = self.cached.remove(&request);
        for &(lpa, sectors, version) in &self.last_written {
            let newest = self.acknowledged.entry(lpa).or_insert([0; 64]);
            for s in members(sectors) {
                newest[s as usize] = version.max(newest[s as usize]);
            }
        }
        for (lpa, left, _) in self.reading.remove(&request).unwrap_or_default() {
            assert_eq!(left, 0, "sectors of page {lpa} were never read");
        }
    }

    fn arrived(&mut self, request: &Request) {
        self.cache.arrived(request);
    }

    fn zone_command(&mut self, id: RequestId, request: &Request) {
        let Some(zones) = &mut self.zones else { return };
        if let Some(emptied) = zones.follow(id, request, self.versions) {
            self.acknowledged.retain(|lpa, _| !emptied.contains(lpa));
            self.cache.safe.retain(|(lpa, _), _| !emptied.contains(lpa));
        }
    }

    fn ended(&mut self, request: &Request, now: Time) {
        self.recorder.ended(request, now);
        if let Some(zones) = &mut self.zones {
            zones.ended(request, self.versions);
        }
        let result = self.cache.ended(request, &self.last_written, self.last_cached);
        self.note(result);
    }

    fn array_works(&mut self, plane: PlaneId, operation: Operation, owner: Owner, from: Time, until: Time) {
        self.seen.array_works(plane, operation, owner, from, until);
    }

    fn is_done(&mut self, now: Time) -> bool {
        self.seen.is_done(now);
        self.last_event == Some(self.events())
    }
}

const MOST_LOOKS: u32 = 300;

/// Up to `last_event` if one is given.
pub fn watch(design: &Design, workload: &Workload, last_event: Option<u64>) -> (Outcome, Shadow) {
    let traces = workload.flow.iter().map(|_| None).collect();
    watch_traces(design, workload, traces, None, last_event)
}

pub fn watch_traces(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    zones: Option<ZoneModel>,
    last_event: Option<u64>,
) -> (Outcome, Shadow) {
    let cache = ShadowCache::new(design.cache.power_loss_protection);
    let early = design.ftl.map_update == MapUpdate::Issue;
    let flash_shift = design.layout().flash_shift;
    let in_place = design.ftl.mapping == MappingScheme::InPlace;
    let wires = Some(WireCheck::of(design, workload));
    let mut shadow = Shadow { early, cache, last_event, flash_shift, in_place, wires, zones, ..Shadow::default() };
    let options = RunOptions { records: true, root_causes: true, ..RunOptions::default() };
    let (mut looks, mut completed) = (0, 0);
    let mut ends = |so_far: &Progress| {
        looks = if so_far.completed > completed { 0 } else { looks + 1 };
        completed = so_far.completed;
        assert!(looks < MOST_LOOKS, "goes on and on: {completed} of {} requests at {:?}", so_far.generated, so_far.now);
        true
    };
    let outcome = Simulation::new(design, workload, traces, &options).observed_by(&mut shadow).run(&mut ends);
    let outcome = outcome.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(shadow.problems, Vec::<String>::new());
    assert_eq!(shadow.wires.as_mut().and_then(|wires| wires.finish().complaint()), None);
    let blocks = &outcome.report.flash.blocks;
    assert_eq!(blocks.total, blocks.free + blocks.open + blocks.full + blocks.bad);
    (outcome, shadow)
}

/// Also checks what every outcome must satisfy.
pub fn check(design: &Design, workload: &Workload) -> (Outcome, Shadow) {
    let (outcome, shadow) = watch(design, workload, None);
    check_outcome(&outcome, &shadow);
    (outcome, shadow)
}

pub fn check_outcome(outcome: &Outcome, shadow: &Shadow) {
    let requests = &outcome.report.measures.requests;
    assert_eq!(requests.generated, requests.completed);
    assert!(shadow.failures == 0 || requests.failed > 0);
    assert!(shadow.writing.is_empty() && shadow.reading.is_empty());
    let records = outcome.records.as_ref().unwrap();
    for i in 0..records.len() {
        let blamed: u64 = records.blame.iter().map(|column| column[i]).sum();
        assert_eq!(blamed, records.complete[i] - records.arrival[i], "the account of request {i} does not close");
    }
}
