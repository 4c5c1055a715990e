//! Replies of the transmission phase (sections "Simple reply message" and "Structured reply chunk message").

use super::Errno;
use crate::storage::Extent;

const SIMPLE: u32 = 0x6744_6698;
const STRUCTURED: u32 = 0x668e_33ef;

/// The last chunk of a reply (section "Structured reply flags").
const DONE: u16 = 1;

// Section "Structured reply types".
const NONE: u16 = 0;
const OFFSET_DATA: u16 = 1;
const BLOCK_STATUS: u16 = 5;
const ERROR: u16 = (1 << 15) + 1;

// Section "The `base:allocation` metadata context".
const HOLE: u32 = 1;
const ZERO: u32 = 2;

/// Number of the only metadata in replies.
pub const ALLOCATION: u32 = 0;

/// In one chunk, so that clients need not join any. A structured reply ends with [`end_of_data`] or with an error,
/// since reading may fail until then.
pub fn data(out: &mut Vec<u8>, structured: bool, cookie: u64, offset: u64, length: u32) {
    if structured {
        chunk(out, 0, OFFSET_DATA, cookie, 8 + length);
        out.extend(offset.to_be_bytes());
    } else {
        simple(out, 0, cookie);
    }
}

/// Ends a structured reply to a read.
pub fn end_of_data(out: &mut Vec<u8>, cookie: u64) {
    chunk(out, DONE, NONE, cookie, 0);
}

/// Makes the reply to a question for the parts that hold data.
pub fn extents(out: &mut Vec<u8>, cookie: u64, extents: &[Extent]) {
    chunk(out, DONE, BLOCK_STATUS, cookie, 4 + 8 * extents.len() as u32);
    out.extend(ALLOCATION.to_be_bytes());
    for extent in extents {
        out.extend(extent.length.to_be_bytes());
        out.extend(if extent.is_hole { HOLE | ZERO } else { 0 }.to_be_bytes());
    }
}

/// Simple whatever has been negotiated; not for reads.
pub fn done(out: &mut Vec<u8>, cookie: u64) {
    simple(out, 0, cookie);
}

/// A structured reply says why in words.
pub fn error(out: &mut Vec<u8>, structured: bool, cookie: u64, error: Errno, why: &str) {
    if structured {
        chunk(out, DONE, ERROR, cookie, 6 + why.len() as u32);
        out.extend((error as u32).to_be_bytes());
        out.extend((why.len() as u16).to_be_bytes());
        out.extend(why.as_bytes());
    } else {
        simple(out, error as u32, cookie);
    }
}

fn simple(out: &mut Vec<u8>, error: u32, cookie: u64) {
    out.extend(SIMPLE.to_be_bytes());
    out.extend(error.to_be_bytes());
    out.extend(cookie.to_be_bytes());
}

fn chunk(out: &mut Vec<u8>, flags: u16, kind: u16, cookie: u64, length: u32) {
    out.extend(STRUCTURED.to_be_bytes());
    out.extend(flags.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(cookie.to_be_bytes());
    out.extend(length.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_as_long_as_they_say() {
        let made = |make: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            make(&mut out);
            out
        };
        assert_eq!(made(&|out| done(out, 7)).len(), 16);
        assert_eq!(made(&|out| data(out, false, 7, 0, 512)).len(), 16);
        assert_eq!(made(&|out| error(out, false, 7, Errno::Io, "why"))[4..8], 5u32.to_be_bytes());
        let structured = made(&|out| data(out, true, 7, 4096, 512));
        assert_eq!((&structured[16..20], structured.len()), (&520u32.to_be_bytes()[..], 28));
        let parts = [Extent { length: 512, is_hole: false }, Extent { length: 1024, is_hole: true }];
        let status = made(&|out| extents(out, 7, &parts));
        assert_eq!((&status[16..20], status.len()), (&20u32.to_be_bytes()[..], 20 + 20));
        let failed = made(&|out| error(out, true, 7, Errno::Io, "why"));
        assert_eq!((&failed[16..20], failed.len()), (&9u32.to_be_bytes()[..], 20 + 9));
    }
}
