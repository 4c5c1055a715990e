//! Bounds by arithmetic.

use crate::config::attach::Attachment;
use crate::config::pc::FixedSsd;
use crate::config::units::Rate;
use crate::engine::time::Time;
use crate::host::attach::routes::{Route, Routes, divide};
use crate::host::attach::service::{Place, STATIONS, Service};

/// Without commands, opened rows, turns of a channel or frames.
pub fn peak_rate(attachment: &Attachment, to_drive: bool) -> f64 {
    let routes = Routes::new(attachment);
    let bridges = if to_drive { routes.to_drive() } else { routes.to_memory() };
    let large = 1 << 30;
    let (by_bridges, direct) = divide(attachment, to_drive, large);
    let ways = [(bridges, by_bridges), (routes.direct(to_drive), direct)];
    let used = ways.into_iter().filter(|(_, bytes)| *bytes > 0);
    used.map(|(route, bytes)| rate(attachment, route) * large as f64 / bytes as f64).fold(f64::INFINITY, f64::min)
}

fn rate(attachment: &Attachment, route: Route) -> f64 {
    let mut service = Service::new(attachment, &FixedSsd::default().without_inside(), Rate(0));
    let chunk = attachment.dma.chunk.0;
    let mut busy = [Time::ZERO; STATIONS.len()];
    let mut way = Time::ZERO;
    for hop in route.hops() {
        // Neither is at the beginning of a frame.
        let [_, time] = [1, 1].map(|n| service.time(*hop, Place { stream: 0, offset: n * chunk, bytes: chunk }));
        busy[service.station(hop.crossing)] += time;
        way += time + service.latency(hop.crossing);
    }
    let slowest = busy.into_iter().max().unwrap_or_default();
    let bound = chunk as f64 / slowest.seconds();
    if !route.waits() {
        return bound;
    }
    bound.min(f64::from(attachment.dma.write_window) * chunk as f64 / way.seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::attach::AttachmentKind;

    fn peak(kind: AttachmentKind, to_drive: bool) -> f64 {
        peak_rate(&Attachment { kind, ..Attachment::default() }, to_drive)
    }

    #[test]
    fn the_slowest_part_bounds_the_rate() {
        let near = |ours: f64, by_hand: f64| assert!((ours / by_hand - 1.0).abs() < 1e-6, "{ours} {by_hand}");
        // Twice over one channel, 17.5 ns more at the drive; both paths get half.
        near(peak(AttachmentKind::Sbsp, false), 512.0 / 1706.667e-9);
        near(peak(AttachmentKind::Nbsp, false), 512.0 / (2.0 * 80e-9 + 17.5e-9));
        near(peak(AttachmentKind::Sbdp, false), 2.0 * 512.0 / 1706.667e-9);
        near(peak(AttachmentKind::Nbdp, false), 2.0 * 512.0 / (2.0 * 80e-9 + 17.5e-9));
        // Asked for, read, answered, and over ATA.
        let way = (40.0 + 132.0 + 20.0) + 80.0 + (20.0 + 724.0 + 40.0) + 1706.667;
        near(peak(AttachmentKind::Sbsp, true), 512.0 / (way * 1e-9));
    }
}
