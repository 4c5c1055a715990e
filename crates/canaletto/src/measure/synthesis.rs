//! Routers of `rtl/` as synthesised, from `rtl/synth/results.json`.
//!
//! Area of the cells in 0.18 um (OSU), without wires, pads and memories. Power: gate equivalents × a tenth × 41.8 fJ ×
//! 1 GHz. Assumed: a tenth of the gates changes per cycle, and each drives two NAND inputs (12.9 fF at 1.8 V).

use crate::config::units::{Area, Power};

pub const CIRCUIT_AREA: Area = Area(169_173);

const CIRCUIT_GATES: u64 = 7_049;

const PACKET_GATES: u64 = 9_928;

pub const CIRCUIT_POWER: Power = power(CIRCUIT_GATES);

pub const PACKET_POWER: Power = power(PACKET_GATES);

/// 4,180 nW per gate equivalent.
const fn power(gates: u64) -> Power {
    Power(gates * 4_180)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_figures_are_those_of_the_last_synthesis() {
        let found: Value = serde_json::from_str(include_str!("../../../../rtl/synth/results.json")).unwrap();
        let (circuit, packet) = (&found["designs"]["venice router"], &found["designs"]["nossd router"]);
        assert_eq!(circuit["area_um2"], CIRCUIT_AREA.0 as f64);
        assert_eq!(circuit["nand2_equivalents"], CIRCUIT_GATES);
        assert_eq!(packet["nand2_equivalents"], PACKET_GATES);
        assert_eq!(CIRCUIT_POWER, Power(29_464_820));
    }
}
