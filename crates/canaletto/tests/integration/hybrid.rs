use crate::common;
use canaletto::measure::report::Report;

/// 16 blocks of 32 pages per plane, of which the host sees 9: four log blocks, one reserved, two spare.
fn run(mapping: &str, overrides: &[&str], flow: &str) -> Report {
    let mapping = format!("ftl.mapping={mapping}");
    let mut all = vec![
        mapping.as_str(),
        "ftl.unwritten_reads=zeroes",
        "ftl.hybrid.log_blocks=4",
        "ftl.overprovisioning=0.4",
        "geometry.pages_per_block=32",
    ];
    all.extend(overrides);
    let workload = common::synthetic(&format!("read_share = 0.0\n{flow}"));
    common::simulate(&common::design(common::SMALL, &all), &workload).report
}

fn amplification(report: &Report) -> f64 {
    report.flash.write_amplification.unwrap()
}

#[test]
fn a_sequential_stream_costs_nothing_but_itself() {
    let blocks = "size = \"1MiB\"\nalignment = \"1MiB\"\naddresses = \"sequential\"";
    let report = run("bast", &[], &format!("{blocks}\nrequests = 90\nqueue_depth = 2"));
    let merges = report.flash.gc.merges.unwrap();
    assert_eq!((merges.partial, merges.full), (0, 0), "{merges:?}");
    assert!(merges.switch > 600, "{merges:?}");
    assert_eq!(amplification(&report), 1.0);
    assert_eq!(report.flash.erases, merges.switch, "each erases the old data block");
}

/// From the middle of logical blocks.
#[test]
fn a_stream_of_pages_costs_little_more_than_itself() {
    let report = run("bast", &[], "size = \"4KiB\"\nrequests = 24000\nqueue_depth = 16\naddresses = \"sequential\"");
    let merges = report.flash.gc.merges.unwrap();
    assert!(merges.switch > 600 && merges.partial + merges.full <= 30, "{merges:?}");
    assert!(amplification(&report) < 1.05, "{merges:?}");
}

/// Log block thrashing (Lee et al. 2007).
#[test]
fn random_writes_thrash_the_log_blocks() {
    let of = |mapping| run(mapping, &[], "size = \"4KiB\"\nrequests = 20000\nqueue_depth = 16");
    let (page, bast) = (of("page"), of("bast"));
    let figures = (amplification(&page), amplification(&bast));
    assert!(figures.0 > 1.0 && figures.1 > 1.95 * figures.0, "{figures:?}");
    assert!(page.flash.gc.merges.is_none());
    let (flash, merges) = (&bast.flash, bast.flash.gc.merges.unwrap());
    assert!(merges.full > 500, "{merges:?}");
    assert_eq!(flash.programs, flash.host_pages + flash.gc.pages_copied);
    // Each full merge fills no more than a block.
    assert!(flash.gc.pages_copied <= 32 * (merges.full + merges.partial), "{merges:?}");
    let blame = &bast.measures.blame_us.all;
    assert!(blame["free_blocks"] > 0.0, "writes wait for merges: {blame:?}");
}

#[test]
fn log_blocks_pay() {
    let with = |logs| {
        let logs = format!("ftl.hybrid.log_blocks={logs}");
        amplification(&run("bast", &[&logs], "size = \"4KiB\"\nrequests = 12000\nqueue_depth = 8"))
    };
    let (two, six) = (with(2), with(6));
    assert!(two > 1.1 * six, "{two} with two, {six} with six");
}

#[test]
fn combinations_without_sense_are_refused() {
    let refused = |changes: &[&str]| {
        common::refusal(Some(common::SMALL), &[&["ftl.mapping=bast; ftl.unwritten_reads=zeroes"], changes].concat())
    };
    assert_eq!(refused(&[]), "");
    for (change, key) in [
        ("ftl.unwritten_reads=assume-page-written", "ftl.unwritten_reads"),
        ("ftl.write_placement=dynamic", "ftl.write_placement"),
        ("ftl.write_placement=operands", "got \"operands\""),
        ("ftl.map_update=issue", "ftl.map_update"),
        ("wear.endurance=10", "wear.endurance"),
        ("precondition.kind=steady", "precondition.kind"),
        ("flash.failures.erase=0.1", "flash.failures"),
        ("gc.copyback=true", "gc.copyback"),
        ("mapping.cache_capacity=1KiB", "mapping.cache_capacity"),
        ("ftl.hybrid.log_blocks=0", "ftl.hybrid.log_blocks"),
        ("ftl.hybrid.log_blocks=15", "ftl.hybrid.log_blocks"),
    ] {
        let message = refused(&[change]);
        assert!(message.contains(key) && message.contains("expected"), "{change}: {message}");
    }
}
