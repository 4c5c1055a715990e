use std::fs;
use std::io::{Read, Write};
use std::time::Duration;

use canaletto_serve::server::MOST_CONNECTIONS;

use crate::common::{Client, FLUSH, READ, Served, WRITE, option};

fn resident() -> u64 {
    let sizes = fs::read_to_string("/proc/self/statm").unwrap();
    sizes.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn assert_works(served: &Served) {
    let mut client = served.client();
    assert_eq!(client.write(0, &[1; 4096], 0), 0);
    assert_eq!(client.read(0, 4096).unwrap(), [1; 4096]);
    client.leave();
}

fn heard(served: &Served, said: &[u8]) -> usize {
    let mut stream = served.connect();
    let _ = stream.write_all(said);
    let mut heard = Vec::new();
    let _ = stream.read_to_end(&mut heard);
    heard.len()
}

#[test]
fn broken_negotiations_end() {
    let served = Served::start();
    let long = [&3u32.to_be_bytes()[..], b"IHAVEOPT", &7u32.to_be_bytes(), &u32::MAX.to_be_bytes()].concat();
    let many = [&3u32.to_be_bytes()[..], &option(3, &[]).repeat(100_000)].concat();
    for said in [&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], &[0xff; 4096], &long, &many] {
        assert!(heard(&served, said) < 10_000);
    }
    assert_works(&served);
    assert_eq!(served.stop().connections.cut_off, 4);
}

#[test]
fn a_client_that_sends_anything_but_requests_is_cut_off() {
    let served = Served::start();
    let mut client = served.client();
    client.stream.write_all(&[0x42; 1000]).unwrap();
    assert_eq!(client.stream.read_to_end(&mut Vec::new()).unwrap_or(0), 0);
    assert_works(&served);
    assert_eq!(served.stop().connections.cut_off, 1);
}

#[test]
fn half_requests_harm_nobody() {
    let served = Served::start();
    let mut halves = Vec::new();
    for bytes in [0, 1, 27] {
        let mut client = served.client();
        client.stream.write_all(&[0x25, 0x60, 0x95, 0x13].repeat(7)[..bytes]).unwrap();
        halves.push(client);
    }
    let mut half_of_data = served.client();
    half_of_data.send(WRITE, 0, 1, 0, 32 << 20, &[1; 100_000]);
    assert_works(&served);
    drop(halves);
    drop(half_of_data);
    assert_works(&served);
    served.stop();
}

#[test]
fn a_client_that_takes_no_replies_costs_no_more_than_its_share() {
    let served = Served::start();
    let mut slow = served.client();
    slow.stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let before = resident();
    let request =
        canaletto_serve::nbd::request::Header { flags: 0, kind: READ, cookie: 1, offset: 0, length: 32 << 20 };
    let mut sent = 0;
    while sent < 1000 && slow.stream.write_all(&request.bytes()).is_ok() {
        sent += 1;
    }
    assert_works(&served);
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{sent} requests took {grown} B");
    drop(slow);
    assert_works(&served);
    served.stop();
}

#[test]
fn thousands_of_connections_are_turned_away() {
    let served = Served::start();
    let mut old = served.client();
    let mut open = Vec::new();
    for _ in 0..3000 {
        // The system may have no more descriptors for us.
        if let Ok(stream) = std::os::unix::net::UnixStream::connect(served.path()) {
            open.push(stream);
            if open.len() > 200 {
                open.remove(0);
            }
        }
    }
    assert_eq!(old.ask(FLUSH, 0, 0), 0);
    drop(open);
    let mut again = None;
    while again.is_none() {
        let mut stream = served.connect();
        again = stream.read_exact(&mut [0; 1]).is_ok().then_some(stream);
    }
    drop(again);
    assert_eq!(old.ask(FLUSH, 0, 0), 0);
    let connections = served.stop().connections;
    assert!(connections.accepted > 2000, "{connections:?}");
    let served_ones = connections.accepted - connections.turned_away;
    assert!(connections.turned_away > 0 || served_ones > MOST_CONNECTIONS as u64, "{connections:?}");
}

#[test]
fn a_client_that_goes_leaves_nothing_open() {
    let served = Served::start();
    for _ in 0..300 {
        let mut client = served.client();
        client.send(READ, 0, 1, 0, 1 << 20, &[]);
    }
    let mut client: Client = served.client();
    assert_eq!(client.ask(FLUSH, 0, 0), 0);
    client.leave();
    served.stop();
}
