//! A drive that is stepped from outside: requests are submitted while simulated time continues, completions are taken as
//! they come.
//!
//! ```
//! use canaletto::config::load_design;
//! use canaletto::drive::{Drive, DriveOptions, Wanted};
//! use canaletto::engine::time::Time;
//!
//! let design = load_design("performance-optimized", None, &[]).unwrap();
//! let mut drive = Drive::new(&design, &DriveOptions::default()).unwrap();
//! drive.submit(Time::from_us(1), Wanted::write(0, 8), 1).unwrap();
//! drive.submit(Time::from_us(1), Wanted::read(8, 8), 2).unwrap();
//! while drive.outstanding() > 0 {
//!     drive.advance_to_completion(Time::LATEST).unwrap();
//!     for done in drive.completions() {
//!         println!("request {} took {:?}", done.tag, done.completed - done.arrival);
//!     }
//! }
//! ```
//!
//! The same requests give the same completions as in a [`run`](crate::run) that replays them, to the picosecond,
//! whenever they are submitted. A request submitted at the present time comes after everything else that is due then.

mod recording;
mod snapshot;

use thiserror::Error;

use crate::config::design::{Design, Protocol};
use crate::config::units::Size;
use crate::config::workload::{Flow, Synthetic, Workload};
use crate::drive::recording::{Place, Recording};
pub use crate::drive::snapshot::{Snapshot, SnapshotError};
use crate::engine::error::RunError;
use crate::engine::memory::guarded;
use crate::engine::precondition::Start;
use crate::engine::prepared::Prepared;
use crate::engine::route::{Route, Stepped};
use crate::engine::run::{Progress, RunOptions, TraceInput};
use crate::engine::time::Time;
use crate::fabric::AnyFabric;
use crate::flash::address::SECTOR;
use crate::host::request::{Edges, Kind};
use crate::limits::FlowRange;
use crate::measure::blame::Ledger;
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::NoProbe;
use crate::measure::records::Records;
use crate::measure::report::Report;
use crate::workload::flow::Source;
pub use crate::workload::flow::Wanted;
use crate::workload::sources::Sources;

/// How to simulate a drive, next to its design.
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// Whether to record requests, some twelve bytes each, for [snapshots](Drive::snapshot).
    pub recorded: bool,
}

impl Default for DriveOptions {
    fn default() -> Self {
        DriveOptions { seed: RunOptions::default().seed, recorded: true }
    }
}

/// Why a request was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SubmitError {
    /// It would arrive before the time that the drive has reached.
    #[error("a request at {} ps lies in the past: the drive has reached {} ps", at.0, now.0)]
    Past {
        /// When it would arrive.
        at: Time,
        /// The time that the drive has reached.
        now: Time,
    },
    /// It would arrive after the latest time of a simulation.
    #[error("a request at {} ps comes too late: the latest time is {} ps", .0.0, Time::LATEST.0)]
    Late(Time),
    /// Sectors that the drive does not have.
    #[error("sectors {lba} to {} do not exist: the drive has {capacity}", u128::from(*lba) + u128::from(*sectors) - 1)]
    Outside {
        /// First sector.
        lba: u64,
        /// Number of sectors.
        sectors: u32,
        /// Sectors of the drive.
        capacity: u64,
    },
    /// A request for no sectors that needs some.
    #[error("a request for no sectors: only a flush, an update of a handle and commands to zones have none")]
    Empty,
    /// A reclaim unit handle on a drive, or in a namespace, without any, or of another request than a write or an update.
    #[error("a reclaim unit handle, {0}: only writes and updates have one, on a drive with fdp.handles")]
    Handle(u16),
    /// A task of computation, which only flows make.
    #[error(
        "a task: a drive that is stepped takes reads, writes, trims, flushes, updates of handles and commands to zones"
    )]
    Task,
    /// The simulation has failed before.
    #[error("the drive has failed: {0}")]
    Failed(String),
}

/// A request that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Tag with which it was submitted.
    pub tag: u64,
    /// Status code of NVM Express; 0 is success.
    pub status: u8,
    /// First sector; of an append, the one that it was given.
    pub lba: u64,
    /// When the host wanted it.
    pub arrival: Time,
    /// When it entered the submission queue.
    pub enqueue: Time,
    /// When the host had dealt with its completion.
    pub completed: Time,
    /// Where the time between arrival and completion went.
    pub blame: Ledger,
}

/// How far time has gone on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advanced {
    /// Until a request was complete.
    Completed,
    /// Up to the limit.
    Reached,
    /// By as many events as were allowed.
    Paused,
}

/// Requests that are complete, by column.
pub struct Completions {
    /// Tag of each.
    pub tags: Vec<u64>,
    /// Other columns, in order of completion.
    pub rows: Records,
}

/// A drive with its host, at some moment of simulated time.
pub struct Drive {
    route: Box<dyn Stepped>,
    design: Design,
    workload: Workload,
    prepared_for: Workload,
    options: DriveOptions,
    precondition: Option<PreconditionReport>,
    first_sector: u64,
    sectors: u64,
    /// Whether requests may name reclaim unit handles.
    takes_handles: bool,
    now: Time,
    taken: u64,
    /// Events so far.
    steps: u64,
    recording: Option<Recording>,
    failure: Option<String>,
    /// Left true only by a defect that broke an event off.
    is_going_on: bool,
}

impl Drive {
    /// A drive at time zero, in the state that its design asks for.
    ///
    /// # Errors
    /// A design that cannot be simulated.
    pub fn new(design: &Design, options: &DriveOptions) -> Result<Drive, RunError> {
        let writes = Synthetic { read_share: 0.0, size: Some(Size(4096)), ..Synthetic::default() };
        let workload = Workload::of("external", "", vec![Flow::generated("external", writes)]);
        Drive::prepared_for(design, &workload, Vec::new(), options, &mut |_| true)
    }

    /// A drive at time zero, prepared for the only flow of `workload`. Requests come from outside.
    ///
    /// `traces` and `watch` as for a [`run`](crate::run).
    ///
    /// # Errors
    /// A design or a workload that cannot be simulated.
    pub fn prepared_for(
        design: &Design,
        workload: &Workload,
        traces: Vec<Option<TraceInput>>,
        options: &DriveOptions,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Drive, RunError> {
        if workload.flow.len() != 1 {
            let flows = workload.flow.len();
            let problem =
                format!("workload {:?}: got {flows} flows, expected one for a drive that is stepped", workload.name);
            return Err(RunError::Config(problem));
        }
        guarded(|| {
            let prepared = Prepared::new(design, workload, traces, options.seed, watch)?;
            let mut drive = Drive::idle(design, workload, prepared, options, watch)?;
            drive.route.begin();
            Ok(drive)
        })
    }

    fn idle(
        design: &Design,
        workload: &Workload,
        prepared: Prepared,
        options: &DriveOptions,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Drive, RunError> {
        let flow = workload.flow.iter().map(Flow::without_requests).collect();
        let external = Workload { flow, inter_arrival: None, ..workload.clone() };
        let flows = vec![Source::External(Box::default())];
        let sources = Sources { flows, factor: 1.0, scaling: None, reopened: Vec::new() };
        let prepared = Prepared { sources, ..prepared };
        let FlowRange { first_sector, sectors, handles, .. } = prepared.limits.flows[0];
        let run = RunOptions { seed: options.seed, records: true, ..RunOptions::default() };
        let (route, precondition) = stepped(design, workload, &external, prepared, &run, watch)?;
        Ok(Drive {
            route,
            design: design.clone(),
            workload: external,
            prepared_for: workload.clone(),
            recording: options.recorded.then(Recording::new),
            options: options.clone(),
            precondition,
            first_sector,
            sectors,
            takes_handles: handles > 0,
            now: Time::ZERO,
            taken: 0,
            steps: 0,
            failure: None,
            is_going_on: false,
        })
    }

    /// Sectors of 512 B that requests can address.
    pub fn sectors(&self) -> u64 {
        self.sectors
    }

    /// Design of the drive.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Simulated time that the drive has reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Requests that are submitted and not complete.
    pub fn outstanding(&mut self) -> u64 {
        self.route.external().outstanding() - self.route.rows().len() as u64
    }

    /// Submits a request that arrives at `at`, now or later. Requests of one time keep their order. `tag` comes back
    /// with the completion, and need not be unique.
    ///
    /// # Errors
    /// See [`SubmitError`]; the request has no effect.
    pub fn submit(&mut self, at: Time, wanted: Wanted, tag: u64) -> Result<(), SubmitError> {
        self.check().map_err(SubmitError::Failed)?;
        if at < self.now {
            return Err(SubmitError::Past { at, now: self.now });
        }
        if at > Time::LATEST {
            return Err(SubmitError::Late(at));
        }
        let wanted = self.checked(wanted)?;
        if let Some(recording) = &mut self.recording {
            recording.add(at - self.now, wanted, tag);
        }
        self.route.external().push(at, Wanted { lba: self.first_sector + wanted.lba, ..wanted }, tag);
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        match &self.failure {
            Some(reason) => Err(reason.clone()),
            None if self.is_going_on => Err("a defect broke it off".to_owned()),
            None => Ok(()),
        }
    }

    fn checked(&self, wanted: Wanted) -> Result<Wanted, SubmitError> {
        let Wanted { kind, lba, sectors, edges, handle, .. } = wanted;
        let takes_handle = self.takes_handles && matches!(kind, Kind::Write | Kind::Update);
        if let Some(handle) = handle.filter(|_| !takes_handle) {
            return Err(SubmitError::Handle(handle));
        }
        if matches!(kind, Kind::Flush | Kind::Update) {
            return Ok(Wanted { kind, handle, ..Wanted::flush() });
        }
        if !recording::KINDS.contains(&kind) {
            return Err(SubmitError::Task);
        }
        if sectors == 0 && kind.is_of_zone() {
            // A command to a zone names its first sector.
            let has_sector = lba < self.sectors;
            let refused = SubmitError::Outside { lba, sectors: 1, capacity: self.sectors };
            return if has_sector { Ok(wanted) } else { Err(refused) };
        }
        let reads_bytes = self.design.host.protocol == Protocol::Memory && kind == Kind::Read;
        let wanted = if reads_bytes { wanted } else { Wanted { edges: Edges::NONE, ..wanted } };
        if u64::from(edges.before) + u64::from(edges.behind) >= u64::from(sectors) * SECTOR {
            return Err(SubmitError::Empty);
        }
        if lba.checked_add(u64::from(sectors)).is_none_or(|end| end > self.sectors) {
            return Err(SubmitError::Outside { lba, sectors, capacity: self.sectors });
        }
        Ok(wanted)
    }

    /// Time of the next event inside the drive, unless a request is submitted before; none if there is none.
    pub fn next_event_time(&mut self) -> Option<Time> {
        Some(self.route.next_due()).filter(|&due| due != Time::MAX && self.check().is_ok())
    }

    /// Advances simulated time to `until`, events due then included.
    ///
    /// # Errors
    /// A time in the past or beyond [`Time::LATEST`], and whatever ends a run; then the drive cannot continue.
    pub fn advance_to(&mut self, until: Time) -> Result<(), RunError> {
        self.advance_for(until, false, u64::MAX).map(drop)
    }

    /// Advances simulated time until a request is complete, at most to `limit`. Returns whether one is.
    ///
    /// # Errors
    /// As [`Drive::advance_to`], and requests that are not complete at [`Time::LATEST`].
    pub fn advance_to_completion(&mut self, limit: Time) -> Result<bool, RunError> {
        Ok(self.advance_for(limit, true, u64::MAX)? == Advanced::Completed)
    }

    /// Advances as the two methods above, but pauses after `events` events, for programs with something else to do.
    ///
    /// # Errors
    /// As [`Drive::advance_to`] and [`Drive::advance_to_completion`].
    pub fn advance_for(&mut self, limit: Time, to_completion: bool, events: u64) -> Result<Advanced, RunError> {
        self.check().map_err(|reason| RunError::Stuck(format!("the drive has failed: {reason}")))?;
        if limit < self.now || limit > Time::LATEST {
            let (now, latest) = (self.now.0, Time::LATEST.0);
            let problem =
                format!("cannot go to {} ps: expected {now} ps, which the drive has reached, to {latest} ps", limit.0);
            return Err(RunError::Config(problem));
        }
        let before = self.route.rows().len();
        let mut left = events;
        self.is_going_on = true;
        let advanced = guarded(|| self.route.advance(limit, to_completion, &mut left));
        self.is_going_on = false;
        self.steps += events - left;
        if let Err(error) = &advanced {
            self.failure = Some(error.to_string());
        }
        let is_over = advanced?;
        let is_complete = to_completion && self.route.rows().len() > before;
        if is_complete || !is_over {
            self.reach(self.route.last_event(), Place::Step(self.steps));
            return Ok(if is_complete { Advanced::Completed } else { Advanced::Paused });
        }
        self.reach(limit, Place::Moment(limit));
        match self.outstanding() {
            unfinished if to_completion && limit == Time::LATEST && unfinished > 0 => Err(RunError::Config(format!(
                "no request is complete by {} ps, the latest time that a simulation can hold ({:.0} days): {unfinished} unfinished",
                limit.0,
                limit.seconds() / 86_400.0
            ))),
            _ => Ok(Advanced::Reached),
        }
    }

    fn reach(&mut self, now: Time, place: Place) {
        self.now = now;
        if let Some(recording) = &mut self.recording {
            recording.reach(place);
        }
    }

    fn completed(&mut self) -> u64 {
        self.taken + self.route.rows().len() as u64
    }

    fn progress(&mut self) -> Progress {
        let completed = self.completed();
        let generated = completed + self.outstanding();
        Progress { completed, generated, now: self.now, preconditioning: None }
    }

    /// Whether completions have not been taken.
    pub fn has_completions(&mut self) -> bool {
        !self.route.rows().is_empty()
    }

    /// Takes completions, in the order of completion.
    pub fn completions(&mut self) -> impl Iterator<Item = Completion> {
        let Completions { tags, rows } = self.take_completions();
        tags.into_iter().enumerate().map(move |(i, tag)| Completion {
            tag,
            status: rows.status[i],
            lba: rows.lba[i],
            arrival: Time(rows.arrival[i]),
            enqueue: Time(rows.enqueue[i]),
            completed: Time(rows.complete[i]),
            blame: Ledger(std::array::from_fn(|cause| Time(rows.blame[cause][i]))),
        })
    }

    /// [`Drive::completions`] by column.
    pub fn take_completions(&mut self) -> Completions {
        let mut rows = std::mem::take(self.route.rows());
        rows.lba.iter_mut().for_each(|lba| *lba -= self.first_sector.min(*lba));
        self.taken += rows.len() as u64;
        let external = self.route.external();
        Completions { tags: rows.request.iter().map(|&number| external.complete(number)).collect(), rows }
    }

    /// Results so far, as if the run had ended now.
    pub fn report(&mut self) -> Report {
        self.route.results(&self.design, &self.workload, self.precondition.clone())
    }
}

/// Drives are compiled once instead of once per fabric.
fn stepped(
    design: &Design,
    workload: &Workload,
    external: &Workload,
    prepared: Prepared,
    run: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(Box<dyn Stepped>, Option<PreconditionReport>), RunError> {
    let Prepared { limits, sources, fills } = prepared;
    let Start { contents, report } = Start::new(design, workload, &limits, fills, run, watch)?;
    let route = Route::<AnyFabric, _>::new(design, external, &limits, sources, contents, run, NoProbe {});
    Ok((Box::new(route), report))
}
