//! The formats, one file each.
//!
//! To add a format: write its file here, a [`TraceFormat`] like `msr.rs`, and add its line to the list below.
//! If `unread.rs` recognises it so far, that line goes. The round-trip test (`tests/properties.rs`) asks for
//! the units of its times and sizes.
//! (`cargo fmt` does not see files named only in a macro: run `rustfmt --edition 2024` on the file itself.)

use std::io::{self, Write};
use std::str::FromStr;

use canaletto::workload::replay::Record;

use crate::decode::{Decode, Decoder};
use crate::error::TraceError;
use crate::fields::{ExtentFault, Fault, check_extent};
use crate::lines::Line;

pub(crate) mod unread;

// In order of detection: if a file fits two formats equally well, the first has it.
formats! {
    Mqsim: mqsim,
    Msr: msr,
}

/// How one format writes a request on a line.
///
/// A value lives as long as its file is read, so a format may remember what it has seen: a header,
/// a column order, which requests are open.
pub(crate) trait TraceFormat: Default + Send + 'static {
    /// Short lower-case name, as users write it.
    const NAME: &'static str;
    /// One line for lists: whose format, what a line holds and in which units.
    const DESCRIPTION: &'static str;
    /// The fields of a line, for messages.
    const LAYOUT: &'static str;

    /// Reads one line, which is not blank and has no line end. `None` is a line without a request
    /// (a header, an event of another kind).
    ///
    /// # Errors
    /// The fault says whether the line is of another format or of this one with a value that cannot be.
    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>>;

    /// Writes one record as a line that [`parse`](Self::parse) reads back equal, line end included.
    ///
    /// # Errors
    /// If the format cannot hold the record exactly: which field, its value, and what is allowed.
    fn write(record: &Record, out: &mut dyn Write) -> Result<(), Unfit>;
}

/// Why a record was not written.
#[derive(Debug)]
pub(crate) enum Unfit {
    Field { field: &'static str, given: u64, allowed: &'static str },
    Io(io::Error),
}

impl From<io::Error> for Unfit {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// `value` in units of `unit`, if it is a whole number of them.
pub(crate) fn whole_units(field: &'static str, value: u64, unit: u64, allowed: &'static str) -> Result<u64, Unfit> {
    if value % unit == 0 { Ok(value / unit) } else { Err(Unfit::Field { field, given: value, allowed }) }
}

/// Makes [`Format`] and its calls out of the list of formats.
macro_rules! formats {
    ($($variant:ident: $module:ident,)+) => {
        $(mod $module;)+

        /// A trace format that is read and written.
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

            /// Whose format it is, what a line holds and in which units, in one line.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::DESCRIPTION,)+ }
            }

            /// The fields of a line.
            pub(crate) fn layout(self) -> &'static str {
                match self { $(Self::$variant => $module::$variant::LAYOUT,)+ }
            }

            /// How many of the first lines of a file are of this format.
            pub(crate) fn count_fitting(self, lines: &[Line<'_>]) -> usize {
                match self { $(Self::$variant => count_fitting::<$module::$variant>(lines),)+ }
            }

            pub(crate) fn decoder(self) -> Box<dyn Decode> {
                match self { $(Self::$variant => Box::new(Decoder::<$module::$variant>::default()),)+ }
            }

            fn write_line(self, record: &Record, out: &mut dyn Write) -> Result<(), Unfit> {
                match self { $(Self::$variant => $module::$variant::write(record, out),)+ }
            }
        }
    };
}
use formats;

impl Format {
    /// The names of all formats, for messages.
    pub(crate) fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|format| format.name()).collect();
        names.join(", ")
    }

    /// Writes `record` as one line, which reads back equal. Nothing is rounded.
    ///
    /// # Errors
    /// [`TraceError::Unwritable`] if this format cannot hold the record exactly, or no reader would take it;
    /// [`TraceError::Write`] if `out` fails.
    pub fn write_record(self, record: &Record, out: &mut dyn Write) -> Result<(), TraceError> {
        let refuse = |field, given, allowed| TraceError::Unwritable { format: self.name(), field, given, allowed };
        check_extent(record.offset_bytes, record.bytes).map_err(|fault| match fault {
            ExtentFault::Size(allowed) => refuse("size in bytes", record.bytes, allowed),
            ExtentFault::Offset(allowed) => refuse("offset in bytes", record.offset_bytes, allowed),
        })?;
        self.write_line(record, out).map_err(|unfit| match unfit {
            Unfit::Field { field, given, allowed } => refuse(field, given, allowed),
            Unfit::Io(error) => TraceError::Write(error),
        })
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

fn count_fitting<F: TraceFormat>(lines: &[Line<'_>]) -> usize {
    let mut format = F::default();
    let mut fits = |line: &Line<'_>| format.parse(line.text).map_or_else(|fault| fault.is_of_format(), |_| true);
    lines.iter().filter(|line| fits(line)).count()
}
