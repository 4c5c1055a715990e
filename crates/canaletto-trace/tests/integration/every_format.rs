use crate::common::{named, read, written};
use canaletto::config::reading::OnError;
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Options, ReadOptions};

const LINES: u64 = 100;

fn sound(format: Format) -> (Vec<Record>, String) {
    let record = |i: u64| Record {
        arrival_ns: (i + 1) * 1_000_000_000,
        device: 0,
        offset_bytes: i * 7919 % 1000 * 4096,
        bytes: 4096,
        kind: if i % 3 == 0 { Kind::Write } else { Kind::Read },
        ..Record::PLAIN
    };
    let records: Vec<_> = (0..LINES).map(record).collect();
    let (text, kept) = written(format, &records, false);
    assert_eq!(kept.len(), records.len());
    (records, String::from_utf8(text).unwrap())
}

fn writable() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.is_writable())
}

fn with_line(text: &str, line: &str) -> (String, usize) {
    let lines: Vec<_> = text.lines().collect();
    let half = lines.len() / 2;
    let whole = [&lines[..half], &[line], &lines[half..]].concat();
    (whole.join("\n") + "\n", half + 1)
}

#[test]
fn it_is_found_from_the_content_unless_it_is_disksims() {
    for format in writable() {
        let (records, text) = sound(format);
        let options = if format == Format::DiskSim { named(format) } else { Options::default() };
        for text in [text.replace('\n', "\r\n"), text.trim_end().to_owned(), format!("\n\n{text}\n \n")] {
            let (found, error) = read(text, &options);
            assert_eq!(error.map(|e| e.to_string()), None, "{}", format.name());
            assert_eq!(found, records, "{}", format.name());
        }
    }
}

#[test]
fn disksim_is_told_from_replayer_by_sizes_that_are_no_bytes() {
    let odd = "0.5 0 303567 7 0\n26.2 1 55590 6 0\n";
    let reader = canaletto_trace::TraceReader::new("t", std::io::Cursor::new(odd), &Options::default()).unwrap();
    assert_eq!(reader.format(), Format::DiskSim);
}

#[test]
fn a_foreign_line_is_told_with_its_number_or_left_out() {
    for format in writable() {
        let (records, text) = sound(format);
        for line in
            ["once upon a time there was a trace", "7,7,7,7,7,7,7,7,7,7,7", "{\"a\": [1, 2]}", "é", "-1 -1 -1 -1 -1"]
        {
            let (text, number) = with_line(&text, line);
            let (_, error) = read(text.clone(), &named(format));
            let told = error.expect("a refusal").to_string();
            assert!(told.starts_with(&format!("trace.csv:{number}: ")), "{}: {told}", format.name());
            let skip = ReadOptions { on_error: OnError::Skip, ..ReadOptions::default() };
            let (found, error) = read(text, &Options { format: Some(format), read: skip });
            assert_eq!(error.map(|e| e.to_string()), None, "{}", format.name());
            assert_eq!(found, records, "{}: {line}", format.name());
        }
    }
}

#[test]
fn binary_rubbish_is_told_as_such() {
    for format in writable() {
        let (text, number) = with_line(&sound(format).1, "\0\0\0\0");
        let told = read(text, &named(format)).1.expect("a refusal").to_string();
        assert!(told.starts_with(&format!("trace.csv:{number}: binary data (byte 0x00")), "{}: {told}", format.name());
    }
}

#[test]
fn a_torn_last_line_is_no_request() {
    for format in writable() {
        let (records, text) = sound(format);
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        // Up to the middle of the last line at most, so that no number is merely shorter.
        for cut in last + 1..last + (text.len() - last) / 2 {
            let (found, error) = read(&text.as_bytes()[..cut], &named(format));
            let told = error.unwrap_or_else(|| panic!("{}: {}", format.name(), &text[last..cut])).to_string();
            assert!(told.contains("the last line is torn"), "{}: {told}", format.name());
            assert_eq!(found, records[..records.len() - 1], "{}", format.name());
        }
    }
}

#[test]
fn nothing_is_an_error() {
    for format in Format::ALL {
        for text in ["", "\n \n\n"] {
            let told = read(text, &named(*format)).1.expect("a refusal").to_string();
            assert!(told.contains("the trace is empty"), "{}: {told}", format.name());
        }
    }
}

#[test]
fn another_format_is_told_by_name() {
    for format in writable().filter(|format| *format != Format::DiskSim) {
        // A line of replayer is also five numbers, and mqsim reads fractions.
        let reads_as_mqsim = [Format::Mqsim, Format::Replayer].contains(&format);
        let named = named(if reads_as_mqsim { Format::Msr } else { Format::Mqsim });
        let told = read(sound(format).1, &named).1.expect("a refusal").to_string();
        assert!(told.contains(&format!("(the trace looks like {})", format.name())), "{}: {told}", format.name());
    }
}

#[test]
fn time_may_run_backwards_within_the_window_alone() {
    for format in writable() {
        let (mut records, _) = sound(format);
        records[90..].rotate_left(1);
        records[10..].rotate_left(1);
        let (text, _) = written(format, &records, false);
        let window =
            |sort_window| Options { format: Some(format), read: ReadOptions { sort_window, ..ReadOptions::default() } };
        let found = read(text.clone(), &window(1000)).0;
        assert!(found.len() as u64 == LINES && found.is_sorted_by_key(|record| record.arrival_ns), "{}", format.name());
        let (found, error) = read(text, &window(0));
        assert!(error.unwrap().to_string().contains("time runs backwards") && (found.len() as u64) < LINES);
    }
}
