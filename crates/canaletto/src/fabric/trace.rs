//! Trace of what crosses the wires, for timelines. Nothing is written unless someone watches.

use crate::engine::time::Time;
use crate::fabric::PathId;

/// Use of a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireUse {
    /// Commands and addresses cross.
    Command,
    /// Data cross.
    Data,
    /// A scout looks for a way.
    Scout,
    /// A scout goes back and gives up what it reserved.
    Cancel,
    /// Part of a circuit.
    Reserved,
    /// Controllers agree on a transfer.
    Handshake,
}

/// A wire or controller in use.
#[derive(Debug, Clone, Copy)]
pub struct WireSpan {
    /// Its place among [`Fabric::wires`](super::Fabric::wires), or, counted on from there, among
    /// [`Fabric::controllers`](super::Fabric::controllers).
    pub wire: u32,
    /// Its use.
    pub what: WireUse,
    /// On which path.
    pub path: PathId,
    /// From when.
    pub start: Time,
    /// Until when.
    pub end: Time,
}

/// A trace of spans that someone empties after every step of the fabric.
#[derive(Default)]
pub struct WireTrace {
    on: bool,
    spans: Vec<WireSpan>,
}

impl WireTrace {
    /// Starts tracing.
    pub fn switch_on(&mut self) {
        self.on = true;
    }

    /// Whether anyone watches: what only the trace needs may be left out otherwise.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Writes a span down.
    pub fn write(&mut self, wire: u32, what: WireUse, path: PathId, start: Time, end: Time) {
        if self.on {
            self.spans.push(WireSpan { wire, what, path, start, end });
        }
    }

    /// Writes down a transfer: commands first, then data.
    #[inline]
    pub fn write_transfer(&mut self, wire: u32, transfer: &super::Transfer, path: PathId, start: Time) {
        if transfer.command > Time::ZERO {
            self.write(wire, WireUse::Command, path, start, start + transfer.command);
        }
        if transfer.data > Time::ZERO {
            self.write(wire, WireUse::Data, path, start + transfer.command, start + transfer.time());
        }
    }

    /// Takes everything off the trace.
    pub fn drain(&mut self) -> std::vec::Drain<'_, WireSpan> {
        self.spans.drain(..)
    }
}
