//! Keys of a PC with a fixed-latency drive, for studies of attachments alone.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::attach::Attachment;
use crate::units::{Duration, Rate, in_bytes};

/// PC with a drive of stated latencies and rates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pc {
    /// Attachment of the drive.
    pub attachment: Attachment,
    /// Latencies and rates of the drive.
    pub ssd: FixedSsd,
    /// Device driver of the operating system.
    pub driver: Driver,
    /// Network that a download comes from.
    pub network: Network,
}

/// Parts behind a second port of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Internals {
    /// Buffer, controller and flash for each port. Assumed from the slides, in which the direct path shortens reads
    /// that are almost hidden behind flash.
    #[default]
    PerPort,
    /// Parts shared by both ports.
    Shared,
}

/// Drive of stated latencies and rates. The parts behind each port serve one chunk at a time at the rate below, and
/// each chunk is ready the latency later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FixedSsd {
    /// Latency of data in the buffer. Assumed: two accesses to DRAM.
    pub hit_latency: Duration,
    /// Rate of the buffer. Assumed: DDR2-800's, so it is no limit.
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub hit_rate: Rate,
    /// Latency of data on flash. Assumed: tR of SLC flash, 25 us (Samsung K9XXG08UXM data sheet), and as much again for
    /// the controller.
    pub miss_latency: Duration,
    /// Rate of flash reads (slides, "SSD Benchmark Chart": 250 MB/s, the fastest drive).
    pub miss_rate: Rate,
    /// Time from the last data of a write to its end. Assumed: tPROG of SLC flash, 200 us (same data sheet).
    pub write_latency: Duration,
    /// Rate of flash writes (slides, "SSD Benchmark Chart": 170 MB/s, the same drive).
    pub write_rate: Rate,
    /// Parts behind a second port.
    pub internals: Internals,
}

impl FixedSsd {
    /// The drive without its own latencies and limits.
    pub fn without_inside(&self) -> FixedSsd {
        let none = Duration(0);
        let unlimited = Rate(0);
        FixedSsd {
            hit_latency: none,
            hit_rate: unlimited,
            miss_latency: none,
            miss_rate: unlimited,
            write_latency: none,
            write_rate: unlimited,
            internals: self.internals,
        }
    }
}

impl Default for FixedSsd {
    fn default() -> Self {
        FixedSsd {
            hit_latency: Duration::from_ns(100),
            hit_rate: Rate(6_400_000_000),
            miss_latency: Duration::from_ns(50_000),
            miss_rate: Rate(250_000_000),
            write_latency: Duration::from_ns(200_000),
            write_rate: Rate(170_000_000),
            internals: Internals::default(),
        }
    }
}

/// Device driver of the operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Driver {
    /// Processor time to make a DMA command. Assumed: 1 us.
    pub command: Duration,
    /// Processor time to pack a second DMA into the same command. Assumed: 200 ns.
    pub pack: Duration,
    /// Processor time from an interrupt to the end of the DMA. Assumed: 1 us.
    pub interrupt: Duration,
    /// Size of the descriptor of one DMA, in bytes, which its engine fetches from main memory. Assumed: command header
    /// and table of AHCI 1.1 (32 and 128 B) with one entry of 16 B.
    #[schemars(range(min = 1, max = 4096))]
    pub descriptor_bytes: u32,
}

impl Default for Driver {
    fn default() -> Self {
        Driver {
            command: Duration::from_ns(1_000),
            pack: Duration::from_ns(200),
            interrupt: Duration::from_ns(1_000),
            descriptor_bytes: 176,
        }
    }
}

/// Network interface at the south bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Rate of the network (ICH8 has Gigabit Ethernet).
    pub rate: Rate,
    /// Number of blocks of a download; two of them are in main memory at a time. Assumed: 16.
    #[schemars(range(min = 1, max = 1024))]
    pub blocks: u32,
}

impl Default for Network {
    fn default() -> Self {
        Network { rate: Rate(125_000_000), blocks: 16 }
    }
}
