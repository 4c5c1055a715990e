//! Statistics of workloads, and profiles fitted to traces.

use canaletto::config::load_design;
use canaletto::config::writer::write_text;
use canaletto::limits::Limits;
use canaletto::workload::traffic::Traffic;
use canaletto_trace::fit::{Channels, fit};
use canaletto_trace::{Striping, Survey};
use pyo3::prelude::*;
use serde_json::json;

use crate::config::{parse_design, parse_workload};
use crate::errors::config_error;
use crate::traces::{lines, open_named, striping, survey_all};
use crate::watch::Watch;

/// Gives a workload's addresses their size where no other is named.
const DRIVE: &str = "performance-optimized";
const BATCH: usize = 1 << 14;

/// As JSON, like `survey_trace`.
#[pyfunction]
#[pyo3(signature = (workload_toml, design_toml, seed))]
pub fn survey_workload(py: Python, workload_toml: &str, design_toml: Option<&str>, seed: u64) -> PyResult<String> {
    let workload = parse_workload(workload_toml)?;
    let design = match design_toml {
        Some(toml) => parse_design(toml)?,
        None => load_design(DRIVE, None, &[]).map_err(config_error)?,
    };
    let limits = Limits::new(&design, &workload).map_err(config_error)?;
    let striping = design_toml.map(striping).transpose()?;
    py.detach(|| {
        let mut traffic = Traffic::new(&workload, &limits, seed).map_err(config_error)?;
        let (mut survey, mut watch) = (Survey::new(striping), Watch::new(None, 0));
        loop {
            let mut made = 0;
            traffic.by_ref().take(BATCH).for_each(|record| {
                survey.add(&record);
                made += 1;
            });
            if made == 0 {
                break;
            }
            watch.go_on()?;
        }
        let mut found = serde_json::to_value(survey.finish()).map_err(config_error)?;
        found["format"] = json!("generated");
        found["compression"] = json!("plain");
        found["lines"] =
            json!({ "skipped_lines": 0, "first_skipped": null, "out_of_order_lines": 0, "clock_restarts": 0 });
        Ok(found.to_string())
    })
}

/// Returns a profile as TOML, and notes on the trace's lines as JSON.
#[pyfunction]
#[pyo3(signature = (path, format, read_json, name, about, design_toml))]
pub fn fit_trace(
    py: Python,
    path: &str,
    format: Option<&str>,
    read_json: &str,
    name: &str,
    about: &str,
    design_toml: Option<&str>,
) -> PyResult<(String, String)> {
    let mut reader = open_named(path, format, read_json)?;
    let channels = match design_toml.map(parse_design).transpose()? {
        Some(design) => {
            let layout = design.layout();
            Channels { count: layout.channels, page_bytes: layout.page_bytes() }
        }
        None => Channels::default(),
    };
    let order = (0..channels.count).collect();
    let striping = Striping { page_bytes: channels.page_bytes, channels: channels.count, order };
    py.detach(|| {
        let survey = survey_all(&mut reader, Survey::new(Some(striping)))?;
        let profile = fit(&survey.finish(), name, about, channels)
            .map_err(|problem| config_error(format!("{path}: {problem}")))?;
        Ok((write_text(&profile).map_err(config_error)?, json!(lines(&reader.tally())).to_string()))
    })
}
