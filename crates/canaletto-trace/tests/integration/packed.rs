use crate::common::{NAME, drain, gzip, mqsim, read, refused, xz, zstd};
use canaletto_trace::{Compression, Format, Options, TraceReader};

fn open(content: Vec<u8>) -> TraceReader {
    TraceReader::new(NAME, std::io::Cursor::new(content), &Options::default()).unwrap()
}

#[test]
fn packing_is_told_by_content() {
    let plain = mqsim(5000);
    let expected = read(plain.clone(), &Options::default()).0;
    let packings = [
        (plain.clone().into_bytes(), Compression::None),
        (gzip(plain.as_bytes()), Compression::Gzip),
        (zstd(plain.as_bytes()), Compression::Zstd),
        (xz(plain.as_bytes()), Compression::Xz),
    ];
    for (content, compression) in packings {
        let reader = open(content);
        assert_eq!((reader.compression(), reader.format()), (compression, Format::Mqsim));
        let (records, error) = drain(reader);
        assert!(error.is_none() && records == expected, "{compression:?}");
    }
}

#[test]
fn members_and_frames_are_chained() {
    let plain = mqsim(5000);
    let expected = read(plain.clone(), &Options::default()).0;
    let skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc".to_vec();
    let (a, b) = plain.as_bytes().split_at(70_001);
    let chains = [
        [gzip(a), gzip(b""), gzip(b)].concat(),
        // Padded to whole blocks, as on tapes.
        [gzip(a), vec![0; 10_240], gzip(b), vec![0; 700_000]].concat(),
        [skippable.clone(), zstd(a), skippable, zstd(b)].concat(),
        [xz(a), xz(b""), xz(b)].concat(),
    ];
    for content in chains {
        let (records, error) = drain(open(content));
        assert!(error.is_none() && records == expected);
    }
}

#[test]
fn what_follows_a_member_and_is_none_is_damage() {
    let plain = mqsim(300);
    let (records, error) = drain(open([gzip(plain.as_bytes()), vec![0; 9], b"rest".to_vec()].concat()));
    assert_eq!(records.len(), 300);
    assert!(error.unwrap().to_string().contains("after line 300: the gzip data is"));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let plain = mqsim(40);
    let expected = read(plain.clone(), &Options::default()).0;
    let marked = format!("\u{feff}{plain}").into_bytes();
    for content in [marked.clone(), gzip(&marked)] {
        let (records, error) = drain(open(content));
        assert!(error.is_none() && records == expected);
    }
    assert_eq!(refused("\u{feff}").1, refused("").1, "nothing else is nothing");
}

#[test]
fn a_file_knows_how_much_of_it_was_read() {
    use canaletto::workload::replay::RecordSource;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), mqsim(1_000_000)).unwrap();
    let mut reader = canaletto_trace::open(file.path(), &Options::default()).unwrap();
    let (mut batch, mut count) = (Vec::new(), 0);
    while count < 500_000 {
        batch.clear();
        reader.next_batch(&mut batch).unwrap();
        count += batch.len();
    }
    let (share, expected) = (reader.share_read().unwrap(), count as f64 / 1_000_000.0);
    assert!((share - expected).abs() < 0.1, "{share} of {expected}");
    assert_eq!(open(mqsim(3).into_bytes()).share_read(), None, "not of what is no file");
}

#[test]
fn cut_anywhere_it_says_after_which_line() {
    let plain = mqsim(200);
    for (name, whole) in
        [("gzip", gzip(plain.as_bytes())), ("zstd", zstd(plain.as_bytes())), ("xz", xz(plain.as_bytes()))]
    {
        for cut in 6..whole.len() {
            let (count, message) = refused(&whole[..cut]);
            assert_eq!(
                message,
                format!("trace.csv: cannot read on after line {count}: the {name} data is cut short"),
                "{cut}"
            );
        }
    }
}

#[test]
fn cut_late_all_whole_lines_are_read_first() {
    let plain = mqsim(100_000);
    let whole = gzip(plain.as_bytes());
    let (count, message) = refused(&whole[..whole.len() / 2]);
    assert!(count > 30_000, "{count}");
    assert_eq!(message, format!("trace.csv: cannot read on after line {count}: the gzip data is cut short"));
}

#[test]
fn cut_between_members_or_frames_is_cut_in_the_next() {
    let plain = mqsim(100);
    let plain = plain.as_bytes();
    for (first, next) in [(gzip(plain), gzip(b"9")), (zstd(plain), zstd(b"9")), (xz(plain), xz(b"9"))] {
        for cut in 1..next.len() {
            let (count, message) = refused([&first[..], &next[..cut]].concat());
            assert!(message.contains("cannot read on after line 100: the "), "{cut} {message}");
            assert_eq!(count, 100, "{cut}");
        }
    }
}

#[test]
fn damage_is_never_read_as_data() {
    let plain = mqsim(2000);
    let expected = read(plain.clone(), &Options::default()).0;
    for whole in [gzip(plain.as_bytes()), zstd(plain.as_bytes()), xz(plain.as_bytes())] {
        for at in (10..whole.len()).step_by(37) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            let (records, error) = read(damaged, &Options::default());
            assert!(error.is_some() || records == expected, "a flipped bit at {at} went unseen");
        }
    }
}

#[test]
fn rubbish_behind_the_end_is_damage() {
    for whole in [gzip(mqsim(9).as_bytes()), zstd(mqsim(9).as_bytes())] {
        let (count, message) = refused([&whole[..], b"rubbish rubbish"].concat());
        assert_eq!(count, 9);
        assert!(message.contains("after line 9: the ") && message.contains(" data is damaged: "), "{message}");
    }
    let (_, message) = refused([&xz(mqsim(9).as_bytes())[..], b"rubbish rubbish"].concat());
    assert!(message.contains(": the xz data is damaged: "), "{message}");
}
