use crate::common::script::{script, spent};
use canaletto::config::load_pc;
use canaletto::host::attach::scenario::{Scenario, Times, simulate};
use canaletto::measure::blame::Cause;
use proptest::prelude::*;

fn run(kind: &str, settings: &[&str], scenario: Scenario, bytes: u64) -> Times {
    let settings: Vec<String> =
        [format!("attachment.kind={kind}")].into_iter().chain(settings.iter().map(|s| (*s).to_owned())).collect();
    simulate(&load_pc("pc", "", &settings).unwrap(), scenario, bytes).unwrap()
}

fn total_ns(kind: &str, settings: &[&str], scenario: Scenario, bytes: u64) -> f64 {
    run(kind, settings, scenario, bytes).total_ps as f64 / 1e3
}

const DRIVER: f64 = 2_000.0;
/// By both bridges, in ns: 4 B + 28 B down and to the engine, a request of 32 B up. Then the descriptor of 176 B (two
/// packets) comes down, and a frame of 20 B to the drive.
const COMMAND: f64 =
    (20.0 + 132.0 + 40.0) + (40.0 + 132.0 + 20.0 + 37.5 + 30.0 + 20.0 + 332.0 + 40.0) + (200.0 + (20.0 + 16.0) / 0.3);
/// The drive's status, and the interrupt up.
const INTERRUPT: f64 = (200.0 + (20.0 + 16.0) / 0.3) + (40.0 + 132.0 + 20.0);

fn close(ours: f64, by_hand: f64) {
    // Each crossing of ATA is rounded up to a picosecond.
    assert!((ours - by_hand).abs() < 0.01, "{ours} ns, by hand {by_hand} ns");
}

#[test]
fn a_read_over_both_bridges() {
    let data = 180.0 + (200.0 + 528.0 / 0.3) + 40.0 + 724.0 + 20.0 + (37.5 + 7.5 + 80.0);
    close(total_ns("sbsp", &[], Scenario::ReadHit, 512), DRIVER + COMMAND + data + INTERRUPT);
}

/// Descriptor, command and data share one channel.
#[test]
fn a_read_over_the_dram_interface() {
    let command = 20.0 + (20.0 + 37.5 + 30.0) + (7.5 + 17.5 + 10.0);
    let data = 180.0 + (7.5 + 17.5 + 80.0) + 20.0 + (37.5 + 7.5 + 80.0);
    close(total_ns("nbsp", &[], Scenario::ReadHit, 512), DRIVER + command + data + 20.0);
}

#[test]
fn a_second_port_halves_the_data() {
    let direct = 180.0 + 37.5 + 80.0;
    close(total_ns("sbdp", &[], Scenario::ReadHit, 512), DRIVER + COMMAND + direct + INTERRUPT);
    let data = 180.0 + (200.0 + 528.0 / 0.3) + 40.0 + 724.0 + 20.0 + (37.5 + 7.5 + 80.0);
    // 352 B are six bursts instead of three, and three packets instead of two.
    let packed = 200.0 + 30.0 + 176.0 + 28.0;
    close(total_ns("sbdp", &[], Scenario::ReadHit, 1024), DRIVER + COMMAND + packed + data + INTERRUPT);
}

/// Two ports: one command for both DMAs.
#[test]
fn page_faults_are_serial_or_concurrent() {
    for (single, dual) in [("sbsp", "sbdp"), ("nbsp", "nbdp")] {
        let alone = |kind, scenario| run(kind, &[], scenario, 65536).total_ps;
        let both = alone(single, Scenario::Write) + alone(single, Scenario::ReadMiss);
        // The read's first access may have to turn the channel round.
        assert!((both..=both + 7_500).contains(&alone(single, Scenario::PageFault)));
        assert!(alone(dual, Scenario::PageFault) < alone(single, Scenario::Write));
        let apart = run(dual, &["attachment.direct.division=by-direction"], Scenario::PageFault, 65536).total_ps;
        assert!(apart < both);
    }
}

/// Two ports: the slower of the two limits.
#[test]
fn downloads_are_serial_or_concurrent() {
    let blocks = 16.0;
    let arrival = 65536.0 / 0.125;
    let settings = ["ssd.write_rate=0B/s", "ssd.write_latency=0us"];
    for (single, dual) in [("sbsp", "sbdp"), ("nbsp", "nbdp")] {
        let write = total_ns(single, &settings, Scenario::Write, 65536);
        let serial = total_ns(single, &settings, Scenario::NetworkDownload, 65536);
        assert!((serial - blocks * (arrival + write)).abs() < blocks * 1_500.0);
        let concurrent = total_ns(dual, &settings, Scenario::NetworkDownload, 65536);
        assert!(concurrent > blocks * arrival && concurrent < blocks * arrival + 0.1 * arrival);
    }
}

#[test]
fn sizes_are_whole_sectors() {
    let pc = load_pc("pc", "", &["attachment.kind=sbsp".into()]).unwrap();
    for bytes in [0, 100, 513, 1 << 25] {
        let error = simulate(&pc, Scenario::Write, bytes).unwrap_err();
        assert_eq!(error, format!("bytes: got {bytes}, expected a multiple of 512 from 512 to 16777216"));
    }
}

#[test]
fn what_an_attachment_cannot_carry_is_refused() {
    let refused = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        load_pc("pc.toml", "", &settings).unwrap_err().to_string()
    };
    for kind in ["sbsp", "sbdp"] {
        assert!(refused(&[&format!("attachment.kind={kind}"), "attachment.interface=ddr2"]).ends_with(&format!(
            "attachment.interface: got \"ddr2\" for {kind}, expected pata or sata: a south bridge has no DRAM channel to \
             carry it"
        )));
    }
    for (kind, key, why) in [
        ("nbsp", "north_dma", "with a ddr2 port: a DRAM interface is moved"),
        ("nbdp", "dqs", "with a ddr2 port: a drive cannot promise a latency"),
        ("sbdp", "dual_port_dram", "with a sata port: the direct path ends"),
        ("nbdp", "command_packing", "with a ddr2 port: one command has to start"),
    ] {
        let error = refused(&[&format!("attachment.kind={kind}"), &format!("attachment.platform.{key}=false")]);
        let expected = format!("attachment.platform.{key}: got false, expected true for {kind} {why}");
        assert!(error.contains(&expected), "{error}");
    }
    assert!(refused(&[]).contains("attachment.kind: got none, expected one of sbsp, nbsp, sbdp, nbdp"));
    assert!(refused(&["attachment.kind=nbsp", "attachment.dma.chunk=700B"]).contains("expected a power of two"));
    assert!(refused(&["attachment.kind=sbsp", "attachment.ata.rate=0B/s"]).contains("expected a rate above 0"));
}

#[test]
fn a_north_bridge_with_serial_ata_needs_no_dqs() {
    let settings =
        ["attachment.interface=sata", "attachment.platform.dqs=false", "attachment.platform.north_dma=false"];
    // Neither the south bridge nor the link.
    let command = 20.0 + (20.0 + 37.5 + 30.0) + (200.0 + 36.0 / 0.3);
    let data = 180.0 + (200.0 + 528.0 / 0.3) + 20.0 + (37.5 + 7.5 + 80.0);
    let interrupt = (200.0 + 36.0 / 0.3) + 20.0;
    close(total_ns("nbsp", &settings, Scenario::ReadHit, 512), DRIVER + command + data + interrupt);
}

#[test]
fn a_simulated_drive_on_the_dram_interface() {
    let records = script(&["attachment.kind=nbsp"], &[(0, 0, false)]);
    let doorbell = 20_000 + (17_500 + 10_000);
    let ready = 7_500 + 17_500 + 10_000;
    let entry = 20_000 + (37_500 + 7_500 + 10_000) + (7_500 + 17_500 + 10_000);
    // Eight chunks in turn; behind the first comes the completion, which closes the row.
    let first = 7_500 + 97_500 + 27_500 + 97_500 + (37_500 + 7_500 + 80_000) + (37_500 + 10_000);
    let second = (7_500 + 97_500) + (37_500 + 7_500 + 80_000);
    let data = first + second + 5 * (7_500 + 97_500 + 7_500 + 80_000) + 80_000;
    assert_eq!(spent(&records, 0, Cause::HostLink), doorbell + ready + entry + data);
    assert_eq!(spent(&records, 0, Cause::Completion), 0);
}

#[test]
fn a_simulated_drive_behind_each_attachment() {
    let link = |kind: &str, write: bool| {
        let records = script(&[&format!("attachment.kind={kind}")], &[(0, 0, write)]);
        spent(&records, 0, Cause::HostLink)
    };
    let half = 2048 * 10_000 / 3;
    for write in [false, true] {
        let [sbsp, nbsp, sbdp, nbdp] = ["sbsp", "nbsp", "sbdp", "nbdp"].map(|kind| link(kind, write));
        assert!(nbdp < nbsp && nbsp < sbdp && sbdp + half < sbsp, "{sbsp} {nbsp} {sbdp} {nbdp}");
    }
    let none = |ata: &str| spent(&script(&[ata], &[(0, 0, false)]), 0, Cause::HostLink);
    assert_eq!(none("attachment.ata.rate=1MB/s"), none("attachment.ata.rate=300MB/s"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn steps_add_up(
        kind in prop::sample::select(vec!["sbsp", "nbsp", "sbdp", "nbdp"]),
        scenario in prop::sample::select(Scenario::ALL.to_vec()),
        sectors in 1u64..300,
        share in 0.0f64..1.0,
        shared in any::<bool>(),
    ) {
        let share = format!("attachment.direct.share={share:.3}");
        let shared = format!("attachment.ddr.shared={shared}");
        let times = run(kind, &[&share, &shared, "network.blocks=3"], scenario, sectors * 512);
        let steps: u64 = times.steps_ps.values().map(|span| span.as_u64().unwrap()).sum();
        prop_assert_eq!(steps, times.total_ps);
        prop_assert!(times.without_inside_ps <= times.total_ps);
    }
}
