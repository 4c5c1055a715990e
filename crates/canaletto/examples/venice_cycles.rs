//! State of the Venice model cycle by cycle under random requests: what the hardware in `rtl/` is compared with.
//!
//! ```text
//! venice_cycles ROWS COLUMNS west|alternating oracle|immediate CYCLES SEED LOAD
//! ```
//! LOAD is the mean number of cycles between requests. The first line repeats shape, edge and retry. Lines of a cycle follow its `t`; a state is what the hardware's registers
//! hold in that cycle, and only changes are written:
//!
//! ```text
//! t cycle                      q chip cycles-on-the-wires is-read controller     a request, and the controller that takes it
//! r controller                 its scout may go once more
//! h packet router              a scout is decided about
//! e router exit packet entry   a row of a reservation table;  x router exit: it is not valid any more
//! l router state               a linear-feedback register
//! c controller I|S|W|T         idle, searching, waiting, transferring
//! ```
//! It ends with `end scouts failed detours completed`.

#![allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)] // the engine's rules, not a program's

use std::io::{self, BufWriter, Write};

use canaletto::config::design::{ControllerEdge, Fabric as Config, FabricKind, Geometry, Retry, Scouts, TearDown};
use canaletto::config::units::{Rate, Size};
use canaletto::engine::random::Stream;
use canaletto::engine::time::Time;
use canaletto::fabric::venice::state::{Activity, TableRow};
use canaletto::fabric::venice::{Event, Venice};
use canaletto::fabric::{Direction, Fabric, Transfer};
use canaletto::flash::address::{ChipId, Layout};

/// Contents of the hardware's registers.
#[derive(Clone, PartialEq)]
struct Registers {
    rows: Vec<Option<TableRow>>,
    registers: Vec<u32>,
    activities: Vec<Activity>,
}

struct Bench {
    fabric: Venice,
    shape: (u32, u32),
    pending: Vec<(Time, u64, Event)>,
    pushed: u64,
    completed: u64,
}

impl Bench {
    fn new(rows: u32, columns: u32, edge: ControllerEdge, retry: Retry) -> Bench {
        let mut config = Config::new(FabricKind::Venice, Rate(1_000_000_000));
        config.network.controllers = edge;
        config.venice.scouts = Scouts::Clocked;
        config.venice.tear_down = TearDown::Wire;
        config.venice.retry = retry;
        let geometry = Geometry {
            channels: rows,
            chips_per_channel: columns,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page: Size(4096),
        };
        let fabric = Venice::new(&config, &Layout::new(&geometry, true));
        Bench { fabric, shape: (rows, columns), pending: Vec::new(), pushed: 0, completed: 0 }
    }

    /// Lets the events of a moment happen, in their order. Returns the controllers whose transfers have ended.
    fn events(&mut self, now: Time) -> Vec<u32> {
        let mut ended = Vec::new();
        while let Some(next) = (0..self.pending.len()).min_by_key(|&i| (self.pending[i].0, self.pending[i].1)) {
            if self.pending[next].0 > now {
                break;
            }
            let (at, _, event) = self.pending.swap_remove(next);
            assert_eq!(at, now, "everything happens in whole cycles");
            let (pending, pushed) = (&mut self.pending, &mut self.pushed);
            let mut later = |time, event| {
                pending.push((time, *pushed, event));
                *pushed += 1;
            };
            if let Some(crossed) = self.fabric.handle(event, now, &mut later).crossed {
                self.fabric.release(crossed.path, now, &mut later);
                ended.push(crossed.path.0);
                self.completed += 1;
            }
        }
        ended
    }

    fn start(&mut self, transfer: Transfer, now: Time) -> u32 {
        let (pending, pushed) = (&mut self.pending, &mut self.pushed);
        let path = self.fabric.start(transfer, now, &mut |time, event| {
            pending.push((time, *pushed, event));
            *pushed += 1;
        });
        path.0
    }

    /// Lets scouts hop that arrive at a moment.
    fn steps(&mut self, now: Time) {
        while self.fabric.next_step() <= now {
            let (pending, pushed) = (&mut self.pending, &mut self.pushed);
            self.fabric.step(now, now + Time(1), &mut |time, event| {
                pending.push((time, *pushed, event));
                *pushed += 1;
            });
        }
    }

    fn activities(&self) -> Vec<Activity> {
        (0..self.shape.0).map(|c| self.fabric.activity(c)).collect()
    }

    fn scouts(&self) -> Vec<u64> {
        (0..self.shape.0).map(|c| self.fabric.scouts_sent(c)).collect()
    }

    fn registers(&self, activities: Vec<Activity>) -> Registers {
        let routers = self.shape.0 * self.shape.1;
        let exits = |r| (0..Venice::EXITS).map(move |exit| (r, exit));
        Registers {
            rows: (0..routers).flat_map(exits).map(|(r, exit)| self.fabric.table_row(r, exit)).collect(),
            registers: (0..routers).map(|r| self.fabric.register(r)).collect(),
            activities,
        }
    }
}

/// Writes what has changed.
fn write_changes(out: &mut impl Write, before: &Registers, now: &Registers) -> io::Result<()> {
    for (place, (was, row)) in before.rows.iter().zip(&now.rows).enumerate() {
        let (router, exit) = (place as u32 / Venice::EXITS, place as u32 % Venice::EXITS);
        match row {
            _ if was == row => {}
            Some(TableRow { packet, entry }) => writeln!(out, "e {router} {exit} {packet} {entry}")?,
            None => writeln!(out, "x {router} {exit}")?,
        }
    }
    for (router, (was, state)) in before.registers.iter().zip(&now.registers).enumerate() {
        if was != state {
            writeln!(out, "l {router} {state}")?;
        }
    }
    for (controller, (was, activity)) in before.activities.iter().zip(&now.activities).enumerate() {
        if was != activity {
            let letter = match activity {
                Activity::Idle => 'I',
                Activity::Searching => 'S',
                Activity::Waiting => 'W',
                Activity::Transferring => 'T',
            };
            writeln!(out, "c {controller} {letter}")?;
        }
    }
    Ok(())
}

/// A request that the fabric can start now, sometimes. Sizes from a command's few bytes to a few hundred, so that circuits come
/// and go often.
fn request(bench: &Bench, random: &mut Stream, load: u64) -> Option<Transfer> {
    let chip = ChipId(random.integer(0, u64::from(bench.shape.0 * bench.shape.1) - 1) as u32);
    let bytes = match random.integer(0, 3) {
        0 => random.integer(1, 8),
        1 => random.integer(1, 60),
        _ => random.integer(20, 400),
    };
    let direction = if random.integer(0, 1) == 0 { Direction::ToChip } else { Direction::FromChip };
    let is_time = random.integer(1, load) == 1;
    let transfer = Transfer { chip, direction, command: Time::ZERO, data: Time::from_ns(bytes) };
    (is_time && bench.fabric.is_free(chip, direction)).then_some(transfer)
}

fn run(arguments: &[String], out: &mut impl Write) -> io::Result<()> {
    let number = |i: usize| arguments[i].parse::<u64>().expect("a number");
    let (rows, columns, cycles, seed, load) = (number(0) as u32, number(1) as u32, number(4), number(5), number(6));
    let edge = match arguments[2].as_str() {
        "west" => ControllerEdge::West,
        "alternating" => ControllerEdge::Alternating,
        other => panic!("got {other}, expected west or alternating"),
    };
    let retry = match arguments[3].as_str() {
        "oracle" => Retry::Oracle,
        "immediate" => Retry::Immediate,
        other => panic!("got {other}, expected oracle or immediate"),
    };
    let mut bench = Bench::new(rows, columns, edge, retry);
    let mut random = Stream::named(seed, "venice cycles");
    let mut activities = bench.activities();
    let mut before = bench.registers(activities.clone());
    writeln!(out, "venice {rows} {columns} {} {}", arguments[2], arguments[3])?;
    for cycle in 0..cycles {
        let now = Time::from_ns(cycle);
        let scouts = bench.scouts();
        for ended in bench.events(now) {
            activities[ended as usize] = Activity::Idle;
        }
        let retried: Vec<usize> =
            bench.scouts().iter().zip(&scouts).map(|(a, b)| a > b).enumerate().filter(|r| r.1).map(|r| r.0).collect();
        let registers = bench.registers(activities);
        writeln!(out, "t {cycle}")?;
        write_changes(out, &before, &registers)?;
        if retry == Retry::Oracle {
            for controller in retried {
                writeln!(out, "r {controller}")?;
            }
        }
        if let Some(transfer) = request(&bench, &mut random, load) {
            let by = bench.start(transfer, now);
            let is_read = u32::from(transfer.direction == Direction::FromChip);
            writeln!(out, "q {} {} {is_read} {by}", transfer.chip.0, transfer.data.ns())?;
        }
        activities = bench.activities();
        for (packet, router) in bench.fabric.deciding(now) {
            writeln!(out, "h {packet} {router}")?;
        }
        bench.steps(now);
        before = registers;
    }
    let counters = bench.fabric.counters();
    let count = |name: &str| counters.iter().find(|c| c.0 == name).expect("a counter").1;
    writeln!(out, "end {} {} {} {}", count("scouts"), count("scouts_failed"), count("detours"), bench.completed)
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    assert!(arguments.len() == 7, "venice_cycles ROWS COLUMNS west|alternating oracle|immediate CYCLES SEED LOAD");
    run(&arguments, &mut BufWriter::new(io::stdout().lock()))
}
