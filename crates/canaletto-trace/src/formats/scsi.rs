//! Operation codes of SCSI's commands for blocks (SBC-4) as requests.

use canaletto::host::request::Kind;

/// `None` for other commands. UNMAP (0x42) carries its ranges as data, which traces do not hold.
pub(super) fn kind(code: u16) -> Option<Kind> {
    match code {
        0x08 | 0x28 | 0x88 | 0xa8 => Some(Kind::Read),
        0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e | 0xae => Some(Kind::Write),
        0x35 | 0x91 => Some(Kind::Flush),
        _ => None,
    }
}
