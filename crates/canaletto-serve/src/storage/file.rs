//! Data in a sparse file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::PIECE;

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

    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// Gives the room of some bytes back, which are zeroes then. Returns false where the system cannot.
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
        drop(again);
        let other = DataFile::open(&path, 1 << 21).err().unwrap().to_string();
        assert!(other.contains("has 1048576 B, expected 2097152 B"), "{other}");
    }
}
