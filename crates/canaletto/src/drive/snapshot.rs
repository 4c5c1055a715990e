//! A drive at some moment as bytes: its design and its inputs.
//!
//! Equal inputs lead to equal states, so a drive is restored by repeating its inputs, which takes as long as the first
//! time. A snapshot is for the version of canaletto that made it.

use thiserror::Error;

use super::recording::{Place, Reader, Writer, repeat};
use super::{Drive, DriveOptions};
use crate::config::design::Design;
use crate::config::reader::read_text;
use crate::config::workload::Workload;
use crate::config::writer::write_text;
use crate::engine::random::fnv1a;
use crate::engine::run::{Progress, TraceInput};

const MAGIC: &[u8; 16] = b"canaletto drive\n";

/// Grows with every change of what is written here.
const FORMAT: u32 = 3;

const HEAD: usize = 16 + 4 + 8;

/// Why bytes are no snapshot, or none that can be continued from.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// Something else.
    #[error("not a snapshot of a drive")]
    Unknown,
    /// A snapshot that is damaged or not whole.
    #[error("the snapshot is damaged: its digest does not match its {0} bytes")]
    Damaged(usize),
    /// A snapshot of another version.
    #[error("the snapshot was made by canaletto {made} (format {format}), expected {} (format {FORMAT})", env!("CARGO_PKG_VERSION"))]
    Version {
        /// Version of canaletto.
        made: String,
        /// Format of snapshots.
        format: u32,
    },
    /// A snapshot of the same version from which another drive comes.
    #[error("the snapshot cannot be repeated: {0}")]
    Unfit(String),
    /// A drive that has failed.
    #[error("the drive has failed: {0}")]
    Failed(String),
}

/// A drive at some moment, read from bytes.
pub struct Snapshot {
    design: Design,
    workload: Workload,
    options: DriveOptions,
    taken: u64,
    /// Place that the drive had reached since its last request.
    end: Option<Place>,
    results: u64,
    requests: Vec<u8>,
}

impl Snapshot {
    /// Reads a snapshot.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn read(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::Unknown)?;
        let (format, rest) = rest.split_first_chunk().ok_or(SnapshotError::Damaged(bytes.len()))?;
        let (digest, body) = rest.split_first_chunk().ok_or(SnapshotError::Damaged(bytes.len()))?;
        if u64::from_le_bytes(*digest) != fnv1a(body) {
            return Err(SnapshotError::Damaged(bytes.len()));
        }
        let format = u32::from_le_bytes(*format);
        let reader = &mut Reader(body);
        let made = reader.text().unwrap_or_else(|| String::from("?"));
        if format != FORMAT || made != env!("CARGO_PKG_VERSION") {
            return Err(SnapshotError::Version { made, format });
        }
        Snapshot::of_body(reader).unwrap_or_else(|| Err(SnapshotError::Unfit("it reads differently".to_owned())))
    }

    fn of_body(reader: &mut Reader) -> Option<Result<Snapshot, SnapshotError>> {
        let (design, workload) = (reader.text()?, reader.text()?);
        let [seed, taken, results] = [reader.number()?, reader.number()?, reader.number()?];
        let end = reader.place()?;
        let configured = read_text(&design).and_then(|design| Ok((design, read_text(&workload)?)));
        Some(match configured {
            Ok((design, workload)) => {
                let options = DriveOptions { seed, recorded: true };
                Ok(Snapshot { design, workload, options, taken, end, results, requests: reader.0.to_vec() })
            }
            Err(error) => Err(unfit(&error)),
        })
    }

    /// The workload for which the drive was prepared. Its traces are read again.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Makes the drive, which continues as the first one did. This takes as long as it took the first one.
    ///
    /// `traces` and `watch` as for a [`run`](crate::run) of [the workload](Snapshot::workload).
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn restore(
        &self,
        traces: Vec<Option<TraceInput>>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Drive, SnapshotError> {
        let made = Drive::prepared_for(&self.design, &self.workload, traces, &self.options, watch);
        let mut drive = made.map_err(|error| unfit(&error))?;
        repeat(&mut drive, &self.requests, self.end, self.taken, watch).map_err(|error| unfit(&error))?;
        if drive.digest() != self.results {
            return Err(unfit(&"it leads to other results; has a trace changed?"));
        }
        Ok(drive)
    }
}

impl Drive {
    /// The drive as bytes, for [`Drive::restore`], with requests under way and completions not taken.
    ///
    /// # Errors
    /// A drive that has failed, or that keeps no record.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, SnapshotError> {
        self.check().map_err(SnapshotError::Failed)?;
        if self.design.has_parts_of_its_own() {
            return Err(unfit(&"a user-defined part cannot be written down"));
        }
        let results = self.digest();
        let recording = self.recording.as_ref().ok_or_else(|| unfit(&"the drive keeps no record"))?;
        let body = &mut Writer::default();
        body.text(env!("CARGO_PKG_VERSION"));
        body.text(&write_text(&self.design).map_err(|error| unfit(&error))?);
        body.text(&write_text(&self.prepared_for).map_err(|error| unfit(&error))?);
        let numbers = [self.options.seed, self.taken, results];
        numbers.into_iter().for_each(|number| body.number(number));
        body.place(recording.end());
        body.0.extend_from_slice(recording.bytes());
        let mut bytes = Vec::with_capacity(HEAD + body.0.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&fnv1a(&body.0).to_le_bytes());
        bytes.extend_from_slice(&body.0);
        Ok(bytes)
    }

    /// For snapshots whose workload has no traces. See [`Snapshot::restore`].
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn restore(bytes: &[u8]) -> Result<Drive, SnapshotError> {
        Snapshot::read(bytes)?.restore(Vec::new(), &mut |_| true)
    }

    fn digest(&mut self) -> u64 {
        let report = serde_json::to_vec(&self.report()).expect("results are JSON");
        fnv1a(&report)
    }
}

fn unfit(error: &dyn ToString) -> SnapshotError {
    SnapshotError::Unfit(error.to_string())
}
