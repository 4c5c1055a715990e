use super::*;
use crate::config::design::{Gc, VictimPolicy};
use crate::config::named::Named;
use crate::ftl::reclaim::gc::policy::{CostBenefit, DChoices, Fifo, Greedy, Random, RandomPlus};
use crate::ftl::steady::classes::Classes;
use crate::ftl::steady::draw::apportion;
use crate::ftl::steady::formulas;
use crate::ftl::steady::plan::{Geometry, Plan, Steady};
use crate::ftl::steady::seeded::{Life, SeededPlane};

fn shape(policy: &Policy, blocks: u32, pages: u32, over: f64) -> Shape {
    let logical = (f64::from(blocks * pages) / (1.0 + over)) as u32;
    Shape { blocks, pages, spare: 2, policy: policy.clone(), classes: vec![Class { pages: logical, writes: 1.0 }] }
}

fn distance(census: &Census, shares: &[f64]) -> f64 {
    let mut counted = vec![0.0; shares.len()];
    census.valid().for_each(|valid| counted[valid as usize] += 1.0);
    let blocks: f64 = counted.iter().sum();
    let (mut difference, mut largest) = (0.0, 0.0f64);
    for (count, share) in counted.iter().zip(shares) {
        difference += count / blocks - share;
        largest = largest.max(difference.abs());
    }
    largest
}

#[test]
fn uniform_writes_settle_at_the_fixed_point() {
    let all = VictimPolicy::ALL.iter().map(|&policy| Policy::new(&Gc { policy, ..Gc::default() }));
    // Above a load of about 0.9 most victims are any blocks.
    let most = RandomPlus { invalid_share: 12.0 / 32.0 };
    let few = RandomPlus { invalid_share: 4.0 / 32.0 };
    for policy in all.chain([DChoices(2).into(), few.into(), most.into()]) {
        for over in [0.07, 0.12, 0.20, 0.28] {
            let shape = shape(&policy, 1024, 32, over);
            let Some(theory) = policy.steady_state(shape.load(), shape.pages) else { continue };
            let census = Plane::new(shape, 1).settle();
            let ratio = census.write_amplification() / theory.write_amplification;
            let distance = distance(&census, &theory.shares);
            assert!((ratio - 1.0).abs() < 0.01, "{policy:?}, {over}: {ratio}");
            assert!(distance < 0.05, "{policy:?}, {over}: {distance}");
        }
    }
}

#[test]
fn closed_forms_are_met() {
    let settle = |policy: Policy| {
        let shape = shape(&policy, 512, 64, 0.15);
        (shape.load(), Plane::new(shape, 2).settle().write_amplification())
    };
    let (load, greedy) = settle(Policy::from(Greedy));
    assert!((greedy / formulas::greedy(load, 64) - 1.0).abs() < 0.02, "{greedy}");
    let (load, fifo) = settle(Policy::from(Fifo));
    assert!((fifo / formulas::fifo(load) - 1.0).abs() < 0.02, "{fifo}");
}

#[test]
fn every_logical_page_is_counted_once() {
    for policy in [Policy::from(Greedy), Policy::from(CostBenefit), Policy::from(DChoices(3))] {
        let mut shape = shape(&policy, 128, 16, 0.2);
        let logical = shape.classes[0].pages;
        shape.classes =
            vec![Class { pages: logical / 5, writes: 0.8 }, Class { pages: logical - logical / 5, writes: 0.2 }];
        let mut plane = Plane::new(shape, 3);
        plane.run(20_000);
        let mut seen = vec![false; logical as usize];
        for (page, &lpa) in plane.owner.iter().enumerate().filter(|(_, lpa)| **lpa != NONE) {
            assert_eq!(plane.place[lpa as usize], page as u32);
            assert!(!std::mem::replace(&mut seen[lpa as usize], true), "{lpa} is valid twice");
        }
        assert!(seen.into_iter().all(|s| s));
        let in_full: u32 = plane.counts(&plane.full_blocks()).iter().sum();
        assert!(in_full <= logical && in_full + 2 * 16 > logical);
    }
}

#[test]
fn hot_and_cold_data_are_told_apart() {
    let settle = |policy: Policy, hot_writes| {
        let mut shape = shape(&policy, 256, 32, 0.15);
        let logical = shape.classes[0].pages;
        let hot = logical / 10;
        shape.classes =
            vec![Class { pages: hot, writes: hot_writes }, Class { pages: logical - hot, writes: 1.0 - hot_writes }];
        Plane::new(shape, 4).settle()
    };
    let skewed = settle(Policy::from(CostBenefit), 0.9);
    let amplification = skewed.write_amplification();
    assert!(amplification < settle(Policy::from(Greedy), 0.9).write_amplification());
    assert!(amplification < settle(Policy::from(CostBenefit), 0.1).write_amplification());
    let per_write = [skewed.copies[0] / 0.9, skewed.copies[1] / 0.1];
    assert!(per_write[0] < 0.1 * per_write[1], "hot data are hardly copied: {per_write:?}");
}

fn resume(shape: Shape, seeded: &SeededPlane) -> Plane {
    let mut plane = Plane::empty(shape, 7);
    let logical = plane.place.len() as u32;
    plane.writes = 1000 * u64::from(logical);
    for lpa in 0..logical {
        let (block, page) = seeded.locate(lpa).expect("every page is mapped");
        plane.place[lpa as usize] = block * plane.shape.pages + page;
        plane.owner[plane.place[lpa as usize] as usize] = lpa;
        plane.valid[block as usize] += 1;
    }
    for block in seeded.full() {
        let Life::Full { age, .. } = seeded.life(block) else { panic!("block {block} is not full") };
        plane.filled[block as usize] = plane.writes - (f64::from(age) * f64::from(logical)) as u64;
        plane.candidates.add(block, plane.valid[block as usize]);
    }
    let open: Vec<Open> = seeded
        .open()
        .map(|block| match seeded.life(block) {
            Life::Open { written, .. } => Open { block, written },
            other => panic!("block {block}: {other:?}"),
        })
        .collect();
    (plane.user, plane.collection) = (open[0], open[1]);
    plane.free = seeded.free().collect();
    plane
}

#[test]
fn a_seeded_plane_is_steady_from_the_start() {
    let skewed = [(0.1, 0.9), (0.9, 0.1)];
    for (policy, classes) in [
        (Policy::from(Greedy), &[(1.0, 1.0)][..]),
        (Policy::from(DChoices(5)), &[(1.0, 1.0)]),
        (Policy::from(Random), &[(1.0, 1.0)]),
        (Policy::from(Fifo), &[(1.0, 1.0)]),
        (Policy::from(CostBenefit), &[(1.0, 1.0)]),
        (Policy::from(CostBenefit), &skewed),
        (Policy::from(Greedy), &skewed),
        (Policy::from(Fifo), &skewed),
    ] {
        let geometry = Geometry { blocks: 1024, pages: 32, step: 1, free: 2, frontiers: 2 };
        let logical = geometry.mapped(0.85);
        let parts = apportion(&classes.iter().map(|c| c.0).collect::<Vec<f64>>(), logical);
        let shape = Shape {
            blocks: 1024,
            pages: 32,
            spare: 2,
            policy: policy.clone(),
            classes: parts.iter().zip(classes).map(|(&pages, c)| Class { pages, writes: c.1 }).collect(),
        };
        let steady = Steady::find(&policy, geometry.load(logical.into()), geometry, classes, 5);
        let expected = steady.write_amplification();
        let mixes = vec![classes.iter().map(|c| c.1).collect(), steady.copied()];
        let plan = Plan { geometry, steady, mixes };
        let runs: Vec<(u32, usize)> = parts.iter().copied().zip(0..).collect();
        let seeded = plan.seed(0, Classes::from_runs(classes.len(), &runs), &parts, 6).expect("it fits");
        let mut plane = resume(shape, &seeded);
        let quarters = [0; 4].map(|_| plane.run(u64::from(logical) / 4) / expected);
        let case = format!("{policy:?}, {} classes: {quarters:?}", classes.len());
        // With greedy, blocks that all hold the average begin at twice.
        assert!((quarters[0] - 1.0).abs() < 0.07, "{case}");
        assert!((quarters.iter().sum::<f64>() / 4.0 - 1.0).abs() < 0.03, "{case}");
    }
}
