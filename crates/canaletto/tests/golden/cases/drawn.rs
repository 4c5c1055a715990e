use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::case::Case;
use crate::designs::{BASE, designs};
use crate::workloads::workloads;

const SEEDS: std::ops::Range<u64> = 1000..1100;
/// Drives too small for their data, or worn out before the run.
const UNFIT: &[u64] = &[
    1000, 1002, 1005, 1007, 1009, 1019, 1025, 1038, 1044, 1045, 1047, 1048, 1050, 1053, 1056, 1057, 1066, 1069, 1072,
    1074, 1076, 1077, 1084, 1089, 1092, 1093, 1094, 1096,
];

pub fn cases() -> Vec<Case> {
    SEEDS.filter(|seed| !UNFIT.contains(seed)).map(case).collect()
}

fn case(seed: u64) -> Case {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (overrides, workload) = (designs(Vec::new()), workloads(vec![0.0, 0.0, 0.1]))
        .new_tree(&mut runner)
        .expect("nothing is filtered")
        .current();
    let case = Case::preset(&format!("drawn/{seed}"), BASE, &overrides, &workload).seed(seed);
    let is_page_mapped = overrides.iter().any(|setting| setting == "ftl.mapping=page");
    if is_page_mapped { case } else { case.set(&["partitioned=false"]) }
}
