//! The end of a run: audits and the report.

use super::{Machine, Operations};
use crate::Outcome;
use crate::config::design::{Design, FabricKind};
use crate::config::workload::Workload;
use crate::fabric::Fabric;
use crate::fabric::wires::WireKind;
use crate::flash::address::{ChipId, PlaneId, UnitId};
use crate::flash::suspend::Phase;
use crate::host::link::Direction;
use crate::measure::area::{Area, Interconnect};
use crate::measure::cache::CacheReport;
use crate::measure::energy::{Activity, EnergyReport, Parts, RouterKind};
use crate::measure::map::{ChipUse, MOST_CHIPS, Map};
use crate::measure::probe::Probe;
use crate::measure::report::{FlowReport, Measures, Report, Tally, Utilisation};
use crate::sim::time::{Time, TimeSum};
use crate::workload::flow::Source;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// The results of a run that has ended.
    ///
    /// # Panics
    /// If a conservation law is broken, which is a defect of the model and makes the results worthless.
    pub fn outcome(mut self, design: &Design, workload: &Workload) -> Outcome {
        self.audit();
        let tallies: Vec<Tally> = self.flows.iter().map(|f| f.tally.clone()).collect();
        let measures = Measures::of_all(&tallies);
        let replays = self.flows.iter().zip(&workload.flow).filter_map(|(flow, config)| match &flow.source {
            Source::Replay(replay) => Some(replay.report(&config.name, flow.looping, self.clock_factor)),
            _ => None,
        });
        let (replays, time_scaling) = (replays.collect(), self.time_scaling.take());
        let report = Report {
            schema: 1,
            design: design.name.clone(),
            workload: workload.name.clone(),
            fabric: design.fabric.kind.name().to_owned(),
            seed: self.options.seed,
            precondition: self.precondition.take(),
            flash: self.flash_report(design),
            cache: self.cache_report(design.cache.power_loss_protection),
            mapping: self.translation.report(),
            utilisation: self.utilisation(),
            map: self.map_of_use(),
            energy: EnergyReport::of(&self.activity(design.fabric.kind), &design.energy),
            area: self.area(design),
            fabric_counts: self.fabric.counters().into_iter().collect(),
            flows: self.flow_reports(workload, &tallies),
            fairness: None,
            replays,
            time_scaling,
            measures,
        };
        Outcome { report, records: self.records.take(), events: self.events.pushed() }
    }

    fn flow_reports(&self, workload: &Workload, tallies: &[Tally]) -> Vec<FlowReport> {
        let names: Vec<_> = workload.flow.iter().map(|flow| flow.name.clone()).collect();
        let of = |(flow, tally): (usize, &Tally)| {
            let measures = Measures::of(tally);
            let waits = self.interference.mean_waits(flow, measures.requests.completed);
            let chip_busy_by_flow_us = waits.map(|waits| names.iter().cloned().zip(waits).collect());
            FlowReport { name: names[flow].clone(), measures, chip_busy_by_flow_us, slowdown: None }
        };
        tallies.iter().enumerate().map(of).collect()
    }

    fn cache_report(&self, power_loss_protection: bool) -> Option<CacheReport> {
        self.cache.as_ref().map(|cache| CacheReport {
            capacity_pages: cache.capacity(),
            power_loss_protection,
            dirty_pages: cache.dirty_pages().count() as u64,
            counts: cache.counts.clone(),
        })
    }

    fn utilisation(&self) -> Vec<Utilisation> {
        let end = self.events.now();
        let units = &self.array.units;
        let TimeSum(arrays) = units.iter().map(|u| u.array_busy).sum();
        let arrays = Time((arrays / units.len() as u128) as u64);
        let links: &[_] = if self.link.is_half_duplex() {
            &[("host link", Direction::ToDevice)]
        } else {
            &[("link to device", Direction::ToDevice), ("link to host", Direction::ToHost)]
        };
        let mut parts: Vec<_> =
            links.iter().map(|&(name, direction)| (name.to_owned(), self.link.busy(direction))).collect();
        parts.push(("flash arrays".to_owned(), arrays));
        parts.extend(self.attached.iter().flat_map(|pc| pc.usage()).map(|(part, busy)| (part.to_owned(), busy)));
        parts.extend(self.fabric.wires().into_iter().map(|wire| (wire.name, wire.busy)));
        parts.extend(self.controller.usage().map(|(part, busy)| (part.to_owned(), busy)));
        parts.extend(self.cache.as_ref().map(|cache| ("cache DRAM".to_owned(), cache.dram.busy())));
        let used = parts.into_iter().filter(|(_, busy)| *busy > Time::ZERO && end > Time::ZERO);
        used.map(|(part, busy)| Utilisation { part, share: busy.0 as f64 / end.0 as f64 }).collect()
    }

    /// What the drive did, for its energy.
    fn activity(&self, kind: FabricKind) -> Activity {
        let wires = self.fabric.wires();
        let count = |kind| wires.iter().filter(|wire| wire.kind == kind).count() as u32;
        let router_kind = match kind {
            FabricKind::Mesh => RouterKind::Packet,
            FabricKind::Mesh2bit => RouterKind::NarrowPacket,
            _ => RouterKind::Circuit,
        };
        let has_routers = matches!(kind, FabricKind::Mesh | FabricKind::Mesh2bit | FabricKind::Venice);
        let Operations { reads, programs, erases, read_time, program_time, erase_time } = self.operations;
        Activity {
            page_reads: reads,
            page_programs: programs,
            block_erases: erases,
            read_time,
            program_time,
            erase_time,
            wires: wires.iter().map(|wire| (wire.kind, wire.active)).collect(),
            routers: self.fabric.router_time(),
            // Every router on a packet's way buffers it; circuits cross unbuffered.
            buffers: self.fabric.router_time(),
            router_kind,
            transfers: self.transfer_time,
            parts: Parts {
                chips: self.layout.chips(),
                wires: WireKind::ALL.into_iter().map(|kind| (kind, count(kind))).collect(),
                routers: if has_routers { self.layout.chips() } else { 0 },
                ssd_controllers: 1,
            },
            execution: self.events.now().saturating_sub(self.first_arrival.unwrap_or_default()),
        }
    }

    fn area(&self, design: &Design) -> Area {
        let (rows, columns) = (self.layout.channels, self.layout.chips_per_channel);
        let interconnect = match design.fabric.kind {
            FabricKind::Bus | FabricKind::Ideal => Interconnect::buses(),
            FabricKind::Packetized | FabricKind::Omnibus | FabricKind::OmnibusSplit => Interconnect::packet_buses(),
            FabricKind::Mesh => Interconnect::mesh(rows, columns, 8),
            FabricKind::Mesh2bit => Interconnect::mesh(rows, columns, 2),
            FabricKind::Venice => Interconnect::venice(rows, columns),
        };
        Area::of(&interconnect, rows, &design.area)
    }

    fn map_of_use(&self) -> Option<Map> {
        if self.layout.chips() > MOST_CHIPS {
            return None;
        }
        let units_per_chip = self.layout.units_per_chip as usize;
        let chips: Vec<ChipUse> = self
            .array
            .units
            .chunks(units_per_chip)
            .enumerate()
            .map(|(chip, units)| {
                let arrays = units.iter().map(|u| u.array_busy.0).sum::<u64>() / units_per_chip as u64;
                let port = Time(self.array.port_busy(ChipId(chip as u32)).0 / self.fabric.ports());
                ChipUse { array: Time(arrays), port, erases: self.erases_of(ChipId(chip as u32)) }
            })
            .collect();
        let shape = (self.layout.channels, self.layout.chips_per_channel);
        Some(Map::new(shape, &chips, &self.fabric.controllers(), &self.fabric.wires(), self.events.now()))
    }

    /// Erases of a chip's blocks, mean.
    fn erases_of(&self, chip: ChipId) -> f64 {
        let planes = self.layout.planes() / self.layout.chips();
        let first = chip.0 * planes;
        let erases: u64 = (first..first + planes).map(|plane| self.blocks.wear_in(PlaneId(plane)).erases).sum();
        erases as f64 / f64::from(planes) / f64::from(self.layout.blocks_per_plane)
    }

    /// Says what every unfinished request waits for, for a run that is stuck.
    pub(super) fn explain_stuck(&self) -> String {
        let mut text = format!(
            "the simulation is stuck at {:?}: nothing is left to happen, but {} of {} requests are unfinished",
            self.events.now(),
            self.requests.len(),
            self.generated
        );
        text += &self.port.describe();
        if !self.without_room.is_empty() {
            text += &format!("; {} pages wait for a plane with room", self.without_room.len());
        }
        if let Some(cache) = &self.cache {
            text += &format!("; cache: {}", cache.describe());
        }
        let waiting = (0..self.layout.units()).map(UnitId).filter(|&unit| self.queues.has_work(unit));
        for unit in waiting.take(4) {
            text += &format!("; unit {}: {}", unit.0, self.queues.describe(unit, &self.transactions));
            if self.suspensions.phase(unit) != Phase::Idle {
                text += &format!(", {:?} a program or erase", self.suspensions.phase(unit));
            }
            let first = unit.0 * self.layout.planes_per_unit;
            for plane in (first..first + self.layout.planes_per_unit).map(PlaneId) {
                let hybrid = self.hybrid.as_ref().map(|hybrid| hybrid.describe(plane));
                let job = hybrid.unwrap_or_else(|| self.collector.describe(plane));
                let free = self.blocks.free(plane);
                text += &format!(", plane {} has {free} free blocks and {job}", plane.0);
            }
        }
        text + &self.translation.describe()
    }

    /// Conservation laws that must hold when no request is in flight.
    fn audit(&self) {
        // A probe may have broken the run off.
        assert_eq!(self.completed + self.requests.len() as u64, self.generated, "requests were lost");
        if cfg!(debug_assertions) {
            self.blocks.audit().unwrap_or_else(|problem| panic!("{problem}"));
            // When the last request ends, copies still on their way count twice; pages from the cache and translation pages
            // have no place yet.
            let valid = self.blocks.count_valid();
            let mapped =
                if self.in_place.is_some() { 0 } else { self.map.mapped() + self.blocks.count_seeded_unmapped() };
            // A page that a failed write left where it was seeded has an entry all the same.
            let doubtful = self.transactions.len() as u64 + self.failures.given_up;
            assert!(valid.abs_diff(mapped) <= doubtful, "{valid} valid pages, {mapped} mapped");
        }
    }
}
