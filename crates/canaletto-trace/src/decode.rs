//! Lines into records, checked.

use std::path::Path;

use canaletto::workload::replay::Record;

use crate::detect::{binary_error, line_error};
use crate::error::{TraceError, quote};
use crate::fields::Fault;
use crate::formats::TraceFormat;
use crate::lines::{Line, Lines};

/// Decodes the lines of one trace, whatever its format: dispatched once a batch.
pub(crate) trait Decode: Send {
    /// Adds records to `batch` until it holds `limit` or the trace ends; `path` is for messages.
    ///
    /// # Errors
    /// The records before the error have been added.
    fn fill(&mut self, path: &Path, lines: &mut Lines, batch: &mut Vec<Record>, limit: usize)
    -> Result<(), TraceError>;
}

/// A format and how far its trace has come.
#[derive(Debug, Default)]
pub(crate) struct Decoder<F> {
    format: F,
    /// Arrival and line of the last record.
    last_ns: u64,
    last_line: u64,
}

impl<F: TraceFormat> Decode for Decoder<F> {
    fn fill(
        &mut self,
        path: &Path,
        lines: &mut Lines,
        batch: &mut Vec<Record>,
        limit: usize,
    ) -> Result<(), TraceError> {
        while batch.len() < limit {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) if self.last_line == 0 => {
                    return Err(TraceError::Empty { path: path.to_owned(), lines: lines.number() });
                }
                Ok(None) => break,
                Err(fault) => return Err(line_error(path, lines, fault)),
            };
            let record = match self.format.parse(line.text) {
                Ok(Some(record)) => record,
                Ok(None) => continue,
                Err(fault) => {
                    let (text, ended) = (line.text.to_vec(), line.ended);
                    return Err(parse_error::<F>(path, lines.number(), Line { text: &text, ended }, *fault));
                }
            };
            let number = lines.number();
            if record.arrival_ns < self.last_ns {
                return Err(TraceError::Backwards {
                    path: path.to_owned(),
                    line: number,
                    given_ns: record.arrival_ns,
                    previous_ns: self.last_ns,
                    previous_line: self.last_line,
                });
            }
            (self.last_ns, self.last_line) = (record.arrival_ns, number);
            batch.push(record);
        }
        Ok(())
    }
}

#[cold]
fn parse_error<F: TraceFormat>(path: &Path, line: u64, given: Line<'_>, fault: Fault) -> TraceError {
    if let Some(binary) = binary_error(path, line, given.text) {
        return binary;
    }
    let (text, path, layout) = (quote(given.text), path.to_owned(), F::LAYOUT);
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
    use std::io::{Cursor, Write};

    use super::*;
    use crate::formats::Unfit;

    /// A format whose lines are all headers.
    #[derive(Default)]
    struct Headers;

    impl TraceFormat for Headers {
        const NAME: &'static str = "headers";
        const DESCRIPTION: &'static str = "";
        const LAYOUT: &'static str = "";

        fn parse(&mut self, _: &[u8]) -> Result<Option<Record>, Box<Fault>> {
            Ok(None)
        }

        fn write(_: &Record, _: &mut dyn Write) -> Result<(), Unfit> {
            Ok(())
        }
    }

    #[test]
    fn a_trace_of_headers_only_is_empty() {
        let mut lines = Lines::new(Box::new(Cursor::new("a\nb\n")));
        let mut decoder = Decoder::<Headers>::default();
        let error = decoder.fill(Path::new("t"), &mut lines, &mut Vec::new(), 9).unwrap_err();
        assert_eq!(error.to_string(), "t: the trace is empty: no request on its 2 lines; at least one is needed");
    }
}
