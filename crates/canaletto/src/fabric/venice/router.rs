//! One router: its reservation table (Venice §4.2, Fig. 7), its outputs, and its part of Algorithm 1 (§4.3).

use crate::fabric::venice::choice::Register;
use crate::fabric::venice::grid::{Grid, LinkUse, Port, PortAt, RouterId};
use crate::fabric::venice::minimal::MinimalPorts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    To(Port),
    Ejection,
}

/// Two ports connected, both ways, for a packet. A port serves one packet at a time, so that a row is found by its
/// exit.
///
/// ```text
/// │ packet   │ entry  │      the packet's number is its controller's; a row that is not valid has no entry
/// │ 31 … 16  │ 15 … 0 │
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row(u32);

impl Row {
    const NONE: Row = Row(0);

    #[inline]
    pub fn new(packet: u32, entry: PortAt) -> Row {
        Row(packet << 16 | entry.without_router())
    }

    pub fn read(self) -> Option<(u32, u32)> {
        (self != Row::NONE).then_some((self.0 >> 16, self.0 & 0b11))
    }

    #[inline]
    pub fn entry(self, router: RouterId) -> PortAt {
        PortAt::with_router(self.0 & 0xffff, router)
    }

    #[inline]
    pub fn clear(&mut self, packet: u32) -> Row {
        let row = std::mem::replace(self, Row::NONE);
        assert!(row != Row::NONE && row.0 >> 16 == packet, "a packet gives up only what it reserved");
        row
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
    pub fn exit(&self, packet: u32, entry: PortAt) -> Option<Exit> {
        let row = Row::new(packet, entry);
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
