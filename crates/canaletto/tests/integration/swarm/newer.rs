//! Keys that came after the golden set: drawn after all others and not for it, so that its drives stay as they were drawn.

use super::designs::{Setting, any, rarely};

/// The keys and how they are drawn. One that [`designs`](super::designs::designs) has too is drawn anew.
pub fn newer() -> Vec<Setting> {
    vec![
        any("gc.epoch_trigger", ["device", "device", "plane"]),
        rarely("fabric.hold_path", "never", ["reads", "always"]),
        any("fabric.venice.retry", ["local", "oracle", "immediate"]),
        any("fabric.venice.retry_interval", ["100ns", "1us", "30us"]),
        any("fabric.venice.tear_down", ["packet", "wire"]),
        any("fabric.omnibus.control.rate", ["1GB/s", "1GB/s", "20MB/s"]),
        any("fabric.omnibus.control.delay", ["3ns", "1us"]),
        any("fabric.mesh.controller", ["own-row", "least-loaded"]),
    ]
}
