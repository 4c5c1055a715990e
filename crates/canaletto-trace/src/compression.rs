//! Decompression, detected from the first bytes, never from the name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use liblzma::write::XzEncoder;

/// Compression of a trace file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Plain text.
    None,
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard, of one or more frames.
    Zstd,
    /// xz, of one or more streams.
    Xz,
}

impl Compression {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
        }
    }
}

const MAGIC_BYTES: usize = 6;

/// Named in messages.
const NOT_READ: [(&[u8], &str); 5] = [
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"PAR1", "Parquet"),
];

/// Files of `xz -9` need 65 MiB, damaged ones can request 4 GiB.
const XZ_MEMORY: u64 = 256 << 20;

#[derive(Debug)]
pub(crate) enum Refused {
    Packing(&'static str),
    Read(io::Error),
}

pub(crate) fn unpack(mut packed: Box<dyn Read + Send>) -> Result<(Compression, Box<dyn Read + Send>), Refused> {
    let mut magic = Vec::with_capacity(MAGIC_BYTES);
    packed.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut magic).map_err(Refused::Read)?;
    let compression = detect(&magic).map_err(Refused::Packing)?;
    let whole = BufReader::with_capacity(128 << 10, Cursor::new(magic).chain(packed));
    let bytes: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(Members { member: Some(GzDecoder::new(whole)) }),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(whole).map_err(Refused::Read)?),
        Compression::Xz => {
            let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED).map_err(|e| Refused::Read(e.into()))?;
            Box::new(XzDecoder::new_stream(whole, stream))
        }
    };
    Ok((compression, Box::new(Explained { bytes, compression })))
}

fn detect(magic: &[u8]) -> Result<Compression, &'static str> {
    match magic {
        [0x1f, 0x8b, ..] => Ok(Compression::Gzip),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Ok(Compression::Xz),
        // A frame, or a skippable frame before it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Ok(Compression::Zstd),
        _ => match NOT_READ.iter().find(|(start, _)| magic.starts_with(start)) {
            Some((_, name)) => Err(name),
            None => Ok(Compression::None),
        },
    }
}

/// Zeroes after a member pad a block of a tape or a disk; gzip(1) also skips them.
struct Members<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(into)?;
            if count > 0 || into.is_empty() {
                return Ok(count);
            }
            let rest = self.member.take().map(GzDecoder::into_inner);
            self.member = rest.map(behind_zeroes).transpose()?.flatten().map(GzDecoder::new);
        }
        Ok(0)
    }
}

fn behind_zeroes<R: BufRead>(mut bytes: R) -> io::Result<Option<R>> {
    loop {
        let held = bytes.fill_buf()?;
        if held.is_empty() {
            return Ok(None);
        }
        let zeroes = held.iter().take_while(|byte| **byte == 0).count();
        let is_over = zeroes < held.len();
        bytes.consume(zeroes);
        if is_over {
            return Ok(Some(bytes));
        }
    }
}

struct Explained {
    bytes: Box<dyn Read + Send>,
    compression: Compression,
}

impl Read for Explained {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(into).map_err(|error| explain(self.compression, error))
    }
}

fn explain(compression: Compression, error: io::Error) -> io::Error {
    let name = compression.name();
    match error.kind() {
        // The disk speaks, not the decoder; or nothing is wrong yet.
        _ if compression == Compression::None || error.raw_os_error().is_some() => error,
        io::ErrorKind::Interrupted => error,
        io::ErrorKind::UnexpectedEof => io::Error::other(format!("the {name} data is cut short")),
        _ => io::Error::other(format!("the {name} data is damaged: {error}")),
    }
}

/// The file must not end before the size it had when it was opened.
#[derive(Debug)]
pub(crate) struct Unshrunk<R> {
    file: R,
    size: u64,
    read: Arc<AtomicU64>,
}

impl<R> Unshrunk<R> {
    pub(crate) fn new(file: R, size: u64) -> Self {
        Self { file, size, read: Arc::default() }
    }

    /// Bytes read, which continues, and size.
    pub(crate) fn extent(&self) -> (Arc<AtomicU64>, u64) {
        (Arc::clone(&self.read), self.size)
    }
}

impl<R: Read> Read for Unshrunk<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        let read = self.read.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        let size = self.size;
        if count == 0 && !into.is_empty() && read < size {
            return Err(io::Error::other(format!("the file shrank from {size} to {read} bytes while it was read")));
        }
        Ok(count)
    }
}

/// File to write, compressed as the ending of its name says: .gz, .zst, .xz, or not.
pub struct Packed(Packer);

enum Packer {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
    Xz(XzEncoder<BufWriter<File>>),
}

impl Packed {
    /// `name` is the file's later name.
    ///
    /// # Errors
    /// The system refuses the file.
    pub fn create(path: &Path, name: &str) -> io::Result<Self> {
        let file = BufWriter::with_capacity(128 << 10, File::create(path)?);
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        Ok(Self(match ending {
            Some("gz") => Packer::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Some("zst") => {
                let mut encoder = zstd::Encoder::new(file, 0)?;
                encoder.include_checksum(true)?;
                Packer::Zstd(encoder)
            }
            Some("xz") => Packer::Xz(XzEncoder::new(file, 6)),
            _ => Packer::Plain(file),
        }))
    }

    /// # Errors
    /// If the disk takes no more.
    pub fn finish(self) -> io::Result<()> {
        let mut file = match self.0 {
            Packer::Plain(file) => file,
            Packer::Gzip(encoder) => encoder.finish()?,
            Packer::Zstd(encoder) => encoder.finish()?,
            Packer::Xz(encoder) => encoder.finish()?,
        };
        file.flush()
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Packer::Plain(file) => file.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
            Packer::Xz(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing before the end: an encoder that is flushed packs worse.
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_packing() {
        assert_eq!(detect(b"1 0 8 8 1"), Ok(Compression::None));
        assert_eq!(detect(b""), Ok(Compression::None));
        assert_eq!(detect(&zstd::encode_all(&b"x"[..], 1).unwrap()), Ok(Compression::Zstd));
        assert_eq!(detect(b"\x5a\x2a\x4d\x18\x00\x00"), Ok(Compression::Zstd));
        assert_eq!(detect(b"\xfd7zXZ\0"), Ok(Compression::Xz));
        assert_eq!(detect(b"BZh91A"), Err("bzip2"));
    }

    #[test]
    fn a_file_may_grow_but_not_shrink() {
        let read = |content: &[u8], size| Unshrunk::new(content, size).read_to_end(&mut Vec::new());
        assert_eq!(read(b"12345", 5).unwrap(), 5);
        assert_eq!(read(b"12345", 3).unwrap(), 5);
        assert_eq!(read(b"12345", 9).unwrap_err().to_string(), "the file shrank from 9 to 5 bytes while it was read");
    }
}
