//! Checks of command sequences: nothing is missing and nothing contradicts itself.

use super::{Interface, Planes, Sequence, SequenceTable, Step, interface_times};
use crate::config::error::Problem;
use crate::config::fabric::Fabric;

type Checked = Result<(), Problem>;

/// Checks the sequences of a fabric.
///
/// # Errors
/// A step that is incomplete or contradicts the others, an unknown time, a poll period of zero, an interface too slow for the
/// fabric.
pub(in crate::config) fn check(fabric: &Fabric) -> Checked {
    let table = fabric.sequence_table();
    let known = known_times(fabric.interface, table);
    for (name, sequence) in table.sequences() {
        check_sequence(name, sequence, &known)?;
    }
    for (name, given, plain_name, plain) in table.pipelined() {
        if outline(given) != outline(plain) {
            let what = format!("got other steps than {plain_name}, expected its own with other command bytes");
            return Err(Problem::new(&format!("fabric.steps.{name}.steps"), what));
        }
    }
    if table.suspend.is_some() != table.resume.is_some() {
        let missing = if table.suspend.is_some() { "resume" } else { "suspend" };
        let what = "missing: suspend and resume are given together, or neither";
        return Err(Problem::new(&format!("fabric.steps.{missing}"), what));
    }
    if table.status.is_some() && fabric.status.period.0 == 0 {
        return Err(Problem::new("fabric.status.period", "got 0, expected a time above 0 between polls"));
    }
    check_rate(fabric, table)
}

/// Steps without the values of command bytes, and without what registers wait for inside the chip (`flash.cache_read_busy`,
/// `flash.cache_program_busy`): what a command takes of wires and LUN.
fn outline(sequence: &Sequence) -> Vec<Step> {
    let is_inside = |step: &&Step| matches!(step.wait.as_deref(), Some("tRCBSY" | "tCBSY"));
    let bare = |step: &Step| {
        let put = step.put.as_ref().map(|put| if is_command(put) { String::new() } else { put.clone() });
        Step { put, ..step.clone() }
    };
    sequence.steps.iter().filter(|step| !is_inside(step)).map(bare).collect()
}

/// Data faster than the interface carries them. The short sums are those of simulators, which know no limit.
fn check_rate(fabric: &Fabric, table: &SequenceTable) -> Checked {
    let highest = fabric.interface.highest_rate();
    if table.page.is_none() || fabric.link_rate <= highest {
        return Ok(());
    }
    let faster = Interface::ALL.into_iter().find(|other| other.highest_rate() >= fabric.link_rate);
    let hint = faster.map_or(String::new(), |other| format!("; \"{}\" does", other.name()));
    let what = format!(
        "got \"{}\", which carries at most \"{highest}\" on eight pins, while fabric.link_rate is \"{}\"{hint}",
        fabric.interface.name(),
        fabric.link_rate
    );
    Err(Problem::new("fabric.interface", what))
}

fn known_times(interface: Interface, table: &SequenceTable) -> Vec<&str> {
    interface_times(interface).keys().chain(table.times.keys()).map(String::as_str).collect()
}

/// Kinds of step, in the order in which a command has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Put {
    Command,
    Address,
    Payload,
}

fn check_sequence(name: &str, sequence: &Sequence, known: &[&str]) -> Checked {
    let key = |i: usize| format!("fabric.steps.{name}.steps.{i}");
    let whole = format!("fabric.steps.{name}.steps");
    let payload = payload_of(name);
    let (mut commands, mut last, mut payloads) = (0, None, 0);
    for (i, step) in sequence.steps.iter().enumerate() {
        let put = check_step(step, known).map_err(|what| Problem::new(&key(i), what))?;
        let Some(put) = put else { continue };
        let after = |what: &str| Err(Problem::new(&key(i), format!("got {what}, expected a command byte before it")));
        match put {
            Put::Command if step.of == Planes::Each || step.of == Planes::Last => commands += 1,
            Put::Command => {}
            Put::Address if last != Some(Put::Command) => return after("an address"),
            Put::Payload if last.is_none() => return after("data"),
            Put::Address => {}
            Put::Payload => {
                payloads += 1;
                if step.put.as_deref() != payload {
                    let what = format!("got \"{}\", expected {}", step.put.as_deref().unwrap_or(""), words(payload));
                    return Err(Problem::new(&key(i), what));
                }
            }
        }
        last = Some(put);
    }
    let needed = if matches!(name, "status" | "suspend" | "resume") { 1 } else { 2 };
    if commands < needed {
        let what = format!(
            "got {commands} command bytes for the last plane, expected {needed}: one that begins and one that confirms"
        );
        return Err(Problem::new(&whole, what));
    }
    if payload.is_some() && payloads != 1 {
        return Err(Problem::new(&whole, format!("got {payloads} steps, expected one that puts {}", words(payload))));
    }
    Ok(())
}

/// The bytes that a sequence carries beside commands and addresses.
fn payload_of(name: &str) -> Option<&'static str> {
    match name {
        "page" | "program" | "cache_program" => Some("data"),
        "status" => Some("status"),
        _ => None,
    }
}

fn words(payload: Option<&str>) -> String {
    payload.map_or_else(|| "commands and addresses only".to_owned(), |name| format!("\"{name}\""))
}

/// Checks a step by itself. Returns what it puts on the wires, if it is no wait.
fn check_step(step: &Step, known: &[&str]) -> Result<Option<Put>, String> {
    match (&step.put, &step.wait) {
        (Some(_), Some(_)) => Err("got both put and wait, expected one of them".to_owned()),
        (None, None) => Err("got neither put nor wait, expected one of them".to_owned()),
        (None, Some(name)) => {
            if !known.contains(&name.as_str()) {
                return Err(format!("wait: got \"{name}\", expected one of {}", known.join(", ")));
            }
            match (step.on, step.cycles) {
                (None, _) => Err("on: missing, expected \"wires\", \"held\" or \"chip\"".to_owned()),
                (_, Some(_)) => Err("cycles: a wait has none".to_owned()),
                _ => Ok(None),
            }
        }
        (Some(_), None) if step.on.is_some() => Err("on: only waits have a place".to_owned()),
        (Some(what), None) => match what.as_str() {
            "address" => Ok(Some(Put::Address)),
            "data" if step.cycles.is_some() => Err("cycles: those of data follow from their size".to_owned()),
            "data" | "status" => Ok(Some(Put::Payload)),
            byte if is_command(byte) => Ok(Some(Put::Command)),
            other => Err(format!(
                "put: got \"{other}\", expected a command byte such as \"00h\", \"address\", \"status\" or \"data\""
            )),
        },
    }
}

fn is_command(byte: &str) -> bool {
    byte.len() == 3 && byte.ends_with(['h', 'H']) && byte[..2].chars().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::fabric::FabricKind;
    use crate::config::sequences::{SequenceKind, table};
    use crate::config::units::Rate;

    fn bus() -> Fabric {
        Fabric { interface: Interface::NvDdr3, ..Fabric::new(FabricKind::Bus, Rate(1_000_000_000)) }
    }

    /// Shipped tables are complete with every interface, and every row has a source.
    #[test]
    fn shipped_tables_are_complete() {
        for kind in [SequenceKind::Short, SequenceKind::Full] {
            for interface in Interface::ALL {
                let fabric = Fabric { sequences: kind, interface, ..Fabric::new(FabricKind::Bus, Rate(500_000_000)) };
                check(&fabric).unwrap();
                assert!(interface_times(interface).values().all(|time| !time.source.is_empty()));
            }
            assert!(table(kind).sequences().all(|(_, sequence)| !sequence.source.is_empty()));
        }
    }

    /// Each way to spoil the table is told with its place.
    #[test]
    fn a_spoiled_table_is_refused() {
        type Spoil = fn(&mut SequenceTable);
        let cases: &[(&str, &str, Spoil)] = &[
            ("fabric.steps.read.steps.1", "both put and wait", |t| t.read.steps[1].wait = Some("tWB".into())),
            ("fabric.steps.read.steps.1", "neither put nor wait", |t| t.read.steps[1].put = None),
            ("fabric.steps.erase.steps.0", "got \"tXX\", expected one of tADL", |t| {
                t.erase.steps[0].wait = Some("tXX".into())
            }),
            ("fabric.steps.erase.steps.0", "on: missing", |t| t.erase.steps[0].on = None),
            ("fabric.steps.erase.steps.0", "cycles: a wait has none", |t| t.erase.steps[0].cycles = Some(1)),
            ("fabric.steps.page.steps.6", "cycles: those of data", |t| {
                t.page.as_mut().unwrap().steps[6].cycles = Some(1)
            }),
            ("fabric.steps.read.steps.1", "expected a command byte such as", |t| {
                t.read.steps[1].put = Some("read".into())
            }),
            ("fabric.steps.read.steps.1", "an address, expected a command byte", |t| drop(t.read.steps.remove(1))),
            ("fabric.steps.read.steps", "got 1 command bytes", |t| {
                t.read.steps.retain(|s| s.put.as_deref() != Some("30h"))
            }),
            ("fabric.steps.program.steps", "got 0 steps, expected one that puts \"data\"", |t| {
                t.program.steps.retain(|s| s.put.as_deref() != Some("data"));
            }),
            ("fabric.steps.erase.steps.2", "got \"data\", expected commands and addresses only", |t| {
                t.erase.steps[2] = Step { put: Some("data".into()), ..Step::default() };
            }),
            ("fabric.steps.cache_program.steps", "other steps than program", |t| {
                drop(t.cache_program.as_mut().unwrap().steps.remove(0))
            }),
            ("fabric.steps.resume", "missing: suspend and resume", |t| t.resume = None),
            ("fabric.steps.status.steps", "got 0 steps, expected one that puts \"status\"", |t| {
                t.status.as_mut().unwrap().steps.retain(|s| s.put.as_deref() != Some("status"));
            }),
        ];
        for (key, what, spoil) in cases {
            let mut steps = table(SequenceKind::Full).clone();
            spoil(&mut steps);
            let problem = check(&Fabric { steps: Some(Box::new(steps)), ..bus() }).unwrap_err();
            assert_eq!(problem.key, *key, "{}", problem.what);
            assert!(problem.what.contains(what), "{}: {}", problem.key, problem.what);
        }
    }

    #[test]
    fn a_poll_period_of_zero_and_a_slow_interface_are_refused() {
        let mut fabric = Fabric { sequences: SequenceKind::Full, ..bus() };
        check(&fabric).unwrap();
        fabric.status.period.0 = 0;
        assert_eq!(check(&fabric).unwrap_err().key, "fabric.status.period");
        let slow = Fabric { sequences: SequenceKind::Full, interface: Interface::NvDdr2, ..bus() };
        let problem = check(&slow).unwrap_err();
        assert!(
            problem.what.contains("at most \"533MB/s\"") && problem.what.ends_with("\"nv-ddr3\" does"),
            "{}",
            problem.what
        );
    }
}
