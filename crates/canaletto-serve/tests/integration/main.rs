//! A served drive, over the wire.

#![cfg(unix)]

mod common;
mod fuzz;
mod hostile;
mod power;
mod session;
