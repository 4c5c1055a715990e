//! Data of a drive: the engine has the times, this the contents.
//!
//! A write changes the data when it arrives, a read takes them when it ends: outstanding requests have no order
//! (section "Ordering of messages and writes" of the NBD protocol). While power may be lost, [`unflushed`] keeps what
//! writes replace until they are safe.

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
    /// Takes no room and holds zeroes; other parts may also hold zeroes.
    pub is_hole: bool,
}

enum Medium {
    Memory(Memory),
    File(DataFile),
}

impl Storage {
    /// Data take at most `most` bytes.
    pub fn in_memory(most: u64) -> Storage {
        Storage { medium: Medium::Memory(Memory::new(most)), unflushed: None }
    }

    /// Or makes a sparse file of `bytes` bytes.
    ///
    /// # Errors
    /// A file of another size, or one that another server has open.
    pub fn in_file(path: &Path, bytes: u64) -> io::Result<Storage> {
        Ok(Storage { medium: Medium::File(DataFile::open(path, bytes)?), unflushed: None })
    }

    /// For [`Storage::lose_power`].
    pub fn expect_loss(&mut self, unflushed: Unflushed) {
        self.unflushed = Some(Mutex::new(unflushed));
    }

    /// Places that nobody has written hold zeroes.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.medium {
            Medium::Memory(memory) => memory.read(offset, into),
            Medium::File(file) => return file.read(offset, into),
        }
        Ok(())
    }

    /// At most `most` parts: which hold data, and which are holes.
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

    /// # Errors
    /// Memory that may not be taken, a loss of power, or the system's error.
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

    /// Zeroes from now on. A loss of power may bring the data back.
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

    /// `forced`: complete only once it was safe.
    pub fn complete(&self, ticket: Ticket, forced: bool) {
        if let Some(mut unflushed) = self.unflushed() {
            unflushed.complete(ticket, forced);
        }
    }

    /// For writes complete now. The number is for [`Storage::flushed`].
    pub fn flush(&self) -> u64 {
        self.unflushed().map_or(0, |unflushed| unflushed.completed())
    }

    /// The drive has flushed.
    pub fn flushed(&self, flush: u64) {
        if let Some(mut unflushed) = self.unflushed() {
            unflushed.flushed(flush);
        }
    }

    /// They must outlive this machine's own loss of power.
    pub fn sync(&self) -> io::Result<()> {
        match &self.medium {
            Medium::Memory(_) => Ok(()),
            Medium::File(file) => file.sync(),
        }
    }

    /// And takes nothing from now on.
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
