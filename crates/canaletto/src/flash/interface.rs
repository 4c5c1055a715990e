//! Command and address timing of flash interfaces, as data.
//!
//! The part on the wires (`wires`) differs between fabrics; the part that the chip needs around it (`chip`) does not.

use crate::config::design::{Fabric, Interface, Turnarounds};
use crate::engine::time::Time;

/// Timing constants of an interface, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constants {
    /// Chip enable set-up.
    pub t_cs: u64,
    /// One command or address cycle.
    pub t_wc: u64,
    /// Last cycle to busy.
    pub t_wb: u64,
    /// Ready to the first read cycle.
    pub t_rr: u64,
    /// Address to data input.
    pub t_adl: u64,
    /// Command latch set-up before data input.
    pub t_cals: u64,
    /// Busy between the commands of a multi-plane sequence.
    pub t_dbsy: u64,
    /// Write postamble.
    pub t_wpst: u64,
    /// Write postamble hold.
    pub t_wpsth: u64,
}

/// NV-DDR2: the values MQSim gives in ONFI_Channel_NVDDR2 (after ONFI 3.1 §4.19.2, timing mode 0 for command cycles).
pub const NV_DDR2: Constants =
    Constants { t_cs: 20, t_wc: 25, t_wb: 100, t_rr: 20, t_adl: 70, t_cals: 15, t_dbsy: 500, t_wpst: 6, t_wpsth: 15 };

/// NV-DDR3 (ONFI 4.0 and later): tADL 150 ns and tWPST 6.5 ns, rounded up. The rest is assumed to be as for NV-DDR2, whose
/// command cycles it shares.
pub const NV_DDR3: Constants = Constants { t_adl: 150, t_wpst: 7, ..NV_DDR2 };

/// Kinds of array operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Operation {
    /// Page read.
    Read,
    /// Page program.
    Program,
    /// Block erase.
    Erase,
}

/// How long a command occupies the wires and how much longer the chip takes to begin (or, for reads, to offer data).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct CommandTime {
    /// On the wires, without data.
    pub wires: Time,
    /// In the chip.
    pub chip: Time,
}

/// Command times by operation and number of planes.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct CommandTable {
    read: Vec<CommandTime>,
    program: Vec<CommandTime>,
    erase: Vec<CommandTime>,
}

impl CommandTable {
    /// Times for 1 to `planes` planes a command.
    pub fn new(fabric: &Fabric, planes: u32) -> CommandTable {
        let constants = constants(fabric.interface);
        let on_wires = fabric.kind.facts().has_dedicated_signals && fabric.turnarounds == Turnarounds::OnWires;
        let time = |operation, n| {
            if let Some(stated) = fabric.command_time {
                return CommandTime { wires: stated.time(), chip: Time::ZERO };
            }
            let (wires, chip) = nanoseconds(&constants, operation, n);
            if on_wires {
                CommandTime { wires: Time::from_ns(wires + chip), chip: Time::ZERO }
            } else {
                CommandTime { wires: Time::from_ns(wires), chip: Time::from_ns(chip) }
            }
        };
        let table = |operation| (1..=u64::from(planes)).map(|n| time(operation, n)).collect();
        CommandTable {
            read: table(Operation::Read),
            program: table(Operation::Program),
            erase: table(Operation::Erase),
        }
    }

    /// The time of a command to `planes` planes (at least 1).
    pub fn get(&self, operation: Operation, planes: usize) -> CommandTime {
        match operation {
            Operation::Read => self.read[planes - 1],
            Operation::Program => self.program[planes - 1],
            Operation::Erase => self.erase[planes - 1],
        }
    }
}

/// The constants of an interface.
pub fn constants(interface: Interface) -> Constants {
    match interface {
        Interface::NvDdr2 => NV_DDR2,
        Interface::NvDdr3 => NV_DDR3,
    }
}

/// (on the wires, in the chip) for a command to `n` planes. A read or program sends a command byte, five address bytes
/// and a confirming byte for each plane, counted as six cycles as MQSim does; an erase sends four.
fn nanoseconds(c: &Constants, operation: Operation, n: u64) -> (u64, u64) {
    let between = (n - 1) * c.t_dbsy;
    match operation {
        Operation::Read => (c.t_cs + n * 6 * c.t_wc, between + c.t_wb + c.t_rr),
        Operation::Program => {
            let first_planes = (n - 1) * (5 * c.t_wc + c.t_wpst + c.t_cals);
            (c.t_cs + first_planes + 6 * c.t_wc + c.t_wpst + c.t_wpsth, between + n * (c.t_adl + c.t_wb))
        }
        Operation::Erase => (c.t_cs + n * 4 * c.t_wc, between + n * c.t_wb),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::FabricKind;
    use crate::config::units::Rate;

    fn table(interface: Interface, turnarounds: Turnarounds, planes: u32) -> CommandTable {
        let fabric = Fabric { interface, turnarounds, ..Fabric::new(FabricKind::Bus, Rate(1)) };
        CommandTable::new(&fabric, planes)
    }

    /// MQSim's sums: read 290 and 940 ns, program 361 and 1177, erase 220 and 920 for one and two planes.
    #[test]
    fn on_wires_sums_are_those_of_mqsim() {
        let table = table(Interface::NvDdr2, Turnarounds::OnWires, 2);
        let ns = |operation, planes| table.get(operation, planes).wires.ns();
        assert_eq!((ns(Operation::Read, 1), ns(Operation::Read, 2)), (290, 940));
        assert_eq!((ns(Operation::Program, 1), ns(Operation::Program, 2)), (361, 1177));
        assert_eq!((ns(Operation::Erase, 1), ns(Operation::Erase, 2)), (220, 920));
    }

    /// Where turnarounds are spent never changes their sum.
    #[test]
    fn both_places_add_up() {
        for interface in [Interface::NvDdr2, Interface::NvDdr3] {
            let wires = table(interface, Turnarounds::OnWires, 4);
            let chip = table(interface, Turnarounds::InChip, 4);
            for operation in [Operation::Read, Operation::Program, Operation::Erase] {
                for planes in 1..=4 {
                    let (a, b) = (wires.get(operation, planes), chip.get(operation, planes));
                    assert_eq!(a.wires + a.chip, b.wires + b.chip);
                }
            }
        }
    }
}
