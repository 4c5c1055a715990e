//! The whole result of a run: the engine's report, and what only its caller knows.

use canaletto::measure::report::Report;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use crate::cost::Cost;
use crate::traces::TraceNotes;

/// Results of a run: the fields of `canaletto run --json`. Names end with their unit. A measure that does not apply is null.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RunResult")]
pub struct RunResult<'a> {
    /// Report of the engine.
    #[serde(flatten)]
    #[schemars(with = "Report")]
    pub report: &'a Report,
    /// Notes on the traces that were read. Absent unless some are irregular or were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<Vec<TraceNotes>>,
    /// Sentences that a reader needs before any figure, the most important first: saturation, runs too short for a steady figure, keys
    /// without effect.
    pub notes: Vec<String>,
    /// Cost of the run.
    pub cost: &'a Cost,
}

/// Returns the JSON Schema (draft 2020-12) of results, with the doc comments as descriptions.
pub fn schema() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<RunResult>().to_value()
}
