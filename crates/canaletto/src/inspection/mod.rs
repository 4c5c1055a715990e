//! A design and a workload looked at without a run: capacity, bounds on bandwidth, and memory.

mod memory;

use serde::Serialize;

use crate::config::attach::AttachmentKind;
use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::engine::run::TraceInput;
use crate::fabric;
use crate::flash::address::SECTOR;
use crate::flash::interface::Operation;
use crate::flash::timing::ArrayTiming;
use crate::host::attach;
use crate::host::link::read_time;
pub use crate::inspection::memory::Memory;
use crate::limits::Limits;
use crate::workload::offered::{Offered, offered};

/// Upper bound on bandwidth by one resource.
#[derive(Debug, Clone, Serialize)]
pub struct Bound {
    /// Name of the resource.
    pub resource: String,
    /// User data, in 10^9 bytes per second.
    pub limit_gb_s: f64,
}

/// Capacity, bounds and memory of a run, known before it.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// Capacity of all pages, in bytes.
    pub raw_bytes: u64,
    /// Capacity that the host can address, in bytes.
    pub logical_bytes: u64,
    /// Number of chips.
    pub chips: u32,
    /// Number of planes.
    pub planes: u32,
    /// Size of a page, in bytes.
    pub page_bytes: u64,
    /// Upper bounds on read bandwidth, lowest first.
    pub read_bounds: Vec<Bound>,
    /// Upper bounds on write bandwidth, lowest first.
    pub write_bounds: Vec<Bound>,
    /// Offered load, where arrival times are known before the run.
    pub offered: Option<Offered>,
    /// Largest memory that a run is expected to take, in 10^6 bytes.
    pub memory_mb: f64,
    /// Parts of that memory.
    pub memory: Memory,
}

/// Returns capacity, bounds and memory of a design and a workload without running them. `traces` as for a run, or none;
/// `records`: whether a row is kept per request.
///
/// # Errors
/// As [`Limits::new`].
pub fn inspect(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    records: bool,
) -> Result<Inspection, String> {
    let limits = Limits::new(design, workload)?;
    let layout = &limits.layout;
    let page = layout.flash_page_bytes();
    let host = |to_drive| match design.attachment.kind {
        AttachmentKind::None => ("host link", page as f64 / read_time(design, page).seconds()),
        _ => ("attachment", attach::limit::peak_rate(&design.attachment, to_drive)),
    };
    let array = |operation| {
        let timing = ArrayTiming::new(&design.flash);
        let kinds = 24;
        let mean = (0..kinds).map(|p| timing.get(operation, p).seconds()).sum::<f64>() / f64::from(kinds);
        let planes = f64::from(layout.luns()) * f64::from(layout.planes_per_die);
        planes * page as f64 / mean
    };
    let fabric = fabric::peak_rate(&design.fabric, layout);
    let mut common = vec![Bound { resource: "fabric".into(), limit_gb_s: fabric / 1e9 }];
    let controller = &design.controller;
    for (resource, rate) in [
        ("system bus", controller.system_bus.0 as f64),
        ("DRAM port", controller.dram.0 as f64),
        ("ECC engines", controller.ecc_rate.0 as f64 * f64::from(layout.channels)),
    ] {
        if rate > 0.0 {
            common.push(Bound { resource: resource.into(), limit_gb_s: rate / 1e9 });
        }
    }
    let with = |operation, name: &str| {
        let mut bounds = common.clone();
        let (resource, rate) = host(operation == Operation::Program);
        bounds.insert(0, Bound { resource: resource.into(), limit_gb_s: rate / 1e9 });
        bounds.push(Bound { resource: name.into(), limit_gb_s: array(operation) / 1e9 });
        bounds.sort_by(|a, b| a.limit_gb_s.total_cmp(&b.limit_gb_s));
        bounds
    };
    let (read_bounds, write_bounds) =
        (with(Operation::Read, "flash arrays (reading)"), with(Operation::Program, "flash arrays (programming)"));
    let memory = Memory::of(design, workload, &limits, traces, [&read_bounds, &write_bounds], records);
    Ok(Inspection {
        raw_bytes: layout.pages() * layout.page_bytes(),
        logical_bytes: limits.logical_sectors * SECTOR,
        chips: layout.chips(),
        planes: layout.planes(),
        page_bytes: page,
        read_bounds,
        write_bounds,
        offered: offered(workload),
        memory_mb: memory.total_mb(),
        memory,
    })
}
