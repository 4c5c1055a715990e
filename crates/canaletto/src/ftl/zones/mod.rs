//! Zones of a drive: their [states](state), their places in the array, and what is under way in them.
//!
//! A zone has the blocks of one number, or several, in all planes of its stripe. Its pages have their places
//! beforehand: a *row* is a flash page, or several, in each plane of a die, and rows go round the dies. A row is
//! programmed at once, when all of it is in the write buffer. So nothing is mapped, and what a zone holds ends with a
//! number of rows.

pub mod state;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::config::design::{Design, PreconditionKind};
use crate::config::zns::ZoneShape;
use crate::flash::address::{Layout, PlaneId, Ppa, SECTOR};
use crate::ftl::blocks::superblocks::GOLDEN_RATIO;
use crate::ftl::mapping::Entry;
use crate::ftl::zones::state::{State, ZoneLimits, ZoneStates};
use crate::host::request::{RequestId, Status};
use crate::measure::blame::Cause;
use crate::measure::zones::ZonesReport;
use crate::scheduler::transaction::TransactionId;

/// Rows of a die that a finish keeps under way.
const ROWS_AHEAD: u32 = 2;

#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// Its blocks are erased; how many are left once that has begun.
    Reset(Option<u32>),
    /// The rest of it is programmed.
    Finish,
    /// Its part of the write buffer is programmed, because it takes no more data. No request waits for that.
    Save,
}

impl Job {
    pub fn cause(self) -> Cause {
        if let Job::Reset(_) = self { Cause::ChipBusyErase } else { Cause::Flush }
    }
}

#[derive(Clone, Copy, Default)]
struct AtWork {
    /// Rows that have set out for the chips.
    sent: u32,
    /// Writes admitted of which the write buffer has not taken everything.
    untaken: u32,
    reads: u32,
    programs: u32,
    has_job: bool,
}

#[derive(Clone, Default)]
pub struct ZoneCounts {
    pub appends: u64,
    pub resets: u64,
    pub finishes: u64,
    pub erases: u64,
    pub padding: u64,
    refused: [u64; Status::REFUSALS.len()],
}

pub struct Zones {
    pub states: ZoneStates,
    shape: ZoneShape,
    layout: Layout,
    /// Pages between the first ones of two zones.
    pages_per_zone: u64,
    pages_per_row: u32,
    rows: u32,
    /// Planes of each group, die by die.
    planes: Vec<PlaneId>,
    groups: Vec<u32>,
    at_work: Vec<AtWork>,
    /// First page behind the zones, and first block that is theirs. Neither limits a drive that zones have for themselves.
    end_page: u64,
    first_block: u32,
    jobs: Vec<(u32, RequestId, Job)>,
    /// Commands that wait for the job of their zone, in their order.
    waiting: VecDeque<(u32, RequestId, Job)>,
    /// Whether jobs may go on that could not when they were looked at.
    pub has_changed: bool,
    /// Whether they are looked at now.
    pub is_looking: bool,
    /// Programs of rows that have come to their chip while others of the row have not: each row's first page, and they.
    coming: Vec<(u64, Vec<TransactionId>)>,
    /// Pages within what was written that nobody wrote: a random write area may leave some out.
    holes: BTreeSet<u64>,
    /// Lists for the next rows.
    spare: Vec<Vec<TransactionId>>,
    pub counts: ZoneCounts,
}

impl Zones {
    /// None if the drive is conventional.
    pub fn new(design: &Design, layout: &Layout) -> Option<Zones> {
        let shape = ZoneShape::of(design, layout)?;
        let zns = &design.zns;
        let limits = ZoneLimits {
            size: shape.size / SECTOR,
            capacity: shape.capacity / SECTOR,
            open: zns.max_open,
            active: zns.max_active,
            append: zns.append_limit.0 / SECTOR,
            random_write_area: zns.random_write_area.0 / SECTOR,
        };
        let full = match design.precondition.kind {
            PreconditionKind::None => 0,
            _ => (f64::from(shape.zones) * design.precondition.occupancy) as u32,
        };
        let planes = planes_of_groups(&shape, layout);
        let mut groups = vec![0; layout.planes() as usize];
        let each = (shape.dies * shape.planes) as usize;
        planes.iter().enumerate().for_each(|(i, plane)| groups[plane.index()] = (i / each) as u32);
        let (pages_per_zone, is_alone) = (shape.size / layout.page_bytes(), !design.mixes_zones());
        let rows = (shape.capacity / shape.row_bytes(layout)) as u32;
        let of = |zone| AtWork { sent: if zone < full { rows } else { 0 }, ..AtWork::default() };
        Some(Zones {
            states: ZoneStates::new(&ends_of(design, &shape), full, limits),
            pages_per_zone,
            pages_per_row: (shape.planes * shape.pages_per_program) << layout.flash_shift,
            rows,
            planes,
            groups,
            at_work: (0..shape.zones).map(of).collect(),
            jobs: Vec::new(),
            waiting: VecDeque::new(),
            has_changed: false,
            is_looking: false,
            end_page: if is_alone { u64::MAX } else { u64::from(shape.zones) * pages_per_zone },
            first_block: shape.first_block,
            coming: Vec::new(),
            holes: BTreeSet::new(),
            spare: Vec::new(),
            counts: ZoneCounts::default(),
            layout: layout.clone(),
            shape,
        })
    }

    pub fn share_program(&self, a: Ppa, b: Ppa) -> bool {
        let together = self.pages_together() as u32;
        (a.plane, a.block, a.page / together) == (b.plane, b.block, b.page / together)
    }

    /// Pages of a row in each plane.
    pub fn pages_together(&self) -> usize {
        (self.pages_per_row / self.shape.planes) as usize
    }

    pub fn is_alone(&self) -> bool {
        self.end_page == u64::MAX
    }

    pub fn has_page(&self, lpa: u64) -> bool {
        lpa < self.end_page
    }

    /// Whether a physical page has been chosen, and is in a zone.
    pub fn has_block(&self, at: Ppa) -> bool {
        at.is_bound() && at.block >= self.first_block
    }

    pub fn place(&self, lpa: u64) -> Ppa {
        let (zone, page) = ((lpa / self.pages_per_zone) as u32, (lpa % self.pages_per_zone) as u32);
        let (row, in_row) = (page / self.pages_per_row, page % self.pages_per_row);
        let of_plane = self.shape.pages_per_program << self.layout.flash_shift;
        let (plane, in_plane) = (in_row / of_plane, in_row % of_plane);
        let unit = in_plane & (self.layout.pages_per_flash_page() - 1);
        let first = row / self.shape.dies * self.shape.pages_per_program;
        let (die, flash_page) = (self.die_of(zone, row), first + (in_plane >> self.layout.flash_shift));
        let flash_pages = self.layout.pages_per_block >> self.layout.flash_shift;
        Ppa {
            plane: self.planes_of(zone)[(die * self.shape.planes + plane) as usize],
            block: self.first_block(zone) + flash_page / flash_pages,
            page: (flash_page % flash_pages) << self.layout.flash_shift | unit,
        }
    }

    /// The place of the data of a logical page, if they have set out for the chips.
    pub fn locate(&self, lpa: u64) -> Entry {
        let (zone, page) = ((lpa / self.pages_per_zone) as u32, lpa % self.pages_per_zone);
        let is_written = self.is_within(lpa)
            && !self.holes.contains(&lpa)
            && page < u64::from(self.at_work[zone as usize].sent) * u64::from(self.pages_per_row);
        if is_written && !self.is_being_reset(zone) { Entry::At(self.place(lpa)) } else { Entry::Trimmed }
    }

    /// Whether a page comes before the end of what was written in its zone.
    fn is_within(&self, lpa: u64) -> bool {
        let (zone, page) = ((lpa / self.pages_per_zone) as u32, lpa % self.pages_per_zone);
        page * u64::from(self.layout.sectors_per_page) < self.states.zone(zone).written
    }

    pub fn pads(&mut self, lpa: u64) {
        self.counts.padding += 1;
        if self.is_within(lpa) {
            self.holes.insert(lpa);
        }
    }

    fn planes_of(&self, zone: u32) -> &[PlaneId] {
        let each = (self.shape.dies * self.shape.planes) as usize;
        &self.planes[(zone % self.shape.groups) as usize * each..][..each]
    }

    /// The die of a row in its zone. Zones begin on different dies, because zones that are written at the same rate
    /// would else wait for one die at a time.
    fn die_of(&self, zone: u32, row: u32) -> u32 {
        let dies = u64::from(self.shape.dies);
        let turn = u64::from(zone / self.shape.groups).wrapping_mul(GOLDEN_RATIO) & u64::from(u32::MAX);
        ((u64::from(row) + ((turn * dies) >> 32)) % dies) as u32
    }

    fn first_block(&self, zone: u32) -> u32 {
        self.first_block + zone / self.shape.groups * self.shape.blocks
    }

    fn zone_at(&self, at: Ppa) -> u32 {
        (at.block - self.first_block) / self.shape.blocks * self.shape.groups + self.groups[at.plane.index()]
    }

    fn at_work_mut(&mut self, at: Ppa) -> &mut AtWork {
        let zone = self.zone_at(at);
        &mut self.at_work[zone as usize]
    }

    pub fn read_begins(&mut self, at: Ppa) {
        self.at_work_mut(at).reads += 1;
    }

    /// A page has been read. Returns whether a job of its zone may go on.
    pub fn read_ends(&mut self, at: Ppa) -> bool {
        let at_work = self.at_work_mut(at);
        at_work.reads -= 1;
        at_work.has_job
    }

    pub fn program_begins(&mut self, at: Ppa) {
        self.at_work_mut(at).programs += 1;
    }

    pub fn program_ends(&mut self, at: Ppa) {
        self.at_work_mut(at).programs -= 1;
    }

    /// The program of a page has failed: its zone takes no more data. The rest of a row will not come.
    pub fn program_failed(&mut self, at: Ppa) {
        let zone = self.zone_at(at);
        self.states.fail(zone, State::ReadOnly);
        if !std::mem::replace(&mut self.at_work[zone as usize].has_job, true) {
            self.jobs.push((zone, RequestId::NONE, Job::Save));
            self.has_changed = true;
        }
    }

    /// A write of a zone is admitted, whose data are still to be taken by the write buffer.
    pub fn admitted(&mut self, lba: u64) {
        let zone = self.states.zone_of(lba);
        self.at_work[zone as usize].untaken += 1;
    }

    /// The write buffer has taken sectors of a zone up to `end`, and with that all of a write or not. Returns the rows that are
    /// complete now.
    pub fn taken(&mut self, lba: u64, end: u64, all: bool) -> (u32, std::ops::Range<u32>) {
        let zone = self.states.zone_of(lba);
        let ZoneLimits { capacity, random_write_area, .. } = self.states.limits;
        let end = end - self.states.start_of(zone);
        let committed = if end == capacity { end } else { end.saturating_sub(random_write_area) };
        let due = (committed / self.sectors_per_row()) as u32;
        let at_work = &mut self.at_work[zone as usize];
        at_work.untaken -= u32::from(all);
        let rows = at_work.sent..due;
        at_work.sent = at_work.sent.max(due);
        (zone, rows)
    }

    fn sectors_per_row(&self) -> u64 {
        u64::from(self.pages_per_row) * u64::from(self.layout.sectors_per_page)
    }

    pub fn pages_of_row(&self, zone: u32, row: u32) -> std::ops::Range<u64> {
        let first = u64::from(zone) * self.pages_per_zone + u64::from(row) * u64::from(self.pages_per_row);
        first..first + u64::from(self.pages_per_row)
    }

    /// A program has come to its chip. Returns those that are queued now: all of the row, once the last has come. Their
    /// list is [given back](Zones::give_back).
    pub fn comes(&mut self, lpa: u64, id: TransactionId) -> Option<Vec<TransactionId>> {
        let first = lpa - lpa % self.pages_per_zone % u64::from(self.pages_per_row);
        // As many as dies have a row that is not complete: few.
        let known = self.coming.iter().position(|(row, _)| *row == first);
        let place = known.unwrap_or_else(|| {
            self.coming.push((first, self.spare.pop().unwrap_or_default()));
            self.coming.len() - 1
        });
        self.coming[place].1.push(id);
        let is_complete = self.coming[place].1.len() == self.pages_per_row as usize;
        is_complete.then(|| self.coming.swap_remove(place).1)
    }

    pub fn give_back(&mut self, mut row: Vec<TransactionId>) {
        row.clear();
        self.spare.push(row);
    }

    pub fn is_being_reset(&self, zone: u32) -> bool {
        self.at_work[zone as usize].has_job
            && self.jobs.iter().any(|(of, _, job)| *of == zone && matches!(job, Job::Reset(_)))
    }

    /// Whether a command has to wait for the job of its zone. Commands that are outstanding together have no order, so that
    /// this one comes after the job.
    pub fn waits(&mut self, lba: u64, request: RequestId) -> bool {
        let zone = self.states.zone_of(lba);
        if !self.at_work[zone as usize].has_job {
            return false;
        }
        let job = self.jobs.iter().find(|(of, ..)| *of == zone).map(|&(.., job)| job);
        job.into_iter().for_each(|job| self.waiting.push_back((zone, request, job)));
        true
    }

    /// The next command whose zone has no job any more, and the job that it has waited for.
    pub fn next_waiting(&mut self) -> Option<(RequestId, Job)> {
        let place = self.waiting.iter().position(|(zone, ..)| !self.at_work[*zone as usize].has_job)?;
        self.waiting.remove(place).map(|(_, request, job)| (request, job))
    }

    /// Takes up a job for a request. Returns whether there is anything to do.
    ///
    /// # Errors
    /// The status with which the request is completed.
    pub fn begin_job(&mut self, lba: u64, request: RequestId, job: Job) -> Result<bool, Status> {
        let zone = self.states.zone_of(lba);
        match job {
            Job::Reset(_) => self.states.reset(lba)?,
            _ => self.states.finish(lba)?,
        };
        let at_work = &mut self.at_work[zone as usize];
        let is_done = match job {
            Job::Reset(_) => self.states.zone(zone).state == State::Empty,
            _ => at_work.sent == self.rows && at_work.programs == 0,
        };
        match job {
            Job::Reset(_) => self.counts.resets += 1,
            _ => self.counts.finishes += 1,
        }
        at_work.has_job = !is_done;
        if !is_done {
            self.jobs.push((zone, request, job));
        }
        Ok(!is_done)
    }

    /// Jobs under way.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    pub fn next_step(&mut self, number: usize) -> Step {
        let (zone, request, job) = self.jobs[number];
        let AtWork { sent, untaken, reads, programs, .. } = self.at_work[zone as usize];
        match job {
            _ if untaken > 0 => Step::Wait,
            Job::Reset(None) if reads + programs > 0 => Step::Wait,
            Job::Reset(None) => {
                let blocks = self.blocks_to_erase(zone);
                self.jobs[number].2 = Job::Reset(Some(blocks.len() as u32));
                let written = self.states.zone(zone).written.div_ceil(u64::from(self.layout.sectors_per_page));
                let first = u64::from(zone) * self.pages_per_zone;
                let buffered = first + u64::from(sent) * u64::from(self.pages_per_row)..first + written;
                Step::Erase { blocks, request, buffered }
            }
            Job::Finish if sent < self.rows && programs < ROWS_AHEAD * self.shape.dies * self.pages_per_row => {
                self.at_work[zone as usize].sent += 1;
                Step::Program { zone, row: sent }
            }
            Job::Reset(Some(1..)) => Step::Wait,
            Job::Save if u64::from(sent) < self.states.zone(zone).written.div_ceil(self.sectors_per_row()) => {
                self.at_work[zone as usize].sent += 1;
                Step::Program { zone, row: sent }
            }
            Job::Finish if sent < self.rows || programs > 0 => Step::Wait,
            _ => {
                self.end_job(number, zone, job);
                Step::Done(request, job)
            }
        }
    }

    fn end_job(&mut self, number: usize, zone: u32, job: Job) {
        self.jobs.swap_remove(number);
        self.at_work[zone as usize].has_job = false;
        if let Job::Reset(_) = job {
            self.at_work[zone as usize].sent = 0;
            let pages = u64::from(zone) * self.pages_per_zone..u64::from(zone + 1) * self.pages_per_zone;
            self.holes.retain(|lpa| !pages.contains(lpa));
            if self.states.zone(zone).state != State::Offline {
                self.states.empty(zone);
            }
        }
    }

    /// First pages of the blocks of a zone that hold anything.
    fn blocks_to_erase(&self, zone: u32) -> Vec<Ppa> {
        let (sent, flash_pages) =
            (self.at_work[zone as usize].sent, self.layout.pages_per_block >> self.layout.flash_shift);
        let per_block = flash_pages / self.shape.pages_per_program * self.shape.dies;
        let blocks = (0..self.shape.blocks).flat_map(|block| {
            let rows = sent.saturating_sub(block * per_block).min(self.shape.dies);
            let planes = move |row| (0..self.shape.planes).map(move |i| self.die_of(zone, row) * self.shape.planes + i);
            (0..rows).flat_map(planes).map(move |place| (self.planes_of(zone)[place as usize], block))
        });
        let first = self.first_block(zone);
        blocks.map(|(plane, block)| Ppa { plane, block: first + block, page: 0 }).collect()
    }

    pub fn erased(&mut self, at: Ppa, failed: bool) {
        let zone = self.zone_at(at);
        self.counts.erases += 1;
        if failed {
            self.states.fail(zone, State::Offline);
        }
        for (of, _, job) in &mut self.jobs {
            if let (true, Job::Reset(Some(left))) = (*of == zone, job) {
                *left -= 1;
            }
        }
    }

    pub fn refuse(&mut self, status: Status) {
        if let Some(at) = Status::REFUSALS.iter().position(|each| *each == status) {
            self.counts.refused[at] += 1;
        }
    }

    /// Jobs and open zones, for the explanation of a stuck run.
    pub fn describe(&self) -> String {
        let (open, active) = self.states.in_use();
        format!("{} jobs of zones, {open} open and {active} active zones", self.jobs.len())
    }

    pub fn report(&self) -> ZonesReport {
        let mut states = BTreeMap::new();
        for zone in self.states.zones() {
            *states.entry(zone.state.name()).or_insert(0) += 1;
        }
        let refused = Status::REFUSALS.iter().zip(self.counts.refused).filter(|(_, count)| *count > 0);
        let counts = &self.counts;
        ZonesReport {
            count: self.shape.zones,
            size_bytes: self.shape.size,
            capacity_bytes: self.shape.capacity,
            dies: self.shape.dies,
            channels: self.shape.channels,
            states,
            appends: counts.appends,
            resets: counts.resets,
            finishes: counts.finishes,
            erased_blocks: counts.erases,
            padding_pages: counts.padding,
            implicit_closes: self.states.closed_implicitly,
            refused: refused.map(|(status, count)| (status.name(), count)).collect(),
        }
    }
}

/// The zone after the last of each namespace.
fn ends_of(design: &Design, shape: &ZoneShape) -> Vec<u32> {
    let sizes = design.zoned_sizes();
    let given: u64 = sizes.iter().sum();
    let mut end = 0;
    let of = |size: u64| {
        let bytes = if size == 0 { u64::from(shape.zones) * shape.size - given } else { size };
        end += (bytes / shape.size) as u32;
        end
    };
    sizes.into_iter().map(of).collect()
}

pub enum Step {
    Wait,
    /// It erases blocks, and forgets pages of the write buffer.
    Erase {
        blocks: Vec<Ppa>,
        request: RequestId,
        /// Logical pages that are in the write buffer at most.
        buffered: std::ops::Range<u64>,
    },
    Program {
        zone: u32,
        row: u32,
    },
    Done(RequestId, Job),
}

/// Planes of each group of zones, die by die: consecutive groups have other channels, then other dies, then other planes.
fn planes_of_groups(shape: &ZoneShape, layout: &Layout) -> Vec<PlaneId> {
    let ZoneShape { channels, dies, planes, groups, .. } = *shape;
    let (channel_sets, per_channel) = (layout.channels / channels, dies / channels);
    let die_sets = layout.chips_per_channel * layout.dies_per_chip / per_channel;
    let mut all = Vec::new();
    for group in 0..groups {
        let (channel_set, rest) = (group % channel_sets, group / channel_sets);
        let (die_set, plane_set) = (rest % die_sets, rest / die_sets);
        for die in 0..dies {
            let in_channel = die_set * per_channel + die / channels;
            let (chip, in_chip) = (in_channel % layout.chips_per_channel, in_channel / layout.chips_per_channel);
            let channel = channel_set * channels + die % channels;
            all.extend((0..planes).map(|plane| layout.plane(channel, chip, in_chip, plane_set * planes + plane)));
        }
    }
    all
}
