//! The interconnect between the controller and the chips.
//!
//! A *transfer* is what crosses for one flash command: the command (with the data of a write), or the data of a read.
//! It needs a *path*. The engine asks a fabric to start a transfer once a path is free; the fabric schedules its own
//! events and reports the end. Then the engine gives the path back, or holds it for the chip's next transfer.
//!
//! A new fabric is one file here, with its [`Facts`](facts::Facts), and one line of `fabric_list!`
//! (`canaletto-config/src/kinds.rs`).

#![allow(missing_docs)]

mod any;
pub mod bus;
mod buses;
mod carried;
mod chains;
pub mod check;
pub mod chip_to_chip;
pub mod clusters;
pub mod command_times;
pub mod crossed;
pub mod custom;
mod cut_off;
pub mod daisy_chain;
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
pub mod page_registers;
pub mod paths;
mod ports;
pub mod ring;
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
    /// They compete for the same paths.
    DomainId
);

#[derive(Debug, Clone, Copy, Default)]
pub struct FabricOutcome {
    pub crossed: Option<TransferDone>,
    pub freed: Option<DomainId>,
}

/// [`Fabric::handle`] receives what `later` schedules.
pub trait Fabric: ChipToChip<<Self as Fabric>::Event> {
    type Event: Copy + Debug;
    type Times: WireTimes;
    /// Whether a domain that may start has a path to each of its chips.
    const ONE_PATH: bool = false;

    fn new(config: &FabricConfig, layout: &Layout) -> Self;

    fn domains(&self) -> u32;

    fn domain_of(&self, chip: ChipId) -> DomainId;

    fn chips_of(&self, domain: DomainId) -> Range<u32>;

    fn may_start(&self, domain: DomainId) -> bool;

    fn is_free(&self, chip: ChipId, direction: Direction) -> bool;

    /// Where [`Fabric::is_free`] allows commands: data may have separate wires.
    fn takes_data(&self, _: ChipId) -> bool {
        true
    }

    /// A transfer waited for its chip until then, not for a path.
    fn port_free_at(&self, chip: ChipId, direction: Direction) -> Time;

    /// Requires [`Fabric::is_free`].
    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Self::Event)) -> PathId;

    /// Over the path held since the last transfer (`fabric.hold_path`).
    fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, Self::Event),
    );

    fn handle(&mut self, event: Self::Event, now: Time, later: &mut impl FnMut(Time, Self::Event)) -> FabricOutcome;

    /// Such steps need no place in the engine's queue. In a tie the engine's event goes first.
    fn next_step(&self) -> Time {
        Time::MAX
    }

    /// May do steps that follow before `until`.
    fn step(&mut self, _now: Time, _until: Time, _later: &mut impl FnMut(Time, Self::Event)) {}

    /// Not even the end of a path that has been given back.
    fn is_at_rest(&self) -> bool {
        true
    }

    /// Nothing to do where each chip has a single way.
    fn lose(&mut self, _failed: &Failed) {}

    /// Returns the domain whose transfers may now find something free.
    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Self::Event)) -> DomainId;

    fn times(&self) -> &Self::Times;

    #[inline(always)]
    fn command_time(&self, operation: Operation, planes: usize) -> Time {
        self.times().command(operation, planes)
    }

    #[inline(always)]
    fn data_time(&self, operation: Operation, bytes: u64) -> Time {
        self.times().data(operation, bytes)
    }

    #[inline(always)]
    fn copyback_time(&self, planes: usize) -> Time {
        self.times().copyback(planes)
    }

    #[inline(always)]
    fn column_time(&self) -> Time {
        self.times().column()
    }

    #[inline(always)]
    fn status(&self) -> (Direction, Time) {
        self.times().status()
    }

    #[inline(always)]
    fn suspend_time(&self, resume: bool) -> Time {
        self.times().suspend(resume)
    }

    /// User data in bytes per second, for `--dry-run`.
    fn peak_rate(&self) -> f64;

    /// In a fixed order: timelines name wires by their place.
    fn wires(&self) -> Vec<Wire>;

    fn controllers(&self) -> Vec<ControllerUse>;

    fn ports(&self) -> u64 {
        1
    }

    fn router_time(&self) -> TimeSum {
        TimeSum::ZERO
    }

    fn arbiter_time(&self) -> Time {
        Time::ZERO
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    fn trace(&mut self) -> &mut WireTrace;
}

/// One per chip, or a switch for several.
pub fn router_count(config: &FabricConfig, rows: u32, columns: u32) -> u32 {
    let chips = rows * columns;
    match facts_of(config.kind).routers {
        None => 0,
        Some(_) if config.blueprint.is_some() => custom::routers(config, rows, columns),
        Some(RouterKind::Switch) => chips.div_ceil(config.clusters.chips_per_switch),
        Some(_) => chips,
    }
}

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

    pub fn layout() -> Layout {
        array(2, 4)
    }

    pub fn of(kind: FabricKind) -> FabricConfig {
        FabricConfig::new(kind, Rate(1_000_000_000))
    }

    pub fn config(rate: u64, burst_bytes: u32) -> FabricConfig {
        FabricConfig { burst_bytes, ..FabricConfig::new(FabricKind::Bus, Rate(rate)) }
    }

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

        pub fn next_at(&self) -> Option<Time> {
            self.pending.iter().map(|p| p.0).min()
        }

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

    fn gates<F: Fabric>(shared: bool) {
        let mut bench = Bench::<F>::new(&config(1_000_000_000, 0), &layout());
        bench.now = Time::from_ns(5);
        let transfer = bench.page(0, Direction::ToChip);
        bench.start(transfer);
        let end = Time::from_ns(5) + transfer.time();
        bench.run_until(Time(end.0 - 1));
        assert!(!bench.is_free(0, Direction::ToChip));
        assert_eq!(!bench.is_free(3, Direction::FromChip), shared);
        assert!(bench.is_free(4, Direction::ToChip), "the other channel has its own paths");
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

    #[test]
    fn every_fabric_states_its_facts() {
        for &kind in FabricKind::ALL {
            let (name, sentence) = (kind.name(), kind.sentence());
            let Facts { routers, interconnect, .. } = *facts_of(kind);
            assert!(!name.is_empty() && sentence.ends_with('.'), "{name}: {sentence}");
            let wires = with_fabric!(kind, F => F::new(&of(kind), &layout()).wires());
            let links = wires.iter().filter(|wire| matches!(wire.kind, WireKind::Link | WireKind::NarrowLink)).count();
            assert_eq!(kind.is_network() || kind.is_chain(), links > 0, "{name}");
            let (config, joined) = (of(kind), kind.is_network() || interconnect(&of(kind), 2, 4).switches.is_some());
            assert_eq!(routers.is_some(), joined, "{name}");
            assert_eq!(router_count(&config, 2, 4) > 0, joined, "{name}");
            // Links of a chain are pins of its chips.
            assert_eq!(interconnect(&config, 2, 4).links as usize, if kind.is_chain() { 0 } else { links }, "{name}");
        }
    }

    #[test]
    fn every_call_is_passed_on() {
        // Times are asked of what `times` returns.
        let methods = |text: &'static str| {
            let of_times = text.lines().skip(1).map(|body| body.trim().starts_with("self.times()"));
            let own = text.lines().zip(of_times).filter(|(_, of_times)| !of_times);
            own.filter_map(|(line, _)| line.trim().strip_prefix("fn ")?.split(['(', '<']).next())
        };
        let passed: Vec<&str> = methods(include_str!("any.rs")).collect();
        let (fabric, _) = include_str!("mod.rs").split_once("\npub fn peak_rate(").unwrap();
        let parts = [fabric, include_str!("chip_to_chip.rs"), include_str!("wire_times.rs")];
        let stated: Vec<&str> = parts.into_iter().flat_map(methods).collect();
        assert!(["next_step", "registers", "suspend"].iter().all(|method| stated.contains(method)));
        assert_eq!(stated.iter().filter(|method| !passed.contains(method)).collect::<Vec<_>>(), [] as [&&str; 0]);
    }

    #[test]
    fn chips_are_joined_where_a_fabric_says_so() {
        fn check<F: Fabric>(kind: FabricKind) {
            let mut config = of(kind);
            config.network.chip_to_chip = true;
            let fabric = F::new(&config, &layout());
            let pairs = (0..8).flat_map(|a| (0..8).map(move |b| (ChipId(a), ChipId(b))));
            assert_eq!(pairs.filter(|&(a, b)| fabric.can_copy(a, b)).count() > 0, F::JOINS_CHIPS, "{kind:?}");
            assert_eq!(fabric.copy_time(4096) > Time::ZERO, F::JOINS_CHIPS, "{kind:?}");
        }
        for &kind in FabricKind::ALL {
            with_fabric!(kind, F => check::<F>(kind));
        }
    }

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
