use crate::config::workload::{Flow, Workload};
use crate::engine::error::RunError;
use crate::engine::run::TraceInput;
use crate::limits::{FlowRange, Limits};
use crate::measure::replay::TimeScaling;
use crate::workload::fill::Reopened;
use crate::workload::flow::{Loop, Source};
use crate::workload::plan::{Plan, Watcher};
use crate::workload::synthetic::Generator;
use crate::workload::zoned::Zoned;

pub struct Sources {
    pub flows: Vec<Source>,
    pub factor: f64,
    /// Mean times between arrivals before and after scaling, where times are scaled.
    pub scaling: Option<TimeScaling>,
    pub reopened: Vec<Option<Reopened>>,
}

impl Sources {
    /// `traces`: an entry for each synthetic flow and one for each trace.
    ///
    /// # Errors
    /// A trace that is missing, cannot be read, or does not fit the flow's addresses.
    pub fn new(
        workload: &Workload,
        limits: &Limits,
        traces: Vec<Option<TraceInput>>,
        seed: u64,
        watch: Watcher,
    ) -> Result<Sources, RunError> {
        let mut inputs = traces.into_iter();
        let mut made = Sources { flows: Vec::new(), factor: 1.0, scaling: None, reopened: Vec::new() };
        // Arrivals a picosecond of all open-loop flows together.
        let mut rate = 0.0;
        for (number, (flow, range)) in workload.flow.iter().zip(&limits.flows).enumerate() {
            let counts = workload.inter_arrival.is_some() && flow.looping() == Loop::Open;
            if let Some(source) = generated(flow, number, range, limits, seed)? {
                inputs.next();
                rate += flow.synthetic.as_ref().and_then(|s| s.inter_arrival).map_or(0.0, |gap| 1.0 / gap.0 as f64);
                made.flows.push(source);
                made.reopened.push(None);
                continue;
            }
            let (plan, sources) = Plan::new(flow, number, &mut inputs, range, seed, watch)?;
            if counts {
                rate += 1.0 / plan.mean_gap(&flow.name, watch)?;
            }
            made.flows.push(Source::Replay(Box::new(plan.start(sources))));
            made.reopened.push(Some(Box::new(move || plan.restart())));
        }
        if let Some(wanted) = workload.inter_arrival {
            made.scale(1.0 / rate, wanted.0 as f64);
        }
        Ok(made)
    }

    fn scale(&mut self, given: f64, wanted: f64) {
        self.factor = wanted / given;
        self.scaling = Some(TimeScaling {
            speed: given / wanted,
            given_inter_arrival_us: given / 1e6,
            inter_arrival_us: wanted / 1e6,
        });
    }
}

fn generated(
    flow: &Flow,
    number: usize,
    range: &FlowRange,
    limits: &Limits,
    seed: u64,
) -> Result<Option<Source>, RunError> {
    let Some(synthetic) = flow.synthetic.as_ref() else { return Ok(None) };
    let streams = number.to_string();
    let Some(shape) = limits.zones.as_ref().filter(|_| range.space.is_none()) else {
        let generator = Box::new(Generator::of(synthetic, &streams, seed, range));
        let tasks = flow.compute.is_some();
        return Ok(Some(if tasks { Source::Tasks(generator) } else { Source::Synthetic(generator) }));
    };
    let zoned = Zoned::new(synthetic, &streams, seed, range, shape);
    let zoned = zoned.map_err(|problem| RunError::Config(format!("flow {:?}: {problem}", flow.name)))?;
    Ok(Some(Source::Zoned(Box::new(zoned))))
}
