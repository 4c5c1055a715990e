use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::config::{load_design, load_workload};
use canaletto::engine::time::Time;
use canaletto::measure::blame::Cause;
use canaletto::measure::records::Records;
use canaletto::measure::timeline::{Header, Timeline, Windows};
use canaletto::{Outcome, RunOptions, Simulation, TraceInput, run};
use serde_json::{Map, Value, json};

use crate::common::SMALL;
use crate::digest::Digest;
use crate::table::{self, Figures};
use crate::traces::open;

enum What {
    Files { design: Text, overrides: Vec<String>, workload: Text, settings: Vec<String> },
    Imported(Box<(Design, Workload)>),
}

enum Text {
    File(String),
    BuiltIn(String),
}

impl Text {
    fn name_and_text(&self) -> (&str, Option<&str>) {
        match self {
            Text::File(text) => ("file.toml", Some(text)),
            Text::BuiltIn(name) => (name, None),
        }
    }
}

pub struct Case {
    pub name: String,
    pub group: &'static str,
    what: What,
    options: RunOptions,
    /// From and until when in µs, and the most spans: a timeline is recorded instead of requests.
    windows: Option<(Vec<(u64, u64)>, usize)>,
}

fn owned<T: AsRef<str>>(list: &[T]) -> Vec<String> {
    list.iter().map(|text| text.as_ref().to_owned()).collect()
}

impl Case {
    fn new(name: &str, what: What) -> Case {
        Case {
            name: name.to_owned(),
            group: "",
            what,
            options: RunOptions { records: true, ..RunOptions::default() },
            windows: None,
        }
    }

    fn of(name: &str, design: Text, overrides: Vec<String>, workload: Text) -> Case {
        Case::new(name, What::Files { design, overrides, workload, settings: Vec::new() })
    }

    pub fn small<T: AsRef<str>>(name: &str, overrides: &[T], workload: &str) -> Case {
        Case::of(name, Text::File(SMALL.to_owned()), owned(overrides), Text::File(workload.to_owned()))
    }

    pub fn preset<T: AsRef<str>>(name: &str, preset: &str, overrides: &[T], workload: &str) -> Case {
        Case::of(name, Text::BuiltIn(preset.to_owned()), owned(overrides), Text::File(workload.to_owned()))
    }

    pub fn profile(name: &str, preset: &str, profile: &str) -> Case {
        Case::of(name, Text::BuiltIn(preset.to_owned()), Vec::new(), Text::BuiltIn(profile.to_owned()))
    }

    pub fn imported(name: &str, design: Design, workload: Workload) -> Case {
        Case::new(name, What::Imported(Box::new((design, workload))))
    }

    pub fn within(mut self, group: &'static str) -> Case {
        self.group = group;
        self
    }

    pub fn set<T: AsRef<str>>(mut self, more: &[T]) -> Case {
        match &mut self.what {
            What::Files { settings, .. } => settings.extend(owned(more)),
            What::Imported(_) => panic!("{}: an imported workload is not overridden", self.name),
        }
        self
    }

    pub fn seed(mut self, seed: u64) -> Case {
        self.options.seed = seed;
        self
    }

    pub fn warmup(mut self, warmup: u64) -> Case {
        self.options.warmup = warmup;
        self
    }

    pub fn alone(mut self, flow: u16) -> Case {
        self.options.alone = Some(flow);
        self
    }

    pub fn following_waits(mut self) -> Case {
        self.options.root_causes = true;
        self
    }

    pub fn windows(mut self, windows: &[(u64, u64)], limit: usize) -> Case {
        self.windows = Some((windows.to_vec(), limit));
        self.options.records = false;
        self
    }

    fn load(&self) -> Result<(Design, Workload), String> {
        match &self.what {
            What::Imported(both) => Ok((**both).clone()),
            What::Files { design, overrides, workload, settings } => {
                let (name, text) = design.name_and_text();
                let design = load_design(name, text, overrides).map_err(|e| e.to_string())?;
                let (name, text) = workload.name_and_text();
                let workload = load_workload(name, text, settings).map_err(|e| e.to_string())?;
                Ok((design, workload))
            }
        }
    }

    pub fn run(&self) -> Result<Found, String> {
        let (design, workload) = self.load()?;
        let traces = inputs(&workload);
        let Some((windows, limit)) = &self.windows else {
            let outcome = run(&design, &workload, traces, &self.options, &mut |_| true).map_err(|e| e.to_string())?;
            return Ok(Found::of_run(outcome));
        };
        let us = |time: u64| Time(time * 1_000_000);
        let windows = windows.iter().map(|&(from, until)| (us(from), us(until))).collect();
        let windows = Windows { windows, limit: *limit };
        Simulation::new(&design, &workload, traces, &self.options)
            .timeline(windows, &mut |_| true)
            .map(|(header, timeline)| Found::of_timeline(&header, timeline))
            .map_err(|e| e.to_string())
    }
}

fn inputs(workload: &Workload) -> Vec<Option<TraceInput>> {
    let inputs = |flow: &canaletto::config::workload::Flow| match flow.traces().len() {
        0 => vec![None],
        _ => flow.traces().iter().map(|trace| Some(open(&trace.file))).collect(),
    };
    workload.flow.iter().flat_map(inputs).collect()
}

pub struct Found {
    json: String,
    columns: Vec<(String, Vec<u64>)>,
    figures: Figures,
}

impl Found {
    fn of_run(mut outcome: Outcome) -> Found {
        outcome.report.measures.root_cause_us = None;
        outcome.report.flows.iter_mut().for_each(|flow| flow.measures.root_cause_us = None);
        let json = serde_json::to_string(&outcome.report).expect("a report is JSON");
        let figures = table::of_run(&outcome);
        let records = outcome.records.expect("records were asked for");
        Found { json, columns: columns_of(records), figures }
    }

    fn of_timeline(header: &Header, timeline: Timeline) -> Found {
        let json = serde_json::to_string(header).expect("a header is JSON");
        let figures = table::of_timeline(header, &timeline);
        let Timeline { spans, steps, requests, .. } = timeline;
        let mut columns = named(
            "spans",
            [
                ("kind", wide(spans.kind)),
                ("part", wide(spans.part)),
                ("start", spans.start),
                ("end", spans.end),
                ("request", wide(spans.request)),
                ("page", wide(spans.page)),
                ("work", wide(spans.work)),
            ],
        );
        columns.extend(named(
            "steps",
            [
                ("request", wide(steps.request)),
                ("page", wide(steps.page)),
                ("cause", wide(steps.cause)),
                ("start", steps.start),
                ("end", steps.end),
                ("part", wide(steps.part)),
            ],
        ));
        columns.extend(named(
            "requests",
            [
                ("number", wide(requests.number)),
                ("flow", wide(requests.flow)),
                ("kind", wide(requests.kind)),
                ("lba", requests.lba),
                ("sectors", wide(requests.sectors)),
                ("arrival", requests.arrival),
                ("complete", requests.complete),
            ],
        ));
        Found { json, columns, figures }
    }

    pub fn figures(&self) -> Figures {
        let mut whole = Digest::new();
        whole.bytes(self.json.as_bytes());
        self.columns.iter().for_each(|(name, numbers)| whole.column(name, numbers));
        self.figures.iter().cloned().chain([("hash", whole.hex())]).collect()
    }

    pub fn dump(&self) -> String {
        let report: Value = serde_json::from_str(&self.json).expect("it was JSON");
        let columns: Map<String, Value> =
            self.columns.iter().map(|(name, numbers)| (name.clone(), json!(numbers))).collect();
        let figures: Map<String, Value> =
            self.figures.iter().map(|(title, value)| ((*title).to_owned(), json!(value))).collect();
        let all = json!({ "figures": figures, "report": report, "columns": columns });
        serde_json::to_string_pretty(&all).expect("it is JSON")
    }
}

fn wide<T: Into<u64>>(column: Vec<T>) -> Vec<u64> {
    column.into_iter().map(Into::into).collect()
}

fn named<const N: usize>(of: &str, columns: [(&str, Vec<u64>); N]) -> Vec<(String, Vec<u64>)> {
    columns.into_iter().map(|(name, column)| (format!("{of}.{name}"), column)).collect()
}

fn columns_of(records: Records) -> Vec<(String, Vec<u64>)> {
    let Records { request, flow, kind, status, lba, sectors, arrival, enqueue, complete, path_conflict, blame, .. } =
        records;
    let mut columns = named(
        "requests",
        [
            ("request", wide(request)),
            ("flow", wide(flow)),
            ("kind", wide(kind)),
            ("failed", status.iter().map(|&status| u64::from(status != 0)).collect()),
            ("lba", lba),
            ("sectors", wide(sectors)),
            ("arrival", arrival),
            ("enqueue", enqueue),
            ("complete", complete),
            ("path_conflict", wide(path_conflict)),
        ],
    );
    // Causes that came later than the golden set, where they occur.
    let is_old = |cause: usize| cause < Cause::TransferOfOthers as usize;
    let causes = blame.into_iter().enumerate().filter(|(cause, column)| {
        Cause::ALL[*cause].is_blamed() && (is_old(*cause) || column.iter().any(|&span| span > 0))
    });
    columns.extend(causes.map(|(cause, column)| (format!("ledger.{cause}"), column)));
    columns
}

#[test]
fn the_hash_covers_report_and_rows() {
    let found = |json: &str, name: &str, row| Found {
        json: json.to_owned(),
        columns: named("requests", [("lba", vec![1, 2]), (name, vec![row])]),
        figures: Figures::new(),
    };
    let hash = |found: Found| found.figures().pop().unwrap().1;
    let one = hash(found("{}", "arrival", 7));
    assert_eq!(hash(found("{}", "arrival", 7)), one);
    for other in [found("{ }", "arrival", 7), found("{}", "enqueue", 7), found("{}", "arrival", 8)] {
        assert_ne!(hash(other), one);
    }
}
