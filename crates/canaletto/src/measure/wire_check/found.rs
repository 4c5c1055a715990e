use std::fmt;

use crate::engine::time::Time;
use crate::measure::wire_check::known::{Known, Open};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Cycles take time, on a wire that there is, within the transfer that they belong to.
    Span,
    /// A wire has one driver at a time, and a controller that serves one transfer at a time drives one bus.
    Driver,
    /// A wire leads to the chip whose commands and data cross it.
    Reach,
    /// A chip's port serves one transfer at a time.
    Port,
    /// Commands and addresses go before data.
    Order,
    /// A command takes its cycles.
    Command,
    /// Data are no faster than their wire.
    Rate,
    /// A transfer ends when its last cycle has crossed.
    End,
    /// A LUN takes a command when it works on none.
    Busy,
    /// An array begins for a command that has crossed, in the planes that it names.
    Array,
    /// An array works as long as the configuration says.
    ArrayTime,
    /// The distances of the interface: tWB, tRR, tADL, tDBSY.
    Distance,
    /// Data leave a register that holds them.
    Ready,
    /// A register is filled when it is empty, and empty when its data have crossed.
    Register,
    /// Programs and erases make way, and continue, as the configuration allows.
    Suspension,
    /// A circuit carries what it was reserved for, while it is reserved.
    Reservation,
    /// A circuit's links are one way from a controller to the chip.
    Circuit,
    /// A scout goes from router to router, in its time.
    Scout,
    /// Packets go along the row, then along the column, hop by hop.
    Route,
    /// Controllers agree on a bus that another one drives.
    Handshake,
}

impl Rule {
    pub const ALL: [Rule; 20] = [
        Rule::Span,
        Rule::Driver,
        Rule::Reach,
        Rule::Port,
        Rule::Order,
        Rule::Command,
        Rule::Rate,
        Rule::End,
        Rule::Busy,
        Rule::Array,
        Rule::ArrayTime,
        Rule::Distance,
        Rule::Ready,
        Rule::Register,
        Rule::Suspension,
        Rule::Reservation,
        Rule::Circuit,
        Rule::Scout,
        Rule::Route,
        Rule::Handshake,
    ];
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    pub at: Time,
    pub place: String,
    pub what: String,
    pub expected: String,
}

pub fn ns(time: Time) -> String {
    format!("{}.{:03} ns", time.0 / 1000, time.0 % 1000)
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, at, place, what, expected } = self;
        write!(f, "{place} at {}: {what}; expected {expected} (rule {rule:?})", ns(*at))
    }
}

const KEPT: usize = 100;

#[derive(Debug, Default)]
pub struct Found {
    pub violations: Vec<Violation>,
    pub count: u64,
    pub uses: u64,
}

impl Found {
    #[cold]
    pub fn add(&mut self, rule: Rule, at: Time, place: String, what: String, expected: impl Into<String>) {
        self.count += 1;
        if self.violations.len() < KEPT {
            self.violations.push(Violation { rule, at, place, what, expected: expected.into() });
        }
    }

    /// At the chip of a transfer.
    pub fn add_of(
        &mut self,
        open: &Open,
        known: &Known,
        rule: Rule,
        at: Time,
        what: &str,
        expected: impl Into<String>,
    ) {
        let what = format!("transfer {}: {what}", open.transfer);
        self.add(rule, at, known.chip_name(open.load.chip), what, expected);
    }

    pub fn has(&self, rule: Rule) -> bool {
        self.violations.iter().any(|violation| violation.rule == rule)
    }

    /// The number of violations and the first few of them.
    pub fn complaint(&self) -> Option<String> {
        let plural = if self.count == 1 { "" } else { "s" };
        let head = format!("wires: {} violation{plural} of their rules in {} uses:", self.count, self.uses);
        let first = self.violations.iter().take(5).map(|violation| format!("\n  {violation}"));
        (self.count > 0).then(|| first.fold(head, |text, line| text + &line))
    }
}
