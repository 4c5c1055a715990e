use super::{MIXED, OPEN, PARTIAL, READS, WRITES, flows};
use crate::case::Case;

const FLIN: &[&str] = &[
    "scheduler.policy=flin",
    "scheduler.flin.epoch=400us",
    "scheduler.flin.read_threshold=32KiB",
    "scheduler.flin.write_threshold=64KiB",
    "scheduler.flin.fairness_threshold=0.95",
];

const FIRST_COME: &[&str] = &["scheduler.policy=first-come"];

const PRIORITIES: [(&str, &str); 4] = [
    ("priority = \"low\"", WRITES),
    ("priority = \"high\"", READS),
    ("priority = \"medium\"", PARTIAL),
    ("priority = \"urgent\"", "requests = 100; read_share = 0.5; size = \"4KiB\"; inter_arrival = \"90us\""),
];
const PLAIN: [(&str, &str); 2] = [("", MIXED), ("", OPEN)];
const APART: [(&str, &str); 2] = [("channels = [0]", MIXED), ("channels = [1]; chips = [0]", READS)];

type Row = (&'static str, &'static [&'static [&'static str]], &'static str, &'static [(&'static str, &'static str)]);

const CASES: &[Row] = &[
    ("priorities", &[], "", &PRIORITIES),
    ("no-priorities", &[&["scheduler.priorities=false"]], "", &PRIORITIES),
    ("polled", &[&["scheduler.round_robin_advance=on-poll"]], "", &PRIORITIES),
    (
        "polled-dies",
        &[&["scheduler.round_robin_advance=on-poll", "geometry.dies_per_chip=2", "flash.die_interleaving=false"]],
        "",
        &PRIORITIES,
    ),
    ("priorities-steady", &[&["precondition.kind=steady"]], "", &PRIORITIES),
    ("priorities-venice", &[&["fabric.kind=venice"]], "", &PRIORITIES),
    ("priorities-mesh", &[&["fabric.kind=mesh"]], "", &PRIORITIES),
    ("last-first", &[], "last_flow_first = true", &PLAIN),
    ("flin", &[FLIN], "", &PLAIN),
    ("flin-priorities", &[FLIN], "", &PRIORITIES),
    ("flin-parts", &[FLIN], "partitioned = true", &PLAIN),
    ("flin-short-epochs", &[FLIN, &["scheduler.flin.epoch=50us"]], "", &PRIORITIES),
    ("flin-fair", &[FLIN, &["scheduler.flin.fairness_threshold=0.0"]], "", &PLAIN),
    ("flin-steady", &[FLIN, &["precondition.kind=steady"]], "", &PLAIN),
    ("flin-venice", &[FLIN, &["fabric.kind=venice"]], "", &PRIORITIES),
    ("flin-omnibus", &[FLIN, &["fabric.kind=omnibus", "gc.preemptible=false"]], "", &PRIORITIES),
    ("flin-suspending", &[FLIN, &["flash.suspend.operations=both"]], "", &PLAIN),
    ("flin-cached-table", &[FLIN, &["mapping.cache_capacity=512B"]], "", &PLAIN),
    ("first-come", &[FIRST_COME], "", &PRIORITIES),
    ("first-come-suspending", &[FIRST_COME, &["flash.suspend.operations=both"]], "", &PLAIN),
    ("first-come-steady", &[FIRST_COME, &["precondition.kind=steady"]], "", &PLAIN),
    ("parts", &[], "partitioned = true", &PLAIN),
    ("parts-steady", &[&["precondition.kind=steady"]], "partitioned = true", &PLAIN),
    ("parts-dynamic", &[&["ftl.write_placement=dynamic"]], "partitioned = true", &PLAIN),
    ("apart", &[], "partitioned = true", &APART),
    ("apart-steady", &[&["precondition.kind=steady"]], "partitioned = true", &APART),
];

pub fn cases() -> Vec<Case> {
    let case = |(name, overrides, top, each): &Row| {
        Case::small(&format!("flows/{name}"), &overrides.concat(), &flows(top, each))
    };
    let mut cases: Vec<Case> = CASES.iter().map(case).collect();
    for flow in 0..2 {
        let alone = |name: &str, overrides: &[&str], top: &str, each: &[(&str, &str)]| {
            Case::small(&format!("flows/alone-{flow}/{name}"), overrides, &flows(top, each)).alone(flow)
        };
        cases.push(alone("plain", &[], "", &PLAIN));
        cases.push(alone("priorities", &["precondition.kind=steady"], "", &PRIORITIES));
        cases.push(alone("parts", FLIN, "partitioned = true", &PLAIN));
    }
    cases.push(Case::small("flows/warmup", &["precondition.kind=steady"], &flows("", &PLAIN)).warmup(600));
    cases.push(Case::small("flows/warmup-priorities", &[""; 0], &flows("", &PRIORITIES)).warmup(900).seed(5));
    cases
}
