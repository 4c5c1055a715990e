//! Keys of computation where the data are.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::attach::AttachmentKind;
use crate::cache::Destage;
use crate::check::{Checked, refuse_with, require, spelt};
use crate::design::{Design, Protocol};
use crate::error::Problem;
use crate::parity::Parity;
use crate::units::{Duration, Power, Rate, Size};
use crate::workload::{Flow, Workload};

/// Use that a task makes of the data that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    /// Looks through the data and returns a share of them, page by page.
    Scan,
    /// Moves pages of several operands to one place and combines them into one page.
    Gather,
    /// Computes a small result per place at which it works.
    Reduce,
}

/// Place of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// The host: all data cross the link.
    Host,
    /// The drive's processors, next to its DRAM.
    Drive,
    /// A unit per channel controller, which works on data as they arrive.
    Channel,
    /// A unit per chip, on its logic die.
    Chip,
    /// The flash array, which senses several operands at once.
    Array,
}

impl At {
    /// Every place, from the host to the array.
    pub const ALL: [At; 5] = [At::Host, At::Drive, At::Channel, At::Chip, At::Array];

    /// Returns the name used in workloads and results.
    pub fn name(self) -> &'static str {
        match self {
            At::Host => "host",
            At::Drive => "drive",
            At::Channel => "channel",
            At::Chip => "chip",
            At::Array => "array",
        }
    }
}

/// Tasks instead of reads: each request of the flow reads data that are computed on, and returns a result. The other keys of
/// the flow say how large the data are, where they lie and how many tasks run at the same time. In a trace, requests of
/// the kind `compute` are tasks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Kind of task.
    pub kind: TaskKind,
    /// Place of the computation.
    pub at: At,
    /// Number of operands of a gather, each as large as a request.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    #[schemars(range(min = 2, max = 1024))]
    pub operands: u32,
    /// Distance of the operands' addresses. Absent: the first is where the request is, the others anywhere in the
    /// working set. Tasks share no operands if the working set is `operands` times this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<Size>,
    /// Share of the data that a scan returns.
    #[serde(default = "hundredth")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub returned: f64,
    /// Size of the result of a reduction.
    #[serde(default = "line")]
    pub result: Size,
}

fn two() -> u32 {
    2
}
fn is_two(operands: &u32) -> bool {
    *operands == 2
}
fn hundredth() -> f64 {
    0.01
}
fn line() -> Size {
    Size(64)
}

/// A place that computes: its rate, the time that it adds, its power and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Bytes of operands per second.
    pub rate: Rate,
    /// Time from the last byte to the result.
    pub latency: Duration,
    /// Power while it works.
    pub power: Power,
    /// Operands that it holds.
    pub buffer: Size,
}

/// Host that computes. Its memory holds any number of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostUnit {
    /// Bytes of operands per second. Default: 25.6 GB/s, a channel of DDR4-3200 (JESD79-4), because bulk operations are bound
    /// by memory.
    pub rate: Rate,
    /// Time from the last byte to the result. Assumed: 1 us, a wake-up and a call.
    pub latency: Duration,
    /// Power while it works. Assumed: 20 W, a core at work with its share of caches and memory, of a processor of 125 W.
    pub power: Power,
}

/// The drive's processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DriveUnit {
    /// Bytes of operands per second, all cores together. Assumed: 4 GB/s, four cores at 1 GHz that take a byte per cycle.
    pub rate: Rate,
    /// Time from the last byte to the result. Assumed: 1 us, a thousand cycles of firmware.
    pub latency: Duration,
    /// Power while they work. Assumed: 1 W, four cores of 0.25 W.
    pub power: Power,
    /// Room for operands in the drive's DRAM. Assumed: 16 MiB.
    pub buffer: Size,
}

/// Unit of a channel controller, behind its ECC engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelUnit {
    /// Bytes of operands per second. Default: 1.2 GB/s, the channel of Venice Table 1, so that it keeps up with what arrives.
    pub rate: Rate,
    /// Time from the last byte to the result. Assumed: 100 ns.
    pub latency: Duration,
    /// Power while it works. Default: 957 uW, an eighth of the 7.658 mW of MegIS's units for eight channels (ISCA 2024).
    pub power: Power,
    /// Room for operands. Default: 256 KiB, of the in-storage accelerator that Flash-Cosmos (MICRO 2022) compares with.
    pub buffer: Size,
}

/// Unit on the logic die of a chip, next to its page registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChipUnit {
    /// Bytes of operands per second. Assumed: 1.2 GB/s, the rate of the chip's pins, for which its data path is built.
    pub rate: Rate,
    /// Time from the last byte to the result. Assumed: 100 ns.
    pub latency: Duration,
    /// Power while it works. Assumed: 957 uW, as the unit of a channel.
    pub power: Power,
    /// Room for operands that are gathered. Scans and reductions work from the page register. Assumed: 64 KiB.
    pub buffer: Size,
}

macro_rules! units {
    ($($Place:ident),*) => {$(
        impl $Place {
            /// Returns the place's values.
            pub fn unit(self) -> Unit {
                let $Place { rate, latency, power, buffer } = self;
                Unit { rate, latency, power, buffer }
            }
        }
    )*};
}
units!(DriveUnit, ChannelUnit, ChipUnit);

impl HostUnit {
    /// Returns the host's values.
    pub fn unit(self) -> Unit {
        let HostUnit { rate, latency, power } = self;
        Unit { rate, latency, power, buffer: Size(u64::MAX) }
    }
}

impl Default for HostUnit {
    fn default() -> Self {
        let power = Power(20_000_000_000);
        HostUnit { rate: Rate(25_600_000_000), latency: Duration::from_ns(1000), power }
    }
}

impl Default for DriveUnit {
    fn default() -> Self {
        let (power, buffer) = (Power(1_000_000_000), Size(16 << 20));
        DriveUnit { rate: Rate(4_000_000_000), latency: Duration::from_ns(1000), power, buffer }
    }
}

impl Default for ChannelUnit {
    fn default() -> Self {
        let (power, buffer) = (Power(957_000), Size(256 << 10));
        ChannelUnit { rate: Rate(1_200_000_000), latency: Duration::from_ns(100), power, buffer }
    }
}

impl Default for ChipUnit {
    fn default() -> Self {
        let (power, buffer) = (Power(957_000), Size(64 << 10));
        ChipUnit { rate: Rate(1_200_000_000), latency: Duration::from_ns(100), power, buffer }
    }
}

/// Array that computes: word lines of a block that are sensed together give the AND of their pages, or the OR of inverted
/// ones (Flash-Cosmos, MICRO 2022). Operands sensed one after the other are combined in the latches (ParaBit, MICRO 2021).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArrayUnit {
    /// Number of operands that are sensed at once, if they lie in one plane, block and string group. Others are sensed one
    /// after the other, as with a value of 1 (ParaBit). Default: 48, the word lines of a string of Flash-Cosmos's chips.
    #[schemars(range(min = 1, max = 1024))]
    pub operands: u32,
    /// String groups of a block, whose word lines can be sensed together: page p of a block is in group p modulo this, as pages
    /// are programmed. With `ftl.write_placement = "operands"` one group is programmed after the other. Assumed: 4.
    #[schemars(range(min = 1, max = 64))]
    pub groups: u32,
    /// Time by which sensing several operands at once is longer than a read. Default: 750 ns, which is 3.3 % of a read of
    /// 22.5 us, as measured with 48 word lines (Flash-Cosmos).
    pub longer: Duration,
}

impl Default for ArrayUnit {
    fn default() -> Self {
        ArrayUnit { operands: 48, groups: 4, longer: Duration::from_ns(750) }
    }
}

/// Places that compute, for flows with tasks (`flow.compute`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// Host.
    pub host: HostUnit,
    /// The drive's processors.
    pub drive: DriveUnit,
    /// A unit per channel controller.
    pub channel: ChannelUnit,
    /// A unit per chip.
    pub chip: ChipUnit,
    /// The flash array.
    pub array: ArrayUnit,
}

impl Compute {
    /// Returns the values of a place. The array combines in the latches of its chip.
    pub fn unit(&self, at: At) -> Unit {
        match at {
            At::Host => self.host.unit(),
            At::Drive => self.drive.unit(),
            At::Channel => self.channel.unit(),
            At::Chip | At::Array => self.chip.unit(),
        }
    }
}

/// Checks the tasks of a flow whose path is `key`.
pub(super) fn check_flow(flow: &Flow, key: &str) -> Checked {
    let Some(task) = &flow.compute else { return Ok(()) };
    let key = format!("{key}.compute");
    let gathers = task.kind == TaskKind::Gather;
    require(gathers || task.at != At::Array, &format!("{key}.at"), || {
        format!("got \"array\" with kind = {}: an array combines operands; expected \"gather\"", spelt(task.kind))
    })?;
    require(gathers || task.operands == 2, &format!("{key}.operands"), || {
        format!("got {}, which needs kind = \"gather\"", task.operands)
    })?;
    require(gathers || task.distance.is_none(), &format!("{key}.distance"), || {
        "needs kind = \"gather\": other tasks have one operand".to_owned()
    })?;
    require((1..=1 << 20).contains(&task.result.0), &format!("{key}.result"), || {
        format!("got \"{}\", expected from \"1B\" to \"1MiB\"", task.result)
    })?;
    let synthetic = flow.synthetic.as_ref();
    let only_reads = synthetic.is_none_or(|s| s.read_share == 1.0 && s.trim_share + s.flush_share == 0.0);
    require(only_reads, &format!("{key}.kind"), || {
        "needs synthetic.read_share = 1 without trims and flushes: give other requests their own flow".to_owned()
    })
}

/// Checks that a design can do the tasks of a workload.
///
/// # Errors
/// The key that excludes them.
pub fn check(design: &Design, workload: &Workload) -> Checked {
    for (number, flow) in workload.flow.iter().enumerate() {
        let Some(task) = &flow.compute else { continue };
        check_task(design, flow, task, &format!("flow.{number}"))?;
    }
    Ok(())
}

fn check_task(design: &Design, flow: &Flow, task: &Task, key: &str) -> Checked {
    let refuse = refuse_with(format!("flow {:?} that computes", flow.name));
    refuse(
        design.attachment.kind == AttachmentKind::None,
        "attachment.kind",
        &spelt(design.attachment.kind),
        "tasks are commands of NVM Express; expected \"none\"",
    )?;
    refuse(
        design.host.protocol == Protocol::Nvme,
        "host.protocol",
        &spelt(design.host.protocol),
        "tasks are commands of NVM Express; expected \"nvme\"",
    )?;
    refuse(
        design.cache.capacity.0 == 0 || design.cache.destage != Destage::Mqsim,
        "cache.destage",
        "\"mqsim\"",
        "its slots are not flushed for a task, which reads flash; expected another rule",
    )?;
    let page = Size(design.layout().page_bytes());
    let gathers = task.kind == TaskKind::Gather;
    let synthetic = flow.synthetic.as_ref();
    let differs = synthetic.filter(|s| gathers && (s.size != Some(page) || s.size_deviation.0 > 0));
    let apart = task.distance.is_none_or(|distance| distance.0 > 0 && distance.0 % page.0 == 0);
    require(apart, &format!("{key}.compute.distance"), || {
        format!("got \"{}\", expected a multiple of \"{page}\", a page", task.distance.unwrap_or(Size(0)))
    })?;
    if let Some(synthetic) = differs {
        let got = synthetic.size.filter(|size| *size != page).map_or("sizes that differ".to_owned(), spelt);
        let what = format!(
            "got {got}, expected \"{page}\" alone: a gather combines a page (or ftl.mapping_unit) of each operand"
        );
        return Err(Problem::new(&format!("{key}.synthetic.size"), what));
    }
    if task.at == At::Host { Ok(()) } else { check_within(design, flow, task, key) }
}

/// Checks what computation in the drive excludes.
fn check_within(design: &Design, flow: &Flow, task: &Task, key: &str) -> Checked {
    let refuse = refuse_with(format!("flow {:?} that computes at \"{}\"", flow.name, task.at.name()));
    let within_chip = matches!(task.at, At::Chip | At::Array);
    let failures = &design.flash.failures;
    let may_err = design.flash.errors.are_possible() || design.controller.ecc.outer.is_on() || failures.read > 0.0;
    refuse(
        !within_chip || !may_err,
        if failures.read > 0.0 { "flash.failures.read" } else { "flash.errors" },
        "errors",
        "a chip has no ECC engine; expected data without errors, or a task at \"channel\"",
    )?;
    let rebuilds = design.ftl.parity != Parity::None && (may_err || failures.any_is_lost());
    refuse(
        task.at == At::Drive || !rebuilds,
        "ftl.parity",
        &spelt(design.ftl.parity),
        "pages are rebuilt in the controller; expected \"none\", or a task at \"drive\"",
    )?;
    refuse(
        !within_chip || design.layout().pages_per_flash_page() == 1,
        "ftl.mapping_unit",
        &spelt(Size(design.mapping_unit())),
        "chips work on whole pages; expected the size of a page",
    )?;
    check_room(design, flow, task, key)
}

/// A chip scans and reduces from its registers, and an array gathers into its latches.
fn check_room(design: &Design, flow: &Flow, task: &Task, key: &str) -> Checked {
    let gathers = task.kind == TaskKind::Gather;
    if task.at == At::Array || task.at == At::Chip && !gathers {
        return Ok(());
    }
    let (buffer, of_buffer) = (design.compute.unit(task.at).buffer, format!("compute.{}.buffer", task.at.name()));
    let (operands, page) = (if gathers { task.operands } else { 1 }, Size(design.layout().page_bytes()));
    let most = buffer.0 / page.0;
    require(most > 0 && (most > 1 || !gathers), &of_buffer, || {
        let least = if gathers { "two pages" } else { "a page" };
        format!("got \"{buffer}\", expected at least {least} of \"{page}\" for the tasks of flow {:?}", flow.name)
    })?;
    require(u64::from(operands) <= most, &format!("{key}.compute.operands"), || {
        format!("got {operands}, expected at most {most}: {of_buffer} holds \"{buffer}\", and a page has \"{page}\"")
    })
}
