use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::*;
use crate::config::own::fabric::{Blueprint, Plans};
use crate::engine::error::RunError;
use crate::engine::memory::guarded;
use crate::fabric::FabricKind;
use crate::fabric::tests::{Bench, array, of};

#[derive(Debug, Clone)]
struct Told(Vec<u32>);

impl Plans for Told {
    fn begin(&self) -> Box<dyn Plan> {
        Box::new(self.clone())
    }
}

impl Plan for Told {
    fn decide(&mut self, view: &View<'_>, grants: &mut Grants) -> Result<(), String> {
        if self.0.is_empty() {
            return Err("nothing was told".into());
        }
        view.waiting.iter().for_each(|asked| grants.grant(asked.path, self.0.iter().copied()));
        Ok(())
    }
}

fn custom(links: &[&[Place]], plan: &[u32]) -> FabricConfig {
    let links = Arc::new(links.iter().map(|ends| ends.to_vec()).collect());
    let blueprint = Blueprint { name: "told".to_owned(), links, plans: Arc::new(Told(plan.to_vec())) };
    FabricConfig { blueprint: Some(blueprint), ..of(FabricKind::Custom) }
}

/// Two buses of two chips, and a link between the last ones.
const LINKS: [&[Place]; 3] = [&[(0, -1), (0, 0), (0, 1)], &[(1, -1), (1, 0), (1, 1)], &[(0, 1), (1, 1)]];

fn send(plan: &[u32]) -> Result<Time, String> {
    let run = || {
        let mut bench = Bench::<Custom>::new(&custom(&LINKS, plan), &array(2, 2));
        let page = bench.page(3, Direction::FromChip);
        bench.start(page);
        bench.run();
        Ok(bench.crossed[0].0)
    };
    match guarded(run) {
        Err(RunError::Own(why)) => Err(why),
        other => Ok(other.unwrap_or_else(|error| panic!("{error}"))),
    }
}

#[test]
fn only_ways_from_a_controller_to_the_chip_are_taken() {
    // Chip 3's router takes a cycle. Through the other row there is one more.
    assert_eq!(send(&[1]), Ok(Time::from_ns(4096 + 1)));
    assert_eq!(send(&[0, 2]), Ok(Time::from_ns(4096 + 2)));
    for (plan, says) in [
        (&[0][..], "its last link does not reach the chip"),
        (&[2], "its first link has no controller"),
        (&[0, 1], "links 0 and 1 do not meet"),
        (&[0, 2, 0], "link 0 is there twice"),
        (&[7], "there is no link 7, expected one below 3"),
        (&[], "nothing was told"),
    ] {
        let why = send(plan).expect_err("no way");
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn a_taken_link_is_refused() {
    let mut bench = Bench::<Custom>::new(&custom(&LINKS, &[1]), &array(2, 2));
    for chip in [2, 3] {
        let page = bench.page(chip, Direction::FromChip);
        bench.start(page);
    }
    let why = guarded(|| {
        bench.run();
        Ok(())
    });
    assert!(matches!(&why, Err(RunError::Own(why)) if why.contains("another transfer has link 1")), "{why:?}");
}

#[test]
fn blueprints_reach_every_chip() {
    let config = custom(&LINKS, &[]);
    let blueprint = config.blueprint.clone().unwrap();
    let controllers = places_of_controllers(&config, 2, 2);
    assert_eq!(blueprint.check(2, 2, &controllers), Ok(()));
    let controllers = places_of_controllers(&config, 2, 3);
    let why = "no link leads from a controller to chip 0,2";
    assert_eq!(blueprint.check(2, 3, &controllers), Err(why.to_owned()));
    let lonely = custom(&[&[(0, 0), (0, 0)]], &[]).blueprint.unwrap();
    assert_eq!(
        lonely.check(1, 1, &controllers),
        Err("link 0 joins [(0, 0), (0, 0)], expected two places or more".into())
    );
    assert_eq!(routers(&config, 2, 2), 2);
}

#[test]
fn the_mesh_grants_shortest_ways_at_once() {
    let mut bench = Bench::<Custom>::new(&of(FabricKind::Custom), &array(4, 4));
    for chip in 0..4 {
        let page = bench.page(chip, Direction::FromChip);
        bench.start(page);
    }
    bench.run();
    let took: Vec<u64> = bench.crossed.iter().map(|(at, _)| at.0 / 1000 - 4096).collect();
    assert_eq!(took.len(), 4);
    assert!(bench.crossed.iter().all(|(_, crossed)| crossed.conflict == Time::ZERO));
    assert_eq!(took[0], 1);
    assert!(took.iter().all(|&links| links <= 9), "{took:?}");
}

#[test]
fn whoever_waits_goes_when_links_are_free() {
    let mut bench = Bench::<Custom>::new(&of(FabricKind::Custom), &array(1, 2));
    for chip in [0, 1] {
        let page = bench.page(chip, Direction::FromChip);
        bench.start(page);
    }
    bench.run();
    let first = Time::from_ns(4096 + 1);
    let [(_, near), (at, far)] = bench.crossed[..] else { panic!("two transfers") };
    assert_eq!((near.conflict, far.conflict), (Time::ZERO, first));
    assert_eq!(at, first + Time::from_ns(4096 + 2));
}

/// A page takes 4096 ns and 1 ns per router. Controller 1 serves chip (1, 0), controller 0 chip (1, 1) down column 1.
/// Chip (0, 1) has controller 2, whose one way goes up column 1.
fn third_of_three(route: CircuitRoute) -> (Time, Time) {
    let mut config = of(FabricKind::Custom);
    config.custom.route = route;
    let mut bench = Bench::<Custom>::new(&config, &array(3, 3));
    for chip in [3, 4, 1] {
        let page = bench.page(chip, Direction::FromChip);
        bench.start(page);
    }
    bench.run();
    let (at, third) = *bench.crossed.last().expect("three transfers");
    (at, third.conflict)
}

#[test]
fn x_then_y_waits_where_another_way_is_free() {
    // Chip (1, 0): 1 router. Chip (1, 1) over (0, 0), (0, 1), (1, 1): 3 routers, until 4099 ns.
    let freed = Time::from_ns(4096 + 3);
    let waited = (freed + Time::from_ns(4096 + 2), freed);
    assert_eq!(third_of_three(CircuitRoute::XThenY), waited);
    // Around by column 2, through 7 routers at most.
    let (at, conflict) = third_of_three(CircuitRoute::Shortest);
    assert_eq!(conflict, Time::ZERO);
    assert!(at <= Time::from_ns(4096 + 7), "{at:?}");
}

#[test]
fn the_nearest_free_controller_serves_a_way_along_its_row_first() {
    let mut config = of(FabricKind::Custom);
    config.custom.route = CircuitRoute::XThenY;
    let mut bench = Bench::<Custom>::new(&config, &array(2, 3));
    for chip in [5, 5 - 1] {
        let page = bench.page(chip, Direction::FromChip);
        bench.start(page);
    }
    bench.run();
    let took: Vec<u64> = bench.crossed.iter().map(|(at, _)| at.ns()).collect();
    assert_eq!(took, [4099, 4099]);
    let names: Vec<_> = bench.fabric.wires().into_iter().filter(|wire| wire.active > Time::ZERO).collect();
    let ends: Vec<_> = names.iter().map(|wire| (wire.from, wire.to)).collect();
    assert!(ends.contains(&((0, 0), (0, 1))) && ends.contains(&((0, 1), (1, 1))), "{ends:?}");
    assert!(!ends.contains(&((0, 0), (1, 0))), "not down the first column");
}

#[test]
fn what_is_no_fault_of_a_fabric_is_not_taken_for_one() {
    let other = catch_unwind(AssertUnwindSafe(|| guarded(|| -> Result<(), RunError> { panic!("a defect") })));
    assert!(other.is_err());
}
