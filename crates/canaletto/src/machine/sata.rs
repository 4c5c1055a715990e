//! Serial ATA: commands are issued while the drive has slots for them.

use super::Machine;
use crate::RunError;
use crate::fabric::Fabric;
use crate::host::link::{Direction, Message};
use crate::host::port::Port;
use crate::host::request::RequestId;
use crate::measure::probe::Probe;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Sends waiting commands while the drive can take them.
    pub(super) fn issue_commands(&mut self, now: Time) {
        loop {
            let Port::Sata(slots) = &mut self.port else { return };
            let Some(request) = slots.issue(|id| self.requests[id].kind) else { return };
            self.placed(request, now);
            self.send(Direction::ToDevice, Message::Command(request), 0, now);
        }
    }

    /// The drive has told of a completion, whose slot is free now.
    pub(super) fn device_bits_set(&mut self, request: RequestId, now: Time) -> Result<(), RunError> {
        if let Port::Sata(slots) = &mut self.port {
            slots.complete();
        }
        self.issue_commands(now);
        self.notice(request, now)
    }
}
