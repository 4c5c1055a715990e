//! Messages that cross the link between host and drive.

use crate::host::request::RequestId;

/// Message that crosses the link.
#[derive(Clone, Copy, Debug)]
pub enum Message {
    /// The host's submission queue tail.
    SubmissionDoorbell {
        /// Queue pair.
        queue: u16,
        /// New tail.
        tail: u32,
    },
    /// The host's completion queue head.
    CompletionDoorbell {
        /// Queue pair.
        queue: u16,
    },
    /// The drive asks for submission queue entries.
    FetchEntries {
        /// Queue pair.
        queue: u16,
        /// How many.
        count: u32,
    },
    /// The entries asked for.
    Entries {
        /// Queue pair.
        queue: u16,
        /// How many.
        count: u32,
    },
    /// The drive asks for the list of the host's pages.
    FetchList(RequestId),
    /// That list.
    List(RequestId),
    /// A command of Serial ATA.
    Command(RequestId),
    /// The drive has taken it and leaves the link free.
    Accepted,
    /// The drive asks for the data of a write.
    FetchData(RequestId),
    /// The data of a write.
    WriteData(RequestId),
    /// The data of a read.
    ReadData(RequestId),
    /// A completion queue entry.
    Completion {
        /// The finished request.
        request: RequestId,
        /// The drive's submission queue head.
        head: u32,
    },
}

impl Message {
    /// Number of kinds.
    pub const KINDS: usize = 12;

    /// The request that it names.
    #[inline]
    pub fn request(self) -> Option<RequestId> {
        match self {
            Message::FetchList(request) | Message::List(request) | Message::Command(request) => Some(request),
            Message::FetchData(request) | Message::WriteData(request) | Message::ReadData(request) => Some(request),
            Message::Completion { request, .. } => Some(request),
            _ => None,
        }
    }

    /// The number of its kind.
    #[inline(always)]
    pub fn kind(self) -> usize {
        match self {
            Message::SubmissionDoorbell { .. } => 0,
            Message::CompletionDoorbell { .. } => 1,
            Message::FetchEntries { .. } => 2,
            Message::Entries { .. } => 3,
            Message::FetchList(_) => 4,
            Message::List(_) => 5,
            Message::Command(_) => 6,
            Message::Accepted => 7,
            Message::FetchData(_) => 8,
            Message::WriteData(_) => 9,
            Message::ReadData(_) => 10,
            Message::Completion { .. } => 11,
        }
    }
}
