//! Commands of clients as a trace in the generic CSV format.

use std::path::Path;

use canaletto::drive::Wanted;
use canaletto::engine::time::Time;
use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Packed, TraceError, TraceWriter};

pub struct Recorder(TraceWriter<Packed>);

impl Recorder {
    /// `name` is the file's later name, and says how it is packed.
    pub fn create(path: &Path, name: &str) -> Result<Recorder, TraceError> {
        let packed = Packed::create(path, name)?;
        Ok(Recorder(TraceWriter::new(Format::Csv, packed, false)?))
    }

    pub fn add(&mut self, at: Time, command: &Wanted) -> Result<(), TraceError> {
        self.0.write(&Record {
            arrival_ns: at.ns(),
            device: 0,
            offset_bytes: command.first_byte(),
            bytes: command.bytes(),
            kind: command.kind,
            fua: command.fua,
            zeroes: command.zeroes,
            handle: None,
        })
    }

    pub fn finish(self) -> Result<(), TraceError> {
        Ok(self.0.finish()?.finish()?)
    }
}
