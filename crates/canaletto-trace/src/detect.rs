//! Detection of a trace's format from its first lines.

use std::path::Path;

use canaletto::config::reading::{OnError, ReadOptions, TimeUnit};

use crate::columns;
use crate::error::{TraceError, binary_at, quote};
use crate::formats::Format;
use crate::lines::{Line, LineFault, Lines};
use crate::reader::Options;
use crate::tally::Tally;

const SAMPLE: usize = 32;
/// For columns and for the unit of time.
const LOOKED_THROUGH: usize = 1024;
const JUDGED: usize = 10;
/// No drive keeps up with more.
const FASTEST_PER_S: f64 = 1e7;
/// Nobody records a slower trace: one per minute.
const SLOWEST_PER_S: f64 = 1.0 / 60.0;

/// Or checks the format that was named. Takes only blank lines.
///
/// A bad line must not hide the others' format: the one that fits most of the sample wins if it fits half.
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
    lines.skip_blank().map_err(|fault| line_error(path, lines, fault))?;
    let skipped_over = lines.number();
    let looked_through = match lines.sample(LOOKED_THROUGH) {
        Ok(sample) if !sample.is_empty() => sample,
        Ok(_) => {
            return Err(TraceError::Empty { path: path.to_owned(), lines: lines.number(), skipped: 0, reason: None });
        }
        Err(fault) => return Err(line_error(path, lines, fault)),
    };
    let sample = &looked_through[..looked_through.len().min(SAMPLE)];
    let best = best(sample, read);
    let first = looked_through[0].text;
    let missing = named.and_then(|format| format.missing(&looked_through, read));
    if let Some(missing) = missing.filter(|_| binary_at(first).is_none()) {
        return Err(match &read.columns {
            Some(columns) => TraceError::Columns { path: path.to_owned(), columns: columns.clone(), missing },
            None => refusal(path, skipped_over + 1, &looked_through, (named, read), best),
        });
    }
    // A bad first line is left out like any other, if any line is.
    let looked_at = if read.on_error == OnError::Skip { sample } else { &sample[..1] };
    let looked_at: Vec<Line<'_>> = looked_at.iter().filter(|line| binary_at(line.text).is_none()).copied().collect();
    let chosen = match named {
        Some(format) => (!format.is_binary() && format.count_readable(&looked_at, read) > 0).then_some(format),
        None => best,
    };
    match chosen {
        Some(format) => judge_unit(path, format, &looked_through, read).map(|()| format),
        None => Err(refusal(path, skipped_over + 1, &looked_through, (named, read), best)),
    }
}

/// If no drive has the trace's pace, and another unit would make one plausible.
fn judge_unit(path: &Path, format: Format, lines: &[Line<'_>], read: &ReadOptions) -> Result<(), TraceError> {
    if !format.unit_varies() || read.time_unit.is_some() {
        return Ok(());
    }
    let per_s = |read: &ReadOptions| {
        let arrivals = format.arrivals(lines, read);
        let span_ns = arrivals.iter().max()?.abs_diff(*arrivals.iter().min()?);
        (arrivals.len() >= JUDGED).then(|| (arrivals.len() - 1) as f64 / (span_ns as f64 / 1e9))
    };
    // On a clock of microseconds a request per tick is many already, and one per second of a clock that counts seconds.
    let fastest = if format.unit_ns() == Some(1000) { 1e6 } else { FASTEST_PER_S };
    let Some(found) = per_s(read).filter(|found| !(SLOWEST_PER_S..fastest).contains(found)) else {
        return Ok(());
    };
    let others = TimeUnit::ALL.into_iter().filter_map(|unit| {
        let found = per_s(&ReadOptions { time_unit: Some(unit), ..read.clone() })?;
        (SLOWEST_PER_S..FASTEST_PER_S).contains(&found).then_some((unit, found))
    });
    let others: Vec<String> = others
        .filter(|(_, other)| *other != found)
        .map(|(unit, per_s)| format!("{} ({})", unit.name(), pace(per_s)))
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let own = format.unit_ns().and_then(|own| TimeUnit::ALL.into_iter().find(|unit| unit.ns() == own));
    let unit = own.unwrap_or(TimeUnit::Nanosecond).name();
    let pace = if found.is_infinite() { pace(found) } else { format!("at {}", pace(found)) };
    Err(TraceError::TimeUnit { path: path.to_owned(), unit, pace, others: others.join(", ") })
}

fn pace(per_s: f64) -> String {
    match per_s {
        _ if per_s.is_infinite() => "all at once".to_owned(),
        1e9.. => format!("{:.3} billion per second", per_s / 1e9),
        1e6.. => format!("{:.3} million per second", per_s / 1e6),
        100.0.. => format!("{per_s:.0} per second"),
        1.0.. => format!("{per_s:.1} per second"),
        SLOWEST_PER_S.. => format!("{:.1} per minute", per_s * 60.0),
        _ => format!("one request in {:.0} minutes", 1.0 / (per_s * 60.0)),
    }
}

fn best(sample: &[Line<'_>], read: &ReadOptions) -> Option<Format> {
    let texts = Format::ALL.iter().filter(|format| !format.is_binary());
    let counts = texts.map(|format| (format.count_fitting(sample, read), *format));
    // `max_by_key` returns the last of equals; the first of the list has precedence.
    let (count, format) = counts.rev().max_by_key(|(count, _)| *count)?;
    (2 * count >= sample.len()).then_some(format)
}

/// Why the trace with this first line is not read.
fn refusal(
    path: &Path,
    line: u64,
    lines: &[Line<'_>],
    (named, read): (Option<Format>, &ReadOptions),
    best: Option<Format>,
) -> TraceError {
    let first = lines[0].text;
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
        None => TraceError::UnknownFormat { path, line, given, known: Format::names(), columns: example(lines) },
    }
}

fn example(lines: &[Line<'_>]) -> String {
    let fields = |line: &Line<'_>| {
        let text = String::from_utf8_lossy(line.text).into_owned();
        let separator =
            [',', ';', '\t', '|', ' '].into_iter().find(|separator| text.contains(*separator)).unwrap_or(',');
        let fields =
            text.trim_start_matches('#').split(separator).map(|field| field.trim().trim_matches('"').to_owned());
        fields.filter(|field| !field.is_empty()).collect::<Vec<_>>()
    };
    let examples = lines.iter().take(SAMPLE).filter_map(|line| {
        let fields = fields(line);
        columns::example(&fields.iter().map(String::as_str).collect::<Vec<_>>())
    });
    examples.into_iter().next().unwrap_or_else(|| columns::EXAMPLE.to_owned())
}

pub(crate) fn options_error(path: &Path, format: Format, problem: String) -> TraceError {
    TraceError::Options { path: path.to_owned(), format: format.name(), problem }
}

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

pub(crate) fn binary_error(path: &Path, line: u64, text: &[u8]) -> Option<TraceError> {
    let at = binary_at(text)?;
    Some(TraceError::Binary { path: path.to_owned(), line, column: at + 1, byte: text[at] })
}
