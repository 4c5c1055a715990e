//! What holds for any records and any bytes.

mod common;

use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Options};
use common::{gzip, mqsim, named, read, zstd};
use proptest::prelude::*;

const LARGEST: u64 = 4 << 30;

/// Records as `format` can hold them, in order of arrival.
fn records(format: Format) -> impl Strategy<Value = Vec<Record>> {
    let (time_unit, byte_unit) = match format {
        Format::Mqsim => (1, 512),
        Format::Msr => (100, 1),
        other => panic!("say which units {other:?} has"),
    };
    // Small and huge values alike: the number of bits is drawn, not the value.
    let number = (any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift);
    let record = (number.clone(), any::<u32>(), number.clone(), number, any::<bool>());
    prop::collection::vec(record, 1..50).prop_map(move |all| {
        let mut all: Vec<_> = all
            .into_iter()
            .map(|(arrival, device, offset, size, write)| Record {
                arrival_ns: arrival / time_unit * time_unit,
                device,
                offset_bytes: offset.min(u64::MAX - LARGEST) / byte_unit * byte_unit,
                bytes: (size % LARGEST / byte_unit + 1) * byte_unit,
                write,
            })
            .collect();
        all.sort_by_key(|record| record.arrival_ns);
        all
    })
}

fn written(format: Format, records: &[Record]) -> Vec<u8> {
    let mut text = Vec::new();
    for record in records {
        format.write_record(record, &mut text).unwrap();
    }
    text
}

/// Text near to traces: more likely than random bytes to get past the first checks.
fn near_trace() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "0",
        "1",
        "512",
        "18446744073709551615",
        "18446744073709551616",
        "-1",
        "1.5",
        "Read",
        "Write",
        "h",
        " ",
        " ",
        " ",
        ",",
        ",",
        ",",
        "\n",
        "\r\n",
        "\0",
        "é",
        "0 0 0 8 1\n",
        "1,h,0,Read,0,512,9\n",
        "fio version 2",
    ]);
    prop::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn written_records_read_back_equal(
        (format, records) in prop::sample::select(Format::ALL).prop_flat_map(|f| (Just(f), records(f)))
    ) {
        let text = written(format, &records);
        for options in [Options::default(), named(format)] {
            let (back, error) = read(text.clone(), &options);
            prop_assert_eq!(error.map(|e| e.to_string()), None);
            prop_assert_eq!(&back, &records);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for start in [&b""[..], b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\x04"] {
            let (_, error) = read([start, &bytes].concat(), &Options::default());
            prop_assert!(error.is_none_or(|error| !error.to_string().contains('\n')));
        }
    }

    #[test]
    fn near_traces_never_panic(bytes in near_trace(), format in prop::sample::select(Format::ALL)) {
        for options in [Options::default(), named(format)] {
            let (_, error) = read(bytes.clone(), &options);
            prop_assert!(error.is_none_or(|error| !error.to_string().contains('\n')));
        }
    }

    #[test]
    fn damaged_packings_never_panic(at in any::<prop::sample::Index>(), value in any::<u8>(), pack_zstd in any::<bool>()) {
        let plain = mqsim(300);
        let mut packed = if pack_zstd { zstd(plain.as_bytes()) } else { gzip(plain.as_bytes()) };
        let at = at.index(packed.len());
        packed[at] = value;
        read(packed, &Options::default());
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let fine = Record { arrival_ns: 100, device: 0, offset_bytes: 512, bytes: 512, write: false };
    let told = |format: Format, record| format.write_record(&record, &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(
        told(Format::Mqsim, Record { offset_bytes: 513, ..fine }),
        "format mqsim cannot hold a record whose offset in bytes is 513; allowed is a multiple of 512"
    );
    assert_eq!(
        told(Format::Msr, Record { arrival_ns: 101, ..fine }),
        "format msr cannot hold a record whose arrival in ns is 101; allowed is a multiple of 100"
    );
    for format in Format::ALL {
        let told = told(*format, Record { bytes: 0, ..fine });
        assert!(told.ends_with("whose size in bytes is 0; allowed is 1 byte to 4 GiB a request"), "{told}");
        assert_eq!(format.name().parse::<Format>().unwrap(), *format);
        assert!(!format.description().contains('\n'));
    }
}
