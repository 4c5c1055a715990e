// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

pub mod arrivals;
pub mod external;
pub mod fill;
pub mod flow;
pub mod glance;
pub mod offered;
pub mod part;
pub mod places;
pub mod plan;
pub mod popularity;
pub mod record;
pub mod replay;
pub mod selection;
pub mod sources;
pub mod synthetic;
pub mod traffic;
pub mod wanted;
pub mod window;
pub mod zoned;
