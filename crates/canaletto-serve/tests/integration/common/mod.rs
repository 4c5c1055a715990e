use std::collections::VecDeque;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use canaletto::drive::Wanted;
use canaletto::engine::time::Time;
use canaletto::measure::report::Report;
use canaletto_serve::clock::Clock;
use canaletto_serve::device::{Completion, Device};
use canaletto_serve::nbd::Export;
use canaletto_serve::nbd::request::Header;
use canaletto_serve::server::{Address, Listener, Options, Server};
use canaletto_serve::statistics::Statistics;
use canaletto_serve::storage::Storage;
use tempfile::TempDir;

pub const BYTES: u64 = 1 << 30;

pub const LATENCY: Time = Time::from_us(100);

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const DISCONNECT: u16 = 2;
pub const FLUSH: u16 = 3;
pub const TRIM: u16 = 4;
pub const WRITE_ZEROES: u16 = 6;
pub const BLOCK_STATUS: u16 = 7;

pub const FUA: u16 = 1;

const OPTION: [u8; 8] = *b"IHAVEOPT";

pub struct FixedLatency {
    pub latency: Time,
    pub failing_lba: Option<u64>,
    under_way: VecDeque<Completion>,
}

impl FixedLatency {
    pub fn new(latency: Time) -> FixedLatency {
        FixedLatency { latency, failing_lba: None, under_way: VecDeque::new() }
    }
}

impl Device for FixedLatency {
    fn submit(&mut self, at: Time, command: Wanted, tag: u64) -> Result<(), String> {
        let failed = self.failing_lba == Some(command.lba);
        self.under_way.push_back(Completion { tag, at: at + self.latency, failed });
        Ok(())
    }

    fn next_event_time(&mut self) -> Option<Time> {
        self.under_way.front().map(|first| first.at)
    }

    fn advance_to(&mut self, until: Time, completions: &mut Vec<Completion>) -> Result<(), String> {
        let due = self.under_way.partition_point(|command| command.at <= until);
        completions.extend(self.under_way.drain(..due));
        Ok(())
    }

    fn report(&mut self) -> Option<Report> {
        None
    }
}

pub struct Served {
    pub folder: TempDir,
    pub server: Server,
}

impl Served {
    pub fn start() -> Served {
        Served::with(Storage::in_memory(1 << 30), FixedLatency::new(LATENCY), Clock::Free, None)
    }

    pub fn with(storage: Storage, device: FixedLatency, clock: Clock, power_loss_at: Option<Time>) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = Listener::bind(&Address::Unix(path)).unwrap();
        let export =
            Export { name: "drive".to_owned(), description: "a drive".to_owned(), bytes: BYTES, preferred: 4096 };
        let trace = Some((folder.path().join("trace.csv"), "trace.csv".to_owned()));
        let options = Options { export, clock, power_loss_at, trace };
        Served { server: Server::start(listener, storage, device, options).unwrap(), folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    pub fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(self.path()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    pub fn client(&self) -> Client {
        Client::negotiate(self.connect(), true)
    }

    pub fn stop(self) -> Statistics {
        let path = self.path();
        let statistics = self.server.stop().unwrap();
        assert!(!path.exists(), "the socket is left");
        statistics
    }
}

pub fn option(kind: u32, data: &[u8]) -> Vec<u8> {
    [&OPTION[..], &kind.to_be_bytes(), &(data.len() as u32).to_be_bytes(), data].concat()
}

pub struct Client {
    pub stream: UnixStream,
    structured: bool,
}

impl Client {
    pub fn negotiate(mut stream: UnixStream, structured: bool) -> Client {
        let mut hello = [0; 18];
        stream.read_exact(&mut hello).unwrap();
        assert_eq!(&hello[..8], b"NBDMAGIC");
        stream.write_all(&3u32.to_be_bytes()).unwrap();
        if structured {
            stream.write_all(&option(8, &[])).unwrap();
            stream.read_exact(&mut [0; 20]).unwrap();
        }
        stream.write_all(&option(1, b"drive")).unwrap();
        let mut begin = [0; 10];
        stream.read_exact(&mut begin).unwrap();
        assert_eq!(begin[..8], BYTES.to_be_bytes());
        Client { stream, structured }
    }

    pub fn with_allocation(mut stream: UnixStream) -> Client {
        let query = [&[0; 4][..], &1u32.to_be_bytes(), &15u32.to_be_bytes(), b"base:allocation"].concat();
        let said = [3u32.to_be_bytes().to_vec(), option(8, &[]), option(10, &query), option(1, b"")].concat();
        stream.write_all(&said).unwrap();
        stream.read_exact(&mut [0; 18 + 20 + (20 + 19) + 20 + 10]).unwrap();
        Client { stream, structured: true }
    }

    pub fn extents(&mut self, flags: u16, offset: u64, length: u32) -> Vec<(u32, bool)> {
        self.send(BLOCK_STATUS, flags, 7, offset, length, &[]);
        let head: [u8; 24] = self.bytes();
        assert_eq!(head[..8], [0x66, 0x8e, 0x33, 0xef, 0, 1, 0, 5]);
        assert_eq!((&head[8..16], &head[20..]), (&7u64.to_be_bytes()[..], &[0; 4][..]));
        let mut payload = vec![0; u32::from_be_bytes(head[16..20].try_into().unwrap()) as usize - 4];
        self.stream.read_exact(&mut payload).unwrap();
        let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
        payload.chunks_exact(8).map(|part| (number(&part[..4]), number(&part[4..]) == 3)).collect()
    }

    pub fn again(&self) -> Client {
        Client { stream: self.stream.try_clone().unwrap(), structured: self.structured }
    }

    pub fn send(&mut self, kind: u16, flags: u16, cookie: u64, offset: u64, length: u32, data: &[u8]) {
        let header = Header { flags, kind, cookie, offset, length };
        self.stream.write_all(&[&header.bytes()[..], data].concat()).unwrap();
    }

    pub fn receive(&mut self) -> (u64, u32) {
        let (cookie, result) = self.receive_any(0);
        (cookie, result.map_or_else(|error| error, |_| 0))
    }

    pub fn receive_any(&mut self, length: u32) -> (u64, Result<Vec<u8>, u32>) {
        let magic: [u8; 4] = self.bytes();
        if magic == 0x6744_6698u32.to_be_bytes() {
            let error = u32::from_be_bytes(self.bytes());
            let cookie = u64::from_be_bytes(self.bytes());
            if error != 0 || length == 0 {
                return (cookie, if error == 0 { Ok(Vec::new()) } else { Err(error) });
            }
            assert!(!self.structured, "a simple reply to a read");
            let mut data = vec![0; length as usize];
            self.stream.read_exact(&mut data).unwrap();
            return (cookie, Ok(data));
        }
        assert_eq!(magic, 0x668e_33efu32.to_be_bytes());
        assert!(self.structured, "a structured reply to a client that did not ask for any");
        let (mut cookie, mut answer) = self.chunk(length);
        while answer.is_ok() {
            let magic: [u8; 4] = self.bytes();
            assert_eq!(magic, 0x668e_33efu32.to_be_bytes());
            let (again, end) = self.chunk(length);
            assert_eq!(again, cookie, "chunks of two replies are mixed");
            cookie = again;
            match end {
                Ok(none) if none.is_empty() => break,
                Ok(_) => panic!("more than one chunk of data"),
                Err(error) => answer = Err(error),
            }
        }
        (cookie, answer)
    }

    /// After its magic number: data, the end (nothing), or an error.
    fn chunk(&mut self, length: u32) -> (u64, Result<Vec<u8>, u32>) {
        let (flags, kind) = (u16::from_be_bytes(self.bytes()), u16::from_be_bytes(self.bytes()));
        let (cookie, size) = (u64::from_be_bytes(self.bytes()), u32::from_be_bytes(self.bytes()));
        let mut payload = vec![0; size as usize];
        self.stream.read_exact(&mut payload).unwrap();
        match kind {
            0 => {
                assert_eq!((flags, size), (1, 0));
                (cookie, Ok(payload))
            }
            1 => {
                assert_eq!((flags, size), (0, length + 8));
                (cookie, Ok(payload.split_off(8)))
            }
            0x8001 => {
                assert_eq!(flags, 1);
                (cookie, Err(u32::from_be_bytes(payload[..4].try_into().unwrap())))
            }
            other => panic!("chunk of type {other}"),
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    pub fn write(&mut self, offset: u64, data: &[u8], flags: u16) -> u32 {
        self.send(WRITE, flags, 7, offset, data.len() as u32, data);
        self.answer()
    }

    pub fn ask(&mut self, kind: u16, offset: u64, length: u32) -> u32 {
        self.send(kind, 0, 7, offset, length, &[]);
        self.answer()
    }

    pub fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, u32> {
        self.send(READ, 0, 7, offset, length, &[]);
        let (cookie, data) = self.receive_any(length);
        assert_eq!(cookie, 7);
        data
    }

    fn answer(&mut self) -> u32 {
        let (cookie, error) = self.receive();
        assert_eq!(cookie, 7);
        error
    }

    pub fn leave(mut self) {
        self.send(DISCONNECT, 0, 0, 0, 0, &[]);
        assert_eq!(self.stream.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
}
