//! Data in a sparse file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::PIECE;
use crate::nbd::SECTOR;

pub struct DataFile(File);

impl DataFile {
    pub fn open(path: &Path, bytes: u64) -> io::Result<DataFile> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        // SAFETY: the descriptor is open as long as `file`.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            return Err(io::Error::other("another server has it open"));
        }
        // One that is empty was made just now, or by hand: either way nothing is lost.
        if found.len() == 0 {
            file.set_len(bytes)?;
        } else if found.len() != bytes {
            let found = found.len();
            return Err(io::Error::other(format!(
                "has {found} B, expected {bytes} B, which the drive has, or a new file"
            )));
        }
        Ok(DataFile(file))
    }

    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(into, offset)
    }

    pub fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    pub fn zero(&self, offset: u64, length: u64) -> io::Result<()> {
        if punch_hole(&self.0, offset, length) {
            return Ok(());
        }
        let zeroes = vec![0; PIECE];
        let mut done = 0;
        while done < length {
            let piece = (length - done).min(PIECE as u64);
            self.write(offset + done, &zeroes[..piece as usize])?;
            done += piece;
        }
        Ok(())
    }

    /// The end, no later than `end`, of the part that begins at `offset`, and whether it is a hole. Parts are whole
    /// sectors.
    pub fn extent(&self, offset: u64, end: u64) -> (u64, bool) {
        match next_data(&self.0, offset) {
            None => (end, true),
            Some((data, _)) if data / SECTOR * SECTOR > offset => ((data / SECTOR * SECTOR).min(end), true),
            // Somebody may make a hole of it meanwhile; what was found was data, if little.
            Some((_, hole)) => (hole.next_multiple_of(SECTOR).clamp(offset + SECTOR, end), false),
        }
    }

    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// False where the system cannot.
#[cfg(target_os = "linux")]
fn punch_hole(file: &File, offset: u64, length: u64) -> bool {
    let (Ok(offset), Ok(length)) = (offset.try_into(), length.try_into()) else {
        return false;
    };
    // SAFETY: the descriptor is open as long as `file`; nothing else is passed but numbers.
    let done = unsafe {
        libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, offset, length)
    };
    done == 0
}

#[cfg(not(target_os = "linux"))]
fn punch_hole(_: &File, _: u64, _: u64) -> bool {
    false
}

/// From `offset` on; none if there are no data.
#[cfg(target_os = "linux")]
fn next_data(file: &File, offset: u64) -> Option<(u64, u64)> {
    // Reads and writes name their places, so that nobody minds where the file is left at.
    // SAFETY: the descriptor is open as long as `file`; nothing else is passed but numbers.
    let seek = |offset: i64, whence| unsafe { libc::lseek(file.as_raw_fd(), offset, whence) };
    let data = seek(offset.try_into().ok()?, libc::SEEK_DATA);
    if data < 0 {
        let nothing = io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO);
        return if nothing { None } else { Some((offset, u64::MAX / 2)) };
    }
    let hole = seek(data, libc::SEEK_HOLE).max(data);
    Some((data as u64, hole as u64))
}

#[cfg(not(target_os = "linux"))]
fn next_data(_: &File, offset: u64) -> Option<(u64, u64)> {
    Some((offset, u64::MAX / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_data_and_holes_are_zeroes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let file = DataFile::open(&path, 1 << 20).unwrap();
        file.write(1000, &[7; 5000]).unwrap();
        file.zero(2000, 1000).unwrap();
        assert_eq!(DataFile::open(&path, 1 << 20).err().unwrap().to_string(), "another server has it open");
        drop(file);
        let (again, mut found) = (DataFile::open(&path, 1 << 20).unwrap(), [0; 7000]);
        again.read(0, &mut found).unwrap();
        let expected: Vec<u8> = (0..7000).map(|i| if matches!(i, 1000..2000 | 3000..6000) { 7 } else { 0 }).collect();
        assert_eq!(found[..], expected);
        again.write(700_000, &[7; 5000]).unwrap();
        let mut at = 0;
        while at < 1 << 20 {
            let (end, is_hole) = again.extent(at, 1 << 20);
            assert!(end > at && end % SECTOR == 0 && end <= 1 << 20);
            let mut found = vec![7; (end - at) as usize];
            again.read(at, &mut found).unwrap();
            assert!(!is_hole || found.iter().all(|&byte| byte == 0), "{at} to {end} is no hole");
            at = end;
        }
        drop(again);
        let other = DataFile::open(&path, 1 << 21).err().unwrap().to_string();
        assert!(other.contains("has 1048576 B, expected 2097152 B"), "{other}");
    }
}
