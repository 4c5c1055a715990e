//! Keys of the flash medium other than read, program and erase: suspension, failures, bit errors and ECC.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;
use crate::units::{Duration, Size};

/// Smallest unit that an array reads and programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Addressing {
    /// Pages. The rest of a partly written page must be read first.
    #[default]
    Page,
    /// Bytes, used in whole sectors. A partial write changes nothing else.
    Byte,
}

/// Array operations that can be suspended.
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

/// Waiting operations that suspend a program or erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuspendTrigger {
    /// Reads of the host.
    #[default]
    Reads,
    /// Reads of the host, and for erases also writes of the host. A program is suspended for reads alone.
    ReadsAndWrites,
}

/// Suspension of programs and erases (G. Wu and X. He, "Reducing SSD Read Latency via NAND Flash Program and Erase
/// Suspension", FAST 2012). A working LUN stops for reads that wait for it, and resumes when none waits. Times and
/// limits are assumed, because data sheets state the feature and rarely its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Suspend {
    /// Operations that can be suspended.
    pub operations: Suspendable,
    /// Waiting operations that suspend a program or erase.
    pub trigger: SuspendTrigger,
    /// Time from the decision to suspend until the LUN takes another command, suspend command of one cycle included.
    pub suspend_time: Duration,
    /// Time from the decision to resume until the array continues, resume command included.
    pub resume_time: Duration,
    /// Largest number of suspensions of one operation, so that it comes to an end.
    #[schemars(range(min = 1, max = 65_535))]
    pub max_suspensions: u32,
    /// Remaining time of an operation below which it is not suspended.
    pub min_remaining: Duration,
    /// Time for which a suspended LUN takes further commands. Commands in progress are then finished, and the operation
    /// resumes.
    pub max_suspended_time: Duration,
}

impl Default for Suspend {
    fn default() -> Self {
        Suspend {
            operations: Suspendable::None,
            trigger: SuspendTrigger::Reads,
            suspend_time: Duration::from_ns(20_000),
            resume_time: Duration::from_ns(5_000),
            max_suspensions: 8,
            min_remaining: Duration::from_ns(50_000),
            max_suspended_time: Duration::from_ns(1_000_000),
        }
    }
}

/// Failures of operations, drawn when an operation ends, and factory bad blocks. A failed program invalidates its page,
/// retires the block and takes another page. A failed erase retires the block. A plane that cannot retire a further
/// block completes host writes with a failed program with an error, and continues using its blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Failures {
    /// Probability that the program of a page fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub program: f64,
    /// Probability that the erase of a block fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub erase: f64,
    /// Probability that a page stays unreadable, however often it is read again. The host's request then completes with
    /// an error.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub read: f64,
    /// Share of factory bad blocks. Each plane has its share of them, at random positions.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factory_bad: f64,
    /// Die that stops working, numbered in the order of its planes: channel by channel, chip by chip. From then on its reads
    /// and programs fail, pages on it are rebuilt from their stripes (`ftl.parity`), and superblocks continue without it.
    pub lost_die: Option<u32>,
    /// Channel, a row of chips, that stops working instead of a die.
    pub lost_channel: Option<u32>,
    /// Time at which `lost_die` or `lost_channel` stops working, from the beginning of the run.
    pub lost_at: Duration,
}

impl Default for Failures {
    fn default() -> Self {
        Failures {
            program: 0.0,
            erase: 0.0,
            read: 0.0,
            factory_bad: 0.0,
            lost_die: None,
            lost_channel: None,
            lost_at: Duration(0),
        }
    }
}

impl Failures {
    /// Whether anything can fail during a run.
    pub fn are_possible(&self) -> bool {
        self.program > 0.0 || self.erase > 0.0 || self.read > 0.0 || self.any_is_lost()
    }

    /// Whether a die or a channel stops working.
    pub fn any_is_lost(&self) -> bool {
        self.lost_die.is_some() || self.lost_channel.is_some()
    }

    /// Number of the lost die or channel, and of its planes.
    pub fn lost_part(&self, layout: &Layout) -> Option<(u32, u32)> {
        let die = self.lost_die.map(|die| (die, layout.planes_per_die));
        die.or_else(|| self.lost_channel.map(|channel| (channel, layout.planes() / layout.channels)))
    }

    /// Planes that stop working.
    pub fn lost_planes(&self, layout: &Layout) -> Option<Range<u32>> {
        self.lost_part(layout).map(|(number, planes)| number * planes..(number + 1) * planes)
    }
}

/// Raw bit errors. The rate is the sum of four terms, after B. S. Kim, J. Choi and S. L. Min, "Design Tradeoffs for SSD
/// Reliability", FAST 2019 (power laws in cycles, time and reads, fitted to several generations of flash; also Mielke
/// et al., IRPS 2008, and Cai et al., Proceedings of the IEEE 105(9), 2017):
///
/// `base + wear.factor × cycles^exponent + retention.factor × cycles^m × days^n + disturb.factor × cycles^p × reads^q`
///
/// Here cycles are the block's erases, days the time since its first page was programmed, and reads the reads of the block
/// since then. All factors are 0 by default, which gives no errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Errors {
    /// Raw bit error rate of fresh cells right after programming.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub base: f64,
    /// Errors by wear.
    pub wear: WearErrors,
    /// Retention errors.
    pub retention: RetentionErrors,
    /// Read disturb errors.
    pub disturb: DisturbErrors,
    /// Factor of each type of page, lower page first. Empty: 1 for every type.
    pub page_type_factors: Vec<f64>,
    /// Factor by which each read retry lowers the error rate, because it reads with better voltages.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub retry_factor: f64,
    /// Program/erase cycles of every block before the run.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub initial_pe_cycles: u32,
    /// Age of data written before the run, in days.
    #[schemars(range(min = 0.0, max = 36_500.0))]
    pub initial_age_days: f64,
}

/// Errors by wear: factor × cycles^exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearErrors {
    /// Bit error rate after one cycle.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Exponent of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub exponent: f64,
}

/// Retention errors: factor × cycles^cycles_exponent × days^days_exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionErrors {
    /// Bit error rate after one cycle and one day.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Exponent of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub cycles_exponent: f64,
    /// Exponent of the days.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub days_exponent: f64,
}

/// Read disturb errors: factor × cycles^cycles_exponent × reads^reads_exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DisturbErrors {
    /// Bit error rate after one cycle and one read.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factor: f64,
    /// Exponent of the cycles.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub cycles_exponent: f64,
    /// Exponent of the reads.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub reads_exponent: f64,
}

impl Errors {
    /// Whether the error rate can be above 0.
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
            page_type_factors: Vec::new(),
            retry_factor: 0.5,
            initial_pe_cycles: 0,
            initial_age_days: 0.0,
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

/// Error correction and read retries, which matter if there are errors (`flash.errors`). A retry passes array, fabric
/// and ECC engine like the first read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ecc {
    /// Data in a codeword, check bits not included.
    pub codeword: Size,
    /// Number of wrong bits of a codeword that can be corrected. Default: 72 bits in 1 KiB, assumed as usual for flash
    /// with three bits per cell.
    #[schemars(range(min = 0, max = 65_536))]
    pub correctable_bits: u32,
    /// Number of times that a page is read again before the host's request fails.
    #[schemars(range(min = 0, max = 1_000))]
    pub max_read_retries: u32,
    /// Second code over several codewords.
    pub outer: OuterCode,
}

/// Outer code over several codewords (arXiv 2511.03944: a BCH word for each 512 B, a code over the eight of 4 KiB). A read
/// takes the codewords that it needs. If one of them cannot be corrected, the whole outer codeword around it is read and
/// decoded; if all of that has come already, it is only decoded. Retries follow if the outer codeword fails, too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OuterCode {
    /// Data in an outer codeword, check bits not included: a multiple of `controller.ecc.codeword` and a part of a page.
    /// `"0B"`: no outer code.
    pub codeword: Size,
    /// Number of wrong bits of an outer codeword that can be corrected, which matters if there are errors (`flash.errors`).
    /// Default: 576 bits, assumed, twice as many a byte as `controller.ecc.correctable_bits` has.
    #[schemars(range(min = 0, max = 65_536))]
    pub correctable_bits: u32,
    /// Probability that a codeword cannot be corrected by itself, besides what `flash.errors` says.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub inner_failure: f64,
    /// Time that the ECC engine takes for outer codewords, added to `controller.ecc_latency`.
    pub latency: Duration,
}

impl OuterCode {
    /// Whether there is an outer code.
    pub fn is_on(&self) -> bool {
        self.codeword.0 > 0
    }
}

impl Default for OuterCode {
    fn default() -> Self {
        OuterCode { codeword: Size(0), correctable_bits: 576, inner_failure: 0.0, latency: Duration(0) }
    }
}

impl Default for Ecc {
    fn default() -> Self {
        // Assumed: 72 bits in 1 KiB are usual for codes over flash with three bits per cell.
        Ecc { codeword: Size(1024), correctable_bits: 72, max_read_retries: 8, outer: OuterCode::default() }
    }
}
