use proptest::prelude::*;

fn flow(name: usize, trim_shares: Vec<f64>) -> impl Strategy<Value = String> {
    let what =
        (0.0f64..1.0, prop::sample::select(vec!["uniform", "sequential", "hot-cold", "zipf", "pareto"]), 0.02f64..1.0);
    let sizes =
        (prop::sample::select(vec!["512B", "4KiB", "12KiB", "20KiB"]), prop::sample::select(vec!["512B", "4KiB"]));
    let load = prop_oneof![
        (1u32..40).prop_map(|d| format!("queue_depth = {d}")),
        (1u32..60).prop_map(|g| format!("inter_arrival = \"{g}us\""))
    ];
    let rare = prop::sample::select(vec![0.0, 0.0, 0.1]);
    let trims = prop::sample::select(trim_shares);
    let priority = (prop::sample::select(vec!["urgent", "high", "medium", "low"]), trims, rare.clone(), rare);
    let cache = prop::option::of(prop::sample::select(vec!["off", "write", "read", "read-write"]));
    (what, sizes, load, 1u32..1500, priority, cache).prop_map(
        move |((reads, addresses, set), (size, alignment), load, requests, (priority, trims, flushes, fua), cache)| {
            let cache = cache.map(|mode| format!("cache = \"{mode}\"\n")).unwrap_or_default();
            let hot = match addresses {
                "hot-cold" | "pareto" => "hot_share = 0.2\nrecent_share = 0.2\n",
                "zipf" => "zipf_exponent = 1.1\nsequential_share = 0.3\n",
                _ => "",
            };
            format!(
                "[[flow]]\nname = \"flow {name}\"\npriority = \"{priority}\"\n{cache}[flow.synthetic]\nrequests = {requests}\n\
                 read_share = {reads}\naddresses = \"{addresses}\"\n{hot}working_set = {set}\nalignment = \"{alignment}\"\n\
                 trim_share = {trims}\nflush_share = {flushes}\nfua_share = {fua}\nwrite_zeroes_share = {fua}\nsize = \"{size}\"\n{load}\n"
            )
        },
    )
}

pub fn workloads(trim_shares: Vec<f64>) -> impl Strategy<Value = String> {
    let flows = (flow(0, trim_shares.clone()), prop::option::of(flow(1, trim_shares)));
    (flows, prop::bool::ANY).prop_map(|((first, second), partitioned)| {
        format!("name = \"random\"\npartitioned = {partitioned}\n{first}{}", second.unwrap_or_default())
    })
}
