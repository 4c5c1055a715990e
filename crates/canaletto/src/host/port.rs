use crate::config::design::{Host, Protocol};
use crate::config::workload::Priority;
use crate::host::nvme::Nvme;
use crate::host::request::{Kind, Request};
use crate::host::sata::{CommandSlots, TRIM_BYTES};

/// Of a host bus adapter or a memory, instead of queue pairs.
pub struct Port {
    pub nvme: Nvme,
    pub slots: Option<CommandSlots>,
    pub is_memory: bool,
}

impl Port {
    pub fn new(config: &Host, priorities: &[Priority]) -> Port {
        let is_memory = config.protocol == Protocol::Memory;
        let slots = match config.protocol {
            Protocol::Nvme => return Port { nvme: Nvme::new(config, priorities), slots: None, is_memory },
            Protocol::Sata => CommandSlots::new(&config.sata),
            Protocol::Memory => CommandSlots::of_memory(config.command_limit.unwrap_or(u32::MAX)),
        };
        Port { nvme: Nvme::new(config, &[]), slots: Some(slots), is_memory }
    }

    #[inline]
    pub fn next_queue(&self, flow: u16) -> u16 {
        if self.slots.is_some() { 0 } else { self.nvme.next_queue(flow) }
    }

    #[inline(always)]
    pub fn take_turn(&mut self, flow: u16) -> u16 {
        if self.slots.is_some() { 0 } else { self.nvme.take_turn(flow) }
    }

    #[inline]
    pub fn has_room(&self, flow: u16) -> bool {
        match &self.slots {
            Some(slots) => slots.has_room(),
            None => self.nvme.queues[usize::from(self.nvme.next_queue(flow))].has_room(),
        }
    }

    pub fn has_waiting(&self, queue: u16) -> bool {
        match &self.slots {
            Some(slots) => slots.has_waiting(),
            None => self.nvme.queues[usize::from(queue)].has_waiting(),
        }
    }

    pub fn queues(&self) -> usize {
        if self.slots.is_some() { 1 } else { self.nvme.queues.len() }
    }

    /// The data of a write, the list of ranges of a trim (one of 16 B; NVM Express NVM Command Set §3.2.3).
    #[inline(always)]
    pub fn payload_bytes(&self, request: &Request) -> u64 {
        match request.kind {
            Kind::Write | Kind::Append => request.bytes(),
            Kind::Trim => {
                if self.slots.is_some() {
                    TRIM_BYTES
                } else {
                    16
                }
            }
            _ => 0,
        }
    }

    pub fn describe(&self) -> String {
        if let Some(slots) = &self.slots {
            return format!("; {}", slots.describe());
        }
        let each = self.nvme.queues.iter().enumerate();
        each.map(|(i, queue)| format!("; queue {i}: {}", queue.describe())).collect()
    }
}
