//! One client: a thread reads its requests, another one sends the replies.

use std::io::{self, BufReader, Read, Write};
use std::net::Shutdown;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::driver::{Message, Order};
use crate::nbd::handshake::{Agreed, negotiate};
use crate::nbd::request::{HEADER, Header, Operation, Request};
use crate::nbd::{Errno, reply, request};
use crate::server::{LOOK, Shared};
use crate::socket::{Hurried, Socket};
use crate::statistics::time_of;
use crate::storage::{PIECE, Ticket};

/// Beyond, the client is not listened to.
const MOST_OUTSTANDING: u32 = 256;

/// For a client to agree on how to continue.
const NEGOTIATION: Duration = Duration::from_secs(10);

/// A client may pause so long in a request or reply.
const STILL: Duration = Duration::from_secs(30);

/// A client asks again for the rest.
const MOST_EXTENTS: usize = 4096;

pub enum Reply {
    /// A paced clock knows when the reply is due.
    Done {
        cookie: u64,
        request: Request,
        due: Option<Instant>,
    },
    BlockStatus {
        cookie: u64,
        offset: u64,
        length: u32,
        one: bool,
    },
    Failed {
        cookie: u64,
        error: Errno,
        why: String,
    },
}

impl Reply {
    pub fn failed(cookie: u64) -> Reply {
        Reply::Failed { cookie, error: Errno::Io, why: "the simulated drive has failed this request".to_owned() }
    }
}

/// Serves a client until it goes.
///
/// # Errors
/// A client that breaks the protocol, stalls, or disappears.
pub fn serve(connection: u64, socket: &Socket, shared: &Shared) -> io::Result<()> {
    // As it is at that moment: once a client notices that it is cut off, the server may be stopped at any time.
    let surprised = |error| if shared.is_stopping() { Ok(()) } else { Err(error) };
    let mut hurried = Hurried { socket, until: Instant::now() + NEGOTIATION };
    let agreed = match negotiate(&mut hurried, &shared.export) {
        Ok(Some(agreed)) => agreed,
        Ok(None) => return Ok(()),
        Err(error) => return surprised(error),
    };
    socket.set_timeouts(STILL, STILL)?;
    let slots = Slots { taken: Mutex::new(0), given_back: Condvar::new() };
    let (replies, queue) = channel();
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("replies".to_owned());
        let writer = builder.spawn_scoped(scope, || send_replies(socket, queue, agreed, shared, &slots))?;
        let ended = read_requests(connection, socket, replies, agreed, shared, &slots).or_else(|error| {
            let ended = surprised(error);
            socket.shut_down(Shutdown::Both);
            ended
        });
        // It ends when all requests are answered: theirs are the last senders of the queue.
        let sent = writer.join().unwrap_or_else(|_| Err(io::Error::other("the thread of replies has panicked")));
        ended.and(sent.or_else(surprised))
    })
}

fn read_requests(
    connection: u64,
    socket: &Socket,
    replies: Sender<Reply>,
    agreed: Agreed,
    shared: &Shared,
    slots: &Slots,
) -> io::Result<()> {
    let mut stream = BufReader::with_capacity(64 << 10, socket);
    let mut piece = vec![0; PIECE];
    loop {
        if !slots.take(|| shared.is_stopping()) {
            return Ok(());
        }
        let Some(bytes) = read_header(&mut stream)? else {
            return Ok(());
        };
        let header = Header::parse(&bytes).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no request"))?;
        let answer = match header.check(shared.export.bytes, agreed.allocation) {
            request::Message::Disconnect => return Ok(()),
            request::Message::BlockStatus { offset, length, one } => {
                let _ = replies.send(Reply::BlockStatus { cookie: header.cookie, offset, length, one });
                continue;
            }
            request::Message::Refused(error, why) => {
                shared.count_refused();
                receive(&mut stream, header.data(), &mut piece, |_, _| Ok(()))?.expect("nothing was stored");
                Err((error, why.to_owned()))
            }
            request::Message::Request(request) => {
                let ticket = shared.storage.begin();
                store(&mut stream, &request, ticket, &mut piece, shared)?
                    .map(|()| (request, ticket))
                    .map_err(|error| explain(&error))
            }
        };
        match answer {
            Ok((request, ticket)) => {
                let (cookie, at) = (header.cookie, Instant::now());
                let order = Order { request, cookie, ticket, at, connection, replies: replies.clone() };
                if shared.orders.send(Message::Order(order)).is_err() {
                    return Ok(());
                }
            }
            Err((error, why)) => {
                let _ = replies.send(Reply::Failed { cookie: header.cookie, error, why });
            }
        }
    }
}

/// None if the client has gone. It may take its time until the first byte.
fn read_header(stream: &mut impl Read) -> io::Result<Option<[u8; HEADER]>> {
    let (mut bytes, mut filled) = ([0; HEADER], 0);
    while filled < HEADER {
        match stream.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && filled == 0 => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(bytes))
}

/// The outer error is the connection's, the inner one the storage's.
fn store(
    stream: &mut impl Read,
    request: &Request,
    ticket: Ticket,
    piece: &mut [u8],
    shared: &Shared,
) -> io::Result<io::Result<()>> {
    let (storage, offset, length) = (&shared.storage, request.offset, request.length);
    match request.operation {
        Operation::Write { zeroes: false } => {
            receive(stream, length, piece, |at, data| storage.write(ticket, offset + at, data))
        }
        Operation::Write { zeroes: true } => Ok(storage.zero(ticket, offset, length.into())),
        Operation::Trim => Ok(storage.trim(offset, length.into())),
        Operation::Read | Operation::Flush => Ok(Ok(())),
    }
}

/// All data are received, because the next request follows.
fn receive(
    stream: &mut impl Read,
    length: u32,
    piece: &mut [u8],
    mut take: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<io::Result<()>> {
    let (mut taken, mut received) = (Ok(()), 0);
    while received < u64::from(length) {
        let count = (u64::from(length) - received).min(piece.len() as u64) as usize;
        stream.read_exact(&mut piece[..count])?;
        if taken.is_ok() {
            taken = take(received, &piece[..count]);
        }
        received += count as u64;
    }
    Ok(taken)
}

fn explain(error: &io::Error) -> (Errno, String) {
    if error.kind() == io::ErrorKind::StorageFull {
        return (Errno::NoSpace, "no more memory may be taken for data".to_owned());
    }
    (Errno::Io, error.to_string().chars().take(200).collect())
}

/// After an error the rest is dropped.
fn send_replies(
    socket: &Socket,
    queue: Receiver<Reply>,
    agreed: Agreed,
    shared: &Shared,
    slots: &Slots,
) -> io::Result<()> {
    let (mut out, mut sent) = (Vec::with_capacity(PIECE + 64), Ok(()));
    for reply in queue {
        if sent.is_ok() {
            sent = send(socket, &reply, agreed, shared, &mut out);
            if sent.is_err() {
                socket.shut_down(Shutdown::Both);
            }
        }
        slots.give_back();
    }
    sent
}

fn send(mut socket: &Socket, reply: &Reply, agreed: Agreed, shared: &Shared, out: &mut Vec<u8>) -> io::Result<()> {
    out.clear();
    match reply {
        Reply::Failed { cookie, error, why } => reply::error(out, agreed.structured, *cookie, *error, why),
        Reply::BlockStatus { cookie, offset, length, one } => {
            let most = if *one { 1 } else { MOST_EXTENTS };
            reply::extents(out, *cookie, &shared.storage.extents(*offset, *length, most));
        }
        Reply::Done { cookie, request, due } => {
            match request.operation {
                Operation::Read => send_data(socket, request, *cookie, agreed, shared, out)?,
                operation => {
                    // Data that are promised to survive are on the disk below, too.
                    let forced = operation == Operation::Flush || request.fua;
                    match if forced { shared.storage.sync() } else { Ok(()) } {
                        Ok(()) => reply::done(out, *cookie),
                        Err(error) => {
                            let (error, why) = explain(&error);
                            reply::error(out, agreed.structured, *cookie, error, &why);
                        }
                    }
                }
            }
            socket.write_all(out)?;
            if let Some(due) = due {
                shared.count_late(time_of(Instant::now().saturating_duration_since(*due)));
            }
            return Ok(());
        }
    }
    socket.write_all(out)
}

fn send_data(
    mut socket: &Socket,
    request: &Request,
    cookie: u64,
    agreed: Agreed,
    shared: &Shared,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let length = u64::from(request.length);
    reply::data(out, agreed.structured, cookie, request.offset, request.length);
    let (mut done, mut read) = (0, Ok(()));
    while done < length {
        let count = (length - done).min(PIECE as u64) as usize;
        let start = out.len();
        out.resize(start + count, 0);
        if read.is_ok() {
            read = shared.storage.read(request.offset + done, &mut out[start..]);
            if read.is_err() && !agreed.structured {
                // Section "Request types", simple replies: too late to say so in any other way.
                return read;
            }
        }
        done += count as u64;
        if done < length {
            socket.write_all(out)?;
            out.clear();
        }
    }
    match read {
        Ok(()) if agreed.structured => reply::end_of_data(out, cookie),
        Ok(()) => {}
        Err(error) => {
            let (error, why) = explain(&error);
            reply::error(out, true, cookie, error, &why);
        }
    }
    Ok(())
}

struct Slots {
    taken: Mutex<u32>,
    given_back: Condvar,
}

impl Slots {
    /// False if the server ends meanwhile.
    fn take(&self, is_stopping: impl Fn() -> bool) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken >= MOST_OUTSTANDING {
            if is_stopping() {
                return false;
            }
            taken = self.given_back.wait_timeout(taken, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += 1;
        true
    }

    fn give_back(&self) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.given_back.notify_one();
    }
}
