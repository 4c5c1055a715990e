//! A plane of 4-page blocks; copies take no time.

use super::merge::Step;
use super::*;
use crate::config::load_design;
use crate::ftl::maintenance::bad_blocks::BadBlocks;
use crate::ftl::mapping::{Entry, MappingTable};
use crate::ftl::placement::Positions;

const PLANE: PlaneId = PlaneId(0);
const PAGES: u64 = 4;

struct Drive {
    hybrid: Hybrid,
    blocks: Blocks,
    map: MappingTable,
    programs: u64,
    erases: u64,
}

impl Drive {
    fn new(log_blocks: u32) -> Drive {
        let overrides = [
            "ftl.mapping=bast".to_owned(),
            format!("ftl.hybrid.log_blocks={log_blocks}"),
            "ftl.unwritten_reads=zeroes".to_owned(),
            "geometry.channels=1".to_owned(),
            "geometry.chips_per_channel=1".to_owned(),
            "geometry.planes_per_die=1".to_owned(),
            "geometry.blocks_per_plane=12".to_owned(),
            format!("geometry.pages_per_block={PAGES}"),
            "gc.threshold=0.01".to_owned(),
        ];
        let design = load_design("performance-optimized", None, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let layout = Layout::new(&design.geometry, true);
        let placement = Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout));
        Drive {
            hybrid: Hybrid::new(&design, &layout, &placement).unwrap(),
            blocks: Blocks::new(&layout, 1, 1, true, BadBlocks { seed: 1, factory: 0.0, most: 0 }),
            map: MappingTable::new(64),
            programs: 0,
            erases: 0,
        }
    }

    fn at(&self, lpa: u64) -> Ppa {
        let Entry::At(at) = self.map.get(lpa) else { panic!("page {lpa} is nowhere") };
        at
    }

    fn program(&mut self, lpa: u64, at: Ppa) {
        if let Entry::At(old) = self.map.get(lpa) {
            self.blocks.invalidate(old);
        }
        self.map.set(lpa, Entry::At(at));
        self.programs += 1;
    }

    fn write(&mut self, lpa: u64) {
        let target = loop {
            match self.hybrid.target(PLANE, lpa, &self.blocks) {
                Ok(target) => break target,
                Err(Want::Merge(log)) => self.merge(log),
                Err(Want::Patience) => panic!("page {lpa} waits for nothing"),
            }
        };
        let at = self.hybrid.allocate(PLANE, lpa, 1, target, &mut self.blocks);
        self.program(lpa, at);
    }

    fn write_all(&mut self, lpas: impl IntoIterator<Item = u64>) {
        lpas.into_iter().for_each(|lpa| self.write(lpa));
    }

    fn merge(&mut self, log: usize) {
        self.hybrid.start(PLANE, log, &self.blocks, Time::ZERO);
        self.finish_merge();
    }

    fn step(&mut self) -> Step {
        let map = &self.map;
        let locate = |lpa| if let Entry::At(at) = map.get(lpa) { Some(at) } else { None };
        self.hybrid.step(PLANE, &self.blocks, locate)
    }

    fn finish_merge(&mut self) {
        loop {
            match self.step() {
                Step::Copy(from) => self.copy(from),
                Step::Erase(Ppa { block, .. }) => {
                    self.blocks.erase(PLANE, block, 0);
                    self.erases += 1;
                    self.hybrid.block_is_erased(PLANE, &mut self.blocks);
                }
                Step::Wait => panic!("{} waits for nothing", self.hybrid.describe_merge(PLANE)),
                Step::Done => break,
            }
        }
        self.hybrid.end(PLANE, Time::ZERO);
    }

    fn copy(&mut self, from: Ppa) {
        let lpa = self.blocks.valid_lpa(from).unwrap();
        assert_eq!(self.hybrid.page_of_copy(PLANE, lpa), Some((lpa % PAGES) as u32));
        let at = self.hybrid.allocate_copy(PLANE, lpa, 1, &mut self.blocks);
        self.program(lpa, at);
        self.hybrid.copy_ends(PLANE);
    }

    fn merges(&self) -> (u64, u64, u64) {
        let Merges { switch, partial, full } = self.hybrid.merges;
        (switch, partial, full)
    }
}

#[test]
fn first_writes_go_to_their_place_if_nothing_lies_beyond() {
    let mut drive = Drive::new(3);
    drive.write_all([5, 7, 6]);
    assert_eq!((drive.at(5).page, drive.at(7).page), (1, 3));
    assert_eq!(drive.at(5).block, drive.at(7).block);
    assert_ne!(drive.at(6).block, drive.at(7).block, "page 2 lies before page 3 and cannot be programmed any more");
    drive.blocks.audit().unwrap();
}

#[test]
fn sequential_overwrites_switch() {
    let mut drive = Drive::new(2);
    for _ in 0..6 {
        drive.write_all(0..16);
    }
    let (switch, partial, full) = drive.merges();
    assert_eq!((partial, full), (0, 0));
    assert!(switch >= 18, "{switch} of 20 overwritten blocks");
    assert_eq!((drive.programs, drive.erases), (96, switch));
    drive.blocks.audit().unwrap();
}

#[test]
fn a_sequence_that_ends_early_is_merged_partially() {
    let mut drive = Drive::new(2);
    drive.write_all(0..12);
    drive.write_all([0, 1, 4, 8]);
    assert_eq!(drive.merges(), (0, 1, 0));
    let block = drive.at(0).block;
    for lpa in 0..4 {
        assert_eq!(drive.at(lpa), Ppa { plane: PLANE, block, page: lpa as u32 });
    }
    assert_eq!(drive.erases, 1);
    drive.blocks.audit().unwrap();
}

#[test]
fn bast_merges_in_full_what_is_out_of_order() {
    let mut drive = Drive::new(1);
    drive.write_all(0..8);
    drive.write_all([1, 1, 3, 1]);
    assert_eq!(drive.merges(), (0, 0, 0), "one log block holds all of it");
    drive.write(5);
    assert_eq!(drive.merges(), (0, 0, 1), "the other logical block needs the log block");
    assert_eq!((drive.programs, drive.erases), (8 + 5 + 4, 2));
    let block = drive.at(0).block;
    assert!((0..4).all(|lpa| drive.at(lpa) == Ppa { plane: PLANE, block, page: lpa as u32 }));
}

#[test]
fn a_merge_waits_for_what_is_on_its_way() {
    let mut drive = Drive::new(1);
    drive.write_all(0..4);
    drive.write_all([1, 1, 3, 1]);
    let (log, data) = (drive.at(1), drive.at(0));
    drive.hybrid.start(PLANE, 0, &drive.blocks, Time::ZERO);
    for at in [log, data] {
        drive.blocks.program_begins(at);
        assert_eq!(drive.step(), Step::Wait);
        drive.blocks.program_ends(at);
    }
    drive.blocks.read_begins(data);
    while let Step::Copy(from) = drive.step() {
        drive.copy(from);
    }
    assert_eq!((drive.step(), drive.erases), (Step::Wait, 0));
    drive.blocks.read_ends(data);
    assert_eq!(drive.step(), Step::Erase(Ppa { page: 0, ..data }));
    assert_eq!(drive.step(), Step::Wait, "the erase has not ended");
}

#[test]
fn bast_chooses_its_victim() {
    let mut drive = Drive::new(2);
    drive.write_all(0..12);
    let places = [drive.at(0).block, drive.at(4).block];
    drive.write_all([1, 5, 1, 9]);
    assert_ne!(drive.at(4).block, places[1], "merged to another block");
    assert_eq!(drive.at(0).block, places[0], "still where it was");
}

#[test]
fn cold_data_are_moved_as_a_full_merge() {
    let mut drive = Drive::new(1);
    drive.hybrid.static_threshold = 3;
    drive.write_all(0..8);
    let before = drive.at(4).block;
    while !drive.hybrid.start_levelling(PLANE, Time::ZERO) {
        drive.write_all(0..4);
        assert!(drive.erases < 200, "cold data were never found");
    }
    drive.finish_merge();
    assert_ne!(drive.at(4).block, before);
    assert_eq!(drive.hybrid.merges.full, 1);
    drive.blocks.audit().unwrap();
}
