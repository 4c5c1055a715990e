//! Random sessions, most of them nearly right. `CANALETTO_FUZZ_CASES=10000` for a longer run.

use std::io::{ErrorKind, Write};
use std::net::Shutdown;

use canaletto_serve::nbd::request::Header;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{BYTES, FLUSH, Served, TRIM, WRITE, WRITE_ZEROES, option};

fn runner() -> TestRunner {
    let cases = std::env::var("CANALETTO_FUZZ_CASES").map_or(256, |cases| cases.parse().expect("a number of cases"));
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

fn offset() -> impl Strategy<Value = u64> {
    let near = prop_oneof![Just(0), Just(BYTES), Just(1 << 32), Just(1 << 63), Just(u64::MAX), 0..BYTES];
    (near, prop_oneof![3 => Just(0), 1 => -600i64..600], any::<bool>()).prop_map(|(near, by, aligned)| {
        let found = near.wrapping_add_signed(by);
        if aligned { found & !511 } else { found }
    })
}

fn length() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => (1u32..64).prop_map(|sectors| sectors * 512),
        1 => 0u32..2000,
        1 => Just(32 << 20),
        1 => Just(u32::MAX),
        1 => any::<u32>(),
    ]
}

fn request() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![12 => 0u16..8, 1 => any::<u16>()];
    let flags = prop_oneof![4 => Just(0u16), 2 => 0u16..16, 1 => any::<u16>()];
    let header = (kind, flags, offset(), length(), any::<u64>());
    let whole = header.prop_map(|(kind, flags, offset, length, cookie)| {
        let data = if kind == WRITE { (length as usize).min(100_000) } else { 0 };
        [&Header { flags, kind, cookie, offset, length }.bytes()[..], &vec![kind as u8; data]].concat()
    });
    let damaged =
        (whole, any::<prop::sample::Index>(), any::<u8>(), 0u8..20).prop_map(|(mut bytes, at, value, how)| {
            match how {
                0 => bytes.truncate(at.index(bytes.len())),
                1 => bytes[at.index(28)] = value,
                _ => {}
            }
            bytes
        });
    prop_oneof![15 => damaged, 1 => prop::collection::vec(any::<u8>(), 0..100)]
}

fn negotiation() -> impl Strategy<Value = Vec<u8>> {
    let named =
        prop_oneof![Just(option(1, b"drive")), Just(option(7, b"\0\0\0\0\0\0")), Just(option(7, b"\0\0\0\x05driv"))];
    let other = (0u32..20, prop::collection::vec(any::<u8>(), 0..30)).prop_map(|(kind, data)| option(kind, &data));
    let structured = prop_oneof![Just(Vec::new()), Just(option(8, &[]))];
    let damaged = prop_oneof![15 => Just(usize::MAX), 1 => 0usize..60];
    let flags = prop_oneof![9 => Just(3u32), 1 => any::<u32>()];
    (flags, prop::collection::vec(other, 0..3), structured, named, damaged).prop_map(
        |(flags, others, structured, named, cut)| {
            let whole = [flags.to_be_bytes().to_vec(), others.concat(), structured, named].concat();
            whole[..cut.min(whole.len())].to_vec()
        },
    )
}

#[test]
fn no_session_harms_the_server() {
    let served = Served::start();
    let session = (negotiation(), prop::collection::vec(request(), 0..20), any::<bool>());
    let ran = runner().run(&session, |(negotiation, requests, polite)| {
        let mut stream = served.connect();
        let said = [negotiation, requests.concat()].concat();
        let mut listening = stream.try_clone().unwrap();
        let heard = std::thread::spawn(move || std::io::copy(&mut listening, &mut std::io::sink()));
        let _ = stream.write_all(&said);
        if polite {
            let _ = stream.shutdown(Shutdown::Write);
            let ended = heard.join().unwrap();
            let hangs = ended.is_err_and(|error| error.kind() != ErrorKind::ConnectionReset);
            prop_assert!(!hangs, "it does not hang up");
        } else {
            let _ = stream.shutdown(Shutdown::Both);
            let _ = heard.join();
        }
        Ok(())
    });
    ran.unwrap();
    let mut client = served.client();
    assert_eq!(client.ask(FLUSH, 0, 0), 0);
    client.leave();
    served.stop();
}

#[derive(Clone, Debug)]
enum Step {
    Write(u64, u32, u8),
    Clear(u16, u64, u32),
    Read(u64, u32),
}

#[test]
fn a_client_reads_what_clients_wrote() {
    const SECTORS: u64 = 2048;
    let extent =
        || (0..SECTORS, 1u64..600).prop_map(|(first, count)| (first * 512, count.min(SECTORS - first) as u32 * 512));
    let step = prop_oneof![
        (extent(), any::<u8>()).prop_map(|((offset, length), value)| Step::Write(offset, length, value)),
        (extent(), any::<bool>()).prop_map(|((offset, length), trim)| Step::Clear(
            if trim { TRIM } else { WRITE_ZEROES },
            offset,
            length
        )),
        extent().prop_map(|(offset, length)| Step::Read(offset, length)),
    ];
    let steps = prop::collection::vec((step, 0usize..2), 1..30);
    let folder = tempfile::tempdir().unwrap();
    let file = canaletto_serve::storage::Storage::in_file(&folder.path().join("data"), BYTES).unwrap();
    let device = || crate::common::FixedLatency::new(crate::common::LATENCY);
    let clock = canaletto_serve::clock::Clock::Free;
    let in_file = Served::with(file, device(), clock, None);
    for served in [Served::start(), in_file] {
        let ran = runner().run(&steps, |steps| {
            let mut expected = vec![0; SECTORS as usize * 512];
            let mut clients = [served.client(), served.client()];
            prop_assert_eq!(clients[0].ask(WRITE_ZEROES, 0, SECTORS as u32 * 512), 0);
            for (step, client) in steps {
                let client = &mut clients[client];
                match step {
                    Step::Write(offset, length, value) => {
                        expected[offset as usize..][..length as usize].fill(value);
                        prop_assert_eq!(client.write(offset, &vec![value; length as usize], 0), 0);
                    }
                    Step::Clear(kind, offset, length) => {
                        expected[offset as usize..][..length as usize].fill(0);
                        prop_assert_eq!(client.ask(kind, offset, length), 0);
                    }
                    Step::Read(offset, length) => {
                        let found = client.read(offset, length).unwrap();
                        prop_assert!(found == expected[offset as usize..][..length as usize]);
                    }
                }
            }
            Ok(())
        });
        ran.unwrap();
        served.stop();
    }
}
