//! Keys of the energy model: energy and power of each operation and part.
//!
//! `docs/explanation/energy.md` holds the formulas and discusses the values. A power counts while its part works, so
//! that the same page over a shorter way costs less.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::Power;

/// Powers and energies. "Venice" is "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses", ISCA
/// 2023. Its milliwatts are "for a 4 KB page transfer" and count for as long as the transfer takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Energy {
    /// Origin of the power of 8-bit routers: the keys below, or the synthesis of the hardware in `rtl/`, which replaces
    /// `energy.routers.circuit` (docs/explanation/energy.md says how its power is estimated).
    pub router: RouterSource,
    /// Flash array.
    pub array: Array,
    /// Wires, while data, commands or scouts cross them.
    pub wires: Wires,
    /// Routers and their buffers, while data cross them.
    pub routers: Routers,
    /// Parts that draw power at all times.
    pub idle: Idle,
}

/// Origin of what a router takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RouterSource {
    /// Published figures and what is assumed next to them: the keys of routers.
    #[default]
    Paper,
    /// Synthesis of the hardware in `rtl/` to cells of 0.18 um, not converted to another technology.
    Synthesised,
}

/// Flash array. Each working plane of a die counts, so that the pages of a multi-plane command cost as much together as
/// one by one.
///
/// The powers are the currents of a Micron MT29F64* die, 25 mA at 3.3 V for each operation (ONFI's ICC1, ICC2, ICC3),
/// taken from the defaults of SimpleSSD 2.0 (`pal/config.cc`), which name the part. Venice took its powers from
/// Samsung's SZ985 and does not print them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Array {
    /// Power of a plane while it reads a page. Source: Micron MT29F64*, ICC1, by way of SimpleSSD.
    pub read_power: Power,
    /// Power of a plane while it programs a page. Source: Micron MT29F64*, ICC2, by way of SimpleSSD.
    pub program_power: Power,
    /// Power of a plane while it erases a block. Source: Micron MT29F64*, ICC3, by way of SimpleSSD.
    pub erase_power: Power,
}

/// Power of eight data wires at work: of a bus at 1.2 GB/s, of a link at 1 GB/s (Venice Table 1). More or fewer wires
/// (`packetized`, `mesh-2bit`) take power in proportion.
///
/// Toggling wires take energy by the bit, ½ α C V² with capacitance C, swing V and activity α (Wang et al., "Orion: A
/// Power-Performance Simulator for Interconnection Networks", MICRO 2002). Terminations and leakage are drawn by the
/// time, at any rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wires {
    /// Channel with its chips; also the buses of omnibus, and the grants to a row of routers (`scheduled-mesh`). Source:
    /// Venice §6.6: a link's 1.08 mW are 90 % less, so 10.8 mW. Assumed: a column bus takes as much as a row bus.
    pub channel: Power,
    /// Power of the termination of each data wire of a bus, whatever its rate, while commands or data cross it. Default:
    /// none, because Venice's figures are whole, and ORION 3.0, which gave them, has unterminated wires. ONFI's on-die
    /// termination takes (VccQ / 2)² / (Ron + Rtt) a wire (docs/explanation/energy.md).
    pub termination: Power,
    /// Link between neighbouring routers, each direction for itself. Source: Venice Table 4 (1.08 mW, by ORION 3.0).
    pub link: Power,
    /// Eight lanes or data pins of the host link (`link`) at 1 GB/s, while anything crosses them.
    /// Default: none, because PCI Express is part of `energy.idle.controller`. UCIe takes 2 mW (0.25 pJ per bit up to 16 GT/s on a
    /// bridge) to 4.8 mW (0.6 pJ per bit above in an organic package): Das Sharma, Hot Interconnects 2025. Pins of a DRAM stack take
    /// 6.4 mW (0.8 pJ per bit, HBM2: O'Connor et al., MICRO 2017, Table 3) to 14.3 mW (1.8 pJ per bit at 5.12 Gb/s: A-SSCC 2022).
    pub host_link: Power,
}

/// Power of working routers of eight data wires at 1 GB/s. Narrower ones (`mesh-2bit`) take power in proportion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Routers {
    /// Router without the buffers of packets. Source: Venice Table 4 (0.241 mW, HDL synthesized for UMC 65 nm). Assumed: a
    /// packet router takes as much as a circuit-switched one. The data path dominates and more elaborate control costs
    /// little (Banerjee, Mullins, Moore, NOCS 2007).
    pub circuit: Power,
    /// Buffer of a packet router, written and later read. Assumed: 2.5 pJ a byte at 1 GB/s: 10 pJ for 64 bits of an 8
    /// KiB memory in 45 nm (Horowitz, ISSCC 2014), once in, once out; NoSSD's buffers hold pages.
    pub buffer: Power,
}

/// Power drawn at all times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Idle {
    /// Standby power of each flash chip. Source: Micron MT29F64* standby current, 10 uA at 3.3 V, by way of SimpleSSD
    /// 2.0. Chips that stay selected while idle draw 5 mA (16.5 mW, same source).
    pub chip: Power,
    /// Idle power of wires and routers, as a share of their working power at the reference rate. Assumed: 1 %, the order of leakage (Venice's
    /// router has some 430 gates in 65 nm; ten nanowatts each are 2 % of its 0.241 mW). Idle wires do not toggle.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub leakage: f64,
    /// Power of the SSD controller with its DRAM and host link, once a drive. Assumed: 2 W, the middle of the 1 to 3 W
    /// that storedbits.com gives for idle NVMe drives of PCIe 4.0; the same for every fabric.
    pub controller: Power,
}

const fn uw(uw: u64) -> Power {
    Power(uw * 1_000)
}

impl Default for Array {
    fn default() -> Self {
        Array { read_power: uw(82_500), program_power: uw(82_500), erase_power: uw(82_500) }
    }
}

impl Default for Wires {
    fn default() -> Self {
        Wires { channel: uw(10_800), termination: Power(0), link: uw(1_080), host_link: Power(0) }
    }
}

impl Default for Routers {
    fn default() -> Self {
        Routers { circuit: uw(241), buffer: uw(2_500) }
    }
}

impl Default for Idle {
    fn default() -> Self {
        Idle { chip: uw(33), leakage: 0.01, controller: uw(2_000_000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::Footprint;
    use crate::reader::read_text;

    #[test]
    fn defaults_survive_a_file() {
        let text = toml::to_string(&Energy::default()).unwrap();
        assert_eq!(read_text::<Energy>(&text).unwrap(), Energy::default());
        assert_eq!(read_text::<Energy>("").unwrap(), Energy::default());
        let text = toml::to_string(&Footprint::default()).unwrap();
        assert_eq!(read_text::<Footprint>(&text).unwrap(), Footprint::default());
    }

    #[test]
    fn one_key_can_be_set() {
        let energy: Energy = read_text("[array]\nread_power = \"165mW\"\n").unwrap();
        assert_eq!(energy.array.read_power, uw(165_000));
        assert_eq!(energy.array.program_power, uw(82_500));
    }

    #[test]
    fn unknown_keys_and_missing_units_are_refused() {
        for (text, says) in [
            ("[wires]\nlinks = \"1mW\"", "unknown field `links`"),
            ("[wires]\nlink = 1.08", "got 1.08 without a unit, expected a power"),
        ] {
            let message = read_text::<Energy>(text).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
