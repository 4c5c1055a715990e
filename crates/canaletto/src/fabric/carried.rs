//! Transfers with their loads.

use crate::fabric::Transfer;
use crate::flash::address::LunId;
use crate::flash::interface::Control;
use crate::scheduler::transaction::TransactionId;

/// Load of a transfer.
#[derive(Clone, Copy)]
pub enum Payload {
    Command(LunId),
    Data(TransactionId),
    Copy(TransactionId),
    /// A command to a LUN in the middle of its work.
    Control(LunId, Control),
    /// An operand or a result of a task, to or from a unit next to a LUN.
    Operand(LunId, TransactionId),
}

#[derive(Clone, Copy)]
pub struct Carried {
    pub payload: Payload,
    pub transfer: Transfer,
}
