//! Reading of a trace from end to end.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canaletto::config::reading::ReadOptions;
use canaletto::workload::replay::{Record, RecordSource};

use crate::compression::{self, Compression, Refused, Unshrunk};
use crate::decode::{Decode, Place};
use crate::detect::{detect, options_error};
use crate::error::TraceError;
use crate::formats::Format;
use crate::lines::Lines;
use crate::order::Window;
use crate::tally::Tally;

/// Enough to forget the cost of a call, few enough to stay in the first-level cache.
const BATCH: usize = 512;

/// Options of reading a trace.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Format of the trace, if it is not to be detected.
    pub format: Option<Format>,
    /// Parsing of lines, and treatment of bad ones.
    pub read: ReadOptions,
}

/// A file or a pipe: detects compression and format, and reads no further.
///
/// # Errors
/// No such file, a directory, an empty or unreadable one, or another format than named. Later errors come while
/// reading.
pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<TraceReader, TraceError> {
    let path = path.as_ref();
    let file = open_file(path).map_err(|source| TraceError::Open { path: path.to_owned(), source })?;
    let extent = Some(file.extent()).filter(|&(_, size)| size > 0);
    Ok(TraceReader { extent, ..TraceReader::new(path, file, options)? })
}

fn open_file(path: &Path) -> io::Result<Unshrunk<File>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file"));
    }
    // Pipes and devices have no size to hold them to.
    let size = if about.is_file() { about.len() } else { 0 };
    Ok(Unshrunk::new(file, size))
}

/// A trace being read, in constant memory.
///
/// Yields records in order of arrival, as an iterator or in batches. The first error ends the trace, behind all records
/// before it.
pub struct TraceReader {
    path: PathBuf,
    compression: Compression,
    format: Format,
    lines: Lines,
    decoder: Box<dyn Decode>,
    window: Window,
    held_back: usize,
    state: State,
    tally: Arc<Tally>,
    single: Vec<Record>,
    /// Bytes read, and size of a file.
    extent: Option<(Arc<AtomicU64>, u64)>,
}

enum State {
    Open,
    Ended,
    Failed(TraceError),
    /// The error has been returned.
    Told(String),
}

impl TraceReader {
    /// From any source of bytes; `path` is its name in messages.
    ///
    /// # Errors
    /// As [`open`].
    pub fn new(
        path: impl Into<PathBuf>,
        source: impl Read + Send + 'static,
        options: &Options,
    ) -> Result<Self, TraceError> {
        let path = path.into();
        let (compression, bytes) = compression::unpack(Box::new(source)).map_err(|refused| match refused {
            Refused::Packing(given) => TraceError::Compression { path: path.clone(), given },
            Refused::Read(error) => TraceError::Read { path: path.clone(), after_line: 0, reason: error.to_string() },
        })?;
        let mut lines = Lines::new(bytes);
        lines.skip_byte_order_mark();
        let tally: Arc<Tally> = Arc::default();
        let format = detect(&path, &mut lines, options, &tally)?;
        let decoder = format.decoder(&options.read).map_err(|problem| options_error(&path, format, problem))?;
        Ok(Self {
            path,
            compression,
            format,
            lines,
            decoder,
            window: Window::default(),
            held_back: options.read.sort_window as usize,
            state: State::Open,
            tally,
            single: Vec::new(),
            extent: None,
        })
    }

    /// Format being read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Compression of the file.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lines read, with requests still held back.
    pub fn lines(&self) -> u64 {
        self.lines.number()
    }

    /// Lines left out or out of order; complete when the trace has ended.
    pub fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.tally)
    }

    /// With the next records; empty at the end of the trace.
    ///
    /// # Errors
    /// Once, behind all records before it; later calls return no records, except through [`RecordSource`], which
    /// repeats its message.
    pub fn read_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        self.read_up_to(BATCH, batch)
    }

    fn read_up_to(&mut self, limit: usize, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        batch.clear();
        // Order must not depend on how many records are requested at a time: more is read only once all ready ones were
        // handed on.
        while self.window.len() <= self.held_back && matches!(self.state, State::Open) {
            self.read_on();
        }
        let kept = if matches!(self.state, State::Open) { self.held_back } else { 0 };
        self.window.take(kept, limit, batch);
        if batch.is_empty() { self.tell() } else { Ok(()) }
    }

    fn read_on(&mut self) {
        let Self { path, lines, decoder, window, tally, .. } = self;
        let old = window.len();
        let outcome = window.add(|held, floor_ns| {
            let mut place = Place { path, lines, floor_ns, tally };
            decoder.fill(&mut place, held, BATCH)
        });
        match outcome {
            Err(error) => self.state = State::Failed(error),
            Ok(()) if window.len() - old < BATCH => self.state = State::Ended,
            Ok(()) => {}
        }
    }

    fn tell(&mut self) -> Result<(), TraceError> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Failed(error) => {
                self.state = State::Told(error.to_string());
                Err(error)
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }
}

impl RecordSource for TraceReader {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        if let State::Told(message) = &self.state {
            batch.clear();
            return Err(message.clone());
        }
        self.read_batch(batch).map_err(|error| error.to_string())
    }

    fn share_read(&self) -> Option<f64> {
        let (read, size) = self.extent.as_ref()?;
        let read = read.load(Ordering::Relaxed);
        // Held records are packed in the file, where that is packed, like those before.
        let held = if self.compression == Compression::None { self.lines.held().len() as u64 } else { 0 };
        Some((read.saturating_sub(held).max(1) as f64 / *size as f64).min(1.0))
    }
}

impl Iterator for TraceReader {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut single = std::mem::take(&mut self.single);
        let outcome = self.read_up_to(1, &mut single);
        let record = single.pop();
        self.single = single;
        outcome.map(|()| record).transpose()
    }
}

impl std::iter::FusedIterator for TraceReader {}
