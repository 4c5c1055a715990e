//! Failing parts of a mesh of circuits (also `scheduled-mesh`).

use std::collections::BTreeSet;

use crate::config::design::{Fabric as FabricConfig, VeniceController};
use crate::fabric::failing::{Failed, Failing, of_network, sets_of_routers, without};
use crate::fabric::venice::grid::{Grid, LinkId, Port, RouterId};
use crate::flash::address::ChipId;

pub const FROM_ANY: Failing = Failing {
    parts: of_network,
    cut_off: |config, rows, columns, failed| cut_off(config, rows, columns, failed, false),
};

pub const OF_VENICE: Failing = Failing {
    parts: of_network,
    cut_off: |config, rows, columns, failed| {
        cut_off(config, rows, columns, failed, config.venice.controller == VeniceController::OwnRow)
    },
};

fn cut_off(config: &FabricConfig, rows: u32, columns: u32, failed: &Failed, own_row: bool) -> Vec<ChipId> {
    let (grid, sets) = (Grid::new(rows, columns, config.network.controllers), sets_of_routers(rows, columns, failed));
    let set_of = |controller: u32| match failed.controllers.contains(&controller) {
        true => None,
        false => sets[grid.entry(controller).router().index()],
    };
    let of_controllers: BTreeSet<u32> = (0..rows).filter_map(set_of).collect();
    without(rows * columns, |chip| match (sets[chip as usize], own_row) {
        (None, _) => false,
        (Some(set), false) => of_controllers.contains(&set),
        (set, true) => set_of(chip / columns) == set,
    })
}

pub fn links_that_fail(grid: &Grid, failed: &Failed) -> BTreeSet<LinkId> {
    let between = failed.links.iter().map(|&(one, other)| grid.link_between(RouterId(one), RouterId(other)));
    let at_router = |router: RouterId| Port::ALL.into_iter().filter_map(move |port| grid.neighbour(router, port));
    let of_routers = failed.routers.iter().flat_map(|&router| at_router(RouterId(router))).map(|(link, _)| link);
    between.chain(of_routers).chain(controllers_that_fail(grid, failed).map(|c| grid.controller_link(c))).collect()
}

pub fn controllers_that_fail<'a>(grid: &'a Grid, failed: &'a Failed) -> impl Iterator<Item = u32> + 'a {
    let fails = move |&c: &u32| failed.controllers.contains(&c) || failed.routers.contains(&grid.entry(c).router().0);
    (0..grid.rows).filter(fails)
}
