//! MQSim's own files.

use std::path::Path;

use canaletto::config::mqsim::{Ignored, ImportedScenario, import, parse_device, parse_workload};
use canaletto::config::workload::Workload;
use pyo3::prelude::*;

use crate::errors::config_error;
use crate::run::{Results, parse_options, simulate};
use crate::traces::count;
use crate::watch::Watch;

/// Runs every scenario of MQSim's workload file on MQSim's device. Trace paths are relative to `base_dir`. Returns the
/// results and notes on tags without effect.
#[pyfunction]
#[pyo3(signature = (device_label, device_xml, workload_label, workload_xml, base_dir, options_json, progress))]
#[allow(clippy::too_many_arguments)]
pub fn mqsim<'py>(
    py: Python<'py>,
    device_label: &str,
    device_xml: &str,
    workload_label: &str,
    workload_xml: &str,
    base_dir: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<Results<'py>>, Vec<String>)> {
    let device = parse_device(device_label, device_xml).map_err(config_error)?;
    let scenarios = parse_workload(workload_label, workload_xml).map_err(config_error)?;
    let imported = import(device_label, &device, workload_label, &scenarios).map_err(config_error)?;
    let options = parse_options(options_json)?;
    let base = Path::new(base_dir);
    let results = imported.into_iter().map(|mut scenario| {
        let progress = progress.as_ref().map(|p| p.clone_ref(py));
        py.detach(|| shorten_traces(&mut scenario, base))?;
        simulate(py, &scenario.design, &scenario.workload, base, &options, progress, None)
    });
    let results = results.collect::<PyResult<_>>()?;
    let notes = notes(device_label, &device.ignored)
        .chain(scenarios.iter().flat_map(|scenario| notes(workload_label, &scenario.ignored)));
    Ok((results, notes.collect()))
}

fn notes<'a>(label: &'a str, ignored: &'a [Ignored]) -> impl Iterator<Item = String> + 'a {
    ignored.iter().map(move |tag| format!("{label}: {tag}"))
}

/// Replaces `Percentage_To_Be_Executed`, which is a share of the trace's lines, by a number of requests.
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
