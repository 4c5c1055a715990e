use std::io::{self, Read};

use crate::common::{self, NAME, mqsim, named, read, refused};
use canaletto::config::reading::{BlockEvent, OnError, ReadOptions};
use canaletto::workload::replay::RecordSource;
use canaletto_trace::{Format, LONGEST_LINE, Options, TraceReader};

#[test]
fn empty_traces() {
    let message =
        |lines| format!("trace.csv: the trace is empty: no request on its {lines} lines; at least one is needed");
    assert_eq!(refused(""), (0, message(0)));
    assert_eq!(refused("\n \t\r\n\n"), (0, message(3)));
    assert_eq!(refused("\n".repeat(1 << 20)), (0, message(1 << 20)));
    assert_eq!(refused(common::gzip(b"")), (0, message(0)));
}

#[test]
fn a_torn_last_line() {
    let whole = "0 0 0 8 1\n1 0 8 8 1\n";
    let torn = |line: &str| {
        let end = format!("it does not end and is not \"arrival device LBA sectors type\"; the line is \"{line}\"");
        (2, format!("trace.csv:3: the last line is torn: {end}"))
    };
    for line in ["2", "2 0 16", "2 0 16 8", "2 0 16 8 "] {
        assert_eq!(refused(format!("{whole}{line}")), torn(line));
    }
    let (records, error) = read(format!("{whole}2 0 16 8 1"), &Options::default());
    assert_eq!((records.len(), error.map(|e| e.to_string())), (3, None), "whole, only the line end is missing");
    let csv = "1,h,0,Read,0,512,9\n2,h,0,Re";
    let end = "it does not end and is not \"timestamp,hostname,disk number,type,offset,size,response time\"";
    assert_eq!(refused(csv), (1, format!("trace.csv:2: the last line is torn: {end}; the line is \"2,h,0,Re\"")));
}

#[test]
fn a_foreign_line_in_the_middle() {
    let with = |line: &str| format!("{}{line}\n{}", mqsim(100), mqsim(100));
    let layout = "where mqsim has \"arrival device LBA sectors type\"; the line is";
    assert_eq!(refused(with("# comment")), (100, format!("trace.csv:101: 2 fields {layout} \"# comment\"")));
    let csv = "1,h,0,Read,0,512,9";
    assert_eq!(refused(with(csv)), (100, format!("trace.csv:101: 1 field {layout} \"{csv}\"")));
    assert_eq!(
        refused(with("99000 0 x 8 1")),
        (100, "trace.csv:101: LBA is \"x\"; allowed is a 512-byte sector, 0 to 2^55 - 1".into())
    );
    assert_eq!(
        refused(with("99000 0 8 8 R")),
        (100, "trace.csv:101: type is \"R\"; allowed is 1 (read, as any other number) or 0 (write)".into())
    );
    let msr = "1,h,0,Read,0,512,9\n2,h,0,Trim,0,512,9\n3,h,0,Read,0,512,9\n";
    assert_eq!(refused(msr), (1, "trace.csv:2: type is \"Trim\"; allowed is Read or Write, R or W".into()));
}

#[test]
fn a_foreign_first_line_does_not_hide_the_format() {
    let (count, message) = refused(format!("# from a lab\n{}", mqsim(9)));
    assert_eq!(count, 0);
    assert!(message.starts_with("trace.csv:1: 4 fields where mqsim has"), "{message}");
}

#[test]
fn the_wrong_format_named() {
    let (_, error) = read(mqsim(3), &named(Format::Msr));
    assert_eq!(
        error.unwrap().to_string(),
        "trace.csv:1: named format msr, but this line is not \"timestamp,hostname,disk number,type,offset,size,response \
         time\" (the trace looks like mqsim); the line is \"0 0 0 8 0\""
    );
    let (_, error) = read("\nhello\n", &named(Format::Mqsim));
    assert_eq!(
        error.unwrap().to_string(),
        "trace.csv:2: named format mqsim, but this line is not \"arrival device LBA sectors type\"; the line is \"hello\""
    );
}

#[test]
fn formats_that_do_not_exist() {
    let names = Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    assert_eq!(
        refused("hello\nworld\n").1,
        format!(
            "trace.csv:1: no format that is known; the formats are {names}; the line is \"hello\"; columns of another CSV file are \
             named, for example: --columns time=#1:s,offset=#2:sectors,size=#3,kind=#4"
        )
    );
    assert_eq!(
        "mrs".parse::<Format>().unwrap_err().to_string(),
        format!("unknown trace format \"mrs\"; the formats are {names}")
    );
    assert_eq!(
        refused(b"BZh91AY&SY").1,
        "trace.csv: this is bzip2 data; a trace is plain text or that text in gzip, zstd or xz"
    );
}

#[test]
fn options_of_other_formats_are_refused() {
    let told = |content: &str, read| {
        let (_, error) = common::read(content, &Options { read, format: None });
        error.expect("a refusal").to_string()
    };
    let events = ReadOptions { events: Some(BlockEvent::C), ..ReadOptions::default() };
    assert_eq!(
        told("0 0 0 8 1\n", events),
        "trace.csv: read as mqsim: events is given, which is for traces in format blkparse only"
    );
    let columns = |text: &str| ReadOptions { columns: Some(text.into()), ..ReadOptions::default() };
    assert_eq!(
        told("time,x\n1,2\n", columns("time=time")),
        "trace.csv: read as csv: columns is \"time=time\": offset is missing, expected offset=COLUMN"
    );
    assert_eq!(
        told("a,b\n1,2\n", columns("time=a,offset=b,size=c,kind=d")),
        "trace.csv: columns is \"time=a,offset=b,size=c,kind=d\": no column \"c\", \"d\"; the columns are a, b"
    );
}

#[test]
fn bad_lines_can_be_left_out() {
    let skip = ReadOptions { on_error: OnError::Skip, sort_window: 0, ..ReadOptions::default() };
    let content = format!(
        "# from a lab\n{}oops\n0 0 0 0 1\n5 0 0 8 1\n\0\n{}\n{}99000 0 8",
        mqsim(90),
        "7".repeat(3 * LONGEST_LINE),
        "90000 0 8 8 1\n".repeat(9)
    );
    let options = Options { read: skip.clone(), format: None };
    let mut reader = TraceReader::new(NAME, io::Cursor::new(content), &options).unwrap();
    assert_eq!(reader.by_ref().filter(|record| record.is_ok()).count(), 99);
    let tally = reader.tally();
    assert_eq!((tally.skipped(), tally.out_of_order_lines()), (7, 0), "a late line is a bad one");
    assert!(tally.first_skipped().unwrap().starts_with("trace.csv:1: 4 fields where mqsim has"));

    let none = Options { read: skip, format: Some(Format::Mqsim) };
    let (_, error) = read("0 0 0 0 1\n1 0 0 0 1\n", &none);
    let told =
        "trace.csv: the trace is empty: no request on its 2 lines, 2 of them bad and left out; at least one is needed";
    assert_eq!(error.unwrap().to_string(), told);
}

#[test]
fn binary_records_may_be_torn_or_foreign() {
    let record = |version: u16, bytes: u32| {
        let mut record = [7u32, bytes, 1].map(u32::to_le_bytes).concat();
        record.extend([0x28, version << 8].map(u16::to_le_bytes).concat());
        record.extend([9u64, 5].map(u64::to_le_bytes).concat());
        record
    };
    let many = record(1, 512).repeat(5);
    let (records, error) = read(many.clone(), &Options::default());
    assert_eq!((records.len(), error.map(|e| e.to_string())), (5, None));
    let (count, told) = refused([&many[..], &[1; 7]].concat());
    assert_eq!(count, 5);
    assert!(
        told.starts_with("trace.csv:6: the last line is torn: it does not end and is not \"a record of 32"),
        "{told}"
    );
    let (count, told) = refused([&many[..], &record(2, 512), &many].concat());
    assert_eq!(
        (count, told),
        (5, "trace.csv:6: version is \"(\\x00\\x00\\x02\"; allowed is that of the first record".into())
    );
    let (count, told) = refused([&many[..], &record(1, 0)].concat());
    assert_eq!((count, told), (5, "trace.csv:6: size is \"0\"; allowed is 1 byte to 4 GiB a request".into()));
}

#[test]
fn binary_rubbish() {
    let told = |at: &str| format!("{at}; a trace is plain text or that text in gzip, zstd or xz");
    assert_eq!(refused(b"\x7fELF\x02\x00\x01\n").1, told("trace.csv:1: binary data (byte 0x00 at column 6)"));
    assert_eq!(refused([0; 1 << 20]).1, told("trace.csv:1: binary data (byte 0x00 at column 1)"));
    let late = [mqsim(100).as_bytes(), b"5 0 \xff\xfe 8 1\n", mqsim(9).as_bytes()].concat();
    assert_eq!(refused(late), (100, told("trace.csv:101: binary data (byte 0xff at column 5)")));
    let host = [&b"1,h,0,Read,0,512,9\n"[..], b"2,h\0,0,Read,0,512,9\n"].concat();
    assert_eq!(refused(host), (1, told("trace.csv:2: binary data (byte 0x00 at column 4)")));
    let wide: Vec<u8> = "t,o,n,k\n1,0,8,R\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_, error) = read(wide, &columns("time=t:s,offset=o,size=n,kind=k"));
    assert_eq!(error.unwrap().to_string(), told("trace.csv:1: binary data (byte 0x00 at column 2)"));
}

fn columns(columns: &str) -> Options {
    Options { read: ReadOptions { columns: Some(columns.to_owned()), ..ReadOptions::default() }, ..Options::default() }
}

#[test]
fn lines_without_the_named_columns() {
    let named = "time=t:s,offset=o,size=n,kind=k";
    let told = |line: &str| read(format!("t,o,n,k\n1,0,512,R\n{line}"), &columns(named)).1.unwrap().to_string();
    assert_eq!(told("x\n"), format!("trace.csv:3: 1 field where csv has \"{named}\"; the line is \"x\""));
    let torn = "the last line is torn: it does not end and is not";
    assert_eq!(told("2,0"), format!("trace.csv:3: {torn} \"{named}\"; the line is \"2,0\""));
}

struct Endless {
    start: io::Cursor<Vec<u8>>,
    left: u64,
    most: u64,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.start.read(into)?;
        if count > 0 {
            return Ok(count);
        }
        let count = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        into[..count].fill(b'7');
        self.left -= count as u64;
        assert!(10_000_000_000 - self.left <= self.most, "read on after the line was too long");
        Ok(count)
    }
}

#[test]
fn a_line_of_ten_gigabytes() {
    for (lines, most) in [(0, 1 << 20), (50_000, 1 << 20)] {
        let start = io::Cursor::new(mqsim(lines).into_bytes());
        let source = Endless { start, left: 10_000_000_000, most };
        let error = match TraceReader::new(NAME, source, &Options::default()) {
            Ok(reader) => reader.last().unwrap().unwrap_err(),
            Err(error) => error,
        };
        let line = lines + 1;
        let told =
            format!("trace.csv:{line}: the line is longer than {LONGEST_LINE} bytes, the most a trace line may have");
        assert_eq!(error.to_string(), told);
    }
}

#[test]
fn a_long_line_before_all_others_can_be_left_out() {
    let long = format!("\n{}\n{}", "x".repeat(LONGEST_LINE + 1), mqsim(9));
    let skip = Options { read: ReadOptions { on_error: OnError::Skip, ..ReadOptions::default() }, format: None };
    let (records, error) = read(long, &skip);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(records, read(mqsim(9), &Options::default()).0);
}

#[test]
fn dos_line_ends_are_taken() {
    let (records, error) = read(mqsim(9).replace('\n', "\r\n"), &Options::default());
    assert!(error.is_none());
    assert_eq!(records, read(mqsim(9), &Options::default()).0);
}

#[test]
fn time_running_backwards() {
    let backwards = "5 0 0 8 1\n5 0 0 8 1\n\n4 0 0 8 1\n";
    assert_eq!(read(backwards, &Options::default()).0.len(), 3, "within the window");
    let window = |sort_window| Options { read: ReadOptions { sort_window, ..ReadOptions::default() }, format: None };
    let (records, error) = read(backwards, &window(0));
    assert_eq!(
        (records.len(), error.unwrap().to_string().as_str()),
        (
            2,
            "trace.csv:4: time runs backwards: arrival at 4 ns, after 5 ns on line 2, and more than the sort window of 0 \
             requests later; sort the trace by arrival time or widen the window"
        )
    );
    let (records, error) = read(format!("{}4 0 0 8 1\n", "5 0 0 8 1\n".repeat(2000)), &window(100));
    assert_eq!(records.len(), 2000);
    assert!(error.unwrap().to_string().starts_with("trace.csv:2001: time runs backwards: arrival at 4 ns, after 5 ns"));
}

#[test]
fn impossible_requests() {
    let cases = [
        ("0 0 0 0 1", "sectors is \"0\"; allowed is 1 byte to 4 GiB a request"),
        ("0 0 0 8388609 1", "sectors is \"8388609\"; allowed is 1 byte to 4 GiB a request"),
        ("0 0 36028797018963968 8 1", "LBA is \"36028797018963968\"; allowed is a 512-byte sector, 0 to 2^55 - 1"),
        ("0 0 36028797018963967 1 1", "LBA is \"36028797018963967\"; allowed is a request that ends below 2^64 bytes"),
        (
            "18446744073709551616 0 0 8 1",
            "arrival is \"18446744073709551616\"; allowed is whole nanoseconds, 0 to 2^64 - 1",
        ),
        ("0 4294967296 0 8 1", "device is \"4294967296\"; allowed is a number, 0 to 2^32 - 1"),
        ("1,h,0,Read,512,0,9", "size is \"0\"; allowed is 1 byte to 4 GiB a request"),
        ("1,h,0,Read,512,4294967297,9", "size is \"4294967297\"; allowed is 1 byte to 4 GiB a request"),
        (
            "184467440737095517,h,0,Read,0,1,9",
            "timestamp is \"184467440737095517\"; allowed is whole ticks of 100 ns, 0 to 184467440737095516",
        ),
    ];
    for (line, told) in cases {
        assert_eq!(refused(format!("{line}\n")), (0, format!("trace.csv:1: {told}")));
    }
}

#[test]
fn unaligned_requests_are_taken() {
    let (records, error) = read("1,h,0,Read,3,4294967296,9\n", &Options::default());
    assert!(error.is_none());
    assert_eq!((records[0].offset_bytes, records[0].bytes), (3, 4 << 30));
}

#[test]
fn an_error_is_told_after_the_records_before_it_and_ends_the_trace() {
    let content = format!("{}oops\n{}", mqsim(700), mqsim(9));
    let mut reader = TraceReader::new(NAME, io::Cursor::new(content.clone()), &Options::default()).unwrap();
    let (mut batch, mut count) = (Vec::new(), 0);
    let first = loop {
        match reader.next_batch(&mut batch) {
            Ok(()) => count += batch.len(),
            Err(message) => break message,
        }
        assert!(!batch.is_empty(), "an error must not look like an end");
    };
    assert_eq!((count, batch.len()), (700, 0));
    assert!(first.starts_with("trace.csv:701: "), "{first}");
    assert_eq!(reader.next_batch(&mut batch), Err(first), "and again");
    assert!(reader.next().is_none());

    let mut reader = TraceReader::new(NAME, io::Cursor::new(content), &Options::default()).unwrap();
    assert_eq!(reader.by_ref().take(700).filter(|r| r.is_ok()).count(), 700);
    assert_eq!(reader.lines(), 701);
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn iterating_and_batches_mix() {
    let mut reader = TraceReader::new(NAME, io::Cursor::new(mqsim(2000)), &Options::default()).unwrap();
    let mut records = vec![reader.next().unwrap().unwrap()];
    assert_eq!(reader.lines(), 2000, "all within the window");
    let mut batch = Vec::new();
    loop {
        reader.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            break;
        }
        records.append(&mut batch);
        records.extend(reader.next().transpose().unwrap());
    }
    assert_eq!(records, read(mqsim(2000), &Options::default()).0);
}
