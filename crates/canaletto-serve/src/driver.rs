//! The thread that submits requests of clients, and advances time.
//!
//! Requests longer than a drive takes become several commands. At most [`MOST_BYTES`] of data are in the drive; further
//! requests wait, and connections take turns ([`Turns`]), a command each.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use canaletto::drive::Wanted;
use canaletto::engine::time::Time;
use canaletto::host::request::Kind;
use canaletto::measure::report::Report;

use crate::clock::{Clock, Pace};
use crate::connection::Reply;
use crate::device::{Completion, Device};
use crate::nbd::SECTOR;
use crate::nbd::request::{Operation, Request};
use crate::recorder::Recorder;
use crate::statistics::Counts;
use crate::storage::{Loss, Storage, Ticket};
use crate::turns::Turns;

/// Assumed: a usual Maximum Data Transfer Size of NVM Express controllers.
const LONGEST_COMMAND: u64 = 1 << 20;

/// Bounds what the engine keeps, whatever clients request.
const MOST_BYTES: u64 = 64 << 20;

/// A free clock waits so long for clients that got a reply: they may send more.
const PATIENCE: Duration = Duration::from_micros(200);

/// A paced clock looks at the drive so often, even if nothing is due.
const IDLE: Duration = Duration::from_millis(100);

pub struct Order {
    pub request: Request,
    pub cookie: u64,
    pub ticket: Ticket,
    pub at: Instant,
    pub connection: u64,
    pub replies: Sender<Reply>,
}

pub enum Message {
    Order(Order),
    Stop,
}

struct Outstanding {
    order: Order,
    arrival: Time,
    /// First byte that is not submitted yet.
    next: u64,
    commands: u32,
    failed: bool,
    /// For a flush: its number in the storage.
    flush: u64,
}

pub struct Ended {
    pub counts: Counts,
    pub simulated: Time,
    pub power_loss: Option<Loss>,
    pub report: Option<Report>,
}

pub struct Driver<D> {
    device: D,
    orders: Receiver<Message>,
    storage: Arc<Storage>,
    recorder: Option<Recorder>,
    power_loss_at: Time,
    power_loss: Option<Loss>,
    /// Time that the drive has been advanced to.
    now: Time,
    latest: Time,
    pace: Option<Pace>,
    /// With free places among them.
    requests: Vec<Option<Outstanding>>,
    vacant: Vec<usize>,
    /// Requests that are not fully submitted.
    waiting: Turns,
    bytes: u64,
    completions: Vec<Completion>,
    counts: Counts,
    stopping: bool,
}

impl<D: Device> Driver<D> {
    pub fn new(
        device: D,
        orders: Receiver<Message>,
        storage: Arc<Storage>,
        recorder: Option<Recorder>,
        power_loss_at: Option<Time>,
    ) -> Driver<D> {
        Driver {
            device,
            orders,
            storage,
            recorder,
            power_loss_at: power_loss_at.unwrap_or(Time::MAX),
            power_loss: None,
            now: Time::ZERO,
            latest: Time::ZERO,
            pace: None,
            requests: Vec::new(),
            vacant: Vec::new(),
            waiting: Turns::default(),
            bytes: 0,
            completions: Vec::new(),
            counts: Counts::default(),
            stopping: false,
        }
    }

    /// Until it must stop or power is lost.
    ///
    /// # Errors
    /// Why the simulation cannot continue.
    pub fn run(mut self, clock: Clock) -> Result<Ended, String> {
        match clock {
            Clock::Paced { factor } => self.run_paced(Pace::start(factor))?,
            Clock::Free => self.run_free()?,
        }
        if let Some(recorder) = self.recorder {
            recorder.finish().map_err(|error| error.to_string())?;
        }
        let report = self.device.report();
        Ok(Ended { counts: self.counts, simulated: self.now, power_loss: self.power_loss, report })
    }

    fn run_paced(&mut self, pace: Pace) -> Result<(), String> {
        wake_up_promptly();
        self.pace = Some(pace);
        loop {
            self.take_orders()?;
            if self.stopping {
                return self.finish_outstanding();
            }
            self.advance(pace.time(Instant::now()))?;
            if self.power_loss.is_some() {
                return Ok(());
            }
            let next = self.device.next_event_time().map_or(IDLE, |time| pace.moment(time) - Instant::now());
            match self.orders.recv_timeout(next.min(IDLE)) {
                Ok(message) => self.take(message)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.stopping = true,
            }
        }
    }

    fn run_free(&mut self) -> Result<(), String> {
        while self.power_loss.is_none() {
            self.take_orders()?;
            if self.stopping {
                return self.finish_outstanding();
            }
            if self.is_idle() {
                match self.orders.recv() {
                    Ok(message) => self.take(message)?,
                    Err(_) => self.stopping = true,
                }
            } else {
                let replies = self.advance_to_reply()?;
                self.wait_for_answers(replies)?;
            }
        }
        Ok(())
    }

    /// A client that keeps several requests outstanding keeps them outstanding in simulated time.
    fn wait_for_answers(&mut self, replies: usize) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        for _ in 0..replies {
            match self.orders.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(message) => self.take(message)?,
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn advance_to_reply(&mut self) -> Result<usize, String> {
        loop {
            let next = self.device.next_event_time().ok_or("the drive has requests left and nothing left to do")?;
            let replies = self.advance(next)?;
            if replies > 0 || self.power_loss.is_some() {
                return Ok(replies);
            }
            self.take_orders()?;
        }
    }

    fn finish_outstanding(&mut self) -> Result<(), String> {
        while !self.is_idle() && self.power_loss.is_none() {
            self.advance_to_reply()?;
        }
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.vacant.len() == self.requests.len()
    }

    fn take_orders(&mut self) -> Result<(), String> {
        while let Ok(message) = self.orders.try_recv() {
            self.take(message)?;
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<(), String> {
        let order = match message {
            Message::Order(order) => order,
            Message::Stop => {
                self.stopping = true;
                return Ok(());
            }
        };
        let came = self.pace.map_or(Time::ZERO, |pace| pace.time(order.at));
        let arrival = self.no_earlier(came);
        let flush = if order.request.operation == Operation::Flush { self.storage.flush() } else { 0 };
        let (next, connection) = (order.request.offset, order.connection);
        let outstanding = Outstanding { order, arrival, next, commands: 0, failed: false, flush };
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.requests.push(None);
            self.requests.len() - 1
        });
        self.requests[place] = Some(outstanding);
        self.waiting.add(connection, place);
        self.feed(arrival)
    }

    /// After the time that the drive has reached: nobody reacts in no time, and a replay of the trace meets no ties.
    fn no_earlier(&self, time: Time) -> Time {
        Time((time.max(self.latest).0.div_ceil(1000)).max(self.now.0 / 1000 + 1) * 1000)
    }

    fn feed(&mut self, at: Time) -> Result<(), String> {
        while let Some(place) = self.waiting.first() {
            let outstanding = self.requests[place].as_mut().expect("an outstanding request");
            let Request { operation, fua, offset, length } = outstanding.order.request;
            let end = offset + u64::from(length);
            let carries_data = matches!(operation, Operation::Read | Operation::Write { .. });
            let bytes = if carries_data { (end - outstanding.next).min(LONGEST_COMMAND) } else { u64::from(length) };
            if carries_data && self.bytes > 0 && self.bytes + bytes > MOST_BYTES {
                return Ok(());
            }
            let (kind, zeroes) = match operation {
                Operation::Read => (Kind::Read, false),
                Operation::Write { zeroes } => (Kind::Write, zeroes),
                Operation::Trim => (Kind::Trim, false),
                Operation::Flush => (Kind::Flush, false),
            };
            let sectors = (bytes / SECTOR) as u32;
            let command = Wanted { kind, fua, zeroes, ..Wanted::read(outstanding.next / SECTOR, sectors) };
            outstanding.next += bytes;
            outstanding.commands += 1;
            self.waiting.pass(outstanding.next == end);
            if carries_data {
                self.bytes += bytes;
            }
            self.latest = at;
            if let Some(recorder) = &mut self.recorder {
                recorder.add(at, &command).map_err(|error| error.to_string())?;
            }
            // The place in the low bits, the sectors above: completions need no other look-up.
            self.device.submit(at, command, place as u64 | u64::from(if carries_data { sectors } else { 0 }) << 32)?;
        }
        Ok(())
    }

    /// Or to the loss of power. Returns the number of replies.
    fn advance(&mut self, until: Time) -> Result<usize, String> {
        let until = until.min(self.power_loss_at).max(self.now);
        let mut completions = std::mem::take(&mut self.completions);
        self.device.advance_to(until, &mut completions)?;
        self.now = until;
        let (mut replies, has_room) = (0, !completions.is_empty());
        for completion in completions.drain(..) {
            replies += usize::from(self.complete(&completion));
        }
        self.completions = completions;
        if until == self.power_loss_at {
            let lost = self.storage.lose_power();
            self.power_loss = Some(lost.map_err(|error| format!("data that lose power: {error}"))?);
        } else if has_room {
            self.feed(self.no_earlier(self.now))?;
        }
        Ok(replies)
    }

    /// Returns whether its request is complete.
    fn complete(&mut self, completion: &Completion) -> bool {
        let place = completion.tag as u32 as usize;
        self.bytes -= (completion.tag >> 32) * SECTOR;
        let outstanding = self.requests[place].as_mut().expect("an outstanding request");
        outstanding.commands -= 1;
        outstanding.failed |= completion.failed;
        let Request { offset, length, .. } = outstanding.order.request;
        if outstanding.commands > 0 || outstanding.next < offset + u64::from(length) {
            return false;
        }
        let Outstanding { order, arrival, failed, flush, .. } = self.requests[place].take().expect("it is there");
        self.vacant.push(place);
        let Request { operation, fua, length, .. } = order.request;
        self.counts.count(operation, length, completion.at - arrival, failed);
        match operation {
            Operation::Write { .. } => self.storage.complete(order.ticket, fua && !failed),
            Operation::Flush if !failed => self.storage.flushed(flush),
            _ => {}
        }
        let due = self.pace.map(|pace| pace.moment(completion.at));
        // The client may have gone.
        let _ = order.replies.send(if failed {
            Reply::failed(order.cookie)
        } else {
            Reply::Done { cookie: order.cookie, request: order.request, due }
        });
        true
    }
}

/// By default the system may continue waits for another 50 µs, about the time of a read.
fn wake_up_promptly() {
    #[cfg(target_os = "linux")]
    // SAFETY: a number is passed, and concerns this thread only.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}
