//! Blocks that fail.

use super::*;
use crate::config::design::Geometry;
use crate::config::load_design;
use crate::config::units::Size;

const PLANE: PlaneId = PlaneId(0);
const USER: Frontier = Frontier::User(0);

fn layout(planes_per_die: u32) -> Layout {
    let geometry = Geometry {
        channels: 1,
        chips_per_channel: 1,
        dies_per_chip: 1,
        planes_per_die,
        blocks_per_plane: 8,
        pages_per_block: 4,
        page: Size(4096),
    };
    Layout::new(&geometry, true)
}

/// `most` may go bad.
fn blocks(factory: f64, most: u32) -> Blocks {
    Blocks::new(&layout(1), 1, 1, true, BadBlocks { seed: 3, factory, most })
}

fn write(blocks: &mut Blocks, frontier: Frontier, lpa: u64) -> Ppa {
    blocks.allocate(PLANE, frontier, lpa, 1).expect("a free page").0
}

#[test]
fn a_retired_block_keeps_its_data_until_they_are_moved() {
    let mut blocks = blocks(0.0, 1);
    let at = write(&mut blocks, USER, 5);
    assert!(blocks.retire(PLANE, at.block, 0) && blocks.is_bad(PLANE, at.block));
    assert_eq!((blocks.valid_lpa(at), blocks.free(PLANE), blocks.count_bad()), (Some(5), 7, 1));
    let next = write(&mut blocks, USER, 6);
    assert!(next.block != at.block && !blocks.retire(PLANE, next.block, 0), "one is all the plane can spare");
    assert!(blocks.can_be_collected(PLANE, at.block));
    blocks.invalidate(at);
    blocks.erase(PLANE, at.block, 0);
    assert_eq!((blocks.can_be_collected(PLANE, at.block), blocks.free(PLANE)), (false, 6));
    blocks.audit().unwrap();
}

#[test]
fn a_block_is_not_retired_when_free_ones_are_short() {
    let mut blocks = blocks(0.0, 8);
    let at = write(&mut blocks, Frontier::Gc, 5);
    assert!(!blocks.retire(PLANE, at.block, 8) && !blocks.is_bad(PLANE, at.block));
    assert!(blocks.retire(PLANE, at.block, 7));
}

#[test]
fn factory_bad_blocks_are_never_opened() {
    let mut blocks = blocks(0.25, 8);
    assert_eq!((blocks.free(PLANE), blocks.count_bad()), (6, 2));
    let opened: Vec<u32> = (0..24).map(|lpa| write(&mut blocks, Frontier::Gc, lpa).block).collect();
    assert!(opened.iter().all(|&block| !blocks.is_bad(PLANE, block)));
    assert_eq!((blocks.free(PLANE), blocks.has_page(PLANE, Frontier::Gc)), (0, false));
    blocks.audit().unwrap();
}

#[test]
fn reports_count_erases_blocks_and_pages() {
    let mut blocks = blocks(0.0, 8);
    let full: Vec<Ppa> = (0..4).map(|lpa| write(&mut blocks, USER, lpa)).collect();
    let open = write(&mut blocks, USER, 4);
    blocks.invalidate(full[1]);
    let report = blocks.report(&layout(1));
    assert_eq!((report.total, report.bad, report.free, report.open, report.full), (8, 0, 6, 1, 1));
    assert_eq!((report.valid_pages, report.by_valid_share.iter().sum::<u64>()), (4, 1));
    for at in [full[0], full[2], full[3]] {
        blocks.invalidate(at);
    }
    blocks.erase(PLANE, full[0].block, 0);
    assert!(blocks.retire(PLANE, open.block, 0));
    let wear = blocks.wear_report(&layout(1), 100, Some(2.0));
    assert_eq!((wear.erases_min, wear.erases_max, wear.bad_blocks, wear.erases_mean), (0, 1, 1, 1.0 / 8.0));
    // 32 pages of 4 KiB, a hundred times, of which half is the host's.
    assert_eq!(wear.lifetime_bytes, Some(32.0 * 4096.0 * 100.0 / 2.0));
    assert_eq!(blocks.wear_report(&layout(1), 0, Some(2.0)).lifetime_bytes, None);
}

#[test]
fn places_of_superblocks_are_counted_until_none_is_left() {
    let design = load_design("performance-optimized", None, &[]).unwrap();
    let fresh = Blocks::new(&layout(4), 1, 1, true, BadBlocks { seed: 3, factory: 0.0, most: 8 });
    let mut blocks = fresh.in_superblocks(4, 0, Together::of(&design), None);
    let line = Line { frontier: Frontier::Gc, class: 0 };
    for _ in 0..8 {
        assert!(blocks.has_place(PLANE, line.frontier));
        for left in (0..16).rev() {
            let (to, opened) = blocks.take_place(PLANE, line, false).expect("a place");
            assert_eq!((to.0, opened), ((15 - left) as u32 % 4, left == 15));
            assert_eq!(blocks.places_left(PLANE, line.frontier), left);
        }
    }
    assert!(!blocks.has_place(PLANE, line.frontier) && blocks.take_place(PLANE, line, false).is_none());
}
