//! A PC between host and drive: south or north bridge, one port or two.
//!
//! ```text
//!           processor                       the direct path is there in sbdp and nbdp only:
//!               |                           it joins the drive's second port
//!         +-----+------+   DDR2-800   +-------------+
//!   nb.. -| north      |--------------| main memory |------ direct path ------ drive
//!    DQS  | bridge     |              +-------------+  (memory's second port)
//!         +-----+------+
//!               | PCI Express, a link in each direction
//!         +-----+------+
//!   sb.. -| south      |
//!   SATA  | bridge     |- network
//!         +------------+
//! ```
//!
//! Source: D. Kim, K. Bang, E.-Y. Chung and S. Yoon, "Architecture Exploration of High-Performance PCs with a
//! Solid-State Disk" (slides). Each part is its own line, and both bridges arbitrate each chunk. Reads from the drive
//! are posted, so that chunks follow each other ("pipelined"); for a write, the DMA engine asks main memory for each
//! chunk and waits ("consecutive").

pub mod attached;
pub mod limit;
pub mod pc;
pub mod routes;
pub mod scenario;
pub mod service;
pub mod steps;
pub mod traffic;
