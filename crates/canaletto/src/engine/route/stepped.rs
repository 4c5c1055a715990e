//! One event after the other, for requests from outside.

use super::Route;
use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::engine::error::RunError;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::NoProbe;
use crate::measure::records::Records;
use crate::measure::report::Report;
use crate::workload::external::External;

pub trait Stepped: Send {
    fn begin(&mut self);

    fn external(&mut self) -> &mut External;

    fn next_due(&mut self) -> Time;

    /// Handles events up to `until` or the next request's end, and counts `events` down. Returns false if more are due.
    ///
    /// # Errors
    /// A simulation that is stuck.
    fn advance(&mut self, until: Time, to_completion: bool, events: &mut u64) -> Result<bool, RunError>;

    fn last_event(&self) -> Time;

    fn rows(&mut self) -> &mut Records;

    fn results(&mut self, design: &Design, workload: &Workload, precondition: Option<PreconditionReport>) -> Report;
}

impl<F: Fabric> Stepped for Route<F, NoProbe>
where
    Self: Send,
{
    fn begin(&mut self) {
        self.host.start(None, &mut self.events);
        self.schedule_refresh_scan(Time::ZERO);
        self.schedule_losses();
    }

    fn external(&mut self) -> &mut External {
        self.host.external().expect("requests come from outside")
    }

    fn next_due(&mut self) -> Time {
        let inside = self.events.next_time().min(self.paths.fabric.next_step());
        inside.min(self.host.next_submitted())
    }

    fn advance(&mut self, until: Time, to_completion: bool, events: &mut u64) -> Result<bool, RunError> {
        let before = self.completed();
        loop {
            while self.step(until)? {
                *events = events.saturating_sub(1);
                if to_completion && self.completed() > before {
                    return Ok(true);
                }
                if *events == 0 {
                    return Ok(false);
                }
            }
            if self.requests.is_empty() || self.next_due() != Time::MAX {
                return Ok(true);
            }
            if !self.poll_until_something_starts() && !self.give_up_oldest() {
                return Err(RunError::Stuck(self.explain_stuck()));
            }
        }
    }

    fn last_event(&self) -> Time {
        self.now()
    }

    fn rows(&mut self) -> &mut Records {
        self.requests.statistics.rows()
    }

    fn results(&mut self, design: &Design, workload: &Workload, precondition: Option<PreconditionReport>) -> Report {
        self.report(design, workload, precondition)
    }
}
