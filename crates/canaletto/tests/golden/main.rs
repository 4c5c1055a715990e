//! The golden set: what the engine computes for about a thousand small runs.
//!
//! `expected/` has a table per group and a line per run: figures, and a hash of the whole result.
//! - `GOLDEN=write` writes the tables anew.
//! - `GOLDEN=stop` ends at the first run that differs.
//! - `GOLDEN=dump GOLDEN_DIR=FOLDER` writes reports, requests and timelines to a folder.
//! - `GOLDEN_CASE=TEXT` takes only runs whose name contains the text (not with `write`).

#![allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)] // the engine's rules, not its tests'

mod case;
mod cases;
#[allow(dead_code)] // what only other tests use
#[path = "../integration/common/mod.rs"]
mod common;
#[path = "../integration/swarm/designs.rs"]
mod designs;
mod digest;
#[path = "../integration/key_changes.rs"]
mod key_changes;
mod table;
mod traces;
#[path = "../integration/swarm/workloads.rs"]
mod workloads;

use std::collections::BTreeSet;
use std::panic;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::{Case, Found};
use table::Figures;

const THREADS: usize = 2;

fn attempt(case: &Case) -> Result<Found, String> {
    panic::catch_unwind(|| case.run()).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        Err(text.or_else(|| cause.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_default())
    })
}

type Visit<'a> = &'a (dyn Fn(&Case, &Found) -> Result<(), String> + Sync);

fn run_all(cases: &[Case], visit: Visit) -> Vec<Result<Figures, String>> {
    let stops = std::env::var("GOLDEN").is_ok_and(|word| word == "stop");
    let next = AtomicUsize::new(0);
    let not_run = if stops { Ok(Vec::new()) } else { Err(String::from("did not run")) };
    let lines = Mutex::new(vec![not_run; cases.len()]);
    let work = || {
        while let Some((number, case)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, cases.get(n)?)))
        {
            let line = attempt(case).and_then(|found| visit(case, &found).map(|()| found.figures()));
            if stops && line.is_err() {
                next.store(cases.len(), Ordering::Relaxed);
            }
            lines.lock().unwrap()[number] = line;
        }
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    lines.into_inner().unwrap()
}

fn selected() -> Vec<Case> {
    let mut cases = cases::all();
    let mut names = BTreeSet::new();
    let twice = cases.iter().find(|case| !names.insert(case.name.as_str()));
    assert!(twice.is_none(), "two runs are called {}", twice.map_or("", |case| &case.name));
    if let Ok(text) = std::env::var("GOLDEN_CASE") {
        cases.retain(|case| case.name.contains(&text));
    }
    cases
}

fn figures_of<'a>(cases: &'a [Case], visit: Visit) -> Vec<(&'a Case, Figures)> {
    let (mut runs, mut refused) = (Vec::new(), Vec::new());
    for (case, ran) in cases.iter().zip(run_all(cases, visit)) {
        match ran {
            Ok(figures) => runs.push((case, figures)),
            Err(problem) => refused.push(format!("{}: {problem}", case.name)),
        }
    }
    assert!(refused.is_empty(), "{} runs have no result:\n{}", refused.len(), refused.join("\n"));
    runs
}

fn dump(case: &Case, found: &Found) -> Result<(), String> {
    let folder = std::env::var("GOLDEN_DIR").expect("GOLDEN_DIR names a folder");
    let file = Path::new(&folder).join(format!("{}.json", case.name.replace('/', "_")));
    std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(file, found.dump())).map_err(|e| e.to_string())
}

fn stop(cases: &[Case]) {
    let expected = table::read();
    figures_of(cases, &|case, found| {
        let old = expected.get(&case.name).map_or(&[][..], Vec::as_slice);
        table::difference(old, &found.figures()).map_or(Ok(()), Err)
    });
}

fn compare(cases: &[Case], is_whole: bool) {
    let mut expected = table::read();
    let mut different = Vec::new();
    for (case, figures) in figures_of(cases, &|_, _| Ok(())) {
        let old = expected.remove(&case.name).unwrap_or_default();
        different.extend(table::difference(&old, &figures).map(|text| format!("{}{text}", case.name)));
    }
    different.extend(expected.keys().filter(|_| is_whole).map(|name| format!("{name}\n  no such run")));
    let (count, all) = (different.len(), cases.len());
    assert!(different.is_empty(), "{count} of {all} runs differ (figure, old → new):\n{}", different.join("\n"));
}

#[test]
fn every_run_is_as_it_was() {
    let cases = selected();
    let is_whole = std::env::var("GOLDEN_CASE").is_err();
    match std::env::var("GOLDEN").as_deref() {
        Ok("write") => {
            assert!(is_whole, "GOLDEN=write takes all runs, without GOLDEN_CASE");
            table::write(&figures_of(&cases, &|_, _| Ok(())));
        }
        Ok("dump") => drop(figures_of(&cases, &dump)),
        Ok("stop") => stop(&cases),
        Ok(other) => panic!("GOLDEN={other}, expected write, dump or stop"),
        Err(_) => compare(&cases, is_whole),
    }
}

/// The engine asserts of every request that its root causes add up to its latency.
#[test]
fn following_waits_changes_nothing_else() {
    if std::env::var("GOLDEN").is_ok() {
        return;
    }
    let cases: Vec<_> = selected().into_iter().map(Case::following_waits).collect();
    compare(&cases, false);
}
