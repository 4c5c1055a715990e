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
    /// Rate, width and extent of the interconnect's wires. Null in results that no design is known of.
    pub interconnect: Option<Interconnect>,
    /// Cost of the run.
    pub cost: &'a Cost,
}

/// Rate, width, extent and energy of an interconnect's wires: differences that are no structure. Filled in by the caller, who counts them.
#[derive(JsonSchema, Serialize)]
#[allow(dead_code)] // The schema is made of it; Python makes the values.
pub struct Interconnect {
    /// Transfers per second of a data wire, in 10^6.
    pub rate_mt_s: f64,
    /// Data wires of a link.
    pub width: u32,
    /// Data pins of the links at a controller.
    pub data_pins_per_controller: f64,
    /// Data pins of a chip: of the chip that has most.
    pub data_pins_per_chip: u32,
    /// Length of all data wires, in pitches between chips.
    pub wire_length_pitches: u64,
    /// Source of width, pins and length.
    pub pins_source: String,
    /// Area of pads, routers, switches and on-die controllers in mm². Null where nobody published it.
    pub area_mm2: Option<f64>,
    /// Source of the area, or why it is null.
    pub area_source: String,
    /// Energy that moves commands and data, in nanojoules per completed request. Null where none completed.
    pub energy_nj_per_request: Option<f64>,
    /// Source of the energy.
    pub energy_source: String,
}

/// Returns the JSON Schema (draft 2020-12) of results, with the doc comments as descriptions.
pub fn schema() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<RunResult>().to_value()
}
