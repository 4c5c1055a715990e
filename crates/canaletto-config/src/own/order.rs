//! User-defined rules that order transactions.

use crate::address::{LunId, PlaneId};
use crate::own::values::{Operation, Origin};
use crate::time::Time;

/// A transaction that waits for its LUN.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// Number in the order of arrival, which no other transaction of the run has.
    pub number: u64,
    /// Operation of the array.
    pub operation: Operation,
    /// Who wants it.
    pub origin: Origin,
    /// The flow whose page it is; none for what the drive does for itself.
    pub flow: Option<u16>,
    /// Priority class of that flow: 0 is urgent, 3 low.
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
    /// Time for which it will occupy the LUN, as expected.
    pub service: Time,
}

/// A LUN that can take a command.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The moment.
    pub now: Time,
    /// The LUN.
    pub lun: LunId,
    /// Whether it is so short of free blocks that collection should go first.
    pub gc_urgent: bool,
    /// Transactions that can be issued, two at least, in the order in which they came.
    pub ready: &'a [Waiting],
}

/// Orders transactions, during one run.
pub trait OrderRule: Send {
    /// Transactions have come to their LUNs, and others, by number, have left them.
    ///
    /// # Errors
    /// A reason why it cannot continue. The run ends with that text.
    fn hear(&mut self, _arrived: &[Waiting], _gone: &[u64]) -> Result<(), String> {
        Ok(())
    }

    /// The transaction that goes next, by its number.
    ///
    /// # Errors
    /// A reason why it cannot choose. The run ends with that text.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u64, String>;
}
