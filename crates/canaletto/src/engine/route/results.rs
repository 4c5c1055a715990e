use super::Route;
use crate::config::design::Design;
use crate::config::named::Named;
use crate::config::units::Rate;
use crate::config::workload::Workload;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::Fabric;
use crate::fabric::facts::Interconnect;
use crate::fabric::wires::WireKind;
use crate::fabric::{facts_of, router_count};
use crate::flash::Operations;
use crate::flash::address::{ChipId, LunId, PlaneId};
use crate::flash::array::Lun;
use crate::flash::suspend::Phase;
use crate::measure::area::Area;
use crate::measure::cache::CacheReport;
use crate::measure::compute::ComputeReport;
use crate::measure::energy::{Activity, EnergyReport, Parts, Rates};
use crate::measure::load::{self, LoadReport};
use crate::measure::map::{ChipUse, MOST_CHIPS, Map};
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::Probe;
use crate::measure::records::Records;
use crate::measure::report::{FlashCounts, FlashReport, FlowReport, Measures, Report, Tally, Utilisation};

const ARRAYS: &str = "flash arrays";

pub struct Outcome {
    pub report: Report,
    /// Per-request rows that did not go to a [`RowSink`].
    pub records: Option<Records>,
    pub events: u64,
}

impl<F: Fabric, P: Probe> Route<F, P> {
    /// # Panics
    /// As [`Route::report`].
    pub fn outcome(
        mut self,
        design: &Design,
        workload: &Workload,
        precondition: Option<PreconditionReport>,
    ) -> Outcome {
        let report = self.report(design, workload, precondition);
        Outcome { report, records: self.requests.statistics.take_records(), events: self.events.pushed() }
    }

    /// # Panics
    /// If a conservation law is broken: a defect of the model.
    pub fn report(&mut self, design: &Design, workload: &Workload, precondition: Option<PreconditionReport>) -> Report {
        self.audit();
        let measures = Measures::of_all(self.requests.statistics.tallies());
        let utilisation = self.utilisation();
        let load = self.load(&measures, &utilisation);
        let (replays, time_scaling) = (self.host.replay_reports(workload), self.host.take_time_scaling());
        Report {
            schema: 1,
            design: design.name.clone(),
            workload: workload.name.clone(),
            fabric: design.fabric.kind.name().to_owned(),
            seed: self.seed,
            precondition,
            flash: self.flash_report(design),
            cache: self.cache_report(),
            mapping: self.ftl.mapping.report(),
            utilisation,
            load,
            map: self.map_of_use(),
            energy: EnergyReport::of(&self.activity(design), &design.energy),
            area: self.area(design),
            fabric_counts: self.paths.fabric.counters().into_iter().chain(self.flash.statuses.counters()).collect(),
            cut_off: self.cut_off_report(),
            namespaces: self.namespaces.clone(),
            flows: self.flow_reports(workload),
            fairness: None,
            replays,
            time_scaling,
            measures,
        }
    }

    fn flow_reports(&self, workload: &Workload) -> Vec<FlowReport> {
        let names: Vec<_> = workload.flow.iter().map(|flow| flow.name.clone()).collect();
        let of = |(flow, tally): (usize, &Tally)| {
            let measures = Measures::of(tally);
            let waits = self.pages.interference.mean_waits(flow, measures.requests.counted());
            let chip_busy_by_flow_us = waits.map(|waits| names.iter().cloned().zip(waits).collect());
            let compute = self.compute.as_ref().and_then(|compute| compute.report(flow));
            let compute = compute.map(|(at, counts, energy)| ComputeReport::of(at.name(), &counts, energy));
            FlowReport { name: names[flow].clone(), measures, chip_busy_by_flow_us, slowdown: None, compute }
        };
        self.requests.statistics.tallies().iter().enumerate().map(of).collect()
    }

    fn cache_report(&self) -> Option<CacheReport> {
        self.cache.as_ref().map(|cache| CacheReport {
            capacity_pages: cache.capacity(),
            power_loss_protection: cache.survives_power_loss,
            dirty_pages: cache.dirty_pages().count() as u64,
            counts: cache.counts.clone(),
        })
    }

    fn luns(&self) -> &[Lun] {
        &self.flash.array.luns[..self.layout.luns() as usize]
    }

    fn span(&self) -> Time {
        self.events.now().saturating_sub(self.requests.statistics.first_arrival().unwrap_or_default())
    }

    fn utilisation(&self) -> Vec<Utilisation> {
        let span = self.span();
        let luns = self.luns();
        let TimeSum(arrays) = luns.iter().map(|u| u.array_busy).sum();
        let arrays = Time((arrays / luns.len() as u128) as u64);
        let mut parts = self.host.usage();
        parts.push((ARRAYS.to_owned(), arrays));
        parts.extend(self.host.attachment_usage());
        parts.extend(self.paths.fabric.wires().into_iter().map(|wire| (wire.name, wire.busy)));
        parts.extend(self.controller.usage().map(|(part, busy)| (part.to_owned(), busy)));
        parts.extend(self.cache.as_ref().map(|cache| ("cache DRAM".to_owned(), cache.dram.busy())));
        let used = parts.into_iter().filter(|(_, busy)| *busy > Time::ZERO && span > Time::ZERO);
        used.map(|(part, busy)| Utilisation { part, share: load::use_share(busy, span) }).collect()
    }

    fn load(&self, measures: &Measures, utilisation: &[Utilisation]) -> LoadReport {
        let span = self.span();
        let dies = self.layout.luns_per_chip as usize;
        let share =
            |luns: &[Lun]| load::use_share(luns.iter().map(|lun| lun.array_busy).max().unwrap_or_default(), span);
        let chips = self.luns().chunks(dies).enumerate().map(|(chip, luns)| {
            let (row, column) =
                (chip as u32 / self.layout.chips_per_channel, chip as u32 % self.layout.chips_per_channel);
            (format!("chip {row},{column}"), share(luns))
        });
        let statistics = &self.requests.statistics;
        let paced = statistics.first_arrival().filter(|_| self.host.is_paced());
        let arrivals = paced.map(|first| (statistics.generated(), first, statistics.last_arrival()));
        LoadReport::of(arrivals, measures.iops, &measures.series, load::busiest(utilisation, chips, ARRAYS))
    }

    fn activity(&self, design: &Design) -> Activity {
        let keys = &design.fabric;
        let facts = facts_of(keys.kind);
        let wires = self.paths.fabric.wires();
        let count = |kind| wires.iter().filter(|wire| wire.kind == kind).count() as u32;
        let crossed = self.paths.fabric.router_time();
        let (grant_pins, of_eight) = keys.control_pins();
        assert!(facts.routers.is_some() || crossed == TimeSum::ZERO, "a fabric without routers crossed some");
        Activity {
            wires: wires.iter().map(|wire| (wire.kind, wire.active)).collect(),
            routers: crossed,
            // Every router on a packet's way buffers it; circuits cross unbuffered.
            buffers: crossed,
            router_kind: facts.routers,
            transfers: self.paths.transfer_time(),
            arbiter: self.paths.fabric.arbiter_time(),
            rates: Rates {
                // Links of a custom fabric have one rate, also buses.
                bus: if keys.blueprint.is_some() { keys.network_rate() } else { keys.link_rate },
                // Chips of chains are joined as by a bus, without routers.
                network: if facts.routers.is_some() { keys.network_rate() } else { keys.link_rate },
                host_link: Rate(u64::from(design.link.lanes) * design.link.lane_rate.rate().0),
                commands: Rate(of_eight.0 * u64::from(grant_pins) / 8),
                grant_pins,
            },
            parts: Parts {
                chips: self.layout.chips(),
                wires: WireKind::ALL.into_iter().map(|kind| (kind, count(kind))).collect(),
                routers: router_count(keys, self.layout.channels, self.layout.chips_per_channel),
                arbiter_cells: self.interconnect(design).arbiter.map_or(0, |arbiter| arbiter.cells),
                ssd_controllers: 1,
            },
            host_link: self.host.usage().into_iter().map(|(_, time)| time).sum(),
            compute: self.compute.as_ref().map(|compute| compute.energy_mj()),
            execution: self.span(),
            ..array_activity(self.flash.operations())
        }
    }

    fn area(&self, design: &Design) -> Area {
        Area::of(&self.interconnect(design), self.layout.channels, &design.area)
    }

    fn interconnect(&self, design: &Design) -> Interconnect {
        let (rows, columns) = (self.layout.channels, self.layout.chips_per_channel);
        (facts_of(design.fabric.kind).interconnect)(&design.fabric, rows, columns)
    }

    fn map_of_use(&self) -> Option<Map> {
        if self.layout.chips() > MOST_CHIPS {
            return None;
        }
        let luns_per_chip = self.layout.luns_per_chip as usize;
        let chips: Vec<ChipUse> = self
            .luns()
            .chunks(luns_per_chip)
            .enumerate()
            .map(|(chip, luns)| {
                let arrays = luns.iter().map(|u| u.array_busy.0).sum::<u64>() / luns_per_chip as u64;
                let port = Time(self.flash.array.port_busy(ChipId(chip as u32)).0 / self.paths.fabric.ports());
                ChipUse {
                    array: Time(arrays),
                    port,
                    erases: self.ftl.blocks().mean_erases(&self.layout, ChipId(chip as u32)),
                }
            })
            .collect();
        let shape = (self.layout.channels, self.layout.chips_per_channel);
        Some(Map::new(shape, &chips, &self.paths.fabric.controllers(), &self.paths.fabric.wires(), self.span()))
    }

    pub(super) fn explain_stuck(&self) -> String {
        let mut text = format!(
            "the simulation is stuck at {:?}: nothing is left to happen, but {} of {} requests are unfinished",
            self.events.now(),
            self.requests.len(),
            self.requests.statistics.generated()
        );
        text += &self.host.describe();
        text += &self.ftl.room.describe();
        text += &self.compute.as_ref().map_or(String::new(), |compute| compute.describe());
        if let Some(cache) = &self.cache {
            text += &format!("; cache: {}", cache.describe());
        }
        let waiting = (0..self.layout.luns()).map(LunId).filter(|&lun| self.scheduler.queues.has_work(lun));
        for lun in waiting.take(4) {
            let queued = self.scheduler.queues.describe(lun, &self.pages.transactions);
            text += &format!("; LUN {}: {queued}", lun.0);
            if self.flash.phase(lun) != Phase::Idle {
                text += &format!(", {:?} a program or erase", self.flash.phase(lun));
            }
            let first = lun.0 * self.layout.planes_per_lun;
            for plane in (first..first + self.layout.planes_per_lun).map(PlaneId) {
                text += &self.ftl.describe_plane(plane);
            }
        }
        text + &self.ftl.mapping.describe()
    }

    fn audit(&self) {
        // A probe may have broken the run off.
        let (statistics, unfinished) = (&self.requests.statistics, self.requests.len() as u64);
        assert_eq!(statistics.completed() + unfinished, statistics.generated(), "requests were lost");
        if cfg!(debug_assertions) {
            self.ftl.audit(self.pages.transactions.len() as u64);
        }
    }

    fn flash_report(&self, design: &Design) -> FlashReport {
        let Operations { reads, programs, erases, .. } = *self.flash.operations();
        let (program_failures, erase_failures) = self.flash.failed();
        let in_cache = self.flash.operations_in_cache();
        let flash = FlashCounts {
            reads,
            programs,
            erases,
            suspensions: self.flash.suspensions.count,
            copybacks: self.flash.copybacks.count,
            in_cache: [in_cache.reads, in_cache.programs, in_cache.erases],
            read_retries: self.flash.read_retries(),
            outer_reads: self.flash.outer_reads(),
            program_failures,
            erase_failures,
        };
        let mut report = self.ftl.report(&flash, design.wear.endurance);
        if let Some(cache) = &mut report.pslc {
            cache.energy_mj = array_energy_mj(self.flash.operations_in_cache(), design);
        }
        if let Some(parity) = &mut report.parity {
            parity.energy_mj = array_energy_mj(self.flash.operations_of_parity(), design);
        }
        if let Some(fdp) = &mut report.fdp {
            fdp.invalid_placements = self.host.invalid_placements;
        }
        report
    }
}

fn array_energy_mj(operations: &Operations, design: &Design) -> f64 {
    EnergyReport::of(&array_activity(operations), &design.energy).energy_mj.array
}

fn array_activity(operations: &Operations) -> Activity {
    let Operations { read_time, program_time, erase_time, .. } = *operations;
    Activity { read_time, program_time, erase_time, ..Activity::default() }
}
