//! Detection of a trace's format from its first lines.

use std::path::Path;

use canaletto::config::reading::{OnError, ReadOptions};

use crate::error::{TraceError, binary_at, quote};
use crate::formats::Format;
use crate::lines::{Line, LineFault, Lines};
use crate::reader::Options;
use crate::tally::Tally;

/// Number of first lines that are examined.
const SAMPLE: usize = 32;

/// Finds the format of the trace, or checks the one that was named. Takes no line that is not blank.
///
/// A single bad line must not hide the format of all the others, as the message is best when it can say
/// what that line should have been: the format that fits most of the sample wins if it fits half of it.
pub(crate) fn detect(path: &Path, lines: &mut Lines, options: &Options, tally: &Tally) -> Result<Format, TraceError> {
    let read = &options.read;
    // Columns are named for no other format.
    let named = options.format.or_else(|| read.columns.as_ref().map(|_| Format::Csv));
    if let Some(format) = named {
        // Whether the options make sense does not depend on the content.
        format.decoder(read).map_err(|problem| options_error(path, format, problem))?;
    }
    let binary = Format::ALL.iter().copied().find(|format| format.starts(lines.head()));
    if let Some(format) = binary.filter(|format| named.is_none_or(|named| named == *format)) {
        return Ok(format);
    }
    while read.on_error == OnError::Skip && matches!(lines.skip_blank(), Err(LineFault::TooLong)) {
        tally.skip(&line_error(path, lines, LineFault::TooLong));
        lines.skip_long_line();
    }
    let sample = match lines.sample(SAMPLE) {
        Ok(sample) if !sample.is_empty() => sample,
        Ok(_) => {
            return Err(TraceError::Empty { path: path.to_owned(), lines: lines.number(), skipped: 0, reason: None });
        }
        Err(fault) => return Err(line_error(path, lines, fault)),
    };
    let best = best(&sample, read);
    // A bad first line is left out like any other, if any line is.
    let looked_at = if read.on_error == OnError::Skip { &sample[..] } else { &sample[..1] };
    let chosen = match named {
        Some(format) => (!format.is_binary() && format.count_readable(looked_at, read) > 0).then_some(format),
        None => best,
    };
    let first = sample[0].text.to_vec();
    chosen.ok_or_else(|| refusal(path, lines.number() + 1, &first, (named, read), best))
}

fn best(sample: &[Line<'_>], read: &ReadOptions) -> Option<Format> {
    let texts = Format::ALL.iter().filter(|format| !format.is_binary());
    let counts = texts.map(|format| (format.count_fitting(sample, read), *format));
    // `max_by_key` returns the last of equals; the first of the list has precedence.
    let (count, format) = counts.rev().max_by_key(|(count, _)| *count)?;
    (2 * count >= sample.len()).then_some(format)
}

/// Returns the reason that the trace with this first line is not read.
fn refusal(
    path: &Path,
    line: u64,
    first: &[u8],
    (named, read): (Option<Format>, &ReadOptions),
    best: Option<Format>,
) -> TraceError {
    if let Some(binary) = binary_error(path, line, first) {
        return binary;
    }
    let (path, given) = (path.to_owned(), quote(first));
    match named {
        Some(named) => {
            let hint = best.map_or(String::new(), |format| format!(" (the trace looks like {})", format.name()));
            let layout = read.columns.clone().unwrap_or_else(|| named.layout().to_owned());
            TraceError::WrongFormat { path, line, named: named.name(), layout, hint, given }
        }
        None => TraceError::UnknownFormat { path, line, given, known: Format::names() },
    }
}

/// Returns the error for options that `format` does not take.
pub(crate) fn options_error(path: &Path, format: Format, problem: String) -> TraceError {
    TraceError::Options { path: path.to_owned(), format: format.name(), problem }
}

/// Returns the error for `fault`, met behind the last line given out.
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

/// Returns the error for binary data in `text`, if there is any.
pub(crate) fn binary_error(path: &Path, line: u64, text: &[u8]) -> Option<TraceError> {
    let at = binary_at(text)?;
    Some(TraceError::Binary { path: path.to_owned(), line, column: at + 1, byte: text[at] })
}
