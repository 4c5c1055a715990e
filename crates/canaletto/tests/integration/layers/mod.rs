//! The layers of ARCHITECTURE.md: no station imports another, arrows go down, and there is no circle of modules.

mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{Modules, is_below, module_of, modules};

/// And the modules of other stations whose values it may use. All may use [`COMMON`].
const STATIONS: &[(&str, &[&str])] = &[
    ("host", &["flash::address", "scheduler::transaction", "workload"]),
    ("cache", &["host::request", "scheduler::transaction"]),
    ("compute", &["flash::address", "scheduler::transaction"]),
    (
        "ftl",
        &[
            "cache::Destage",
            "cache::TrimWaits",
            "flash::address",
            "flash::interface",
            "flash::plane_set",
            "flash::wear",
            "host::request",
            "scheduler::flash_page_group",
            "scheduler::queues::Readiness",
            "scheduler::queues::Transactions",
            "scheduler::transaction",
            "workload::popularity",
        ],
    ),
    ("controller", &[]),
    (
        "scheduler",
        &[
            "fabric::DomainId",
            "flash::address",
            "flash::array::Command",
            "flash::clocks",
            "flash::interface",
            "ftl::frontier",
            "host::request",
        ],
    ),
    ("fabric", &["flash::address", "flash::array::MAX_PLANES", "flash::interface", "scheduler::transaction"]),
    (
        "flash",
        &[
            "scheduler::flash_page_group",
            "scheduler::queues::FreePlanes",
            "scheduler::queues::Served",
            "scheduler::transaction",
        ],
    ),
];

const COMMON: &[&str] = &[
    "JsonSchema",
    "config",
    "engine::arena",
    "engine::error",
    "engine::events",
    "engine::fifo",
    "engine::ids",
    "engine::in_flight",
    "engine::index",
    "engine::memory",
    "engine::random",
    "engine::rarely",
    "engine::ring",
    "engine::run",
    "engine::time",
    "limits",
    "measure",
    "typed_id",
];

/// Only the route brings these together.
const STATION_TYPES: &[&str] = &[
    "host::Host",
    "cache::DataCache",
    "compute::Compute",
    "ftl::Ftl",
    "controller::Controller",
    "scheduler::Scheduler",
    "fabric::paths::Paths",
    "flash::FlashBackend",
];

/// From the lowest up. A module is in the layer that names it, or its nearest parent.
const LAYERS: &[(&str, &[&str])] = &[
    ("ground", &["engine"]),
    (
        "values",
        &[
            "cache::pages",
            "engine::run",
            "fabric::chip_to_chip",
            "fabric::crossed",
            "fabric::page_registers",
            "fabric::trace",
            "fabric::wires",
            "flash::clocks",
            "flash::interface",
            "flash::plane_set",
            "ftl::mapping::directory",
            "ftl::frontier",
            "ftl::placement",
            "host::request",
            "measure::blame",
            "measure::charges",
            "scheduler::flash_page_group",
            "scheduler::transaction",
            "workload::record",
            "workload::wanted",
        ],
    ),
    ("books", &["measure"]),
    ("what is in flight", &["engine::in_flight"]),
    ("limits", &["limits"]),
    ("stations", &["cache", "compute", "controller", "fabric", "flash", "ftl", "host", "scheduler", "workload"]),
    ("route", &["engine::precondition", "engine::prepared", "engine::route"]),
    ("runs", &["", "drive", "inspection"]),
];

/// Named again from other crates.
const CONFIG: &[&str] = &[
    "JsonSchema",
    "config",
    "engine::time",
    "fabric::Direction",
    "fabric::FabricKind",
    "fabric::PathId",
    "fabric::Transfer",
    "fabric::wires::Place",
    "flash::address",
    "flash::interface::Operation",
    "flash::interface::Signalling",
    "limits::data_units",
    "measure::probe::Work",
    "scheduler::transaction::Origin",
    "typed_id",
    "workload::flow::Loop",
];

/// Exceptions: from, to, and the reason.
const UP: &[(&str, &str, &str)] = &[
    ("limits::hot_spot", "fabric::lines", "the worst line of an array is a fact of its fabric"),
    ("measure::area", "fabric::facts", "area is counted by the parts that a fabric states"),
    ("measure::energy", "fabric::facts", "idle power is counted by the routers that a fabric states"),
    ("measure::wire_check::shape", "fabric::custom", "links of a user-defined fabric are stated nowhere else"),
    ("measure::wire_check::shape", "fabric::failing", "failed parts are drawn once"),
    ("measure::wire_check::shape", "fabric::loss", "failed parts are drawn once"),
];

fn layer(module: &str) -> usize {
    let places = LAYERS.iter().enumerate().flat_map(|(at, (_, names))| names.iter().map(move |name| (at, *name)));
    let above = places.filter(|(_, name)| name.is_empty() || is_below(module, name));
    above.max_by_key(|(_, name)| name.len()).expect("the root is in a layer").0
}

fn arrows(modules: &Modules) -> BTreeMap<&str, BTreeSet<&str>> {
    let arrows = modules.iter().map(|(from, paths)| {
        let foreign = paths.iter().filter(|path| !CONFIG.iter().any(|config| is_below(path, config)));
        let to = foreign.map(|path| module_of(path, modules));
        let to = to.filter(|to| !(is_below(to, from) || is_below(from, to)));
        (from.as_str(), to.collect())
    });
    arrows.collect()
}

#[test]
fn stations_know_values_of_others_only() {
    let modules = modules();
    let mut unused: BTreeSet<(&str, &str)> = BTreeSet::new();
    for &(station, allowed) in STATIONS {
        unused.extend(allowed.iter().map(|module| (station, *module)));
        assert!(modules.contains_key(station), "{station} is gone");
        for (module, paths) in modules.iter().filter(|(module, _)| is_below(module, station)) {
            for path in paths {
                unused.retain(|(of, module)| *of != station || !is_below(path, module));
                let mut may = COMMON.iter().chain(allowed).copied().chain([station]);
                assert!(may.any(|may| is_below(path, may)), "{module} must not know {path}");
            }
        }
    }
    assert!(unused.is_empty(), "the table names what nobody uses: {unused:?}");
}

#[test]
fn only_the_route_knows_two_stations() {
    let mut route = BTreeSet::new();
    for (module, paths) in modules() {
        for station in STATION_TYPES.iter().copied().filter(|station| paths.contains(*station)) {
            if is_below(&module, "engine::route") {
                route.insert(station);
            } else {
                let own = station.split("::").next().unwrap();
                assert!(is_below(&module, own), "{module} must not know {station}");
            }
        }
    }
    assert_eq!(route.len(), STATION_TYPES.len(), "the route brings all of them together: {route:?}");
}

#[test]
fn arrows_go_down() {
    let modules = modules();
    let mut unused: BTreeSet<_> = UP.iter().map(|&(from, to, _)| (from, to)).collect();
    let mut climbs = Vec::new();
    for (from, all) in arrows(&modules) {
        for to in all.into_iter().filter(|to| layer(to) > layer(from)) {
            if !unused.remove(&(from, to)) {
                climbs.push(format!("{from} ({}) -> {to} ({})", LAYERS[layer(from)].0, LAYERS[layer(to)].0));
            }
        }
    }
    assert!(climbs.is_empty(), "these imports go up:\n{}", climbs.join("\n"));
    assert!(unused.is_empty(), "these are allowed and nobody needs them: {unused:?}");
}

/// A module, its folder and its tests are one.
#[test]
fn no_modules_import_each_other_in_a_circle() {
    let modules = modules();
    let mut arrows = arrows(&modules);
    while let Some(end) = {
        let imported: BTreeSet<&str> = arrows.values().flatten().copied().collect();
        arrows.iter().find(|(from, to)| to.is_empty() || !imported.contains(*from)).map(|(from, _)| *from)
    } {
        arrows.remove(end);
        arrows.values_mut().for_each(|to| {
            to.remove(end);
        });
    }
    assert!(arrows.is_empty(), "in circles, or between two of them: {arrows:#?}");
}
