//! The whole result of a run: the engine's report, and what only its caller finds out.

use serde::Serialize;

use crate::JsonSchema;
use crate::measure::report::Report;

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

/// Cost of a run.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Cost {
    /// Wall-clock time, in seconds.
    pub wall_s: f64,
    /// Processor time of the run's own thread, user and system, in seconds. Other threads do not count.
    pub cpu_s: f64,
    /// Events simulated.
    pub events: u64,
    /// Requests for each second of processor time; none if that was too short to measure.
    pub requests_per_cpu_s: Option<f64>,
    /// Largest resident memory of the process so far, in 10^6 bytes.
    pub peak_rss_mb: f64,
}

/// Lines of a trace that were left out or put in order, and properties by which it may mislead. These are null for a trace
/// with too few requests to judge.
#[derive(JsonSchema, Serialize)]
pub struct Lines {
    /// Different device numbers, as far as they are distinguished.
    pub devices: Option<usize>,
    /// Share, from 0 to 1, of requests that arrive at the same time as the one before them.
    pub simultaneous_share: Option<f64>,
    /// Largest of 1 s, 1 ms and 1 ns, in nanoseconds, of which all arrivals are multiples after the first.
    pub clock_ns: Option<u64>,
    /// Lines left out.
    pub skipped_lines: u64,
    /// The first line left out, and the reason.
    pub first_skipped: Option<String>,
    /// Lines that were out of order.
    pub out_of_order_lines: u64,
    /// Times that the trace's clock has started again; the requests after that follow those before.
    pub clock_restarts: u64,
}

/// Notes on a trace that was read.
#[derive(JsonSchema, Serialize)]
pub struct TraceNotes {
    /// Lines left out or out of order.
    #[serde(flatten)]
    pub lines: Lines,
    /// Name of the flow that replays it.
    pub flow: String,
    /// Name of the trace file.
    pub file: String,
    /// Whether several devices share the same addresses.
    pub overlaid: bool,
    /// Whether requests arrive at recorded times.
    pub paced: bool,
}

/// Returns the JSON Schema (draft 2020-12) of results. It is a committed file.
pub fn schema() -> &'static str {
    include_str!("result.json")
}

#[cfg(test)]
#[path = "../../../canaletto-config/src/schema/keep.rs"]
mod keep;

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

    use super::*;

    #[test]
    fn schema_file_matches_the_types() {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let generated = generator.into_root_schema_for::<RunResult>().to_value();
        keep::keep(&format!("{}/src/measure/result.json", env!("CARGO_MANIFEST_DIR")), &generated);
    }
}
