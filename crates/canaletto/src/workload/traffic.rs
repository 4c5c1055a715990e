use crate::config::workload::Workload;
use crate::engine::time::Time;
use crate::host::request::Kind;
use crate::limits::Limits;
use crate::workload::flow::Wanted;
use crate::workload::replay::Record;
use crate::workload::synthetic::Generator;

/// Closed loops arrive at once: only a drive determines their next arrival.
pub struct Traffic {
    flows: Vec<Flow>,
}

struct Flow {
    generator: Generator,
    next: Option<(Time, Wanted)>,
    /// Differs among flows with their own addresses.
    device: u32,
}

impl Traffic {
    /// # Errors
    /// A flow that replays a trace.
    pub fn new(workload: &Workload, limits: &Limits, seed: u64) -> Result<Traffic, String> {
        let mut flows = Vec::new();
        for (number, (flow, range)) in workload.flow.iter().zip(&limits.flows).enumerate() {
            let Some(synthetic) = &flow.synthetic else {
                return Err(format!("flow {:?} replays a trace, expected generated requests", flow.name));
            };
            let generator = Generator::of(synthetic, &number.to_string(), seed, range);
            let device = if workload.partitioned { number as u32 } else { 0 };
            let mut flow = Flow { generator, next: None, device };
            flow.advance(synthetic.start.time());
            flows.push(flow);
        }
        Ok(Traffic { flows })
    }
}

impl Flow {
    fn advance(&mut self, now: Time) {
        let at = now + self.generator.gap().unwrap_or(Time::ZERO);
        self.next = self.generator.next(at).map(|wanted| (at, wanted));
    }
}

impl Iterator for Traffic {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let pending = self.flows.iter_mut().filter(|flow| flow.next.is_some());
        let flow = pending.min_by_key(|flow| flow.next.map(|(at, _)| at))?;
        let (at, wanted) = flow.next.take()?;
        flow.advance(at);
        let flush = wanted.kind == Kind::Flush;
        Some(Record {
            arrival_ns: at.ns(),
            device: flow.device,
            offset_bytes: if flush { 0 } else { wanted.first_byte() },
            bytes: wanted.bytes(),
            kind: wanted.kind,
            fua: wanted.fua,
            zeroes: wanted.zeroes,
            handle: wanted.handle,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{load_design, load_workload};

    fn traffic(text: &str) -> Result<Vec<Record>, String> {
        let workload = load_workload("t.toml", Some(text), &[]).unwrap();
        let design = load_design("performance-optimized", None, &[]).unwrap();
        let limits = Limits::new(&design, &workload).unwrap();
        Traffic::new(&workload, &limits, 1).map(Iterator::collect)
    }

    #[test]
    fn flows_arrive_in_one_order() {
        let flow = |gap: &str, count: u32| {
            format!(
                "[[flow]]\nname = \"{gap}\"\n[flow.synthetic]\nrequests = {count}\nread_share = 1.0\nsize = \"4KiB\"\n\
                 inter_arrival = \"{gap}\"\n"
            )
        };
        let made = traffic(&format!("name = \"t\"\n{}{}", flow("10us", 3000), flow("30us", 1000))).unwrap();
        assert_eq!(made.len(), 4000);
        assert!(made.windows(2).all(|pair| pair[0].arrival_ns <= pair[1].arrival_ns));
        let last_us = made[3999].arrival_ns as f64 / 1e3;
        assert!((27_000.0..34_000.0).contains(&last_us), "{last_us}");
    }

    #[test]
    fn a_trace_is_none() {
        let error = traffic("name = \"t\"\n[[flow]]\nname = \"r\"\n[flow.trace]\nfile = \"x\"\n").unwrap_err();
        assert!(error.contains("replays a trace"), "{error}");
    }
}
