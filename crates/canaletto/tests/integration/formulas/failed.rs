use super::*;

#[test]
fn circuits_go_around_failed_links() {
    let workload = synthetic("requests = 2500\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 128");
    let rate = |fabric: &str, failed: u32, placement: u32| {
        let keys = [
            format!("fabric.kind={fabric}"),
            format!("fabric.failures.links={failed}"),
            format!("fabric.failures.placement={placement}"),
        ];
        let keys: Vec<&str> =
            keys.iter().map(String::as_str).chain(["link.lanes=32", "fabric.transfer_order=commands-first"]).collect();
        let report = simulate(&preset("performance-optimized", &keys), &workload).report;
        assert_eq!(report.measures.requests.completed, 2500, "{keys:?}");
        report.measures.bandwidth_mb_s.unwrap()
    };
    for fabric in ["venice", "scheduled-mesh"] {
        // 49 of 112 links: all but a tree.
        let means: Vec<f64> = [(0, 1), (8, 4), (24, 4), (49, 4)]
            .into_iter()
            .map(|(failed, n)| (0..n).map(|placement| rate(fabric, failed, placement)).sum::<f64>() / f64::from(n))
            .collect();
        assert!(means.windows(2).all(|pair| pair[1] < 1.005 * pair[0]), "{fabric}: {means:?}");
        assert!(means[2] < 0.9 * means[0] && means[3] < 0.3 * means[0], "{fabric}: {means:?}");
    }
}

#[test]
fn the_controllers_that_are_left_serve_all_chips() {
    let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 128");
    let page = 4096.0 + 7.0;
    for fabric in ["venice", "scheduled-mesh"] {
        for failed in [0, 1, 4, 7] {
            let keys = [
                format!("fabric.kind={fabric}"),
                format!("fabric.failures.controllers={failed}"),
                format!("fabric.failures.placement={failed}"),
            ];
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let report =
                simulate(&preset("performance-optimized", &[&keys[..], &["link.lanes=32"]].concat()), &workload).report;
            let (all, most) = (&report.measures, f64::from(8 - failed) * 4096e3 / page);
            assert_eq!(all.requests.completed, 4000);
            let found = all.bandwidth_mb_s.unwrap();
            println!("{fabric}, {failed} failed: {found:.0} of {most:.0} MB/s");
            assert!(
                found < most && found > if fabric == "venice" { 0.5 } else { 0.9 } * most,
                "{fabric} {failed}: {found} of {most}"
            );
        }
    }
}
