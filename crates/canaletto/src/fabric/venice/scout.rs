use crate::engine::time::Time;
use crate::fabric::venice::grid::{PortAt, RouterId};
use crate::fabric::venice::packet::{Mode, ScoutPacket};
use crate::fabric::venice::router::Holder;

pub struct Scout {
    pub packet: ScoutPacket,
    pub holder: Holder,
    pub due: Time,
    pub entry: PortAt,
    pub tears_down: bool,
    pub links: u32,
    pub toward: u32,
    pub memory: u32,
    first: Time,
}

impl Scout {
    /// It is at its first router at that time.
    pub fn new(controller: u32, destination: RouterId, first: Time) -> Scout {
        let packet = ScoutPacket { mode: Mode::Reserve, destination, controller };
        Scout {
            packet,
            holder: Holder::new(controller),
            due: first,
            entry: PortAt::NONE,
            tears_down: false,
            links: 0,
            toward: 0,
            memory: 0,
            first,
        }
    }

    /// With the controller's own link.
    pub fn length(&self) -> u64 {
        1 + u64::from(self.links)
    }

    /// Of that time each.
    pub fn hops(&self, hop: Time) -> u64 {
        (self.due - self.first).0 / hop.0
    }
}
