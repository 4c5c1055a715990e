//! The host side: requests, queues, how drive and host exchange commands, the link, and PCs between host and drive.

pub mod arbiter;
pub mod attach;
pub mod cores;
pub mod interrupts;
pub mod link;
pub mod nvme;
pub mod port;
pub mod request;
pub mod sata;
