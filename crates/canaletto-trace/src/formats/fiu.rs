//! FIU traces: `0 4892 syslogd 904265560 8 W 6 0 531e779…`, one request a line.
//!
//! Time in ns, process and its name (which may have spaces), address and size in blocks of 512 bytes, W or R, major and
//! minor device number, MD5 digests (Koller and Rangaswami, FAST 2010; SNIA IOTTA). Digests are skipped. The device
//! number is the kernel's: major × 2^20 + minor.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, checked, number, number32, scaled};

const BLOCK_BYTES: u64 = 512;
const MINOR_BITS: u32 = 20;
/// Where the type stands without spaces in the process's name, and words looked at in case there are some.
const TYPE_AT: usize = 5;
const MOST_WORDS: usize = 24;

static TIME: Field = Field { name: "time", allowed: "whole nanoseconds, 0 to 2^64 - 1" };
static PROCESS: Field = Field { name: "process", allowed: "a number, 0 to 2^64 - 1" };
static BLOCK: Field = Field { name: "block", allowed: "a 512-byte block, 0 to 2^55 - 1" };
static BLOCKS: Field = Field { name: "blocks", allowed: "a number of 512-byte blocks, 1 to 2^23" };
static TYPE: Field = Field { name: "type", allowed: "W or R between numbers" };
static DEVICE: Field = Field { name: "device", allowed: "major and minor, below 4096 and 1048576" };

#[derive(Debug, Default)]
pub(super) struct Fiu;

impl TraceFormat for Fiu {
    const NAME: &'static str = "fiu";
    const DESCRIPTION: &'static str =
        "FIU: time in ns, process, its name, address and size in 512-byte blocks, W or R, major and minor device, MD5";
    const LAYOUT: &'static str = "time process name block blocks type major minor [MD5]";
    const UNIT_NS: Option<u64> = Some(1);
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, BLOCK_BYTES);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let mut words = [&[][..]; MOST_WORDS];
        let fields = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty());
        let count = fields.zip(&mut words).map(|(field, slot)| *slot = field).count();
        let words = &words[..count];
        if count < TYPE_AT + 3 {
            return Err(Box::new(Fault::Fields { found: count }));
        }
        let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
        let is_type = |at: &usize| {
            matches!(words[*at], b"R" | b"W")
                && is_number(words[*at - 2])
                && is_number(words[*at - 1])
                && is_number(words[*at + 1])
        };
        let at = (TYPE_AT..count - 2).find(is_type).ok_or_else(|| Fault::text(&TYPE, words[TYPE_AT]))?;
        let kind = if words[at] == b"W" { Kind::Write } else { Kind::Read };
        let arrival_ns = number(&TIME, words[0])?;
        number(&PROCESS, words[1])?;
        let offset_bytes = scaled(&BLOCK, words[at - 2], BLOCK_BYTES)?;
        let bytes = scaled(&BLOCKS, words[at - 1], BLOCK_BYTES)?;
        let (major, minor) = (number32(&DEVICE, words[at + 1])?, number32(&DEVICE, words[at + 2])?);
        if major >> (32 - MINOR_BITS) != 0 || minor >> MINOR_BITS != 0 {
            return Err(Fault::value(&DEVICE, words[at + 1], DEVICE.allowed));
        }
        let record =
            Record { arrival_ns, device: major << MINOR_BITS | minor, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&BLOCK, words[at - 2]), (&BLOCKS, words[at - 1])).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let (block, blocks) = (record.offset_bytes / BLOCK_BYTES, record.bytes / BLOCK_BYTES);
        let kind = if record.kind == Kind::Write { "W" } else { "R" };
        let (major, minor) = (record.device >> MINOR_BITS, record.device & ((1 << MINOR_BITS) - 1));
        // A record knows neither process nor data: stand-ins.
        writeln!(out, "{} 0 canaletto {block} {blocks} {kind} {major} {minor} {:032}", record.arrival_ns, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        const DIGEST: &str = "531e779bd3a9d2e6ef7d9bbd6c4fa6fb";
        let whole = write(89, 6 << 20, 904_265_560 * 512, 4096);
        let lines = [
            (&*format!("89 4892 syslogd 904265560 8 W 6 0 {DIGEST}"), whole),
            (&*format!("89 4892 a 1 R b 904265560 8 W 6 0 {DIGEST} {DIGEST}"), whole),
            ("0 1 x 0 1 R 8 1", read(0, (8 << 20) + 1, 0, 512)),
        ];
        let others =
            ["", "0 1 x 0 1 R 8", "0 1 x 0 1 Q 8 1", "y 1 x 0 1 R 8 1", "0 1 x 0 1.5 R 8 1", "0 1 x 0 1 R 8 z"];
        let bad = ["0 1 x 0 0 R 8 1", "0 1 x 36028797018963968 1 R 8 1", "0 1 x 0 1 R 4096 1", "0 1 x 0 1 R 8 1048576"];
        check::<Fiu>(&lines, &others, &bad);
    }
}
