//! The formats, one file each.
//!
//! `cargo fmt` does not see files named only in a macro: run `rustfmt --edition 2024` on a new one.

use std::io::{self, Write};
use std::str::FromStr;

use canaletto::config::reading::{ReadOptions, TimeUnit};
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use crate::decode::{Decode, Decoder};
use crate::error::TraceError;
use crate::fields::Fault;
use crate::lines::{Line, LineFault, Lines};
use crate::writer::{Encode, Encoder};

mod scsi;

// In order of detection: if a file fits two formats equally well, the first has it.
formats! {
    Mqsim: mqsim,
    Msr: msr,
    Systor: systor,
    CloudPhysics: cloudphysics,
    Vscsi: vscsi,
    Spc: spc,
    Alibaba: alibaba,
    Tencent: tencent,
    Replayer: replayer,
    DiskSim: disksim,
    Blkparse: blkparse,
    Iolog: iolog,
    Biosnoop: biosnoop,
    Fiu: fiu,
    DiskMon: diskmon,
    Csv: csv,
}

/// A format may remember what it has seen of its file: a header, a column order, names.
pub(crate) trait TraceFormat: Default + Send + 'static {
    /// Short lower-case name, as users write it.
    const NAME: &'static str;
    /// Origin, fields and units.
    const DESCRIPTION: &'static str;
    /// Fields of a line, for messages.
    const LAYOUT: &'static str;
    /// `None` if the format is read only.
    const HOLDS: Option<Holds>;
    /// Whether binary data are valid.
    const BINARY: bool = false;
    /// `None` if the format applies `time_unit` itself.
    const UNIT_NS: Option<u64>;
    /// Some files have other units, so the unit is doubted where no drive could follow.
    const UNIT_VARIES: bool = false;

    /// # Errors
    /// An option without meaning, or a bad value.
    fn configure(&mut self, options: &ReadOptions) -> Result<(), String> {
        refuse_others(options, &[])
    }

    /// Whether a file can only be of this format, by its first bytes; for binary formats.
    fn starts(_head: &[u8]) -> bool {
        false
    }

    /// Or record of bytes.
    fn take<'a>(&mut self, lines: &'a mut Lines) -> Result<Option<Line<'a>>, LineFault> {
        lines.next()
    }

    /// For detection.
    fn fits(&mut self, line: &[u8]) -> bool {
        reads(self, line)
    }

    /// Not blank, without its line end. `None` is a line without a request (a header, an event of another kind).
    ///
    /// # Errors
    /// Another format, or this one with an impossible value.
    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>>;

    /// Columns that no line so far has, and the columns that lines have.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Restarts of the trace's clock.
    fn restarts(&self) -> u64 {
        0
    }

    fn reason_of_emptiness(&self) -> Option<String> {
        None
    }

    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// As a line that [`parse`](Self::parse) reads back equal. The record is within [`HOLDS`](Self::HOLDS).
    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()>;
}

/// Others are refused or, if asked, rounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holds {
    pub(crate) time_ns: u64,
    pub(crate) bytes: u64,
    pub(crate) kinds: &'static [Kind],
    /// Without them all requests are of device 0.
    pub(crate) devices: bool,
    /// Forced writes (FUA), zeroes and handles are marked.
    pub(crate) write_forms: bool,
}

impl Holds {
    pub(crate) const fn reads_and_writes(time_ns: u64, bytes: u64) -> Option<Holds> {
        Some(Holds { time_ns, bytes, kinds: &[Kind::Read, Kind::Write], devices: true, write_forms: false })
    }
}

pub(crate) fn refuse_others(options: &ReadOptions, own: &[&str]) -> Result<(), String> {
    let given = [("events", options.events.is_some(), "blkparse"), ("columns", options.columns.is_some(), "csv")];
    match given.iter().find(|(name, given, _)| *given && !own.contains(name)) {
        Some((name, _, format)) => Err(format!("{name} is given, which is for traces in format {format} only")),
        None => Ok(()),
    }
}

macro_rules! formats {
    ($($variant:ident: $module:ident,)+) => {
        $(pub(crate) mod $module;)+

        /// A trace format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $(#[doc = concat!("See `formats/", stringify!($module), ".rs`.")] $variant,)+
        }

        impl Format {
            /// Every format, in order of detection.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As users write it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::NAME,)+ }
            }

            /// Origin, fields and units.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::DESCRIPTION,)+ }
            }

            pub(crate) fn layout(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::LAYOUT,)+ }
            }

            pub(crate) fn holds(self) -> Option<Holds> {
                match self { $(Self::$variant => $module::$variant::HOLDS,)+ }
            }

            pub(crate) fn is_binary(self) -> bool {
                match self { $(Self::$variant => $module::$variant::BINARY,)+ }
            }

            pub(crate) fn starts(self, head: &[u8]) -> bool {
                match self { $(Self::$variant => $module::$variant::starts(head),)+ }
            }

            /// Among the first lines of a file.
            pub(crate) fn count_fitting(self, lines: &[Line<'_>], options: &ReadOptions) -> usize {
                match self { $(Self::$variant => count::<$module::$variant>(lines, options, $module::$variant::fits),)+ }
            }

            pub(crate) fn count_readable(self, lines: &[Line<'_>], options: &ReadOptions) -> usize {
                match self { $(Self::$variant => count::<$module::$variant>(lines, options, reads),)+ }
            }

            pub(crate) fn missing(self, lines: &[Line<'_>], options: &ReadOptions) -> Option<String> {
                match self { $(Self::$variant => missing::<$module::$variant>(lines, options),)+ }
            }

            pub(crate) fn arrivals(self, lines: &[Line<'_>], options: &ReadOptions) -> Vec<u64> {
                match self { $(Self::$variant => arrivals::<$module::$variant>(lines, options),)+ }
            }

            pub(crate) fn unit_varies(self) -> bool {
                match self { $(Self::$variant => $module::$variant::UNIT_VARIES,)+ }
            }

            pub(crate) fn unit_ns(self) -> Option<u64> {
                match self { $(Self::$variant => $module::$variant::UNIT_NS,)+ }
            }

            pub(crate) fn decoder(self, options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
                Ok(match self { $(Self::$variant => Box::new(Decoder::<$module::$variant>::new(options)?),)+ })
            }

            pub(crate) fn encoder(self) -> Box<dyn Encode> {
                match self { $(Self::$variant => Box::new(Encoder::<$module::$variant>::default()),)+ }
            }
        }
    };
}
use formats;

impl Format {
    pub(crate) fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|format| format.name()).collect();
        names.join(", ")
    }

    /// Whether traces can be written in it.
    pub fn is_writable(self) -> bool {
        self.holds().is_some()
    }
}

impl FromStr for Format {
    type Err = TraceError;

    /// By its [`name`](Format::name).
    fn from_str(name: &str) -> Result<Self, TraceError> {
        let found = Self::ALL.iter().copied().find(|format| format.name() == name);
        found.ok_or_else(|| TraceError::FormatName { given: name.to_owned(), known: Self::names() })
    }
}

fn reads<F: TraceFormat>(format: &mut F, line: &[u8]) -> bool {
    format.parse(line).map_or_else(|fault| fault.is_of_format(), |_| true)
}

fn count<F: TraceFormat>(lines: &[Line<'_>], options: &ReadOptions, is_of: fn(&mut F, &[u8]) -> bool) -> usize {
    let mut format = F::default();
    let _ = format.configure(options);
    lines.iter().filter(|line| is_of(&mut format, line.text)).count()
}

fn missing<F: TraceFormat>(lines: &[Line<'_>], options: &ReadOptions) -> Option<String> {
    let mut format = F::default();
    let _ = format.configure(options);
    for line in lines {
        let _ = format.parse(line.text);
    }
    format.missing()
}

fn arrivals<F: TraceFormat>(lines: &[Line<'_>], options: &ReadOptions) -> Vec<u64> {
    let mut format = F::default();
    let _ = format.configure(options);
    let clock = Clock::of::<F>(options);
    let record = |line: &Line<'_>| format.parse(line.text).ok().flatten();
    lines.iter().filter_map(record).filter_map(|record| clock.in_ns(record.arrival_ns)).collect()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// Given and the format's, where they differ.
    units_ns: Option<(u64, u64)>,
}

impl Clock {
    pub(crate) fn of<F: TraceFormat>(options: &ReadOptions) -> Self {
        let asked = options.time_unit.map(TimeUnit::ns);
        Self { units_ns: asked.zip(F::UNIT_NS).filter(|(asked, own)| asked != own) }
    }

    /// `None` beyond 64 bits.
    #[inline]
    pub(crate) fn in_ns(self, time_ns: u64) -> Option<u64> {
        match self.units_ns {
            None => Some(time_ns),
            Some((asked, own)) => u64::try_from(u128::from(time_ns) * u128::from(asked) / u128::from(own)).ok(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn read(arrival_ns: u64, device: u32, offset_bytes: u64, bytes: u64) -> Option<Record> {
        Some(Record { arrival_ns, device, offset_bytes, bytes, kind: Kind::Read, ..Record::PLAIN })
    }

    pub(crate) fn write(arrival_ns: u64, device: u32, offset_bytes: u64, bytes: u64) -> Option<Record> {
        read(arrival_ns, device, offset_bytes, bytes).map(|record| Record { kind: Kind::Write, ..record })
    }

    pub(crate) fn check<F: TraceFormat>(lines: &[(&str, Option<Record>)], others: &[&str], bad: &[&str]) {
        let parse = |line: &str| F::default().parse(line.as_bytes());
        for (line, expected) in lines {
            assert_eq!(parse(line).unwrap(), *expected, "{line}");
        }
        for line in others {
            assert!(!parse(line).unwrap_err().is_of_format(), "{line}");
        }
        for line in bad {
            assert!(parse(line).unwrap_err().is_of_format(), "{line}");
        }
    }
}
