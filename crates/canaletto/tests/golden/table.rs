use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use canaletto::Outcome;
use canaletto::measure::timeline::{Header, Timeline};

use crate::case::Case;

pub type Figures = Vec<(&'static str, String)>;

/// Constant, so that a new run changes no other line.
const NAME: usize = 56;
const FIGURE: usize = 10;

fn decimal(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| String::from("-"), |number| format!("{number:.decimals$}"))
}

pub fn of_run(outcome: &Outcome) -> Figures {
    let report = &outcome.report;
    let (measures, flash) = (&report.measures, &report.flash);
    let latency = &measures.latency_us.all;
    vec![
        ("served", measures.requests.completed.to_string()),
        ("failed", measures.requests.failed.to_string()),
        ("reads", flash.reads.to_string()),
        ("programs", flash.programs.to_string()),
        ("erases", flash.erases.to_string()),
        ("amplified", decimal(flash.write_amplification, 4)),
        ("mean", decimal(latency.mean, 3)),
        ("p99", decimal(latency.p99, 3)),
        ("max", decimal(latency.max, 3)),
        ("iops", decimal(measures.iops, 0)),
        ("conflicts", decimal(Some(measures.path_conflicts.lost_us), 1)),
        ("energy_mj", decimal(Some(report.energy.energy_mj.total), 4)),
        ("events", outcome.events.to_string()),
    ]
}

pub fn of_timeline(header: &Header, timeline: &Timeline) -> Figures {
    vec![
        ("spans", timeline.spans.kind.len().to_string()),
        ("steps", timeline.steps.cause.len().to_string()),
        ("requests", timeline.requests.number.len().to_string()),
        ("from", decimal(Some(header.from_ps as f64 / 1e6), 3)),
        ("until", decimal(Some(header.until_ps as f64 / 1e6), 3)),
    ]
}

fn line(name: &str, values: &[&str]) -> String {
    let values: String = values.iter().map(|value| format!(" {value:>FIGURE$}")).collect();
    format!("{name:<NAME$}{values}\n")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/expected")
}

pub fn write(runs: &[(&Case, Figures)]) {
    fs::remove_dir_all(folder()).and_then(|()| fs::create_dir_all(folder())).unwrap();
    for group in runs.chunk_by(|(one, _), (other, _)| one.group == other.group) {
        let (first, figures) = &group[0];
        let titles: Vec<&str> = figures.iter().map(|(title, _)| *title).collect();
        let mut text = line("run", &titles);
        for (case, figures) in group {
            assert!(figures.iter().map(|(title, _)| title).eq(&titles), "{} has other columns", case.name);
            text += &line(&case.name, &figures.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>());
        }
        fs::write(folder().join(format!("{}.txt", first.group)), text).unwrap();
    }
}

pub fn read() -> BTreeMap<String, Vec<(String, String)>> {
    let mut runs = BTreeMap::new();
    for file in fs::read_dir(folder()).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let mut lines = text.lines().map(|line| line.split_whitespace().map(str::to_owned));
        let titles: Vec<String> = lines.next().into_iter().flatten().skip(1).collect();
        for mut line in lines {
            let name = line.next().expect("a line starts with a name");
            runs.insert(name, titles.iter().cloned().zip(line).collect());
        }
    }
    runs
}

pub fn difference(expected: &[(String, String)], got: &Figures) -> Option<String> {
    let old = |title: &str| expected.iter().find(|(other, _)| other == title).map_or("nothing", |(_, value)| value);
    let changed: Vec<_> = got.iter().filter(|(title, value)| old(title) != value).collect();
    let only_hash = matches!(changed[..], [("hash", _)]);
    let mut text: String =
        changed.iter().map(|(title, value)| format!("\n  {title:<FIGURE$} {} → {value}", old(title))).collect();
    if only_hash {
        text += "\n  No other figure differs: GOLDEN=dump writes the whole result.";
    }
    (!text.is_empty()).then_some(text)
}

#[test]
fn a_difference_names_each_figure_that_changed() {
    let expected =
        [("reads", "7"), ("max", "1.250"), ("hash", "aa")].map(|(title, value)| (title.into(), value.into()));
    let got = |reads: &str, hash: &str| {
        vec![("reads", reads.to_owned()), ("max", "1.250".to_owned()), ("hash", hash.to_owned())]
    };
    assert_eq!(difference(&expected, &got("7", "aa")), None);
    let text = difference(&expected, &got("8", "bb")).unwrap();
    assert!(text.contains("7 → 8") && text.contains("aa → bb") && !text.contains("max"), "{text}");
    let text = difference(&expected, &got("7", "bb")).unwrap();
    assert!(text.contains("aa → bb") && text.contains("No other figure differs"), "{text}");
    assert!(difference(&[], &got("7", "aa")).unwrap().contains("nothing → 7"));
}
