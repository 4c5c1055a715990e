//! Random bytes, most of them nearly a trace, read as any format: no panic, errors of one line, records in order,
//! bounded memory.
//!
//! `CANALETTO_FUZZ_CASES` is the number of inputs per format (default 300), `CANALETTO_FUZZ_SEED` their seed (default
//! 0).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::{NAME, gzip, written, xz, zstd};
use canaletto::config::reading::{BlockEvent, OnError, TimeUnit};
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Options, ReadOptions, TraceReader};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Buffers, a window of some thousand requests, and a decoder's dictionary.
const MOST_BYTES: usize = 24 << 20;

struct Counting;

thread_local! {
    static HELD: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

// SAFETY: everything is left to the system's allocator; the counts touch no memory of its.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = HELD.try_with(|held| {
            let now = held.get().0 + layout.size();
            held.set((now, held.get().1.max(now)));
        });
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let _ = HELD.try_with(|held| held.set((held.get().0.saturating_sub(layout.size()), held.get().1)));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const WORDS: [&str; 50] = [
    "0", "1", "2", "8", "28", "2a", "512", "4096", "-1", "1.5", "1e9", "0x10", ".", "Read", "Write", "R", "W", "r",
    "w", "D", "Q", "C", "WS", "FN", "FWFS", "DS", "read", "write", "trim", "sync", "wait", "add", "open", "host",
    "/dev/sda", "8,0", "259,2", "4096,0", "+", "[java]", "(", ":", "#", "\"", ";", "é", "\0", "\u{1}", "", "syslogd",
];
const TEXTS: [&str; 10] = [
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "0.000000001",
    "CPU0 (sda):",
    "Timestamp,Response,IOType,LUN,Offset,Size",
    "version,time,op,size,lbn",
    "fio version 2 iolog",
    "fio version 3 iolog",
    "arrival_ns,device,offset_bytes,bytes,kind",
];
/// First bytes of packings.
const MAGIC: &[&[u8]] =
    &[b"", b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\x04", b"\xfd7zXZ\0\0\x04"];
const SEPARATORS: [&str; 8] = [" ", " ", ",", ",", "\t", ";", "\n", "\r\n"];

fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = (prop::sample::select([&WORDS[..], &TEXTS].concat()), prop::sample::select(&SEPARATORS[..]));
    prop::collection::vec(piece, 0..300)
        .prop_map(|all| all.iter().flat_map(|(a, b)| [*a, *b]).collect::<String>().into_bytes())
}

fn sound(format: Format) -> impl Strategy<Value = Vec<u8>> {
    let number = (any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift);
    let kind = prop::sample::select(vec![Kind::Read, Kind::Write, Kind::Trim, Kind::Flush]);
    let record = (number.clone(), prop_oneof![Just(0u32), any::<u32>()], number, 1u64..1 << 20, kind);
    let records = prop::collection::vec(record, 1..60);
    records.prop_map(move |all| {
        let records = all.into_iter().map(|(arrival_ns, device, offset, bytes, kind)| {
            let (offset_bytes, bytes) = if kind == Kind::Flush { (0, 0) } else { (offset >> 1, bytes) };
            Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN }
        });
        let records: Vec<_> = records.collect();
        match format {
            Format::Biosnoop => biosnoop(&records),
            _ if format.is_writable() => written(format, &records, true).0,
            _ => records.iter().flat_map(vscsi).collect(),
        }
    })
}

fn biosnoop(records: &[Record]) -> Vec<u8> {
    let line = |record: &Record| {
        let (seconds, ns) = (record.arrival_ns / 1_000_000_000, record.arrival_ns % 1_000_000_000);
        let kind = if record.kind == Kind::Read { "R" } else { "WS" };
        format!(
            "{seconds}.{ns:09} a b 7 d{} {kind} {} {} 0.25\n",
            record.device,
            record.offset_bytes / 512,
            record.bytes
        )
    };
    let lines: String = records.iter().map(line).collect();
    format!("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n{lines}").into_bytes()
}

fn vscsi(record: &Record) -> Vec<u8> {
    let command: u16 = if record.kind == Kind::Read { 0x28 } else { 0x2a };
    let mut bytes = [1u32, record.bytes as u32, 1].map(u32::to_le_bytes).concat();
    bytes.extend([command, 0x0100].map(u16::to_le_bytes).concat());
    bytes.extend([record.offset_bytes / 512, record.arrival_ns / 1000].map(u64::to_le_bytes).concat());
    bytes
}

#[derive(Debug, Clone)]
enum Damage {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat(prop::sample::Index, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    let piece = prop_oneof![near_text(), prop::collection::vec(any::<u8>(), 0..40)];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (at(), 1..200usize).prop_map(|(at, count)| Damage::Remove(at, count)),
        (at(), piece).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (at(), 1..80_000usize).prop_map(|(at, count)| Damage::Repeat(at, count)),
    ]
}

fn damaged(mut bytes: Vec<u8>, all: &[Damage]) -> Vec<u8> {
    for damage in all {
        let place = |at: &prop::sample::Index, bytes: &[u8]| if bytes.is_empty() { 0 } else { at.index(bytes.len()) };
        match damage {
            Damage::Set(at, byte) if !bytes.is_empty() => {
                let at = place(at, &bytes);
                bytes[at] = *byte;
            }
            Damage::Set(..) => {}
            Damage::Remove(at, count) => {
                let at = place(at, &bytes);
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Damage::Insert(at, piece) => {
                let at = place(at, &bytes);
                bytes.splice(at..at, piece.iter().copied());
            }
            Damage::Repeat(at, count) => {
                let at = place(at, &bytes);
                let byte = bytes.get(at).copied().unwrap_or(b'7');
                bytes.splice(at..at, std::iter::repeat_n(byte, *count));
            }
        }
    }
    bytes
}

fn read_options() -> impl Strategy<Value = ReadOptions> {
    let columns = prop::sample::select(vec![
        None,
        None,
        None,
        Some("time=#1:ms,offset=#2:sectors,size=#3,kind=#4"),
        Some("time=arrival_ns,offset=bytes:KiB,size=bytes,kind=kind"),
        Some("time=#1,offset=#2,size=#3,kind=read"),
        Some("time=#1:s,offset=#3,size=#4,kind=#2:read=0|R:write=W"),
    ]);
    let events = prop::sample::select(vec![None, None, Some(BlockEvent::Q), Some(BlockEvent::C)]);
    let on_error = prop::sample::select(vec![OnError::Stop, OnError::Skip]);
    let time_unit = prop::sample::select(vec![None, None, Some(TimeUnit::Second), Some(TimeUnit::Tick)]);
    (columns, events, on_error, prop::sample::select(vec![0, 3, 4096]), time_unit).prop_map(
        |(columns, events, on_error, sort_window, time_unit)| ReadOptions {
            on_error,
            sort_window,
            events,
            columns: columns.map(str::to_owned),
            time_unit,
        },
    )
}

fn check(bytes: Vec<u8>, options: &Options) {
    let size = bytes.len();
    HELD.with(|held| held.set((held.get().0, held.get().0)));
    let before = HELD.with(|held| held.get().0);
    let mut count = 0;
    let one_line = |message: String| assert!(!message.contains('\n'), "{message:?}");
    match TraceReader::new(NAME, std::io::Cursor::new(bytes), options) {
        Err(error) => one_line(error.to_string()),
        Ok(mut reader) => {
            let (mut batch, mut last) = (Vec::new(), 0);
            loop {
                if let Err(error) = reader.read_batch(&mut batch) {
                    one_line(error.to_string());
                    break;
                }
                if batch.is_empty() {
                    break;
                }
                for record in &batch {
                    assert!(record.arrival_ns >= last && (record.bytes > 0) == (record.kind != Kind::Flush));
                    assert!(record.offset_bytes.checked_add(record.bytes).is_some());
                    last = record.arrival_ns;
                    count += 1;
                }
            }
            assert!(count + reader.tally().skipped() <= reader.lines());
        }
    }
    let most = HELD.with(|held| held.get().1) - before;
    assert!(most < MOST_BYTES, "{most} bytes were held for an input of {size}");
}

#[test]
fn no_input_breaks_a_reader() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse::<u32>().expect("a number"));
    let (cases, seed) = (number("CANALETTO_FUZZ_CASES", 300), number("CANALETTO_FUZZ_SEED", 0));
    let mut tried = 0u64;
    for (place, format) in Format::ALL.iter().copied().enumerate() {
        let mut all = [place as u8; 32];
        all[..4].iter_mut().zip(seed.to_le_bytes()).for_each(|(byte, of_seed)| *byte ^= of_seed);
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &all));
        let content = prop_oneof![
            1 => near_text(),
            1 => (prop::sample::select(MAGIC), prop::collection::vec(any::<u8>(), 0..500))
                .prop_map(|(start, bytes)| [start, &bytes].concat()),
            6 => (sound(format), prop::collection::vec(damage(), 0..6)).prop_map(|(bytes, all)| damaged(bytes, &all)),
        ];
        let packing =
            prop::option::weighted(0.2, (prop::sample::select(vec![gzip as fn(&[u8]) -> Vec<u8>, zstd, xz]), damage()));
        let named = prop::option::weighted(0.7, Just(format));
        let outcome = runner.run(&(content, packing, named, read_options()), |(content, packing, format, read)| {
            let bytes = match packing {
                Some((pack, harm)) => damaged(pack(&content), &[harm]),
                None => content,
            };
            check(bytes, &Options { format, read });
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", format.name()));
        tried += u64::from(cases);
        println!("{tried} inputs tried, {cases} of them for {}", format.name());
    }
}
