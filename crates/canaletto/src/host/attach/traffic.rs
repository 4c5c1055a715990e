//! Streams of chunks over the parts of a PC, each of which serves one chunk at a time, first come, first served.
//!
//! A stream has one chunk at most at its first part, and joins the line there anew for each: streams that meet take
//! turns.

use std::collections::VecDeque;

use crate::config::attach::Dma;
use crate::engine::arena::Slab;
use crate::engine::events::{Due, EventQueue};
use crate::engine::time::Time;
use crate::host::attach::routes::Route;
use crate::host::attach::service::{Place, STATIONS, Service};
use crate::host::attach::steps::Steps;
use crate::typed_id;

typed_id!(
    /// A stream under way.
    StreamId
);
typed_id!(
    /// A chunk under way.
    ChunkId
);

/// A stream's end.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Number that its sender gave it.
    pub token: u32,
    /// Where the time of its last chunk went, from the stream's beginning on.
    pub steps: Steps,
    /// When it ended.
    pub time: Time,
}

/// Data on one way.
struct Stream {
    token: u32,
    number: u64,
    route: Route,
    bytes: u64,
    /// Bytes that have set out.
    sent: u64,
    /// Bytes that have come through.
    done: u64,
    /// Chunks that have set out and not landed, and how many may have.
    flying: u32,
    window: u32,
    /// Whether a chunk is at the first part or in line there.
    at_first: bool,
}

/// A piece of it.
#[derive(Clone, Copy)]
struct Chunk {
    stream: StreamId,
    place: Place,
    /// Parts crossed.
    crossed: u8,
    /// Since the stream's beginning: a chunk inherits the account of the one it had to wait for.
    steps: Steps,
}

/// A part and its line.
#[derive(Default)]
struct Station {
    current: Option<ChunkId>,
    line: VecDeque<ChunkId>,
    busy: Time,
}

#[derive(Clone, Copy)]
enum Event {
    /// The chunk at a station has left it.
    Left(u8),
    /// A chunk comes to the next part after a latency.
    Comes(ChunkId),
}

/// All parts, and what is on them.
pub struct Traffic {
    service: Service,
    chunk_bytes: u64,
    window: u32,
    stations: [Station; STATIONS.len()],
    streams: Slab<StreamId, Stream>,
    chunks: Slab<ChunkId, Chunk>,
    events: EventQueue<Event>,
    opened: u64,
}

impl Traffic {
    /// Idle parts.
    pub fn new(service: Service, dma: &Dma) -> Traffic {
        Traffic {
            service,
            chunk_bytes: dma.chunk.0,
            window: dma.write_window,
            stations: Default::default(),
            streams: Slab::new(),
            chunks: Slab::new(),
            events: EventQueue::new(),
            opened: 0,
        }
    }

    /// Sends `bytes` over `route`.
    pub fn open(&mut self, token: u32, route: Route, bytes: u64, now: Time) {
        debug_assert!(bytes > 0);
        let window = if route.waits() { self.window } else { u32::MAX };
        let number = self.opened;
        self.opened += 1;
        let stream = Stream { token, number, route, bytes, sent: 0, done: 0, flying: 0, window, at_first: false };
        let id = self.streams.insert(stream);
        self.send_next(id, Steps::open(now), now);
    }

    /// When something happens next; later than anything if nothing does.
    pub fn next_time(&self) -> Time {
        self.events.next_time()
    }

    /// Lets the next thing happen. Returns the stream that ends by it, if one does.
    pub fn step(&mut self) -> Option<Arrived> {
        let Some((now, Due::Event(event))) = self.events.pop() else { return None };
        match event {
            Event::Left(station) => self.left(usize::from(station), now),
            Event::Comes(chunk) => self.crossed(chunk, now),
        }
    }

    /// Time that each part has been in use, where it was.
    pub fn usage(&self) -> impl Iterator<Item = (&'static str, Time)> + '_ {
        STATIONS.into_iter().zip(self.stations.iter().map(|station| station.busy))
    }

    /// Sends a stream's next chunk if it may set out, which only waited for what `steps` is charged with.
    fn send_next(&mut self, id: StreamId, steps: Steps, now: Time) {
        let stream = &mut self.streams[id];
        if stream.at_first || stream.flying == stream.window || stream.sent == stream.bytes {
            return;
        }
        let bytes = self.chunk_bytes.min(stream.bytes - stream.sent);
        let place = Place { stream: stream.number, offset: stream.sent, bytes };
        stream.sent += bytes;
        stream.flying += 1;
        stream.at_first = true;
        let chunk = self.chunks.insert(Chunk { stream: id, place, crossed: 0, steps });
        self.join(chunk, now);
    }

    /// A chunk joins the line of the part that comes next.
    fn join(&mut self, id: ChunkId, now: Time) {
        let chunk = &self.chunks[id];
        let hop = self.streams[chunk.stream].route.hops()[usize::from(chunk.crossed)];
        let station = self.service.station(hop.crossing);
        if self.stations[station].current.is_some() {
            self.stations[station].line.push_back(id);
        } else {
            self.start(station, id, now);
        }
    }

    fn start(&mut self, station: usize, id: ChunkId, now: Time) {
        let chunk = &self.chunks[id];
        let hop = self.streams[chunk.stream].route.hops()[usize::from(chunk.crossed)];
        let time = self.service.time(hop, chunk.place);
        self.stations[station].current = Some(id);
        self.stations[station].busy += time;
        self.events.push(now + time, Event::Left(station as u8));
    }

    fn left(&mut self, station: usize, now: Time) -> Option<Arrived> {
        let id = self.stations[station].current.take().expect("a chunk was at the station");
        if let Some(next) = self.stations[station].line.pop_front() {
            self.start(station, next, now);
        }
        let chunk = &mut self.chunks[id];
        let crossing = self.streams[chunk.stream].route.hops()[usize::from(chunk.crossed)].crossing;
        chunk.steps.charge(crossing.step(), now);
        let (stream, steps, is_first) = (chunk.stream, chunk.steps, chunk.crossed == 0);
        if is_first {
            self.streams[stream].at_first = false;
            self.send_next(stream, steps, now);
        }
        let latency = self.service.latency(crossing);
        if latency > Time::ZERO {
            self.events.push(now + latency, Event::Comes(id));
            return None;
        }
        self.crossed(id, now)
    }

    /// A chunk has crossed a part, latency included.
    fn crossed(&mut self, id: ChunkId, now: Time) -> Option<Arrived> {
        let chunk = &mut self.chunks[id];
        let stream = &mut self.streams[chunk.stream];
        chunk.steps.charge(stream.route.hops()[usize::from(chunk.crossed)].crossing.step(), now);
        chunk.crossed += 1;
        let (crossed, Chunk { stream: of, place, steps, .. }) = (usize::from(chunk.crossed), *chunk);
        let ends = crossed == stream.route.hops().len();
        if stream.route.lands_after(crossed) {
            stream.flying -= 1;
            self.send_next(of, steps, now);
        }
        if !ends {
            self.join(id, now);
            return None;
        }
        self.chunks.remove(id);
        let stream = &mut self.streams[of];
        stream.done += place.bytes;
        if stream.done < stream.bytes {
            return None;
        }
        let token = stream.token;
        self.streams.remove(of);
        Some(Arrived { token, steps, time: now })
    }
}

#[cfg(test)]
mod tests;
