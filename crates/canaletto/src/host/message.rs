use crate::host::request::RequestId;

/// In eight bytes.
#[derive(Clone, Copy, Debug)]
pub enum Message {
    SubmissionDoorbell { queue: u16, tail: u32 },
    CompletionDoorbell { queue: u16 },
    FetchEntries { queue: u16, count: u32 },
    Entries { queue: u16, count: u32 },
    FetchList(RequestId),
    List(RequestId),
    Command(RequestId),
    Accepted,
    FetchData(RequestId),
    WriteData(RequestId),
    ReadData(RequestId),
    Completion { request: RequestId, head: u16 },
}

const _: () = assert!(size_of::<Message>() == 8);

impl Message {
    pub const KINDS: usize = 12;

    #[inline]
    pub fn request(self) -> Option<RequestId> {
        match self {
            Message::FetchList(request) | Message::List(request) | Message::Command(request) => Some(request),
            Message::FetchData(request) | Message::WriteData(request) | Message::ReadData(request) => Some(request),
            Message::Completion { request, .. } => Some(request),
            _ => None,
        }
    }

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
