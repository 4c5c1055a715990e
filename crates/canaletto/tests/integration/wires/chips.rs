use canaletto::engine::time::Time;
use canaletto::fabric::trace::WireUse;
use canaletto::flash::address::PlaneId;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::{ArrayStep, Carries, Load};
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Entry, Fact};

use super::tape::{NS, OTHER, OTHER_PATH, Tape, earlier, later};
use super::{Fault, fault};

fn any(_: Operation) -> bool {
    true
}

fn reads(operation: Operation) -> bool {
    operation == Operation::Read
}

fn programs(operation: Operation) -> bool {
    operation == Operation::Program
}

fn erases(operation: Operation) -> bool {
    operation == Operation::Erase
}

fn at_work(tape: &Tape, operation: fn(Operation) -> bool) -> (Load, Time) {
    let place = tape.step(ArrayStep::Begins, operation);
    let Fact::Array { lun, planes, operation, from, until, .. } = tape.entries[place].fact else { unreachable!() };
    let is_its = |load: &Load| (load.lun, load.planes, load.operation) == (lun, planes, operation);
    let (_, _, load) = tape.begins(0, |load| load.carries == Carries::Command && is_its(load));
    (load, later(from, (until.0 - from.0) / 2))
}

fn move_array(tape: &mut Tape, operation: fn(Operation) -> bool, by: u64) {
    let place = tape.step(ArrayStep::Begins, operation);
    if let Fact::Array { from, until, .. } = &mut tape.entries[place].fact {
        (*from, *until) = (earlier(*from, by), earlier(*until, by));
    }
}

fn end_array_at(tape: &mut Tape, step: ArrayStep, operation: fn(Operation) -> bool, end: fn(Time, Time) -> Time) {
    let place = tape.step(step, operation);
    if let Fact::Array { from, until, .. } = &mut tape.entries[place].fact {
        *until = end(*from, *until);
    }
}

/// As if tRR were none.
fn without_t_rr(tape: &mut Tape) {
    const T_RR: u64 = 20 * NS;
    let ends = |at: Time, load: &Load| {
        tape.entries.iter().any(|entry| match entry.fact {
            Fact::Array { lun, step: ArrayStep::Ends, .. } => lun == load.lun && entry.at == at,
            _ => false,
        })
    };
    let (_, c) = tape.cycles(|c, load| c.what == WireUse::Data && load.carries == Carries::Data && ends(c.from, load));
    let lun_of_data = tape.load(c.transfer).lun;
    for entry in &mut tape.entries {
        match &mut entry.fact {
            Fact::Array { lun, step, from, until, .. } if *lun == lun_of_data => match step {
                ArrayStep::Begins if *until == c.from => {
                    (*from, *until) = (earlier(*from, T_RR), earlier(*until, T_RR))
                }
                ArrayStep::Ends if entry.at == c.from => entry.at = earlier(entry.at, T_RR),
                _ => {}
            },
            Fact::Register { filled: true, .. } if entry.at == c.from => entry.at = earlier(entry.at, T_RR),
            Fact::Begins { transfer, .. } if *transfer == c.transfer => entry.at = earlier(entry.at, T_RR),
            Fact::Wire(cycles) if cycles.transfer == c.transfer => {
                (cycles.from, cycles.until) = (earlier(cycles.from, T_RR), earlier(cycles.until, T_RR));
            }
            _ => {}
        }
    }
}

fn drained_before_it_crossed(tape: &mut Tape) {
    tape.move_earlier(tape.register(tape.entries.len() / 4, false), NS);
}

pub const FAULTS: &[Fault] = &[
    fault("bus", Rule::Busy, "a command to a LUN whose array works", |tape| {
        let (load, middle) = at_work(tape, programs);
        tape.command(middle, load);
    }),
    fault("bus", Rule::Busy, "an erase that overlaps a read of the same plane", |tape| {
        let (load, middle) = at_work(tape, reads);
        tape.command(middle, Load { operation: Operation::Erase, bytes: 0, ..load });
    }),
    fault("venice", Rule::Busy, "a program that overlaps a read of the same plane", |tape| {
        let (load, middle) = at_work(tape, reads);
        tape.command(middle, Load { operation: Operation::Program, bytes: 4096, ..load });
    }),
    fault("pipelines", Rule::Busy, "a second read to a plane that reads", |tape| {
        let (load, middle) = at_work(tape, reads);
        tape.command(middle, load);
    }),
    fault("pipelines", Rule::Busy, "a program to a LUN whose planes read", |tape| {
        let (load, middle) = at_work(tape, reads);
        tape.command(middle, Load { operation: Operation::Program, bytes: 4096, ..load });
    }),
    fault("pipelines", Rule::Busy, "a read to a LUN that programs", |tape| {
        let (load, middle) = at_work(tape, programs);
        tape.command(middle, Load { operation: Operation::Read, planes: 1, bytes: 0, ..load });
    }),
    fault("pipelines", Rule::Busy, "two programs behind one that the array works on", |tape| {
        let (load, middle) = at_work(tape, programs);
        tape.command(middle, load);
        tape.command(later(middle, 1), load);
    }),
    fault("pipelines", Rule::Array, "a program that begins before the one in the array has ended", |tape| {
        // The first one's end comes after the second one's beginning.
        let begins_at_once = |end: usize, next: usize| tape.entries[next].at == tape.entries[end].at;
        let (end, next) = tape.steps(ArrayStep::Ends, ArrayStep::Begins, begins_at_once);
        tape.entries[end].at = later(tape.entries[next].at, NS);
    }),
    fault("mesh", Rule::Busy, "a second command before the first has crossed", |tape| {
        let (place, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Command);
        tape.command(tape.entries[place].at, load);
    }),
    fault("bus", Rule::Busy, "an array that never ends", |tape| tape.remove(tape.step(ArrayStep::Ends, programs))),
    fault("bus", Rule::Array, "an array that begins without a command", |tape| {
        let place = tape.step(ArrayStep::Begins, any);
        let end = tape.next_step(place, ArrayStep::Ends);
        let Entry { at, fact } = tape.entries[place];
        let gap = later(tape.entries[end].at, 1).0 - at.0;
        if let Fact::Array { lun, planes, operation, step, from, until } = fact {
            let (from, until) = (later(from, gap), later(until, gap));
            tape.insert(later(at, gap), Fact::Array { lun, planes, operation, step, from, until });
        }
    }),
    fault("bus", Rule::Array, "an array that works in another plane", |tape| {
        let place = tape.step(ArrayStep::Begins, reads);
        if let Fact::Array { planes, .. } = &mut tape.entries[place].fact {
            *planes ^= 0b11;
        }
    }),
    fault("bus", Rule::Array, "an array that programs for a read's command", |tape| {
        let place = tape.step(ArrayStep::Begins, reads);
        if let Fact::Array { operation, .. } = &mut tape.entries[place].fact {
            *operation = Operation::Program;
        }
    }),
    fault("omnibus", Rule::Array, "an array that begins before its command has crossed", |tape| {
        tape.move_earlier(tape.step(ArrayStep::Begins, any), NS)
    }),
    fault("bus", Rule::ArrayTime, "an array that ends too soon", |tape| {
        tape.move_earlier(tape.step(ArrayStep::Ends, any), NS)
    }),
    fault("ideal", Rule::ArrayTime, "an array that is said to take less than tR", |tape| {
        end_array_at(tape, ArrayStep::Begins, reads, |_, until| earlier(until, 1))
    }),
    fault("bus", Rule::ArrayTime, "an erase that takes longer than tBERS", |tape| {
        end_array_at(tape, ArrayStep::Begins, erases, |_, until| later(until, 1))
    }),
    fault("bus", Rule::Distance, "a read that begins within tWB", |tape| move_array(tape, reads, 60 * NS)),
    fault("packetized", Rule::Distance, "an erase that begins within tWB", |tape| move_array(tape, erases, 150 * NS)),
    fault("bus", Rule::Distance, "a program without tADL", |tape| move_array(tape, programs, 70 * NS)),
    fault("venice", Rule::Distance, "a program without tADL over a circuit", |tape| {
        move_array(tape, programs, 70 * NS)
    }),
    fault("on-wires", Rule::Distance, "a program without tADL of 150 ns", |tape| move_array(tape, programs, 100 * NS)),
    fault("bus", Rule::Distance, "data within tRR", without_t_rr),
    fault("ideal", Rule::Distance, "data within tRR on a path of its own", without_t_rr),
    fault("bus", Rule::Ready, "data before the array has ended", |tape| {
        let (load, middle) = at_work(tape, reads);
        tape.command(middle, Load { carries: Carries::Data, ..load });
    }),
    fault("mesh-2bit", Rule::Ready, "data of a plane that nobody has read", |tape| {
        let (_, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
        tape.command(Time(1), load);
    }),
    fault("bus", Rule::Ready, "data of a register that go twice", |tape| {
        let (_, c) = tape.data(Carries::Data);
        let load = tape.load(c.transfer);
        tape.command(c.until, load);
    }),
    fault("bus", Rule::Register, "a register that is overwritten before it is drained", |tape| {
        tape.remove(tape.register(tape.entries.len() / 4, false))
    }),
    fault("omnibus", Rule::Register, "a command to a plane whose register is full", |tape| {
        let (_, c) = tape.data(Carries::Data);
        let load = Load { carries: Carries::Command, operation: Operation::Read, bytes: 0, ..tape.load(c.transfer) };
        tape.command(c.from, load);
    }),
    fault("bus", Rule::Register, "a register that is filled by no read", |tape| {
        let Entry { at, .. } = tape.entries[tape.entries.len() / 2];
        tape.insert(later(at, 1), Fact::Register { plane: PlaneId(1), filled: true });
    }),
    fault("bus", Rule::Register, "a read that fills no register", |tape| {
        tape.remove(tape.register(tape.entries.len() / 4, true))
    }),
    fault("bus", Rule::Register, "a register that is drained before its data have crossed", drained_before_it_crossed),
    fault("mesh", Rule::Register, "a register that is drained before packets have crossed", drained_before_it_crossed),
    fault("bus", Rule::Suspension, "a suspension that is not configured", |tape| {
        let place = tape.step(ArrayStep::Begins, programs);
        let Fact::Array { lun, planes, operation, from, .. } = tape.entries[place].fact else { unreachable!() };
        let until = later(from, 20_000 * NS);
        tape.insert(later(from, NS), Fact::Array { lun, planes, operation, step: ArrayStep::Stops, from, until });
    }),
    fault("suspend", Rule::Suspension, "a suspension that takes no time", |tape| {
        end_array_at(tape, ArrayStep::Stops, any, |from, _| from)
    }),
    fault("suspend", Rule::Suspension, "an operation that is resumed at once", |tape| {
        end_array_at(tape, ArrayStep::GoesOn, any, |from, _| from)
    }),
    fault("suspend", Rule::Suspension, "an operation that is resumed while a read works", |tape| {
        let stops = tape.step(ArrayStep::Stops, any);
        let (begins, goes_on) = (tape.next_step(stops, ArrayStep::Begins), tape.next_step(stops, ArrayStep::GoesOn));
        assert!(begins < goes_on, "something is served");
        tape.entries[goes_on].at = later(tape.entries[begins].at, NS);
    }),
    fault("suspend", Rule::Array, "an operation that ends while it is suspended", |tape| {
        tape.remove(tape.steps(ArrayStep::GoesOn, ArrayStep::Ends, |_, _| true).0)
    }),
    fault("suspend", Rule::Busy, "a command while an operation is being suspended", |tape| {
        let stops = tape.step(ArrayStep::Stops, any);
        let Fact::Array { lun, .. } = tape.entries[stops].fact else { unreachable!() };
        let (place, ..) = tape.begins(stops, |load| load.lun == lun && load.carries == Carries::Command);
        tape.entries[place].at = later(tape.entries[stops].at, NS);
    }),
    fault("suspend", Rule::Suspension, "an erase while another operation makes way", |tape| {
        let stops = tape.step(ArrayStep::Stops, any);
        let Fact::Array { lun, .. } = tape.entries[stops].fact else { unreachable!() };
        let (place, ..) = tape.begins(stops, |load| load.lun == lun && load.carries == Carries::Command);
        if let Fact::Begins { load, .. } = &mut tape.entries[place].fact {
            (load.operation, load.bytes) = (Operation::Erase, 0);
        }
    }),
    fault("suspend", Rule::ArrayTime, "a suspended operation that ends as if it had not been", |tape| {
        let (goes_on, ends) = tape.steps(ArrayStep::GoesOn, ArrayStep::Ends, |_, _| true);
        tape.entries[ends].at = later(tape.entries[goes_on].at, NS);
    }),
    fault("busy-until-out", Rule::Register, "a command to another plane while data are in a register", |tape| {
        let (place, _, data) =
            tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data && reads(load.operation));
        let is_other = |load: &Load| load.lun == data.lun && load.planes & data.planes == 0;
        let (_, _, command) =
            tape.begins(0, |load| load.carries == Carries::Command && reads(load.operation) && is_other(load));
        tape.command(tape.entries[place].at, command);
    }),
    fault("venice", Rule::End, "a transfer that begins on a path in use", |tape| {
        let (place, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
        let Fact::Begins { path, .. } = tape.entries[place].fact else { unreachable!() };
        assert_ne!(path, OTHER_PATH);
        tape.insert(later(tape.entries[place].at, 1), Fact::Begins { transfer: OTHER, path, load });
    }),
];
