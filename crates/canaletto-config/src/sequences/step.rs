//! Steps of command sequences as text.

use std::fmt;

use crate::JsonSchema;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Highest number of cycles of a step.
const MOST_CYCLES: u32 = 64;

/// Planes of a command for which a step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Planes {
    /// Each.
    Each,
    /// The first.
    First,
    /// Each but the last.
    Earlier,
    /// The last.
    Last,
}

/// Place where a wait is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// On the wires: they turn round, or a chip is selected. Packets have no such waits.
    Wires,
    /// In the chip between two cycles. A bus that has selected the chip stays taken, packets leave the wires free.
    Held,
    /// In the chip, while the wires are free.
    Chip,
}

/// Event of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A command byte, such as `00h`.
    Command(String),
    /// Cycles of an address.
    Address(u32),
    /// Cycles of the status byte.
    Status(u32),
    /// The data of a page, whose time follows from their size.
    Data,
    /// A named time.
    Wait(String, Place),
}

/// Step of a sequence, as text. `"00h"`, `"address x5"`, `"status x2"` and `"data"` put bytes on the wires. `"tCS wires"`,
/// `"tCCS held"` and `"tWB chip"` wait for a named time: on the wires, in the chip while a bus stays taken, or in the chip
/// while the wires are free. `first:`, `earlier:` or `last:` in front limits a step to these planes of a command to several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Step {
    /// Planes for which the step is taken.
    pub of: Planes,
    /// Its event.
    pub what: What,
}

impl Step {
    /// Bytes on the wires, or the name of a wait.
    pub fn name(&self) -> &str {
        match &self.what {
            What::Command(name) | What::Wait(name, _) => name,
            What::Address(_) => "address",
            What::Status(_) => "status",
            What::Data => "data",
        }
    }

    /// Place of a wait.
    pub fn place(&self) -> Option<Place> {
        match self.what {
            What::Wait(_, place) => Some(place),
            _ => None,
        }
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Step, String> {
        let (of, rest) = match text.split_once(':') {
            None => (Planes::Each, text),
            Some((planes, rest)) => (planes_of(planes.trim())?, rest),
        };
        let mut words = rest.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next());
        if words.next().is_some() {
            return Err(format!("got \"{text}\", expected a step of at most two words, such as \"address x5\""));
        }
        Ok(Step { of, what: what_of(first, second)? })
    }
}

fn planes_of(word: &str) -> Result<Planes, String> {
    match word {
        "first" => Ok(Planes::First),
        "earlier" => Ok(Planes::Earlier),
        "last" => Ok(Planes::Last),
        other => Err(format!("got \"{other}:\", expected \"first:\", \"earlier:\" or \"last:\"")),
    }
}

fn what_of(first: &str, second: Option<&str>) -> Result<What, String> {
    match (first, second) {
        ("address", cycles) => Ok(What::Address(cycles_of(cycles)?)),
        ("status", cycles) => Ok(What::Status(cycles_of(cycles)?)),
        ("data", None) => Ok(What::Data),
        (byte, None) if is_command(byte) => Ok(What::Command(byte.to_owned())),
        ("data", Some(more)) => {
            Err(format!("got \"data {more}\", expected \"data\": the page's size gives their time"))
        }
        (byte, Some(more)) if is_command(byte) => {
            Err(format!("got \"{byte} {more}\", expected \"{byte}\": a command byte takes one cycle"))
        }
        (time, Some(place)) if time.starts_with('t') => Ok(What::Wait(time.to_owned(), place_of(place)?)),
        (time, None) if time.starts_with('t') => {
            Err(format!("got \"{time}\", expected \"{time} wires\", \"{time} held\" or \"{time} chip\""))
        }
        (other, _) => Err(format!(
            "got \"{other}\", expected a command byte such as \"00h\", \"address x5\", \"status\", \"data\", or a wait such as \
             \"tWB chip\""
        )),
    }
}

fn cycles_of(word: Option<&str>) -> Result<u32, String> {
    let Some(word) = word else { return Ok(1) };
    let number = word.strip_prefix('x').and_then(|digits| digits.parse().ok());
    let allowed = number.filter(|cycles| (1..=MOST_CYCLES).contains(cycles));
    allowed.ok_or_else(|| format!("got \"{word}\", expected a number of cycles from \"x1\" to \"x{MOST_CYCLES}\""))
}

fn place_of(word: &str) -> Result<Place, String> {
    match word {
        "wires" => Ok(Place::Wires),
        "held" => Ok(Place::Held),
        "chip" => Ok(Place::Chip),
        other => Err(format!("got \"{other}\", expected \"wires\", \"held\" or \"chip\"")),
    }
}

fn is_command(byte: &str) -> bool {
    byte.len() == 3 && byte.ends_with(['h', 'H']) && byte[..2].chars().all(|digit| digit.is_ascii_hexdigit())
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.of {
            Planes::Each => "",
            Planes::First => "first: ",
            Planes::Earlier => "earlier: ",
            Planes::Last => "last: ",
        })?;
        f.write_str(self.name())?;
        match &self.what {
            What::Address(1) | What::Status(1) | What::Command(_) | What::Data => Ok(()),
            What::Address(cycles) | What::Status(cycles) => write!(f, " x{cycles}"),
            What::Wait(_, Place::Wires) => f.write_str(" wires"),
            What::Wait(_, Place::Held) => f.write_str(" held"),
            What::Wait(_, Place::Chip) => f.write_str(" chip"),
        }
    }
}

impl TryFrom<String> for Step {
    type Error = String;

    fn try_from(text: String) -> Result<Step, String> {
        text.parse()
    }
}

impl From<Step> for String {
    fn from(step: Step) -> String {
        step.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_written_as_it_is_read() {
        for text in
            ["00h", "address", "address x5", "status x2", "data", "first: tCS wires", "earlier: 11h", "last: tWB chip"]
        {
            assert_eq!(text.parse::<Step>().unwrap().to_string(), text);
        }
        assert_eq!(" last :  tWB   chip ".parse::<Step>().unwrap().to_string(), "last: tWB chip");
        assert_eq!("address x1".parse::<Step>().unwrap().to_string(), "address");
    }

    #[test]
    fn each_mistake_says_what_is_allowed() {
        let cases = [
            ("", "expected a command byte such as"),
            ("read", "expected a command byte such as"),
            ("tWB", "\"tWB wires\", \"tWB held\" or \"tWB chip\""),
            ("tWB wire", "got \"wire\", expected \"wires\""),
            ("tWB x5", "got \"x5\", expected \"wires\""),
            ("data x4", "expected \"data\""),
            ("00h x2", "a command byte takes one cycle"),
            ("address 5", "expected a number of cycles from \"x1\" to \"x64\""),
            ("address x0", "expected a number of cycles"),
            ("address x65", "expected a number of cycles"),
            ("address x99999999999", "expected a number of cycles"),
            ("middle: 00h", "got \"middle:\", expected \"first:\""),
            ("last: tWB chip please", "at most two words"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Step>().unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
