//! MQSim's own files.

use std::path::{Path, PathBuf};

use canaletto::config::design::{BeatTime, Design};
use canaletto::config::load_design;
use canaletto::config::mqsim::{Ignored, ImportedScenario, import, read_device, read_workload, rounded_rate};
use canaletto::config::workload::Workload;
use canaletto::config::writer::write_text;
use pyo3::prelude::*;

use crate::errors::config_error;
use crate::run::{Results, parse_options, simulate};
use crate::traces::count;
use crate::watch::Watch;

/// Results of each scenario, why each is not exact, tags without effect, and warnings.
type Replay<'py> = (Vec<Results<'py>>, Vec<Vec<&'static str>>, Vec<String>, Vec<String>);

/// Runs every scenario. Trace paths are relative to `base_dir`, or else to the working directory.
#[pyfunction]
#[pyo3(signature = (
    device_label, device_xml, workload_label, workload_xml, base_dir, settings, ignore_unknown, options_json, progress
))]
#[allow(clippy::too_many_arguments)]
pub fn mqsim<'py>(
    py: Python<'py>,
    device_label: &str,
    device_xml: &str,
    workload_label: &str,
    workload_xml: &str,
    base_dir: &str,
    settings: Vec<String>,
    ignore_unknown: bool,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Replay<'py>> {
    let read = (
        read_device(device_label, device_xml, ignore_unknown),
        read_workload(workload_label, workload_xml, ignore_unknown),
    );
    let (mut device, scenarios) = match read {
        (Ok(device), Ok(scenarios)) => (device, scenarios),
        (Err(device), Err(workload)) => return Err(config_error(format!("{device}\n{workload}"))),
        (Err(error), _) | (_, Err(error)) => return Err(config_error(error)),
    };
    let mut imported = import(device_label, &device, workload_label, &scenarios).map_err(config_error)?;
    for scenario in &mut imported {
        scenario.design = with_settings(device_label, &scenario.design, &settings)?;
    }
    if imported.iter().all(|scenario| scenario.design.fabric.beat_time == BeatTime::WholeNanoseconds) {
        device.ignored.extend(rounded_rate(&device));
    }
    let options = parse_options(options_json)?;
    let base = Path::new(base_dir);
    let inexact = imported.iter().map(|scenario| scenario.inexact.clone()).collect();
    let results = imported.into_iter().map(|mut scenario| {
        let progress = progress.as_ref().map(|p| p.clone_ref(py));
        find_traces(&mut scenario, base);
        py.detach(|| shorten_traces(&mut scenario, base))?;
        simulate(py, &scenario.design, &scenario.workload, base, &options, progress, None)
    });
    let results = results.collect::<PyResult<_>>()?;
    let of_device = device.ignored.iter().map(|tag| (device_label, tag));
    let of_flows = scenarios.iter().flat_map(|scenario| &scenario.ignored).map(|tag| (workload_label, tag));
    let (warnings, notes): (Vec<_>, Vec<_>) = of_device.chain(of_flows).partition(|(_, tag)| tag.is_warning());
    Ok((results, inexact, lines(&notes), lines(&warnings)))
}

fn lines(tags: &[(&str, &Ignored)]) -> Vec<String> {
    tags.iter().map(|(label, tag)| format!("{label}: {tag}")).collect()
}

fn with_settings(label: &str, design: &Design, settings: &[String]) -> PyResult<Design> {
    if settings.is_empty() {
        return Ok(design.clone());
    }
    let text = write_text(design).map_err(config_error)?;
    load_design(label, Some(&text), settings).map_err(config_error)
}

/// In the folder of the workload's file or, as MQSim does, in the working directory. Paths may have backslashes.
fn find_traces(scenario: &mut ImportedScenario, base: &Path) {
    for trace in scenario.workload.flow.iter_mut().filter_map(|flow| flow.trace.as_mut()) {
        let slashes = trace.file.replace('\\', "/");
        let as_written = base.join(&trace.file);
        let others = [base.join(&slashes), trace.file.as_str().into(), slashes.into()];
        let elsewhere = others.into_iter().find(|path: &PathBuf| !as_written.is_file() && path.is_file());
        if let Some(found) = elsewhere.and_then(|path| std::path::absolute(path).ok()) {
            trace.file = found.to_string_lossy().into_owned();
        }
    }
}

/// `Percentage_To_Be_Executed` is a share of the trace's lines.
fn shorten_traces(scenario: &mut ImportedScenario, base: &Path) -> PyResult<()> {
    let Workload { flow, .. } = &mut scenario.workload;
    for (flow, percent) in flow.iter_mut().zip(&scenario.trace_percent) {
        if let (Some(trace), Some(percent)) = (&mut flow.trace, percent) {
            let lines = count(&base.join(&trace.file), trace, &mut Watch::new(None, 0))?;
            trace.requests = Some((f64::from(*percent) / 100.0 * lines as f64) as u64);
        }
    }
    Ok(())
}
