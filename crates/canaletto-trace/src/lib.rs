//! Block traces for canaletto.
//!
//! [`open`] detects by content how a file is compressed and which [`Format`] it is in, and returns a [`TraceReader`].
//! This is the engine's [`RecordSource`](canaletto::workload::replay::RecordSource) and an iterator, with one buffer
//! whatever the length of the trace.
//!
//! ```no_run
//! # fn main() -> Result<(), canaletto_trace::TraceError> {
//! let trace = canaletto_trace::open("hm_0.csv.gz", &canaletto_trace::Options::default())?;
//! for record in trace {
//!     println!("{:?}", record?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A trace is read whole or refused, unless [`ReadOptions`] says otherwise: only blank lines and lines without requests
//! are skipped. A refusal is a [`TraceError`] with file, line, field, given and allowed value. [`Tally`] counts skipped
//! and sorted lines.

mod amounts;
mod columns;
mod compression;
mod decode;
mod detect;
mod error;
mod fields;
pub mod fit;
mod formats;
mod hash;
mod lines;
mod order;
mod reader;
mod survey;
mod tally;
mod writer;

pub use canaletto::config::reading::ReadOptions;
pub use compression::{Compression, Packed};
pub use error::TraceError;
pub use formats::Format;
pub use hash::hash;
pub use lines::LONGEST_LINE;
pub use reader::{Options, TraceReader, open};
pub use survey::{Findings, Striping, Survey};
pub use tally::{MOST_DEVICES, Seen, Tally};
pub use writer::TraceWriter;
