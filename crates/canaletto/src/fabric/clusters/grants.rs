//! Grants: the arbiter tells a switch over separate pins which trunk to join with which inner bus.
//!
//! ```text
//! transfer │ 0 │ way │ trunk   │ inner bus │ chip on it │           way: to the chip or from it
//! copy     │ 1 │ inner bus │ chip on it │ inner bus │ chip on it │ source, then destination
//! ```
//! None is sent at the end of a circuit: a switch counts the flits of the packets, whose headers state their size,
//! unless the path is held (`fabric.hold_path`).

use crate::config::design::Clusters as Keys;
use crate::fabric::grants::{Grants, bits};

fn grant_bits(keys: &Keys, controllers: u32) -> u32 {
    let chip = bits(keys.inner_buses) + bits(keys.chips_per_bus());
    1 + (1 + bits(keys.trunks(controllers)) + chip).max(2 * chip)
}

pub fn lines(keys: &Keys, controllers: u32, switches: u32) -> Grants {
    Grants::new(grant_bits(keys, controllers), keys.grant_width, keys.grant_rate, switches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_as_long_as_their_fields() {
        let of = |chips_per_switch, inner_buses, trunks| {
            grant_bits(&Keys { chips_per_switch, inner_buses, trunks: Some(trunks), ..Keys::default() }, 8)
        };
        // Chips take 2 + 1 bits: a transfer's grant 1 + 1 + 2 + 3, a copy's 1 + 3 + 3.
        assert_eq!(of(8, 4, 4), 7);
        // With one trunk a copy's stays as long.
        assert_eq!((of(8, 4, 8), of(8, 4, 1)), (8, 7));
        // 2 + 3 bits for a chip: 1 + 1 + 2 + 5 and 1 + 5 + 5.
        assert_eq!(of(32, 4, 4), 11);
    }
}
