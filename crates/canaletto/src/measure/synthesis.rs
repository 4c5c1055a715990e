//! Routers of `rtl/` as synthesised: area and an estimate of power, from `rtl/synth/results.json`.
//!
//! Area is that of the cells in 0.18 um (OSU), without wires, pads and memories. Power is gate equivalents × a tenth × 41.8 fJ
//! × 1 GHz. Assumed: a tenth of the gates changes in a cycle, and each drives two inputs of a NAND of the library (12.9 fF at
//! 1.8 V: half of 25.8 fF × 1.8 V squared). A toggle count of a run, wires and clock tree would be better; none is at hand.

use crate::config::units::{Area, Power};

/// Area of the logic of Venice's router, in um2.
pub const CIRCUIT_AREA: Area = Area(169_173);

/// Gate equivalents of Venice's router.
const CIRCUIT_GATES: u64 = 7_049;

/// Gate equivalents of NoSSD's router without its buffers.
const PACKET_GATES: u64 = 9_928;

/// Power of a working Venice router.
pub const CIRCUIT_POWER: Power = power(CIRCUIT_GATES);

/// Power of a working NoSSD router without its buffers.
pub const PACKET_POWER: Power = power(PACKET_GATES);

/// Nanowatts of that many gate equivalents: 41.8 fJ at 1 GHz, a tenth of the time, are 4,180 nW.
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
