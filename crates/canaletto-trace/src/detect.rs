//! Which format a trace is in, told by its first lines.

use std::path::Path;

use crate::error::{TraceError, binary_at, quote};
use crate::formats::{Format, unread};
use crate::lines::{Line, LineFault, Lines};

/// First lines looked at.
const SAMPLE: usize = 32;

/// Finds the format of the trace, or checks the one that was `named`. Takes no line that is not blank.
///
/// A single bad line must not hide the format of all the others, as the message is best when it can say
/// what that line should have been: the format that fits most of the sample wins if it fits half of it.
pub(crate) fn detect(path: &Path, lines: &mut Lines, named: Option<Format>) -> Result<Format, TraceError> {
    let sample = match lines.sample(SAMPLE) {
        Ok(sample) if !sample.is_empty() => sample,
        Ok(_) => {
            return Err(TraceError::Empty { path: path.to_owned(), lines: lines.number() });
        }
        Err(fault) => return Err(line_error(path, lines, fault)),
    };
    let best = best(&sample);
    let chosen = match named {
        Some(format) => (format.count_fitting(&sample[..1]) == 1).then_some(format),
        None => best,
    };
    let first = sample[0].text.to_vec();
    chosen.ok_or_else(|| refusal(path, lines.number() + 1, &first, named, best))
}

fn best(sample: &[Line<'_>]) -> Option<Format> {
    let counts = Format::ALL.iter().map(|format| (format.count_fitting(sample), *format));
    // `max_by_key` returns the last of equals; the first of the list has precedence.
    let (count, format) = counts.rev().max_by_key(|(count, _)| *count)?;
    (2 * count >= sample.len()).then_some(format)
}

/// Why the trace with this first line is not read.
fn refusal(path: &Path, line: u64, first: &[u8], named: Option<Format>, best: Option<Format>) -> TraceError {
    if let Some(binary) = binary_error(path, line, first) {
        return binary;
    }
    let (path, given, guess) = (path.to_owned(), quote(first), unread::recognise(first));
    match named {
        Some(named) => {
            let hint = best.map_or(String::new(), |format| format!(" (the trace looks like {})", format.name()));
            TraceError::WrongFormat { path, line, named: named.name(), layout: named.layout(), hint, given }
        }
        None => TraceError::UnknownFormat { path, line, guess, given, known: Format::names() },
    }
}

/// The error for `fault`, met behind the last line given out.
pub(crate) fn line_error(path: &Path, lines: &Lines, fault: LineFault) -> TraceError {
    let line = lines.number() + 1;
    match fault {
        LineFault::TooLong => binary_error(path, line, lines.held())
            .unwrap_or_else(|| TraceError::LineTooLong { path: path.to_owned(), line }),
        LineFault::Read(error) => {
            TraceError::Read { path: path.to_owned(), after_line: lines.number(), reason: error.to_string() }
        }
    }
}

/// The error for binary data in `text`, if there is any.
pub(crate) fn binary_error(path: &Path, line: u64, text: &[u8]) -> Option<TraceError> {
    let at = binary_at(text)?;
    Some(TraceError::Binary { path: path.to_owned(), line, column: at + 1, byte: text[at] })
}
