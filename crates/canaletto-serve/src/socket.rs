//! Sockets of both families.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

macro_rules! either {
    ($socket:expr, $stream:ident => $body:expr) => {
        match $socket {
            Socket::Unix($stream) => $body,
            Socket::Tcp($stream) => $body,
        }
    };
}

impl Socket {
    pub fn set_timeouts(&self, read: Duration, write: Duration) -> io::Result<()> {
        either!(self, stream => {
            stream.set_read_timeout(Some(read))?;
            stream.set_write_timeout(Some(write))
        })
    }

    /// There may be nothing to end.
    pub fn shut_down(&self, how: Shutdown) {
        let _ = either!(self, stream => stream.shutdown(how));
    }
}

impl Read for &Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => (&mut &*stream).read(into))
    }
}

impl Write for &Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, stream => (&mut &*stream).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Must be done with by a certain moment.
pub struct Hurried<'a> {
    pub socket: &'a Socket,
    pub until: Instant,
}

impl Hurried<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Hurried<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.left()?;
        self.socket.set_timeouts(left, left)?;
        (&mut &*self.socket).read(into)
    }
}

impl Write for Hurried<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left()?;
        self.socket.set_timeouts(left, left)?;
        (&mut &*self.socket).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Address to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Path of a Unix socket that must be made.
    Unix(PathBuf),
    /// Address and port.
    Tcp(SocketAddr),
}

/// Socket that clients come to.
pub enum Listener {
    /// Its file goes when the listener does.
    Unix(UnixListener, PathBuf),
    /// TCP socket.
    Tcp(TcpListener),
}

impl Listener {
    /// Begins to listen.
    ///
    /// # Errors
    /// A path that exists, a port that is taken, or whatever else the system reports.
    pub fn bind(address: &Address) -> io::Result<Listener> {
        let listener = match address {
            Address::Unix(path) => {
                // The system's word for it would be that an address is in use.
                if path.symlink_metadata().is_ok() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                let listener = UnixListener::bind(path)?;
                listener.set_nonblocking(true)?;
                Listener::Unix(listener, path.clone())
            }
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                listener.set_nonblocking(true)?;
                Listener::Tcp(listener)
            }
        };
        Ok(listener)
    }

    /// Of a TCP socket; chosen by the system for 0.
    pub fn port(&self) -> Option<u16> {
        match self {
            Listener::Unix(..) => None,
            Listener::Tcp(listener) => listener.local_addr().ok().map(|address| address.port()),
        }
    }

    /// For `patience` at most.
    pub(crate) fn accept(&self, patience: Duration) -> io::Result<Option<Socket>> {
        let mut waiting = libc::pollfd { fd: self.descriptor(), events: libc::POLLIN, revents: 0 };
        let milliseconds = patience.as_millis().try_into().unwrap_or(i32::MAX);
        // SAFETY: `waiting` is one valid structure, as the count says.
        if unsafe { libc::poll(&mut waiting, 1, milliseconds) } <= 0 {
            return Ok(None);
        }
        let accepted = match self {
            Listener::Unix(listener, _) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(false)?;
                Ok(Socket::Unix(stream))
            }),
            Listener::Tcp(listener) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(false)?;
                // Replies are small, and each is waited for.
                stream.set_nodelay(true)?;
                Ok(Socket::Tcp(stream))
            }),
        };
        match accepted {
            Ok(socket) => Ok(Some(socket)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn descriptor(&self) -> RawFd {
        match self {
            Listener::Unix(listener, _) => listener.as_raw_fd(),
            Listener::Tcp(listener) => listener.as_raw_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // Somebody may have put something else there.
            if path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket()) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}
