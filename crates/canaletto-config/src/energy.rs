//! Keys of the energy model: energy and power of each operation and part.
//!
//! `measure/energy.rs` turns them and a run's activity into millijoules. `docs/explanation/energy.md` holds the formulas and
//! discusses the values. A power counts while its part works, so that the same page over a shorter way costs less.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::{Power, Rate};

/// Powers and energies. "Venice" is "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses", ISCA
/// 2023. Its milliwatts are "for a 4 KB page transfer" and count for as long as the transfer takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Energy {
    /// Origin of the power of 8-bit routers: the keys below, or the synthesis of the hardware in `rtl/`, which replaces
    /// `energy.routers.circuit` and `energy.routers.packet` (docs/explanation/energy.md says how its power is estimated).
    pub router: RouterSource,
    /// Flash array.
    pub array: Array,
    /// Rates for which the powers of wires, routers and buffers are stated.
    pub reference: Reference,
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

/// Rates for which powers are stated. Toggling wires take energy by the bit, ½ α C V² with capacitance C, swing V and
/// activity α (Wang et al., "Orion: A Power-Performance Simulator for Interconnection Networks", MICRO 2002), so that their
/// power is proportional to the rate: at twice the rate a byte takes the same energy in half of the time. Terminations and
/// leakage are drawn by the time, at any rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Reference {
    /// Rate of eight data wires of a bus (`fabric.link_rate`) for which the powers of channel, column and path are stated.
    /// Source: the channel of Venice Table 1, 1.2 GB/s.
    pub bus_rate: Rate,
    /// Rate of eight data wires of a link (`fabric.network.link_rate`) for which the powers of links, routers and buffers
    /// are stated. Source: the link of Venice Table 1, 8 bit at 1 GHz.
    pub network_rate: Rate,
}

/// Power of working wires, eight data wires at the rate of `energy.reference`. More or fewer wires (`packetized`,
/// `mesh-2bit`) take power in proportion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wires {
    /// Channel with its chips; also the row buses of omnibus, and the grants to a row of routers (`scheduled-mesh`). Source: Venice §6.6: a link's 1.08 mW are 90 % less, so
    /// 10.8 mW.
    pub channel: Power,
    /// Column bus of omnibus. Assumed: a channel's, because it joins as many chips.
    pub column: Power,
    /// Power of the termination of each data wire of a bus, whatever its rate, while commands or data cross it. Default:
    /// none, because Venice's figures are whole, and ORION 3.0, which gave them, has unterminated wires. ONFI's on-die
    /// termination takes (VccQ / 2)² / (Ron + Rtt) a wire (docs/explanation/energy.md).
    pub termination: Power,
    /// Link between neighbouring routers, each direction for itself. Source: Venice Table 4 (1.08 mW, by ORION 3.0).
    pub link: Power,
}

/// Power of working routers of eight data wires at `energy.reference.network_rate`. Narrower ones (`mesh-2bit`) take power
/// in proportion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Routers {
    /// Circuit-switched router (venice, scheduled-mesh). Source: Venice Table 4 (0.241 mW, HDL synthesized for UMC 65 nm).
    pub circuit: Power,
    /// Packet router (mesh) without its buffers. Assumed: a circuit-switched one's. The data path dominates and more
    /// elaborate control costs little (Banerjee, Mullins, Moore, NOCS 2007).
    pub packet: Power,
    /// Buffer of a packet router, written and later read. Assumed: 2.5 pJ a byte at 1 GB/s: 10 pJ for 64 bits of an 8
    /// KiB memory in 45 nm (Horowitz, ISSCC 2014), once in, once out; NoSSD's buffers hold pages.
    pub buffer: Power,
    /// Cell of the arbiter of scheduled-mesh, one a router, while the arbiter searches. Assumed: a tenth of a router's power,
    /// because a cell has the states of five ports and no data path.
    pub arbiter_cell: Power,
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

/// Returns the power of that many microwatts.
const fn uw(uw: u64) -> Power {
    Power(uw * 1_000)
}

impl Default for Array {
    fn default() -> Self {
        Array { read_power: uw(82_500), program_power: uw(82_500), erase_power: uw(82_500) }
    }
}

impl Default for Reference {
    fn default() -> Self {
        Reference { bus_rate: Rate(1_200_000_000), network_rate: Rate(1_000_000_000) }
    }
}

impl Default for Wires {
    fn default() -> Self {
        Wires { channel: uw(10_800), column: uw(10_800), termination: Power(0), link: uw(1_080) }
    }
}

impl Default for Routers {
    fn default() -> Self {
        Routers { circuit: uw(241), packet: uw(241), buffer: uw(2_500), arbiter_cell: uw(24) }
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
