//! User-defined rules that order transactions.

use crate::address::{LunId, PlaneId};
use crate::own::values::{Operation, Origin};
use crate::time::Time;

/// A transaction that waits for its LUN.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// In the order of arrival, unique in the run.
    pub number: u64,
    /// Operation of the array.
    pub operation: Operation,
    /// Who wants it.
    pub origin: Origin,
    /// None for the drive's own work.
    pub flow: Option<u16>,
    /// Class of that flow: 0 is urgent, 3 low.
    pub priority: u8,
    /// The LUN that it waits for.
    pub lun: LunId,
    /// The plane of its page.
    pub plane: PlaneId,
    /// Data that cross to or from the chip.
    pub bytes: u32,
    /// When it came to its LUN.
    pub queued: Time,
    /// When its request arrived.
    pub began: Time,
    /// Expected time in the LUN.
    pub service: Time,
}

/// A LUN that can take a command.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The moment.
    pub now: Time,
    /// The LUN.
    pub lun: LunId,
    /// Whether free blocks are so short that collection should go first.
    pub gc_urgent: bool,
    /// At least two, in the order of arrival.
    pub ready: &'a [Waiting],
}

/// Orders transactions during one run.
pub trait OrderRule: Send {
    /// Arrivals, and by number departures.
    ///
    /// # Errors
    /// A reason that ends the run.
    fn hear(&mut self, _arrived: &[Waiting], _gone: &[u64]) -> Result<(), String> {
        Ok(())
    }

    /// Number of the transaction that goes next.
    ///
    /// # Errors
    /// A reason that ends the run.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u64, String>;
}
