//! The way from station to station: the only place that knows two of them.
//!
//! ```text
//! host ──> cache ──> ftl ──> controller ──> scheduler ──> paths (fabric) ──> flash
//!   <────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A station takes a verb and answers with what follows from it. This module calls the next station, depth first. Here
//! are stations, events and loop; the children have the ways: [`front`] from the host to the queues and back, [`back`]
//! at the chips, [`arrays`] in them, [`collection`], and for some runs [`cached`], [`suspension`], [`copies`],
//! [`control`] and [`tasks`].

mod arrays;
mod back;
mod batches;
mod cached;
mod collection;
mod control;
mod copies;
mod front;
mod lanes;
mod loads;
mod losses;
pub mod results;
mod stepped;
mod suspension;
mod tasks;
mod watching;
mod zoned;

use batches::Batches;
use losses::Losses;
pub use stepped::Stepped;

use crate::cache::DataCache;
use crate::compute::Compute;
use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::controller::Controller;
use crate::engine::error::RunError;
use crate::engine::events::{Due, EventQueue};
use crate::engine::in_flight::{PageWork, Requests};
use crate::engine::rarely::rarely;
use crate::engine::run::{Progress, RunOptions};
use crate::engine::time::Time;
use crate::fabric::paths::Paths;
use crate::fabric::{DomainId, Fabric, PathId, TransferDone};
use crate::flash::FlashBackend;
use crate::flash::address::{Layout, LunId, PlaneId};
use crate::ftl::{Contents, Ftl};
use crate::host::link::Direction;
use crate::host::request::RequestId;
use crate::host::{Host, HostEvent, Later};
use crate::limits::Limits;
use crate::measure::probe::Probe;
use crate::measure::records::RowSink;
use crate::measure::zones::NamespaceReport;
use crate::scheduler::Scheduler;
use crate::scheduler::transaction::TransactionId;
use crate::workload::sources::Sources;

#[derive(Clone, Copy, Debug)]
enum Event<E> {
    Host(HostEvent),
    FirmwareDone(RequestId),
    StageDone(TransactionId),
    Fabric(E),
    ArrayDone(LunId),
    Poll(LunId),
    MovedUp(PlaneId),
    CopyChecked(TransactionId),
    CacheDram,
    CacheIdle,
    RefreshScan,
    FoldIdle,
    /// By its place among the losses of the run.
    Loss(u8),
    DestageOutOfReach(TransactionId),
    Computed(TransactionId),
    /// A transfer has crossed on a path that leads nowhere.
    CrossedNowhere(PathId),
}

/// The link's directions have separate slots.
impl<E: Copy> Later for EventQueue<Event<E>> {
    #[inline(always)]
    fn at(&mut self, time: Time, event: HostEvent) {
        match event {
            HostEvent::LinkSent(direction) => self.push_single(direction as usize, time),
            HostEvent::Awaited => self.reserve(),
            _ => self.push(time, Event::Host(event)),
        }
    }
}

macro_rules! fabric_events {
    ($events:expr) => {
        &mut |time, event| $events.push(time, $crate::engine::route::Event::Fabric(event))
    };
}
use fabric_events;

/// Keeps the last event, so that it is pushed in line: most fabrics have but one.
macro_rules! last_event {
    ($events:expr, $last:ident) => {
        &mut |time, event| {
            if let Some((time, event)) = $last.replace((time, $crate::engine::route::Event::Fabric(event))) {
                $events.push(time, event);
            }
        }
    };
}
use last_event;

pub struct Route<F: Fabric, P: Probe> {
    events: EventQueue<Event<F::Event>>,
    layout: Layout,
    requests: Requests,
    pages: PageWork<P>,
    host: Host,
    cache: Option<DataCache>,
    ftl: Ftl,
    controller: Controller,
    compute: Option<Box<Compute>>,
    scheduler: Scheduler,
    paths: Paths<F>,
    flash: FlashBackend,
    /// Pages and sectors of a read that are not in the cache.
    missing: Vec<(u64, u64)>,
    pages_in_flight: u32,
    /// Requests with further pages due; none stands for trims.
    refills: Vec<RequestId>,
    refresh_is_scheduled: bool,
    batches: Batches,
    losses: Losses,
    alone: Option<u16>,
    seed: u64,
    namespaces: Vec<NamespaceReport>,
}

const WATCH_EVERY: u64 = 1 << 16;

/// Rows of requests handed on at a time: some ten megabytes.
const ROWS: usize = 1 << 15;

impl<F: Fabric, P: Probe> Route<F, P> {
    pub fn new(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        sources: Sources,
        contents: Contents,
        options: &RunOptions,
        probe: P,
    ) -> Self {
        let (layout, losses) = (&limits.layout, Losses::of(design));
        let mut paths = Paths::<F>::new(design, layout);
        if probe.watches_wires() {
            paths.fabric.trace().switch_on();
        }
        let mut pages = PageWork::new(layout, workload.flow.len(), probe);
        let ftl = Ftl::new(design, workload, limits, contents, options.seed);
        ftl.announce_pages(&mut pages);
        let modes: Vec<_> = workload.flow.iter().map(|flow| flow.cache.unwrap_or(design.cache.mode)).collect();
        let priorities: Vec<_> = workload.flow.iter().map(|flow| flow.priority).collect();
        let domains = (0..paths.fabric.domains()).map(|domain| paths.fabric.chips_of(DomainId(domain)));
        let mut route = Route {
            events: EventQueue::new(),
            host: Host::new(design, workload, limits, sources),
            cache: DataCache::new(&design.cache, &modes, limits),
            ftl,
            controller: Controller::new(&design.controller, layout.channels),
            compute: Compute::new(design, workload, limits, options.seed),
            scheduler: Scheduler::new(design, layout, &priorities, domains),
            flash: FlashBackend::new(design, layout, pages.interference.tracked_flows(), options.seed),
            paths,
            requests: Requests::new(workload.flow.len(), design.fdp.is_on(), options),
            pages,
            missing: Vec::new(),
            pages_in_flight: match design.controller.pages_in_flight {
                0 => u32::MAX,
                pages => pages,
            },
            refills: Vec::new(),
            refresh_is_scheduled: false,
            batches: Batches::new(design),
            losses,
            alone: options.alone,
            seed: options.seed,
            namespaces: limits.namespaces(design, workload),
            layout: layout.clone(),
        };
        if route.compute.as_ref().is_some_and(|compute| compute.senses()) {
            route.flash.senses_several(design.compute.array.longer.time());
        }
        if design.has_zones() {
            route.scheduler.queues.program_together(design.zns.pages_per_program);
        }
        route.lose_from_the_start();
        route
    }

    /// # Errors
    /// A trace that cannot be read further, or a run that is stopped or stuck.
    pub fn run(
        &mut self,
        watch: &mut dyn FnMut(&Progress) -> bool,
        mut rows: Option<&mut RowSink<'_>>,
    ) -> Result<(), RunError> {
        self.host.start(self.alone, &mut self.events);
        self.check_host()?;
        self.schedule_refresh_scan(self.events.now());
        self.schedule_losses();
        let mut until_watch = WATCH_EVERY;
        loop {
            self.step_fabric(Time::MAX);
            let Some((now, slot)) = self.events.advance() else {
                // Nothing is under way that could make room for those that wait for it.
                if self.poll_until_something_starts() || self.give_up_oldest() {
                    continue;
                }
                break;
            };
            if rarely(now >= Time::LATEST) {
                self.check_time(now)?;
            }
            match slot {
                // Two events of three.
                Some(direction) => self.link_sent(Direction::of_slot(direction), now),
                None => {
                    let event = self.events.take();
                    self.handle(event, now);
                }
            }
            if rarely(!self.refills.is_empty()) {
                self.refill(now);
            }
            if self.pages.probe.observer().is_some_and(|observer| observer.is_done(now)) {
                return Ok(());
            }
            self.offer_paths(now);
            until_watch -= 1;
            if until_watch == 0 {
                until_watch = WATCH_EVERY;
                self.check_host()?;
                if !watch(&self.progress(now)) {
                    return Err(RunError::Interrupted);
                }
                if let Some(rows) = rows.as_deref_mut() {
                    let many = self.requests.statistics.take_rows(ROWS);
                    if many.is_some_and(|many| !rows(many)) {
                        return Err(RunError::Interrupted);
                    }
                }
            }
            // Collection may still be at work; nobody waits for it.
            if self.requests.is_empty() && !self.host.has_arrivals() {
                break;
            }
        }
        // A flow whose trace cannot be read has ended.
        self.check_host()?;
        if self.requests.is_empty() { Ok(()) } else { Err(RunError::Stuck(self.explain_stuck())) }
    }

    /// # Errors
    /// As [`Route::run`].
    pub fn settle(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<bool, RunError> {
        let mut until_watch = WATCH_EVERY;
        while !self.pages.transactions.is_empty() {
            if !self.step(Time::MAX)? {
                return Ok(false);
            }
            until_watch -= 1;
            if until_watch == 0 {
                until_watch = WATCH_EVERY;
                if !watch(&self.progress(self.now())) {
                    return Err(RunError::Interrupted);
                }
            }
        }
        Ok(true)
    }

    #[inline(never)]
    fn step(&mut self, until: Time) -> Result<bool, RunError> {
        let submitted = self.host.next_submitted();
        self.step_fabric(submitted.min(Time(until.0.saturating_add(1))));
        if submitted != Time::MAX && submitted <= until && submitted <= self.events.next_time() {
            self.host.schedule_submitted();
            self.events.push_reserved(submitted, Event::Host(HostEvent::Arrival(0)));
        }
        if self.events.next_time() > until {
            return Ok(false);
        }
        match self.events.pop() {
            None => return Ok(false),
            Some((now, Due::Single(direction))) => self.link_sent(Direction::of_slot(direction), now),
            Some((now, Due::Event(event))) => self.handle(event, now),
        }
        let now = self.events.now();
        self.refill(now);
        self.check_host()?;
        self.offer_paths(now);
        Ok(true)
    }

    #[cold]
    #[inline(never)]
    fn check_time(&self, now: Time) -> Result<(), RunError> {
        if now == Time::LATEST {
            return Ok(());
        }
        let statistics = &self.requests.statistics;
        Err(RunError::Config(format!(
            "simulated time passed {:.0} days, the most a run can hold, with {} of {} requests completed",
            Time::LATEST.seconds() / 86_400.0,
            statistics.completed(),
            statistics.generated()
        )))
    }

    fn progress(&self, now: Time) -> Progress {
        let statistics = &self.requests.statistics;
        Progress { completed: statistics.completed(), generated: statistics.generated(), now, preconditioning: None }
    }

    pub fn now(&self) -> Time {
        self.events.now()
    }

    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    pub fn completed(&self) -> u64 {
        self.requests.statistics.completed()
    }

    pub fn pages_written(&self) -> (u64, u64) {
        (self.ftl.pages_programmed(self.flash.operations().programs), self.ftl.host_pages())
    }

    pub fn into_contents(self) -> Contents {
        self.ftl.into_contents()
    }

    #[inline]
    fn step_fabric(&mut self, end: Time) {
        loop {
            let due = self.paths.fabric.next_step();
            if due == Time::MAX {
                return;
            }
            let until = self.events.next_time().min(end);
            if due >= until {
                return;
            }
            let events = &mut self.events;
            self.paths.fabric.step(due, until, fabric_events!(events));
            self.watch_wires();
        }
    }

    #[inline(always)]
    fn handle(&mut self, event: Event<F::Event>, now: Time) {
        match event {
            Event::Fabric(event) => self.fabric_event(event, now),
            Event::ArrayDone(lun) => self.array_done(lun, now),
            other => self.handle_other(other, now),
        }
    }

    #[inline(never)]
    fn handle_other(&mut self, event: Event<F::Event>, now: Time) {
        match event {
            Event::Host(event) => self.host_event(event, now),
            Event::Fabric(_) | Event::ArrayDone(_) => unreachable!("they have been told apart"),
            Event::Poll(lun) => self.poll(lun, now),
            Event::FirmwareDone(request) => self.firmware_done(request, now),
            Event::StageDone(transaction) => self.stage_done(transaction, now),
            Event::MovedUp(plane) => self.moved_up(plane, now),
            Event::CopyChecked(transaction) => self.copy_checked(transaction, now),
            Event::CacheDram => self.cache_dram_done(now),
            Event::CacheIdle => self.destage_if_idle(now),
            Event::RefreshScan => self.scan_for_refresh(now),
            Event::FoldIdle => self.fold_if_idle(now),
            Event::Loss(loss) => self.lose(loss, now),
            Event::DestageOutOfReach(id) => self.destage_out_of_reach(id, now),
            Event::Computed(id) => self.computed(id, now),
            Event::CrossedNowhere(path) => self.transfer_done(TransferDone::freely(path), now),
        }
    }

    #[inline]
    fn check_host(&mut self) -> Result<(), RunError> {
        self.host.take_failure().map_or(Ok(()), Err)
    }
}
