//! Keys of what flash cells and their controllers do beside reading, programming and erasing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Size};

/// What an array reads and programs at the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Addressing {
    /// Pages: what a partial write leaves of the old page must be read first.
    #[default]
    Page,
    /// Bytes, of which whole sectors are used: a partial write changes nothing else.
    Byte,
}

/// Which array operations can be suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Suspendable {
    /// None.
    #[default]
    None,
    /// Erases.
    Erase,
    /// Programs.
    Program,
    /// Erases and programs.
    Both,
}

/// What an operation is suspended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuspendFor {
    /// Reads for the host.
    #[default]
    Reads,
    /// Reads for the host, and writes of the host too if the operation is an erase: a program is suspended for reads alone.
    ReadsAndWrites,
}

/// Suspension of programs and erases (G. Wu and X. He, "Reducing SSD Read Latency via NAND Flash Program and Erase
/// Suspension", FAST 2012): a unit at work stops for reads that wait for it and goes on when none waits any more. Times
/// and limits are assumed: data sheets state the feature, rarely its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Suspend {
    /// Operations that can be suspended.
    pub operations: Suspendable,
    /// What they are suspended for.
    #[serde(rename = "for")]
    pub served: SuspendFor,
    /// From the decision to suspend until the unit takes another command. The command that says so is one cycle and part
    /// of this time.
    pub suspend_time: Duration,
    /// From the decision to resume until the array works on; its command is part of it.
    pub resume_time: Duration,
    /// Suspensions of one operation at the most, so that it comes to an end.
    #[schemars(range(min = 1, max = 65_535))]
    pub limit: u32,
    /// An operation with less than this left is not suspended.
    pub min_remaining: Duration,
    /// How long a suspended unit takes further commands; what is under way then is finished, and the operation goes on.
    pub longest: Duration,
}

impl Default for Suspend {
    fn default() -> Self {
        Suspend {
            operations: Suspendable::None,
            served: SuspendFor::Reads,
            suspend_time: Duration::from_ns(20_000),
            resume_time: Duration::from_ns(5_000),
            limit: 8,
            min_remaining: Duration::from_ns(50_000),
            longest: Duration::from_ns(1_000_000),
        }
    }
}

/// Failures of operations, drawn when an operation ends, and blocks that are bad from the start. A failed program spends
/// its page, retires the block and looks for another page; a failed erase retires the block. A plane that can spare no
/// further block completes host writes whose program fails with an error, and goes on using its blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Failures {
    /// Probability that the program of a page fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub program: f64,
    /// Probability that the erase of a block fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub erase: f64,
    /// Probability that a page that has been read is illegible, however often it is read again: the host's request is
    /// completed with an error.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub read: f64,
    /// Share of blocks that are bad from the factory; each plane has its share of them, at random places.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factory_bad: f64,
}

impl Failures {
    /// Whether anything can fail during a run.
    pub fn are_possible(&self) -> bool {
        self.program > 0.0 || self.erase > 0.0 || self.read > 0.0
    }
}

/// Raw bit errors. The rate is the sum of four terms, after B. S. Kim, J. Choi and S. L. Min, "Design Tradeoffs for SSD
/// Reliability", FAST 2019 (power laws in cycles, time and reads, fitted to several generations of flash; the shape is also
/// that of Mielke et al., IRPS 2008, and Cai et al., Proceedings of the IEEE 105(9), 2017):
///
/// `base + wear.factor × cycles^exponent + retention.factor × cycles^m × days^n + disturb.factor × cycles^p × reads^q`
///
/// where cycles are the block's erases, days the time since its first page was programmed, and reads those of the block
/// since then. All factors are 0 by default: no errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Errors {
    /// Raw bit error rate of fresh cells that were just programmed.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub base: f64,
    /// Errors of worn cells.
    pub wear: WearErrors,
    /// Errors of cells that lose their charge.
    pub retention: RetentionErrors,
    /// Errors of cells whose neighbours are read.
    pub disturb: DisturbErrors,
    /// Factor of each kind of page, lower page first; empty: 1 for every kind.
    pub page_kinds: Vec<f64>,
    /// Factor by which each retry lowers the rate, since it reads with better voltages.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub retry_factor: f64,
    /// Cycles that every block has behind it when the run begins.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub cycles: u32,
    /// Age, in days, of data that are found written when the run begins.
    #[schemars(range(min = 0.0, max = 36_500.0))]
    pub age_days: f64,
}

/// Errors of worn cells: factor × cycles^exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearErrors {
    /// Rate after one cycle.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Power of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub exponent: f64,
}

/// Errors of cells that lose their charge: factor × cycles^cycles_exponent × days^days_exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionErrors {
    /// Rate after one cycle and one day.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Power of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub cycles_exponent: f64,
    /// Power of the days.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub days_exponent: f64,
}

/// Errors of cells whose neighbours are read: factor × cycles^cycles_exponent × reads^reads_exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DisturbErrors {
    /// Rate after one cycle and one read.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Power of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub cycles_exponent: f64,
    /// Power of the reads.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub reads_exponent: f64,
}

impl Errors {
    /// Whether there can be any.
    pub fn are_possible(&self) -> bool {
        self.base + self.wear.factor + self.retention.factor + self.disturb.factor > 0.0
    }
}

impl Default for Errors {
    fn default() -> Self {
        Errors {
            base: 0.0,
            wear: WearErrors::default(),
            retention: RetentionErrors::default(),
            disturb: DisturbErrors::default(),
            page_kinds: Vec::new(),
            retry_factor: 0.5,
            cycles: 0,
            age_days: 0.0,
        }
    }
}

impl Default for WearErrors {
    fn default() -> Self {
        WearErrors { factor: 0.0, exponent: 1.0 }
    }
}

impl Default for RetentionErrors {
    fn default() -> Self {
        RetentionErrors { factor: 0.0, cycles_exponent: 1.0, days_exponent: 1.0 }
    }
}

impl Default for DisturbErrors {
    fn default() -> Self {
        DisturbErrors { factor: 0.0, cycles_exponent: 1.0, reads_exponent: 1.0 }
    }
}

/// What the ECC engine corrects, which matters where there are errors (`flash.errors`), and how often a page that it
/// cannot correct is read again. Each time the page goes through array, fabric and engine as the first time did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ecc {
    /// Data in a codeword. Its check bits are not counted.
    pub codeword: Size,
    /// Wrong bits of a codeword that can be corrected.
    #[schemars(range(min = 0, max = 65_536))]
    pub correctable: u32,
    /// How often a page is read again before it is given up and the host's request fails.
    #[schemars(range(min = 0, max = 1_000))]
    pub retries: u32,
}

impl Default for Ecc {
    fn default() -> Self {
        // Assumed: 72 bits in 1 KiB are usual for codes over flash with three bits a cell.
        Ecc { codeword: Size(1024), correctable: 72, retries: 8 }
    }
}
