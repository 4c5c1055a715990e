//! Parts of an interconnect that fail: how many it has of each kind, which of them fail, and which chips they cut off.
//!
//! A chip is cut off where no controller reaches it any more. Each fabric says so of itself, in its [`Facts`](super::facts::Facts),
//! by the parts alone: which are in use at a moment does not matter.

use std::collections::BTreeSet;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::random::Stream;
use crate::fabric::facts_of;
use crate::fabric::wires;
use crate::flash::address::ChipId;

/// Numbers of the parts of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// Links between routers.
    pub links: u32,
    /// Routers next to chips.
    pub routers: u32,
    /// Controllers.
    pub controllers: u32,
    /// Buses.
    pub buses: u32,
    /// Switches.
    pub switches: u32,
}

/// Parts that fail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failed {
    /// Links, as pairs of neighbouring chips, the lower one first.
    pub links: Vec<(u32, u32)>,
    /// Routers, by the numbers of their chips.
    pub routers: Vec<u32>,
    /// Controllers.
    pub controllers: Vec<u32>,
    /// Buses, in the order in which the fabric states them as wires.
    pub buses: Vec<u32>,
    /// Switches.
    pub switches: Vec<u32>,
}

/// A fabric's account of its parts, for an array of that many rows and columns.
#[derive(Debug, Clone, Copy)]
pub struct Failing {
    /// How many it has of each kind.
    pub parts: fn(&FabricConfig, u32, u32) -> Parts,
    /// Chips that no controller reaches once some have failed.
    pub cut_off: fn(&FabricConfig, u32, u32, &Failed) -> Vec<ChipId>,
}

impl Failing {
    /// A fabric whose parts do not fail.
    pub const NOTHING: Failing = Failing { parts: |_, _, _| Parts::default(), cut_off: |_, _, _, _| Vec::new() };
}

/// Rows of an interconnect in which each chip has its row's bus and controller alone.
pub const ROWS: Failing = Failing {
    parts: |_, rows, _| Parts { controllers: rows, buses: rows, ..Parts::default() },
    cut_off: |_, rows, columns, failed| {
        without(rows * columns, |chip| {
            let row = chip / columns;
            !failed.buses.contains(&row) && !failed.controllers.contains(&row)
        })
    },
};

/// Parts of a network of routers: links, routers and a controller for each row.
pub fn of_network(_: &FabricConfig, rows: u32, columns: u32) -> Parts {
    Parts { links: wires::neighbours(rows, columns), routers: rows * columns, controllers: rows, ..Parts::default() }
}

/// Parts of the configured interconnect that fail.
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

/// Chips of the configured interconnect that are cut off once its parts have failed.
pub fn cut_off(config: &FabricConfig, rows: u32, columns: u32) -> Vec<ChipId> {
    match config.failures.any() {
        true => (facts_of(config.kind).failing.cut_off)(config, rows, columns, &failed(config, rows, columns)),
        false => Vec::new(),
    }
}

/// Chips for which something does not hold.
pub fn without(chips: u32, is_reached: impl Fn(u32) -> bool) -> Vec<ChipId> {
    (0..chips).filter(|&chip| !is_reached(chip)).map(ChipId).collect()
}

/// Links that fail, drawn in an order of chance. With `spare_chips` those that are the last to join some routers to the others come
/// after all others.
///
/// Read backwards, the links that come last join routers first: a spanning tree (Kruskal).
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

/// The first parts of an order, those before others that cut no chip off next to those before them.
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

/// Puts what there is into an order of chance.
fn in_order_of_chance<T>(mut order: Vec<T>, placement: u32, name: &str) -> Vec<T> {
    let mut random = Stream::named(u64::from(placement), name);
    for last in (1..order.len()).rev() {
        order.swap(last, random.integer(0, last as u64) as usize);
    }
    order
}

/// Pairs of neighbouring chips, along the rows first.
fn neighbours(rows: u32, columns: u32) -> Vec<(u32, u32)> {
    let chips = 0..rows * columns;
    let along_rows = chips.clone().filter(|chip| chip % columns + 1 < columns).map(|chip| (chip, chip + 1));
    let along_columns = chips.filter(|chip| chip / columns + 1 < rows).map(|chip| (chip, chip + columns));
    along_rows.chain(along_columns).collect()
}

/// Joins the sets of two chips. Returns whether they were apart.
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

/// Routers that links without failed ones join, each by the number of the set that it is in; failed routers in none.
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
