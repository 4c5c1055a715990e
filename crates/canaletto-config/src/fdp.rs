//! Keys of Flexible Data Placement.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::check::{Checked, refuse_with};
use crate::design::{Design, Parity, PreconditionKind, Superblock};

/// Isolation of the data of reclaim unit handles, once garbage collection has moved them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Moved data of all handles share reclaim units.
    #[default]
    Initial,
    /// Moved data of a handle stay apart.
    Persistent,
}

impl Isolation {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::Initial => "initial",
            Isolation::Persistent => "persistent",
        }
    }
}

/// Flexible Data Placement (NVM Express TP4146). Writes name a reclaim unit handle (`flow.handle`). Each handle fills
/// its own reclaim unit, a superblock (`ftl.superblock`), of each group of planes, which is a reclaim group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fdp {
    /// Number of reclaim unit handles. 0 is a drive without data placement.
    #[schemars(range(min = 0, max = 256))]
    pub handles: u32,
    /// Isolation of the data of handles, once they have been moved.
    pub isolation: Isolation,
}

impl Fdp {
    /// Whether writes name handles.
    pub fn is_on(&self) -> bool {
        self.handles > 0
    }

    /// Whether each handle has its own frontier for moved data.
    pub fn is_persistent(&self) -> bool {
        self.is_on() && self.isolation == Isolation::Persistent
    }

    /// Sets of write frontiers per host stream.
    pub fn frontiers_per_stream(&self) -> u16 {
        1 + u16::from(self.is_persistent())
    }
}

/// Checks the keys that data placement excludes.
pub fn check(design: &Design) -> Checked {
    if !design.fdp.is_on() {
        return Ok(());
    }
    let refuse = refuse_with("fdp.handles".to_owned());
    refuse(
        design.ftl.superblock != Superblock::None,
        "ftl.superblock",
        "\"none\"",
        "a reclaim unit is a superblock; expected \"die\", \"chip\", \"channel\" or \"drive\"",
    )?;
    refuse(
        design.ftl.parity == Parity::None || !design.fdp.is_persistent(),
        "ftl.parity",
        &format!("\"{}\"", design.ftl.parity.name()),
        "moved data of each handle would need their own stripes; expected fdp.isolation = \"initial\"",
    )?;
    refuse(
        design.precondition.kind != PreconditionKind::Steady,
        "precondition.kind",
        "\"steady\"",
        "the steady state of separate handles is not computed; expected \"replay\" or \"none\"",
    )?;
    let is_shared = !design.namespace.is_empty();
    refuse(
        is_shared || !design.has_zones(),
        "zns.zone_size",
        "zones",
        "a namespace is zoned or placed; expected \"0B\", or a table of namespaces",
    )
}
