//! Garbage collection: which blocks are collected when, and where their pages go.
//!
//! One job per plane: valid pages are copied, a few at a time, then the block is erased. It cannot wedge: the host
//! never gets the last reserved block, and a victim has an invalid page.

pub mod epoch;
pub mod pacing;
pub mod policy;

use crate::config::design::{Gc, Scope, Wear};
use crate::engine::random::Stream;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::{Blocks, Frontier};
use crate::ftl::reclaim::gc::epoch::Epoch;
use crate::ftl::reclaim::gc::pacing::Pacing;
use crate::ftl::reclaim::gc::policy::Chooser;
use crate::limits::Limits;
use crate::measure::maintenance::{GcReport, Maintenance, Merges};
use crate::scheduler::transaction::{Origin, Transaction};

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Reason {
    #[default]
    Space,
    Epoch,
    /// Its plane is at the hard threshold while an epoch collects elsewhere.
    Urgent,
    /// Static wear levelling: it is worn much less than others.
    Wear,
    Retired,
    ReadDisturb,
    Refresh,
    /// It belongs to the pseudo-SLC cache.
    Fold,
}

impl Reason {
    pub const ALL: [Reason; 8] = [
        Reason::Space,
        Reason::Epoch,
        Reason::Urgent,
        Reason::Wear,
        Reason::Retired,
        Reason::ReadDisturb,
        Reason::Refresh,
        Reason::Fold,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Reason::Space => "space",
            Reason::Epoch => "epoch",
            Reason::Urgent => "urgent",
            Reason::Wear => "wear",
            Reason::Retired => "retired",
            Reason::ReadDisturb => "read_disturb",
            Reason::Refresh => "refresh",
            Reason::Fold => "fold",
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Job {
    victim: u32,
    reason: Reason,
    since: Time,
    reclaimed_pages: u32,
    next: u32,
    copies: u32,
    /// Copies that wait for a page of their plane or are being programmed.
    read: u32,
    settled: u32,
    queued: u32,
    placed: u32,
    all_given: bool,
    erasing: bool,
    erases: u32,
}

impl Job {
    fn waits_for_reads(&self) -> bool {
        self.all_given && self.copies == 0 && !self.erasing
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Copy(Ppa),
    Erase(Ppa),
    Wait,
}

#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub jobs: [u64; Reason::ALL.len()],
    pub copied: u64,
    pub folded: u64,
    pub copied_elsewhere: u64,
    pub copied_directly: u64,
    /// Counted when they were chosen, for [`Reason::Space`], [`Reason::Epoch`] and [`Reason::Urgent`].
    pub valid_in_victims: u64,
}

/// With superblocks the planes of a group share one job.
pub struct Collector {
    jobs: Vec<Option<Job>>,
    planes_per_group: u32,
    wanted: Vec<Vec<(u32, Reason)>>,
    policy: Chooser,
    epoch: Epoch,
    destinations: Stream,
    config: Gc,
    static_threshold: u32,
    copies_in_flight: u32,
    start_below: u32,
    /// Free blocks at or below which collection is urgent.
    urgent_at: u32,
    flash_shift: u32,
    working: u32,
    /// Look again at wanted blocks once no write waits for room.
    put_off: bool,
    pub pacing: Option<Pacing>,
    pub counts: Counts,
}

impl Collector {
    pub fn new(config: &Gc, wear: &Wear, limits: &Limits, seed: u64) -> Collector {
        let groups = limits.layout.planes() / limits.planes_per_group;
        Collector {
            jobs: vec![None; groups as usize],
            planes_per_group: limits.planes_per_group,
            wanted: vec![Vec::new(); groups as usize],
            policy: Chooser::new(config, limits.layout.blocks_per_plane, seed),
            epoch: Epoch::new(config, &limits.layout, limits.gc_start_below),
            destinations: Stream::named(seed, "gc/destination"),
            config: config.clone(),
            static_threshold: wear.static_threshold,
            copies_in_flight: (config.copies_in_flight * limits.planes_per_group) << limits.layout.flash_shift,
            start_below: limits.gc_start_below,
            urgent_at: limits.gc_urgent_at,
            flash_shift: limits.layout.flash_shift,
            working: 0,
            put_off: false,
            pacing: Pacing::new(config.pacing, limits.layout.planes() << limits.layout.flash_shift),
            counts: Counts::default(),
        }
    }

    fn place(&self, plane: PlaneId) -> usize {
        // Spares a division.
        if self.planes_per_group == 1 { plane.index() } else { (plane.0 / self.planes_per_group) as usize }
    }

    /// Whether [`Collector::start`], [`Collector::step`] and [`Collector::resume`] would do nothing, with planes apart.
    #[inline(always)]
    pub fn is_content(&self, plane: PlaneId, blocks: &Blocks) -> bool {
        let has_nothing_to_do = match &self.jobs[plane.index()] {
            Some(job) => job.erasing || job.copies >= self.copies_in_flight,
            None => self.wanted[plane.index()].is_empty() && blocks.free(plane) >= self.start_below,
        };
        has_nothing_to_do && !self.put_off
    }

    /// Whether copies may go to other planes.
    pub fn leaves_planes(&self) -> bool {
        self.config.scope != Scope::Plane
    }

    /// While writes wait in vain (`starved`), the job must reclaim space.
    #[inline]
    pub fn start(&mut self, plane: PlaneId, blocks: &mut Blocks, starved: bool, now: Time) {
        let place = self.place(plane);
        let is_at_rest = |free: u32| self.config.scope == Scope::Plane && free >= self.start_below;
        if self.jobs[place].is_none() && !(self.wanted[place].is_empty() && is_at_rest(blocks.free(plane))) {
            self.start_job(plane, blocks, starved, now);
        }
    }

    #[inline(never)]
    fn start_job(&mut self, plane: PlaneId, blocks: &mut Blocks, starved: bool, now: Time) {
        let free = blocks.free(plane);
        if self.config.scope != Scope::Plane && free < self.start_below && !self.epoch.wants(plane) {
            self.epoch.note_short_plane();
        }
        let pressing = |reason| reason != Reason::Refresh;
        let victim = self
            .wanted_victim(plane, blocks, starved, pressing)
            .or_else(|| self.space_victim(plane, free, blocks, now))
            .or_else(|| self.wanted_victim(plane, blocks, starved, |reason| !pressing(reason)));
        if let Some((victim, reason)) = victim {
            blocks.close(plane, victim);
            blocks.look_up_seeds(plane, victim);
            self.begin(plane, victim, reason, blocks, now);
            blocks.job_begins(plane, victim);
        }
    }

    fn begin(&mut self, plane: PlaneId, victim: u32, reason: Reason, blocks: &Blocks, now: Time) {
        let place = self.place(plane);
        let reclaimed_pages = blocks.candidates(plane).reclaimed_pages(victim);
        self.jobs[place] = Some(Job { victim, reason, since: now, reclaimed_pages, ..Job::default() });
        self.counts.jobs[reason as usize] += 1;
        if matches!(reason, Reason::Space | Reason::Epoch | Reason::Urgent) {
            self.counts.valid_in_victims += u64::from(blocks.candidates(plane).to_copy(victim));
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.begins(blocks.candidates(plane).to_copy(victim), reclaimed_pages);
        }
        self.working += 1;
    }

    /// A block to collect whatever the free space. Data to refresh do not wait for a full block.
    fn wanted_victim(
        &mut self,
        plane: PlaneId,
        blocks: &Blocks,
        starved: bool,
        is_due: impl Fn(Reason) -> bool,
    ) -> Option<(u32, Reason)> {
        let place = self.place(plane);
        let wanted = &mut self.wanted[place];
        if wanted.is_empty() {
            return None;
        }
        self.put_off |= starved;
        let roomy = blocks.free(plane) > self.config.reserved_blocks;
        let place = wanted.iter().position(|&(block, reason)| {
            let yields = !blocks.is_bad(plane, block) && blocks.candidates(plane).is_reclaimable(block);
            let closes = matches!(reason, Reason::ReadDisturb | Reason::Refresh) && roomy;
            let can = blocks.can_be_collected(plane, block) || closes && blocks.can_be_closed(plane, block);
            let in_time = !starved || blocks.candidates(plane).reclaimed_pages(block) > 0;
            is_due(reason) && can && (roomy || yields) && in_time && blocks.copies_fit(plane, block)
        })?;
        Some(wanted.remove(place))
    }

    fn space_victim(&mut self, plane: PlaneId, free: u32, blocks: &Blocks, now: Time) -> Option<(u32, Reason)> {
        let reason = match self.config.scope {
            Scope::Plane if free < self.start_below => Reason::Space,
            Scope::Plane => return None,
            _ if self.epoch.wants(plane) => Reason::Epoch,
            _ if free <= self.urgent_at => Reason::Urgent,
            _ => return None,
        };
        let victim = self.policy.choose(plane, &blocks.candidates(plane));
        let victim = victim.filter(|&victim| blocks.copies_fit(plane, victim));
        if reason == Reason::Epoch {
            match victim {
                Some(_) => self.epoch.job_starts(plane),
                None => self.epoch.plane_is_done(plane, now),
            }
        }
        victim.map(|victim| (victim, reason))
    }

    /// The last page that [`Collector::step`] gave cannot be copied now.
    pub fn postpone(&mut self, page: Ppa) {
        let place = self.place(page.plane);
        if let Some(job) = &mut self.jobs[place] {
            job.next = page.page;
            job.copies -= 1;
        }
    }

    pub fn want(&mut self, plane: PlaneId, block: u32, reason: Reason) {
        let place = self.place(plane);
        let wanted = &mut self.wanted[place];
        if self.jobs[place].is_none_or(|job| job.victim != block) && wanted.iter().all(|w| w.0 != block) {
            wanted.push((block, reason));
        }
    }

    pub fn resume(&mut self) -> bool {
        std::mem::take(&mut self.put_off)
    }

    /// Returns whether planes have to be looked at again.
    #[inline(always)]
    pub fn begin_epoch(&mut self, blocks: &Blocks, now: Time) -> bool {
        self.config.scope != Scope::Plane && self.epoch.begin(blocks.free_in_all(), now)
    }

    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Not while collection waits for reads of its victim, nor if it reclaims no space.
    #[inline(always)]
    pub fn urgent(&self, plane: PlaneId, blocks: &Blocks) -> bool {
        let Some(job) = &self.jobs[self.place(plane)] else { return false };
        if job.waits_for_reads() {
            return false;
        }
        let presses = !self.config.preemptible && !matches!(job.reason, Reason::Refresh | Reason::Fold);
        presses || job.reclaimed_pages > 0 && blocks.free(plane) <= self.urgent_at
    }

    /// To be called until it waits.
    #[inline]
    pub fn step(&mut self, plane: PlaneId, blocks: &Blocks, writes_wait: bool) -> Step {
        let place = self.place(plane);
        let Some(job) = &mut self.jobs[place] else {
            return Step::Wait;
        };
        let waits = !writes_wait && self.pacing.as_ref().is_some_and(Pacing::holds_copies);
        let full = waits || job.copies >= self.copies_in_flight;
        let within = job.next & ((1 << self.flash_shift) - 1);
        if job.erasing || full && within == 0 { Step::Wait } else { self.next_step(plane, full, blocks) }
    }

    #[inline(always)]
    fn next_step(&mut self, plane: PlaneId, full: bool, blocks: &Blocks) -> Step {
        let place = self.place(plane);
        let job = self.jobs[place].as_mut().expect("a step belongs to a job");
        if let Some((page, next)) = blocks.next_to_copy(plane, job.victim, job.next) {
            // A flash page is read at once.
            if full && (next - 1) >> self.flash_shift != job.next >> self.flash_shift {
                return Step::Wait;
            }
            job.next = next;
            job.copies += 1;
            return Step::Copy(page);
        }
        job.all_given = true;
        if let Some(pacing) = &mut self.pacing {
            pacing.all_copied();
        }
        if job.copies == 0 && !blocks.is_read(plane, job.victim) {
            job.erasing = true;
            return Step::Erase(Ppa { plane, block: job.victim, page: 0 });
        }
        Step::Wait
    }

    /// `merges` of log blocks replace collection.
    pub fn report(&self, maintenance: &Maintenance, pages_per_block: u32, merges: Option<Merges>) -> GcReport {
        let counts = &self.counts;
        let for_space: u64 =
            [Reason::Space, Reason::Epoch, Reason::Urgent].iter().map(|&reason| counts.jobs[reason as usize]).sum();
        let pages = for_space * u64::from(pages_per_block);
        let occurring = Reason::ALL.into_iter().filter(|&reason| counts.jobs[reason as usize] > 0);
        GcReport {
            collections: counts.jobs.iter().sum(),
            reasons: occurring.map(|reason| (reason.key(), counts.jobs[reason as usize])).collect(),
            pages_copied: counts.copied,
            pages_copied_to_other_planes: counts.copied_elsewhere,
            pages_copied_chip_to_chip: counts.copied_directly,
            valid_share_of_victims: (pages > 0).then(|| counts.valid_in_victims as f64 / pages as f64),
            merges,
            epochs: self.epoch().lengths.number(),
            durations: maintenance.durations(&self.epoch().lengths),
        }
    }

    /// Any plane (PaGC), or other chips of the column from a random one on.
    pub fn destinations(&mut self, plane: PlaneId, layout: &Layout) -> impl Iterator<Item = PlaneId> + use<> {
        let rows = layout.channels;
        let mut draw = |from, to| self.destinations.integer(from, u64::from(to)) as u32;
        let (anywhere, first, others) = match self.config.scope {
            Scope::Parallel => (Some(PlaneId(draw(0, layout.planes() - 1))), 0, 0),
            Scope::Spatial if rows > 1 => (None, draw(1, rows - 1), rows - 1),
            Scope::Plane | Scope::Spatial => (None, 0, 0),
        };
        let (row, per_row) = (layout.channel_of_plane(plane), layout.planes() / rows);
        let place = plane.0 % per_row;
        let in_column = (0..others).map(move |n| (first - 1 + n) % others + 1);
        let in_column = in_column.map(move |step| PlaneId((row + step) % rows * per_row + place));
        anywhere.into_iter().filter(move |to| *to != plane).chain(in_column)
    }

    #[inline]
    pub fn copy_is_read(&mut self, plane: PlaneId) {
        let place = self.place(plane);
        if let Some(job) = &mut self.jobs[place] {
            job.read += 1;
        }
    }

    pub fn copy_is_lost(&mut self, plane: PlaneId) {
        let place = self.place(plane);
        if let Some(job) = &mut self.jobs[place] {
            job.read -= 1;
        }
    }

    #[inline(always)]
    pub fn copy_lines_up(&mut self, copy: &Transaction) {
        if let Some(job) = self.job_of(copy) {
            job.settled += 1;
            job.queued += 1;
        }
    }

    pub fn copy_lines_up_again(&mut self, copy: &Transaction) {
        if let Some(job) = self.job_of(copy) {
            job.queued += 1;
        }
    }

    #[inline]
    pub fn copy_is_bound(&mut self, copy: &Transaction) {
        if let Some(job) = self.job_of(copy) {
            job.queued -= 1;
        }
    }

    pub fn copy_is_placed(&mut self, plane: PlaneId) {
        let place = self.place(plane);
        self.jobs[place].iter_mut().for_each(|job| job.placed += 1);
    }

    pub fn placed_copy_ends(&mut self, plane: PlaneId) {
        let place = self.place(plane);
        self.jobs[place].iter_mut().for_each(|job| job.placed -= 1);
    }

    /// Whether the group's job may have further copies that need a place.
    pub fn places_more(&self, plane: PlaneId) -> bool {
        self.jobs[self.place(plane)].is_some_and(|job| !job.all_given || job.copies > job.placed)
    }

    pub fn copy_settles(&mut self, plane: PlaneId) {
        if let Some(job) = self.job_that_groups(plane) {
            job.settled += 1;
        }
    }

    pub fn copy_is_unsettled(&mut self, plane: PlaneId) {
        if let Some(job) = self.job_that_groups(plane) {
            job.settled -= 1;
        }
    }

    #[inline(always)]
    fn job_of(&mut self, copy: &Transaction) -> Option<&mut Job> {
        let within = copy.origin == Origin::Gc && copy.operation == Operation::Program && copy.frontier == Frontier::Gc;
        if within { self.job_that_groups(copy.ppa.plane) } else { None }
    }

    #[inline(always)]
    fn job_that_groups(&mut self, plane: PlaneId) -> Option<&mut Job> {
        let groups = self.flash_shift > 0 && self.planes_per_group == 1;
        if groups { self.jobs[plane.index()].as_mut() } else { None }
    }

    /// Whether queued copies fill a flash page, or no more will come.
    pub fn fills_flash_page(&self, plane: PlaneId, pages: u32) -> bool {
        self.jobs[plane.index()].is_none_or(|job| job.queued >= pages || job.all_given && job.copies == job.settled)
    }

    /// Programmed, `within` its plane or elsewhere, or out of date.
    pub fn copy_done(&mut self, plane: PlaneId, within: bool) {
        let place = self.place(plane);
        if let Some(job) = &mut self.jobs[place] {
            job.copies -= 1;
            job.read -= u32::from(within);
            job.settled -= u32::from(within && self.flash_shift > 0);
        }
        self.pacing.iter_mut().for_each(Pacing::copied);
    }

    /// All copies of the job wait for a page, and there is none.
    pub fn is_stuck(&self, plane: PlaneId, has_page: bool) -> bool {
        self.jobs[self.place(plane)]
            .is_none_or(|job| !job.erasing && job.copies > 0 && job.copies == job.read && !has_page)
    }

    pub fn erases_begin(&mut self, plane: PlaneId, blocks: u32) {
        let place = self.place(plane);
        if let Some(job) = &mut self.jobs[place] {
            job.erases = blocks;
        }
    }

    pub fn block_is_erased(&mut self, plane: PlaneId) -> bool {
        let place = self.place(plane);
        let job = self.jobs[place].as_mut().expect("an erase belongs to a job");
        job.erases -= 1;
        job.erases == 0
    }

    /// When the job began, and whether all planes must be looked at again.
    pub fn erase_done(&mut self, plane: PlaneId, blocks: &mut Blocks, now: Time) -> (Time, bool) {
        let place = self.place(plane);
        let job = self.jobs[place].take().expect("an erase ends a job");
        self.working -= 1;
        self.wanted[place].retain(|&(block, _)| block != job.victim);
        if let Some(pacing) = &mut self.pacing {
            pacing.ends(blocks.free(plane) >= self.start_below);
        }
        // One for each block that was erased for another reason: levelling must not feed on itself.
        if self.static_threshold > 0
            && job.reason != Reason::Wear
            && let Some(cold) = blocks.least_worn(plane, self.static_threshold)
        {
            self.want(plane, cold, Reason::Wear);
        }
        (job.since, job.reason == Reason::Epoch && self.epoch.job_ends(plane, now))
    }

    pub fn is_working(&self) -> bool {
        self.working > 0
    }

    pub fn reclaimed_pages(&self, plane: PlaneId) -> u64 {
        self.jobs[self.place(plane)].map_or(0, |job| u64::from(job.reclaimed_pages))
    }

    pub fn describe(&self, plane: PlaneId) -> String {
        match self.jobs[self.place(plane)] {
            None => "no collection".to_owned(),
            Some(job) if job.erasing => format!("block {} to be erased", job.victim),
            Some(job) => format!("block {} under collection with {} copies under way", job.victim, job.copies),
        }
    }

    #[inline(always)]
    pub fn collects(&self, plane: PlaneId, block: u32) -> bool {
        self.jobs[self.place(plane)].is_some_and(|job| job.victim == block)
    }

    pub fn is_busy(&self, plane: PlaneId) -> bool {
        self.jobs[self.place(plane)].is_some()
    }
}
