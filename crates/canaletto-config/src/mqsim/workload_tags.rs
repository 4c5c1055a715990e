//! The table of tags of `workload.xml`, and its parser.

use super::error::XmlError;
use super::ignored::{IgnoredKind, TagLines};
use super::tags::{Tag, WORKLOAD, Walk, names, no_effect, not_read, open_file, required, value};
use super::values::{COUNT, INT_MAX, MOMENT_NS, flag, ids, int, percent, put, text, word};
use super::words::*;
use super::workload::{FlowKind, FlowXml, ScenarioXml, SyntheticXml, TraceXml};
use super::xml::Element;

const ROOT: &str = WORKLOAD.root;
const SCENARIO: &str = "IO_Scenario";
const SYNTHETIC: &str = "IO_Flow_Parameter_Set_Synthetic";
const TRACE: &str = "IO_Flow_Parameter_Set_Trace_Based";

/// Each costs memory all the time.
const IN_FLIGHT_MAX: u64 = 1 << 20;

const SECTOR: u64 = 512;

struct Draft {
    flow: FlowXml,
    synthetic: SyntheticXml,
    trace: TraceXml,
}

#[rustfmt::skip] // one tag a line
const FLOW_TAGS: &[Tag<Draft>] = &[
    required("Priority_Class", |d, v| put(&mut d.flow.priority, word(v))),
    required("Device_Level_Data_Caching_Mode", |d, v| put(&mut d.flow.caching, word(v))),
    required("Channel_IDs", |d, v| put(&mut d.flow.channels, ids(v))),
    required("Chip_IDs", |d, v| put(&mut d.flow.chips, ids(v))),
    required("Die_IDs", |d, v| put(&mut d.flow.dies, ids(v))),
    required("Plane_IDs", |d, v| put(&mut d.flow.planes, ids(v))),
    required("Initial_Occupancy_Percentage", |d, v| put(&mut d.flow.initial_occupancy_percent, percent(v))),
];

#[rustfmt::skip] // one tag a line
const SYNTHETIC_TAGS: &[Tag<Draft>] = &[
    required("Working_Set_Percentage", |d, v| put(&mut d.synthetic.working_set_percent, int(v, 1..=100))),
    required("Synthetic_Generator_Type", |d, v| put(&mut d.synthetic.generator, word(v))),
    required("Read_Percentage", |d, v| put(&mut d.synthetic.read_percent, percent(v))),
    required("Address_Distribution", |d, v| put(&mut d.synthetic.addresses, word(v))),
    value("Percentage_of_Hot_Region", |d, v| put(&mut d.synthetic.hot_region_percent, percent(v))),
    required("Generated_Aligned_Addresses", |d, v| put(&mut d.synthetic.aligned, flag(v))),
    value("Address_Alignment_Unit", |d, v| put(&mut d.synthetic.alignment_sectors, int(v, 1..=INT_MAX))),
    required("Request_Size_Distribution", |d, v| put(&mut d.synthetic.sizes, word(v))),
    required("Average_Request_Size", |d, v| put(&mut d.synthetic.mean_sectors, int(v, COUNT))),
    value("Variance_Request_Size", |d, v| put(&mut d.synthetic.variance_sectors, int(v, 0..=65_535))),
    required("Seed", |d, v| put(&mut d.synthetic.seed, int(v, 0..=INT_MAX))),
    value("Average_No_of_Reqs_in_Queue", |d, v| put(&mut d.synthetic.requests_in_flight, int(v, 0..=IN_FLIGHT_MAX))),
    value("Bandwidth", |d, v| put(&mut d.synthetic.bandwidth_b_s, int(v, 0..=INT_MAX))),
    not_read("Intensity", "older name of <Bandwidth>, which MQSim's parser no longer knows"),
    value("Stop_Time", |d, v| put(&mut d.synthetic.stop_time_ns, int(v, MOMENT_NS))),
    value("Total_Requests_To_Generate", |d, v| put(&mut d.synthetic.total_requests, int(v, 0..=INT_MAX))),
];

#[rustfmt::skip] // one tag a line
const TRACE_TAGS: &[Tag<Draft>] = &[
    required("File_Path", |d, v| put(&mut d.trace.path, text(v))),
    value("Percentage_To_Be_Executed", |d, v| put(&mut d.trace.execute_percent, int(v, 1..=100))),
    required("Relay_Count", |d, v| put(&mut d.trace.replay_count, int(v, 1..=INT_MAX))),
    no_effect("Time_Unit", |d, v| put(&mut d.trace.time_unit, word(v)), "arrival times are always nanoseconds"),
];

/// Reads a workload definition file. Unknown tags are errors.
pub fn parse_workload(label: &str, xml: &str) -> Result<Vec<ScenarioXml>, XmlError> {
    read_workload(label, xml, false)
}

/// [`parse_workload`], which may ignore unknown tags.
pub fn read_workload(label: &str, xml: &str, ignores_unknown: bool) -> Result<Vec<ScenarioXml>, XmlError> {
    let root = open_file(label, xml, &WORKLOAD)?;
    let mut walk = Walk::new(label, places, ignores_unknown);
    let scenarios = known_in(&mut walk, &root, &[SCENARIO])?;
    let scenarios = scenarios.into_iter().map(|element| scenario(&mut walk, element)).collect::<Result<_, _>>()?;
    walk.all_known()?;
    Ok(scenarios)
}

fn scenario(walk: &mut Walk, element: &Element) -> Result<ScenarioXml, XmlError> {
    let flows = known_in(walk, element, &[SYNTHETIC, TRACE])?;
    let flows = flows.into_iter().map(|element| flow(walk, element)).collect::<Result<_, _>>()?;
    let mut ignored = std::mem::take(&mut walk.ignored);
    ignored.sort_by_key(|ignored| ignored.line);
    Ok(ScenarioXml { line: element.line, flows, ignored })
}

fn known_in<'e>(walk: &mut Walk, section: &'e Element, known: &[&str]) -> Result<Vec<&'e Element>, XmlError> {
    let (found, others): (Vec<_>, Vec<_>) =
        section.children.iter().partition(|child| known.contains(&child.name.as_str()));
    others.into_iter().for_each(|other| walk.meets_unknown(other, section, known));
    if found.is_empty() {
        walk.all_known()?;
        let line = section.text_line.max(section.line);
        let problem = format!("nothing in it, expected at least one <{}>", known.join("> or <"));
        return Err(walk.error(line, &section.name, &problem));
    }
    Ok(found)
}

fn flow(walk: &mut Walk, element: &Element) -> Result<FlowXml, XmlError> {
    let mut draft = blank(element.line);
    let synthetic = element.name == SYNTHETIC;
    let own = if synthetic { SYNTHETIC_TAGS } else { TRACE_TAGS };
    let mut lines = walk.section(element, &[FLOW_TAGS, own], &mut draft)?;
    let Draft { mut flow, synthetic: mut drawn, trace } = draft;
    if drawn.generator == Generator::Bandwidth && lines.line_of("Bandwidth").is_none() {
        take_intensity(walk, element, &mut drawn, &mut lines);
    }
    let check = Check { walk, element, lines: &lines };
    if synthetic {
        check.synthetic(&drawn)?;
        flow.kind = FlowKind::Synthetic(drawn);
    } else {
        check.trace(&trace)?;
        flow.kind = FlowKind::Trace(trace);
    }
    flow.lines = lines;
    Ok(flow)
}

/// Where <Bandwidth> is absent.
fn take_intensity(walk: &mut Walk, flow: &Element, drawn: &mut SyntheticXml, lines: &mut TagLines) {
    let Some(element) = flow.children.iter().find(|child| child.name == "Intensity") else { return };
    if let Ok(bandwidth) = int(element.text.trim(), 0..=INT_MAX) {
        drawn.bandwidth_b_s = bandwidth;
        lines.0.push(("Bandwidth", element.line));
        walk.ignored.retain(|ignored| (ignored.line, &*ignored.tag) != (element.line, "Intensity"));
        let reason = "taken for the <Bandwidth> that is absent, in bytes per second";
        walk.ignore(element.line, "Intensity".into(), IgnoredKind::ReadAs, reason.into());
    }
}

/// Only the values of tags that may be absent survive.
fn blank(line: u32) -> Draft {
    let trace =
        TraceXml { path: String::new(), execute_percent: 100, replay_count: 1, time_unit: TimeUnit::Nanosecond };
    let synthetic = SyntheticXml {
        working_set_percent: 100,
        generator: Generator::QueueDepth,
        read_percent: 100,
        addresses: AddressDistribution::RandomUniform,
        hot_region_percent: 0,
        aligned: false,
        alignment_sectors: 1,
        sizes: SizeDistribution::Fixed,
        mean_sectors: 1,
        variance_sectors: 0,
        seed: 0,
        requests_in_flight: 0,
        bandwidth_b_s: 0,
        stop_time_ns: 0,
        total_requests: 0,
    };
    let flow = FlowXml {
        line,
        priority: Priority::High,
        caching: CachingMode::TurnedOff,
        channels: Vec::new(),
        chips: Vec::new(),
        dies: Vec::new(),
        planes: Vec::new(),
        initial_occupancy_percent: 0,
        kind: FlowKind::Trace(trace.clone()),
        lines: TagLines::default(),
    };
    Draft { flow, synthetic, trace }
}

struct Check<'a> {
    walk: &'a Walk<'a>,
    element: &'a Element,
    lines: &'a TagLines,
}

impl Check<'_> {
    fn synthetic(&self, flow: &SyntheticXml) -> Result<(), XmlError> {
        if flow.addresses == AddressDistribution::RandomHotCold {
            let tag = "Percentage_of_Hot_Region";
            self.needs(tag, "RANDOM_HOTCOLD")?;
            self.holds(flow.hot_region_percent < 100, tag, "got 100, expected 0 to 99: nothing would be cold")?;
        }
        if flow.aligned {
            self.needs("Address_Alignment_Unit", "aligned addresses")?;
        }
        if flow.sizes == SizeDistribution::Normal {
            self.needs("Variance_Request_Size", "NORMAL")?;
        }
        if flow.stop_time_ns == 0 {
            let tag = "Total_Requests_To_Generate";
            self.needs(tag, "no <Stop_Time>")?;
            self.holds(flow.total_requests > 0, tag, "got 0 and no <Stop_Time>, expected one of the two")?;
        }
        match flow.generator {
            Generator::QueueDepth => {
                let tag = "Average_No_of_Reqs_in_Queue";
                self.needs(tag, "QUEUE_DEPTH")?;
                self.holds(flow.requests_in_flight > 0, tag, "got 0, expected at least 1 with QUEUE_DEPTH")
            }
            Generator::Bandwidth => self.bandwidth(flow),
        }
    }

    /// MQSim divides by the whole number of average requests per second.
    fn bandwidth(&self, flow: &SyntheticXml) -> Result<(), XmlError> {
        self.needs("Bandwidth", "BANDWIDTH")?;
        let least = SECTOR * u64::from(flow.mean_sectors);
        let got = u64::from(flow.bandwidth_b_s);
        let problem = format!("got {got}, expected at least {least} bytes/s, one average request per second");
        self.holds(got >= least, "Bandwidth", &problem)
    }

    fn trace(&self, flow: &TraceXml) -> Result<(), XmlError> {
        if flow.replay_count == 1 {
            self.needs("Percentage_To_Be_Executed", "a <Relay_Count> of 1")?;
        }
        Ok(())
    }

    fn needs(&self, tag: &str, why: &str) -> Result<(), XmlError> {
        match self.lines.line_of(tag) {
            Some(_) => Ok(()),
            None => Err(self.walk.missing(self.element, tag, &format!("needed with {why}"))),
        }
    }

    fn holds(&self, condition: bool, tag: &str, problem: &str) -> Result<(), XmlError> {
        if condition {
            return Ok(());
        }
        let line = self.lines.line_of(tag).unwrap_or(self.element.line);
        Err(self.walk.error(line, tag, problem))
    }
}

fn places() -> Vec<(&'static str, &'static str)> {
    [
        (ROOT, vec![SCENARIO]),
        (SCENARIO, vec![SYNTHETIC, TRACE]),
        (SYNTHETIC, names(&[FLOW_TAGS, SYNTHETIC_TAGS])),
        (TRACE, names(&[TRACE_TAGS])),
    ]
    .into_iter()
    .flat_map(|(place, names)| names.into_iter().map(move |name| (name, place)))
    .collect()
}
