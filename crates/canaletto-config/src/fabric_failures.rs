//! Keys of parts of the interconnect that fail.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::Duration;

/// Parts of the interconnect that fail, drawn by chance. Traffic with another way goes around them. A chip that none is left to is cut off:
/// its pages are rebuilt from parity (`ftl.parity`), or requests that need them fail; writes go to other chips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabricFailures {
    /// Number of links between routers that fail. `venice` and `scheduled-mesh` go around them, `mesh` and `mesh-2bit` have one way only.
    /// Default: none.
    pub links: u32,
    /// Number of routers next to chips that fail, each with its links, and a controller that is attached to it; its chip is cut off.
    /// Same fabrics. Default: none.
    pub routers: u32,
    /// Number of controllers that fail. On `venice` and `scheduled-mesh` others serve their chips. A trunk of `clusters`, and a row
    /// and a column bus of `omnibus` and `omnibus-split`, fail with their controller. On other fabrics it cuts its row off.
    /// Default: none.
    pub controllers: u32,
    /// Number of buses that fail: row and column buses of `omnibus` and `omnibus-split`, inner buses of `clusters`, channels of `bus`,
    /// `sca` and `packetized`, a chip's own of `ideal`. Default: none.
    pub buses: u32,
    /// Number of switches of `clusters` that fail, which cuts their chips off. Default: none.
    pub switches: u32,
    /// Number of the placement. Each kind of part is drawn by itself: the same number gives the same parts, and with
    /// more of them these and others.
    pub placement: u32,
    /// Whether parts of a kind that cut further chips off come after all others. Default: true, so that few failed parts cost speed alone.
    pub spare_chips: bool,
    /// Time at which they fail, from the beginning of the run. Default: 0. Assumed: transfers under way end, none
    /// begins meanwhile, and then the parts are gone.
    pub at: Duration,
}

impl Default for FabricFailures {
    fn default() -> Self {
        FabricFailures {
            links: 0,
            routers: 0,
            controllers: 0,
            buses: 0,
            switches: 0,
            placement: 0,
            spare_chips: true,
            at: Duration(0),
        }
    }
}

impl FabricFailures {
    /// Whether anything will fail.
    pub fn any(&self) -> bool {
        self.counts().iter().any(|&(_, count)| count > 0)
    }

    /// Names of the kinds of part, and how many of each will fail.
    pub fn counts(&self) -> [(&'static str, u32); 5] {
        [
            ("links", self.links),
            ("routers", self.routers),
            ("controllers", self.controllers),
            ("buses", self.buses),
            ("switches", self.switches),
        ]
    }
}
