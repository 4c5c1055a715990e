//! The host side: requests, queues, how drive and host exchange commands, and the link.

pub mod arbiter;
pub mod cores;
pub mod interrupts;
pub mod link;
pub mod nvme;
pub mod port;
pub mod request;
pub mod sata;
