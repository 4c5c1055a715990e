//! Command sequences as data: steps, bytes on the wires and waits.
//!
//! Two tables ship, [`SequenceKind::Short`] and [`SequenceKind::Full`] (`short.toml`, `full.toml`), with the
//! interface's times (`times.toml`). A design may state its own steps and times (`fabric.steps`).

mod check;
mod step;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub(super) use self::check::check;
pub use self::step::{Place, Planes, Step, What};
use crate::JsonSchema;
use crate::reader::read_text;
use crate::units::{Duration, Rate};

/// Command and address timing of the flash interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// ONFI NV-DDR2 with the constants that MQSim uses.
    NvDdr2,
    /// ONFI NV-DDR3, timing mode 10 and above (ONFI 4.1 and 5.1 tables).
    NvDdr3,
    /// ONFI NV-LPDDR4 (ONFI 5.1 tables).
    NvLpddr4,
    /// Toggle-mode DDR (JESD230). Its steps are ONFI's, some of its times are not.
    Toggle,
}

impl Interface {
    /// Every interface.
    pub const ALL: [Interface; 4] = [Interface::NvDdr2, Interface::NvDdr3, Interface::NvLpddr4, Interface::Toggle];

    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Interface::NvDdr2 => "nv-ddr2",
            Interface::NvDdr3 => "nv-ddr3",
            Interface::NvLpddr4 => "nv-lpddr4",
            Interface::Toggle => "toggle",
        }
    }

    /// 533 MT/s (ONFI 3.2), 1,600 (ONFI 4.2), 3,600 (ONFI 5.1), 4,800 (JESD230G).
    pub fn highest_rate(self) -> Rate {
        Rate(match self {
            Interface::NvDdr2 => 533_000_000,
            Interface::NvDdr3 => 1_600_000_000,
            Interface::NvLpddr4 => 3_600_000_000,
            Interface::Toggle => 4_800_000_000,
        })
    }
}

/// Table of command sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SequenceKind {
    /// Sums that MQSim counts: no status, no change of column before data. Packets follow the papers.
    #[default]
    Short,
    /// Every step of the standard (ONFI 5.1 §5): commands, addresses, the change of column before each page's data, status, and
    /// the turnarounds between. A read so takes about 1.1 us of a bus, without its data.
    Full,
}

/// Means by which the controller learns that an array is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// Polls: the status is read at the shortest time of the operation, and again after each `period` until it says that the
    /// LUN is ready. Each poll takes the wires.
    #[default]
    Poll,
    /// A pin of each LUN. The status is read once after a program or erase, to learn whether it has failed.
    Pin,
}

/// Status of LUNs, where sequences have one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Status {
    /// Means by which the controller learns that an array is done. Chips with an interface to a network (`mesh`) send word
    /// themselves.
    pub ready: Ready,
    /// Time from the end of a poll that came too early to the next. Assumed: 1 us.
    pub period: Duration,
}

impl Default for Status {
    fn default() -> Self {
        Status { ready: Ready::default(), period: Duration::from_ns(1_000) }
    }
}

/// Steps of a command, in their order.
pub type Sequence = Vec<Step>;

/// Steps of every command of a chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceTable {
    /// Page read, to the array.
    pub read: Sequence,
    /// Read of one plane while others read (`flash.independent_plane_reads`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane_read: Option<Sequence>,
    /// Read behind a cache register (`flash.cache_read`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Sequence>,
    /// Program while the array works on another one (`flash.cache_program`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_program: Option<Sequence>,
    /// From a page in its register to the end of its data: the change of column. Without it, data follow by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Sequence>,
    /// Page program, with the page's data.
    pub program: Sequence,
    /// Program of what is in the register.
    pub copyback: Sequence,
    /// Block erase.
    pub erase: Sequence,
    /// Status of a LUN. Without it, the controller knows by itself when an array is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Sequence>,
    /// Suspension of a program or erase. Without it, that takes none of the wires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<Sequence>,
    /// Its resumption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Sequence>,
    /// Named times, which replace times of the interface.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub times: BTreeMap<String, Duration>,
    /// Source of each sequence, by its key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
}

impl SequenceTable {
    /// By the names of their keys.
    pub fn sequences(&self) -> impl Iterator<Item = (&'static str, &Sequence)> {
        let some = [
            ("plane_read", &self.plane_read),
            ("cache_read", &self.cache_read),
            ("cache_program", &self.cache_program),
            ("page", &self.page),
            ("status", &self.status),
            ("suspend", &self.suspend),
            ("resume", &self.resume),
        ];
        let all =
            [("read", &self.read), ("program", &self.program), ("copyback", &self.copyback), ("erase", &self.erase)];
        let given = some.into_iter().filter_map(|(name, sequence)| Some((name, sequence.as_ref()?)));
        all.into_iter().chain(given)
    }

    /// Pairs of a sequence for chips with several commands at a time and the one it replaces: they differ in command
    /// bytes and in what the array waits for.
    pub fn pipelined(&self) -> impl Iterator<Item = (&'static str, &Sequence, &'static str, &Sequence)> {
        let each = [
            ("plane_read", &self.plane_read, "read", &self.read),
            ("cache_read", &self.cache_read, "read", &self.read),
            ("cache_program", &self.cache_program, "program", &self.program),
        ];
        each.into_iter().filter_map(|(name, given, plain_name, plain)| Some((name, given.as_ref()?, plain_name, plain)))
    }
}

/// Time of an interface, with its source.
#[derive(Debug, Clone, Deserialize)]
pub struct NamedTime {
    /// The time.
    pub time: Duration,
    /// Where it is from.
    pub source: String,
}

/// Times of every interface, by name.
pub fn interface_times(interface: Interface) -> &'static BTreeMap<String, NamedTime> {
    static TIMES: OnceLock<BTreeMap<Interface, BTreeMap<String, NamedTime>>> = OnceLock::new();
    let times = TIMES.get_or_init(|| read_text(include_str!("times.toml")).expect("the table is tested"));
    &times[&interface]
}

/// A table that ships.
pub fn table(kind: SequenceKind) -> &'static SequenceTable {
    static TABLES: [OnceLock<SequenceTable>; 2] = [const { OnceLock::new() }; 2];
    let text = match kind {
        SequenceKind::Short => include_str!("short.toml"),
        SequenceKind::Full => include_str!("full.toml"),
    };
    TABLES[kind as usize].get_or_init(|| read_text(text).expect("the table is tested"))
}
