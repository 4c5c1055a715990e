//! The scheduler: which transactions a free unit works on next.
//!
//! Out of order across units; within a unit reads go before writes before erases, user requests before garbage
//! collection unless that is urgent, and transactions for further planes of the same die join the first one's command.
//! [`flin`] orders what waits for a unit by fairness among flows instead.

pub mod classes;
pub mod flin;
pub mod mates;
pub mod queues;
pub mod transaction;
