//! Writing of traces.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use crate::error::TraceError;
use crate::fields::{ExtentFault, check_extent};
use crate::formats::{Format, Holds, TraceFormat};

pub(crate) trait Encode: Send {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()>;
}

#[derive(Debug, Default)]
pub(crate) struct Encoder<F>(F);

impl<F: TraceFormat> Encode for Encoder<F> {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.begin(out)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        self.0.write(record, out)
    }
}

/// One line per record, which reads back equal.
///
/// fio's logs name files: devices are numbered anew in the order of their first requests.
pub struct TraceWriter<W: Write> {
    format: Format,
    holds: Holds,
    encoder: Box<dyn Encode>,
    out: W,
    rounds: bool,
}

impl<W: Write> TraceWriter<W> {
    /// With `rounds`, times are rounded down to the format's unit, extents outward to whole units, and forced writes
    /// and zeroes become writes, without handles, where it has no others. Otherwise such a record is refused.
    ///
    /// # Errors
    /// If the format is read only, or `out` takes no bytes.
    pub fn new(format: Format, mut out: W, rounds: bool) -> Result<Self, TraceError> {
        let Some(holds) = format.holds() else {
            let writable: Vec<_> = Format::ALL.iter().filter(|f| f.is_writable()).map(|f| f.name()).collect();
            return Err(TraceError::ReadOnly { format: format.name(), known: writable.join(", ") });
        };
        let mut encoder = format.encoder();
        encoder.begin(&mut out)?;
        Ok(Self { format, holds, encoder, out, rounds })
    }

    /// As one line.
    ///
    /// # Errors
    /// [`TraceError::Unwritable`] if the format cannot hold the record; [`TraceError::Write`] if the output fails.
    pub fn write(&mut self, record: &Record) -> Result<(), TraceError> {
        let fitted = if self.rounds { rounded(record, &self.holds) } else { *record };
        self.check(&fitted)?;
        Ok(self.encoder.write(&fitted, &mut self.out)?)
    }

    /// Returns the output.
    ///
    /// # Errors
    /// If the output fails.
    pub fn finish(mut self) -> Result<W, TraceError> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn check(&self, record: &Record) -> Result<(), TraceError> {
        let holds = &self.holds;
        let refuse = |field, given: String, allowed: String, hint| {
            Err(TraceError::Unwritable { format: self.format.name(), field, given, allowed, hint })
        };
        if !holds.kinds.contains(&record.kind) {
            let names: Vec<_> = holds.kinds.iter().map(|kind| kind_name(*kind)).collect();
            return refuse("kind", kind_name(record.kind).to_owned(), names.join(", "), "");
        }
        if !holds.write_forms && (record.fua || record.zeroes) {
            return refuse("kind", name_of(record).to_owned(), "write".to_owned(), " (or ask for rounding)");
        }
        match check_extent(record) {
            Ok(()) => {}
            Err(ExtentFault::Size(allowed)) => {
                return refuse("size in bytes", record.bytes.to_string(), allowed.to_owned(), "");
            }
            Err(ExtentFault::Offset(allowed)) => {
                return refuse("offset in bytes", record.offset_bytes.to_string(), allowed.to_owned(), "");
            }
        }
        if let Some(handle) = record.handle.filter(|_| !holds.write_forms) {
            return refuse(
                "handle",
                handle.to_string(),
                "none, as the format has none".to_owned(),
                " (or ask for rounding)",
            );
        }
        if record.device != 0 && !holds.devices {
            return refuse("device", record.device.to_string(), "0, as the format has none".to_owned(), "");
        }
        let units = [
            ("arrival in ns", record.arrival_ns, holds.time_ns),
            ("offset in bytes", record.offset_bytes, holds.bytes),
            ("size in bytes", record.bytes, holds.bytes),
        ];
        match units.into_iter().find(|(_, value, unit)| value % unit != 0) {
            Some((field, value, unit)) => {
                refuse(field, value.to_string(), format!("a multiple of {unit}"), " (or ask for rounding)")
            }
            None => Ok(()),
        }
    }
}

/// In the format's units: no later, and covering at least the same bytes.
fn rounded(record: &Record, holds: &Holds) -> Record {
    let down = |value: u64, unit: u64| value - value % unit;
    let offset_bytes = down(record.offset_bytes, holds.bytes);
    let end = record.offset_bytes.saturating_add(record.bytes);
    let end = end.checked_next_multiple_of(holds.bytes).unwrap_or(down(u64::MAX, holds.bytes));
    let forms = if holds.write_forms { *record } else { Record::PLAIN };
    let Record { fua, zeroes, handle, .. } = forms;
    let arrival_ns = down(record.arrival_ns, holds.time_ns);
    Record { arrival_ns, offset_bytes, bytes: end - offset_bytes, fua, zeroes, handle, ..*record }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Trim => "trim",
        Kind::Flush => "flush",
        Kind::Append => "append",
        Kind::Reset => "zone_reset",
        Kind::Finish => "zone_finish",
        Kind::Compute => "compute",
        Kind::Open => "zone_open",
        Kind::Close => "zone_close",
        Kind::Update => "handle_update",
    }
}

/// In the generic CSV format and messages.
pub(crate) fn name_of(record: &Record) -> &'static str {
    match (record.kind, record.fua, record.zeroes) {
        (Kind::Write, true, false) => "write_fua",
        (Kind::Write, false, true) => "write_zeroes",
        (Kind::Write, true, true) => "write_zeroes_fua",
        (kind, ..) => kind_name(kind),
    }
}
