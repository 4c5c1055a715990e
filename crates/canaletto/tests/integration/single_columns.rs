//! Scouts of two controllers that meet in a single column have no way around each other.

use canaletto::{RunOptions, run};

use crate::common;

#[test]
fn scouts_that_meet_find_their_ways_in_the_end() {
    for rows in [2, 3, 5] {
        for retry in ["immediate", "local", "oracle"] {
            for scouts in ["hop-by-hop", "clocked", "atomic"] {
                let keys = [
                    format!("geometry.channels={rows}"),
                    "geometry.chips_per_channel=1".to_owned(),
                    "fabric.kind=venice".to_owned(),
                    format!("fabric.venice.retry={retry}"),
                    format!("fabric.venice.scouts={scouts}"),
                    "fabric.venice.tear_down=wire".to_owned(),
                ];
                let design = common::preset("performance-optimized", &keys.each_ref().map(String::as_str));
                let workload =
                    common::synthetic("requests = 2000\nread_share = 0.5\nsize = \"16KiB\"\nqueue_depth = 32");
                // A look is 65,536 events.
                let mut looks = 0;
                let mut ends = |_: &_| {
                    looks += 1;
                    looks < 300
                };
                let ran = run(&design, &workload, vec![None], &RunOptions::default(), &mut ends);
                assert_eq!(ran.expect("it ends").report.measures.requests.completed, 2000, "{keys:?}");
            }
        }
    }
}
