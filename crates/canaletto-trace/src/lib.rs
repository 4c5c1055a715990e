//! Block traces for canaletto: recorded requests read from a file, checked and handed on.
//!
//! [`open`] finds out by content how a file is compressed and which [`Format`] it is in, and returns a
//! [`TraceReader`]. The reader is the engine's [`RecordSource`](canaletto::workload::replay::RecordSource)
//! and an iterator; it holds one buffer whatever the length of the trace.
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
//! A trace is read whole or refused: nothing is skipped but blank lines and what is no request, unless
//! [`ReadOptions`] says so, and every refusal is one [`TraceError`] that names the file, the line, the field, what was
//! given and what is allowed. [`Tally`] counts what was skipped, and the lines that had to be put in order.
//!
//! Layout: `reader` (the public face) over `detect` (which format), `lines` (bytes into lines),
//! `compression` (files into bytes), `decode` (lines into records), `order` (records into order) and `formats` (one
//! file a format). `writer` writes traces; `survey` says what one is like.

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
