//! Resolution of configurations.

use std::path::Path;

use canaletto::config::design::Design;
use canaletto::config::schema::Kind;
use canaletto::config::setting::Setting;
use canaletto::config::workload::Workload;
use canaletto::config::writer::write_text;
use canaletto::config::{self, load_design, load_workload};
use canaletto::limits;
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::config_error;
use crate::traces::open_all;

/// Of engine and package.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// As JSON: name and about.
#[pyfunction]
pub fn presets() -> PyResult<String> {
    json(&config::presets())
}

#[pyfunction]
pub fn fabrics() -> PyResult<String> {
    json(&canaletto::fabric::facts())
}

/// As JSON: name and about.
#[pyfunction]
pub fn profiles() -> PyResult<String> {
    json(&config::profiles())
}

#[pyfunction]
pub fn schema(kind: &str) -> PyResult<&'static str> {
    let kind = match kind {
        "design" => Kind::Design,
        "workload" => Kind::Workload,
        "pc" => Kind::Pc,
        "result" => return Ok(canaletto::measure::result::schema()),
        other => return Err(config_error(format!("got schema {other:?}, expected design, workload, pc or result"))),
    };
    Ok(config::schema(kind))
}

/// Name in messages, a part of the key in messages only, and `key=value`.
type Given = (String, String, String);

/// Of a file's text, or else the preset of that name; with notes on keys without effect.
#[pyfunction]
#[pyo3(signature = (name, text, settings))]
pub fn resolve_design(name: &str, text: Option<&str>, settings: Vec<Given>) -> PyResult<(String, Vec<String>)> {
    let (design, notes) = config::resolve_design(name, text, &parse_settings(&settings)?).map_err(config_error)?;
    Ok((toml(&design)?, notes))
}

/// Of a file's text, or else the profile of that name.
#[pyfunction]
#[pyo3(signature = (name, text, settings))]
pub fn resolve_workload(name: &str, text: Option<&str>, settings: Vec<Given>) -> PyResult<String> {
    toml(&config::resolve_workload(name, text, &parse_settings(&settings)?).map_err(config_error)?)
}

/// A message about a key of a `design` or a `workload`, with the place where the key was set; none if it was not.
#[pyfunction]
#[pyo3(signature = (kind, name, text, settings, key, what))]
pub fn located(
    kind: &str,
    name: &str,
    text: Option<&str>,
    settings: Vec<Given>,
    key: &str,
    what: &str,
) -> PyResult<Option<String>> {
    let kind = if kind == "design" { Kind::Design } else { Kind::Workload };
    let problem = config::error::Problem::new(key, what);
    Ok(config::located(kind, name, text, &parse_settings(&settings)?, &problem).map(|error| error.0))
}

/// A `design` or a `workload` with the values that follow others.
#[pyfunction]
pub fn spelt_out(kind: &str, text: &str) -> PyResult<String> {
    if kind == "design" { toml(&parse_design(text)?) } else { toml(&parse_workload(text)?) }
}

fn parse_settings(settings: &[Given]) -> PyResult<Vec<Setting>> {
    let parse = |(label, prefix, text): &Given| Setting::parse(label, prefix, text).map_err(config_error);
    settings.iter().map(parse).collect()
}

/// As JSON. Memory depends on whether single requests are kept. `look`: whether traces are opened; the run reports a
/// trace that cannot be opened.
#[pyfunction]
pub fn inspect(py: Python, design_toml: &str, workload_toml: &str, records: bool, look: bool) -> PyResult<String> {
    let (design, workload) = (parse_design(design_toml)?, parse_workload(workload_toml)?);
    py.detach(|| {
        let opened = if look { open_all(&workload, Path::new("")).ok() } else { None };
        let traces = opened.map_or_else(Vec::new, |opened| opened.split().0);
        json(&canaletto::inspection::inspect(&design, &workload, traces, records).map_err(config_error)?)
    })
}

/// Of the array, row by row.
#[pyfunction]
pub fn chip_shares(design_toml: &str, workload_toml: &str) -> PyResult<Vec<f64>> {
    limits::chip_shares(&parse_design(design_toml)?, &parse_workload(workload_toml)?).map_err(config_error)
}

/// With their times on the design's fabric, as JSON.
#[pyfunction]
pub fn sequences(design_toml: &str) -> PyResult<String> {
    json(&canaletto::fabric::command_times::describe(&parse_design(design_toml)?))
}

pub fn parse_design(toml: &str) -> PyResult<Design> {
    load_design("design", Some(toml), &[]).map_err(config_error)
}

pub fn parse_workload(toml: &str) -> PyResult<Workload> {
    load_workload("workload", Some(toml), &[]).map_err(config_error)
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(config_error)
}

fn toml(value: &impl Serialize) -> PyResult<String> {
    write_text(value).map_err(config_error)
}
