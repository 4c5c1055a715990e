//! Recorded requests, read one batch at a time so that a trace of any length replays in constant memory.

use crate::config::workload::{Beyond, Trace};
use crate::flash::address::SECTOR;
use crate::host::request::Kind;
use crate::sim::time::Time;
use crate::workload::flow::Wanted;

/// One request of a recorded trace, as its file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Arrival time, nanoseconds, in the trace's own clock (only differences matter).
    pub arrival_ns: u64,
    /// Device, disk or volume number; 0 where the format has none.
    pub device: u32,
    /// First byte addressed on that device.
    pub offset_bytes: u64,
    /// Bytes asked for: 0 of a flush, never 0 otherwise.
    pub bytes: u64,
    /// What the request asks for.
    pub kind: Kind,
}

/// A stream of [`Record`]s.
///
/// Dynamic dispatch happens once a batch, not once a request.
pub trait RecordSource: Send {
    /// Replaces the contents of `batch` with the next records; leaves it empty at the end of the stream.
    ///
    /// # Errors
    /// The message says where (file and line) and why the stream cannot go on.
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String>;
}

/// Where a trace's devices lie, found by reading it once before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// (device number, bytes up to the end of its last request), in the order of the numbers.
    pub devices: Vec<(u32, u64)>,
}

impl Extent {
    /// Widens the extent by one record.
    pub fn include(&mut self, record: &Record) {
        let end = record.offset_bytes.saturating_add(record.bytes);
        match self.devices.binary_search_by_key(&record.device, |d| d.0) {
            Ok(i) => self.devices[i].1 = self.devices[i].1.max(end),
            Err(i) => self.devices.insert(i, (record.device, end)),
        }
    }

    /// Bytes of the addresses the trace uses: the largest device, or all end to end (each rounded up to 1 MiB).
    pub fn span(&self, end_to_end: bool) -> u64 {
        if end_to_end {
            self.devices.iter().fold(0, |sum: u64, device| sum.saturating_add(room(device)))
        } else {
            self.devices.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
        }
    }

    fn start_of(&self, device: u32) -> u64 {
        let before = self.devices.iter().take_while(|d| d.0 < device);
        before.fold(0, |sum: u64, device| sum.saturating_add(room(device)))
    }
}

/// Bytes that a device takes among others.
fn room(&(_, bytes): &(u32, u64)) -> u64 {
    bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX)
}

/// A trace being replayed.
pub struct Replay {
    source: Box<dyn RecordSource>,
    batch: Vec<Record>,
    next: usize,
    left: u64,
    origin_ns: Option<u64>,
    beyond: Beyond,
    /// First sector and number of sectors that the drive offers.
    first: u64,
    capacity: u64,
    /// Present if devices lie end to end or addresses are scaled.
    extent: Option<Extent>,
    offset_devices: bool,
    span: u64,
}

impl Replay {
    /// A replay of `source` onto `capacity` sectors from `first` on. `extent` is needed for `devices = offset` and `beyond = fit`.
    pub fn new(
        config: &Trace,
        source: Box<dyn RecordSource>,
        extent: Option<Extent>,
        first: u64,
        capacity: u64,
    ) -> Replay {
        let offset_devices = config.devices == crate::config::workload::Devices::Offset;
        let span = extent.as_ref().map_or(0, |e| e.span(offset_devices));
        Replay {
            source,
            batch: Vec::new(),
            next: 0,
            left: config.requests.unwrap_or(u64::MAX),
            origin_ns: config.keep_start.then_some(0),
            beyond: config.beyond,
            first,
            capacity,
            extent,
            offset_devices,
            span,
        }
    }

    fn peek(&mut self) -> Result<Option<&Record>, String> {
        if self.next == self.batch.len() {
            self.next = 0;
            self.source.next_batch(&mut self.batch)?;
        }
        Ok(if self.left == 0 { None } else { self.batch.get(self.next) })
    }

    /// When the next request arrives, counted from the first.
    pub fn arrival(&mut self) -> Result<Option<Time>, String> {
        let Some(&record) = self.peek()? else {
            return Ok(None);
        };
        let origin = *self.origin_ns.get_or_insert(record.arrival_ns);
        let ns = record.arrival_ns - origin;
        if ns > Time::LATEST.ns() {
            return Err(format!(
                "a request arrives {:.0} days into the trace, a run holds {:.0} days: expected a shorter trace, or \
                 --queue-depth to replay it without its times",
                ns as f64 / 86_400e9,
                Time::LATEST.seconds() / 86_400.0
            ));
        }
        Ok(Some(Time::from_ns(ns)))
    }

    /// Takes the next request.
    pub fn take(&mut self) -> Result<Option<Wanted>, String> {
        let Some(&record) = self.peek()? else {
            return Ok(None);
        };
        self.next += 1;
        self.left -= 1;
        self.place(&record).map(Some)
    }

    /// Finds the record's sectors on the drive: bytes are rounded outward to whole sectors.
    fn place(&self, record: &Record) -> Result<Wanted, String> {
        if record.kind == Kind::Flush {
            return Ok(Wanted { kind: Kind::Flush, fua: false, lba: self.first, sectors: 0 });
        }
        let base = match &self.extent {
            Some(extent) if self.offset_devices => extent.start_of(record.device),
            _ => 0,
        };
        // Traces reach to the end of 64 bits; what saturates is far beyond any drive.
        let first_byte = base.saturating_add(record.offset_bytes);
        let mut lba = first_byte / SECTOR;
        let sectors = first_byte.saturating_add(record.bytes).div_ceil(SECTOR) - lba;
        let limit = self.capacity;
        if sectors > limit {
            return Err(format!("a request of {sectors} sectors is larger than the drive ({limit} sectors)"));
        }
        if self.beyond == Beyond::Fit && self.span > limit * SECTOR {
            let scaled = (u128::from(lba) * u128::from(limit) * u128::from(SECTOR) / u128::from(self.span)) as u64;
            // Pages stay aligned as they were: the scaled address keeps the offset within 4 KiB.
            lba = (scaled & !7) | (lba & 7);
        } else if self.beyond == Beyond::Wrap {
            lba %= limit;
        }
        if lba + sectors > limit {
            if self.beyond == Beyond::Refuse {
                return Err(beyond_message(lba, sectors, limit));
            }
            lba = limit - sectors;
        }
        Ok(Wanted { kind: record.kind, fua: false, lba: self.first + lba, sectors: sectors as u32 })
    }
}

fn beyond_message(lba: u64, sectors: u64, capacity: u64) -> String {
    format!(
        "the trace addresses sector {} (byte {:.1} GB), but the drive ends at {:.1} GB: use --wrap (addresses modulo the \
         capacity) or --fit (addresses scaled to it), or a larger drive",
        lba + sectors - 1,
        ((lba + sectors) * SECTOR) as f64 / 1e9,
        (capacity * SECTOR) as f64 / 1e9,
    )
}
