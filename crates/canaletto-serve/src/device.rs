//! A simulated drive as the server sees it.

use canaletto::engine::time::Time;
use canaletto::host::request::Kind;

/// A command for a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Operation that it asks for.
    pub kind: Kind,
    /// For a write: whether it writes zeroes.
    pub zeroes: bool,
    /// For a write: whether it is complete only once it is on flash.
    pub fua: bool,
    /// First sector.
    pub lba: u64,
    /// Number of sectors: 0 of a flush.
    pub sectors: u32,
}

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
    /// Submits a command that the host makes at `at`, which is not before the time that the drive was advanced to.
    ///
    /// # Errors
    /// Reasons why the simulation cannot go on.
    fn submit(&mut self, at: Time, command: &Command, tag: u64) -> Result<(), String>;

    /// Returns when something happens next; none while nothing is left to happen.
    fn next_event_time(&mut self) -> Option<Time>;

    /// Lets everything happen that is due up to `until`, and adds the commands that end to `completions`.
    ///
    /// # Errors
    /// Reasons why the simulation cannot go on.
    fn advance_to(&mut self, until: Time, completions: &mut Vec<Completion>) -> Result<(), String>;
}
