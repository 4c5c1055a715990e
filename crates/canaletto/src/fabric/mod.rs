//! The interconnect between the controller and the chips.
//!
//! A *leg* is what has to cross for one flash command: the command (with the data of a write), or the data of a read. It
//! needs a *path*. The machine asks a fabric to start a leg; the fabric grants it a path or has none free; when the leg
//! ends the machine gives the path back and offers what was freed to the next leg.
//!
//! A new fabric is one file here, one variant of [`FabricKind`](crate::config::design::FabricKind) and one line in
//! [`crate::run`].

pub mod bus;

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::flash::address::{ChipId, Layout};
use crate::sim::time::Time;
use crate::typed_id;

typed_id!(
    /// A path in use, until it is given back.
    PathId
);
typed_id!(
    /// A set of chips that compete for the same paths.
    DomainId
);

/// What has to cross.
#[derive(Debug, Clone, Copy)]
pub struct Leg {
    /// The chip at the far end.
    pub chip: ChipId,
    /// Time of commands and addresses on the wires.
    pub command: Time,
    /// Time of data on the wires, see [`Fabric::data_time`].
    pub data: Time,
}

/// A granted path.
#[derive(Debug, Clone, Copy)]
pub struct Grant {
    /// The path, to be given back by [`Fabric::end`].
    pub path: PathId,
    /// When the leg will have crossed.
    pub ends: Time,
}

/// Use of one part of the interconnect over a run.
#[derive(Debug, Clone)]
pub struct Usage {
    /// The part, for example `channel 3`.
    pub part: String,
    /// Time in use.
    pub busy: Time,
}

/// An interconnect.
pub trait Fabric: Sized {
    /// The idle interconnect of a validated design.
    fn new(config: &FabricConfig, layout: &Layout) -> Self;

    /// Number of domains.
    fn domains(&self) -> u32;

    /// The domain of a chip.
    fn domain_of(&self, chip: ChipId) -> DomainId;

    /// The chips of a domain, which are numbered one after the other.
    fn chips_of(&self, domain: DomainId) -> Range<u32>;

    /// Whether any path of the domain may be free, so that asking for one is worth while.
    fn may_start(&self, domain: DomainId) -> bool;

    /// Whether a leg to this chip would be granted a path now.
    fn is_free(&self, chip: ChipId) -> bool;

    /// Takes a path for a leg. To be called only if [`Fabric::is_free`].
    fn start(&mut self, leg: Leg, now: Time) -> Grant;

    /// The leg has crossed; its path is free again. Returns the domain to which it is.
    fn end(&mut self, path: PathId) -> DomainId;

    /// How long one page's `bytes` occupy the wires.
    fn data_time(&self, bytes: u64) -> Time;

    /// Upper bound on user data in bytes a second over the whole interconnect, for `--dry-run`.
    fn peak_rate(&self) -> f64;

    /// Use of every part so far.
    fn usage(&self) -> Vec<Usage>;
}
