use crate::config::compute::At;
use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::engine::time::Time;
use crate::host::request::Request;

/// Serves one task at a time.
pub struct HostTasks {
    flows: Vec<bool>,
    rate: u64,
    latency: Time,
    free_at: Time,
}

impl HostTasks {
    pub fn new(design: &Design, workload: &Workload) -> HostTasks {
        let keys = &design.compute.host;
        let computes = |flow: &crate::config::workload::Flow| flow.compute.is_some_and(|task| task.at == At::Host);
        let mut flows: Vec<bool> = workload.flow.iter().map(computes).collect();
        if !flows.contains(&true) {
            flows.clear();
        }
        HostTasks { flows, rate: keys.rate.0, latency: keys.latency.time(), free_at: Time::ZERO }
    }

    pub fn are_some(&self) -> bool {
        !self.flows.is_empty()
    }

    pub fn compute(&mut self, request: &Request, now: Time) -> Option<Time> {
        self.flows.get(usize::from(request.flow)).filter(|computes| **computes)?;
        self.free_at = self.free_at.max(now) + Time::of_transfer(request.bytes(), self.rate);
        Some(self.free_at + self.latency)
    }
}
