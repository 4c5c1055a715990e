use serde::Serialize;

use crate::config::design::{Design, Interface, Place, Planes, Sequence, SequenceKind, Step, interface_times};
use crate::config::named::Named;
use crate::engine::time::Time;
use crate::fabric::{Fabric, with_fabric};
use crate::flash::address::Layout;
use crate::flash::interface::{CommandTable, Operation, Steps};

/// Sequences of a design and their times on its fabric.
#[derive(Debug, Clone, Serialize)]
pub struct Description {
    pub interface: Interface,
    /// Table of the sequences; none where the design states its own.
    pub table: Option<SequenceKind>,
    /// Fabric.
    pub fabric: &'static str,
    /// Every sequence, step by step, as it is on the chip's pins.
    pub sequences: Vec<DescribedSequence>,
    pub times: Vec<DescribedTime>,
    /// Time in which a chip turns to another column (tCCS), nanoseconds.
    pub turn_ns: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct DescribedSequence {
    pub name: &'static str,
    pub source: String,
    pub steps: Vec<DescribedStep>,
}

#[derive(Debug, Clone, Serialize)]
pub struct DescribedStep {
    /// Bytes on the wires, or the name of a wait.
    pub step: String,
    /// Planes of a command to several for which it is taken.
    pub of: Planes,
    /// Time, nanoseconds. That of data follows from their size.
    pub ns: Option<f64>,
    pub on: Option<Place>,
    /// Source of a wait's time.
    pub source: Option<String>,
}

/// Time of a command on the fabric, nanoseconds.
#[derive(Debug, Clone, Serialize)]
pub struct DescribedTime {
    pub name: &'static str,
    pub planes: u32,
    /// On the wires, data apart.
    pub wires_ns: f64,
    /// In the chip, next to the array.
    pub chip_ns: f64,
}

/// Describes the sequences of a validated design.
pub fn describe(design: &Design) -> Description {
    let fabric = &design.fabric;
    let steps = Steps::of(fabric);
    let described = |(name, sequence): (&'static str, &Sequence)| DescribedSequence {
        name,
        source: fabric.sequence_table().sources.get(name).cloned().unwrap_or_default(),
        steps: sequence.iter().map(|step| describe_step(&steps, step)).collect(),
    };
    Description {
        interface: fabric.interface,
        table: fabric.steps.is_none().then_some(fabric.sequences),
        fabric: fabric.kind.name(),
        sequences: fabric.sequence_table().sequences().map(described).collect(),
        times: with_fabric!(fabric.kind, F => times::<F>(design)),
        turn_ns: interface_times(fabric.interface)["tCCS"].time.time().0 as f64 / 1e3,
    }
}

fn describe_step(steps: &Steps, step: &Step) -> DescribedStep {
    DescribedStep {
        step: step.name().to_owned(),
        of: step.of,
        ns: steps.time_of(step).map(nanoseconds),
        on: step.place(),
        source: step.place().map(|_| steps.source_of(step.name()).to_owned()),
    }
}

fn times<F: Fabric>(design: &Design) -> Vec<DescribedTime> {
    let layout = Layout::new(&design.geometry, design.flash.die_interleaving);
    let (fabric, commands) =
        (F::new(&design.fabric, &layout), CommandTable::new(&design.fabric, layout.planes_per_die));
    let time = |name, planes: u32, wires: Time, chip: Time| DescribedTime {
        name,
        planes,
        wires_ns: nanoseconds(wires),
        chip_ns: nanoseconds(chip),
    };
    let mut out = Vec::new();
    for (name, operation) in [("read", Operation::Read), ("program", Operation::Program), ("erase", Operation::Erase)] {
        let each = (1..=layout.planes_per_die).map(|planes| {
            let command = commands.get(operation, planes as usize);
            time(name, planes, fabric.command_time(operation, planes as usize), command.chip)
        });
        out.extend(each);
    }
    out.push(time("copyback", 1, fabric.copyback_time(1), commands.copyback(1).chip));
    let rest = [
        ("page", fabric.column_time()),
        ("status", fabric.status().1),
        ("suspend", fabric.suspend_time(false)),
        ("resume", fabric.suspend_time(true)),
    ];
    let given = design.fabric.sequence_table();
    let known = rest.into_iter().filter(|(name, _)| given.sequences().any(|(each, _)| each == *name));
    out.extend(known.map(|(name, wires)| time(name, 1, wires, Time::ZERO)));
    out
}

fn nanoseconds(time: Time) -> f64 {
    time.0 as f64 / 1e3
}
