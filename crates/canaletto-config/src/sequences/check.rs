//! Checks of command sequences.

use super::{Interface, Planes, Sequence, SequenceTable, Step, What, interface_times};
use crate::error::Problem;
use crate::fabric::Fabric;

type Checked = Result<(), Problem>;

/// # Errors
/// An incomplete or contradictory step, an unknown time, a poll period of zero, an interface too slow for the fabric.
pub(crate) fn check(fabric: &Fabric) -> Checked {
    let table = fabric.sequence_table();
    let known = known_times(fabric.interface, table);
    for (name, sequence) in table.sequences() {
        check_sequence(name, sequence, &known)?;
    }
    for (name, given, plain_name, plain) in table.pipelined() {
        if outline(given) != outline(plain) {
            let what = format!("got other steps than {plain_name}, expected its own with other command bytes");
            return Err(Problem::new(&format!("fabric.steps.{name}"), what));
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

/// Without command bytes, and without waits of registers inside the chip (`flash.cache_read_busy`,
/// `flash.cache_program_busy`).
fn outline(sequence: &Sequence) -> Vec<Step> {
    let is_inside = |step: &&Step| matches!(step.name(), "tRCBSY" | "tCBSY");
    let bare = |step: &Step| match step.what {
        What::Command(_) => Step { what: What::Command(String::new()), ..*step },
        _ => step.clone(),
    };
    sequence.iter().filter(|step| !is_inside(step)).map(bare).collect()
}

/// The short sums come from simulators, which have no limit.
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

fn check_sequence(name: &str, sequence: &Sequence, known: &[&str]) -> Checked {
    let payload = payload_of(name);
    let (mut commands, mut payloads) = (0, 0);
    let mut last: Option<&Step> = None;
    for (i, step) in sequence.iter().enumerate() {
        let wrong = |what: String| Err(Problem::new(&format!("fabric.steps.{name}.{i}"), what));
        let follows_command = matches!(last, Some(Step { what: What::Command(_), .. }));
        match &step.what {
            What::Wait(time, _) if !known.contains(&time.as_str()) => {
                return wrong(format!("got \"{time}\", expected one of {}", known.join(", ")));
            }
            What::Wait(..) => continue,
            What::Command(_) => commands += u32::from(matches!(step.of, Planes::Each | Planes::Last)),
            What::Address(_) if follows_command => {}
            What::Address(_) => return wrong("got an address, expected a command byte before it".to_owned()),
            What::Status(_) | What::Data if last.is_none() => {
                return wrong("got data, expected a command byte before it".to_owned());
            }
            What::Status(_) | What::Data if Some(step.name()) != payload => {
                return wrong(format!("got \"{}\", expected {}", step.name(), words(payload)));
            }
            What::Status(_) | What::Data => payloads += 1,
        }
        last = Some(step);
    }
    let whole = format!("fabric.steps.{name}");
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

/// Next to commands and addresses.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::FabricKind;
    use crate::sequences::{SequenceKind, table};
    use crate::units::Rate;

    fn step(text: &str) -> Step {
        text.parse().unwrap()
    }

    fn bus() -> Fabric {
        Fabric { interface: Interface::NvDdr3, ..Fabric::new(FabricKind::Bus, Rate(1_000_000_000)) }
    }

    #[test]
    fn shipped_tables_are_complete() {
        for kind in [SequenceKind::Short, SequenceKind::Full] {
            for interface in Interface::ALL {
                let fabric = Fabric { sequences: kind, interface, ..Fabric::new(FabricKind::Bus, Rate(500_000_000)) };
                check(&fabric).unwrap();
                assert!(interface_times(interface).values().all(|time| !time.source.is_empty()));
            }
            assert!(table(kind).sequences().all(|(name, _)| !table(kind).sources[name].is_empty()));
        }
    }

    #[test]
    fn a_spoiled_table_is_refused() {
        type Spoil = fn(&mut SequenceTable);
        let cases: &[(&str, &str, Spoil)] = &[
            ("fabric.steps.erase.0", "got \"tXX\", expected one of tADL", |t| t.erase[0] = step("tXX chip")),
            ("fabric.steps.read.1", "an address, expected a command byte", |t| drop(t.read.remove(1))),
            ("fabric.steps.read", "got 1 command bytes", |t| t.read.retain(|s| s.name() != "30h")),
            ("fabric.steps.program", "got 0 steps, expected one that puts \"data\"", |t| {
                t.program.retain(|s| s.what != What::Data);
            }),
            ("fabric.steps.erase.2", "got \"data\", expected commands and addresses only", |t| {
                t.erase[2] = step("data")
            }),
            ("fabric.steps.cache_program", "other steps than program", |t| {
                drop(t.cache_program.as_mut().unwrap().remove(0))
            }),
            ("fabric.steps.resume", "missing: suspend and resume", |t| t.resume = None),
            ("fabric.steps.status", "got 0 steps, expected one that puts \"status\"", |t| {
                t.status.as_mut().unwrap().retain(|s| s.name() != "status");
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
