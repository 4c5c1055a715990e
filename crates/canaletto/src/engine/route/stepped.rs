//! The way from station to station, one event after the other: for requests that come from outside.

use super::{HostEvents, Route};
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

/// A [`Route`] of any fabric. It keeps rows of its requests, which come from outside.
pub trait Stepped: Send {
    /// Begins at time zero. Called once, before anything else.
    fn begin(&mut self);

    /// Requests from outside.
    fn external(&mut self) -> &mut External;

    /// The time of the earliest thing that is due; later than anything if there is none.
    fn next_due(&mut self) -> Time;

    /// Does everything that is due at `until` or before, or what comes before the end of the next request and includes it, but no more
    /// than so many events. Returns false if more are due.
    ///
    /// # Errors
    /// A simulation that is stuck.
    fn advance(&mut self, until: Time, to_completion: bool, events: u64) -> Result<bool, RunError>;

    /// The time of the last event.
    fn last_event(&self) -> Time;

    /// Rows of completed requests that nobody has taken.
    fn rows(&mut self) -> &mut Records;

    /// The whole state as bytes.
    ///
    /// # Errors
    /// None that is known.
    fn save(&self) -> postcard::Result<Vec<u8>>;

    /// Takes on the state of a drive of the same design.
    ///
    /// # Errors
    /// Bytes that are no state.
    fn load(&mut self, bytes: &[u8]) -> postcard::Result<()>;

    /// The results so far.
    fn results(&mut self, design: &Design, workload: &Workload, precondition: Option<PreconditionReport>) -> Report;
}

impl<F: Fabric> Stepped for Route<'static, F, NoProbe>
where
    Self: Send,
{
    fn begin(&mut self) {
        let events = &mut self.events;
        self.host.start(None, &mut HostEvents(events));
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

    fn advance(&mut self, until: Time, to_completion: bool, mut events: u64) -> Result<bool, RunError> {
        let before = self.completed();
        loop {
            while self.step(until)? {
                if to_completion && self.completed() > before {
                    return Ok(true);
                }
                events = events.saturating_sub(1);
                if events == 0 {
                    return Ok(false);
                }
            }
            if self.work.requests.is_empty() || self.next_due() != Time::MAX {
                return Ok(true);
            }
            // Nothing is under way that could make room for those that wait for it.
            if !self.poll_until_something_starts() && !self.give_up_oldest() {
                return Err(RunError::Stuck(self.explain_stuck()));
            }
        }
    }

    fn last_event(&self) -> Time {
        self.now()
    }

    fn rows(&mut self) -> &mut Records {
        self.work.statistics.rows()
    }

    fn save(&self) -> postcard::Result<Vec<u8>> {
        let stations =
            (&self.host, &self.cache, &self.ftl, &self.controller, &self.scheduler, &self.paths, &self.flash);
        let route = (&self.missing, &self.refills, self.refresh_is_scheduled);
        postcard::to_allocvec(&(&self.events, self.work.state(), stations, route))
    }

    fn load(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        let (events, work, stations, route) = postcard::from_bytes(bytes)?;
        self.events = events;
        self.work.set_state(work);
        (self.host, self.cache, self.ftl, self.controller, self.scheduler, self.paths, self.flash) = stations;
        (self.missing, self.refills, self.refresh_is_scheduled) = route;
        Ok(())
    }

    fn results(&mut self, design: &Design, workload: &Workload, precondition: Option<PreconditionReport>) -> Report {
        self.report(design, workload, precondition)
    }
}
