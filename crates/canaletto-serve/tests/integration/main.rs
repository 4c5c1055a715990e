//! Whole servers with their own clients on Unix sockets.

#![cfg(unix)]

mod common;
mod fuzz;
mod hostile;
mod power;
mod session;
