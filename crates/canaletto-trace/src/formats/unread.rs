//! Formats that are known by sight but not read, so that a message can name them.

/// What the first line of a file of an unread format looks like.
type Recognise = fn(&[&[u8]]) -> bool;

/// Name, field separator and look of the first line, the surest first.
const UNREAD: [(&str, u8, Recognise); 8] = [
    ("a fio I/O log", b' ', |f| f.starts_with(&[b"fio", b"version"])),
    ("a SYSTOR '17 trace", b',', |f| f.starts_with(&[b"Timestamp", b"Response", b"IOType"])),
    ("a CloudPhysics trace", b',', |f| f.starts_with(&[b"version", b"time", b"op"])),
    ("blkparse text", b' ', |f| f.len() >= 7 && is_device(f[0]) && is_number(f[1]) && is_decimal(f[3])),
    ("a replayer trace (ms, disk, byte, bytes, type)", b' ', |f| {
        f.len() == 5 && is_decimal(f[0]) && f[1..].iter().all(|f| is_number(f))
    }),
    ("an SPC trace", b',', |f| f.len() >= 5 && is_opcode(f[3]) && is_decimal(f[4])),
    ("an Alibaba block trace", b',', |f| f.len() == 5 && is_opcode(f[1]) && is_number(f[4])),
    ("a Tencent block trace", b',', |f| f.len() == 5 && f.iter().all(|f| is_number(f))),
];

/// What `line`, the first of its file, looks like it belongs to.
pub(crate) fn recognise(line: &[u8]) -> &'static str {
    let fields = |separator| line.split(|b| *b == separator).filter(|f| !f.is_empty()).collect::<Vec<_>>();
    let found = UNREAD.iter().find(|(_, separator, looks)| looks(&fields(*separator)));
    found.map_or("a format that is not known", |(name, ..)| name)
}

fn is_number(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(u8::is_ascii_digit)
}

/// Digits, a point, digits.
fn is_decimal(field: &[u8]) -> bool {
    let mut halves = field.splitn(2, |byte| *byte == b'.');
    halves.next().is_some_and(is_number) && halves.next().is_some_and(is_number)
}

/// `major,minor`.
fn is_device(field: &[u8]) -> bool {
    field.split(|byte| *byte == b',').filter(|half| is_number(half)).count() == 2
}

fn is_opcode(field: &[u8]) -> bool {
    matches!(field, b"R" | b"W" | b"r" | b"w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_are_recognised() {
        let cases = [
            ("fio version 2 iolog", "a fio I/O log"),
            ("Timestamp,Response,IOType,LUN,Offset,Size", "a SYSTOR '17 trace"),
            ("version,time,op,size,lbn", "a CloudPhysics trace"),
            ("259,2    0        1     0.000000000  4020  Q   R 282624 + 8 [java]", "blkparse text"),
            ("0.000 0 11562803200 4096 1", "a replayer trace (ms, disk, byte, bytes, type)"),
            ("0,20941264,8192,W,0.551706", "an SPC trace"),
            ("419,W,8792731648,16384,1577808144360767", "an Alibaba block trace"),
            ("1538323200,4247200,128,1,1058", "a Tencent block trace"),
            ("hello", "a format that is not known"),
            ("", "a format that is not known"),
        ];
        for (line, name) in cases {
            assert_eq!(recognise(line.as_bytes()), name, "{line}");
        }
    }
}
