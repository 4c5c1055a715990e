//! The formats, one file each.
//!
//! To add one: write its file here, a [`TraceFormat`] like `msr.rs`, and add its line to the list below, from which the
//! tests of every format (`tests/integration/properties.rs`, `every_format.rs`, `fuzz.rs`) take it. (`cargo fmt` does
//! not see files named only in a macro: run `rustfmt --edition 2024` on the file itself.)

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

/// How one format writes a request on a line, or in a record of bytes.
///
/// A value lives as long as its file is read or written, so a format may remember what it has seen: a header,
/// a column order, names of files.
pub(crate) trait TraceFormat: Default + Send + 'static {
    /// Short lower-case name, as users write it.
    const NAME: &'static str;
    /// One line for lists: whose format, what a line holds and in which units.
    const DESCRIPTION: &'static str;
    /// The fields of a line, for messages.
    const LAYOUT: &'static str;
    /// Range of records that the format can hold; `None` if the format is read only.
    const HOLDS: Option<Holds>;
    /// Whether binary data are valid.
    const BINARY: bool = false;
    /// Length of the unit of its times, in nanoseconds; `None` if the format applies `time_unit` itself.
    const UNIT_NS: Option<u64>;
    /// Whether there are files of it in other units, so that the unit is doubted where no drive could follow.
    const UNIT_VARIES: bool = false;

    /// Takes the options that are this format's own.
    ///
    /// # Errors
    /// An option that means nothing to this format, or a bad value: what was given and what is expected.
    fn configure(&mut self, options: &ReadOptions) -> Result<(), String> {
        refuse_others(options, &[])
    }

    /// Whether the first bytes of a file can only be of this format; asked of formats that are not lines of text.
    fn starts(_head: &[u8]) -> bool {
        false
    }

    /// Takes the next line, or record of bytes.
    fn take<'a>(&mut self, lines: &'a mut Lines) -> Result<Option<Line<'a>>, LineFault> {
        lines.next()
    }

    /// Asked when the format must be found out.
    fn fits(&mut self, line: &[u8]) -> bool {
        reads(self, line)
    }

    /// Reads one line, which is not blank and has no line end. `None` is a line without a request
    /// (a header, an event of another kind).
    ///
    /// # Errors
    /// The fault says whether the line is of another format or of this one with a value that cannot be.
    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>>;

    /// Columns that no line so far has, and those that there are; for a format that looks for its columns.
    fn missing(&self) -> Option<String> {
        None
    }

    /// Number of times that the clock of the trace has started again.
    fn restarts(&self) -> u64 {
        0
    }

    fn reason_of_emptiness(&self) -> Option<String> {
        None
    }

    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes one record, which is within [`HOLDS`](Self::HOLDS), as a line that [`parse`](Self::parse) reads back
    /// equal, line end included.
    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()>;
}

/// Range of records that a format can hold. Others are refused or, if asked, rounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holds {
    /// Resolution of times, in nanoseconds.
    pub(crate) time_ns: u64,
    /// Resolution of offsets and sizes, in bytes.
    pub(crate) bytes: u64,
    /// Kinds of requests.
    pub(crate) kinds: &'static [Kind],
    /// Whether the format has device numbers. Without them all requests are of device 0.
    pub(crate) devices: bool,
    /// Whether the format tells forced writes (FUA) and zeroes from other writes.
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

/// Makes [`Format`] and its calls out of the list of formats.
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

            /// Short lower-case name, as users write it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::NAME,)+ }
            }

            /// Returns origin, fields and units of the format, in one line.
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

            /// Whether a file that starts with `head` can only be of this format.
            pub(crate) fn starts(self, head: &[u8]) -> bool {
                match self { $(Self::$variant => $module::$variant::starts(head),)+ }
            }

            /// How many of the first lines of a file may be lines of this format.
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

    /// Finds a format by its [`name`](Format::name).
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
    /// Lengths of the unit that was asked for and of the format's, where they differ.
    units_ns: Option<(u64, u64)>,
}

impl Clock {
    pub(crate) fn of<F: TraceFormat>(options: &ReadOptions) -> Self {
        let asked = options.time_unit.map(TimeUnit::ns);
        Self { units_ns: asked.zip(F::UNIT_NS).filter(|(asked, own)| asked != own) }
    }

    /// Returns a time of the format; `None` beyond 64 bits.
    #[inline]
    pub(crate) fn in_ns(self, time_ns: u64) -> Option<u64> {
        match self.units_ns {
            None => Some(time_ns),
            Some((asked, own)) => u64::try_from(u128::from(time_ns) * u128::from(asked) / u128::from(own)).ok(),
        }
    }
}
