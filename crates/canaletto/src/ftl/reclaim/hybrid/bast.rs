//! Block-associative sector translation: at most one log block per logical block.
//!
//! Kim et al., IEEE Transactions on Consumer Electronics 48(2), 2002. A full log block, or one needed for another
//! logical block, is merged.

use super::{Log, Target, Want};

/// `room`: a log block has a page left.
pub(super) fn target(logs: &[Log], logical: u32, limit: usize, room: impl Fn(&Log) -> bool) -> Result<Target, Want> {
    match logs.iter().position(|log| log.owner == logical) {
        Some(own) if room(&logs[own]) => Ok(Target::Log(own)),
        Some(own) => Err(Want::Merge(own)),
        None if logs.len() < limit => Ok(Target::NewLog),
        None => Err(Want::Merge((0..logs.len()).min_by_key(|&log| logs[log].used).unwrap_or(0))),
    }
}
