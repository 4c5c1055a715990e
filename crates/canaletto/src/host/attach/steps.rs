//! Every picosecond of a DMA is charged to one step.

use crate::engine::time::Time;

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident = $key:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Step {
            $($(#[$doc])* $name),*
        }

        impl Step {
            pub const ALL: [Step; [$($key),*].len()] = [$(Step::$name),*];

            pub const fn key(self) -> &'static str {
                match self {
                    $(Step::$name => $key),*
                }
            }
        }
    };
}

steps! {
    /// The processor makes and packs commands, and takes interrupts.
    Driver = "driver",
    /// The command on its way: to the engine, its descriptor from main memory, and on to the drive.
    Command = "command",
    /// Data arrive over the network, or wait for it.
    Network = "network",
    /// In the drive.
    Inside = "inside",
    /// On ATA, and waiting for it.
    Ata = "ata",
    /// On the drive's DRAM interface, and waiting for it.
    DramInterface = "dram_interface",
    /// In the south bridge, and waiting for its grant.
    SouthBridge = "south_bridge",
    /// On the link between the bridges, and waiting for it.
    BridgeLink = "bridge_link",
    /// In the north bridge, and waiting for its grant.
    NorthBridge = "north_bridge",
    /// At main memory's channel, and waiting for it.
    Memory = "memory",
    /// On the direct path, and waiting for it.
    DirectPath = "direct_path",
    /// The end of the DMA on its way to the processor.
    Completion = "completion",
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    spans: [Time; Step::ALL.len()],
    since: Time,
}

impl Steps {
    pub fn open(now: Time) -> Steps {
        Steps { spans: [Time::ZERO; Step::ALL.len()], since: now }
    }

    pub fn charge(&mut self, step: Step, now: Time) {
        self.spans[step as usize] += now - self.since;
        self.since = now;
    }

    pub fn add(&mut self, later: &Steps, instead: Option<Step>) {
        for (step, span) in Step::ALL.into_iter().zip(later.spans) {
            let charged = instead.filter(|_| step != Step::Driver).unwrap_or(step);
            self.spans[charged as usize] += span;
        }
        self.since = later.since;
    }

    pub fn get(&self, step: Step) -> Time {
        self.spans[step as usize]
    }

    pub fn total(&self) -> Time {
        Time(self.spans.iter().map(|span| span.0).sum())
    }
}
