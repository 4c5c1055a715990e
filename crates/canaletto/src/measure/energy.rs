//! Energy: a run's activity times the powers of its parts.
//!
//! The *physical* account adds what every operation, transfer and idle part took. The *paper's* account follows Venice
//! §6.4: the mean power of parts at work, times execution time (`docs/explanation/energy.md`).

use serde::Serialize;

use crate::JsonSchema;
use crate::config::energy::{Array, Energy, Idle, RouterSource, Wires};
use crate::config::units::{Power, Rate};
use crate::engine::time::{Time, TimeSum};
use crate::fabric::facts::RouterKind;
use crate::fabric::wires::WireKind;
use crate::measure::synthesis;

/// Rates of eight data wires for which powers are stated (Venice Table 1): of a bus, and of a link at 8 bit and 1 GHz.
const BUS: Rate = Rate(1_200_000_000);
const NETWORK: Rate = Rate(1_000_000_000);

/// Power of a cell of the arbiter of `scheduled-mesh`, one per router, while the arbiter searches. Assumed: a tenth of a
/// router's, because a cell has the states of five ports and no data path.
const ARBITER_CELL: Power = Power(24_000);

/// How many parts there are, for what they draw all the time.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Flash chips.
    pub chips: u32,
    /// A link each way counts as two. A kind may occur more than once.
    pub wires: Vec<(WireKind, u32)>,
    /// Routers.
    pub routers: u32,
    /// Cells of a central arbiter.
    pub arbiter_cells: u32,
    /// One per drive, with its DRAM and flash controllers.
    pub ssd_controllers: u32,
}

/// Activity of a drive during a run.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Array time of the reads, summed over planes at work.
    pub read_time: TimeSum,
    /// Array time of the programs, summed over planes at work.
    pub program_time: TimeSum,
    /// Array time of the erases, summed over planes at work.
    pub erase_time: TimeSum,
    /// Time during which wires of a kind toggle, summed over wires. A kind may occur more than once.
    pub wires: Vec<(WireKind, Time)>,
    /// Time during which data cross routers, summed over routers.
    pub routers: TimeSum,
    /// Time during which a central arbiter searches.
    pub arbiter: Time,
    /// Time during which data are written into routers' buffers; the power includes reading them again.
    pub buffers: TimeSum,
    /// Kind of the routers and buffers.
    pub router_kind: Option<RouterKind>,
    /// Durations of transfers, each once, however many wires it crosses. For the paper's formula.
    pub transfers: TimeSum,
    /// Rates at which data crossed wires and routers.
    pub rates: Rates,
    /// Time during which the host link carries anything, summed over its directions.
    pub host_link: TimeSum,
    /// Energy of units that compute, in millijoules; none without tasks.
    pub compute: Option<f64>,
    /// How many parts there are.
    pub parts: Parts,
    /// First arrival to last completion.
    pub execution: Time,
}

/// Rates for eight data wires each; the defaults are those for which powers are stated.
#[derive(Debug, Clone)]
pub struct Rates {
    /// Buses and single lines.
    pub bus: Rate,
    /// Links, routers and buffers.
    pub network: Rate,
    /// All lanes of the host link in a direction.
    pub host_link: Rate,
    /// All pins that carry commands alone, or grants.
    pub commands: Rate,
    /// How many of these pins there are.
    pub grant_pins: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Rates { bus: BUS, network: NETWORK, host_link: NETWORK, commands: BUS, grant_pins: 0 }
    }
}

/// Energy by origin, in millijoules.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "Energy")]
pub struct Totals {
    /// Reading, programming and erasing, in millijoules.
    pub array: f64,
    /// Moving commands and data between controller and chips, in millijoules.
    pub fabric: f64,
    /// Moving messages and data over the host link, in millijoules. Absent without `energy.wires.host_link`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_link: Option<f64>,
    /// Units that compute on tasks, also the host, in millijoules. Absent without tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<f64>,
    /// Drawn all the time, in millijoules.
    #[serde(rename = "static")]
    pub idle: f64,
    /// All of it, in millijoules.
    pub total: f64,
}

/// Energy of the flash arrays, in millijoules.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct ArrayEnergy {
    /// Reads, in millijoules.
    pub read: f64,
    /// Programs, in millijoules.
    pub program: f64,
    /// Erases, in millijoules.
    pub erase: f64,
}

/// Energy of the interconnect at work, in millijoules.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct FabricEnergy {
    /// Wires, in millijoules.
    pub wires: f64,
    /// Routers without their buffers, and a central arbiter, in millijoules.
    pub routers: f64,
    /// Routers' buffers, in millijoules.
    pub buffers: f64,
}

/// Energy drawn all the time, in millijoules.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct IdleEnergy {
    /// Flash chips, in millijoules.
    pub chips: f64,
    /// Wires, in millijoules.
    pub wires: f64,
    /// Routers, and a central arbiter, in millijoules.
    pub routers: f64,
    /// The SSD controller with its DRAM, in millijoules.
    pub controller: f64,
}

/// The paper's account; none if nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "PaperEnergy")]
pub struct Paper {
    /// Mean power of an operation or transfer while it lasts, in milliwatts.
    pub average_power_mw: Option<f64>,
    /// That power times execution time, in millijoules.
    pub energy_mj: Option<f64>,
}

/// Energy part by part, in millijoules.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "EnergyDetail")]
pub struct Detail {
    /// By operation, in millijoules.
    pub array: ArrayEnergy,
    /// By part at work, in millijoules.
    pub fabric: FabricEnergy,
    /// By part, in millijoules.
    #[serde(rename = "static")]
    pub idle: IdleEnergy,
    /// The account of the Venice paper, next to the physical one.
    pub paper: Paper,
}

/// Energy of a run. To be flattened into its report.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct EnergyReport {
    /// Energy by origin, in millijoules.
    pub energy_mj: Totals,
    /// Total over execution time, in milliwatts; none for a run of no length.
    pub average_power_mw: Option<f64>,
    /// Energy part by part, in millijoules.
    pub energy_detail: Detail,
}

impl EnergyReport {
    /// Energy of `activity`.
    pub fn of(activity: &Activity, keys: &Energy) -> EnergyReport {
        let array = array_energy(activity, &keys.array);
        let fabric = fabric_energy(activity, keys);
        let idle = idle_energy(activity, keys);
        let arrays = array.read + array.program + array.erase;
        let moving = fabric.wires + fabric.routers + fabric.buffers;
        let always = idle.chips + idle.wires + idle.routers + idle.controller;
        let host_link = host_link_energy(activity, keys);
        let compute = activity.compute;
        let total = arrays + moving + host_link.unwrap_or(0.0) + compute.unwrap_or(0.0) + always;
        let energy_mj = Totals { array: arrays, fabric: moving, host_link, compute, idle: always, total };
        let paper = paper(activity, arrays + moving);
        EnergyReport {
            energy_mj,
            average_power_mw: over(energy_mj.total, activity.execution),
            energy_detail: Detail { array, fabric, idle, paper },
        }
    }
}

fn energy(power: Power, time: impl Into<TimeSum>) -> f64 {
    power.mw() * time.into().seconds()
}

fn over(millijoules: f64, time: impl Into<TimeSum>) -> Option<f64> {
    let time = time.into();
    (time > TimeSum::ZERO).then(|| millijoules / time.seconds())
}

fn array_energy(activity: &Activity, keys: &Array) -> ArrayEnergy {
    ArrayEnergy {
        read: energy(keys.read_power, activity.read_time),
        program: energy(keys.program_power, activity.program_time),
        erase: energy(keys.erase_power, activity.erase_time),
    }
}

fn share(channel: Power, parts: u64) -> Power {
    Power(channel.0 / parts)
}

fn wires_of(keys: &Wires, kind: WireKind) -> (Power, f64, bool) {
    match kind {
        WireKind::Channel | WireKind::Column => (keys.channel, 1.0, true),
        WireKind::WideChannel => (keys.channel, WIDE, true),
        // A buffer drives the wires behind it like a channel.
        WireKind::BufferedChannel => (keys.channel, 2.0, true),
        WireKind::BufferedWideChannel => (keys.channel, 2.0 * WIDE, true),
        // Its pins are part of the channel, whose leakage is stated.
        WireKind::CommandChannel => (keys.channel, 0.0, true),
        // Assumed: half as long as a channel, with one chip instead of eight.
        WireKind::Path => (share(keys.channel, 2), 1.0, true),
        // As short as a link between routers.
        WireKind::Link | WireKind::ControllerLink => (keys.link, 1.0, false),
        WireKind::NarrowLink | WireKind::NarrowControllerLink => (keys.link, NARROW, false),
        // Assumed: as long as a channel, with as many chips.
        WireKind::Trunk => (keys.channel, WIDE, true),
        // Assumed: a quarter of a channel's length, with two chips.
        WireKind::InnerBus => (share(keys.channel, 4), WIDE, true),
        // See `width_of`.
        WireKind::GrantLine => (share(keys.channel, 2), 0.0, true),
        WireKind::GrantBus => (keys.channel, 0.0, true),
    }
}

fn width_of(keys: &Wires, rates: &Rates, kind: WireKind) -> f64 {
    match kind {
        WireKind::GrantLine | WireKind::GrantBus => f64::from(rates.grant_pins) / 8.0,
        _ => wires_of(keys, kind).1,
    }
}

const NARROW: f64 = 0.25;

const WIDE: f64 = 2.0;

/// Energy per bit at the wires' rate; terminations by the time.
fn wire_power(keys: &Energy, rates: &Rates, kind: WireKind) -> f64 {
    if kind == WireKind::CommandChannel {
        // Per bit, without termination (JESD230G §10).
        return keys.wires.channel.mw() * ratio(rates.commands, BUS);
    }
    let (stated, width, is_bus) = wires_of(&keys.wires, kind);
    if matches!(kind, WireKind::GrantLine | WireKind::GrantBus) {
        return stated.mw() * ratio(rates.commands, BUS);
    }
    if is_bus {
        let termination = 8.0 * keys.wires.termination.mw();
        width * (stated.mw() * ratio(rates.bus, BUS) + termination)
    } else {
        width * stated.mw() * network_ratio(rates)
    }
}

fn router_power(keys: &Energy, kind: Option<RouterKind>) -> f64 {
    match (kind, keys.router) {
        (None, _) => 0.0,
        (Some(RouterKind::Circuit | RouterKind::Packet), RouterSource::Paper) => keys.routers.circuit.mw(),
        (Some(RouterKind::Circuit), RouterSource::Synthesised) => synthesis::CIRCUIT_POWER.mw(),
        (Some(RouterKind::Packet), RouterSource::Synthesised) => synthesis::PACKET_POWER.mw(),
        // A router of two bits was not synthesised.
        (Some(RouterKind::NarrowPacket), _) => NARROW * keys.routers.circuit.mw(),
        // Nor was a switch. Assumed: as a circuit-switched router.
        (Some(RouterKind::Switch), _) => WIDE * keys.routers.circuit.mw(),
    }
}

fn buffer_power(keys: &Energy, kind: Option<RouterKind>) -> f64 {
    match kind {
        // Circuit-switched routers' two bytes per port are part of their power.
        None | Some(RouterKind::Circuit | RouterKind::Switch) => 0.0,
        Some(RouterKind::Packet) => keys.routers.buffer.mw(),
        Some(RouterKind::NarrowPacket) => NARROW * keys.routers.buffer.mw(),
    }
}

fn arbiter_power(activity: &Activity) -> f64 {
    f64::from(activity.parts.arbiter_cells) * ARBITER_CELL.mw()
}

fn ratio(rate: Rate, reference: Rate) -> f64 {
    rate.0 as f64 / reference.0 as f64
}

fn network_ratio(rates: &Rates) -> f64 {
    ratio(rates.network, NETWORK)
}

fn fabric_energy(activity: &Activity, keys: &Energy) -> FabricEnergy {
    let Activity { router_kind, rates, .. } = activity;
    let crossing = match router_kind {
        // Its wires are buses.
        Some(RouterKind::Switch) => ratio(rates.bus, NETWORK),
        _ => network_ratio(rates),
    };
    FabricEnergy {
        wires: activity.wires.iter().map(|&(kind, time)| wire_power(keys, rates, kind) * time.seconds()).sum(),
        routers: crossing * router_power(keys, *router_kind) * activity.routers.seconds()
            + arbiter_power(activity) * activity.arbiter.seconds(),
        buffers: crossing * buffer_power(keys, *router_kind) * activity.buffers.seconds(),
    }
}

fn host_link_energy(activity: &Activity, keys: &Energy) -> Option<f64> {
    let stated = keys.wires.host_link;
    let power = stated.mw() * ratio(activity.rates.host_link, NETWORK);
    (stated.0 > 0).then(|| power * activity.host_link.seconds())
}

fn idle_energy(activity: &Activity, keys: &Energy) -> IdleEnergy {
    let Idle { chip, leakage, controller } = keys.idle;
    let Parts { chips, wires, routers, ssd_controllers, .. } = &activity.parts;
    let span = activity.execution.seconds();
    // Leakage follows the number of wires and gates, not their rate.
    let leaking = |kind| {
        let (stated, ..) = wires_of(&keys.wires, kind);
        leakage * width_of(&keys.wires, &activity.rates, kind) * stated.mw()
    };
    IdleEnergy {
        chips: chip.mw() * span * f64::from(*chips),
        wires: wires.iter().map(|&(kind, count)| leaking(kind) * span * f64::from(count)).sum(),
        routers: leakage * router_power(keys, activity.router_kind) * span * f64::from(*routers)
            + leakage * arbiter_power(activity) * span,
        controller: controller.mw() * span * f64::from(*ssd_controllers),
    }
}

/// Venice §6.4: mean power of operations and transfers, times execution time.
fn paper(activity: &Activity, dynamic_mj: f64) -> Paper {
    let durations = activity.read_time + activity.program_time + activity.erase_time + activity.transfers;
    let average_power_mw = over(dynamic_mj, durations);
    Paper { average_power_mw, energy_mj: average_power_mw.map(|power| power * activity.execution.seconds()) }
}

#[cfg(test)]
mod tests;
