//! The host side: requests, queue pairs, the link, and PCs between host and drive.

pub mod attach;
pub mod link;
pub mod nvme;
pub mod request;
