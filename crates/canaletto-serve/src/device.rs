//! A simulated drive as the server sees it.

use canaletto::drive::{Drive, Wanted};
use canaletto::engine::time::Time;
use canaletto::measure::report::Report;

/// End of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The number that it was submitted with.
    pub tag: u64,
    /// When the host knew.
    pub at: Time,
    /// Whether it failed.
    pub failed: bool,
}

/// A simulated drive that is given commands one by one.
pub trait Device: Send {
    /// `at`: not before the time reached.
    ///
    /// # Errors
    /// Why the simulation cannot continue.
    fn submit(&mut self, at: Time, command: Wanted, tag: u64) -> Result<(), String>;

    /// None while nothing is left to happen.
    fn next_event_time(&mut self) -> Option<Time>;

    /// Up to `until`; completions are added.
    ///
    /// # Errors
    /// Why the simulation cannot continue.
    fn advance_to(&mut self, until: Time, completions: &mut Vec<Completion>) -> Result<(), String>;

    /// If the simulation measures.
    fn report(&mut self) -> Option<Report>;
}

impl Device for Drive {
    fn submit(&mut self, at: Time, command: Wanted, tag: u64) -> Result<(), String> {
        Drive::submit(self, at, command, tag).map_err(|error| error.to_string())
    }

    fn next_event_time(&mut self) -> Option<Time> {
        Drive::next_event_time(self)
    }

    fn advance_to(&mut self, until: Time, completions: &mut Vec<Completion>) -> Result<(), String> {
        Drive::advance_to(self, until).map_err(|error| error.to_string())?;
        if self.has_completions() {
            let ended = self.completions();
            completions.extend(ended.map(|done| Completion {
                tag: done.tag,
                at: done.completed,
                failed: done.status != 0,
            }));
        }
        Ok(())
    }

    fn report(&mut self) -> Option<Report> {
        Some(Drive::report(self))
    }
}
