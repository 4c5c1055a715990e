//! Planes that have stopped working, or that nothing reaches.
//!
//! With parity their pages are rebuilt (`ftl/parity.rs`). Without it
//!
//! - reads of their pages fail, and so do partial writes of such a page;
//! - writes on their way there, and later ones, go to other planes;
//! - nothing is collected there. Copies on their way stay where they cannot be read.

use crate::flash::address::PlaneId;
use crate::flash::plane_set::PlaneSet;
use crate::host::request::{Request, Status};
use crate::measure::cut_off::CutOffReport;

#[derive(Default)]
pub struct Lost {
    pub planes: PlaneSet,
    has_parity: bool,
    pages: u64,
    requests: u64,
}

impl Lost {
    pub fn new(has_parity: bool) -> Lost {
        Lost { has_parity, ..Lost::default() }
    }

    #[inline]
    pub fn has(&self, plane: PlaneId) -> bool {
        self.planes.has(plane)
    }

    #[inline]
    pub fn is_out_of_reach(&self, plane: PlaneId) -> bool {
        self.has(plane) && !self.has_parity
    }

    /// For a request, or for the drive itself.
    pub fn note_page(&mut self) {
        self.pages += 1;
    }

    pub fn note_request(&mut self, request: &mut Request) {
        self.requests += u64::from(!request.has_failed());
        request.status = Status::Failed;
    }

    pub fn report(&self) -> CutOffReport {
        CutOffReport { pages_out_of_reach: self.pages, requests_failed: self.requests, ..CutOffReport::default() }
    }
}
