//! Features that a run may have, as constants: what a run does not have is compiled out.
//!
//! Every station has a bundle as a type parameter and asks `X::SUSPENSION && …` before it looks at state that only the
//! feature needs. [`Full`] allows everything and asks the configuration, as any run may; [`Plain`] is the drive that most
//! runs have. [`is_plain`] chooses between them once a run. A plain run through [`Full`] gives the same bytes, which
//! `tests/integration/features.rs` checks.

use crate::config::attach::AttachmentKind;
use crate::config::design::{Design, HoldPath, MappingScheme, Policy, Protocol, Superblock, WritePlacement};
use crate::config::workload::Workload;
use crate::engine::time::Time;
use crate::fabric::loss::losses;
use crate::flash::reliability::Reliability;
use crate::flash::suspend::Suspensions;
use crate::limits::Limits;

/// A bundle of features: each constant says whether a run may have that feature.
pub trait Features: Send + 'static {
    /// A data cache in the controller's DRAM.
    const DATA_CACHE: bool;
    /// A mapping table of which only a part is in DRAM.
    const CACHED_MAPPING: bool;
    /// Data and log blocks instead of a page-level mapping table.
    const HYBRID_MAPPING: bool;
    /// Memories that are written in place.
    const IN_PLACE: bool;
    /// Blocks of several planes that are used together.
    const SUPERBLOCKS: bool;
    /// Blocks whose cells hold one bit each, as a cache of writes.
    const PSEUDO_SLC: bool;
    /// Several pages of the mapping table in a page of flash, or several in an entry.
    const SHARED_FLASH_PAGES: bool;
    /// Writes that go to the least busy plane.
    const DYNAMIC_ALLOCATION: bool;
    /// Programs and erases that are suspended.
    const SUSPENSION: bool;
    /// Cache registers, from which data leave while the array reads.
    const CACHE_READ: bool;
    /// Commands side by side in a LUN: reads of single planes, programs loaded behind others.
    const LANES: bool;
    /// Copies that never leave their plane.
    const COPYBACK: bool;
    /// Reads, programs and erases that fail, and reads that are repeated.
    const FAILURES: bool;
    /// Command sequences with a status, a change of column, and commands to suspend and resume.
    const FULL_SEQUENCES: bool;
    /// Paths held from a command to its data.
    const HELD_PATHS: bool;
    /// Fair scheduling among flows.
    const FAIR_SCHEDULING: bool;
    /// Several flows, whose waits for each other are told apart.
    const SEVERAL_FLOWS: bool;
    /// A PC between host and drive, or Serial ATA instead of NVM Express.
    const OTHER_HOSTS: bool;
}

/// Declares a bundle in which every feature is allowed, or none is.
macro_rules! bundle {
    ($(#[$doc:meta])* $name:ident = $allowed:literal) => {
        $(#[$doc])*
        pub struct $name;

        impl Features for $name {
            const DATA_CACHE: bool = $allowed;
            const CACHED_MAPPING: bool = $allowed;
            const HYBRID_MAPPING: bool = $allowed;
            const IN_PLACE: bool = $allowed;
            const SUPERBLOCKS: bool = $allowed;
            const PSEUDO_SLC: bool = $allowed;
            const SHARED_FLASH_PAGES: bool = $allowed;
            const DYNAMIC_ALLOCATION: bool = $allowed;
            const SUSPENSION: bool = $allowed;
            const CACHE_READ: bool = $allowed;
            const LANES: bool = $allowed;
            const COPYBACK: bool = $allowed;
            const FAILURES: bool = $allowed;
            const FULL_SEQUENCES: bool = $allowed;
            const HELD_PATHS: bool = $allowed;
            const FAIR_SCHEDULING: bool = $allowed;
            const SEVERAL_FLOWS: bool = $allowed;
            const OTHER_HOSTS: bool = $allowed;
        }
    };
}

bundle! {
    /// A drive without any of the features.
    Plain = false
}
bundle! {
    /// A drive that may have all of them.
    Full = true
}

/// Whether a run has none of the features, so that [`Plain`] does for it.
pub fn is_plain(design: &Design, workload: &Workload, limits: &Limits) -> bool {
    let has = [
        limits.cache_pages > 0,
        !limits.directories.is_empty(),
        !matches!(design.ftl.mapping, MappingScheme::Page),
        design.ftl.superblock != Superblock::None,
        design.flash.pslc.is_on(),
        limits.layout.pages_per_flash_page() > 1,
        limits.pages_per_unit > 1,
        design.ftl.write_placement == WritePlacement::Dynamic,
        Suspensions::are_possible(&design.flash.suspend),
        design.flash.cache_read,
        design.flash.independent_plane_reads || design.flash.cache_program,
        design.gc.copyback,
        design.flash.failures.are_possible(),
        losses(design, &limits.layout).iter().any(|loss| !loss.planes.is_empty() || loss.at > Time::ZERO),
        Reliability::is_on(design) || design.controller.ecc.outer.is_on(),
        design.fabric.has_full_sequences(),
        design.fabric.hold_path != HoldPath::Never,
        design.scheduler.policy != Policy::OutOfOrder,
        workload.flow.len() > 1,
        design.host.protocol != Protocol::Nvme,
        design.attachment.kind != AttachmentKind::None,
    ];
    !has.contains(&true)
}
