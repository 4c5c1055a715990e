use crate::common::script::{COMMAND, DATA, script, spent};
use crate::common::{SMALL, design, preset, refusal, simulate, synthetic};
use canaletto::flash::reliability::Reliability;
use canaletto::measure::blame::Cause;
use canaletto::measure::report::FlashReport;

const READS: &str = "requests = 300\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";
/// Command, tWB + tRR, tR and data.
const READ: u64 = COMMAND + 120_000 + 3_000_000 + DATA;
const ILLEGIBLE: &str = "flash.errors.base=0.4";

#[test]
fn a_retry_costs_what_the_read_did() {
    for (ecc, engine) in [("0ns", 0), ("2us", 2_000_000)] {
        let ecc = format!("controller.ecc_latency={ecc}");
        let once = [ILLEGIBLE, "flash.errors.retry_factor=0.0", &ecc];
        let outcome = simulate(&preset("performance-optimized", &once), &synthetic(READS));
        let blame = &outcome.records.as_ref().unwrap().blame;
        assert!(blame[Cause::Retry as usize].iter().all(|&time| time == READ + engine), "{ecc}");
        assert!(blame[Cause::Ecc as usize].iter().all(|&time| time == engine));
        assert!(blame[Cause::ArrayRead as usize].iter().all(|&time| time == 120_000 + 3_000_000));
        assert_eq!((outcome.report.flash.read_retries, outcome.report.flash.reads), (300, 600));
        assert_eq!(outcome.report.measures.requests.failed, 0);
    }
}

#[test]
fn a_page_that_no_retry_corrects_fails_its_request() {
    let never = [ILLEGIBLE, "flash.errors.retry_factor=1.0", "controller.ecc.max_read_retries=3"];
    let outcome = simulate(&preset("performance-optimized", &never), &synthetic(READS));
    let retry = &outcome.records.as_ref().unwrap().blame[Cause::Retry as usize];
    assert!(retry.iter().all(|&time| time == 3 * READ));
    let flash = &outcome.report.flash;
    assert_eq!((flash.read_retries, flash.uncorrectable), (900, 300));
    assert_eq!(outcome.report.measures.requests.failed, 300);
    let injected = ["flash.failures.read=1.0", "flash.errors.base=1e-9", "controller.ecc.max_read_retries=2"];
    let flash = simulate(&preset("performance-optimized", &injected), &synthetic(READS)).report.flash;
    assert_eq!((flash.read_retries, flash.uncorrectable), (600, 300));
}

/// 64 wrong bits on average in 8192, of which 72 can be corrected.
#[test]
fn pages_fail_as_often_as_they_should() {
    let design = preset("performance-optimized", &["flash.errors.base=0.0078125", "controller.ecc.max_read_retries=0"]);
    let expected = Reliability::new(&design, 1).unwrap().failure(0.0078125, 4096);
    assert!((0.3..0.6).contains(&expected), "{expected}");
    let requests = 4000.0;
    let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 16");
    let failed = simulate(&design, &workload).report.measures.requests.failed as f64;
    let deviation = (requests * expected * (1.0 - expected)).sqrt();
    assert!((failed - requests * expected).abs() < 4.0 * deviation, "{failed} of {}", requests * expected);
}

#[test]
fn history_matters() {
    let retries = |overrides: &[&str], requests: u32| {
        let keys = format!("requests = {requests}\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8");
        simulate(&design(SMALL, overrides), &synthetic(&keys)).report.flash.read_retries as f64 / f64::from(requests)
    };
    let disturbed = ["flash.errors.disturb.factor=0.0004", "flash.errors.disturb.cycles_exponent=0.0"];
    let worn = ["flash.errors.wear.factor=0.001"];
    for (name, overrides) in [("reads", &disturbed[..]), ("erases", &worn[..])] {
        let (early, late) = (retries(overrides, 300), retries(overrides, 6000));
        assert!(late > 2.0 * early, "{name}: {early} retries a request at first, {late} in the long run");
    }
    assert_eq!(retries(&[], 300), 0.0);
}

#[test]
fn copybacks_are_not_corrected() {
    let writes = synthetic("requests = 4000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 8");
    let once = [ILLEGIBLE, "flash.errors.retry_factor=0.0"];
    let corrected = simulate(&design(SMALL, &once), &writes).report.flash;
    assert!(corrected.gc.pages_copied > 200 && corrected.read_retries >= corrected.gc.pages_copied);
    let copied = simulate(&design(SMALL, &[&once[..], &["gc.copyback=true"]].concat()), &writes).report.flash;
    assert!(copied.copybacks > 200 && copied.read_retries < 10, "{copied:?}");
}

/// 33 wrong bits of 8192 on average: a chip finds more than 36 in most pages, and the controller corrects 72.
#[test]
fn copies_keep_their_errors_until_a_controller_or_a_chip_finds_them() {
    let writes = synthetic("requests = 9000\nread_share = 0.1\nsize = \"4KiB\"\nqueue_depth = 16");
    let treated = |ecc: &str, more: &[&str]| {
        let spatial = ["fabric.kind=omnibus", "gc.scope=spatial", "ftl.write_placement=dynamic"];
        let kind = [&*format!("fabric.omnibus.chip_to_chip_ecc={ecc}"), "flash.errors.base=0.004"];
        simulate(&design(SMALL, &[&spatial[..], &kind, more].concat()), &writes).report.flash
    };
    let direct = |flash: &FlashReport| flash.gc.pages_copied_chip_to_chip as f64 / flash.gc.pages_copied as f64;
    let (clean, none) = (treated("detect", &["flash.errors.base=0.0"]), treated("none", &[]));
    assert!(direct(&clean) > 0.4 && clean.read_retries == 0, "{clean:?}");
    assert!(direct(&none) > 0.4 && none.uncorrectable > 0, "pages copied twice have 99 wrong bits: {none:?}");
    let [found, any] = [treated("detect", &[]), treated("detect", &["fabric.omnibus.detect_bits=0"])];
    assert!((0.02..0.3).contains(&direct(&found)) && found.read_retries > 500, "{found:?}");
    assert!(direct(&any) < 0.01 && any.read_retries > 1000, "{any:?}");
    assert_eq!((found.uncorrectable, any.uncorrectable), (0, 0));
    let all = treated("via-controller", &["fabric.omnibus.via_controller_every=1"]);
    assert_eq!((all.gc.pages_copied_chip_to_chip, all.read_retries), (0, 0));
}

#[test]
fn errors_that_make_no_sense_are_refused() {
    for (setting, says) in [
        ("flash.errors.page_type_factors=[1.0, 2.0]", "got 2 factors, expected one for each of the 1 kinds"),
        ("flash.errors.page_type_factors=[-1.0]", "got -1, expected factors from 0"),
        ("controller.ecc.codeword=0B", "from \"1B\" to \"32KiB\""),
        ("controller.ecc.correctable_bits=8192", "fewer than the 8192 bits of a codeword"),
        ("fabric.omnibus.detect_bits=8192", "fewer than the 8192 bits of a codeword"),
    ] {
        let refused = refusal(None, &[setting]);
        assert!(refused.contains(says), "{refused}");
    }
}

#[test]
fn a_retry_goes_first() {
    let once = [ILLEGIBLE, "flash.errors.retry_factor=0.0"];
    let records = script(&once, &[(0, 0, false), (0, 128, false)]);
    assert_eq!(records.request, [0, 1]);
    assert_eq!((spent(&records, 0, Cause::Retry), spent(&records, 1, Cause::Retry)), (READ, READ));
    assert_eq!(spent(&records, 0, Cause::ChipBusyUser), 0);
    assert!(spent(&records, 1, Cause::ChipBusyUser) > READ);
}
