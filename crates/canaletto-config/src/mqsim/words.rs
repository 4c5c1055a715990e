//! The enums of both files, with MQSim's spellings, and the spellings of its first versions after "or".

use std::fmt;

use serde::{Serialize, Serializer};

pub(super) trait Word: Copy + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal $(or $old:literal)?),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+
        }

        impl Word for $name {
            const WORDS: &'static [(&'static str, Self)] =
                &[$(($word, Self::$variant), $(($old, Self::$variant),)?)+];
        }
    };
}

words! {
    /// `Memory_Type`.
    MemoryType {
        /// NAND flash, the only one MQSim has.
        Flash = "FLASH",
    }
}

words! {
    /// `HostInterface_Type`.
    HostInterface {
        /// A submission and a completion queue for each flow.
        Nvme = "NVME",
        /// One command queue for all flows.
        Sata = "SATA",
    }
}

words! {
    /// `Caching_Mechanism`.
    CachingMechanism {
        /// Fails in MQSim for every flow whose cache is not turned off.
        Simple = "SIMPLE",
        /// The one that works.
        Advanced = "ADVANCED",
    }
}

words! {
    /// `Data_Cache_Sharing_Mode` and `CMT_Sharing_Mode`: how the flows divide a cache.
    SharingMode {
        /// All flows use the whole.
        Shared = "SHARED",
        /// Each flow has an equal part.
        EqualPartitioning = "EQUAL_PARTITIONING",
    }
}

words! {
    /// `Address_Mapping`.
    AddressMapping {
        /// Page-level map.
        PageLevel = "PAGE_LEVEL",
        /// An empty stub in MQSim.
        Hybrid = "HYBRID",
    }
}

words! {
    /// `Transaction_Scheduling_Policy`.
    SchedulingPolicy {
        /// Out of order, without priority classes.
        OutOfOrder = "OUT_OF_ORDER",
        /// Out of order, with the flows' priority classes.
        PriorityOutOfOrder = "PRIORITY_OUT_OF_ORDER",
        /// Read by MQSim, which then stops: its implementation is commented out.
        Flin = "FLIN",
    }
}

words! {
    /// `GC_Block_Selection_Policy`: which block garbage collection takes.
    GcPolicy {
        /// The block with the most invalid pages.
        Greedy = "GREEDY",
        /// The best of log2(blocks) random blocks.
        Rga = "RGA",
        /// Any block.
        Random = "RANDOM",
        /// Any full block.
        RandomP = "RANDOM_P",
        /// Any full block with enough invalid pages.
        RandomPp = "RANDOM_PP",
        /// The block filled first.
        Fifo = "FIFO",
    }
}

words! {
    /// `Flash_Comm_Protocol`.
    FlashProtocol {
        /// ONFI NV-DDR2, the only one MQSim has.
        Nvddr2 = "NVDDR2",
    }
}

words! {
    /// `Flash_Technology`: bits a cell, hence page types.
    FlashTechnology {
        /// One bit: one page type (LSB).
        Slc = "SLC",
        /// Two bits: LSB and MSB pages.
        Mlc = "MLC",
        /// Three bits: LSB, CSB and MSB pages.
        Tlc = "TLC",
    }
}

words! {
    /// `CMD_Suspension_Support`; without effect in MQSim, whose suspension never happens.
    Suspension {
        /// Nothing can be suspended.
        None = "NONE",
        /// Erases can.
        Erase = "ERASE",
        /// Programs can.
        Program = "PROGRAM",
        /// Both can.
        ProgramErase = "PROGRAM_ERASE",
    }
}

words! {
    /// `Priority_Class` of a flow.
    Priority {
        /// Strictly before all others.
        Urgent = "URGENT",
        /// Weight 4.
        High = "HIGH",
        /// Weight 2.
        Medium = "MEDIUM",
        /// Weight 1.
        Low = "LOW",
    }
}

words! {
    /// `Device_Level_Data_Caching_Mode` of a flow.
    CachingMode {
        /// No DRAM cache.
        TurnedOff = "TURNED_OFF",
        /// Writes only.
        WriteCache = "WRITE_CACHE",
        /// Reads only.
        ReadCache = "READ_CACHE",
        /// Both.
        WriteReadCache = "WRITE_READ_CACHE",
    }
}

words! {
    /// `Synthetic_Generator_Type`.
    Generator {
        /// Open loop at a mean bandwidth, exponential gaps.
        Bandwidth = "BANDWIDTH" or "ARRIVAL_RATE",
        /// Closed loop with a constant number of requests in flight.
        QueueDepth = "QUEUE_DEPTH",
    }
}

words! {
    /// `Address_Distribution`.
    AddressDistribution {
        /// Sequential from a random start.
        Streaming = "STREAMING",
        /// (100-h) % of the requests go to the first h % of the range.
        RandomHotCold = "RANDOM_HOTCOLD" or "HOTCOLD_RANDOM",
        /// Uniform over the range.
        RandomUniform = "RANDOM_UNIFORM" or "UNIFORM_RANDOM",
    }
}

words! {
    /// `Request_Size_Distribution`.
    SizeDistribution {
        /// Always the average.
        Fixed = "FIXED",
        /// Normal around the average.
        Normal = "NORMAL",
    }
}

words! {
    /// `Time_Unit` of a trace; without effect in MQSim, which takes arrival times as nanoseconds.
    TimeUnit {
        /// 1e-12 s.
        Picosecond = "PICOSECOND",
        /// 1e-9 s.
        Nanosecond = "NANOSECOND",
        /// 1e-6 s.
        Microsecond = "MICROSECOND",
    }
}

/// One dimension of the flash array, one letter of an allocation scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// `C`, channel.
    Channel,
    /// `W`, way: the chip on its channel.
    Way,
    /// `D`, die in a chip.
    Die,
    /// `P`, plane in a die.
    Plane,
}

/// `Plane_Allocation_Scheme`: which dimension varies fastest with the logical page address, leftmost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneAllocation(pub [Axis; 4]);

impl PlaneAllocation {
    /// `CWDP`, MQSim's default.
    pub const CWDP: Self = Self([Axis::Channel, Axis::Way, Axis::Die, Axis::Plane]);

    /// Any of the 24 orders of the four letters, in any case.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let axes: Option<Vec<Axis>> = text.chars().map(axis).collect();
        let axes = axes.and_then(|axes| <[Axis; 4]>::try_from(axes).ok());
        let all = |axes: &[Axis; 4]| Self::CWDP.0.iter().all(|axis| axes.contains(axis));
        axes.filter(all).map(Self).ok_or_else(|| "the letters C, W, D and P once each, such as CWDP".into())
    }
}

fn axis(letter: char) -> Option<Axis> {
    match letter.to_ascii_uppercase() {
        'C' => Some(Axis::Channel),
        'W' => Some(Axis::Way),
        'D' => Some(Axis::Die),
        'P' => Some(Axis::Plane),
        _ => None,
    }
}

impl fmt::Display for PlaneAllocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|axis| {
            f.write_str(match axis {
                Axis::Channel => "C",
                Axis::Way => "W",
                Axis::Die => "D",
                Axis::Plane => "P",
            })
        })
    }
}

impl Serialize for PlaneAllocation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
