//! A server from its start to its end.

use std::collections::BTreeMap;
use std::io;
use std::net::Shutdown;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use canaletto::engine::time::Time;
use canaletto::measure::histogram::Histogram;

use crate::clock::Clock;
use crate::connection;
use crate::device::Device;
use crate::driver::{Driver, Ended, Message};
use crate::nbd::Export;
use crate::recorder::Recorder;
use crate::socket::Socket;
pub use crate::socket::{Address, Listener};
use crate::statistics::{Connections, Statistics, Times};
use crate::storage::Storage;

/// Further ones are closed at once.
pub const MOST_CONNECTIONS: usize = 64;

/// Between two looks at whether to end.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// For clients to take their last replies.
const GRACE: Duration = Duration::from_secs(2);

/// How to serve.
pub struct Options {
    /// The drive as clients see it.
    pub export: Export,
    /// How simulated time goes.
    pub clock: Clock,
    /// Simulated time, which ends the server.
    pub power_loss_at: Option<Time>,
    /// And the name that the trace will have, which says how it is packed.
    pub trace: Option<(PathBuf, String)>,
}

/// A server at work.
pub struct Server {
    shared: Arc<Shared>,
    started: Instant,
    listening: JoinHandle<()>,
    driving: JoinHandle<Result<Ended, String>>,
}

/// Parts of a server that all its threads know.
pub(crate) struct Shared {
    pub export: Export,
    pub storage: Arc<Storage>,
    pub orders: Sender<Message>,
    is_paced: bool,
    lateness: Mutex<Histogram>,
    refused_requests: AtomicU64,
    accepted: AtomicU64,
    turned_away: AtomicU64,
    cut_off: AtomicU64,
    stopping: AtomicBool,
    /// Open connections by number.
    open: Mutex<BTreeMap<u64, Arc<Socket>>>,
    closed: Condvar,
    ended: Mutex<bool>,
    ending: Condvar,
}

impl Server {
    /// Begins to serve.
    ///
    /// # Errors
    /// A trace that cannot be written, or threads that the system refuses.
    pub fn start(
        listener: Listener,
        storage: Storage,
        device: impl Device + 'static,
        options: Options,
    ) -> io::Result<Server> {
        let recorder = options.trace.map(|(path, name)| Recorder::create(&path, &name)).transpose();
        let recorder = recorder.map_err(io::Error::other)?;
        let (orders, queue) = channel();
        let storage = Arc::new(storage);
        let shared = Arc::new(Shared {
            export: options.export,
            storage: Arc::clone(&storage),
            orders,
            is_paced: options.clock != Clock::Free,
            lateness: Mutex::default(),
            refused_requests: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
            cut_off: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            open: Mutex::default(),
            closed: Condvar::new(),
            ended: Mutex::new(false),
            ending: Condvar::new(),
        });
        let driver = Driver::new(device, queue, storage, recorder, options.power_loss_at);
        let (of_driver, of_listener) = (Arc::clone(&shared), Arc::clone(&shared));
        let started = Instant::now();
        let driving = thread::Builder::new().name("drive".to_owned()).spawn(move || {
            // Any end, also a panic, ends the server.
            let _ending = Ending(&of_driver);
            driver.run(options.clock)
        })?;
        let listening =
            thread::Builder::new().name("listen".to_owned()).spawn(move || listen(&listener, &of_listener))?;
        Ok(Server { shared, started, listening, driving })
    }

    /// For power to be lost or the simulation to fail, at most for `span`. Returns whether the server has ended.
    pub fn wait(&self, span: Duration) -> bool {
        let ended = lock(&self.shared.ended);
        *self.shared.ending.wait_timeout_while(ended, span, |ended| !*ended).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Answers requests that have come, closes connections, and removes the socket's file.
    ///
    /// # Errors
    /// Why the simulation could not continue.
    pub fn stop(self) -> Result<Statistics, String> {
        let Server { shared, started, listening, driving } = self;
        shared.stopping.store(true, Ordering::Relaxed);
        let panicked = |_| "a thread of the server has panicked".to_owned();
        listening.join().map_err(panicked)?;
        shared.hang_up(Shutdown::Read);
        // Nobody takes it if the driver has ended.
        let _ = shared.orders.send(Message::Stop);
        let ended = driving.join().map_err(panicked)?;
        if !shared.wait_for_the_last(GRACE) {
            shared.hang_up(Shutdown::Both);
            let all_gone = shared.wait_for_the_last(5 * GRACE);
            debug_assert!(all_gone, "a client's thread is left");
        }
        Ok(shared.statistics(ended?, started.elapsed()))
    }
}

fn listen(listener: &Listener, shared: &Arc<Shared>) {
    let mut number = 0;
    while !shared.is_stopping() {
        match listener.accept(LOOK) {
            Ok(Some(_)) if shared.is_stopping() => {}
            Ok(Some(socket)) => {
                number += 1;
                admit(number, socket, shared);
            }
            Ok(None) => {}
            // No more descriptors, for example: others have to close theirs first.
            Err(_) => thread::sleep(LOOK),
        }
    }
}

fn admit(number: u64, socket: Socket, shared: &Arc<Shared>) {
    shared.accepted.fetch_add(1, Ordering::Relaxed);
    let socket = Arc::new(socket);
    let mut open = lock(&shared.open);
    if open.len() >= MOST_CONNECTIONS {
        shared.turned_away.fetch_add(1, Ordering::Relaxed);
        return;
    }
    open.insert(number, Arc::clone(&socket));
    drop(open);
    let of_client = Arc::clone(shared);
    let spawned = thread::Builder::new().name("client".to_owned()).spawn(move || {
        let _closing = Closing(&of_client, number);
        if connection::serve(number, &socket, &of_client).is_err() {
            of_client.cut_off.fetch_add(1, Ordering::Relaxed);
        }
    });
    if spawned.is_err() {
        shared.close(number);
        shared.turned_away.fetch_add(1, Ordering::Relaxed);
    }
}

struct Closing<'a>(&'a Shared, u64);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close(self.1);
    }
}

struct Ending<'a>(&'a Shared);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        // Nobody answers any more. While the server is being stopped, clients may still take what has been answered.
        if !self.0.stopping.swap(true, Ordering::Relaxed) {
            self.0.hang_up(Shutdown::Both);
        }
        *lock(&self.0.ended) = true;
        self.0.ending.notify_all();
    }
}

impl Shared {
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    pub fn count_refused(&self) {
        self.refused_requests.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_late(&self, lateness: Time) {
        lock(&self.lateness).record(lateness);
    }

    fn close(&self, number: u64) {
        if let Some(socket) = lock(&self.open).remove(&number) {
            socket.shut_down(Shutdown::Both);
        }
        self.closed.notify_all();
    }

    fn hang_up(&self, how: Shutdown) {
        lock(&self.open).values().for_each(|socket| socket.shut_down(how));
    }

    fn wait_for_the_last(&self, span: Duration) -> bool {
        let open = lock(&self.open);
        let waited = self.closed.wait_timeout_while(open, span, |open| !open.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_empty()
    }

    fn statistics(&self, ended: Ended, wall: Duration) -> Statistics {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Statistics {
            simulated_s: ended.simulated.seconds(),
            wall_s: wall.as_secs_f64(),
            connections: Connections {
                accepted: count(&self.accepted),
                turned_away: count(&self.turned_away),
                cut_off: count(&self.cut_off),
            },
            requests: ended.counts.requests(),
            refused_requests: count(&self.refused_requests),
            mean_outstanding: ended.counts.mean_outstanding(ended.simulated),
            lateness_us: if self.is_paced { Times::of(&lock(&self.lateness)) } else { None },
            power_loss: ended.power_loss,
            drive: ended.report,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
