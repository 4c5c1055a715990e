use crate::config::workload::{Devices, OutOfRange, Trace};
use crate::flash::address::SECTOR;
use crate::host::request::Kind;
use crate::limits::FlowRange;
use crate::workload::record::Record;
use crate::workload::wanted::Wanted;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// By device number: end of the last request in bytes.
    pub devices: Vec<(u32, u64)>,
}

impl Extent {
    pub fn include(&mut self, record: &Record) {
        let end = record.offset_bytes.saturating_add(record.bytes);
        match self.devices.binary_search_by_key(&record.device, |d| d.0) {
            Ok(i) => self.devices[i].1 = self.devices[i].1.max(end),
            Err(i) => self.devices.insert(i, (record.device, end)),
        }
    }

    /// The largest device, or all end to end (each rounded up to 1 MiB).
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

fn room(&(_, bytes): &(u32, u64)) -> u64 {
    bytes.checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    AsRecorded,
    /// Modulo the capacity, or moved to its end, or continues at its beginning.
    Wrapped,
    /// Or moved to the end of the capacity.
    Scaled,
}

/// For a trace.
#[derive(Debug, Clone)]
pub struct Window {
    out_of_range: OutOfRange,
    first: u64,
    capacity: u64,
    /// If devices lie end to end or addresses are scaled.
    extent: Option<Extent>,
    offset_devices: bool,
    span: u64,
    /// Whether reads are of the bytes that they name.
    reads_bytes: bool,
    takes_handles: bool,
}

impl Window {
    pub fn needs_extent(trace: &Trace) -> bool {
        trace.devices == Devices::Offset || trace.out_of_range == OutOfRange::Fit
    }

    pub fn new(trace: &Trace, extent: Option<Extent>, range: &FlowRange) -> Result<Window, String> {
        let (offset, all) = (trace.offset.0 / SECTOR, range.sectors);
        if offset >= all {
            return Err(format!(
                "{}: offset: got \"{}\", expected less than the {} B there are for it",
                trace.file,
                trace.offset,
                all * SECTOR
            ));
        }
        let capacity = trace.region_size.map_or(all - offset, |room| room.0 / SECTOR);
        if capacity > all - offset {
            return Err(format!(
                "{}: region_size: got {} B, expected at most {} B, which are left from its offset on",
                trace.file,
                capacity * SECTOR,
                (all - offset) * SECTOR
            ));
        }
        let offset_devices = trace.devices == Devices::Offset;
        let span = extent.as_ref().map_or(0, |e| e.span(offset_devices));
        Ok(Window {
            out_of_range: trace.out_of_range,
            first: range.first_sector + offset,
            capacity,
            extent,
            offset_devices,
            span,
            reads_bytes: range.reads_bytes && trace.out_of_range != OutOfRange::Mqsim,
            takes_handles: range.handles > 0,
        })
    }

    /// Bytes are rounded outward to whole sectors, but for reads of a memory.
    ///
    /// # Errors
    /// Addresses beyond the window, if that is refused, and requests larger than it.
    pub fn place(&self, record: &Record) -> Result<(Wanted, Placed), String> {
        if record.handle.is_some() && !self.takes_handles {
            return Err(NO_HANDLES.to_owned());
        }
        if matches!(record.kind, Kind::Flush | Kind::Update) {
            let wanted = Wanted { kind: record.kind, handle: record.handle, ..Wanted::read(self.first, 0) };
            return Ok((wanted, Placed::AsRecorded));
        }
        let base = match &self.extent {
            Some(extent) if self.offset_devices => extent.start_of(record.device),
            _ => 0,
        };
        // Saturated addresses are far beyond any drive.
        let first_byte = base.saturating_add(record.offset_bytes);
        let recorded = first_byte / SECTOR;
        let sectors = first_byte.saturating_add(record.bytes).div_ceil(SECTOR) - recorded;
        let limit = self.capacity;
        if sectors > limit {
            return Err(format!("a request of {sectors} sectors is larger than the drive ({limit} sectors)"));
        }
        let mut lba = recorded;
        if self.out_of_range == OutOfRange::Fit && self.span > limit * SECTOR {
            let scaled = (u128::from(lba) * u128::from(limit) * u128::from(SECTOR) / u128::from(self.span)) as u64;
            // Pages stay aligned: the offset within 4 KiB is kept.
            lba = (scaled & !7) | (lba & 7);
        } else if self.out_of_range == OutOfRange::Wrap {
            lba %= limit;
        } else if self.out_of_range == OutOfRange::Mqsim && lba >= limit {
            lba %= (limit - 1).max(1);
        }
        if lba + sectors > limit && self.out_of_range != OutOfRange::Mqsim {
            if self.out_of_range == OutOfRange::Refuse {
                return Err(beyond_message(lba, sectors, limit));
            }
            lba = limit - sectors;
        }
        let placed = match self.out_of_range {
            _ if lba == recorded && lba + sectors <= limit => Placed::AsRecorded,
            OutOfRange::Fit => Placed::Scaled,
            _ => Placed::Wrapped,
        };
        let Record { kind, fua, zeroes, handle, .. } = *record;
        let of_sectors = Wanted { kind, fua, zeroes, handle, ..Wanted::read(self.first + lba, sectors as u32) };
        let edges = Wanted::read_bytes(first_byte % SECTOR, record.bytes).edges;
        let has_edges = self.reads_bytes && kind == Kind::Read;
        Ok((if has_edges { Wanted { edges, ..of_sectors } } else { of_sectors }, placed))
    }
}

const NO_HANDLES: &str =
    "the trace names reclaim unit handles, but the flow's drive or namespace has none: set fdp.handles";

fn beyond_message(lba: u64, sectors: u64, capacity: u64) -> String {
    format!(
        "the trace addresses sector {} (byte {:.1} GB), but the drive ends at {:.1} GB: use --wrap (addresses modulo the \
         capacity) or --fit (addresses scaled to it), or a larger drive",
        lba + sectors - 1,
        (lba + sectors) as f64 * SECTOR as f64 / 1e9,
        (capacity * SECTOR) as f64 / 1e9,
    )
}
