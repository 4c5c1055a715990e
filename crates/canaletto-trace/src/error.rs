//! Errors of traces.

use std::io;
use std::path::PathBuf;

use crate::lines::LONGEST_LINE;

/// Error of reading or writing a trace.
///
/// Line numbers count from 1, in the decompressed text.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages are the documentation of their fields.
pub enum TraceError {
    /// The file is missing, forbidden, or a directory.
    #[error("{path}: cannot open the trace: {source}")]
    Open { path: PathBuf, source: io::Error },

    /// No line holds a request.
    #[error(
        "{path}: the trace is empty: no request on its {lines} line{}{}; {}", if *.lines == 1 { "" } else { "s" }, left_out(*.skipped),
        .reason.as_deref().unwrap_or("at least one is needed")
    )]
    Empty { path: PathBuf, lines: u64, skipped: u64, reason: Option<String> },

    /// Options that the format does not have, or cannot make sense of.
    #[error("{path}: read as {format}: {problem}")]
    Options { path: PathBuf, format: &'static str, problem: String },

    /// Compressed or packed in a way that is not read.
    #[error("{path}: this is {given} data; a trace is plain text or that text in gzip, zstd or xz")]
    Compression { path: PathBuf, given: &'static str },

    /// The line has bytes that no text has.
    #[error(
        "{path}:{line}: binary data (byte 0x{byte:02x} at column {column}); a trace is plain text or that text in gzip, zstd or xz"
    )]
    Binary { path: PathBuf, line: u64, column: usize, byte: u8 },

    /// The line does not end within [`LONGEST_LINE`] bytes.
    #[error("{path}:{line}: the line is longer than {LONGEST_LINE} bytes, the most a trace line may have")]
    LineTooLong { path: PathBuf, line: u64 },

    /// A format was named that does not exist.
    #[error("unknown trace format {given:?}; the formats are {known}")]
    FormatName { given: String, known: String },

    /// The content is of no format that is read.
    #[error(
        "{path}:{line}: no format that is known; the formats are {known}; the line is \"{given}\"; columns of another CSV file are \
         named, for example: --columns {columns}"
    )]
    UnknownFormat { path: PathBuf, line: u64, given: String, known: String, columns: String },

    /// No line has the columns that are named.
    #[error("{path}: columns is \"{columns}\": {missing}")]
    Columns { path: PathBuf, columns: String, missing: String },

    /// The trace runs at a pace that speaks for another unit of time.
    #[error(
        "{path}: with times in {unit}, requests arrive {pace}; state the unit: --time-unit {unit} if that is right, or one of {others}"
    )]
    TimeUnit { path: PathBuf, unit: &'static str, pace: String, others: String },

    /// The content is not of the format that was named.
    #[error("{path}:{line}: named format {named}, but this line is not \"{layout}\"{hint}; the line is \"{given}\"")]
    WrongFormat { path: PathBuf, line: u64, named: &'static str, layout: String, hint: String, given: String },

    /// A line with another number of fields than the format has.
    #[error("{path}:{line}: {found} field{} where {format} has \"{layout}\"; the line is \"{given}\"", if *.found == 1 { "" } else { "s" })]
    ForeignLine { path: PathBuf, line: u64, format: &'static str, found: usize, layout: String, given: String },

    /// The last line has no line end and is not a whole record.
    #[error("{path}:{line}: the last line is torn: it does not end and is not \"{layout}\"; the line is \"{given}\"")]
    TornLine { path: PathBuf, line: u64, layout: String, given: String },

    /// A field whose text or value is not allowed.
    #[error("{path}:{line}: {field} is \"{given}\"; allowed is {allowed}")]
    Field { path: PathBuf, line: u64, field: &'static str, given: String, allowed: &'static str },

    /// A request arrives before requests that have been handed on.
    #[error(
        "{path}:{line}: time runs backwards: arrival at {given_ns} ns, after {previous_ns} ns on line {previous_line}, \
         and more than the sort window of {window} requests later; sort the trace by arrival time or widen the window"
    )]
    Backwards { path: PathBuf, line: u64, given_ns: u64, previous_ns: u64, previous_line: u64, window: u32 },

    /// The bytes stop coming: damaged or cut compression, a failing disk, a file that shrinks.
    #[error("{path}: cannot read on after line {after_line}: {reason}")]
    Read { path: PathBuf, after_line: u64, reason: String },

    /// The format to write cannot hold this record exactly.
    #[error("format {format} cannot hold a request whose {field} is {given}; allowed is {allowed}{hint}")]
    Unwritable { format: &'static str, field: &'static str, given: String, allowed: String, hint: &'static str },

    /// The format is read only.
    #[error("format {format} is read, but not written; the formats written are {known}")]
    ReadOnly { format: &'static str, known: String },

    /// The output takes no more bytes.
    #[error("cannot write the trace: {0}")]
    Write(#[from] io::Error),
}

fn left_out(skipped: u64) -> String {
    if skipped == 0 { String::new() } else { format!(", {skipped} of them bad and left out") }
}

const SHOWN: usize = 80;

pub(crate) fn quote(text: &[u8]) -> String {
    let shown = text[..text.len().min(SHOWN)].escape_ascii().to_string();
    if text.len() > SHOWN { shown + "..." } else { shown }
}

/// NUL, or a byte that is not UTF-8.
pub(crate) fn binary_at(text: &[u8]) -> Option<usize> {
    let nul = memchr::memchr(0, text);
    let bad = std::str::from_utf8(text).err().filter(|e| e.error_len().is_some()).map(|e| e.valid_up_to());
    nul.into_iter().chain(bad).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quote(b"a\tb\n\"\x00\xff"), r#"a\tb\n\"\x00\xff"#);
        assert_eq!(quote(&[b'x'; 1000]).len(), SHOWN + 3);
    }

    #[test]
    fn binary_is_nul_or_not_utf8() {
        assert_eq!(binary_at(b"plain \xc3\xa9"), None);
        assert_eq!(binary_at(b"ab\x00"), Some(2));
        assert_eq!(binary_at(b"a\xff\x00"), Some(1));
        assert_eq!(binary_at(b"cut \xc3"), None, "the rest may follow");
    }
}
