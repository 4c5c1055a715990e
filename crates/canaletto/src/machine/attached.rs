//! Messages between host and drive where a PC is between them: `host/attach/` moves them.
//!
//! What they take is charged to `host_link`, as on the link whose place they take.

use super::{Event, Machine};
use crate::RunError;
use crate::fabric::Fabric;
use crate::host::link::Message;
use crate::measure::probe::Probe;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    pub(super) fn send_attached(&mut self, message: Message, data_bytes: u64, now: Time) {
        let Some(attached) = &mut self.attached else { return };
        attached.send(message, data_bytes, now);
        self.await_attachment();
    }

    pub(super) fn look_at_attachment(&mut self, now: Time) -> Result<(), RunError> {
        while let Some(message) = self.attached.as_mut().and_then(|attached| attached.next_arrival(now)) {
            self.receive(message, now)?;
        }
        self.await_attachment();
        Ok(())
    }

    fn await_attachment(&mut self) {
        if let Some(time) = self.attached.as_mut().and_then(|attached| attached.look()) {
            self.events.push(time, Event::Attachment);
        }
    }
}
