//! No key is ignored: each change of `key_changes` changes a result, and no key is missing there.

use std::collections::BTreeSet;

use crate::common;
use crate::key_changes::{DESIGN, canned, drive_of, workload_table, workload_text};
use canaletto::config::schema::{Kind, schema};
use canaletto::config::setting::Setting;
use canaletto::config::workload::Flow;
use canaletto::config::{load_design, load_pc, load_workload, resolve_design};
use canaletto::host::attach::scenario::{Scenario, simulate};
use canaletto::{RunOptions, run};
use serde_json::Value;

fn keys(kind: Kind) -> BTreeSet<String> {
    fn walk(root: &Value, schema: &Value, path: &str, out: &mut BTreeSet<String>) {
        let mut schema = schema;
        if let Some(choices) = schema["anyOf"].as_array() {
            schema = choices.iter().find(|c| c["type"] != "null").unwrap_or(schema);
        }
        if let Some(reference) = schema["$ref"].as_str() {
            schema = root.pointer(reference.trim_start_matches('#')).unwrap();
        }
        match (schema["properties"].as_object(), &schema["items"]) {
            (Some(fields), _) => {
                for (name, field) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(root, field, &path, out);
                }
            }
            (None, items) if items["$ref"].is_string() && path == "flow" => walk(root, items, path, out),
            _ => {
                out.insert(path.to_owned());
            }
        }
    }
    let root = serde_json::from_str(schema(kind)).expect("a schema is JSON");
    let mut out = BTreeSet::new();
    walk(&root, &root, "", &mut out);
    out
}

const DESCRIPTIONS: [&str; 2] = ["about", "flow.synthetic.origin"];

/// `sequences.rs` and `config/sequences/check.rs` test it as a whole.
const STEPS: &str = "fabric.steps.";

fn outcome(overrides: &[&str], workload: &str, settings: &[&str]) -> String {
    let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let design = match load_design("small.toml", Some(common::SMALL), &owned(overrides)) {
        Ok(design) => design,
        Err(error) => return error.to_string(),
    };
    let workload = match load_workload("w.toml", Some(workload), &owned(settings)) {
        Ok(workload) => workload,
        Err(error) => return error.to_string(),
    };
    let inputs = |flow: &Flow| match flow.traces().len() {
        0 => vec![None],
        traces => (0..traces).map(|_| Some(canned())).collect(),
    };
    let traces = workload.flow.iter().flat_map(inputs).collect();
    match run(&design, &workload, traces, &RunOptions::default(), &mut |_| true) {
        Ok(outcome) => serde_json::to_string(&outcome.report).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_design_key_changes_a_result() {
    let tabled: BTreeSet<String> = DESIGN.iter().map(|row| row.0.to_owned()).collect();
    let known: BTreeSet<String> = keys(Kind::Design)
        .into_iter()
        .filter(|key| !DESCRIPTIONS.contains(&key.as_str()) && !key.starts_with(STEPS))
        .collect();
    assert_eq!(tabled, known, "the table and the schema must name the same keys");
    for (key, change, situation, workload) in DESIGN {
        let workload = workload_text(workload);
        let setting = format!("{key}={change}");
        let changed: Vec<&str> = situation.iter().copied().chain([setting.as_str()]).collect();
        let same = outcome(situation, &workload, &[]) == outcome(&changed, &workload, &[]);
        assert!(!same, "{key} = {change} changes nothing");
        assert!(!is_noted(&changed, &setting), "{key} = {change} changes a result and is said to have no effect");
    }
}

fn is_noted(settings: &[&str], setting: &str) -> bool {
    let parse = |text: &&str| Setting::parse(text, "", text).unwrap();
    let settings: Vec<Setting> = settings.iter().map(parse).collect();
    let notes =
        resolve_design("small.toml", Some(common::SMALL), &settings).map_or_else(|_| Vec::new(), |found| found.1);
    notes.iter().any(|note| note.starts_with(setting))
}

#[test]
fn keys_that_are_said_to_have_no_effect_have_none() {
    let mut noted = 0;
    for (key, change, _, workload) in DESIGN {
        let setting = format!("{key}={change}");
        if is_noted(&[&setting], &setting) {
            let workload = workload_text(workload);
            // An idle key counts for energy or area nowhere.
            assert_eq!(outcome(&[], &workload, &[]), outcome(&[&setting], &workload, &[]), "{setting}");
            noted += 1;
        }
    }
    assert!(noted > 80, "{noted} keys are noted");
}

const PC: &[(&str, &str)] = &[
    ("ssd.hit_latency", "1us"),
    ("ssd.hit_rate", "1GB/s"),
    ("ssd.miss_latency", "1us"),
    ("ssd.miss_rate", "1GB/s"),
    ("ssd.write_latency", "1us"),
    ("ssd.write_rate", "1GB/s"),
    ("ssd.internals", "shared"),
    ("driver.command", "2us"),
    ("driver.pack", "1us"),
    ("driver.interrupt", "2us"),
    ("driver.descriptor_bytes", "512"),
    ("network.rate", "1GB/s"),
    ("network.blocks", "3"),
];

#[test]
fn every_pc_key_changes_a_result() {
    let tabled: BTreeSet<String> = PC.iter().map(|row| row.0.to_owned()).collect();
    let known: BTreeSet<String> = keys(Kind::Pc).into_iter().filter(|key| !key.starts_with("attachment.")).collect();
    assert_eq!(tabled, known, "the table and the schema must name the same keys");
    let times = |settings: &[String]| {
        let pc = load_pc("pc", "attachment.kind = \"nbdp\"", settings).unwrap();
        Scenario::ALL.map(|scenario| simulate(&pc, scenario, 16384).unwrap().total_ps)
    };
    for (key, change) in PC {
        assert_ne!(times(&[]), times(&[format!("{key}={change}")]), "{key} = {change} changes nothing");
    }
}

/// Tested with the command line.
const OPENERS: [&str; 7] = [
    "flow.trace.file",
    "flow.trace.format",
    "flow.trace.read.on_error",
    "flow.trace.read.sort_window",
    "flow.trace.read.events",
    "flow.trace.read.columns",
    "flow.trace.read.time_unit",
];

#[test]
fn every_workload_key_changes_a_result() {
    let table = workload_table();
    let tabled: BTreeSet<String> = table.iter().map(|row| row.0.to_owned()).collect();
    let read_elsewhere = |k: &String| DESCRIPTIONS.contains(&k.as_str()) || OPENERS.contains(&k.as_str());
    let known: BTreeSet<String> = keys(Kind::Workload).into_iter().filter(|k| !read_elsewhere(k)).collect();
    assert_eq!(tabled, known, "the table and the schema must name the same keys");
    for (key, changes, workload) in &table {
        let situation = drive_of(key);
        let same = outcome(situation, workload, &[]) == outcome(situation, workload, changes);
        assert!(!same, "{key}: {changes:?} changes nothing");
    }
}
