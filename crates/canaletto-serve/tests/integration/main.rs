#![cfg(unix)]

mod common;
mod fuzz;
mod hostile;
mod power;
mod session;
