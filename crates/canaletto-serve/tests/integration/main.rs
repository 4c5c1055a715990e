//! Whole servers with their own clients, on Unix sockets in their own folders.

#![cfg(unix)]

mod common;
mod fuzz;
mod hostile;
mod power;
mod session;
