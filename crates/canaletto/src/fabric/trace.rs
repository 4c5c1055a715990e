use crate::engine::time::Time;
use crate::fabric::PathId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireUse {
    Command,
    Data,
    Scout,
    Cancel,
    Reserved,
    Handshake,
}

#[derive(Debug, Clone, Copy)]
pub struct WireSpan {
    pub wire: u32,
    pub what: WireUse,
    pub path: PathId,
    pub start: Time,
    pub end: Time,
}

#[derive(Default)]
pub struct WireTrace {
    on: bool,
    spans: Vec<WireSpan>,
}

impl WireTrace {
    pub fn switch_on(&mut self) {
        self.on = true;
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    #[inline(always)]
    pub fn write(&mut self, wire: u32, what: WireUse, path: PathId, start: Time, end: Time) {
        if self.on {
            self.spans.push(WireSpan { wire, what, path, start, end });
        }
    }

    #[inline(always)]
    pub fn write_transfer(&mut self, wire: u32, transfer: &super::Transfer, path: PathId, start: Time) {
        if !self.on {
            return;
        }
        if transfer.command > Time::ZERO {
            self.write(wire, WireUse::Command, path, start, start + transfer.command);
        }
        if transfer.data > Time::ZERO {
            self.write(wire, WireUse::Data, path, start + transfer.command, start + transfer.time());
        }
    }

    pub fn drain(&mut self) -> std::vec::Drain<'_, WireSpan> {
        self.spans.drain(..)
    }
}
