//! Parts that fail, and chips that they cut off.
//!
//! Each fabric states in its [`Facts`](super::facts::Facts) which chips no controller reaches.

use std::collections::BTreeSet;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::random::Stream;
use crate::fabric::facts_of;
use crate::fabric::wires;
use crate::flash::address::ChipId;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    pub links: u32,
    pub routers: u32,
    pub controllers: u32,
    pub buses: u32,
    pub switches: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failed {
    pub links: Vec<(u32, u32)>,
    pub routers: Vec<u32>,
    pub controllers: Vec<u32>,
    pub buses: Vec<u32>,
    pub switches: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub struct Failing {
    pub parts: fn(&FabricConfig, u32, u32) -> Parts,
    pub cut_off: fn(&FabricConfig, u32, u32, &Failed) -> Vec<ChipId>,
}

impl Failing {
    pub const NOTHING: Failing = Failing { parts: |_, _, _| Parts::default(), cut_off: |_, _, _, _| Vec::new() };
}

pub const ROWS: Failing = Failing {
    parts: |_, rows, _| Parts { controllers: rows, buses: rows, ..Parts::default() },
    cut_off: |_, rows, columns, failed| {
        without(rows * columns, |chip| {
            let row = chip / columns;
            !failed.buses.contains(&row) && !failed.controllers.contains(&row)
        })
    },
};

pub fn of_network(_: &FabricConfig, rows: u32, columns: u32) -> Parts {
    Parts { links: wires::neighbours(rows, columns), routers: rows * columns, controllers: rows, ..Parts::default() }
}

pub fn failed(config: &FabricConfig, rows: u32, columns: u32) -> Failed {
    let (keys, failing) = (&config.failures, &facts_of(config.kind).failing);
    if !keys.any() {
        return Failed::default();
    }
    let parts = (failing.parts)(config, rows, columns);
    let draw = |count: u32, of: u32, name: &str, as_failed: fn(Vec<u32>) -> Failed| {
        let cuts_off = |some: &[u32]| (failing.cut_off)(config, rows, columns, &as_failed(some.to_vec())).len();
        let order = in_order_of_chance((0..of).collect(), keys.placement, name);
        let order = if keys.spare_chips { spared_last(order, count, cuts_off) } else { order };
        order.into_iter().take(count as usize).collect()
    };
    Failed {
        links: links(keys.links.min(parts.links), keys.placement, rows, columns, keys.spare_chips),
        routers: in_order_of_chance((0..parts.routers).collect(), keys.placement, "failed routers")
            .into_iter()
            .take(keys.routers as usize)
            .collect(),
        controllers: draw(keys.controllers, parts.controllers, "failed controllers", |controllers| Failed {
            controllers,
            ..Failed::default()
        }),
        buses: draw(keys.buses, parts.buses, "failed buses", |buses| Failed { buses, ..Failed::default() }),
        switches: draw(keys.switches, parts.switches, "failed switches", |switches| Failed {
            switches,
            ..Failed::default()
        }),
    }
}

pub fn cut_off(config: &FabricConfig, rows: u32, columns: u32) -> Vec<ChipId> {
    match config.failures.any() {
        true => (facts_of(config.kind).failing.cut_off)(config, rows, columns, &failed(config, rows, columns)),
        false => Vec::new(),
    }
}

pub fn without(chips: u32, is_reached: impl Fn(u32) -> bool) -> Vec<ChipId> {
    (0..chips).filter(|&chip| !is_reached(chip)).map(ChipId).collect()
}

/// In random order. With `spare_chips`, links that are the last to join some routers come last.
///
/// Read backwards, they form a spanning tree (Kruskal).
fn links(count: u32, placement: u32, rows: u32, columns: u32, spare_chips: bool) -> Vec<(u32, u32)> {
    let mut order = in_order_of_chance(neighbours(rows, columns), placement, "failed links");
    if spare_chips {
        let mut joined: Vec<u32> = (0..rows * columns).collect();
        let (last, mut first): (Vec<_>, Vec<_>) =
            order.into_iter().rev().partition(|&(one, other)| join(&mut joined, one, other));
        first.reverse();
        order = first.into_iter().chain(last.into_iter().rev()).collect();
    }
    order.truncate(count as usize);
    order
}

fn spared_last(order: Vec<u32>, count: u32, cuts_off: impl Fn(&[u32]) -> usize) -> Vec<u32> {
    let (mut chosen, mut others, mut off) = (Vec::new(), Vec::new(), 0);
    for part in order {
        if chosen.len() == count as usize {
            break;
        }
        chosen.push(part);
        let with_it = cuts_off(&chosen);
        if with_it > off {
            others.extend(chosen.pop());
        } else {
            off = with_it;
        }
    }
    chosen.extend(others);
    chosen
}

fn in_order_of_chance<T>(mut order: Vec<T>, placement: u32, name: &str) -> Vec<T> {
    let mut random = Stream::named(u64::from(placement), name);
    for last in (1..order.len()).rev() {
        order.swap(last, random.integer(0, last as u64) as usize);
    }
    order
}

fn neighbours(rows: u32, columns: u32) -> Vec<(u32, u32)> {
    let chips = 0..rows * columns;
    let along_rows = chips.clone().filter(|chip| chip % columns + 1 < columns).map(|chip| (chip, chip + 1));
    let along_columns = chips.filter(|chip| chip / columns + 1 < rows).map(|chip| (chip, chip + columns));
    along_rows.chain(along_columns).collect()
}

fn join(joined: &mut [u32], one: u32, other: u32) -> bool {
    let [one, other] = [one, other].map(|chip| {
        let mut at = chip;
        while joined[at as usize] != at {
            joined[at as usize] = joined[joined[at as usize] as usize];
            at = joined[at as usize];
        }
        at
    });
    joined[one as usize] = other;
    one != other
}

/// By working links; none for failed routers.
pub fn sets_of_routers(rows: u32, columns: u32, failed: &Failed) -> Vec<Option<u32>> {
    let links: BTreeSet<_> = failed.links.iter().copied().collect();
    let routers: BTreeSet<_> = failed.routers.iter().copied().collect();
    let mut joined: Vec<u32> = (0..rows * columns).collect();
    for (one, other) in neighbours(rows, columns) {
        if !links.contains(&(one, other)) && !routers.contains(&one) && !routers.contains(&other) {
            join(&mut joined, one, other);
        }
    }
    let root = |mut at: u32| {
        while joined[at as usize] != at {
            at = joined[at as usize];
        }
        at
    };
    (0..rows * columns).map(|router| (!routers.contains(&router)).then(|| root(router))).collect()
}

#[cfg(test)]
mod tests;
