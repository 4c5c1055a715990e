use proptest::prelude::*;

use super::*;

fn contents() -> impl Strategy<Value = Contents> {
    let shape = (1usize..4, 1u32..9, 0usize..12, 0usize..3, 0u32..4);
    shape.prop_flat_map(|(width, pages, full, open, free)| {
        let weights = || prop::collection::vec(0u32..10, width);
        let rows = prop::collection::vec((weights(), 0..=pages), full);
        let opens = prop::collection::vec((weights(), 0..=pages, 0..=pages), open);
        let runs = prop::collection::vec((0u32..20, 0..width), 0..6);
        (rows, opens, runs, Just((width, pages, free))).prop_map(make)
    })
}

type Row = (Vec<u32>, u32);
type OpenRow = (Vec<u32>, u32, u32);

type Runs = Vec<(u32, usize)>;
type Drawn = (Vec<Row>, Vec<OpenRow>, Runs, (usize, u32, u32));

fn make((rows, opens, mut runs, shape): Drawn) -> Contents {
    let (width, pages, free) = shape;
    let divide = |weights: &[u32], valid: u32| {
        let sum = weights.iter().sum::<u32>().max(1);
        weights.iter().map(|w| w * valid / sum).collect::<Vec<u32>>()
    };
    let counts: Vec<Vec<u32>> = rows.iter().map(|(weights, valid)| divide(weights, *valid)).collect();
    let open: Vec<OpenBlock> = opens
        .iter()
        .map(|(weights, a, b)| OpenBlock { written: *a.max(b), counts: divide(weights, *a.min(b)) })
        .collect();
    for class in 0..width {
        let held: u32 = counts.iter().chain(open.iter().map(|b| &b.counts)).map(|row| row[class]).sum();
        runs.push((held, class));
    }
    let blocks = counts.len() as u32 + open.len() as u32 + free;
    let ages = (0..counts.len()).rev().map(|age| age as f32).collect();
    let full = FullBlocks { classes: width, counts: counts.concat(), ages };
    Contents { blocks, pages, classes: Classes::from_runs(width, &runs), full, open }
}

proptest! {
    #[test]
    fn every_page_is_found_where_it_is_said_to_be(contents in contents(), key: u64) {
        let logical: u32 = contents.classes.members().iter().sum();
        let expected: Vec<u32> = contents.full.counts.chunks(contents.full.classes).map(|row| row.iter().sum()).collect();
        let (blocks, pages, open) = (contents.blocks, contents.pages, contents.open.clone());
        let plane = SeededPlane::new(contents, key).expect("it fits");

        let mut found = 0;
        for page in 0..logical {
            if let Some((block, at)) = plane.locate(page) {
                prop_assert!(block < blocks && at < pages);
                prop_assert_eq!(plane.content(block, at), Some(page));
                found += 1;
            }
        }
        prop_assert_eq!(found, plane.mapped());
        for block in 0..blocks {
            let held: Vec<(u32, u32)> = (0..pages).filter_map(|at| plane.content(block, at).map(|page| (at, page))).collect();
            prop_assert_eq!(held.len() as u32, plane.valid(block));
            prop_assert!(held.iter().all(|&(at, page)| plane.locate(page) == Some((block, at))));
            match plane.life(block) {
                Life::Free => prop_assert!(held.is_empty()),
                Life::Open { frontier, written } => {
                    prop_assert_eq!(written, open[frontier as usize].written);
                    prop_assert_eq!(held.len() as u32, open[frontier as usize].counts.iter().sum::<u32>());
                    prop_assert!(held.iter().all(|&(at, _)| at < written));
                }
                Life::Full { order, .. } => prop_assert_eq!(held.len() as u32, expected[order as usize]),
            }
        }
        let mut all: Vec<u32> = plane.full().chain(plane.open()).chain(plane.free()).collect();
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..blocks));
    }
}

#[test]
fn classes_stay_in_their_blocks() {
    let full = FullBlocks { classes: 2, counts: vec![8, 0, 0, 8, 4, 3], ages: vec![2.0, 1.0, 0.0] };
    let classes = Classes::from_runs(2, &[(10, 1), (12, 0), (5, 1)]);
    let contents = Contents { blocks: 4, pages: 8, classes, full, open: Vec::new() };
    let plane = SeededPlane::new(contents, 9).expect("it fits");
    let order: Vec<u32> = plane.full().collect();
    for page in 0..27 {
        let hot = (10..22).contains(&page);
        if let Some((block, _)) = plane.locate(page) {
            assert_ne!(block, order[usize::from(hot)], "page {page}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let full = |counts: Vec<u32>| FullBlocks { classes: 1, ages: vec![0.0; counts.len()], counts };
    let contents = |blocks, pages, logical, counts| Contents {
        blocks,
        pages,
        classes: Classes::uniform(logical),
        full: full(counts),
        open: Vec::new(),
    };
    let refused = |contents| SeededPlane::new(contents, 1).err().expect("it does not fit");
    assert_eq!(refused(contents(1, 4, 9, vec![4, 4])), "2 blocks in use of 1");
    assert_eq!(refused(contents(2, 4, 9, vec![4, 5])), "5 valid pages among 4 written");
    assert_eq!(refused(contents(2, 4, 7, vec![4, 4])), "8 valid pages of 7 logical ones");
}
