//! Garbage collection within a plane.
//!
//! One job a plane: the victim's valid pages are read and written to the plane's own collection frontier, a few at a
//! time, then the block is erased once nothing reads it any more. It cannot wedge: the host never gets the last reserved
//! block, so there is always one for the copies of a victim, which are fewer than a block since a victim has at least one
//! invalid page; and a plane whose logical share is smaller than its blocks always has such a victim.

use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;

/// Copies of one job under way at a time: the next page is read while one is programmed.
const COPIES_IN_FLIGHT: u32 = 2;

/// A collection in progress.
#[derive(Clone, Copy)]
struct Job {
    victim: u32,
    /// Next page of the victim to look at.
    next: u32,
    /// Copies under way.
    copies: u32,
    /// Whether the erase has been queued.
    erasing: bool,
}

/// What a job wants done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Read this valid page of the victim, to copy it.
    Copy(Ppa),
    /// Erase the victim.
    Erase(Ppa),
    /// Nothing now.
    Wait,
}

/// The jobs of all planes.
pub struct Collector {
    jobs: Vec<Option<Job>>,
    /// A job starts when free blocks fall below this.
    start_below: u32,
    /// At or below this many free blocks a plane's collection is urgent.
    urgent_at: u32,
    working: u32,
    /// Jobs started.
    pub started: u64,
    /// Pages copied.
    pub copied: u64,
}

impl Collector {
    /// No jobs yet.
    pub fn new(planes: u32, start_below: u32, urgent_at: u32) -> Collector {
        Collector { jobs: vec![None; planes as usize], start_below, urgent_at, working: 0, started: 0, copied: 0 }
    }

    /// Starts a job in the plane if none is running: one that wins space if it is short of free blocks, else one that
    /// empties a retired block.
    pub fn start(&mut self, plane: PlaneId, blocks: &Blocks) -> bool {
        if self.jobs[plane.index()].is_some() {
            return false;
        }
        let is_short = blocks.free(plane) < self.start_below;
        let victim = if is_short { blocks.greedy_victim(plane) } else { blocks.retired_that_fits(plane) };
        let Some(victim) = victim else {
            return false;
        };
        self.jobs[plane.index()] = Some(Job { victim, next: 0, copies: 0, erasing: false });
        self.started += 1;
        self.working += 1;
        true
    }

    /// Whether the plane's collection must go before host requests.
    pub fn urgent(&self, plane: PlaneId, blocks: &Blocks) -> bool {
        self.jobs[plane.index()].is_some() && blocks.free(plane) <= self.urgent_at
    }

    /// What the plane's job wants next; to be asked until it waits.
    pub fn step(&mut self, plane: PlaneId, blocks: &Blocks) -> Step {
        let Some(job) = &mut self.jobs[plane.index()] else {
            return Step::Wait;
        };
        if job.copies >= COPIES_IN_FLIGHT || job.erasing {
            return Step::Wait;
        }
        if let Some(page) = blocks.next_valid(plane, job.victim, job.next) {
            job.next = page.page + 1;
            job.copies += 1;
            return Step::Copy(page);
        }
        let victim = Ppa { plane, block: job.victim, page: 0 };
        if job.copies == 0 && blocks.reads_in_flight(victim) == 0 {
            job.erasing = true;
            return Step::Erase(victim);
        }
        Step::Wait
    }

    /// A copy has ended: the page was programmed elsewhere, or turned out to be out of date.
    pub fn copy_done(&mut self, plane: PlaneId) {
        if let Some(job) = &mut self.jobs[plane.index()] {
            job.copies -= 1;
        }
    }

    /// The victim has been erased.
    pub fn erase_done(&mut self, plane: PlaneId) {
        self.jobs[plane.index()] = None;
        self.working -= 1;
    }

    /// Whether any plane collects.
    pub fn is_working(&self) -> bool {
        self.working > 0
    }

    /// One phrase on the plane's job, for a stuck run's explanation.
    pub fn describe(&self, plane: PlaneId) -> String {
        match self.jobs[plane.index()] {
            None => "no collection".to_owned(),
            Some(job) if job.erasing => format!("block {} to be erased", job.victim),
            Some(job) => format!("block {} under collection with {} copies under way", job.victim, job.copies),
        }
    }

    /// Whether the plane collects `block` now.
    pub fn collects(&self, plane: PlaneId, block: u32) -> bool {
        self.jobs[plane.index()].is_some_and(|job| job.victim == block)
    }
}
