//! Whole servers with clients of their own, on Unix sockets in folders of their own.

#![cfg(unix)]

mod common;
mod fuzz;
mod hostile;
mod power;
mod session;
