//! Requests of the transmission phase (section "Request message").

use super::{Errno, LONGEST, SECTOR};

/// Bytes of a request before its data.
pub const HEADER: usize = 28;

const MAGIC: u32 = 0x2560_9513;

// Section "Request types".
const READ: u16 = 0;
const WRITE: u16 = 1;
const DISCONNECT: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const WRITE_ZEROES: u16 = 6;
const BLOCK_STATUS: u16 = 7;

// Section "Command flags".
const FUA: u16 = 1 << 0;
const NO_HOLE: u16 = 1 << 1;
const DONT_FRAGMENT: u16 = 1 << 2;
const REQ_ONE: u16 = 1 << 3;

/// A request as it stands on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Command flags.
    pub flags: u16,
    /// Type of the request.
    pub kind: u16,
    /// The reply repeats it.
    pub cookie: u64,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
}

/// An operation that a client may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Read data.
    Read,
    /// Zeroes do not cross the wire.
    Write {
        /// Whether it writes zeroes.
        zeroes: bool,
    },
    /// Forget data.
    Trim,
    /// Earlier writes must survive a loss of power.
    Flush,
}

/// A request that can be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub operation: Operation,
    /// Data must survive a loss of power before the reply (force unit access).
    pub fua: bool,
    /// First byte, of a sector.
    pub offset: u64,
    /// Whole sectors within the drive; none of a flush.
    pub length: u32,
}

/// A message of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A request.
    Request(Request),
    /// Which parts hold data? Not for the simulated drive.
    BlockStatus {
        /// First byte, of a sector.
        offset: u64,
        /// Whole sectors within the drive.
        length: u32,
        /// Only the first part is wanted.
        one: bool,
    },
    /// A request that is answered with an error.
    Refused(Errno, &'static str),
    /// The client goes.
    Disconnect,
}

impl Header {
    /// None if the bytes are no request, and nobody knows where the next one begins.
    pub fn parse(bytes: &[u8; HEADER]) -> Option<Header> {
        let mut fields = bytes.as_slice();
        (u32::from_be_bytes(take(&mut fields)) == MAGIC).then(|| Header {
            flags: u16::from_be_bytes(take(&mut fields)),
            kind: u16::from_be_bytes(take(&mut fields)),
            cookie: u64::from_be_bytes(take(&mut fields)),
            offset: u64::from_be_bytes(take(&mut fields)),
            length: u32::from_be_bytes(take(&mut fields)),
        })
    }

    /// Writes the header.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.kind.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_be_bytes());
        bytes[24..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// Bytes of data behind the header, whether or not the request is valid.
    pub fn data(&self) -> u32 {
        if self.kind == WRITE { self.length } else { 0 }
    }

    /// `allocation`: the client may ask which parts hold data.
    pub fn check(&self, size: u64, allocation: bool) -> Message {
        let (operation, flags) = match self.kind {
            READ => (Operation::Read, FUA | DONT_FRAGMENT),
            WRITE => (Operation::Write { zeroes: false }, FUA),
            DISCONNECT => return Message::Disconnect,
            FLUSH => (Operation::Flush, FUA),
            TRIM => (Operation::Trim, FUA),
            WRITE_ZEROES => (Operation::Write { zeroes: true }, FUA | NO_HOLE),
            BLOCK_STATUS if allocation => return self.check_block_status(size),
            BLOCK_STATUS => return Message::Refused(Errno::Invalid, "no metadata were agreed on"),
            _ => return Message::Refused(Errno::Invalid, "unknown command"),
        };
        if self.flags & !flags != 0 {
            return Message::Refused(Errno::Invalid, "unknown flag of this command");
        }
        if let Err((error, why)) = self.check_extent(operation, size) {
            return Message::Refused(error, why);
        }
        // Of a read the flag says nothing; of a trim there is nothing to keep.
        let fua = self.flags & FUA != 0 && matches!(operation, Operation::Write { .. });
        Message::Request(Request { operation, fua, offset: self.offset, length: self.length })
    }

    fn check_block_status(&self, size: u64) -> Message {
        if self.flags & !(FUA | REQ_ONE) != 0 {
            return Message::Refused(Errno::Invalid, "unknown flag of this command");
        }
        // As for a trim, no data come or go.
        match self.check_extent(Operation::Trim, size) {
            Ok(()) => Message::BlockStatus { offset: self.offset, length: self.length, one: self.flags & REQ_ONE != 0 },
            Err((error, why)) => Message::Refused(error, why),
        }
    }

    fn check_extent(&self, operation: Operation, size: u64) -> Result<(), (Errno, &'static str)> {
        if operation == Operation::Flush {
            let nothing = self.offset == 0 && self.length == 0;
            return if nothing { Ok(()) } else { Err((Errno::Invalid, "a flush has no offset and no length")) };
        }
        if self.length == 0 {
            return Err((Errno::Invalid, "no bytes"));
        }
        if self.offset % SECTOR != 0 || u64::from(self.length) % SECTOR != 0 {
            return Err((Errno::Invalid, "not whole sectors of 512 bytes"));
        }
        let carries_data = matches!(operation, Operation::Read | Operation::Write { zeroes: false });
        if carries_data && self.length > LONGEST {
            return Err((Errno::Invalid, "longer than 32 MiB"));
        }
        let ends_within = self.offset.checked_add(u64::from(self.length)).is_some_and(|end| end <= size);
        match operation {
            _ if ends_within => Ok(()),
            Operation::Write { .. } => Err((Errno::NoSpace, "beyond the end of the drive")),
            _ => Err((Errno::Invalid, "beyond the end of the drive")),
        }
    }
}

pub(super) fn take<const N: usize>(fields: &mut &[u8]) -> [u8; N] {
    let (first, rest) = fields.split_first_chunk().expect("a field of known size");
    *fields = rest;
    *first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ask(kind: u16, flags: u16, offset: u64, length: u32) -> Message {
        Header { flags, kind, cookie: 1, offset, length }.check(1 << 30, true)
    }

    #[test]
    fn each_command_is_known() {
        let request = |operation, fua, length| Message::Request(Request { operation, fua, offset: 0, length });
        assert_eq!(ask(READ, DONT_FRAGMENT, 0, 512), request(Operation::Read, false, 512));
        assert_eq!(ask(WRITE, FUA, 0, 512), request(Operation::Write { zeroes: false }, true, 512));
        assert_eq!(ask(WRITE_ZEROES, NO_HOLE, 0, 1 << 30), request(Operation::Write { zeroes: true }, false, 1 << 30));
        assert_eq!(ask(TRIM, FUA, 0, 1 << 30), request(Operation::Trim, false, 1 << 30));
        assert_eq!(ask(FLUSH, 0, 0, 0), request(Operation::Flush, false, 0));
        let status = |one| Message::BlockStatus { offset: 512, length: 1 << 29, one };
        assert_eq!(ask(BLOCK_STATUS, 0, 512, 1 << 29), status(false));
        assert_eq!(ask(BLOCK_STATUS, REQ_ONE, 512, 1 << 29), status(true));
        assert_eq!(ask(DISCONNECT, 0, 0, 0), Message::Disconnect);
    }

    #[test]
    fn requests_that_cannot_be_carried_out_are_refused() {
        let refused = |kind, flags, offset, length| match ask(kind, flags, offset, length) {
            Message::Refused(error, _) => error,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(WRITE, 0, 1 << 30, 512), Errno::NoSpace);
        assert_eq!(refused(WRITE, 0, u64::MAX - 511, 512), Errno::NoSpace);
        for (kind, flags, offset, length) in [
            (READ, 0, 1 << 30, 512),
            (READ, 0, 0, LONGEST + 512),
            (WRITE, 0, 0, u32::MAX - 511),
            (READ, 0, 7, 512),
            (READ, 0, 0, 511),
            (READ, 0, 0, 0),
            (READ, NO_HOLE, 0, 512),
            (WRITE, 1 << 5, 0, 512),
            (FLUSH, 0, 0, 512),
            (TRIM, 0, u64::MAX - 511, 512),
            (5, 0, 0, 512),
            (BLOCK_STATUS, 0, 0, 0),
            (BLOCK_STATUS, 0, 512, 1 << 30),
            (BLOCK_STATUS, DONT_FRAGMENT, 0, 512),
            (u16::MAX, u16::MAX, u64::MAX, u32::MAX),
        ] {
            assert_eq!(refused(kind, flags, offset, length), Errno::Invalid, "{kind} {flags} {offset} {length}");
        }
    }

    #[test]
    fn whoever_has_not_agreed_on_metadata_gets_none() {
        let header = Header { flags: 0, kind: BLOCK_STATUS, cookie: 1, offset: 0, length: 512 };
        assert_eq!(header.check(1 << 30, false), Message::Refused(Errno::Invalid, "no metadata were agreed on"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_within_the_drive_or_an_error(bytes: [u8; HEADER], kind in 0u16..8, size in 1u64..1 << 50, allocation: bool) {
            let mut bytes = bytes;
            prop_assert!(Header::parse(&bytes).is_none() || bytes[..4] == MAGIC.to_be_bytes());
            bytes[..4].copy_from_slice(&MAGIC.to_be_bytes());
            bytes[6..8].copy_from_slice(&kind.to_be_bytes());
            let header = Header::parse(&bytes).expect("the magic number");
            prop_assert_eq!(header.bytes(), bytes);
            match header.check(size, allocation) {
                Message::Request(request) => {
                    prop_assert!(request.offset + u64::from(request.length) <= size);
                    prop_assert!(request.length > 0 || request.operation == Operation::Flush);
                }
                Message::BlockStatus { offset, length, .. } => {
                    prop_assert!(allocation && length > 0 && offset + u64::from(length) <= size);
                }
                Message::Refused(..) | Message::Disconnect => {}
            }
        }
    }
}
