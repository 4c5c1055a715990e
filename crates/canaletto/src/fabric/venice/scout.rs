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
    tag: u64,
}

impl Scout {
    pub fn new(controller: u32, destination: RouterId, number: u64) -> Scout {
        let packet = ScoutPacket { mode: Mode::Reserve, destination, controller };
        Scout {
            packet,
            holder: Holder::new(controller),
            due: Time::ZERO,
            entry: PortAt::NONE,
            tears_down: false,
            links: 0,
            toward: 0,
            memory: 0,
            tag: number << 4,
        }
    }

    /// With the controller's own link.
    pub fn length(&self) -> u64 {
        1 + u64::from(self.links)
    }

    #[inline]
    pub fn remember(&self, outputs: u8) -> u64 {
        self.tag | u64::from(outputs)
    }

    /// None if another scout was there last.
    #[inline]
    pub fn outputs_of(&self, remembered: u64) -> u8 {
        let outputs = remembered ^ self.tag;
        if outputs < 1 << 4 { outputs as u8 } else { 0 }
    }
}
