//! The interconnect between the controller and the chips.
//!
//! A *leg* is what has to cross for one flash command: the command (with the data of a write), or the data of a read. It
//! needs a *path*. The machine asks a fabric to start a leg; the fabric grants it a path or has none free; when the leg
//! ends the machine gives the path back and offers what was freed to the next leg.
//!
//! A new fabric is one file here, one arm of `with_fabric` below and one variant of
//! [`FabricKind`](crate::config::design::FabricKind).

pub mod bus;
mod buses;
pub mod ideal;
pub mod packetized;
mod signals;

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;
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

    /// How long a command to `planes` planes occupies the wires, without data.
    fn command_time(&self, operation: Operation, planes: usize) -> Time;

    /// How long one page's `bytes` occupy the wires on the way from the array (a read) or to it (a program).
    fn data_time(&self, operation: Operation, bytes: u64) -> Time;

    /// Upper bound on user data in bytes a second over the whole interconnect, for `--dry-run`.
    fn peak_rate(&self) -> f64;

    /// Use of every part so far.
    fn usage(&self) -> Vec<Usage>;
}

/// Evaluates an expression with a type name standing for the fabric of a kind: the one place that lists them all.
macro_rules! with_fabric {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            $crate::config::design::FabricKind::Bus => {
                type $F = $crate::fabric::bus::Bus;
                $body
            }
            $crate::config::design::FabricKind::Packetized => {
                type $F = $crate::fabric::packetized::Packetized;
                $body
            }
            $crate::config::design::FabricKind::Ideal => {
                type $F = $crate::fabric::ideal::Ideal;
                $body
            }
        }
    };
}
pub(crate) use with_fabric;

/// [`Fabric::peak_rate`] of the configured interconnect.
pub fn peak_rate(config: &FabricConfig, layout: &Layout) -> f64 {
    with_fabric!(config.kind, F => F::new(config, layout).peak_rate())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{FabricKind, Geometry, Interface, TransferOrder, Turnarounds};
    use crate::config::units::{Rate, Size};

    /// Two channels of four chips.
    pub fn layout() -> Layout {
        let geometry = Geometry {
            channels: 2,
            chips_per_channel: 4,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page: Size(4096),
        };
        Layout::new(&geometry, true)
    }

    /// A fabric's configuration; what it is called does not matter here.
    pub fn config(rate: u64, burst_bytes: u32) -> FabricConfig {
        FabricConfig {
            kind: FabricKind::Bus,
            link_rate: Rate(rate),
            burst_bytes,
            interface: Interface::NvDdr2,
            turnarounds: Turnarounds::InChip,
            order: TransferOrder::DataFirst,
        }
    }

    /// A path is refused until its leg ends and granted from then on; `shared` says whether chips 0 and 3 share one.
    fn gates<F: Fabric>(shared: bool) {
        let mut fabric = F::new(&config(1_000_000_000, 0), &layout());
        let command = fabric.command_time(Operation::Program, 1);
        let data = fabric.data_time(Operation::Program, 4096);
        let grant = fabric.start(Leg { chip: ChipId(0), command, data }, Time::from_ns(5));
        assert_eq!(grant.ends, Time::from_ns(5) + command + data);
        assert!(!fabric.is_free(ChipId(0)));
        assert_eq!(fabric.is_free(ChipId(3)), !shared);
        assert!(fabric.is_free(ChipId(4)), "the other channel has paths of its own");
        let domain = fabric.end(grant.path);
        assert_eq!(domain, fabric.domain_of(ChipId(0)));
        assert!(fabric.may_start(domain) && fabric.is_free(ChipId(0)) && fabric.is_free(ChipId(3)));
        let busy: Vec<Time> = fabric.usage().into_iter().map(|u| u.busy).filter(|&b| b > Time::ZERO).collect();
        assert_eq!(busy, [command + data]);
    }

    #[test]
    fn paths_are_refused_until_they_are_given_back() {
        gates::<bus::Bus>(true);
        gates::<packetized::Packetized>(true);
        gates::<ideal::Ideal>(false);
    }

    /// Every chip is in exactly one domain.
    #[test]
    fn domains_partition_the_chips() {
        fn check<F: Fabric>() {
            let fabric = F::new(&config(1_000_000_000, 0), &layout());
            let chips: Vec<u32> = (0..fabric.domains()).flat_map(|d| fabric.chips_of(DomainId(d))).collect();
            assert_eq!(chips, (0..8).collect::<Vec<_>>());
            for d in 0..fabric.domains() {
                assert!(fabric.chips_of(DomainId(d)).all(|c| fabric.domain_of(ChipId(c)) == DomainId(d)));
            }
        }
        check::<bus::Bus>();
        check::<packetized::Packetized>();
        check::<ideal::Ideal>();
    }
}
