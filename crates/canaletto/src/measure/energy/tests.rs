use super::*;
use crate::config::energy::Routers;
use proptest::prelude::*;

/// Time a 4 KiB page takes over an 8-bit link at 1 GHz.
const PAGE: Time = Time::from_ns(4096);

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

fn pages(reads: u64, programs: u64, fabric: (WireKind, u64, u64, u64, u64), kind: Option<RouterKind>) -> Activity {
    let (wire, wires, routers, buffers, ns) = fabric;
    let transfers = Time::from_ns(ns) * (reads + programs);
    Activity {
        read_time: (Time::from_us(3) * reads).into(),
        program_time: (Time::from_us(100) * programs).into(),
        wires: vec![(wire, transfers * wires)],
        routers: (transfers * routers).into(),
        buffers: (transfers * buffers).into(),
        router_kind: kind,
        transfers: transfers.into(),
        execution: Time::from_us(1000),
        ..Activity::default()
    }
}

fn bus(reads: u64, programs: u64) -> Activity {
    pages(reads, programs, (WireKind::Channel, 1, 0, 0, 3414), None)
}

fn venice(reads: u64, programs: u64) -> Activity {
    pages(reads, programs, (WireKind::Link, 5, 6, 0, 4101), Some(RouterKind::Circuit))
}

fn mesh(reads: u64, programs: u64) -> Activity {
    pages(reads, programs, (WireKind::Link, 5, 6, 6, 4101), Some(RouterKind::Packet))
}

fn of(activity: &Activity) -> EnergyReport {
    EnergyReport::of(activity, &Energy::default())
}

/// 1.08 mW and 0.241 mW while a page of 4 KiB crosses: 4.4 nJ and 1.0 nJ.
#[test]
fn venice_table_4() {
    let router_kind = Some(RouterKind::Circuit);
    let one =
        Activity { wires: vec![(WireKind::Link, PAGE)], routers: PAGE.into(), router_kind, ..Activity::default() };
    let fabric = of(&one).energy_detail.fabric;
    assert!(close(fabric.wires / PAGE.seconds(), 1.08) && close(fabric.wires, 4.42368e-6), "{fabric:?}");
    assert!(close(fabric.routers / PAGE.seconds(), 0.241) && close(fabric.routers, 0.987136e-6), "{fabric:?}");
    // §6.6: a link saves 90 % of a channel's power.
    let wires = Energy::default().wires;
    assert!(close(1.0 - wires.link.mw() / wires.channel.mw(), 0.9));
}

/// A page read costs 82.5 mW × 3 us; flash that is ten times slower costs ten times as much.
#[test]
fn an_array_costs_power_times_time() {
    let report = of(&bus(1, 0));
    assert!(close(report.energy_detail.array.read, 247.5e-6));
    assert!(close(report.energy_detail.fabric.wires, 10.8 * 3.414e-6));
    let slow = Activity { read_time: Time::from_us(30).into(), ..bus(1, 0) };
    assert!(close(of(&slow).energy_detail.array.read, 2475e-6));
}

#[test]
fn idle_parts_draw_for_the_whole_run() {
    let parts =
        Parts { chips: 64, wires: vec![(WireKind::Link, 112)], routers: 64, arbiter_cells: 50, ssd_controllers: 1 };
    let router_kind = Some(RouterKind::Circuit);
    let report = of(&Activity { parts, router_kind, execution: Time::from_us(1_000_000), ..Activity::default() });
    let idle = report.energy_detail.idle;
    assert!(close(idle.chips, 64.0 * 0.033) && close(idle.controller, 2000.0), "{idle:?}");
    assert!(close(idle.wires, 1.12 * 1.08) && close(idle.routers, 0.64 * 0.241 + 0.5 * 0.024), "{idle:?}");
    assert!(close(report.average_power_mw.unwrap(), report.energy_mj.total), "over one second");
}

/// Physical: the shorter run saves static power only. The paper's: everything shrinks with the time.
#[test]
fn the_papers_account_follows_execution_time() {
    let long = Activity { execution: Time::from_us(2650), ..bus(70, 30) };
    let short = Activity { execution: Time::from_us(1000), ..bus(70, 30) };
    let (slow, fast) = (of(&long), of(&short));
    assert!(
        close(slow.energy_mj.total, fast.energy_mj.total),
        "no idle parts here: the same work takes the same energy"
    );
    assert!(
        close(slow.average_power_mw.unwrap() * 2.65, fast.average_power_mw.unwrap()),
        "in less time, at more power"
    );
    let (slow, fast) = (slow.energy_detail.paper, fast.energy_detail.paper);
    assert_eq!(slow.average_power_mw, fast.average_power_mw, "the mean power of what is at work is the same");
    assert!(close(slow.energy_mj.unwrap(), 2.65 * fast.energy_mj.unwrap()), "so fewer seconds are less energy");
    assert!(!close(fast.energy_mj.unwrap(), of(&short).energy_mj.total), "and the two accounts differ");
}

/// Venice §6.4: average power 4 % below the baseline's and 1 % below NoSSD's. No key is fitted to that; sign and size
/// are asserted.
#[test]
fn the_papers_average_power_hardly_depends_on_the_fabric() {
    let power = |activity: Activity| of(&activity).energy_detail.paper.average_power_mw.unwrap();
    let venice_vs_bus = power(venice(70, 30)) / power(bus(70, 30)) - 1.0;
    let venice_vs_mesh = power(venice(70, 30)) / power(mesh(70, 30)) - 1.0;
    assert!((-0.06..0.0).contains(&venice_vs_bus), "{venice_vs_bus}");
    assert!((-0.03..0.0).contains(&venice_vs_mesh), "{venice_vs_mesh}");
}

/// 64 lanes of 16 GT/s that work all the time at 0.25 pJ per bit: 256 mW.
#[test]
fn a_host_link_takes_energy_by_the_bit() {
    let second = Time::from_us(1_000_000);
    let rates = Rates { host_link: Rate(128_000_000_000), ..Rates::default() };
    let work = Activity { host_link: second.into(), rates, execution: second, ..Activity::default() };
    assert_eq!(of(&work).energy_mj.host_link, None, "part of the controller, unless stated");
    let wires = Wires { host_link: Power(2_000_000), ..Wires::default() };
    let found = EnergyReport::of(&work, &Energy { wires, ..Energy::default() });
    assert!(close(found.energy_mj.host_link.unwrap(), 256.0), "{found:?}");
    assert!(close(found.average_power_mw.unwrap(), 256.0));
}

#[test]
fn a_run_of_no_length_has_no_power() {
    let report = of(&Activity::default());
    assert_eq!(
        report.energy_mj,
        Totals { array: 0.0, fabric: 0.0, host_link: None, compute: None, idle: 0.0, total: 0.0 }
    );
    assert_eq!(report.average_power_mw, None);
    assert_eq!(report.energy_detail.paper, Paper { average_power_mw: None, energy_mj: None });
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains(r#""average_power_mw":null"#) && !json.contains("NaN"), "{json}");
}

#[test]
fn the_report_has_the_promised_names() {
    let json = serde_json::to_value(of(&mesh(1, 1))).unwrap();
    for path in [
        "/energy_mj/array",
        "/energy_mj/fabric",
        "/energy_mj/static",
        "/energy_mj/total",
        "/average_power_mw",
        "/energy_detail/array/read",
        "/energy_detail/array/program",
        "/energy_detail/array/erase",
        "/energy_detail/fabric/wires",
        "/energy_detail/fabric/routers",
        "/energy_detail/fabric/buffers",
        "/energy_detail/static/chips",
        "/energy_detail/static/wires",
        "/energy_detail/static/routers",
        "/energy_detail/static/controller",
        "/energy_detail/paper/average_power_mw",
        "/energy_detail/paper/energy_mj",
    ] {
        assert!(json.pointer(path).is_some_and(|x| x.is_f64()), "{path}: {json}");
    }
}

fn powers(keys: &Wires, bus: u64, network: u64) -> [f64; 15] {
    let keys = Energy { wires: keys.clone(), ..Energy::default() };
    let rates =
        Rates { bus: Rate(bus), network: Rate(network), commands: Rate(bus), grant_pins: 2, ..Rates::default() };
    WireKind::ALL.map(|kind| wire_power(&keys, &rates, kind))
}

const BUS: u64 = super::BUS.0;
const NETWORK: u64 = super::NETWORK.0;

#[test]
fn every_kind_has_its_key_and_its_width() {
    let mw = |each: u64| Power(each * 1_000_000);
    let keys = Wires { channel: mw(4), link: mw(16), ..Wires::default() };
    let expected = [4.0, 8.0, 4.0, 4.0, 2.0, 16.0, 4.0, 16.0, 4.0, 8.0, 2.0, 2.0, 4.0, 8.0, 16.0];
    assert_eq!(powers(&keys, BUS, NETWORK), expected);
    let routers = Routers { circuit: mw(4), buffer: mw(12) };
    let kinds = [RouterKind::Circuit, RouterKind::Packet, RouterKind::NarrowPacket, RouterKind::Switch];
    let keys = Energy { routers, ..Energy::default() };
    assert_eq!(kinds.map(|kind| router_power(&keys, Some(kind))), [4.0, 4.0, 1.0, 8.0]);
    assert_eq!(kinds.map(|kind| buffer_power(&keys, Some(kind))), [0.0, 12.0, 3.0, 0.0]);
    let keys = Energy { router: RouterSource::Synthesised, ..keys };
    let (circuit, packet) = (synthesis::CIRCUIT_POWER.mw(), synthesis::PACKET_POWER.mw());
    assert_eq!(kinds.map(|kind| router_power(&keys, Some(kind))), [circuit, packet, 1.0, 8.0]);
}

/// ½ α C V² per bit: at four times the rate a page takes a quarter of the time and the same energy, and so does a wire
/// twice as wide.
#[test]
fn a_byte_takes_the_same_energy_at_any_rate_and_width() {
    let at = |kind: WireKind, times: u64, width: u64| {
        let lasts = Time(PAGE.0 / times / width);
        let (bus, network) = (Rate(BUS * times), Rate(NETWORK * times));
        let rates = Rates { bus, network, commands: bus, grant_pins: 2, ..Rates::default() };
        let router_kind = Some(RouterKind::Packet);
        let (routers, buffers) = (lasts.into(), lasts.into());
        of(&Activity { wires: vec![(kind, lasts)], routers, buffers, router_kind, rates, ..Activity::default() })
            .energy_detail
            .fabric
    };
    let buses = [WireKind::Channel, WireKind::CommandChannel, WireKind::Column, WireKind::Path];
    let grants = [WireKind::GrantLine, WireKind::GrantBus];
    let others = [WireKind::Link, WireKind::ControllerLink, WireKind::Trunk, WireKind::InnerBus];
    for kind in buses.into_iter().chain(others).chain(grants) {
        let (slow, fast) = (at(kind, 1, 1), at(kind, 4, 1));
        assert!(close(slow.wires, fast.wires), "{kind:?}");
        assert!(close(slow.routers, fast.routers) && close(slow.buffers, fast.buffers));
    }
    assert!(close(at(WireKind::Channel, 1, 1).wires, at(WireKind::WideChannel, 1, 2).wires));
    // 1.125 pJ per bit on a channel, 0.135 on a link.
    assert!(close(at(WireKind::Link, 2, 1).wires, 4096.0 * 8.0 * 0.135e-9));
    let channel = powers(&Wires::default(), BUS / 3, NETWORK)[0];
    assert!(close(channel, 1.125e-9 * 8.0 * 0.4e9), "{channel}");
}

#[test]
fn an_arbiter_takes_power_while_it_searches() {
    let parts = Parts { arbiter_cells: 64, ..Parts::default() };
    let of_time = |us| of(&Activity { arbiter: Time::from_us(us), parts: parts.clone(), ..Activity::default() });
    let [one, three] = [1, 3].map(|us| of_time(us).energy_detail.fabric.routers);
    assert!(close(one, 64.0 * 0.024 * 1e-6) && close(three, 3.0 * one), "{one} {three}");
}

#[test]
fn a_termination_takes_power_by_the_time() {
    let terminated = Wires { termination: Power(2_000_000), ..Wires::default() };
    for bus in [BUS, BUS / 4] {
        let more: Vec<f64> = powers(&terminated, bus, NETWORK)
            .iter()
            .zip(powers(&Wires::default(), bus, NETWORK))
            .map(|(with, without)| with - without)
            .collect();
        assert!(
            more.iter().zip([16.0, 32.0, 0.0, 16.0, 16.0, 0.0, 0.0, 0.0, 0.0]).all(|(&a, b)| close(a, b)),
            "{more:?}"
        );
    }
}

#[test]
fn leakage_does_not_follow_the_rate() {
    let parts = Parts { wires: vec![(WireKind::WideChannel, 8)], routers: 64, ..Parts::default() };
    let router_kind = Some(RouterKind::NarrowPacket);
    let execution = Time::from_us(1_000_000);
    let slow = Activity { parts, router_kind, execution, ..Activity::default() };
    let fast = Activity {
        rates: Rates {
            bus: Rate(9 * BUS),
            network: Rate(9 * NETWORK),
            commands: Rate(9 * BUS),
            grant_pins: 2,
            ..Rates::default()
        },
        ..slow.clone()
    };
    assert_eq!(of(&slow).energy_detail.idle, of(&fast).energy_detail.idle);
    assert!(close(of(&slow).energy_detail.idle.wires, 0.01 * 8.0 * 21.6));
}

const KINDS: [RouterKind; 3] = [RouterKind::Circuit, RouterKind::Packet, RouterKind::NarrowPacket];

fn activity(kind: RouterKind) -> impl Strategy<Value = Activity> {
    let time = || (0u64..1 << 54).prop_map(Time);
    let wires = prop::collection::vec((prop::sample::select(WireKind::ALL.to_vec()), time()), 0..6);
    ((time(), time(), time()), wires, (time(), time(), time(), time())).prop_map(
        move |(array, wires, (routers, buffers, transfers, execution))| Activity {
            read_time: array.0.into(),
            program_time: array.1.into(),
            erase_time: array.2.into(),
            wires,
            routers: routers.into(),
            arbiter: Time(array.0.0 / 2),
            buffers: buffers.into(),
            router_kind: Some(kind),
            transfers: transfers.into(),
            rates: Rates::default(),
            host_link: transfers.into(),
            compute: Some(array.0.us()),
            parts: Parts {
                chips: 64,
                wires: vec![(WireKind::Link, 112)],
                routers: 64,
                arbiter_cells: 64,
                ssd_controllers: 1,
            },
            execution,
        },
    )
}

fn both(a: &Activity, b: &Activity) -> Activity {
    Activity {
        read_time: a.read_time + b.read_time,
        program_time: a.program_time + b.program_time,
        erase_time: a.erase_time + b.erase_time,
        wires: a.wires.iter().chain(&b.wires).copied().collect(),
        routers: a.routers + b.routers,
        arbiter: a.arbiter + b.arbiter,
        buffers: a.buffers + b.buffers,
        router_kind: a.router_kind,
        transfers: a.transfers + b.transfers,
        rates: a.rates.clone(),
        host_link: a.host_link + b.host_link,
        compute: Some(a.compute.unwrap() + b.compute.unwrap()),
        parts: a.parts.clone(),
        execution: a.execution + b.execution,
    }
}

fn all(report: &EnergyReport) -> Vec<f64> {
    let Totals { array, fabric, host_link, compute, idle, total } = report.energy_mj;
    let Detail { array: a, fabric: f, idle: i, .. } = report.energy_detail;
    let parts = [a.read, a.program, a.erase, f.wires, f.routers, f.buffers, i.chips, i.wires, i.routers, i.controller];
    let others = [compute.unwrap_or(0.0), array, fabric, host_link.unwrap_or(0.0), idle, total];
    parts.into_iter().chain(others).collect()
}

fn two() -> impl Strategy<Value = (Activity, Activity)> {
    prop::sample::select(KINDS.to_vec()).prop_flat_map(|kind| (activity(kind), activity(kind)))
}

proptest! {
    #[test]
    fn energies_add_up((a, b) in two()) {
        let whole = all(&EnergyReport::of(&both(&a, &b), &Energy::default()));
        let (a, b) = (all(&EnergyReport::of(&a, &Energy::default())), all(&EnergyReport::of(&b, &Energy::default())));
        for ((whole, a), b) in whole.iter().zip(&a).zip(&b) {
            prop_assert!(close(*whole, a + b), "{whole} is not {a} + {b}");
            prop_assert!(whole.is_finite() && *a >= 0.0 && *b >= 0.0);
            prop_assert!(whole >= a && whole >= b);
        }
    }

    #[test]
    fn longer_reads_take_more((a, _) in two()) {
        let before = EnergyReport::of(&a, &Energy::default());
        let more = Activity { read_time: a.read_time + Time::from_us(1_000_000).into(), ..a.clone() };
        let after = EnergyReport::of(&more, &Energy::default());
        prop_assert!(after.energy_detail.array.read > before.energy_detail.array.read);
        prop_assert!(after.energy_mj.total > before.energy_mj.total);
        prop_assert_eq!(after.energy_detail.array.program, before.energy_detail.array.program);
    }

    #[test]
    fn sums_close((a, _) in two()) {
        let report = EnergyReport::of(&a, &Energy::default());
        let all = all(&report);
        prop_assert!(close(all[..11].iter().sum(), report.energy_mj.total));
        if let Some(power) = report.average_power_mw {
            prop_assert!(close(power * a.execution.seconds(), report.energy_mj.total));
        }
        let paper = report.energy_detail.paper;
        if let (Some(power), Some(energy)) = (paper.average_power_mw, paper.energy_mj) {
            prop_assert!(close(power * a.execution.seconds(), energy));
        }
    }
}
