//! A drive's requests: enough to bring another one to the same moment.
//!
//! A drive that reaches a moment in one step is in the same state as one that took many.

use crate::drive::{Advanced, Drive, SubmitError};
use crate::engine::error::RunError;
use crate::engine::memory::make_room;
use crate::engine::run::Progress;
use crate::engine::time::Time;
use crate::host::request::{Edges, Kind};
use crate::workload::flow::Wanted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Moment(Time),
    Step(u64),
}

impl Place {
    const START: Place = Place::Step(0);

    fn write(self, writer: &mut Writer) {
        let (kind, value) = match self {
            Place::Moment(time) => (0, time.0),
            Place::Step(count) => (1, count),
        };
        writer.number(kind);
        writer.number(value);
    }

    fn read(reader: &mut Reader) -> Option<Place> {
        match (reader.number()?, reader.number()?) {
            (0, time) => Some(Place::Moment(Time(time))),
            (1, count) => Some(Place::Step(count)),
            _ => None,
        }
    }
}

/// All but tasks, the last kind.
pub(super) const KINDS: &[Kind] = match &Kind::ALL {
    [kinds @ .., Kind::Compute] => kinds,
    _ => panic!("tasks are the last kind"),
};

const FUA: u64 = 1 << 2;
const ZEROES: u64 = 1 << 3;
const MOVED: u64 = 1 << 4;
const EDGES: u64 = 1 << 5;
const HANDLE: u64 = 1 << 6;
/// Bits of a kind's number that do not fit before the flags.
const REST: u32 = 7;

const LOOK_EVERY: u64 = 1 << 16;

const MOST: usize = 64;

#[derive(Clone)]
pub(super) struct Recording {
    bytes: Writer,
    place: Place,
    moved: bool,
    last: (u64, u64),
}

impl Recording {
    pub(super) fn new() -> Recording {
        Recording { bytes: Writer::default(), place: Place::START, moved: false, last: (0, 0) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes.0
    }

    pub(super) fn end(&self) -> Option<Place> {
        self.moved.then_some(self.place)
    }

    pub(super) fn reach(&mut self, place: Place) {
        (self.place, self.moved) = (place, true);
    }

    pub(super) fn add(&mut self, ahead: Time, wanted: Wanted, tag: u64) {
        let Wanted { kind, fua, zeroes, lba, sectors, edges, handle } = wanted;
        let writer = &mut self.bytes;
        make_room(&mut writer.0, MOST);
        let number = KINDS.iter().position(|&each| each == kind).expect("every kind has a number") as u64;
        let (has_edges, has_handle) = (edges != Edges::NONE, handle.is_some());
        let flags = [(fua, FUA), (zeroes, ZEROES), (self.moved, MOVED), (has_edges, EDGES), (has_handle, HANDLE)];
        writer.number(
            number & 3 | number >> 2 << REST | flags.iter().map(|&(is_set, bit)| u64::from(is_set) * bit).sum::<u64>(),
        );
        if std::mem::take(&mut self.moved) {
            self.place.write(writer);
        }
        writer.number(ahead.0);
        writer.number(u64::from(sectors));
        if has_edges {
            writer.number(u64::from(edges.before));
            writer.number(u64::from(edges.behind));
        }
        if let Some(handle) = handle {
            writer.number(u64::from(handle));
        }
        writer.difference(self.last.0, lba);
        writer.difference(self.last.1, tag);
        self.last = (lba, tag);
    }
}

pub(super) fn repeat(
    drive: &mut Drive,
    requests: &[u8],
    end: Option<Place>,
    taken: u64,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(), RunError> {
    let reader = &mut Reader(requests);
    let unfit = || RunError::Config("a request in it cannot be read".to_owned());
    let mut last = (0, 0);
    while !reader.0.is_empty() {
        let head = reader.number().ok_or_else(unfit)?;
        if head & MOVED != 0 {
            reach(drive, Place::read(reader).ok_or_else(unfit)?, taken, watch)?;
        }
        let at = Time(drive.now().0.saturating_add(reader.number().ok_or_else(unfit)?));
        let sectors = reader.number().and_then(|sectors| u32::try_from(sectors).ok()).ok_or_else(unfit)?;
        let mut small = |flag| match head & flag {
            0 => Ok(None),
            _ => reader.number().and_then(|number| u16::try_from(number).ok()).ok_or_else(unfit).map(Some),
        };
        let edges = Edges { before: small(EDGES)?.unwrap_or(0), behind: small(EDGES)?.unwrap_or(0) };
        let handle = small(HANDLE)?;
        let lba = reader.difference(last.0).ok_or_else(unfit)?;
        let tag = reader.difference(last.1).ok_or_else(unfit)?;
        last = (lba, tag);
        let number = head & 3 | head >> REST << 2;
        let kind = *KINDS.get(number as usize).ok_or_else(unfit)?;
        let wanted = Wanted { kind, fua: head & FUA != 0, zeroes: head & ZEROES != 0, lba, sectors, edges, handle };
        drive.submit(at, wanted, tag).map_err(|error: SubmitError| RunError::Config(error.to_string()))?;
    }
    end.map_or(Ok(()), |end| reach(drive, end, taken, watch))
}

fn reach(
    drive: &mut Drive,
    place: Place,
    taken: u64,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(), RunError> {
    let (limit, steps) = match place {
        Place::Moment(time) => (time, u64::MAX),
        Place::Step(count) => (Time::LATEST, count),
    };
    let mut last = Advanced::Completed;
    while last != Advanced::Reached && steps > drive.steps {
        let to_completion = drive.completed() < taken;
        last = drive.advance_for(limit, to_completion, LOOK_EVERY.min(steps - drive.steps))?;
        if drive.completed() <= taken {
            drive.take_completions();
        }
        if last == Advanced::Paused && !watch(&drive.progress()) {
            return Err(RunError::Interrupted);
        }
    }
    Ok(())
}

#[derive(Clone, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn difference(&mut self, from: u64, to: u64) {
        let difference = to.wrapping_sub(from) as i64;
        self.number((difference << 1 ^ difference >> 63) as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << (7 * place);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn difference(&mut self, from: u64) -> Option<u64> {
        let folded = self.number()?;
        Some(from.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg()))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(super) fn place(&mut self) -> Option<Option<Place>> {
        if self.number()? == 0 { Some(None) } else { Place::read(self).map(Some) }
    }
}

impl Writer {
    pub(super) fn place(&mut self, place: Option<Place>) {
        self.number(place.is_some().into());
        if let Some(place) = place {
            place.write(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(pairs in prop::collection::vec(any::<(u64, u64)>(), 0..20), text in ".*") {
            let mut writer = Writer::default();
            writer.text(&text);
            for &(from, to) in &pairs {
                writer.number(from);
                writer.difference(from, to);
            }
            let mut reader = Reader(&writer.0);
            prop_assert_eq!(reader.text(), Some(text));
            for (from, to) in pairs {
                prop_assert_eq!((reader.number(), reader.difference(from)), (Some(from), Some(to)));
            }
            prop_assert!(reader.0.is_empty());
        }

        #[test]
        fn other_bytes_are_read_as_something_or_nothing(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let reader = &mut Reader(&bytes);
            while !reader.0.is_empty() && reader.number().is_some() {}
            Reader(&bytes).text();
            Reader(&bytes).place();
        }
    }
}
