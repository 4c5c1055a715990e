//! Transfers with what they carry.

use crate::fabric::Transfer;
use crate::flash::address::LunId;
use crate::flash::interface::Control;
use crate::scheduler::transaction::TransactionId;

/// Load of a transfer.
#[derive(Clone, Copy)]
pub enum Payload {
    /// A LUN's command, with the data of a write.
    Command(LunId),
    /// The data of a read.
    Data(TransactionId),
    /// A page from chip to chip.
    Copy(TransactionId),
    /// A command to a LUN in the middle of its work.
    Control(LunId, Control),
}

/// A transfer with its load.
#[derive(Clone, Copy)]
pub struct Carried {
    /// Its load.
    pub payload: Payload,
    /// Where it goes, and how long it takes on the wires.
    pub transfer: Transfer,
}
