//! The layers are as ARCHITECTURE.md draws them: a station knows values of others, never another station.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A station (a folder, or a file, of the engine) and the modules of other stations whose values it may know. Everyone may
/// use [`COMMON`].
const STATIONS: &[(&str, &[&str])] = &[
    ("host", &["flash::address", "scheduler::transaction", "workload"]),
    ("cache", &["host::request", "scheduler::transaction"]),
    (
        "ftl",
        &[
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
            "workload::fill",
            "workload::popularity",
        ],
    ),
    ("controller", &[]),
    (
        "scheduler",
        &[
            "fabric::DomainId",
            "flash::address",
            "flash::array::Background",
            "flash::array::Clocks",
            "flash::array::Command",
            "flash::interface",
            "ftl::blocks::Frontier",
            "ftl::blocks::Line",
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

/// Modules that are no stations: the engine's ground, configuration, and the books.
const COMMON: &[&str] = &[
    "RunError",
    "RunOptions",
    "config",
    "engine::arena",
    "engine::events",
    "engine::in_flight",
    "engine::index",
    "engine::memory",
    "engine::random",
    "engine::ring",
    "engine::time",
    "limits",
    "measure",
    "typed_id",
];

/// The stations' own types, which only the route brings together.
const STATION_TYPES: &[&str] = &[
    "host::Host",
    "cache::DataCache",
    "ftl::Ftl",
    "controller::Controller",
    "scheduler::Scheduler",
    "fabric::paths::Paths",
    "flash::FlashBackend",
];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| sources(&entry.unwrap().path(), found));
    } else if path.extension().is_some_and(|kind| kind == "rs") && !is_test(path) {
        found.push(path.to_owned());
    }
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| ["tests", "tests.rs"].contains(&part.as_os_str().to_str().unwrap()))
}

/// Paths below `crate::` that a file's imports name, each of a list by itself; those of its unit tests left out.
fn imports(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let mut found = BTreeSet::new();
    for import in code.split("use crate::").skip(1) {
        let import: String = import.split(';').next().unwrap().split_whitespace().collect();
        match import.split_once('{') {
            Some((prefix, list)) => {
                found.extend(list.trim_end_matches('}').split(',').map(|name| format!("{prefix}{name}")));
            }
            None => drop(found.insert(import)),
        }
    }
    found
}

fn is_below(path: &str, module: &str) -> bool {
    path == module || path.starts_with(&format!("{module}::"))
}

#[test]
fn stations_know_values_of_others_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut unused: BTreeSet<(&str, &str)> = BTreeSet::new();
    for &(station, allowed) in STATIONS {
        unused.extend(allowed.iter().map(|module| (station, *module)));
        let own = station.trim_end_matches(".rs");
        let mut files = Vec::new();
        sources(&root.join(station), &mut files);
        assert!(!files.is_empty(), "{station} is gone");
        for file in files {
            for import in imports(&file) {
                unused.retain(|(of, module)| *of != station || !is_below(&import, module));
                let mut may = COMMON.iter().chain(allowed).copied().chain([own]);
                assert!(may.any(|module| is_below(&import, module)), "{} must not know {import}", file.display());
            }
        }
    }
    assert!(unused.is_empty(), "the table names what nobody uses: {unused:?}");
}

#[test]
fn only_the_route_knows_two_stations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut route = BTreeSet::new();
    for file in files {
        let place = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        for station in STATION_TYPES.iter().copied().filter(|station| imports(&file).contains(*station)) {
            if place.starts_with("engine/route/") {
                route.insert(station);
            } else {
                let own = station.split("::").next().unwrap();
                assert!(place.starts_with(own), "{place} must not know {station}");
            }
        }
    }
    assert_eq!(route.len(), STATION_TYPES.len(), "the route brings all of them together: {route:?}");
}
