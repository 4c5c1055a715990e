//! Times of commands, summed from steps (`config::sequences`).
//!
//! A chip's own time is the same on all fabrics. During waits between two cycles a bus stays taken (`held`); packets
//! leave the wires free.

use crate::config::design::{
    Fabric, Place, Planes, Ready, Sequence, SequenceTable, Step, Turnarounds, What, interface_times,
};
pub use crate::config::kinds::Signalling;
pub use crate::config::own::values::Operation;
use crate::engine::time::Time;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    Status,
    Suspend,
    Resume,
}

/// The chip's time is before it begins or, for reads, offers data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommandTime {
    /// Without data. Fabrics of packets count flits instead.
    pub wires: Time,
    pub chip: Time,
}

#[derive(Debug, Clone)]
pub struct CommandTable {
    read: Vec<CommandTime>,
    program: Vec<CommandTime>,
    copyback: Vec<CommandTime>,
    erase: Vec<CommandTime>,
    page: Time,
    status: CommandTime,
    suspend: Time,
    resume: Time,
}

pub struct Steps<'a> {
    fabric: &'a Fabric,
    table: &'a SequenceTable,
}

impl Steps<'_> {
    pub fn of(fabric: &Fabric) -> Steps<'_> {
        Steps { fabric, table: fabric.sequence_table() }
    }

    fn named(&self, name: &str) -> Time {
        let own = self.table.times.get(name);
        own.unwrap_or_else(|| &interface_times(self.fabric.interface)[name].time).time()
    }

    pub fn source_of(&self, name: &str) -> &str {
        match self.table.times.contains_key(name) {
            true => "fabric.steps.times",
            false => &interface_times(self.fabric.interface)[name].source,
        }
    }

    /// None for data.
    pub fn time_of(&self, step: &Step) -> Option<Time> {
        match &step.what {
            What::Wait(name, _) => Some(self.named(name)),
            What::Data => None,
            What::Command(_) => Some(self.named("tWC")),
            What::Address(cycles) | What::Status(cycles) => Some(self.named("tWC") * u64::from(*cycles)),
        }
    }

    fn sum(&self, sequence: &Sequence, n: u32) -> CommandTime {
        let (mut wires, mut held, mut chip) = (Time::ZERO, Time::ZERO, Time::ZERO);
        for step in sequence {
            let times = match step.of {
                Planes::Each => n,
                Planes::Earlier => n - 1,
                Planes::First | Planes::Last => 1,
            };
            let time = self.time_of(step).unwrap_or_default() * u64::from(times);
            match step.place() {
                Some(Place::Chip) => chip += time,
                Some(Place::Held) => held += time,
                Some(Place::Wires) | None => wires += time,
            }
        }
        self.placed(wires, held, chip)
    }

    fn placed(&self, wires: Time, held: Time, chip: Time) -> CommandTime {
        match self.fabric.kind.signalling() {
            Signalling::Cycles if self.fabric.turnarounds == Turnarounds::OnWires => {
                CommandTime { wires: wires + held + chip, chip: Time::ZERO }
            }
            Signalling::Cycles | Signalling::Circuit => CommandTime { wires: wires + held, chip },
            Signalling::Packets | Signalling::Separate | Signalling::Network => {
                CommandTime { wires, chip: held + chip }
            }
        }
    }
}

impl CommandTable {
    pub fn new(fabric: &Fabric, planes: u32) -> CommandTable {
        let steps = Steps::of(fabric);
        let table = |sequence: &Sequence, after: Time| -> Vec<CommandTime> {
            let time = |n| match fabric.command_time {
                Some(stated) => CommandTime { wires: stated.time(), chip: Time::ZERO },
                None => {
                    let CommandTime { wires, chip } = steps.sum(sequence, n);
                    CommandTime { wires, chip: chip + after }
                }
            };
            (1..=planes).map(time).collect()
        };
        let once = |sequence: &Option<Sequence>| match sequence {
            Some(sequence) if fabric.command_time.is_none() => steps.sum(sequence, 1),
            _ => CommandTime::default(),
        };
        let own = steps.table;
        let page = once(&own.page);
        CommandTable {
            // Its chip has turned to its column then.
            read: table(&own.read, page.chip),
            program: table(&own.program, Time::ZERO),
            copyback: table(&own.copyback, Time::ZERO),
            erase: table(&own.erase, Time::ZERO),
            page: page.wires,
            status: once(&own.status),
            suspend: once(&own.suspend).wires,
            resume: once(&own.resume).wires,
        }
    }

    #[inline(always)]
    pub fn get(&self, operation: Operation, planes: usize) -> CommandTime {
        match operation {
            Operation::Read => self.read[planes - 1],
            Operation::Program => self.program[planes - 1],
            Operation::Erase => self.erase[planes - 1],
        }
    }

    pub fn copyback(&self, planes: usize) -> CommandTime {
        self.copyback[planes - 1]
    }

    pub fn page(&self) -> Time {
        self.page
    }

    pub fn status(&self) -> Time {
        self.status.wires
    }

    /// Packets leave the wires free meanwhile.
    pub fn status_in_chip(&self) -> Time {
        self.status.chip
    }

    pub fn suspend(&self) -> Time {
        self.suspend
    }

    pub fn resume(&self) -> Time {
        self.resume
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusReads {
    Never,
    WhenDone,
    Polled,
}

impl StatusReads {
    pub fn of(fabric: &Fabric) -> StatusReads {
        let has_status = Steps::of(fabric).table.status.is_some() && fabric.command_time.is_none();
        match (fabric.kind.signalling(), fabric.status.ready) {
            _ if !has_status => StatusReads::Never,
            (Signalling::Network, _) | (_, Ready::Pin) => StatusReads::WhenDone,
            (_, Ready::Poll) => StatusReads::Polled,
        }
    }

    /// An operation of this kind is over when its status has been read.
    pub fn concern(self, operation: Operation) -> bool {
        match self {
            StatusReads::Never => false,
            StatusReads::WhenDone => operation != Operation::Read,
            StatusReads::Polled => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{FabricKind, Interface, SequenceKind};
    use crate::config::units::Rate;

    fn bus(interface: Interface, sequences: SequenceKind) -> Fabric {
        Fabric { interface, sequences, ..Fabric::new(FabricKind::Bus, Rate(1)) }
    }

    fn table(interface: Interface, turnarounds: Turnarounds, planes: u32) -> CommandTable {
        CommandTable::new(&Fabric { turnarounds, ..bus(interface, SequenceKind::Short) }, planes)
    }

    /// Read 290 and 940 ns, program 361 and 1177, erase 220 and 920 for one and two planes.
    #[test]
    fn on_wires_sums_are_those_of_mqsim() {
        let table = table(Interface::NvDdr2, Turnarounds::OnWires, 2);
        let ns = |operation, planes| table.get(operation, planes).wires.ns();
        assert_eq!((ns(Operation::Read, 1), ns(Operation::Read, 2)), (290, 940));
        assert_eq!((ns(Operation::Program, 1), ns(Operation::Program, 2)), (361, 1177));
        assert_eq!((ns(Operation::Erase, 1), ns(Operation::Erase, 2)), (220, 920));
    }

    #[test]
    fn both_places_add_up() {
        for interface in Interface::ALL {
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

    /// 195 ns of command and address, 380 of status, 625 of column (arXiv 2511.03944).
    #[test]
    fn a_full_read_occupies_a_bus_for_what_is_published() {
        let table = CommandTable::new(&bus(Interface::NvDdr3, SequenceKind::Full), 2);
        let read = table.get(Operation::Read, 1);
        assert_eq!((read.wires.ns(), read.chip.ns()), (20 + 7 * 25, 100 + 20));
        assert_eq!(table.status().ns(), 20 + 4 * 25 + 80 + 15 + 2 * 25 + 15 + 100);
        assert_eq!(table.page().ns(), 20 + 7 * 25 + 300 + 15 + 15 + 100);
        assert_eq!((read.wires + table.status() + table.page()).ns(), 1_200);
        // The first one's confirming byte and the busy time between.
        let two = table.get(Operation::Read, 2);
        assert_eq!((two.wires.ns(), two.chip.ns()), (20 + 14 * 25, 500 + 100 + 20));
        // 80h, address, tADL and preamble, data, postambles, 10h.
        let program = table.get(Operation::Program, 1);
        assert_eq!((program.wires.ns(), program.chip.ns()), (20 + 6 * 25 + 150 + 15 + 7 + 15 + 25, 100));
        assert_eq!(table.copyback(1).wires.ns(), 20 + 7 * 25);
    }

    #[test]
    fn packets_leave_waits_to_the_chip() {
        let full = Fabric { kind: FabricKind::Packetized, ..bus(Interface::NvDdr3, SequenceKind::Full) };
        let table = CommandTable::new(&full, 1);
        assert_eq!(table.get(Operation::Read, 1).chip.ns(), 100 + 20 + 300);
        assert_eq!(table.get(Operation::Program, 1).chip.ns(), 100 + 150);
    }

    #[test]
    fn status_is_read_as_the_fabric_can() {
        let of = |kind, sequences, ready| {
            let mut fabric = Fabric { kind, ..bus(Interface::NvDdr3, sequences) };
            fabric.status.ready = ready;
            StatusReads::of(&fabric)
        };
        assert_eq!(of(FabricKind::Bus, SequenceKind::Short, Ready::Poll), StatusReads::Never);
        assert_eq!(of(FabricKind::Bus, SequenceKind::Full, Ready::Poll), StatusReads::Polled);
        assert_eq!(of(FabricKind::Bus, SequenceKind::Full, Ready::Pin), StatusReads::WhenDone);
        assert_eq!(of(FabricKind::Mesh, SequenceKind::Full, Ready::Poll), StatusReads::WhenDone);
        assert!(!StatusReads::WhenDone.concern(Operation::Read) && StatusReads::Polled.concern(Operation::Read));
    }
}
