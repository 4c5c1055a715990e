//! Data in memory: only chunks that were written.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const CHUNK: u64 = 64 << 10;

/// Each with its own lock; neighbouring chunks are in different ones.
const PARTS: usize = 64;

type Part = HashMap<u64, Box<[u8]>>;

pub struct Memory {
    parts: Box<[Mutex<Part>]>,
    /// Most bytes of chunks, and their present number.
    most: u64,
    taken: AtomicU64,
}

impl Memory {
    pub fn new(most: u64) -> Memory {
        Memory { parts: (0..PARTS).map(|_| Mutex::default()).collect(), most, taken: AtomicU64::new(0) }
    }

    pub fn read(&self, offset: u64, into: &mut [u8]) {
        for (chunk, start, range) in chunks(offset, into.len() as u64) {
            let into = &mut into[range];
            match self.part(chunk).get(&chunk) {
                Some(stored) => into.copy_from_slice(&stored[start..start + into.len()]),
                None => into.fill(0),
            }
        }
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        for (chunk, start, range) in chunks(offset, data.len() as u64) {
            let data = &data[range];
            let mut part = self.part(chunk);
            let stored = match part.entry(chunk) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(place) => place.insert(self.take_chunk()?),
            };
            stored[start..start + data.len()].copy_from_slice(data);
        }
        Ok(())
    }

    pub fn zero(&self, offset: u64, length: u64) -> io::Result<()> {
        for (chunk, start, range) in chunks(offset, length) {
            let mut part = self.part(chunk);
            if range.len() as u64 == CHUNK {
                if part.remove(&chunk).is_some() {
                    self.taken.fetch_sub(CHUNK, Ordering::Relaxed);
                }
            } else if let Some(stored) = part.get_mut(&chunk) {
                stored[start..start + range.len()].fill(0);
            }
        }
        Ok(())
    }

    pub fn extent(&self, offset: u64, end: u64) -> (u64, bool) {
        let is_hole = |chunk: u64| !self.part(chunk).contains_key(&chunk);
        let (first, last) = (offset / CHUNK, end.div_ceil(CHUNK));
        let first_is_hole = is_hole(first);
        let other = (first + 1..last).find(|&chunk| is_hole(chunk) != first_is_hole);
        (other.map_or(end, |chunk| chunk * CHUNK), first_is_hole)
    }

    fn take_chunk(&self) -> io::Result<Box<[u8]>> {
        if self.taken.fetch_add(CHUNK, Ordering::Relaxed) + CHUNK > self.most {
            self.taken.fetch_sub(CHUNK, Ordering::Relaxed);
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(vec![0; CHUNK as usize].into_boxed_slice())
    }

    fn part(&self, chunk: u64) -> MutexGuard<'_, Part> {
        self.parts[chunk as usize % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each chunk's number, where the extent begins in it, and its bytes of the extent.
fn chunks(offset: u64, length: u64) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let end = offset + length;
    (offset / CHUNK..end.div_ceil(CHUNK)).map(move |chunk| {
        let (from, until) = (offset.max(chunk * CHUNK), end.min((chunk + 1) * CHUNK));
        (chunk, (from % CHUNK) as usize, (from - offset) as usize..(until - offset) as usize)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_was_written_last(
            steps in prop::collection::vec((0u64..5 * CHUNK, 0u64..3 * CHUNK, 0u8..4), 1..40),
        ) {
            let (memory, mut expected) = (Memory::new(1 << 30), vec![0; 8 * CHUNK as usize]);
            for (offset, length, value) in steps {
                if value == 0 {
                    memory.zero(offset, length).unwrap();
                } else {
                    memory.write(offset, &vec![value; length as usize]).unwrap();
                }
                expected[offset as usize..(offset + length) as usize].fill(value);
            }
            let mut found = vec![7; expected.len()];
            memory.read(0, &mut found);
            prop_assert!(found == expected);
            let mut at = 0;
            while at < expected.len() as u64 {
                let (end, is_hole) = memory.extent(at, expected.len() as u64);
                prop_assert!(end > at && end <= expected.len() as u64);
                prop_assert!(!is_hole || expected[at as usize..end as usize].iter().all(|&byte| byte == 0));
                at = end;
            }
        }
    }

    #[test]
    fn chunks_that_nobody_wrote_are_holes() {
        let memory = Memory::new(1 << 30);
        memory.write(3 * CHUNK + 5, &vec![1; CHUNK as usize]).unwrap();
        assert_eq!(memory.extent(512, 9 * CHUNK), (3 * CHUNK, true));
        assert_eq!(memory.extent(512, 1024), (1024, true));
        assert_eq!(memory.extent(4 * CHUNK, 9 * CHUNK), (5 * CHUNK, false));
        assert_eq!(memory.extent(5 * CHUNK, 9 * CHUNK), (9 * CHUNK, true));
    }

    #[test]
    fn it_takes_no_more_than_it_may() {
        let memory = Memory::new(2 * CHUNK);
        memory.write(CHUNK - 1, &[1, 2]).unwrap();
        let full = memory.write(7 * CHUNK, &[3]).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        memory.write(0, &[4]).unwrap();
        memory.zero(0, CHUNK).unwrap();
        memory.write(7 * CHUNK, &[3]).unwrap();
    }
}
