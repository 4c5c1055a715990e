use super::*;
use crate::config::attach::{Attachment, AttachmentKind, PortInterface};
use crate::config::pc::FixedSsd;
use crate::config::units::Rate;
use crate::host::attach::routes::Routes;
use crate::host::attach::service::Work;
use crate::host::attach::steps::Step;
use proptest::prelude::*;

fn attachment(kind: AttachmentKind) -> Attachment {
    Attachment { kind, ..Attachment::default() }
}

fn idle(attachment: &Attachment) -> Traffic {
    Traffic::new(Service::new(attachment, &FixedSsd::default(), Rate(125_000_000)), &attachment.dma)
}

fn all(traffic: &mut Traffic, streams: &[(u64, Route, u64)]) -> Vec<Arrived> {
    let mut arrived = Vec::new();
    for (token, (time, route, bytes)) in streams.iter().enumerate() {
        while traffic.next_time() <= Time(*time) {
            arrived.extend(traffic.step());
        }
        traffic.open(token as u32, *route, *bytes, Time(*time));
    }
    while traffic.next_time() < Time::MAX {
        arrived.extend(traffic.step());
    }
    arrived
}

/// 20 ns.
#[test]
fn a_bridge_is_granted_when_it_is_free() {
    let attachment = attachment(AttachmentKind::Nbsp);
    let message = Routes::new(&attachment).interrupt(20, 4);
    for (second, ends) in [(0, 40_000), (19_999, 40_000), (20_000, 40_000), (20_001, 40_001)] {
        let arrived = all(&mut idle(&attachment), &[(0, message, 1), (second, message, 1)]);
        assert_eq!(arrived[0].time, Time(20_000));
        assert_eq!(arrived[1].time, Time(ends));
        assert_eq!(arrived[1].steps.get(Step::NorthBridge), Time(ends - second));
    }
}

/// 80 ns, after 37.5 ns in which a row is opened: always anew where two streams take turns.
#[test]
fn streams_that_meet_take_turns() {
    let attachment = attachment(AttachmentKind::Nbdp);
    let direct = Routes::new(&attachment).direct(false);
    let alone = all(&mut idle(&attachment), &[(0, direct, 2048)]);
    assert_eq!(alone[0].time, Time(37_500 + 4 * 80_000));
    let met = all(&mut idle(&attachment), &[(0, direct, 2048), (0, direct, 2048)]);
    assert_eq!(met.iter().map(|a| (a.token, a.time.0)).collect::<Vec<_>>(), [(0, 7 * 117_500), (1, 8 * 117_500)]);
}

/// A write's chunk follows when the last one is at the drive: requests (32 B at 1 GB/s) go up, data (512 + 4 * 28 B)
/// come down.
#[test]
fn reads_are_pipelined_and_writes_consecutive() {
    let mut attachment = attachment(AttachmentKind::Sbsp);
    let routes = Routes::new(&attachment);
    let (first, next) = (1_960_000, 1_706_667);
    let read = all(&mut idle(&attachment), &[(0, routes.to_memory(), 1024)]);
    let way = 40_000 + (624_000 + 100_000) + 20_000;
    assert_eq!(read[0].time, Time(first + next + way + 80_000));
    let asked = 40_000 + (32_000 + 100_000) + 20_000;
    let answered = 20_000 + (624_000 + 100_000) + 40_000;
    let write = |attachment: &Attachment| all(&mut idle(attachment), &[(0, routes.to_drive(), 1024)])[0].time;
    assert_eq!(write(&attachment), Time(2 * (asked + answered) + 37_500 + 2 * 80_000 + first + next));
    attachment.dma.write_window = 2;
    assert_eq!(write(&attachment), Time(asked + 37_500 + 80_000 + answered + first + next));
}

#[test]
fn a_shared_channel_carries_data_twice() {
    let mut attachment = attachment(AttachmentKind::Nbsp);
    let routes = Routes::new(&attachment);
    let read = |attachment: &Attachment| all(&mut idle(attachment), &[(0, routes.to_memory(), 1024)])[0].time;
    let (drive, memory) = (97_500, 80_000);
    assert_eq!(read(&attachment), Time(2 * drive + 37_500 + 7_500 + 2 * memory));
    attachment.ddr.shared = false;
    // While the second leaves the drive.
    assert_eq!(read(&attachment), Time(drive + 20_000 + 37_500 + 2 * memory));
}

#[test]
fn frames_are_those_of_serial_ata() {
    let attachment = attachment(AttachmentKind::Sbsp);
    let mut service = Service::new(&attachment, &FixedSsd::default(), Rate(0));
    let hop = Routes::new(&attachment).to_memory().hops()[0];
    let mut time = |offset| service.time(hop, Place { stream: 0, offset, bytes: 512 });
    assert_eq!([time(0), time(512), time(8192)].map(|t| t.0), [1_960_000, 1_706_667, 1_960_000]);
    let parallel = Attachment { interface: Some(PortInterface::Pata), ..attachment };
    let time =
        Service::new(&parallel, &FixedSsd::default(), Rate(0)).time(hop, Place { stream: 0, offset: 0, bytes: 512 });
    assert_eq!(time, Time::of_transfer(512, 133_000_000));
}

fn kinds() -> impl Strategy<Value = AttachmentKind> {
    prop::sample::select(AttachmentKind::ALL.to_vec())
}

proptest! {
    #[test]
    fn accounts_close(
        kind in kinds(),
        shared in any::<bool>(),
        window in 1u32..4,
        asked in prop::collection::vec((0u64..20_000_000, 0u8..8, 1u64..6000), 1..12),
    ) {
        let mut attachment = attachment(kind);
        attachment.ddr.shared = shared;
        attachment.dma.write_window = window;
        let routes = Routes::new(&attachment);
        let mut streams: Vec<(u64, Route, u64)> = asked
            .into_iter()
            .map(|(time, which, bytes)| match which {
                0 => (time, routes.to_memory().out_of_drive(Work::Miss, 0), bytes),
                1 => (time, routes.to_drive().into_drive(0), bytes),
                2 => (time, routes.direct(true).into_drive(1), bytes),
                3 => (time, routes.download(), bytes),
                4 => (time, routes.command(4, 64, 20), 1),
                5 => (time, routes.interrupt(20, 4), 1),
                6 => (time, routes.direct(false), bytes),
                _ => (time, routes.to_memory(), bytes),
            })
            .collect();
        streams.sort_by_key(|stream| stream.0);
        let mut traffic = idle(&attachment);
        let arrived = all(&mut traffic, &streams);
        prop_assert_eq!(arrived.len(), streams.len());
        for each in &arrived {
            let opened = Time(streams[each.token as usize].0);
            prop_assert_eq!(each.steps.total(), each.time - opened);
        }
        let end = arrived.iter().map(|each| each.time).max().unwrap();
        prop_assert!(traffic.usage().all(|(_, busy)| busy <= end));
        prop_assert!(arrived.windows(2).all(|pair| pair[0].time <= pair[1].time));
    }

    #[test]
    fn messages_of_one_way_keep_their_order(kind in kinds(), times in prop::collection::vec(0u64..3_000_000, 2..20)) {
        let attachment = attachment(kind);
        let message = Routes::new(&attachment).command(4, 64, 20);
        let mut times = times;
        times.sort_unstable();
        let streams: Vec<_> = times.iter().map(|time| (*time, message, 1)).collect();
        let arrived = all(&mut idle(&attachment), &streams);
        prop_assert!(arrived.iter().map(|each| each.token).eq(0..times.len() as u32));
    }
}
