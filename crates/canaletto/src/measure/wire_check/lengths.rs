use crate::config::design::{Design, Fabric, FabricKind, SequenceKind};
use crate::config::kinds::Signalling;
use crate::engine::time::Time;
use crate::flash::interface::Operation;
use crate::measure::probe::{Carries, Load};
use crate::measure::wire_check::distances::Distances;

const PS_PER_S: u128 = 1_000_000_000_000;

/// Flits of a data packet before its payload: a header and two of size (Networked SSD §IV-B, Fig. 8).
const DATA_HEADER: u64 = 3;

/// Bytes of the ECC word of a part of a page (`fabric.clusters.chunk`).
const CHUNK_PARITY: u64 = 126;

/// Flits that ask a chip for read data: a header and a command (Fig. 8, "read data transfer").
const REQUEST: u64 = 2;

/// A header, a command and two bytes of column.
const NEXT_COLUMN: u64 = 1 + 1 + 2;

#[derive(Debug, Clone)]
pub struct Lengths {
    fabric: Fabric,
    distances: Distances,
}

fn at_rate(bytes: u64, rate: u64) -> Time {
    if rate == 0 { Time::ZERO } else { Time((u128::from(bytes) * PS_PER_S / u128::from(rate)) as u64) }
}

/// Per plane two command bytes and the address, which has three bytes for an erase (ONFI 5.1 §5).
fn full_cycles(operation: Operation, planes: u64) -> u64 {
    if operation == Operation::Erase { 5 * planes } else { 7 * planes }
}

const CONTROL_CYCLES: u64 = 1 + 3;

const COLUMN_CYCLES: u64 = 7;

/// Bits of a packet on separate command pins: a header of four and a byte (JESD230G §10).
const PACKET_BITS: u64 = 12;

/// Dedicated signals: a read has a command and five addresses per plane (as MQSim, without the confirming cycle), an
/// erase a command and three.
fn cycles(operation: Operation, planes: u64) -> u64 {
    match operation {
        Operation::Read => 6 * planes,
        Operation::Program => 5 * planes + 1,
        Operation::Erase => 4 * planes,
    }
}

/// Commands, two bytes of column, three of row (an erase has no column).
fn command_bytes(operation: Operation) -> u64 {
    if operation == Operation::Erase { 2 + 3 } else { 2 + 2 + 3 }
}

/// Rate of a bus with the pads of its dies, or of its buffers or a buffer's dies, whichever are more.
fn slowed(design: &Design) -> u64 {
    let (fabric, load, geometry) = (&design.fabric, &design.fabric.load, &design.geometry);
    let chips = match fabric.kind {
        FabricKind::Bus | FabricKind::Packetized => geometry.chips_per_channel,
        FabricKind::Ideal => 1,
        _ => 0,
    };
    let dies = chips * geometry.dies_per_chip;
    let behind = if load.dies_per_buffer == 0 { 1 } else { load.dies_per_buffer.min(dies.max(1)) };
    let pads = dies.div_ceil(behind).max(if load.dies_per_buffer == 0 { 0 } else { behind });
    if load.full_rate_dies == 0 || pads <= load.full_rate_dies {
        return fabric.link_rate.0;
    }
    (u128::from(fabric.link_rate.0) * u128::from(load.full_rate_dies) / u128::from(pads)) as u64
}

impl Lengths {
    pub fn buffer(&self) -> Time {
        if self.fabric.load.is_buffered() { self.fabric.load.buffer_delay.time() } else { Time::ZERO }
    }

    pub fn new(design: &Design) -> Lengths {
        let mut fabric = design.fabric.clone();
        fabric.link_rate.0 = slowed(design);
        Lengths { fabric, distances: Distances::of(&design.fabric) }
    }

    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    pub fn flit(&self) -> Time {
        let bits = if self.fabric.kind == FabricKind::Mesh2bit { 4 } else { 1 };
        let rate = u128::from(self.fabric.network_rate().0);
        Time((bits * PS_PER_S).div_ceil(rate) as u64)
    }

    /// From one link to the earliest on the next.
    pub fn mesh_hop(&self) -> Time {
        self.flit() + self.fabric.network.router_delay.time()
    }

    /// Two flits of a type bit, a mode bit and a number (Venice §4.2, Fig. 6), and the router's delay.
    pub fn scout_hop(&self, chips: u32, controllers: u32) -> Time {
        let bits = |count: u32| u32::BITS - count.saturating_sub(1).leading_zeros();
        let flit = (2 + bits(chips).max(bits(controllers))).div_ceil(8);
        self.flit() * (2 * u64::from(flit)) + self.fabric.network.router_delay.time()
    }

    /// Request and grant, each a message and the time to act on it.
    pub fn agreement(&self) -> Time {
        let control = &self.fabric.omnibus.control;
        let rate = control.rate.0.saturating_mul(u64::from(control.width));
        (at_rate(64, rate) + control.delay.time()) * 2
    }

    pub fn join(&self) -> (Time, Time) {
        (Time(self.agreement().0 / 2), at_rate(NEXT_COLUMN, self.fabric.link_rate.0))
    }

    /// From one link to the next.
    pub fn chain_hop(&self) -> Time {
        self.fabric.chain.hop_delay.time()
    }

    fn lanes(&self) -> u64 {
        if matches!(self.fabric.kind, FabricKind::Packetized | FabricKind::Clusters) { 2 } else { 1 }
    }

    /// Kind and direction, a trunk, and an inner bus with a chip; or two of these.
    pub fn grant(&self, controllers: u32) -> Time {
        let keys = &self.fabric.clusters;
        let bits = |count: u32| u64::from(u32::BITS - count.saturating_sub(1).leading_zeros());
        let chip = bits(keys.inner_buses) + bits(keys.chips_per_switch / keys.inner_buses);
        let trunk = bits(keys.trunks.unwrap_or(4).min(controllers));
        at_rate((2 + trunk + chip).max(1 + 2 * chip), keys.grant_rate.0 * u64::from(keys.grant_width))
    }

    /// The way, and of both ends of the run a column and one of four links.
    pub fn row_grant(&self, columns: u32) -> Time {
        let keys = &self.fabric.scheduled_mesh;
        let column = u64::from(u32::BITS - columns.saturating_sub(1).leading_zeros());
        at_rate(1 + 2 * (column + 2), keys.grant_rate.0 * u64::from(keys.grant_width))
    }

    /// Of a search, out and back, and from a grant to the first cycle.
    pub fn scheduled(&self, links: usize) -> (Time, Time) {
        let keys = &self.fabric.scheduled_mesh;
        (keys.search_step.time() * (2 * links as u64), keys.setup.time())
    }

    pub fn switch(&self) -> (Time, Time) {
        (self.fabric.clusters.setup.time(), self.fabric.clusters.delay.time())
    }

    /// As its source has it, whatever the list of fabrics says.
    fn signalling(&self) -> Signalling {
        match self.fabric.kind {
            FabricKind::Bus | FabricKind::Ideal => Signalling::Cycles,
            FabricKind::Sca => Signalling::Separate,
            FabricKind::Venice | FabricKind::ScheduledMesh | FabricKind::Custom => Signalling::Circuit,
            FabricKind::Mesh | FabricKind::Mesh2bit => Signalling::Network,
            FabricKind::Packetized | FabricKind::Omnibus | FabricKind::OmnibusSplit | FabricKind::Clusters => {
                Signalling::Packets
            }
            FabricKind::DaisyChain | FabricKind::Ring => Signalling::Packets,
        }
    }

    fn is_in_parts(&self, load: &Load) -> bool {
        let chunk = self.fabric.clusters.chunk.0;
        self.fabric.kind == FabricKind::Clusters && chunk > 0 && load.carries != Carries::Copy
    }

    pub fn command(&self, load: &Load) -> Time {
        let planes = u64::from(load.planes.count_ones());
        if self.fabric.steps.is_some() {
            return Time::ZERO;
        }
        match load.carries {
            Carries::Copy => return Time::ZERO,
            Carries::Data if !self.is_full() => return Time::ZERO,
            Carries::Data => return self.column(),
            Carries::Control => return self.cycles(CONTROL_CYCLES),
            Carries::Command => {}
        }
        if let Some(stated) = self.fabric.command_time {
            return stated.time();
        }
        if self.is_full() && matches!(self.signalling(), Signalling::Cycles | Signalling::Circuit) {
            return self.cycles(full_cycles(load.operation, planes));
        }
        let (bytes, rate) = (command_bytes(load.operation), self.fabric.link_rate.0);
        match self.signalling() {
            Signalling::Cycles => {
                Time::from_ns(self.distances.t_cs + cycles(load.operation, planes) * self.distances.t_cad)
            }
            Signalling::Packets => {
                Time::from_ns(self.distances.t_cs) + at_rate(planes * (1 + bytes), self.lanes() * rate)
            }
            Signalling::Separate => self.cycles(planes * bytes),
            Signalling::Network => self.flit() * (planes * (1 + bytes)),
            Signalling::Circuit => at_rate(planes * bytes, self.fabric.network_rate().0),
        }
    }

    pub fn is_full(&self) -> bool {
        self.fabric.command_time.is_none() && self.fabric.sequences == SequenceKind::Full
    }

    fn column(&self) -> Time {
        match self.signalling() {
            Signalling::Cycles | Signalling::Circuit => {
                self.cycles(COLUMN_CYCLES) + Time::from_ns(self.distances.t_ccs)
            }
            Signalling::Separate => self.cycles(COLUMN_CYCLES),
            _ => Time::ZERO,
        }
    }

    fn cycles(&self, count: u64) -> Time {
        let rate = self.fabric.link_rate.0;
        match self.signalling() {
            Signalling::Cycles | Signalling::Circuit => {
                Time::from_ns(self.distances.t_cs + count * self.distances.t_cad)
            }
            Signalling::Separate => {
                let bits = self.fabric.sca.ca_rate.0 * u64::from(self.fabric.sca.ca_width);
                Time::from_ns(self.distances.t_cs) + at_rate(count * PACKET_BITS, bits)
            }
            Signalling::Packets => at_rate(count, self.lanes() * rate),
            // A chip on a network sends header and status by itself.
            Signalling::Network => self.flit() * count.min(2),
        }
    }

    pub fn data(&self, load: &Load) -> Time {
        let (bytes, rate) = (load.bytes, self.fabric.link_rate.0);
        if bytes == 0 {
            return Time::ZERO;
        }
        match self.signalling() {
            Signalling::Separate => at_rate(bytes, rate),
            Signalling::Cycles => match u64::from(self.fabric.burst_bytes) {
                0 => at_rate(bytes, rate),
                burst => {
                    // Whole bursts, rounded to a picosecond.
                    let bursts = (bytes / burst).saturating_sub(u64::from(load.planes.count_ones()) - 1);
                    let time = self.fabric.burst_time().min(at_rate(burst, rate));
                    Time(bursts * time.0).saturating_sub(Time(bursts))
                }
            },
            Signalling::Packets if self.is_in_parts(load) => {
                let keys = &self.fabric.clusters;
                let asked = if load.carries == Carries::Data { REQUEST } else { 0 };
                let (parts, pages) = (bytes.div_ceil(keys.chunk.0), u64::from(load.planes.count_ones()));
                let flits = bytes + parts * (asked + DATA_HEADER + CHUNK_PARITY);
                at_rate(flits + parts.saturating_sub(pages) * NEXT_COLUMN, self.lanes() * rate)
            }
            Signalling::Packets => {
                let asked = if load.carries == Carries::Data { REQUEST } else { 0 };
                at_rate(asked + DATA_HEADER + bytes, self.lanes() * rate)
            }
            Signalling::Network => {
                let packets = bytes.div_ceil(self.fabric.mesh.packet.0.max(1));
                self.flit() * (bytes + DATA_HEADER * packets)
            }
            Signalling::Circuit => at_rate(bytes, self.fabric.network_rate().0),
        }
    }
}
