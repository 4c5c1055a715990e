//! How host and drive exchange commands.

use crate::config::design::{Host, Protocol};
use crate::config::workload::Priority;
use crate::host::nvme::Nvme;
use crate::host::request::{Kind, Request};
use crate::host::sata::{CommandSlots, TRIM_BYTES};

/// By queue pairs, or by the command slots of a host bus adapter.
pub enum Port {
    /// NVM Express.
    Nvme(Nvme),
    /// Serial ATA.
    Sata(CommandSlots),
}

impl Port {
    /// That of a design, for flows of these priorities.
    pub fn new(config: &Host, priorities: &[Priority]) -> Port {
        match config.protocol {
            Protocol::Nvme => Port::Nvme(Nvme::new(config, priorities)),
            Protocol::Sata => Port::Sata(CommandSlots::new(&config.sata)),
        }
    }

    /// The queue pairs, where only they can be meant.
    pub fn nvme(&mut self) -> &mut Nvme {
        match self {
            Port::Nvme(nvme) => nvme,
            Port::Sata(_) => unreachable!("a message of NVM Express on a Serial ATA link"),
        }
    }

    /// The queue of a flow's next request.
    pub fn next_queue(&self, flow: u16) -> u16 {
        match self {
            Port::Nvme(nvme) => nvme.next_queue(flow),
            Port::Sata(_) => 0,
        }
    }

    /// Whether a flow's next request would be placed at once.
    pub fn has_room(&self, flow: u16) -> bool {
        match self {
            Port::Nvme(nvme) => nvme.queues[usize::from(nvme.next_queue(flow))].has_room(),
            Port::Sata(slots) => slots.has_room(),
        }
    }

    /// Queues of all flows together.
    pub fn queues(&self) -> usize {
        match self {
            Port::Nvme(nvme) => nvme.queues.len(),
            Port::Sata(_) => 1,
        }
    }

    /// Bytes that the drive fetches from the host before it can start: the data of a write, the list of ranges of a trim (one of
    /// 16 B; NVM Express NVM Command Set §3.2.3).
    pub fn payload_bytes(&self, request: &Request) -> u64 {
        match (request.kind, self) {
            (Kind::Trim, Port::Nvme(_)) => 16,
            (Kind::Trim, Port::Sata(_)) => TRIM_BYTES,
            (Kind::Write, _) => request.bytes(),
            (Kind::Read | Kind::Flush, _) => 0,
        }
    }

    /// Describes what it holds, for a stuck run's explanation.
    pub fn describe(&self) -> String {
        match self {
            Port::Nvme(nvme) => {
                let each = nvme.queues.iter().enumerate();
                each.map(|(i, queue)| format!("; queue {i}: {}", queue.describe())).collect()
            }
            Port::Sata(slots) => format!("; {}", slots.describe()),
        }
    }
}
