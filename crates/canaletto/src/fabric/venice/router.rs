//! One router: its reservation table (Venice §4.2, Fig. 7), its outputs, and its part of Algorithm 1 (§4.3).

use crate::fabric::venice::choice::Register;
use crate::fabric::venice::grid::{Grid, LinkUse, Port, PortAt, RouterId};
use crate::fabric::venice::minimal::MinimalPorts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    To(Port),
    Ejection,
}

/// A packet in a row: its number, which is its controller's, and the row's valid bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder(u32);

impl Holder {
    pub fn new(packet: u32) -> Holder {
        Holder(packet << 16 | Row::VALID)
    }
}

/// Two ports connected, both ways, for a packet. A port serves one packet at a time, so that a row is found by its
/// exit.
///
/// ```text
/// │ packet   │ valid │ entry  │
/// │ 31 … 16  │  15   │ 14 … 0 │
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row(u32);

impl Row {
    const NONE: Row = Row(0);
    const VALID: u32 = 1 << 15;

    #[inline]
    pub fn new(holder: Holder, entry: PortAt) -> Row {
        Row(holder.0 | entry.without_router())
    }

    pub fn read(self) -> Option<(u32, u32)> {
        (self != Row::NONE).then_some((self.0 >> 16, self.0 & 0b11))
    }

    #[inline]
    pub fn entry(self, router: RouterId) -> PortAt {
        PortAt::with_router(self.0 & (Row::VALID - 1), router)
    }

    /// Returns the entry.
    #[inline]
    pub fn clear(&mut self, holder: Holder, router: RouterId) -> PortAt {
        let entry = std::mem::replace(self, Row::NONE).0 ^ holder.0;
        assert!(entry < Row::VALID, "a packet gives up only what it reserved");
        PortAt::with_router(entry, router)
    }
}

#[derive(Clone, Copy)]
pub struct Output {
    pub far: PortAt,
    pub row: Row,
    pub used: LinkUse,
}

#[derive(Clone, Copy)]
pub struct Router {
    pub register: Register,
    pub place: u32,
    pub ejection: Row,
    /// A controller waits for free links here.
    pub is_watched: bool,
    outputs: [Output; 4],
}

impl Router {
    pub fn new(id: RouterId, grid: &Grid, minimal: &MinimalPorts) -> Router {
        let output = |port: Port| {
            let far = grid.neighbour(id, port).map_or(PortAt::NONE, |(_, next)| PortAt::new(next, port.opposite()));
            Output { far, row: Row::NONE, used: LinkUse::default() }
        };
        Router {
            register: Register::of_router(id.0),
            place: minimal.place(grid.place(id)),
            ejection: Row::NONE,
            is_watched: false,
            outputs: Port::ALL.map(output),
        }
    }

    #[inline]
    pub fn output(&self, port: Port) -> &Output {
        &self.outputs[port as usize]
    }

    #[inline]
    pub fn output_mut(&mut self, port: Port) -> &mut Output {
        &mut self.outputs[port as usize]
    }

    #[inline(always)]
    pub fn exit(&self, holder: Holder, entry: PortAt) -> Option<Exit> {
        let row = Row::new(holder, entry);
        let port = Port::ALL.into_iter().find(|&port| self.output(port).row == row);
        port.map(Exit::To).or((self.ejection == row).then_some(Exit::Ejection))
    }

    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.ejection == Row::NONE && self.outputs.iter().all(|output| output.row == Row::NONE)
    }
}

/// On a shortest way, else any of the `free` ones. None if the scout must go back.
#[inline(always)]
pub fn find_output(free: u8, minimal: u8, entry: PortAt) -> u8 {
    let shortest = free & minimal;
    if shortest != 0 { shortest } else { free & !entry.bit() }
}
