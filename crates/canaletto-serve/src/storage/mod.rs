//! Data of a drive: the engine says when, this says what.
//!
//! A write changes the data when it comes in, a read takes them when it ends, and neither waits for the other: requests that
//! are outstanding at the same time have no order (section "Ordering of messages and writes" of the NBD protocol). While power
//! may be lost, [`unflushed`] keeps what writes replace until they are safe.

mod file;
mod memory;
mod unflushed;

use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use file::DataFile;
use memory::Memory;
pub use unflushed::{Loss, Ticket, Unflushed};

/// Bytes that are moved at a time.
pub const PIECE: usize = 256 << 10;

/// Stored data of a drive.
pub struct Storage {
    medium: Medium,
    unflushed: Option<Mutex<Unflushed>>,
}

/// Part of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Number of bytes.
    pub length: u32,
    /// Whether it takes no room and holds zeroes; others may hold zeroes, too.
    pub is_hole: bool,
}

enum Medium {
    Memory(Memory),
    File(DataFile),
}

impl Storage {
    /// Makes a store in memory, of which data take at most `most` bytes.
    pub fn in_memory(most: u64) -> Storage {
        Storage { medium: Medium::Memory(Memory::new(most)), unflushed: None }
    }

    /// Opens the file that holds the data of a drive of `bytes` bytes, or makes a sparse one.
    ///
    /// # Errors
    /// A file of another size, one that another server has open, and whatever the system says.
    pub fn in_file(path: &Path, bytes: u64) -> io::Result<Storage> {
        Ok(Storage { medium: Medium::File(DataFile::open(path, bytes)?), unflushed: None })
    }

    /// Keeps what writes replace until they are safe, for [`Storage::lose_power`].
    pub fn expect_loss(&mut self, unflushed: Unflushed) {
        self.unflushed = Some(Mutex::new(unflushed));
    }

    /// Reads data; places that nobody has written hold zeroes.
    ///
    /// # Errors
    /// As the system says.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.medium {
            Medium::Memory(memory) => memory.read(offset, into),
            Medium::File(file) => return file.read(offset, into),
        }
        Ok(())
    }

    /// Returns the first parts of an extent, `most` of them at the most: which hold data, and which are holes.
    pub fn extents(&self, offset: u64, length: u32, most: usize) -> Vec<Extent> {
        let end = offset + u64::from(length);
        let (mut extents, mut at) = (Vec::new(), offset);
        while at < end && extents.len() < most {
            let (next, is_hole) = match &self.medium {
                Medium::Memory(memory) => memory.extent(at, end),
                Medium::File(file) => file.extent(at, end),
            };
            extents.push(Extent { length: (next - at) as u32, is_hole });
            at = next;
        }
        extents
    }

    /// Begins a write, which [`Storage::write`] and [`Storage::zero`] name.
    pub fn begin(&self) -> Ticket {
        self.unflushed().map_or(Ticket::NONE, |mut unflushed| unflushed.begin())
    }

    /// Writes some of the data of a write.
    ///
    /// # Errors
    /// Memory that may not be taken, a loss of power, or as the system says.
    pub fn write(&self, ticket: Ticket, offset: u64, data: &[u8]) -> io::Result<()> {
        // The lock is held until the data are written, so that they are in the order in which they were noted.
        let _noted = self.note(ticket, offset, data.len())?;
        match &self.medium {
            Medium::Memory(memory) => memory.write(offset, data),
            Medium::File(file) => file.write(offset, data),
        }
    }

    /// Writes zeroes.
    ///
    /// # Errors
    /// As [`Storage::write`].
    pub fn zero(&self, ticket: Ticket, offset: u64, length: u64) -> io::Result<()> {
        if self.unflushed.is_none() {
            return self.clear(offset, length);
        }
        let mut done = 0;
        while done < length {
            let piece = (length - done).min(PIECE as u64);
            let _noted = self.note(ticket, offset + done, piece as usize)?;
            self.clear(offset + done, piece)?;
            done += piece;
        }
        Ok(())
    }

    /// Forgets data: they are zeroes from now on. A loss of power may bring them back, or not.
    ///
    /// # Errors
    /// As [`Storage::write`].
    pub fn trim(&self, offset: u64, length: u64) -> io::Result<()> {
        let _alive = self.note(Ticket::NONE, offset, 0)?;
        self.clear(offset, length)
    }

    fn clear(&self, offset: u64, length: u64) -> io::Result<()> {
        match &self.medium {
            Medium::Memory(memory) => memory.zero(offset, length),
            Medium::File(file) => file.zero(offset, length),
        }
    }

    /// A write is complete. `forced`: it was complete only once it was safe.
    pub fn complete(&self, ticket: Ticket, forced: bool) {
        if let Some(mut unflushed) = self.unflushed() {
            unflushed.complete(ticket, forced);
        }
    }

    /// A flush begins: it is for what is complete now. The number is for [`Storage::flushed`].
    pub fn flush(&self) -> u64 {
        self.unflushed().map_or(0, |unflushed| unflushed.completed())
    }

    /// The drive has flushed.
    pub fn flushed(&self, flush: u64) {
        if let Some(mut unflushed) = self.unflushed() {
            unflushed.flushed(flush);
        }
    }

    /// Puts the file's data onto the disk below, so that they outlive this machine's own loss of power.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&self) -> io::Result<()> {
        match &self.medium {
            Medium::Memory(_) => Ok(()),
            Medium::File(file) => file.sync(),
        }
    }

    /// Loses what was not safe, and takes nothing from now on.
    ///
    /// # Errors
    /// As the system says.
    pub fn lose_power(&self) -> io::Result<Loss> {
        let Some(mut unflushed) = self.unflushed() else {
            return Ok(Loss::default());
        };
        let (loss, undone) = unflushed.lose();
        for (offset, before) in undone {
            match &self.medium {
                Medium::Memory(memory) => memory.write(offset, &before)?,
                Medium::File(file) => file.write(offset, &before)?,
            }
        }
        self.sync()?;
        Ok(loss)
    }

    fn unflushed(&self) -> Option<MutexGuard<'_, Unflushed>> {
        self.unflushed.as_ref().map(|unflushed| unflushed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps what some of a write is about to replace.
    fn note(&self, ticket: Ticket, offset: u64, length: usize) -> io::Result<Option<MutexGuard<'_, Unflushed>>> {
        let Some(mut unflushed) = self.unflushed() else {
            return Ok(None);
        };
        if unflushed.is_lost() {
            return Err(io::Error::other("the drive has lost power"));
        }
        if length > 0 {
            let mut before = vec![0; length];
            self.read(offset, &mut before)?;
            unflushed.note(ticket, offset, before);
        }
        Ok(Some(unflushed))
    }
}
