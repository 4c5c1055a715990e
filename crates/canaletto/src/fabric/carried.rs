use crate::fabric::Transfer;
use crate::flash::address::LunId;
use crate::flash::interface::Control;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy)]
pub enum Payload {
    Command(LunId),
    /// A further part of a program's data.
    Part(LunId),
    Data(TransactionId),
    Copy(TransactionId),
    Control(LunId, Control),
    /// An operand or a result of a task, to or from a unit next to a LUN.
    Operand(LunId, TransactionId),
}

#[derive(Clone, Copy)]
pub struct Carried {
    pub payload: Payload,
    pub transfer: Transfer,
}
