use crate::common::{NAME, read, written};
use canaletto::config::reading::TimeUnit;
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Options, ReadOptions, TraceReader, TraceWriter};
use proptest::prelude::*;

const LARGEST: u64 = 4 << 30;

fn records() -> impl Strategy<Value = Vec<Record>> {
    // Small and huge values: the number of bits is drawn.
    let number = (any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift);
    let device = prop_oneof![Just(0u32), any::<u32>()];
    let kind = prop::sample::select(vec![Kind::Read, Kind::Write, Kind::Trim, Kind::Flush]);
    let record = (number.clone(), device, number.clone(), number, kind);
    prop::collection::vec(record, 1..50).prop_map(|all| {
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(arrival_ns, device, offset, size, kind)| {
                let (offset_bytes, bytes) = match kind {
                    Kind::Flush => (0, 0),
                    _ => (offset.min(u64::MAX - 2 * LARGEST), size % (LARGEST - 1024) + 1),
                };
                Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN }
            })
            .collect();
        all.sort_by_key(|record| record.arrival_ns);
        all
    })
}

fn writable() -> Vec<Format> {
    Format::ALL.iter().copied().filter(|format| format.is_writable()).collect()
}

fn doubted_unit(format: Format) -> Option<TimeUnit> {
    match format {
        Format::Systor | Format::Spc | Format::Tencent => Some(TimeUnit::Second),
        Format::CloudPhysics | Format::Alibaba => Some(TimeUnit::Microsecond),
        Format::Msr => Some(TimeUnit::Tick),
        Format::Csv => Some(TimeUnit::Nanosecond),
        _ => None,
    }
}

proptest! {
    #[test]
    fn written_records_read_back_equal(format in prop::sample::select(writable()), records in records()) {
        let (text, kept) = written(format, &records, true);
        // A file without requests is no trace, and few lines need not show their format.
        prop_assume!(!kept.is_empty());
        let read_as = ReadOptions { time_unit: doubted_unit(format), ..ReadOptions::default() };
        let (back, error) = read(text.clone(), &Options { format: Some(format), read: read_as });
        prop_assert_eq!(error.map(|e| e.to_string()), None);
        prop_assert_eq!(back.len(), kept.len());
        let mut numbers: Vec<u32> = Vec::new();
        for (back, kept) in back.iter().zip(&kept) {
            let number = numbers.iter().position(|d| *d == kept.device).unwrap_or(numbers.len());
            if number == numbers.len() {
                numbers.push(kept.device);
            }
            let device = if format == Format::Iolog { number as u32 } else { kept.device };
            prop_assert_eq!((back.kind, back.device), (kept.kind, device));
            prop_assert!(back.arrival_ns <= kept.arrival_ns && kept.arrival_ns - back.arrival_ns < 1_000_000_000);
            prop_assert!(back.offset_bytes <= kept.offset_bytes && kept.offset_bytes - back.offset_bytes < 512);
            let grown = (back.offset_bytes + back.bytes) - (kept.offset_bytes + kept.bytes);
            prop_assert!(grown < 512, "{:?} of {:?}", back, kept);
        }
        let (again, all) = written(format, &back, false);
        prop_assert_eq!(all.len(), back.len());
        prop_assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(text).unwrap());
    }

    #[test]
    fn what_needs_no_rounding_is_not_rounded(records in records()) {
        let (text, kept) = written(Format::Csv, &records, false);
        prop_assert_eq!(&kept, &records);
        prop_assert_eq!(read(text, &Options::default()).0, records);
    }

    #[test]
    fn lines_out_of_order_are_put_in_order(window in 0..64u32, delays in prop::collection::vec(0..60u64, 1..3000)) {
        // Requests come 1 ns apart and are written when they complete.
        let mut lines: Vec<_> = delays.iter().enumerate().map(|(i, delay)| (i as u64 + delay, i as u64)).collect();
        lines.sort_by_key(|line| line.0);
        let text: String = lines.iter().map(|(_, arrival)| format!("{arrival} 0 0 8 1\n")).collect();
        let options = Options { read: ReadOptions { sort_window: window, ..ReadOptions::default() }, format: None };
        let mut reader = TraceReader::new(NAME, std::io::Cursor::new(text), &options).unwrap();
        let out: Vec<_> = reader.by_ref().map_while(Result::ok).map(|record| record.arrival_ns).collect();
        prop_assert!(out.is_sorted());
        let mut latest = 0;
        let late = lines.iter().filter(|(_, arrival)| { latest = latest.max(*arrival); *arrival < latest }).count();
        // A request waits for at most 59 others.
        if window >= 60 || late == 0 {
            prop_assert_eq!(out.len(), lines.len());
            prop_assert_eq!(reader.tally().out_of_order_lines(), late as u64);
        }
        if window == 0 && late > 0 {
            prop_assert!(out.len() < lines.len());
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let fine = Record { arrival_ns: 100, device: 0, offset_bytes: 512, bytes: 512, kind: Kind::Read, ..Record::PLAIN };
    let told = |format: Format, record| {
        TraceWriter::new(format, Vec::new(), false).unwrap().write(&record).unwrap_err().to_string()
    };
    assert_eq!(
        told(Format::Mqsim, Record { offset_bytes: 513, ..fine }),
        "format mqsim cannot hold a request whose offset in bytes is 513; allowed is a multiple of 512 (or ask for rounding)"
    );
    assert_eq!(
        told(Format::Msr, Record { arrival_ns: 101, ..fine }),
        "format msr cannot hold a request whose arrival in ns is 101; allowed is a multiple of 100 (or ask for rounding)"
    );
    assert_eq!(
        told(Format::Spc, Record { kind: Kind::Trim, ..fine }),
        "format spc cannot hold a request whose kind is trim; allowed is read, write"
    );
    let forced = Record { kind: Kind::Write, fua: true, ..fine };
    assert_eq!(
        told(Format::Msr, forced),
        "format msr cannot hold a request whose kind is write_fua; allowed is write (or ask for rounding)"
    );
    assert_eq!(
        told(Format::CloudPhysics, Record { device: 3, arrival_ns: 0, ..fine }),
        "format cloudphysics cannot hold a request whose device is 3; allowed is 0, as the format has none"
    );
    let refused = TraceWriter::new(Format::Vscsi, Vec::new(), true).err().expect("a refusal").to_string();
    assert!(
        refused.starts_with("format vscsi is read, but not written; the formats written are mqsim, msr, "),
        "{refused}"
    );
    for format in writable() {
        let told = told(format, Record { bytes: 0, ..fine });
        assert!(told.ends_with("whose size in bytes is 0; allowed is 1 byte to 4 GiB a request"), "{told}");
    }
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), *format);
        assert!(!format.description().contains('\n'));
    }
}

#[test]
fn forms_of_writes_are_kept_or_rounded_away() {
    let forms = [(false, false), (true, false), (false, true), (true, true)].map(|(fua, zeroes)| Record {
        arrival_ns: 100,
        device: 0,
        offset_bytes: 512,
        bytes: 512,
        kind: Kind::Write,
        fua,
        zeroes,
        handle: None,
    });
    let with_handle = |number| Record { handle: Some(number), ..forms[0] };
    let forms = [forms[0], forms[1], forms[2], forms[3], with_handle(0), with_handle(255)];
    for (format, expected) in [(Format::Csv, forms), (Format::Msr, [forms[0]; 6])] {
        let mut writer = TraceWriter::new(format, Vec::new(), true).unwrap();
        forms.iter().for_each(|record| writer.write(record).unwrap());
        let options = Options { format: Some(format), ..Options::default() };
        assert_eq!(read(writer.finish().unwrap(), &options).0, expected);
    }
}
