//! Planes that have stopped working, or that nothing reaches any more.
//!
//! With parity their pages are rebuilt, and superblocks continue without them (`ftl/parity.rs`). Without it
//!
//! - reads of their pages fail, and so do writes of a part of such a page, which keeps what it held: the rest of it could not be read;
//! - writes that were on their way there go to other planes, as do all later ones;
//! - nothing is collected there any more. Copies that were on their way stay where they cannot be read.

use crate::flash::address::PlaneId;
use crate::flash::plane_set::PlaneSet;
use crate::host::request::Request;
use crate::measure::cut_off::CutOffReport;

/// Planes that have been lost, and the cost of it.
#[derive(Default)]
pub struct Lost {
    /// Planes.
    pub planes: PlaneSet,
    /// Whether parity makes up for them.
    has_parity: bool,
    /// Pages that could be neither read nor rebuilt.
    pages: u64,
    /// Requests that failed for it.
    requests: u64,
}

impl Lost {
    /// A drive that has lost nothing.
    pub fn new(has_parity: bool) -> Lost {
        Lost { has_parity, ..Lost::default() }
    }

    /// Whether a plane has stopped working.
    #[inline]
    pub fn has(&self, plane: PlaneId) -> bool {
        self.planes.has(plane)
    }

    /// Whether a plane has stopped working and nothing makes up for it.
    #[inline]
    pub fn is_out_of_reach(&self, plane: PlaneId) -> bool {
        self.has(plane) && !self.has_parity
    }

    /// A page is out of reach for a request, or for the drive itself.
    pub fn note_page(&mut self) {
        self.pages += 1;
    }

    /// A request fails because a page is out of reach.
    pub fn note_request(&mut self, request: &mut Request) {
        self.requests += u64::from(!std::mem::replace(&mut request.failed, true));
    }

    /// Pages and requests that failed.
    pub fn report(&self) -> CutOffReport {
        CutOffReport { pages_out_of_reach: self.pages, requests_failed: self.requests, ..CutOffReport::default() }
    }
}
