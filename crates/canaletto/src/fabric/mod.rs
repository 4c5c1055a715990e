//! The interconnect between the controller and the chips.
//!
//! A *transfer* is what has to cross for one flash command: the command (with the data of a write), or the data of a read. It
//! needs a *path*. The engine asks a fabric to start a transfer once one may be granted; the fabric schedules events of its
//! own and says when the transfer has crossed; then the engine gives the path back, or holds it for the next transfer of the same
//! chip.
//!
//! A new fabric is one file here, with its [`Facts`](facts::Facts), and one line of `fabric_list!`
//! (`canaletto-config/src/kinds.rs`).

mod any;
pub mod bus;
mod buses;
mod carried;
pub mod check;
pub mod chip_to_chip;
pub mod clusters;
pub mod command_times;
pub mod crossed;
pub mod custom;
mod cut_off;
pub mod facts;
pub mod failing;
mod grants;
pub mod held;
pub mod ideal;
mod kinds;
pub mod lines;
pub mod loss;
pub mod mesh;
pub mod omnibus;
pub mod packetized;
mod packets;
mod page_registers;
pub mod paths;
pub mod sca;
pub mod scheduled_mesh;
mod signals;
pub mod trace;
pub mod venice;
pub mod wire_times;
pub mod wires;

use std::fmt::Debug;
use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
pub use crate::config::kinds::FabricKind;
pub use crate::config::own::values::{Direction, PathId, Transfer};
use crate::engine::time::{Time, TimeSum};
use crate::fabric::chip_to_chip::ChipToChip;
pub use crate::fabric::crossed::TransferDone;
use crate::fabric::facts::RouterKind;
pub use crate::fabric::facts::facts;
use crate::fabric::failing::Failed;
use crate::fabric::kinds::fabrics;
use crate::fabric::trace::WireTrace;
use crate::fabric::wire_times::WireTimes;
use crate::fabric::wires::{ControllerUse, Wire};
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;
use crate::typed_id;

canaletto_config::fabric_list! { fabrics $ }

typed_id!(
    /// A set of chips that compete for the same paths.
    DomainId
);

/// Outcome of an event.
#[derive(Debug, Clone, Copy, Default)]
pub struct FabricOutcome {
    /// A transfer has crossed.
    pub crossed: Option<TransferDone>,
    /// Something became free for other transfers of this domain.
    pub freed: Option<DomainId>,
}

/// An interconnect.
///
/// `later` schedules an event of the fabric's own, which [`Fabric::handle`] receives at its time.
pub trait Fabric: ChipToChip<<Self as Fabric>::Event> {
    /// Event inside the fabric.
    type Event: Copy + Debug;
    /// Its signalling.
    type Times: WireTimes;

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

    /// Whether a transfer to or from this chip may start now.
    fn is_free(&self, chip: ChipId, direction: Direction) -> bool;

    /// Whether a command with data for this chip may start where [`Fabric::is_free`] says that commands may: data may have
    /// their own wires.
    fn takes_data(&self, _: ChipId) -> bool {
        true
    }

    /// When the chip's own port was last given free: until then a transfer of this chip waited for its chip, not for a path.
    fn port_free_at(&self, chip: ChipId, direction: Direction) -> Time;

    /// Takes a path for a transfer. To be called only if [`Fabric::is_free`].
    fn start(&mut self, transfer: Transfer, now: Time, later: &mut dyn FnMut(Time, Self::Event)) -> PathId;

    /// Sends another transfer of the same chip over a path that was held after the last one. Only for fabrics whose paths can be
    /// held (`fabric.hold_path`).
    fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut dyn FnMut(Time, Self::Event),
    );

    /// Something the fabric scheduled happens.
    fn handle(&mut self, event: Self::Event, now: Time, later: &mut dyn FnMut(Time, Self::Event)) -> FabricOutcome;

    /// When the next step is due that changes nothing outside the fabric: such steps need no place in the engine's queue.
    /// In a tie the event of the engine goes first.
    fn next_step(&self) -> Time {
        Time::MAX
    }

    /// Does the step that is due at `now`, and may do those that follow from it before `until`.
    fn step(&mut self, _now: Time, _until: Time, _later: &mut dyn FnMut(Time, Self::Event)) {}

    /// Whether nothing is under way, not even the end of a path that has been given back.
    fn is_at_rest(&self) -> bool {
        true
    }

    /// Parts of an interconnect at rest fail. Where each chip has a single way there is nothing to do: nobody asks for one to a
    /// chip that is cut off.
    fn lose(&mut self, _failed: &Failed) {}

    /// Gives back the path of a transfer that has crossed. Returns the domain whose transfers may find something free.
    fn release(&mut self, path: PathId, now: Time, later: &mut dyn FnMut(Time, Self::Event)) -> DomainId;

    /// How long commands and data occupy the wires.
    fn times(&self) -> &Self::Times;

    /// See [`WireTimes::command`].
    #[inline(always)]
    fn command_time(&self, operation: Operation, planes: usize) -> Time {
        self.times().command(operation, planes)
    }

    /// See [`WireTimes::data`].
    #[inline(always)]
    fn data_time(&self, operation: Operation, bytes: u64) -> Time {
        self.times().data(operation, bytes)
    }

    /// See [`WireTimes::copyback`].
    #[inline(always)]
    fn copyback_time(&self, planes: usize) -> Time {
        self.times().copyback(planes)
    }

    /// See [`WireTimes::column`].
    #[inline(always)]
    fn column_time(&self) -> Time {
        self.times().column()
    }

    /// See [`WireTimes::status`].
    #[inline(always)]
    fn status(&self) -> (Direction, Time) {
        self.times().status()
    }

    /// See [`WireTimes::suspend`].
    #[inline(always)]
    fn suspend_time(&self, resume: bool) -> Time {
        self.times().suspend(resume)
    }

    /// Upper bound on user data in bytes per second over the whole interconnect, for `--dry-run`.
    fn peak_rate(&self) -> f64;

    /// Every wire, with its use so far. Their order never changes: timelines name wires by their place.
    fn wires(&self) -> Vec<Wire>;

    /// Every controller, with its use so far.
    fn controllers(&self) -> Vec<ControllerUse>;

    /// Ports of a chip, each of which serves one transfer at a time.
    fn ports(&self) -> u64 {
        1
    }

    /// Time that data crossed routers, summed over the routers; zero where there are none.
    fn router_time(&self) -> TimeSum {
        TimeSum::ZERO
    }

    /// Time that a central arbiter searched for ways; zero where there is none.
    fn arbiter_time(&self) -> Time {
        Time::ZERO
    }

    /// Further counts, by name.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Trace of what crosses on which wire, for timelines.
    fn trace(&mut self) -> &mut WireTrace;
}

/// Number of routers of the configured interconnect in an array of that many rows and columns: one at each chip, or a switch
/// for several.
pub fn router_count(config: &FabricConfig, rows: u32, columns: u32) -> u32 {
    let chips = rows * columns;
    match facts_of(config.kind).routers {
        None => 0,
        Some(_) if config.blueprint.is_some() => custom::routers(config, rows, columns),
        Some(RouterKind::Switch) => chips.div_ceil(config.clusters.chips_per_switch),
        Some(_) => chips,
    }
}

/// [`Fabric::peak_rate`] of the configured interconnect.
pub fn peak_rate(config: &FabricConfig, layout: &Layout) -> f64 {
    with_fabric!(config.kind, F => F::new(config, layout).peak_rate())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::design::Geometry;
    use crate::config::named::Named;
    use crate::config::units::{Rate, Size};
    use crate::fabric::facts::Facts;
    use crate::fabric::wires::WireKind;

    /// `channels` × `chips` chips of two planes.
    pub fn array(channels: u32, chips: u32) -> Layout {
        let geometry = Geometry {
            channels,
            chips_per_channel: chips,
            dies_per_chip: 1,
            planes_per_die: 2,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page: Size(4096),
        };
        Layout::new(&geometry, true)
    }

    /// Two channels of four chips.
    pub fn layout() -> Layout {
        array(2, 4)
    }

    /// A fabric of a kind.
    pub fn of(kind: FabricKind) -> FabricConfig {
        FabricConfig::new(kind, Rate(1_000_000_000))
    }

    /// A fabric's configuration; what it is called does not matter here.
    pub fn config(rate: u64, burst_bytes: u32) -> FabricConfig {
        FabricConfig { burst_bytes, ..FabricConfig::new(FabricKind::Bus, Rate(rate)) }
    }

    /// A fabric with its pending events, and what came of those that happened.
    pub struct Bench<F: Fabric> {
        pub fabric: F,
        pub now: Time,
        pending: Vec<(Time, u64, F::Event)>,
        pushed: u64,
        pub crossed: Vec<(Time, TransferDone)>,
    }

    impl<F: Fabric> Bench<F> {
        pub fn new(config: &FabricConfig, layout: &Layout) -> Bench<F> {
            let fabric = F::new(config, layout);
            Bench { fabric, now: Time::ZERO, pending: Vec::new(), pushed: 0, crossed: Vec::new() }
        }

        /// A read's data (or a program, with data) of 4 KiB.
        pub fn page(&self, chip: u32, direction: Direction) -> Transfer {
            let (command, data) = match direction {
                Direction::ToChip => {
                    (self.fabric.command_time(Operation::Program, 1), self.fabric.data_time(Operation::Program, 4096))
                }
                Direction::FromChip => (Time::ZERO, self.fabric.data_time(Operation::Read, 4096)),
            };
            Transfer { chip: ChipId(chip), direction, command, data }
        }

        pub fn is_free(&self, chip: u32, direction: Direction) -> bool {
            self.fabric.may_start(self.fabric.domain_of(ChipId(chip))) && self.fabric.is_free(ChipId(chip), direction)
        }

        /// Lets the fabric do something now.
        pub fn with<T>(&mut self, act: impl FnOnce(&mut F, Time, &mut dyn FnMut(Time, F::Event)) -> T) -> T {
            let (pending, pushed) = (&mut self.pending, &mut self.pushed);
            act(&mut self.fabric, self.now, &mut |time, event| {
                pending.push((time, *pushed, event));
                *pushed += 1;
            })
        }

        pub fn start(&mut self, transfer: Transfer) -> PathId {
            assert!(self.fabric.is_free(transfer.chip, transfer.direction));
            self.with(|fabric, now, mut later| fabric.start(transfer, now, &mut later))
        }

        /// Lets the fabric's own steps happen that are due before any event.
        fn steps(&mut self, until: Time) {
            loop {
                let due = self.fabric.next_step();
                let event = self.pending.iter().map(|p| p.0).min().unwrap_or(Time::MAX);
                if due >= event || due > until {
                    return;
                }
                let (pending, pushed) = (&mut self.pending, &mut self.pushed);
                let before = event.min(Time(until.0.saturating_add(1)));
                self.fabric.step(due, before, &mut |time, event| {
                    pending.push((time, *pushed, event));
                    *pushed += 1;
                });
            }
        }

        /// Lets the next event happen; a transfer that has crossed gives its path back at once. False if none is left.
        pub fn step(&mut self) -> bool {
            self.steps(Time::MAX);
            let Some(next) = (0..self.pending.len()).min_by_key(|&i| (self.pending[i].0, self.pending[i].1)) else {
                return false;
            };
            let (time, _, event) = self.pending.swap_remove(next);
            assert!(time >= self.now);
            self.now = time;
            let (pending, pushed) = (&mut self.pending, &mut self.pushed);
            let mut later = |time, event| {
                pending.push((time, *pushed, event));
                *pushed += 1;
            };
            if let Some(crossed) = self.fabric.handle(event, time, &mut later).crossed {
                self.crossed.push((time, crossed));
                self.fabric.release(crossed.path, time, &mut later);
            }
            true
        }

        /// When the next event happens, if one is left.
        pub fn next_at(&self) -> Option<Time> {
            self.pending.iter().map(|p| p.0).min()
        }

        /// Lets everything happen up to and including `time`.
        pub fn run_until(&mut self, time: Time) {
            self.steps(time);
            while self.pending.iter().any(|p| p.0 <= time) {
                self.step();
                self.steps(time);
            }
            self.now = time;
        }

        pub fn run(&mut self) {
            while self.step() {}
        }
    }

    /// A path is refused until the very picosecond its transfer ends and granted then; `shared` says whether chips 0 and 3
    /// share one.
    fn gates<F: Fabric>(shared: bool) {
        let mut bench = Bench::<F>::new(&config(1_000_000_000, 0), &layout());
        bench.now = Time::from_ns(5);
        let transfer = bench.page(0, Direction::ToChip);
        bench.start(transfer);
        let end = Time::from_ns(5) + transfer.time();
        bench.run_until(Time(end.0 - 1));
        assert!(!bench.is_free(0, Direction::ToChip));
        assert_eq!(!bench.is_free(3, Direction::FromChip), shared);
        assert!(bench.is_free(4, Direction::ToChip), "the other channel has paths of its own");
        bench.run_until(end);
        assert!(bench.is_free(0, Direction::FromChip) && bench.is_free(3, Direction::ToChip));
        assert_eq!(bench.fabric.port_free_at(ChipId(0), Direction::ToChip), end);
        let busy: Vec<Time> = bench.fabric.wires().into_iter().map(|w| w.busy).filter(|&b| b > Time::ZERO).collect();
        assert_eq!(busy, [transfer.time()]);
    }

    #[test]
    fn paths_are_refused_until_they_are_given_back() {
        gates::<bus::Bus>(true);
        gates::<packetized::Packetized>(true);
        gates::<ideal::Ideal>(false);
    }

    /// A fabric that is linked like a network has routers that draw power, and area; others have neither.
    #[test]
    fn every_fabric_states_its_facts() {
        for &kind in FabricKind::ALL {
            let (name, sentence) = (kind.name(), kind.sentence());
            let Facts { routers, interconnect, .. } = *facts_of(kind);
            assert!(!name.is_empty() && sentence.ends_with('.'), "{name}: {sentence}");
            let wires = with_fabric!(kind, F => F::new(&of(kind), &layout()).wires());
            let links = wires.iter().filter(|wire| matches!(wire.kind, WireKind::Link | WireKind::NarrowLink)).count();
            let (config, joined) = (of(kind), links > 0 || interconnect(&of(kind), 2, 4).switches.is_some());
            assert_eq!(kind.is_network(), links > 0, "{name}");
            assert_eq!(routers.is_some(), joined, "{name}");
            assert_eq!(router_count(&config, 2, 4) > 0, joined, "{name}");
            assert_eq!(interconnect(&config, 2, 4).links as usize, links, "{name}");
        }
    }

    /// Methods that have a default in the traits are not forgotten where calls are passed on.
    #[test]
    fn every_call_is_passed_on() {
        // Times are asked of what `times` returns, which is passed on.
        let methods = |text: &'static str| {
            let of_times = text.lines().skip(1).map(|body| body.trim().starts_with("self.times()"));
            let own = text.lines().zip(of_times).filter(|(_, of_times)| !of_times);
            own.filter_map(|(line, _)| line.trim().strip_prefix("fn ")?.split(['(', '<']).next())
        };
        let passed: Vec<&str> = methods(include_str!("any.rs")).collect();
        let (fabric, _) = include_str!("mod.rs").split_once("/// [`Fabric::peak_rate`] of").unwrap();
        let parts = [fabric, include_str!("chip_to_chip.rs"), include_str!("wire_times.rs")];
        let stated: Vec<&str> = parts.into_iter().flat_map(methods).collect();
        assert!(["next_step", "must_check", "suspend"].iter().all(|method| stated.contains(method)));
        assert_eq!(stated.iter().filter(|method| !passed.contains(method)).collect::<Vec<_>>(), [] as [&&str; 0]);
    }

    /// Fabrics that send pages from chip to chip can do so for some pair of chips, the others for none.
    #[test]
    fn chips_are_joined_where_a_fabric_says_so() {
        fn check<F: Fabric>(kind: FabricKind) {
            let fabric = F::new(&of(kind), &layout());
            let pairs = (0..8).flat_map(|a| (0..8).map(move |b| (ChipId(a), ChipId(b))));
            assert_eq!(pairs.filter(|&(a, b)| fabric.can_copy(a, b)).count() > 0, F::JOINS_CHIPS, "{kind:?}");
            assert_eq!(fabric.copy_time(4096) > Time::ZERO, F::JOINS_CHIPS, "{kind:?}");
        }
        for &kind in FabricKind::ALL {
            with_fabric!(kind, F => check::<F>(kind));
        }
    }

    /// Every chip is in exactly one domain.
    #[test]
    fn domains_partition_the_chips() {
        fn check<F: Fabric>(kind: FabricKind) {
            let fabric = F::new(&of(kind), &layout());
            let chips: Vec<u32> = (0..fabric.domains()).flat_map(|d| fabric.chips_of(DomainId(d))).collect();
            assert_eq!(chips, (0..8).collect::<Vec<_>>());
            for d in 0..fabric.domains() {
                assert!(fabric.chips_of(DomainId(d)).all(|c| fabric.domain_of(ChipId(c)) == DomainId(d)));
            }
        }
        for &kind in FabricKind::ALL {
            with_fabric!(kind, F => check::<F>(kind));
        }
    }
}
