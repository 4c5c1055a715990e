//! The whole state of a drive as bytes.
//!
//! A snapshot has its design, so that nothing else is needed to go on from it. It is for the version of canaletto that made it,
//! whose structures it lists in their order ([postcard](https://postcard.jamesmunns.com)).

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Drive, DriveOptions};
use crate::config::design::Design;
use crate::config::reader::read_text;
use crate::config::workload::Workload;
use crate::engine::error::RunError;
use crate::engine::memory::guarded;
use crate::engine::prepared::Prepared;
use crate::engine::random::fnv1a;
use crate::engine::time::Time;
use crate::limits::Limits;
use crate::measure::precondition::PreconditionReport;
use crate::workload::sources::Sources;

/// Beginning of every snapshot.
const MAGIC: &[u8; 16] = b"canaletto drive\n";

/// Version of what follows it. Grows with every change of what is written here.
const FORMAT: u32 = 1;

/// Bytes of magic, format and the digest of what follows these.
const HEAD: usize = 16 + 4 + 8;

/// Why bytes are no snapshot, or none that can be gone on from.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// Something else.
    #[error("not a snapshot of a drive")]
    Unknown,
    /// A snapshot that is damaged or not whole.
    #[error("the snapshot is damaged: its digest is not that of its {0} bytes")]
    Damaged(usize),
    /// A snapshot of another version.
    #[error("the snapshot was made by canaletto {made} (format {format}), expected {} (format {FORMAT})", env!("CARGO_PKG_VERSION"))]
    Version {
        /// Version of canaletto.
        made: String,
        /// Format of snapshots.
        format: u32,
    },
    /// A snapshot of the same version whose state does not fit: it comes from a build with other structures.
    #[error("the state in the snapshot is not one of this build of canaletto: {0}")]
    Unfit(String),
    /// A drive that has failed.
    #[error("the drive has failed: {0}")]
    Failed(String),
}

/// All of a snapshot beside its head.
#[derive(Serialize, Deserialize)]
struct Body {
    version: String,
    design: String,
    workload: String,
    seed: u64,
    precondition: Option<PreconditionReport>,
    now: Time,
    state: Vec<u8>,
}

impl Drive {
    /// The whole state as bytes, from which [`Drive::restore`] goes on as this drive does. Requests that are submitted and
    /// completions that have not been taken are part of it.
    ///
    /// # Errors
    /// A drive that has failed.
    pub fn snapshot(&self) -> Result<Vec<u8>, SnapshotError> {
        self.check().map_err(SnapshotError::Failed)?;
        let unfit = |error: &dyn ToString| SnapshotError::Unfit(error.to_string());
        if self.design.has_parts_of_its_own() {
            return Err(unfit(&"a part of one's own has a state that nobody can write down"));
        }
        let body = Body {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            design: toml::to_string(&self.design).map_err(|error| unfit(&error))?,
            workload: toml::to_string(&self.workload).map_err(|error| unfit(&error))?,
            seed: self.options.seed,
            precondition: self.precondition.clone(),
            now: self.now,
            state: self.route.save().map_err(|error| unfit(&error))?,
        };
        let body = postcard::to_allocvec(&body).map_err(|error| unfit(&error))?;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&fnv1a(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// The drive of a snapshot, which goes on as the one that was written down. Takes as long as the state is large, however
    /// long the drive had been at work.
    ///
    /// # Errors
    /// See [`SnapshotError`].
    pub fn restore(bytes: &[u8]) -> Result<Drive, SnapshotError> {
        let body = body_of(bytes)?;
        let unfit = |error: &dyn ToString| SnapshotError::Unfit(error.to_string());
        let design: Design = read_text(&body.design).map_err(|error| unfit(&error))?;
        let workload: Workload = read_text(&body.workload).map_err(|error| unfit(&error))?;
        let options = DriveOptions { seed: body.seed };
        let made = guarded(|| {
            let limits = Limits::new(&design, &workload).map_err(RunError::Config)?;
            let sources = Sources { flows: Vec::new(), factor: 1.0, scaling: None, reopened: Vec::new() };
            // Its contents come with the state.
            let prepared = Prepared { limits, sources, fills: None };
            Drive::idle(&design, &workload, prepared, &options, &mut |_| true)
        });
        let mut drive = made.map_err(|error| unfit(&error))?;
        drive.route.load(&body.state).map_err(|error| unfit(&error))?;
        // Bytes of other structures may be read as something; written down again they differ.
        if drive.route.save().map_err(|error| unfit(&error))? != body.state {
            return Err(SnapshotError::Unfit("it reads differently".to_owned()));
        }
        (drive.precondition, drive.now) = (body.precondition, body.now);
        Ok(drive)
    }
}

fn body_of(bytes: &[u8]) -> Result<Body, SnapshotError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::Unknown)?;
    let (format, rest) = rest.split_first_chunk().ok_or(SnapshotError::Damaged(bytes.len()))?;
    let (digest, body) = rest.split_first_chunk().ok_or(SnapshotError::Damaged(bytes.len()))?;
    if u64::from_le_bytes(*digest) != fnv1a(body) {
        return Err(SnapshotError::Damaged(bytes.len()));
    }
    let format = u32::from_le_bytes(*format);
    // The version comes first in every format.
    let made: String = postcard::take_from_bytes(body).map_or(String::from("?"), |(version, _)| version);
    if format != FORMAT || made != env!("CARGO_PKG_VERSION") {
        return Err(SnapshotError::Version { made, format });
    }
    postcard::from_bytes(body).map_err(|error| SnapshotError::Unfit(error.to_string()))
}
