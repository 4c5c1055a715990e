use crate::common;
use canaletto::measure::report::Report;

fn run(overrides: &[&str], flow: &str) -> Report {
    let all = [&["ftl.mapping=in-place"], overrides].concat();
    common::simulate(&common::design(common::SMALL, &all), &common::synthetic(flow)).report
}

#[test]
fn nothing_is_ever_erased() {
    let report =
        run(&["ftl.overprovisioning=0"], "requests = 20000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 32");
    assert_eq!((report.flash.erases, report.flash.gc.pages_copied), (0, 0));
    assert_eq!(report.flash.programs, 20_000);
    assert_eq!(report.flash.write_amplification, Some(1.0));
    assert!(!report.measures.blame_us.all.contains_key("free_blocks"));
}

#[test]
fn only_pages_are_read_before_they_are_written() {
    let flow = "requests = 500\nread_share = 0.0\nsize = \"1KiB\"\nalignment = \"1KiB\"\nqueue_depth = 1";
    let (pages, bytes) = (run(&[], flow), run(&["flash.addressing=byte"], flow));
    assert_eq!((pages.flash.reads, pages.flash.programs), (500, 500));
    assert_eq!((bytes.flash.reads, bytes.flash.programs), (0, 500));
    assert!(pages.measures.blame_us.all["read_modify_write"] > 0.0);
    let crossing = |report: &Report| report.measures.blame_us.all["data_transfer"];
    assert!((crossing(&pages) / crossing(&bytes) - 4.0).abs() < 0.2, "{} {}", crossing(&pages), crossing(&bytes));
}

#[test]
fn only_deallocated_pages_are_not_read() {
    let flow = "requests = 2000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 4";
    assert_eq!(run(&[], flow).flash.reads, 2000);
    let trims =
        "requests = 4000\nread_share = 0.5\ntrim_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 1\nworking_set = 0.02";
    let report = run(&[], trims);
    assert!(report.flash.reads < 500, "{}", report.flash.reads);
}

#[test]
fn combinations_without_sense_are_refused() {
    let in_place = |change| common::refusal(Some(common::SMALL), &["ftl.mapping=in-place", change]);
    assert_eq!(in_place("flash.addressing=byte; flash.erase=0us"), "");
    for (change, key) in [
        ("ftl.write_placement=dynamic", "ftl.write_placement"),
        ("ftl.write_placement=operands", "got \"operands\""),
        ("ftl.map_update=issue", "ftl.map_update"),
        ("ftl.superblock=die", "ftl.superblock"),
        ("ftl.mapping_unit=1KiB", "ftl.mapping_unit"),
        ("mapping.cache_capacity=1KiB", "mapping.cache_capacity"),
        ("precondition.kind=steady", "precondition.kind"),
        ("wear.endurance=10", "wear.endurance"),
        ("flash.failures.program=0.1", "flash.failures"),
        ("flash.errors.base=0.1", "flash.errors"),
        ("refresh.read_limit=10", "refresh"),
        ("flash.suspend.operations=program", "flash.suspend.operations"),
        ("gc.scope=parallel", "gc.scope"),
    ] {
        let message = in_place(change);
        assert!(message.contains(key) && message.contains("expected"), "{change}: {message}");
    }
    for (changes, key) in [(["flash.addressing=byte"], "flash.addressing"), (["flash.erase=0us"], "flash.erase")] {
        let message = common::refusal(Some(common::SMALL), &changes);
        assert!(message.contains(key) && message.contains("expected"), "{message}");
    }
}

#[test]
fn flows_have_no_parts_of_their_own() {
    let design = common::design(common::SMALL, &["ftl.mapping=in-place"]);
    let flow = common::synthetic("requests = 1\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let workload = canaletto::config::workload::Workload { partitioned: true, ..flow };
    let error = canaletto::limits::Limits::new(&design, &workload).unwrap_err();
    assert!(error.contains("partitioned") && error.contains("in-place"), "{error}");
}
