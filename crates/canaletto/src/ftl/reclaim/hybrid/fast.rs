//! Fully associative sector translation: one log block for a sequential stream (SW), the others (RW) shared by all.
//!
//! Lee et al., "A log buffer-based flash translation layer using fully-associative sector translation", ACM Transactions on
//! Embedded Computing Systems 6(3), 2007, figure 5. A write of the first page of a logical block begins a new SW log block;
//! what follows it in order goes there too; a write of the same logical block that does not follow has the SW log block
//! merged and begins a new one. All other writes go to the RW log blocks, of which the oldest is reclaimed when they are full.

use super::{Log, NONE, Page, Target, Want};

/// Where a write goes that has no place in its data block, where `broken` is the logical block whose sequence was broken
/// last. `room` tells whether a log block has a page left.
pub(super) fn target(
    logs: &[Log],
    broken: Option<u32>,
    page: Page,
    limit: usize,
    room: impl Fn(&Log) -> bool,
) -> Result<Target, Want> {
    let sequential = logs.iter().position(|log| log.owner != NONE);
    let continues = sequential.filter(|&log| logs[log].owner == page.logical);
    match (sequential, continues) {
        (_, Some(log)) if page.offset == logs[log].last + 1 && room(&logs[log]) => Ok(Target::Log(log)),
        (_, Some(log)) => Err(Want::Merge(log)),
        (Some(log), None) if page.offset == 0 => Err(Want::Merge(log)),
        (None, None) if page.offset == 0 || broken == Some(page.logical) => Ok(Target::NewLog { own: true }),
        _ => shared(logs, limit, room),
    }
}

/// Where a write goes that belongs to no sequence.
fn shared(logs: &[Log], limit: usize, room: impl Fn(&Log) -> bool) -> Result<Target, Want> {
    let mut random = (0..logs.len()).filter(|&log| logs[log].owner == NONE);
    let oldest = random.next();
    let newest = random.next_back().or(oldest);
    let count = logs.iter().filter(|log| log.owner == NONE).count();
    match (newest, oldest) {
        (Some(newest), _) if room(&logs[newest]) => Ok(Target::Log(newest)),
        (_, Some(oldest)) if count + 1 >= limit => Err(Want::Merge(oldest)),
        _ => Ok(Target::NewLog { own: false }),
    }
}
