use std::time::Instant;

use canaletto::engine::time::Time;
use canaletto_serve::clock::Clock;
use canaletto_serve::server::{Address, Listener};
use canaletto_serve::storage::Storage;

use crate::common::{
    BLOCK_STATUS, BYTES, Client, FLUSH, FUA, FixedLatency, LATENCY, READ, Served, TRIM, WRITE, WRITE_ZEROES,
};

#[test]
fn data_are_stored_and_each_command_takes_the_time_of_the_drive() {
    let served = Served::start();
    for structured in [false, true] {
        let mut client = Client::negotiate(served.connect(), structured);
        assert_eq!(client.write(4096, &[7; 8192], 0), 0);
        assert_eq!(client.write(8192, &[8; 512], FUA), 0);
        assert_eq!(client.ask(FLUSH, 0, 0), 0);
        assert_eq!(client.ask(WRITE_ZEROES, 4096, 512), 0);
        let found = client.read(0, 16384).unwrap();
        let expected = [&[0; 4608][..], &[7; 3584], &[8; 512], &[7; 3584], &[0; 4096]].concat();
        assert!(found == expected);
        assert_eq!(client.ask(TRIM, 0, 16384), 0);
        assert_eq!(client.read(8192, 512).unwrap(), [0; 512]);
        client.leave();
    }
    let statistics = served.stop();
    let requests = &statistics.requests;
    let completed = [&requests.read, &requests.write, &requests.trim, &requests.flush].map(|count| count.completed);
    assert_eq!(completed, [4, 6, 2, 2]);
    assert_eq!(requests.read.latency_us.unwrap().max, LATENCY.us());
    let expected = 14.0 * (LATENCY.seconds() + 1e-9);
    assert!((statistics.simulated_s - expected).abs() < 1e-12, "nothing but the drive takes time");
    assert!(statistics.mean_outstanding.is_some_and(|mean| mean > 0.999 && mean < 1.0));
    assert_eq!((statistics.connections.accepted, statistics.connections.cut_off), (2, 0));
}

#[test]
fn what_cannot_be_done_is_refused_and_the_client_goes_on() {
    let mut device = FixedLatency::new(LATENCY);
    device.failing_lba = Some(8);
    let served = Served::with(Storage::in_memory(1 << 20), device, Clock::Free, None);
    for structured in [false, true] {
        let mut client = Client::negotiate(served.connect(), structured);
        assert_eq!(client.write(BYTES, &[1; 512], 0), 28);
        assert_eq!(client.write(BYTES - 512, &[1; 1024], 0), 28);
        assert_eq!(client.write(100, &[1; 512], 0), 22);
        assert_eq!(client.read(u64::MAX - 511, 512), Err(22));
        assert_eq!(client.read(0, u32::MAX - 511), Err(22));
        assert_eq!(client.ask(99, 0, 512), 22);
        assert_eq!(client.read(4096, 512), Err(5), "the drive fails it");
        assert_eq!(client.write(0, &vec![1; 2 << 20], 0), 28, "more than memory");
        assert_eq!(client.ask(WRITE_ZEROES, 0, 1 << 30), 0);
        client.leave();
    }
    assert_eq!(served.stop().refused_requests, 12);
}

#[test]
fn a_client_learns_which_parts_hold_data_at_no_cost() {
    let folder = tempfile::tempdir().unwrap();
    for storage in [Storage::in_memory(1 << 30), Storage::in_file(&folder.path().join("data"), BYTES).unwrap()] {
        let served = Served::with(storage, FixedLatency::new(LATENCY), Clock::Free, None);
        let mut client = Client::with_allocation(served.connect());
        assert_eq!(client.extents(0, 512, 1 << 29), [(1 << 29, true)]);
        assert_eq!(client.write(1 << 20, &[7; 1 << 16], 0), 0);
        assert_eq!(client.extents(0, 0, 1 << 30), [(1 << 20, true), (1 << 16, false), ((1 << 30) - 0x11_0000, true)]);
        assert_eq!(client.extents(1 << 3, 0, 1 << 30), [(1 << 20, true)], "one is enough");
        assert_eq!(client.extents(0, (1 << 20) + 512, 512), [(512, false)]);
        assert_eq!(client.ask(TRIM, 1 << 20, 1 << 16), 0);
        assert_eq!(client.extents(0, 0, 1 << 30), [(1 << 30, true)]);
        assert_eq!(client.ask(BLOCK_STATUS, BYTES, 512), 22);
        client.leave();
        assert_eq!(served.client().ask(BLOCK_STATUS, 0, 512), 22, "nobody agreed on it");
        let statistics = served.stop();
        assert_eq!(statistics.refused_requests, 2);
        assert!((statistics.simulated_s - 2.0 * (LATENCY.seconds() + 1e-9)).abs() < 1e-12);
    }
}

#[test]
fn connections_share_the_drive() {
    let served = Served::start();
    let mut clients: Vec<_> = (0..8).map(|_| served.client()).collect();
    for (value, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.write(value as u64 * 512, &[value as u8 + 1; 512], 0), 0);
    }
    assert_eq!(clients[0].ask(FLUSH, 0, 0), 0);
    for client in &mut clients {
        let found = client.read(0, 4096).unwrap();
        assert!((0..8).all(|i| found[i * 512] == i as u8 + 1));
    }
    drop(clients);
    assert_eq!(served.stop().connections.cut_off, 0);
}

#[test]
fn replies_to_many_requests_at_once_all_come() {
    let served = Served::start();
    let mut client = served.client();
    let requests = 1000;
    let mut writer = client.again();
    let sending = std::thread::spawn(move || {
        for cookie in 0..requests {
            writer.send(READ, 0, cookie, cookie * 4096, 4096, &[]);
        }
    });
    let mut seen: Vec<_> = (0..requests).map(|_| client.receive_any(4096).0).collect();
    sending.join().unwrap();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..requests));
    served.stop();
}

#[test]
fn real_time_is_kept() {
    let served = Served::with(
        Storage::in_memory(1 << 20),
        FixedLatency::new(Time::from_us(30_000)),
        Clock::Paced { factor: 1.0 },
        None,
    );
    let mut client = served.client();
    let start = Instant::now();
    for _ in 0..3 {
        assert_eq!(client.ask(FLUSH, 0, 0), 0);
    }
    assert!(start.elapsed().as_secs_f64() >= 0.09, "a reply came too soon");
    let statistics = served.stop();
    assert_eq!(statistics.requests.flush.latency_us.unwrap().max, 30_000.0);
    assert!(statistics.lateness_us.is_some_and(|late| late.max > 0.0));
}

#[test]
fn scaled_time_goes_as_it_is_told() {
    let device = FixedLatency::new(Time::from_us(10_000_000));
    let served = Served::with(Storage::in_memory(1 << 20), device, Clock::Paced { factor: 1000.0 }, None);
    let start = Instant::now();
    assert_eq!(served.client().ask(FLUSH, 0, 0), 0);
    assert!(start.elapsed().as_secs_f64() >= 0.01);
    let statistics = served.stop();
    assert_eq!(statistics.requests.flush.latency_us.unwrap().max, 1e7);
    assert!(statistics.simulated_s >= 10.0);
}

#[test]
fn a_server_that_stops_answers_what_it_was_asked() {
    // A year of simulated time: the server stops all the same.
    let device = FixedLatency::new(Time::from_us(1_000_000_000));
    let served = Served::with(Storage::in_memory(1 << 20), device, Clock::Paced { factor: 1.0 }, None);
    let mut client = served.client();
    client.send(WRITE, 0, 1, 0, 512, &[1; 512]);
    assert_eq!(served.client().ask(99, 0, 0), 22);
    let reading = std::thread::spawn(move || client.receive());
    served.stop();
    assert_eq!(reading.join().unwrap(), (1, 0));
}

#[test]
fn commands_are_recorded() {
    let served = Served::start();
    let mut client = served.client();
    client.write(4096, &[7; 1024], FUA);
    client.read(0, 512).unwrap();
    client.ask(TRIM, 512, 512);
    client.ask(FLUSH, 0, 0);
    client.ask(WRITE_ZEROES, 0, 3 << 20);
    client.leave();
    let path = served.folder.path().join("trace.csv");
    let Served { folder: _folder, server } = served;
    server.stop().unwrap();
    let trace = std::fs::read_to_string(path).unwrap();
    let lines: Vec<_> = trace.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "1,0,4096,1024,write_fua,",
            "100002,0,0,512,read,",
            "200003,0,512,512,trim,",
            "300004,0,0,0,flush,",
            "400005,0,0,1048576,write_zeroes,",
            "400005,0,1048576,1048576,write_zeroes,",
            "400005,0,2097152,1048576,write_zeroes,",
        ]
    );
}

#[test]
fn addresses_that_are_taken_are_refused() {
    let served = Served::start();
    let bind = |address| Listener::bind(&address).err().unwrap().kind();
    assert_eq!(bind(Address::Unix(served.path())), std::io::ErrorKind::AlreadyExists);
    let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
    let taken = format!("127.0.0.1:{}", listener.port().unwrap());
    assert_eq!(bind(Address::Tcp(taken.parse().unwrap())), std::io::ErrorKind::AddrInUse);
    served.stop();
}
