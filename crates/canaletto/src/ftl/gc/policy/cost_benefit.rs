//! Cost-benefit: the space reclaimed times the time it will last, over the cost of copying (Rosenblum and Ousterhout 1991 §3.5; for
//! flash Kawaguchi, Nishioka and Motoda 1995 §3.3: age × (1 - u) / 2u).

use crate::ftl::blocks::Candidates;

pub fn choose(blocks: &Candidates) -> Option<u32> {
    let pages = u64::from(blocks.pages_per_block());
    // age × invalid / valid as a fraction, compared by cross multiplication: exact, and without valid pages infinite.
    let score = |block: u32| {
        let valid = u64::from(blocks.valid(block));
        (u128::from(blocks.age(block).max(1)) * u128::from(pages - valid), u128::from(valid))
    };
    let mut best: Option<(u32, (u128, u128))> = None;
    for block in blocks.full().filter(|&block| blocks.is_reclaimable(block)) {
        let (benefit, cost) = score(block);
        if best.is_none_or(|(_, (most, least))| benefit * least > most * cost) {
            best = Some((block, (benefit, cost)));
        }
    }
    best.map(|(block, _)| block)
}
