//! Faults of chips.

use canaletto::engine::time::Time;
use canaletto::fabric::trace::WireUse;
use canaletto::flash::address::PlaneId;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::{ArrayStep, Carries, Load};
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Entry, Fact};

use super::Fault;
use super::tape::{NS, OTHER, OTHER_PATH, Tape, earlier, later};

fn any(_: Operation) -> bool {
    true
}

fn reads(operation: Operation) -> bool {
    operation == Operation::Read
}

fn programs(operation: Operation) -> bool {
    operation == Operation::Program
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

fn change_step(tape: &mut Tape, step: ArrayStep, operation: fn(Operation) -> bool, change: impl Fn(&mut Fact)) {
    let place = tape.step(step, operation);
    change(&mut tape.entries[place].fact);
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
    let place = tape.register(tape.entries.len() / 4, false);
    tape.entries[place].at = earlier(tape.entries[place].at, NS);
}

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "a command to a LUN whose array works",
        site: "bus",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, programs);
            tape.command(middle, load);
        },
    },
    Fault {
        name: "an erase that overlaps a read of the same plane",
        site: "bus",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, reads);
            tape.command(middle, Load { operation: Operation::Erase, bytes: 0, ..load });
        },
    },
    Fault {
        name: "a program that overlaps a read of the same plane",
        site: "venice",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, reads);
            tape.command(middle, Load { operation: Operation::Program, bytes: 4096, ..load });
        },
    },
    Fault {
        name: "a second read to a plane that reads",
        site: "pipelines",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, reads);
            tape.command(middle, load);
        },
    },
    Fault {
        name: "a program to a LUN whose planes read",
        site: "pipelines",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, reads);
            tape.command(middle, Load { operation: Operation::Program, bytes: 4096, ..load });
        },
    },
    Fault {
        name: "a read to a LUN that programs",
        site: "pipelines",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, programs);
            tape.command(middle, Load { operation: Operation::Read, planes: 1, bytes: 0, ..load });
        },
    },
    Fault {
        name: "two programs behind one that the array works on",
        site: "pipelines",
        rule: Rule::Busy,
        plant: |tape| {
            let (load, middle) = at_work(tape, programs);
            tape.command(middle, load);
            tape.command(later(middle, 1), load);
        },
    },
    Fault {
        name: "a program that begins before the one in the array has ended",
        site: "pipelines",
        rule: Rule::Array,
        plant: |tape| {
            // The first one's end comes after the second one's beginning.
            let begins_at_once = |end: usize, next: usize| tape.entries[next].at == tape.entries[end].at;
            let (end, next) = tape.steps(ArrayStep::Ends, ArrayStep::Begins, begins_at_once);
            tape.entries[end].at = later(tape.entries[next].at, NS);
        },
    },
    Fault {
        name: "a second command before the first has crossed",
        site: "mesh",
        rule: Rule::Busy,
        plant: |tape| {
            let (place, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Command);
            tape.command(tape.entries[place].at, load);
        },
    },
    Fault {
        name: "an array that never ends",
        site: "bus",
        rule: Rule::Busy,
        plant: |tape| {
            let place = tape.step(ArrayStep::Ends, programs);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "an array that begins without a command",
        site: "bus",
        rule: Rule::Array,
        plant: |tape| {
            let place = tape.step(ArrayStep::Begins, any);
            let end = tape.next_step(place, ArrayStep::Ends);
            let Entry { at, fact } = tape.entries[place];
            let gap = later(tape.entries[end].at, 1).0 - at.0;
            if let Fact::Array { lun, planes, operation, step, from, until } = fact {
                let (from, until) = (later(from, gap), later(until, gap));
                tape.insert(later(at, gap), Fact::Array { lun, planes, operation, step, from, until });
            }
        },
    },
    Fault {
        name: "an array that works in another plane",
        site: "bus",
        rule: Rule::Array,
        plant: |tape| {
            change_step(tape, ArrayStep::Begins, reads, |fact| {
                if let Fact::Array { planes, .. } = fact {
                    *planes ^= 0b11;
                }
            })
        },
    },
    Fault {
        name: "an array that programs for a read's command",
        site: "bus",
        rule: Rule::Array,
        plant: |tape| {
            change_step(tape, ArrayStep::Begins, reads, |fact| {
                if let Fact::Array { operation, .. } = fact {
                    *operation = Operation::Program;
                }
            })
        },
    },
    Fault {
        name: "an array that begins before its command has crossed",
        site: "omnibus",
        rule: Rule::Array,
        plant: |tape| {
            let place = tape.step(ArrayStep::Begins, any);
            tape.entries[place].at = earlier(tape.entries[place].at, NS);
        },
    },
    Fault {
        name: "an array that ends too soon",
        site: "bus",
        rule: Rule::ArrayTime,
        plant: |tape| {
            let place = tape.step(ArrayStep::Ends, any);
            tape.entries[place].at = earlier(tape.entries[place].at, NS);
        },
    },
    Fault {
        name: "an array that is said to take less than tR",
        site: "ideal",
        rule: Rule::ArrayTime,
        plant: |tape| {
            change_step(tape, ArrayStep::Begins, reads, |fact| {
                if let Fact::Array { until, .. } = fact {
                    *until = earlier(*until, 1);
                }
            })
        },
    },
    Fault {
        name: "an erase that takes longer than tBERS",
        site: "bus",
        rule: Rule::ArrayTime,
        plant: |tape| {
            change_step(
                tape,
                ArrayStep::Begins,
                |o| o == Operation::Erase,
                |fact| {
                    if let Fact::Array { until, .. } = fact {
                        *until = later(*until, 1);
                    }
                },
            )
        },
    },
    Fault {
        name: "a read that begins within tWB",
        site: "bus",
        rule: Rule::Distance,
        plant: |tape| move_array(tape, reads, 60 * NS),
    },
    Fault {
        name: "an erase that begins within tWB",
        site: "packetized",
        rule: Rule::Distance,
        plant: |tape| {
            move_array(tape, |o| o == Operation::Erase, 150 * NS);
        },
    },
    Fault {
        name: "a program without tADL",
        site: "bus",
        rule: Rule::Distance,
        plant: |tape| move_array(tape, programs, 70 * NS),
    },
    Fault {
        name: "a program without tADL over a circuit",
        site: "venice",
        rule: Rule::Distance,
        plant: |tape| {
            move_array(tape, programs, 70 * NS);
        },
    },
    Fault {
        name: "a program without tADL of 150 ns",
        site: "on-wires",
        rule: Rule::Distance,
        plant: |tape| {
            move_array(tape, programs, 100 * NS);
        },
    },
    Fault { name: "data within tRR", site: "bus", rule: Rule::Distance, plant: without_t_rr },
    Fault { name: "data within tRR on a path of its own", site: "ideal", rule: Rule::Distance, plant: without_t_rr },
    Fault {
        name: "data before the array has ended",
        site: "bus",
        rule: Rule::Ready,
        plant: |tape| {
            let (load, middle) = at_work(tape, reads);
            tape.command(middle, Load { carries: Carries::Data, ..load });
        },
    },
    Fault {
        name: "data of a plane that nobody has read",
        site: "mesh-2bit",
        rule: Rule::Ready,
        plant: |tape| {
            let (_, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
            tape.command(Time(1), load);
        },
    },
    Fault {
        name: "data of a register that go twice",
        site: "bus",
        rule: Rule::Ready,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let load = tape.load(c.transfer);
            tape.command(c.until, load);
        },
    },
    Fault {
        name: "a register that is overwritten before it is drained",
        site: "bus",
        rule: Rule::Register,
        plant: |tape| {
            let place = tape.register(tape.entries.len() / 4, false);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "a command to a plane whose register is full",
        site: "omnibus",
        rule: Rule::Register,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let load =
                Load { carries: Carries::Command, operation: Operation::Read, bytes: 0, ..tape.load(c.transfer) };
            tape.command(c.from, load);
        },
    },
    Fault {
        name: "a register that is filled by no read",
        site: "bus",
        rule: Rule::Register,
        plant: |tape| {
            let Entry { at, .. } = tape.entries[tape.entries.len() / 2];
            tape.insert(later(at, 1), Fact::Register { plane: PlaneId(1), filled: true });
        },
    },
    Fault {
        name: "a read that fills no register",
        site: "bus",
        rule: Rule::Register,
        plant: |tape| {
            let place = tape.register(tape.entries.len() / 4, true);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "a register that is drained before its data have crossed",
        site: "bus",
        rule: Rule::Register,
        plant: drained_before_it_crossed,
    },
    Fault {
        name: "a register that is drained before packets have crossed",
        site: "mesh",
        rule: Rule::Register,
        plant: drained_before_it_crossed,
    },
    Fault {
        name: "a suspension that is not configured",
        site: "bus",
        rule: Rule::Suspension,
        plant: |tape| {
            let place = tape.step(ArrayStep::Begins, programs);
            let Fact::Array { lun, planes, operation, from, .. } = tape.entries[place].fact else { unreachable!() };
            let until = later(from, 20_000 * NS);
            tape.insert(later(from, NS), Fact::Array { lun, planes, operation, step: ArrayStep::Stops, from, until });
        },
    },
    Fault {
        name: "a suspension that takes no time",
        site: "suspend",
        rule: Rule::Suspension,
        plant: |tape| {
            change_step(tape, ArrayStep::Stops, any, |fact| {
                if let Fact::Array { from, until, .. } = fact {
                    *until = *from;
                }
            })
        },
    },
    Fault {
        name: "an operation that is resumed at once",
        site: "suspend",
        rule: Rule::Suspension,
        plant: |tape| {
            change_step(tape, ArrayStep::GoesOn, any, |fact| {
                if let Fact::Array { from, until, .. } = fact {
                    *until = *from;
                }
            })
        },
    },
    Fault {
        name: "an operation that is resumed while a read works",
        site: "suspend",
        rule: Rule::Suspension,
        plant: |tape| {
            let stops = tape.step(ArrayStep::Stops, any);
            let (begins, goes_on) =
                (tape.next_step(stops, ArrayStep::Begins), tape.next_step(stops, ArrayStep::GoesOn));
            assert!(begins < goes_on, "something is served");
            tape.entries[goes_on].at = later(tape.entries[begins].at, NS);
        },
    },
    Fault {
        name: "an operation that ends while it is suspended",
        site: "suspend",
        rule: Rule::Array,
        plant: |tape| {
            let (goes_on, _) = tape.steps(ArrayStep::GoesOn, ArrayStep::Ends, |_, _| true);
            tape.entries.remove(goes_on);
        },
    },
    Fault {
        name: "a command while an operation is being suspended",
        site: "suspend",
        rule: Rule::Busy,
        plant: |tape| {
            let stops = tape.step(ArrayStep::Stops, any);
            let Fact::Array { lun, .. } = tape.entries[stops].fact else { unreachable!() };
            let (place, ..) = tape.begins(stops, |load| load.lun == lun && load.carries == Carries::Command);
            tape.entries[place].at = later(tape.entries[stops].at, NS);
        },
    },
    Fault {
        name: "an erase while another operation makes way",
        site: "suspend",
        rule: Rule::Suspension,
        plant: |tape| {
            let stops = tape.step(ArrayStep::Stops, any);
            let Fact::Array { lun, .. } = tape.entries[stops].fact else { unreachable!() };
            let (place, ..) = tape.begins(stops, |load| load.lun == lun && load.carries == Carries::Command);
            if let Fact::Begins { load, .. } = &mut tape.entries[place].fact {
                (load.operation, load.bytes) = (Operation::Erase, 0);
            }
        },
    },
    Fault {
        name: "a suspended operation that ends as if it had not been",
        site: "suspend",
        rule: Rule::ArrayTime,
        plant: |tape| {
            let (goes_on, ends) = tape.steps(ArrayStep::GoesOn, ArrayStep::Ends, |_, _| true);
            tape.entries[ends].at = later(tape.entries[goes_on].at, NS);
        },
    },
    Fault {
        name: "a command to another plane while data are in a register",
        site: "busy-until-out",
        rule: Rule::Register,
        plant: |tape| {
            let (place, _, data) =
                tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data && reads(load.operation));
            let is_other = |load: &Load| load.lun == data.lun && load.planes & data.planes == 0;
            let (_, _, command) =
                tape.begins(0, |load| load.carries == Carries::Command && reads(load.operation) && is_other(load));
            tape.command(tape.entries[place].at, command);
        },
    },
    Fault {
        name: "a transfer that begins on a path in use",
        site: "venice",
        rule: Rule::End,
        plant: |tape| {
            let (place, _, load) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
            let Fact::Begins { path, .. } = tape.entries[place].fact else { unreachable!() };
            assert_ne!(path, OTHER_PATH);
            tape.insert(later(tape.entries[place].at, 1), Fact::Begins { transfer: OTHER, path, load });
        },
    },
];
