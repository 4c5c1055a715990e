use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use canaletto::engine::time::Time;
use canaletto_serve::clock::Clock;
use canaletto_serve::nbd::request::Header;
use canaletto_serve::storage::{Storage, Unflushed};

use crate::common::{BYTES, FLUSH, FUA, FixedLatency, LATENCY, Served};

fn volatile(path: &Path, seed: u64) -> Storage {
    let mut storage = Storage::in_file(path, BYTES).unwrap();
    storage.expect_loss(Unflushed::new(1 << 20, seed));
    storage
}

fn is_closed(stream: &mut UnixStream) -> bool {
    matches!(stream.read(&mut [0; 64]), Ok(0) | Err(_))
}

#[test]
fn what_was_flushed_or_forced_is_there_and_the_rest_may_not_be() {
    let (mut kept, mut lost) = (0, 0);
    for seed in 0..24 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let device = FixedLatency::new(LATENCY);
        // In the middle of the fifth command.
        let at = Time::from_us(450);
        let served = Served::with(volatile(&path, seed), device, Clock::Free, Some(at));
        let mut client = served.client();
        assert_eq!(client.write(0, &[1; 4096], 0), 0);
        assert_eq!(client.ask(FLUSH, 0, 0), 0);
        assert_eq!(client.write(4096, &[2; 4096], FUA), 0);
        assert_eq!(client.write(8192, &[3; 4096], 0), 0);
        client.send(1, 0, 9, 12288, 4096, &[4; 4096]);
        assert!(is_closed(&mut client.stream), "a reply without power");
        assert!(served.server.wait(Duration::from_secs(60)), "it ends by itself");
        let loss = served.stop().power_loss.unwrap();
        assert_eq!((loss.unsafe_writes, loss.unsafe_pages), (2, 2));
        let storage = Storage::in_file(&path, BYTES).unwrap();
        let mut found = vec![0; 16384];
        storage.read(0, &mut found).unwrap();
        assert_eq!(found[..8192], [[1; 4096], [2; 4096]].concat());
        for (page, value) in [(2, 3), (3, 4)] {
            let page = &found[page * 4096..][..4096];
            assert!(page.iter().all(|byte| *byte == page[0]) && [0, value].contains(&page[0]));
            *(if page[0] == 0 { &mut lost } else { &mut kept }) += 1;
        }
    }
    assert!(kept > 5 && lost > 5, "{kept} pages kept, {lost} lost");
}

#[test]
fn a_server_that_loses_power_while_nobody_is_there_ends() {
    let folder = tempfile::tempdir().unwrap();
    let storage = volatile(&folder.path().join("data"), 1);
    let device = FixedLatency::new(LATENCY);
    let served = Served::with(storage, device, Clock::Paced { factor: 1.0 }, Some(Time::from_us(1000)));
    assert!(served.server.wait(Duration::from_secs(60)));
    assert!(UnixStream::connect(served.path()).map_or(true, |mut stream| is_closed(&mut stream)), "it still serves");
    assert_eq!(served.stop().simulated_s, 0.001);
}

#[test]
fn clients_with_more_requests_than_are_taken_are_left_when_power_is() {
    let folder = tempfile::tempdir().unwrap();
    let storage = volatile(&folder.path().join("data"), 1);
    let device = FixedLatency::new(Time::from_us(10_000_000));
    let served = Served::with(storage, device, Clock::Paced { factor: 1.0 }, Some(Time::from_us(500_000)));
    let mut client = served.client();
    let flush = Header { flags: 0, kind: FLUSH, cookie: 1, offset: 0, length: 0 };
    // On a slow machine power goes before it has sent them all.
    let _ = client.stream.write_all(&flush.bytes().repeat(1000));
    assert!(served.server.wait(Duration::from_secs(60)));
    assert_eq!(served.stop().requests.flush.completed, 0);
}
