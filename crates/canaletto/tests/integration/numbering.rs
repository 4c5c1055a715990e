use canaletto::config::design::FabricKind;
use canaletto::config::named::Named;
use canaletto::config::{load_design, load_workload};
use canaletto::limits::Limits;
use canaletto::measure::report::Report;

use crate::common;

fn reads(fabric: &str, shape: (u32, u32), numbering: &str, flow: &str) -> Report {
    let (rows, columns) = (format!("geometry.channels={}", shape.0), format!("geometry.chips_per_channel={}", shape.1));
    let (fabric, numbering) = (format!("fabric.kind={fabric}"), format!("ftl.numbering={numbering}"));
    let keys = [
        rows.as_str(),
        &columns,
        &fabric,
        &numbering,
        "geometry.blocks_per_plane=64",
        "link.lanes=16",
        "flash.read=300ns",
    ];
    let design = common::preset("performance-optimized", &keys);
    let text = format!("name = \"w\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{flow}");
    let workload = load_workload("w.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    common::simulate(&design, &workload).report
}

fn hot_spot(at: &str, share: f64, requests: u32, depth: u32) -> String {
    format!(
        "[flow.synthetic]\nrequests = {requests}\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = {depth}\n\
         hot_spot = {{ at = \"{at}\", share = {share} }}\n"
    )
}

fn chip_shares(report: &Report) -> Vec<((i32, i32), f64)> {
    let chips = &report.map.as_ref().expect("small arrays are drawn").chips;
    let all: f64 = chips.iter().map(|chip| chip.array).sum();
    chips.iter().map(|chip| ((chip.row, chip.column), chip.array / all)).collect()
}

#[test]
fn hot_spots_are_where_the_numbering_says() {
    // GF(4): the first channel is (j, 2 j).
    let latin = [(0, 0), (1, 2), (2, 3), (3, 1)];
    let row = [(0, 0), (0, 1), (0, 2), (0, 3)];
    let expected = [
        ("row-major", "channel", &row[..]),
        ("row-major", "chip", &row[..1]),
        ("row-major", "worst-line", &row[..]),
        ("latin", "channel", &latin[..]),
        ("latin", "chip", &row[..1]),
        ("latin", "worst-line", &row[..]),
    ];
    for (numbering, at, places) in expected {
        let report = reads("omnibus", (4, 4), numbering, &hot_spot(at, 0.6, 6000, 1));
        for (place, share) in chip_shares(&report) {
            let wanted =
                if places.contains(&place) { 0.6 / places.len() as f64 } else { 0.4 / (16 - places.len()) as f64 };
            assert!((share - wanted).abs() < 0.02, "{numbering} {at}: {share} of the reads at {place:?}, not {wanted}");
        }
    }
}

/// On the bus itself, numbers make no difference.
#[test]
fn a_latin_numbering_gives_a_channel_all_buses() {
    let rate = |numbering, at| {
        let report = reads("bus", (8, 8), numbering, &hot_spot(at, 1.0, 6000, 64));
        report.measures.bandwidth_mb_s.unwrap()
    };
    let (narrow, wide) = (rate("row-major", "channel"), rate("latin", "channel"));
    assert!(wide > 6.0 * narrow, "{narrow} MB/s on one bus, {wide} on eight");
    let worst = rate("latin", "worst-line");
    assert!((worst / narrow - 1.0).abs() < 0.02, "{narrow} and {worst} MB/s on one bus");
}

/// Except by chance at the busiest chip.
#[test]
fn no_line_is_slower_than_the_worst() {
    let shapes = [(4, 4), (2, 4)];
    for (fabric, shape) in FabricKind::NAMES.iter().flat_map(|name| shapes.map(|shape| (name, shape))) {
        let rate = |flow: &str| reads(fabric, shape, "row-major", flow).measures.bandwidth_mb_s.unwrap();
        let plain = "[flow.synthetic]\nrequests = 2000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64\n";
        let worst = rate(&hot_spot("worst-line", 1.0, 2000, 64));
        let rows = [0, shape.0 / 2].map(|row| format!("channels = [{row}]\n{plain}"));
        let columns = [0, shape.1 - 1].map(|column| format!("chips = [{column}]\n{plain}"));
        // Columns have few chips, which limit where each has its own ways.
        let by_chips = ["ideal", "clusters", "scheduled-mesh", "custom"].contains(fabric);
        for flow in rows.iter().chain(columns.iter().filter(|_| !by_chips)) {
            let other = rate(flow);
            assert!(
                worst < 1.1 * other,
                "{fabric} {shape:?}: {worst} MB/s on its worst line, {other} MB/s with {flow}"
            );
        }
    }
}

fn refusal(settings: &[&str], spot: &str) -> String {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let design = match load_design("performance-optimized", None, &settings) {
        Ok(design) => design,
        Err(error) => return error.to_string(),
    };
    let text = format!(
        "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 9\nread_share = 1.0\nsize = \"4KiB\"\n\
         queue_depth = 1\n{spot}\n"
    );
    match load_workload("w.toml", Some(&text), &[]) {
        Ok(workload) => Limits::new(&design, &workload).unwrap_err(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn numberings_and_hot_spots_that_cannot_be_are_refused() {
    let says = |message: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    for channels in ["6", "2", "12", "1"] {
        let message = refusal(&["ftl.numbering=latin", &format!("geometry.channels={channels}")], "");
        says(message, &["ftl.numbering", "got \"latin\"", channels, "of 8 chips", "a prime power of at least 3"]);
    }
    let spot = |at, share| format!("hot_spot = {{ at = \"{at}\", share = {share} }}");
    says(refusal(&[], &spot("channel", 0.1)), &["hot_spot.share: got 0.1, expected at least 0.125", "channel 0"]);
    says(refusal(&[], &spot("worst-line", 1.5)), &["hot_spot.share", "1.5"]);
    says(refusal(&[], &spot("row", 0.5)), &["hot_spot.at", "row", "worst-line"]);
    says(refusal(&["ftl.superblock=drive"], &spot("chip", 0.5)), &["hot_spot: got ftl.superblock = \"drive\""]);
    let more = |keys: &str| format!("{}\n{keys}", spot("chip", 0.5));
    says(refusal(&[], &more("addresses = \"sequential\"")), &["hot_spot", "sequential"]);
    says(
        refusal(&[], &more("channel_skew = { share = 0.5, channels = 8 }")),
        &["hot_spot", "together with channel_skew"],
    );
    says(refusal(&[], &more("mqsim_seed = 3")), &["hot_spot", "mqsim_seed"]);
    says(refusal(&[], &more("alignment = \"8KiB\"")), &["hot_spot: got alignment = \"8KiB\"", "4096 B"]);
    says(
        refusal(&[], &more("working_set_size = \"256KiB\"")),
        &["hot_spot: got a working set of 262144 B", "at least"],
    );
    says(refusal(&[], &format!("{}\n", spot("worst-line", 0.125).replace("0.125", "0.124"))), &["channel 0", "0.125"]);
}
