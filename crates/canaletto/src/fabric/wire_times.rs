//! How long commands and data occupy the wires.

use crate::config::own::values::Direction;
use crate::engine::time::Time;
use crate::flash::interface::Operation;

/// Times of what crosses, by the signalling of a fabric.
pub trait WireTimes {
    fn command(&self, operation: Operation, planes: usize) -> Time;

    /// One page's `bytes` on the way from the array (a read) or to it (a program).
    fn data(&self, operation: Operation, bytes: u64) -> Time;

    /// A program of what is in the registers of `planes` planes.
    fn copyback(&self, planes: usize) -> Time {
        self.command(Operation::Program, planes)
    }

    /// The change of column before one page's data: zero where the packet that asks for data is among these, or nobody asks.
    fn column(&self) -> Time {
        Time::ZERO
    }

    /// Which way a LUN's status goes, and its time.
    fn status(&self) -> (Direction, Time);

    /// The command to suspend a LUN's work, or to resume it.
    fn suspend(&self, resume: bool) -> Time;
}
