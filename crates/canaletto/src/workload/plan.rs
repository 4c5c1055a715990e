//! Plan of a flow's replay. Properties of the whole trace are found by reading it once.

use crate::config::workload::{Flow, Pace, Trace};
use crate::engine::error::RunError;
use crate::engine::run::{Progress, TraceInput};
use crate::engine::time::Time;
use crate::limits::FlowRange;
use crate::workload::part::{Part, PartPlan};
use crate::workload::replay::{RecordSource, Reopen, Replay};
use crate::workload::window::{Extent, Window};

/// Stops the run by returning false.
pub type Watcher<'a> = &'a mut dyn FnMut(&Progress) -> bool;

const WATCH_EVERY: u64 = 1 << 16;

#[derive(Clone)]
pub struct Plan {
    parts: Vec<PartPlan>,
    factor: f64,
    requests: u64,
}

impl Plan {
    /// # Errors
    /// A trace that is missing, cannot be read, or does not fit the flow's addresses.
    pub fn new(
        flow: &Flow,
        number: usize,
        inputs: &mut dyn Iterator<Item = Option<TraceInput>>,
        range: &FlowRange,
        seed: u64,
        watch: Watcher,
    ) -> Result<(Plan, Vec<Box<dyn RecordSource>>), RunError> {
        let (mut parts, mut sources) = (Vec::new(), Vec::new());
        for (i, trace) in flow.traces().iter().enumerate() {
            let Some(TraceInput { source, again }) = inputs.next().flatten() else {
                let problem = format!("flow {:?} has no requests: no trace was opened for it", flow.name);
                return Err(RunError::Config(problem));
            };
            let stream = match flow.mix {
                None => format!("workload/{number}/sample"),
                Some(_) => format!("workload/{number}/{i}/sample"),
            };
            parts.push(plan_part(trace, again, range, seed, stream, watch)?);
            sources.push(source);
        }
        let requests = flow.mix.as_ref().and_then(|mix| mix.requests).unwrap_or(u64::MAX);
        let mut plan = Plan { parts, factor: 1.0, requests };
        if let Some(mix) = &flow.mix {
            plan.factor = plan.factor_for(&mix.pace(), &flow.name, watch)?;
        }
        Ok((plan, sources))
    }

    pub fn start(&self, sources: Vec<Box<dyn RecordSource>>) -> Replay {
        let parts = self.parts.iter().zip(sources).map(|(plan, source)| Part::new(plan.clone(), source));
        Replay::new(parts.collect(), self.factor, self.requests)
    }

    pub fn restart(&self) -> Result<Replay, String> {
        let sources = self.parts.iter().map(PartPlan::reopen).collect::<Result<_, _>>()?;
        Ok(self.start(sources))
    }

    /// In picoseconds, found by reading all of it.
    ///
    /// # Errors
    /// A trace that cannot be read, and requests that all arrive at once.
    pub fn mean_gap(&self, name: &str, watch: Watcher) -> Result<f64, RunError> {
        let mut replay = self.restart().map_err(RunError::Trace)?;
        let mut until_watch = WATCH_EVERY;
        while replay.pass_over().map_err(RunError::Trace)? {
            go_on(&mut until_watch, watch)?;
        }
        replay.mean_gap().ok_or_else(|| {
            RunError::Trace(format!(
                "{name}: inter_arrival: all its requests arrive at once: there are no times to scale"
            ))
        })
    }

    fn factor_for(&self, pace: &Pace, name: &str, watch: Watcher) -> Result<f64, RunError> {
        match (pace.speed, pace.inter_arrival) {
            (Some(speed), _) => Ok(1.0 / speed),
            (None, Some(wanted)) => Ok(wanted.0 as f64 / self.mean_gap(name, watch)?),
            (None, None) => Ok(1.0),
        }
    }
}

fn plan_part(
    trace: &Trace,
    again: Option<Reopen>,
    range: &FlowRange,
    seed: u64,
    stream: String,
    watch: Watcher,
) -> Result<PartPlan, RunError> {
    let window = Window::new(trace, None, range).map_err(RunError::Config)?;
    let mut part = PartPlan { trace: trace.clone(), seed, stream, again, window, factor: 1.0 };
    if Window::needs_extent(trace) {
        let extent = extent(&part, watch)?;
        part.window = Window::new(trace, Some(extent), range).map_err(RunError::Config)?;
    }
    let alone = Plan { parts: vec![part.clone()], factor: 1.0, requests: u64::MAX };
    part.factor = alone.factor_for(&trace.pace(), &trace.file, watch)?;
    Ok(part)
}

fn extent(part: &PartPlan, watch: Watcher) -> Result<Extent, RunError> {
    let mut source = part.reopen().map_err(RunError::Trace)?;
    let (mut extent, mut batch, mut until_watch) = (Extent::default(), Vec::new(), WATCH_EVERY);
    loop {
        source.next_batch(&mut batch).map_err(RunError::Trace)?;
        if batch.is_empty() {
            return Ok(extent);
        }
        for record in &batch {
            extent.include(record);
            go_on(&mut until_watch, watch)?;
        }
    }
}

fn go_on(until_watch: &mut u64, watch: Watcher) -> Result<(), RunError> {
    *until_watch -= 1;
    if *until_watch > 0 {
        return Ok(());
    }
    *until_watch = WATCH_EVERY;
    let nothing_yet = Progress { completed: 0, generated: 0, now: Time::ZERO, preconditioning: None };
    if watch(&nothing_yet) { Ok(()) } else { Err(RunError::Interrupted) }
}
