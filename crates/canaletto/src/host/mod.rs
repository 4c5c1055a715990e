//! The host side: requests, queue pairs and the link.

pub mod link;
pub mod nvme;
pub mod request;
