//! The machine: wires the parts together and moves requests through them.
//!
//! This file holds the parts, the events and the loop; its children hold what happens at each station, in the order in
//! which a request meets them: [`host`] with [`nvme`] or [`sata`] (queues and link), [`cache`] (before the mapping, if there is one), [`translation`]
//! and [`pages`] (mapping), [`chips`] (scheduling and arrays), [`transfers`] (the fabric), [`collection`] (garbage collection) or
//! [`merging`] (of hybrid mapping).

mod arrays;
mod attached;
mod cache;
mod charges;
mod chips;
mod collection;
mod copyback;
mod exhausted;
mod failures;
mod held;
mod host;
mod mapping_units;
mod merging;
mod nvme;
mod outbound;
mod outcome;
mod pages;
mod placing;
pub mod precondition;
mod queueing;
mod refresh;
mod retries;
mod sata;
mod suspend;
mod transfers;
mod translation;
mod trim;
mod upkeep;

use std::collections::VecDeque;

use crate::RunError;
use crate::cache::DataCache;
use crate::config::design::{
    DataQueue, Design, MapUpdate, PartialWrites, TransferOrder, UnwrittenReads, WritePlacement,
};
use crate::config::workload::{Priority, Workload};
use crate::controller::Controller;
use crate::fabric::{self, DomainId, Fabric};
use crate::flash::address::{Layout, PlaneId, UnitId};
use crate::flash::array::Array;
use crate::flash::failures::Failures;
use crate::flash::interface::CommandTable;
use crate::flash::reliability::Reliability;
use crate::flash::suspend::Suspensions;
use crate::flash::timing::ArrayTiming;
use crate::flash::wear::Wear;
use crate::ftl::blocks::Blocks;
use crate::ftl::gc::Collector;
use crate::ftl::gc::refresh::Refresh;
use crate::ftl::hybrid::Hybrid;
use crate::ftl::in_place::InPlace;
use crate::ftl::mapping::MappingTable;
use crate::ftl::placement::{Placement, Positions};
use crate::ftl::spread::Spread;
use crate::host::attach::attached::Attached;
use crate::host::cores::Cores;
use crate::host::link::{Direction, Link};
use crate::host::port::Port;
use crate::host::request::{Request, RequestId};
use crate::limits::Limits;
use crate::machine::copyback::Copybacks;
use crate::machine::held::Held;
use crate::machine::outbound::Outbound;
use crate::machine::precondition::Start;
use crate::machine::translation::Translation;
use crate::measure::blame::Cause;
use crate::measure::flow_interference::FlowInterference;
use crate::measure::maintenance::Maintenance;
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::Probe;
use crate::measure::records::Records;
use crate::measure::replay::TimeScaling;
use crate::measure::report::Tally;
use crate::scheduler::queues::{Queues, Transactions};
use crate::scheduler::transaction::TransactionId;
use crate::sim::arena::Slab;
use crate::sim::events::EventQueue;
use crate::sim::ring::Ring;
use crate::sim::time::{Time, TimeSum};
use crate::workload::flow::{Loop, Source};
use crate::workload::sources::Sources;
use crate::{Progress, RunOptions};

/// Everything that can happen.
#[derive(Clone, Copy, Debug)]
enum Event<E> {
    /// A flow starts, or its next request arrives.
    Arrival(u16),
    /// A flow in a closed loop has thought about a completion long enough for its next request.
    Thought(u16),
    /// The host's software is through with a request.
    Submitted(RequestId),
    /// The host's software is through with a completion.
    Noticed(RequestId),
    /// Completions of a queue may have waited long enough for an interrupt.
    Interrupt(u16),
    /// The message on a direction of the link has left the wires.
    LinkSent(Direction),
    /// A message has arrived after the link's latency.
    LinkArrived(Direction),
    /// Something has happened in the PC between host and drive.
    Attachment,
    /// The processor has dealt with a request.
    FirmwareDone(RequestId),
    /// A page has passed a stage of the controller's inside.
    StageDone(TransactionId),
    /// Something inside the fabric.
    Fabric(E),
    /// A unit's array has finished.
    ArrayDone(UnitId),
    /// A chip has looked for errors in a page from another chip.
    CopyChecked(TransactionId),
    /// A transfer of the data cache's DRAM is done.
    CacheDram,
    /// The drive may have been idle long enough to destage.
    CacheIdle,
    /// The next block is looked at for data that are too old.
    Patrol,
}

/// A flow's place in the machine.
struct Flow {
    source: Source,
    looping: Loop,
    priority: Priority,
    placement: Placement,
    start: Time,
    /// Time of the latest arrival of an open loop on the flow's own clock, which goes `Machine::clock_factor` times as slowly as
    /// the simulation's.
    own_time: Time,
    /// In a closed loop: time between a completion and the request that follows it.
    think: Time,
    /// First sector of the flow's addresses, as requests state them.
    first_sector: u64,
    /// Its own write frontiers, if flows have such.
    stream: u16,
    /// First logical page of the flow's addresses in the mapping table.
    first_page: u64,
    /// The one after its last.
    end_page: u64,
    tally: Tally,
}

/// What a path carries.
#[derive(Clone, Copy)]
enum Payload {
    /// A unit's command, with the data of a write.
    Command(UnitId),
    /// The data of a read.
    Data(TransactionId),
    /// A page from chip to chip.
    Copy(TransactionId),
}

/// What a path carries, for whom and for how long.
#[derive(Clone, Copy)]
struct Carried {
    what: Payload,
    transfer: fabric::Transfer,
}

/// Classes of read data: each goes before the next.
const DATA_CLASSES: usize = 3;

/// A set of chips that compete for the same paths, and what waits for one.
struct Domain {
    first_unit: u32,
    units: u32,
    /// Units (counted within the domain) that may have a command to send.
    ready: Ring,
    /// Where the round robin goes on.
    turn: u32,
    /// Read data waiting for a path: of the mapping table, of host requests, and of garbage collection.
    data: [VecDeque<TransactionId>; DATA_CLASSES],
    /// Units in the middle of a copy, with a program command to send.
    copybacks: VecDeque<UnitId>,
}

/// Model choices that are looked at while running.
struct Choices {
    order: TransferOrder,
    data_queue: DataQueue,
    hold_path: bool,
    unwritten: UnwrittenReads,
    map_update: MapUpdate,
    partial: PartialWrites,
    placement: WritePlacement,
    /// Pages of a mapping unit that is larger than a page.
    pages_per_unit: u64,
    endurance: u32,
    /// Whether data in the cache are as safe as on flash.
    survives_power_loss: bool,
    /// Idle time after which everything dirty goes to flash; zero: never.
    idle_destage: Time,
}

/// Page operations of the arrays.
#[derive(Clone, Copy, Default)]
struct Operations {
    reads: u64,
    programs: u64,
    erases: u64,
    /// Array time of each kind, summed over planes.
    read_time: TimeSum,
    program_time: TimeSum,
    erase_time: TimeSum,
}

/// A drive at work, with its host.
pub struct Machine<'a, F: Fabric, P: Probe> {
    events: EventQueue<Event<F::Event>>,
    layout: Layout,
    choices: Choices,
    flows: Vec<Flow>,
    /// What times of open-loop flows are multiplied by.
    clock_factor: f64,
    time_scaling: Option<TimeScaling>,
    port: Port,
    cores: Cores,
    link: Link,
    /// In the link's place, if the drive is attached to a PC.
    attached: Option<Box<Attached>>,
    requests: Slab<RequestId, Request>,
    transactions: Transactions,
    controller: Controller,
    cache: Option<DataCache>,
    /// Pages and sectors of a read that are not in the cache, between looking them up and reading them.
    missing: Vec<(u64, u64)>,
    /// When the host consumed the last completion.
    last_completion: Time,
    map: MappingTable,
    translation: Translation,
    blocks: Blocks,
    collector: Collector,
    /// Instead of the collector's work, if the drive does not map pages.
    hybrid: Option<Hybrid>,
    /// Instead of the blocks' and the collector's work, if pages are written in place.
    in_place: Option<InPlace>,
    spread: Spread,
    /// Pages of requests for which no plane has room yet.
    without_room: VecDeque<TransactionId>,
    /// Whether some of them have not been looked at yet.
    room_wanted: bool,
    /// Planes of each column whose copies wait for a register of another chip.
    awaiting_register: Vec<Vec<PlaneId>>,
    /// Whether an epoch was under way when the fabric was last told whose the columns are.
    columns_kept: bool,
    queues: Queues,
    domains: Vec<Domain>,
    /// The domain of each unit.
    unit_domains: Vec<DomainId>,
    /// Domains in which something new may start, to be offered their free paths before the next event.
    touched: Ring,
    /// Planes whose free blocks or victims have changed, to be looked at before the next event.
    needs_collection: Vec<PlaneId>,
    outbound: Outbound,
    operations: Operations,
    upkeep: Maintenance,
    /// Time transfers took on their wires, summed over transfers.
    transfer_time: TimeSum,
    first_arrival: Option<Time>,
    last_flow_first: bool,
    streams: u16,
    fabric: F,
    /// What each path in use carries.
    carried: Vec<Carried>,
    held: Held,
    commands: CommandTable,
    timing: ArrayTiming,
    array: Array,
    suspensions: Suspensions,
    copybacks: Copybacks,
    wear: Wear,
    refresh: Refresh,
    /// Whether a look of the patrol is scheduled.
    patrols: bool,
    failures: Failures,
    reliability: Option<Reliability>,
    interference: FlowInterference,
    /// Pages read again because they could not be corrected.
    read_retries: u64,
    options: &'a RunOptions,
    records: Option<Records>,
    /// Requests completed, those before the end of the warm-up included.
    completed: u64,
    generated: u64,
    /// Arrivals scheduled.
    arrivals: u32,
    /// Page transactions so far, collection's included.
    pages: u32,
    /// The state in which the run found the drive.
    precondition: Option<PreconditionReport>,
    probe: &'a mut P,
}

/// How many events pass between looks at the progress watcher.
const WATCH_EVERY: u64 = 1 << 16;

impl<'a, F: Fabric, P: Probe> Machine<'a, F, P> {
    /// A drive in its state before the run, with its flows ready to start.
    pub fn new(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        sources: Sources,
        start: Start,
        options: &'a RunOptions,
        probe: &'a mut P,
    ) -> Self {
        let layout = limits.layout.clone();
        let mut fabric = F::new(&design.fabric, &layout);
        if P::WATCHES_WIRES {
            fabric.trace().switch_on();
        }
        let domains: Vec<Domain> = (0..fabric.domains())
            .map(|d| {
                let chips = fabric.chips_of(DomainId(d));
                let units = (chips.end - chips.start) * layout.units_per_chip;
                Domain {
                    first_unit: chips.start * layout.units_per_chip,
                    units,
                    ready: Ring::new(units),
                    turn: 0,
                    data: Default::default(),
                    copybacks: VecDeque::new(),
                }
            })
            .collect();
        let unit_domains = (0..layout.units()).map(|u| fabric.domain_of(layout.chip_of(UnitId(u)))).collect();
        let failures = &design.flash.failures;
        let keeps_history =
            Copybacks::counts_copies(&design.gc) || design.flash.errors.are_possible() || design.refresh.is_on();
        let modes: Vec<_> = workload.flow.iter().map(|flow| flow.cache.unwrap_or(design.cache.mode)).collect();
        let flows = workload.flow.iter().zip(&limits.flows).zip(sources.flows).map(|((config, flow), source)| Flow {
            source,
            looping: config.looping(),
            priority: config.priority,
            placement: Placement::new(&layout, design.ftl.allocation, &flow.positions),
            start: config.start(),
            own_time: Time::ZERO,
            think: config.synthetic.as_ref().map_or(Time::ZERO, |s| s.think_time.time()),
            first_sector: flow.first_sector,
            stream: flow.stream,
            first_page: flow.first_page,
            end_page: flow.first_page + flow.sectors.div_ceil(u64::from(layout.sectors_per_page)),
            tally: Tally::default(),
        });
        let priorities: Vec<_> = workload.flow.iter().map(|flow| flow.priority).collect();
        let port = Port::new(&design.host, &priorities);
        let interference = FlowInterference::new(workload.flow.len());
        let mut machine = Machine {
            events: EventQueue::new(),
            choices: Choices {
                order: design.fabric.transfer_order,
                data_queue: design.fabric.data_queue,
                hold_path: design.fabric.hold_path,
                unwritten: design.ftl.unwritten_reads,
                map_update: design.ftl.map_update,
                partial: design.ftl.partial_writes,
                placement: design.ftl.write_placement,
                pages_per_unit: u64::from(design.pages_per_unit()),
                endurance: design.wear.endurance,
                survives_power_loss: design.cache.power_loss_protection,
                idle_destage: design.cache.idle_destage.time(),
            },
            flows: flows.collect(),
            clock_factor: sources.factor,
            time_scaling: sources.scaling,
            cores: Cores::new(&design.host, port.queues()),
            port,
            link: Link::new(design),
            attached: Attached::new(&design.attachment, u64::from(design.host.submission_entry_bytes)),
            requests: Slab::new(),
            transactions: Slab::new(),
            controller: Controller::new(&design.controller, layout.channels),
            cache: DataCache::new(&design.cache, &modes, limits),
            missing: Vec::new(),
            last_completion: Time::ZERO,
            map: start.map,
            blocks: start.blocks,
            precondition: start.report,
            translation: Translation::new(design, limits),
            collector: Collector::new(&design.gc, &design.wear, limits, options.seed),
            hybrid: Hybrid::new(
                design,
                &layout,
                &Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout)),
            ),
            in_place: InPlace::new(design, &layout),
            spread: Spread::new(&layout, limits.streams, limits.most_valid),
            queues: Queues::new(&layout, &design.scheduler, design.flash.multi_plane, &priorities),
            touched: Ring::new(domains.len() as u32),
            domains,
            unit_domains,
            needs_collection: Vec::new(),
            outbound: Outbound::default(),
            without_room: VecDeque::new(),
            room_wanted: false,
            awaiting_register: vec![Vec::new(); layout.chips_per_channel as usize],
            columns_kept: false,
            operations: Operations::default(),
            upkeep: Maintenance::default(),
            transfer_time: TimeSum::ZERO,
            first_arrival: None,
            last_flow_first: workload.last_flow_first,
            streams: limits.streams,
            fabric,
            carried: Vec::new(),
            held: Held::new(design.fabric.hold_path, layout.units()),
            commands: CommandTable::new(&design.fabric, layout.planes_per_die),
            timing: ArrayTiming::new(&design.flash),
            array: Array::new(&layout, design.flash.busy_until_data_out, interference.tracked_flows()),
            suspensions: Suspensions::new(&design.flash.suspend, layout.units()),
            copybacks: Copybacks::new(&design.gc, layout.units()),
            wear: Wear::new(&layout, keeps_history),
            refresh: Refresh::new(design, &layout),
            patrols: false,
            failures: Failures::new(failures, options.seed),
            reliability: Reliability::new(design, options.seed),
            interference,
            read_retries: 0,
            options,
            records: options.records.then(Records::default),
            completed: 0,
            generated: 0,
            arrivals: 0,
            pages: 0,
            layout,
            probe,
        };
        machine.announce_pages();
        machine
    }

    /// Runs until every request is completed.
    ///
    /// # Errors
    /// A trace that cannot be read on, a run that the watcher stops, or one that is stuck.
    pub fn run(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<(), RunError> {
        for i in 0..self.flows.len() {
            let flow = (if self.last_flow_first { self.flows.len() - 1 - i } else { i }) as u16;
            if self.options.alone.is_none_or(|only| only == flow) {
                self.start_flow(flow)?;
            }
        }
        self.start_patrol(self.events.now());
        let mut until_watch = WATCH_EVERY;
        loop {
            self.step_fabric();
            let Some((now, event)) = self.events.pop() else {
                // Nothing is under way that could make room for those that wait for it.
                if self.give_up_oldest() {
                    continue;
                }
                break;
            };
            if now > Time::LATEST {
                return Err(RunError::Config(format!(
                    "simulated time passed {:.0} days, the most a run can hold, with {} of {} requests completed",
                    Time::LATEST.seconds() / 86_400.0,
                    self.completed,
                    self.generated
                )));
            }
            self.handle(event, now)?;
            if self.probe.is_done(now) {
                return Ok(());
            }
            if !self.touched.is_empty() || !self.needs_collection.is_empty() || self.room_wanted {
                self.offer_paths(now);
            }
            until_watch -= 1;
            if until_watch == 0 {
                until_watch = WATCH_EVERY;
                if !watch(&self.progress(now)) {
                    return Err(RunError::Interrupted);
                }
            }
            // Collection may still be at work; nobody waits for it.
            if self.requests.is_empty() && self.arrivals == 0 {
                break;
            }
        }
        if !self.requests.is_empty() { Err(RunError::Stuck(self.explain_stuck())) } else { Ok(()) }
    }

    fn progress(&self, now: Time) -> Progress {
        Progress { completed: self.completed, generated: self.generated, now, preconditioning: None }
    }

    /// Lets the fabric do what is due before the next event and concerns nobody else.
    fn step_fabric(&mut self) {
        loop {
            let due = self.fabric.next_step();
            if due == Time::MAX {
                return;
            }
            let until = self.events.next_time();
            if due >= until {
                return;
            }
            let events = &mut self.events;
            self.fabric.step(due, until, &mut |time, event| events.push(time, Event::Fabric(event)));
            self.watch_wires();
        }
    }

    fn handle(&mut self, event: Event<F::Event>, now: Time) -> Result<(), RunError> {
        match event {
            Event::Arrival(flow) => {
                self.arrivals -= 1;
                self.arrival(flow, now)?;
            }
            Event::Thought(flow) => {
                self.arrivals -= 1;
                self.generate(flow, now, now)?;
            }
            Event::Submitted(request) => self.submitted(request, now)?,
            Event::Noticed(request) => self.completed_at_host(request, now)?,
            Event::Interrupt(queue) => self.interrupt_if_due(queue, now)?,
            Event::LinkSent(direction) => self.link_sent(direction, now)?,
            Event::LinkArrived(direction) => {
                let message = self.link.arrived(direction);
                self.receive(message, now)?;
            }
            Event::Attachment => self.look_at_attachment(now)?,
            Event::FirmwareDone(request) => {
                self.charge_request(request, Cause::Firmware, now);
                self.begin(request, now);
            }
            Event::StageDone(transaction) => self.stage_done(transaction, now),
            Event::Fabric(event) => self.fabric_event(event, now),
            Event::ArrayDone(unit) => self.array_done(unit, now),
            Event::CopyChecked(transaction) => self.program_copy(transaction, now),
            Event::CacheDram => self.cache_dram_done(now),
            Event::CacheIdle => self.destage_if_idle(now),
            Event::Patrol => self.patrol(now),
        }
        Ok(())
    }
}
