//! Lines into records, checked.

use std::path::Path;

use canaletto::config::reading::{OnError, ReadOptions};
use canaletto::workload::replay::Record;

use crate::detect::{binary_error, line_error};
use crate::error::{TraceError, quote};
use crate::fields::{Fault, Field};
use crate::formats::{Clock, TraceFormat};
use crate::lines::{Line, LineFault, Lines};
use crate::tally::{Tally, Watch};

/// Dispatched once per batch.
pub(crate) trait Decode: Send {
    /// Adds up to `wanted` records in the order of the lines. None may arrive before `floor_ns`, the last record handed
    /// on.
    ///
    /// # Errors
    /// The records before the error have been added.
    fn fill(&mut self, place: &mut Place<'_>, batch: &mut Vec<Record>, wanted: usize) -> Result<(), TraceError>;
}

pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    pub(crate) lines: &'a mut Lines,
    pub(crate) floor_ns: u64,
    pub(crate) tally: &'a Tally,
}

pub(crate) struct Decoder<F> {
    format: F,
    layout: String,
    clock: Clock,
    skips: bool,
    window: u32,
    newest_ns: u64,
    newest_line: u64,
    any: bool,
    watch: Watch,
}

impl<F: TraceFormat> Decoder<F> {
    pub(crate) fn new(options: &ReadOptions) -> Result<Self, String> {
        let mut format = F::default();
        format.configure(options)?;
        let skips = options.on_error == OnError::Skip;
        Ok(Self {
            format,
            layout: options.columns.clone().unwrap_or_else(|| F::LAYOUT.to_owned()),
            clock: Clock::of::<F>(options),
            skips,
            window: options.sort_window,
            newest_ns: 0,
            newest_line: 0,
            any: false,
            watch: Watch::default(),
        })
    }

    /// Counts a line left out; else its error ends the trace.
    #[cold]
    fn skip(&self, error: TraceError, tally: &Tally) -> Result<(), TraceError> {
        if !self.skips {
            return Err(error);
        }
        tally.skip(&error);
        Ok(())
    }

    /// If it is not too late.
    #[cold]
    fn out_of_order(&self, record: &Record, place: &Place<'_>) -> Result<(), TraceError> {
        let floor_ns = if self.window == 0 { self.newest_ns } else { place.floor_ns };
        if record.arrival_ns >= floor_ns {
            place.tally.out_of_order();
            return Ok(());
        }
        Err(TraceError::Backwards {
            path: place.path.to_owned(),
            line: place.lines.number(),
            given_ns: record.arrival_ns,
            previous_ns: self.newest_ns,
            previous_line: self.newest_line,
            window: self.window,
        })
    }
}

impl<F: TraceFormat> Decode for Decoder<F> {
    fn fill(&mut self, place: &mut Place<'_>, batch: &mut Vec<Record>, wanted: usize) -> Result<(), TraceError> {
        let outcome = self.read(place, batch, wanted);
        place.tally.tell(&self.watch, self.format.restarts());
        outcome
    }
}

impl<F: TraceFormat> Decoder<F> {
    fn read(&mut self, place: &mut Place<'_>, batch: &mut Vec<Record>, wanted: usize) -> Result<(), TraceError> {
        let full = batch.len() + wanted;
        while batch.len() < full {
            let line = match self.format.take(place.lines) {
                Ok(Some(line)) => line,
                Ok(None) if !self.any => {
                    let (path, lines, skipped) = (place.path.to_owned(), place.lines.number(), place.tally.skipped());
                    let reason = self.format.reason_of_emptiness();
                    return Err(TraceError::Empty { path, lines, skipped, reason });
                }
                Ok(None) => break,
                Err(LineFault::TooLong) if self.skips => {
                    let error = line_error(place.path, place.lines, LineFault::TooLong);
                    place.tally.skip(&error);
                    place.lines.skip_long_line();
                    continue;
                }
                Err(fault) => return Err(line_error(place.path, place.lines, fault)),
            };
            match self.format.parse(line.text).and_then(|found| in_ns(found, self.clock)) {
                Ok(Some(record)) => {
                    if record.arrival_ns < self.newest_ns {
                        if let Err(error) = self.out_of_order(&record, place) {
                            self.skip(error, place.tally)?;
                            continue;
                        }
                    } else {
                        (self.newest_ns, self.newest_line) = (record.arrival_ns, place.lines.number());
                    }
                    self.any = true;
                    self.watch.add(&record);
                    batch.push(record);
                }
                Ok(None) => {}
                Err(fault) => {
                    let (text, ended) = (line.text.to_vec(), line.ended);
                    let given = Line { text: &text, ended };
                    let error = parse_error::<F>(place.path, place.lines.number(), &self.layout, given, *fault);
                    self.skip(error, place.tally)?;
                }
            }
        }
        Ok(())
    }
}

static TIME: Field = Field { name: "time", allowed: "a time that is below 2^64 ns in the unit that time_unit names" };

#[inline]
fn in_ns(found: Option<Record>, clock: Clock) -> Result<Option<Record>, Box<Fault>> {
    let Some(record) = found else { return Ok(None) };
    match clock.in_ns(record.arrival_ns) {
        Some(arrival_ns) => Ok(Some(Record { arrival_ns, ..record })),
        None => Err(Fault::value(&TIME, record.arrival_ns.to_string().as_bytes(), TIME.allowed)),
    }
}

#[cold]
fn parse_error<F: TraceFormat>(path: &Path, line: u64, layout: &str, given: Line<'_>, fault: Fault) -> TraceError {
    if let Some(binary) = binary_error(path, line, given.text).filter(|_| !F::BINARY) {
        return binary;
    }
    let (text, path, layout) = (quote(given.text), path.to_owned(), layout.to_owned());
    if !given.ended && !fault.is_of_format() {
        return TraceError::TornLine { path, line, layout, given: text };
    }
    match fault {
        Fault::Fields { found } => TraceError::ForeignLine { path, line, format: F::NAME, found, layout, given: text },
        Fault::Text { field, given, allowed } | Fault::Value { field, given, allowed } => {
            TraceError::Field { path, line, field, given, allowed }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Write};

    use super::*;
    use crate::formats::Holds;

    /// A format whose lines are all headers.
    #[derive(Default)]
    struct Headers;

    impl TraceFormat for Headers {
        const NAME: &'static str = "headers";
        const DESCRIPTION: &'static str = "";
        const LAYOUT: &'static str = "";
        const UNIT_NS: Option<u64> = None;
        const HOLDS: Option<Holds> = None;

        fn parse(&mut self, _: &[u8]) -> Result<Option<Record>, Box<Fault>> {
            Ok(None)
        }

        fn write(&mut self, _: &Record, _: &mut dyn Write) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_trace_of_headers_only_is_empty() {
        let mut lines = Lines::new(Box::new(Cursor::new("a\nb\n")));
        let mut decoder = Decoder::<Headers>::new(&ReadOptions::default()).unwrap();
        let tally = Tally::default();
        let mut place = Place { path: Path::new("t"), lines: &mut lines, floor_ns: 0, tally: &tally };
        let error = decoder.fill(&mut place, &mut Vec::new(), 9).unwrap_err();
        assert_eq!(error.to_string(), "t: the trace is empty: no request on its 2 lines; at least one is needed");
    }
}
