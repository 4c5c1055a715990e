use crate::config::own::values::Direction;
use crate::engine::time::Time;
use crate::flash::interface::Operation;

pub trait WireTimes {
    fn command(&self, operation: Operation, planes: usize) -> Time;

    /// From the array (a read) or to it (a program).
    fn data(&self, operation: Operation, bytes: u64) -> Time;

    /// Of what is in the registers.
    fn copyback(&self, planes: usize) -> Time {
        self.command(Operation::Program, planes)
    }

    /// Zero where the packet that asks for data is among these, or nobody asks.
    fn column(&self) -> Time {
        Time::ZERO
    }

    /// Direction and time.
    fn status(&self) -> (Direction, Time);

    /// Or to resume it.
    fn suspend(&self, resume: bool) -> Time;
}
