//! The flows' parts of the logical address space.

use std::ops::Range;

use crate::config::design::Design;
use crate::config::workload::{Priority, Workload};
use crate::flash::address::{PlaneId, SECTOR};
use crate::flash::plane_set::PlaneSet;
use crate::ftl::operands::Operands;
use crate::ftl::placement::Placement;
use crate::host::request::{Edges, Kind, Request};
use crate::limits::Limits;

pub fn sector_mask(first: u64, count: u64) -> u64 {
    (if count == 64 { u64::MAX } else { (1 << count) - 1 }) << first
}

#[derive(Clone)]
pub struct Pages {
    pub next: u64,
    /// Up to the end of the flow's addresses.
    pub last: u64,
    at: u64,
    /// Up to the end of the flow's addresses.
    left: u64,
    per_page: u64,
    first_page: u64,
    capacity: u64,
    beyond: u64,
    /// A request that runs over the flow's end continues there.
    again_at: u64,
}

impl Pages {
    #[inline]
    fn new(flow: &FlowSpace, first: u64, sectors: u64, sector_shift: u32) -> Pages {
        let fitting = sectors.min(flow.sectors - first);
        let per_page = 1 << sector_shift;
        Pages {
            next: flow.first_page + (first >> sector_shift),
            last: flow.first_page + ((first + fitting - 1) >> sector_shift),
            at: first & (per_page - 1),
            left: fitting,
            per_page,
            first_page: flow.first_page,
            capacity: flow.sectors,
            beyond: sectors - fitting,
            again_at: flow.again_at,
        }
    }

    #[inline]
    pub fn left_pages(&self) -> u32 {
        let fitting = (self.last + 1 - self.next) as u32;
        if self.beyond == 0 { fitting } else { self.clone().count() as u32 }
    }

    fn skip_pages(&mut self, mut pages: u64) {
        while pages > 0 && (self.left > 0 || self.beyond > 0) {
            if self.left == 0 {
                self.turn();
            }
            let here = pages.min(self.last + 1 - self.next);
            let sectors = self.left.min(here * self.per_page - self.at);
            self.next += here;
            self.left -= sectors;
            self.at = 0;
            pages -= here;
        }
    }

    #[cold]
    fn turn(&mut self) {
        let fitting = self.beyond.min(self.capacity - self.again_at);
        self.next = self.first_page + self.again_at / self.per_page;
        self.last = self.first_page + (self.again_at + fitting - 1) / self.per_page;
        self.at = self.again_at % self.per_page;
        self.left = fitting;
        self.beyond -= fitting;
    }
}

impl Iterator for Pages {
    type Item = (u64, u64);

    #[inline]
    fn next(&mut self) -> Option<(u64, u64)> {
        if self.next > self.last {
            if self.beyond == 0 {
                return None;
            }
            self.turn();
        }
        let count = self.left.min(self.per_page - self.at);
        let page = (self.next, sector_mask(self.at, count));
        self.next += 1;
        self.left -= count;
        self.at = 0;
        Some(page)
    }

    fn nth(&mut self, pages: usize) -> Option<(u64, u64)> {
        self.skip_pages(pages as u64);
        self.next()
    }
}

/// Most often all bits are side by side: without the hardware's instruction, counting takes twice as long.
#[inline(always)]
fn count(sectors: u64) -> u32 {
    let first = sectors.trailing_zeros() & 63;
    let shifted = sectors >> first;
    if shifted & shifted.wrapping_add(1) == 0 && shifted != 0 {
        64 - shifted.leading_zeros()
    } else {
        sectors.count_ones()
    }
}

pub struct FlowSpace {
    pub priority: Priority,
    pub placement: Placement,
    /// If flows have their own write frontiers.
    pub stream: u16,
    pub first_sector: u64,
    /// Up to the end of the last page that requests may begin in.
    pub sectors: u64,
    /// A request that runs over the end continues there. MQSim takes addresses modulo the last sector's number.
    pub again_at: u64,
    /// In the mapping table.
    pub first_page: u64,
    pub end_page: u64,
}

pub struct Spaces {
    flows: Vec<FlowSpace>,
    operands: Vec<Operands>,
    sector_shift: u32,
    pages_per_flash_page: u64,
    /// If a mapping unit is larger than a page.
    pub pages_per_unit: u64,
    /// Whether writes bring others with them: the rest of their mapping unit, or operands.
    pub widens: bool,
}

impl Spaces {
    pub fn new(design: &Design, workload: &Workload, limits: &Limits) -> Spaces {
        let layout = &limits.layout;
        let per_page = u64::from(layout.sectors_per_page);
        let flows = workload.flow.iter().zip(&limits.flows).map(|(config, flow)| {
            let last = config.last_start(flow.sectors);
            let sectors = (last + 1).next_multiple_of(per_page);
            FlowSpace {
                priority: config.priority,
                placement: Placement::new(layout, design.ftl.allocation, &flow.positions),
                stream: flow.stream,
                first_sector: flow.first_sector,
                sectors,
                again_at: (flow.first_sector + sectors) % last.max(1),
                first_page: flow.first_page,
                end_page: flow.first_page + flow.sectors.div_ceil(per_page),
            }
        });
        let both = workload.flow.iter().zip(&limits.flows);
        let operands: Vec<_> = both.filter_map(|(flow, range)| Operands::of(design, flow, range, per_page)).collect();
        Spaces {
            flows: flows.collect(),
            widens: design.pages_per_unit() > 1 || !operands.is_empty(),
            operands,
            sector_shift: layout.sector_shift,
            pages_per_flash_page: u64::from(layout.pages_per_flash_page()),
            pages_per_unit: u64::from(design.pages_per_unit()),
        }
    }

    #[inline]
    pub fn pages(&self, request: &Request) -> Pages {
        let flow = &self[usize::from(request.flow)];
        Pages::new(flow, request.lba - flow.first_sector, u64::from(request.sectors), self.sector_shift)
    }

    /// Bytes of a request that are in these sectors of a page.
    #[inline(always)]
    pub fn bytes_of(&self, request: &Request, lpa: u64, sectors: u64) -> u32 {
        let whole = count(sectors) * SECTOR as u32;
        if request.edges == Edges::NONE { whole } else { whole - self.left_out(request, lpa, sectors) }
    }

    #[cold]
    fn left_out(&self, request: &Request, lpa: u64, sectors: u64) -> u32 {
        let flow = &self[usize::from(request.flow)];
        let first = request.lba - flow.first_sector;
        let of = |at: u64, bytes: u16| {
            let (page, bit) = (at >> self.sector_shift, at & ((1 << self.sector_shift) - 1));
            let has = lpa == flow.first_page + page && sectors >> bit & 1 == 1;
            if has { u32::from(bytes) } else { 0 }
        };
        of(first, request.edges.before) + of(first + u64::from(request.sectors) - 1, request.edges.behind)
    }

    #[inline]
    pub fn widen(&self, request: &Request) -> bool {
        self.widens && request.kind == Kind::Write
    }

    #[inline]
    pub fn split(&self, request: &Request) -> (u32, impl Iterator<Item = (u64, u64)> + use<>) {
        let pages = self.pages(request);
        let (before, after) = self.rest_of_units(&pages, request);
        let count = pages.left_pages() + (before.end - before.start + after.end - after.start) as u32;
        (count, before.chain(after).map(|lpa| (lpa, 0)).chain(pages))
    }

    #[inline]
    fn rest_of_units(&self, pages: &Pages, request: &Request) -> (Range<u64>, Range<u64>) {
        if self.pages_per_unit == 1 || request.kind != Kind::Write {
            return (0..0, 0..0);
        }
        let unit = self.pages_per_unit;
        let end = pages.last + 1;
        let last = end.next_multiple_of(unit).min(self[usize::from(request.flow)].end_page);
        (pages.next / unit * unit..pages.next, end..last)
    }

    /// Its mapping unit or other operands, and pages from the cache's DRAM that its flash page has room for.
    pub fn written_with(&self, flow: u16, lpa: u64, from_dram: bool) -> impl Iterator<Item = u64> + use<> {
        let shared = if from_dram { self.pages_per_flash_page } else { 1 };
        self.others(flow, lpa, shared.max(self.pages_per_unit)).chain(self.operands_with(lpa))
    }

    /// Others that are written together with a page.
    pub fn operands_with(&self, lpa: u64) -> impl Iterator<Item = u64> + use<> {
        let all = self.operands.iter().find_map(|operands| operands.with(lpa));
        all.into_iter().flatten().filter(move |&other| other != lpa)
    }

    /// If nobody had written it.
    pub fn found_with(&self, flow: u16, lpa: u64) -> impl Iterator<Item = u64> + use<> {
        self.others(flow, lpa, self.pages_per_flash_page)
    }

    fn others(&self, flow: u16, lpa: u64, together: u64) -> impl Iterator<Item = u64> + use<> {
        let first = lpa / together * together;
        let all: Range<u64> = first..(first + together).min(self[usize::from(flow)].end_page);
        all.filter(move |&other| other != lpa)
    }

    #[inline]
    pub fn plane(&self, flow: u16, lpa: u64) -> PlaneId {
        let flow = &self[usize::from(flow)];
        flow.placement.plane(lpa - flow.first_page)
    }

    /// None if there is none.
    pub fn stand_in(&self, flow: u16, lpa: u64) -> Option<PlaneId> {
        let flow = &self[usize::from(flow)];
        flow.placement.stand_in(lpa - flow.first_page)
    }

    pub fn leave_out(&mut self, planes: &PlaneSet) {
        self.flows.iter_mut().for_each(|flow| flow.placement.leave_out(planes));
    }

    /// As requests state it.
    #[inline(always)]
    pub fn page_of(&self, flow: u16, lba: u64) -> u64 {
        let flow = &self[usize::from(flow)];
        flow.first_page + ((lba - flow.first_sector) >> self.sector_shift)
    }
}

impl std::ops::Index<usize> for Spaces {
    type Output = FlowSpace;

    #[inline]
    fn index(&self, flow: usize) -> &FlowSpace {
        &self.flows[flow]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;
    use crate::flash::address::Layout;
    use crate::ftl::placement::Positions;

    /// The pages of a request of a flow of three pages of eight sectors, numbered from 3, whose end continues at sector 9.
    fn pages(first: u64, sectors: u64) -> Pages {
        let design = load_design("performance-optimized", None, &[]).unwrap();
        let layout = Layout::new(&design.geometry, true);
        let flow = FlowSpace {
            priority: Priority::default(),
            placement: Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout)),
            stream: 0,
            first_sector: 0,
            sectors: 24,
            again_at: 9,
            first_page: 3,
            end_page: 6,
        };
        Pages::new(&flow, first, sectors, 3)
    }

    #[test]
    fn a_request_that_runs_over_the_end_continues_as_often_as_needed() {
        let walked: Vec<_> = pages(18, 30).collect();
        assert_eq!(walked, [(5, 0b1111_1100), (4, 0b1111_1110), (5, 0xff), (4, 0b1111_1110), (5, 0b11)]);
        assert_eq!(walked.iter().map(|(_, mask)| mask.count_ones()).sum::<u32>(), 30);
        let inside = [(3, 0b1000_0000), (4, 0xff), (5, 0b1)];
        assert_eq!(pages(7, 10).collect::<Vec<_>>(), inside);
    }

    #[test]
    fn pages_are_skipped_and_counted_as_they_are_walked() {
        for (first, sectors) in [(18, 30), (7, 10), (0, 24), (23, 1), (16, 200)] {
            let walked: Vec<_> = pages(first, sectors).collect();
            assert_eq!(pages(first, sectors).left_pages() as usize, walked.len());
            for skipped in 0..=walked.len() {
                let mut rest = pages(first, sectors);
                assert_eq!(rest.nth(skipped), walked.get(skipped).copied(), "{first}, {sectors}: {skipped}");
                assert_eq!(rest.next(), walked.get(skipped + 1).copied(), "{first}, {sectors}: behind {skipped}");
            }
        }
    }
}
