//! Grants: the arbiter tells a switch which of its trunks to join with which of its inner buses, over pins of its own.
//!
//! ```text
//! transfer │ 0 │ way │ trunk   │ inner bus │ chip on it │           way: to the chip or from it
//! copy     │ 1 │ inner bus │ chip on it │ inner bus │ chip on it │ source, then destination
//! ```
//! Each field has as many bits as its numbers need. None is sent at the end of a circuit: a switch counts the flits of the packets, whose
//! headers tell their size, and gives it up by itself, as long as the path is not held (`fabric.hold_path`).

use crate::config::design::Clusters as Keys;
use crate::fabric::grants::{Grants, bits};

/// Bits of a grant.
fn grant_bits(keys: &Keys, controllers: u32) -> u32 {
    let chip = bits(keys.inner_buses) + bits(keys.chips_per_bus());
    1 + (1 + bits(keys.trunks(controllers)) + chip).max(2 * chip)
}

/// Idle lines of a validated design, one a switch.
pub fn lines(keys: &Keys, controllers: u32, switches: u32) -> Grants {
    Grants::new(grant_bits(keys, controllers), keys.grant_width, keys.grant_rate, switches)
}
