//! Streams of chunks over the parts of a PC, each first come, first served.
//!
//! A stream has at most one chunk at its first part, so streams that meet take turns.

use std::collections::VecDeque;

use crate::config::attach::Dma;
use crate::engine::arena::Slab;
use crate::engine::events::{Due, EventQueue};
use crate::engine::time::Time;
use crate::host::attach::routes::Route;
use crate::host::attach::service::{Place, STATIONS, Service};
use crate::host::attach::steps::Steps;
use crate::typed_id;

typed_id!(StreamId);
typed_id!(ChunkId);

#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub token: u32,
    pub steps: Steps,
    pub time: Time,
}

struct Stream {
    token: u32,
    number: u64,
    route: Route,
    bytes: u64,
    sent: u64,
    done: u64,
    flying: u32,
    window: u32,
    at_first: bool,
}

#[derive(Clone, Copy)]
struct Chunk {
    stream: StreamId,
    place: Place,
    crossed: u8,
    steps: Steps,
}

#[derive(Default)]
struct Station {
    current: Option<ChunkId>,
    line: VecDeque<ChunkId>,
    busy: Time,
}

#[derive(Clone, Copy)]
enum Event {
    Left(u8),
    Comes(ChunkId),
}

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

    pub fn open(&mut self, token: u32, route: Route, bytes: u64, now: Time) {
        debug_assert!(bytes > 0);
        let window = if route.waits() { self.window } else { u32::MAX };
        let number = self.opened;
        self.opened += 1;
        let stream = Stream { token, number, route, bytes, sent: 0, done: 0, flying: 0, window, at_first: false };
        let id = self.streams.insert(stream);
        self.send_next(id, Steps::open(now), now);
    }

    pub fn next_time(&self) -> Time {
        self.events.next_time()
    }

    pub fn step(&mut self) -> Option<Arrived> {
        let Some((now, Due::Event(event))) = self.events.pop() else { return None };
        match event {
            Event::Left(station) => self.left(usize::from(station), now),
            Event::Comes(chunk) => self.crossed(chunk, now),
        }
    }

    /// If any.
    pub fn usage(&self) -> impl Iterator<Item = (&'static str, Time)> + '_ {
        STATIONS.into_iter().zip(self.stations.iter().map(|station| station.busy))
    }

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
