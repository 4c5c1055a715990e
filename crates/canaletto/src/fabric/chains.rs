//! Rows of chips that pass packets on: `ring` and `daisy-chain`.
//!
//! A packet is on the next link a hop's delay after the last one. One packet per direction sets out from the
//! controller, and one from the chips, at a time. Where a link on the way is taken, the packet sets out that much
//! later: links have no buffers.

use std::marker::PhantomData;
use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing;
use crate::fabric::lines::Line;
use crate::fabric::packets::Packets;
use crate::fabric::ports::Ports;
use crate::fabric::trace::WireTrace;
use crate::fabric::wires::{ControllerUse, Place, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

pub const FACTS: Facts = Facts {
    is_usual: false,
    holds_paths: false,
    routers: None,
    interconnect: |_, _, _| Interconnect::PACKET_CHANNELS,
    failing: failing::ROWS,
    // A controller takes one packet at a time.
    lines: |_, rows, columns| Line::rows("channel", rows, columns, |_| 1),
};

pub trait Course {
    fn links(columns: u32) -> u32;

    fn ends(link: u32, columns: u32) -> (i32, i32);

    fn way(direction: Direction, column: u32, columns: u32) -> Range<u32>;
}

pub struct Chains<C: Course> {
    rows: Vec<Row>,
    links: Vec<Link>,
    ports: Ports,
    hop: Time,
    under_way: Slab<PathId, Passage>,
    packets: Packets,
    trace: WireTrace,
    course: PhantomData<C>,
}

#[derive(Clone, Copy, Default)]
struct Row {
    /// By direction.
    sets_out: [bool; 2],
    under_way: u32,
    since: Time,
    busy: Time,
}

#[derive(Clone, Copy, Default)]
struct Link {
    clear_at: Time,
    busy: Time,
}

#[derive(Clone, Copy)]
struct Passage {
    transfer: Transfer,
    waited: Time,
    hops: Time,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Left(PathId),
    Crossed(PathId),
}

impl<C: Course> Chains<C> {
    fn links_of(&self, row: usize) -> usize {
        row * C::links(self.ports.columns()) as usize
    }

    fn has_crossed(&self, path: PathId) -> FabricOutcome {
        let waited = self.under_way[path].waited;
        FabricOutcome { crossed: Some(TransferDone { conflict: waited, ..TransferDone::freely(path) }), freed: None }
    }

    fn left(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let Passage { transfer, hops, .. } = self.under_way[path];
        let domain = self.ports.row_of(transfer.chip);
        self.rows[domain.index()].sets_out[transfer.direction as usize] = false;
        if hops == Time::ZERO {
            return self.has_crossed(path);
        }
        later(now + hops, Event::Crossed(path));
        FabricOutcome { crossed: None, freed: Some(domain) }
    }
}

impl<C: Course> ChipToChip<Event> for Chains<C> {}

impl<C: Course> Fabric for Chains<C> {
    type Event = Event;
    type Times = Packets;

    fn new(config: &FabricConfig, layout: &Layout) -> Self {
        let columns = layout.chips_per_channel;
        Chains {
            rows: vec![Row::default(); layout.channels as usize],
            links: vec![Link::default(); (layout.channels * C::links(columns)) as usize],
            ports: Ports::new(layout),
            hop: config.chain.hop_delay.time(),
            under_way: Slab::new(),
            packets: Packets::new(config, 1),
            trace: WireTrace::default(),
            course: PhantomData,
        }
    }

    fn domains(&self) -> u32 {
        self.rows.len() as u32
    }

    fn domain_of(&self, chip: ChipId) -> DomainId {
        self.ports.row_of(chip)
    }

    fn chips_of(&self, domain: DomainId) -> Range<u32> {
        self.ports.chips_of(domain)
    }

    fn may_start(&self, domain: DomainId) -> bool {
        self.rows[domain.index()].sets_out != [true; 2]
    }

    fn is_free(&self, chip: ChipId, direction: Direction) -> bool {
        let row = &self.rows[self.ports.row_of(chip).index()];
        !row.sets_out[direction as usize] && self.ports.has_room(chip)
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.ports.free_at(chip)
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        let Transfer { chip, direction, .. } = transfer;
        let (row, column) = (self.ports.row_of(chip).index(), chip.0 % self.ports.columns());
        let (first, hop) = (self.links_of(row), self.hop);
        let way = C::way(direction, column, self.ports.columns());
        let passed = |place: u32| {
            let link = if way.start < way.end { way.start + place } else { way.start - place };
            first + link as usize
        };
        let count = way.start.abs_diff(way.end);
        let begins = (0..count).fold(now, |begins, place| {
            begins.max(self.links[passed(place)].clear_at.saturating_sub(hop * u64::from(place)))
        });
        let path = self.under_way.insert(Passage { transfer, waited: begins - now, hops: hop * u64::from(count - 1) });
        for place in 0..count {
            let (link, at) = (passed(place), begins + hop * u64::from(place));
            self.links[link].clear_at = at + transfer.time();
            self.links[link].busy += transfer.time();
            self.trace.write_transfer(link as u32, &transfer, path, at);
        }
        self.ports.take(chip);
        let row = &mut self.rows[row];
        assert!(!row.sets_out[direction as usize], "two packets set out in one direction at once");
        row.sets_out[direction as usize] = true;
        if row.under_way == 0 {
            row.since = now;
        }
        row.under_way += 1;
        later(begins + transfer.time(), Event::Left(path));
        path
    }

    fn start_on_held_path(&mut self, _: PathId, _: Transfer, _: Time, _: &mut impl FnMut(Time, Event)) {
        unreachable!("no path is held")
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        match event {
            Event::Left(path) => self.left(path, now, later),
            Event::Crossed(path) => self.has_crossed(path),
        }
    }

    fn release(&mut self, path: PathId, now: Time, _: &mut impl FnMut(Time, Event)) -> DomainId {
        let chip = self.under_way[path].transfer.chip;
        self.under_way.remove(path);
        self.ports.give_back(chip, now);
        let domain = self.ports.row_of(chip);
        let row = &mut self.rows[domain.index()];
        row.under_way -= 1;
        if row.under_way == 0 {
            row.busy += now - row.since;
        }
        domain
    }

    fn times(&self) -> &Packets {
        &self.packets
    }

    fn peak_rate(&self) -> f64 {
        self.packets.rate() * self.rows.len() as f64
    }

    fn ports(&self) -> u64 {
        self.ports.each()
    }

    fn wires(&self) -> Vec<Wire> {
        let each = C::links(self.ports.columns()) as usize;
        let wire = |(number, link): (usize, &Link)| {
            let row = number / each;
            let (from, to) = C::ends((number % each) as u32, self.ports.columns());
            let is_controllers = from < 0 || to < 0;
            let at = |column| -> Place { (row as i32, column) };
            Wire {
                name: format!("link {} of channel {row}", number % each),
                kind: if is_controllers { WireKind::ControllerLink } else { WireKind::Link },
                from: at(from),
                to: at(to),
                busy: link.busy,
                active: link.busy,
            }
        };
        self.links.iter().enumerate().map(wire).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let each = |(row, used): (usize, &Row)| ControllerUse {
            name: format!("controller {row}"),
            place: (row as i32, -1),
            busy: used.busy,
        };
        self.rows.iter().enumerate().map(each).collect()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::daisy_chain::DaisyChain;
    use crate::fabric::ring::Ring;
    use crate::fabric::tests::{Bench, array, config};

    const HOP: u64 = 10;

    fn bench<F: Fabric>() -> Bench<F> {
        Bench::new(&config(1_000_000_000, 0), &array(2, 4))
    }

    fn crossed<F: Fabric>(wanted: &[(u32, Direction)]) -> Vec<Time> {
        let mut bench = bench::<F>();
        for &(chip, direction) in wanted {
            while !bench.is_free(chip, direction) {
                assert!(bench.step(), "nothing is under way");
            }
            let page = bench.page(chip, direction);
            bench.start(page);
        }
        bench.run();
        bench.crossed.iter().map(|&(time, _)| time).collect()
    }

    #[test]
    fn packets_take_a_hop_a_chip() {
        let (out, back) = {
            let bench = bench::<Ring>();
            (bench.page(2, Direction::ToChip).time(), bench.page(2, Direction::FromChip).time())
        };
        let hops = |count: u64| Time::from_ns(HOP * count);
        assert_eq!(crossed::<DaisyChain>(&[(2, Direction::ToChip)]), [out + hops(2)]);
        assert_eq!(crossed::<DaisyChain>(&[(2, Direction::FromChip)]), [back + hops(2)]);
        assert_eq!(crossed::<Ring>(&[(2, Direction::ToChip)]), [out + hops(2)]);
        assert_eq!(crossed::<Ring>(&[(2, Direction::FromChip)]), [back + hops(1)]);
        assert_eq!(crossed::<DaisyChain>(&[(0, Direction::FromChip)]), [back]);
        assert_eq!(crossed::<Ring>(&[(3, Direction::FromChip)]), [back]);
    }

    #[test]
    fn a_link_carries_one_packet_at_a_time() {
        let (far, near) = ((3, Direction::FromChip), (0, Direction::FromChip));
        let page = bench::<DaisyChain>().page(0, Direction::FromChip).time();
        let hops = Time::from_ns(3 * HOP);
        assert_eq!(crossed::<DaisyChain>(&[far, near]), [page + hops, page * 2 + hops]);
        assert_eq!(crossed::<DaisyChain>(&[near, far]), [page, page * 2 + hops]);
    }

    #[test]
    fn directions_share_the_links_of_a_ring() {
        let (read, write) = ((1, Direction::FromChip), (2, Direction::ToChip));
        let (data, program) = {
            let bench = bench::<Ring>();
            (bench.page(1, Direction::FromChip).time(), bench.page(2, Direction::ToChip).time())
        };
        let at = |time: Time, hops: u64| time + Time::from_ns(HOP * hops);
        assert_eq!(crossed::<DaisyChain>(&[read, write]), [at(data, 1), at(program, 2)]);
        assert_eq!(crossed::<Ring>(&[read, write]), [at(data, 2), data + program]);
    }

    #[test]
    fn a_direction_is_refused_until_its_packet_has_left() {
        let mut bench = bench::<DaisyChain>();
        let page = bench.page(3, Direction::ToChip);
        bench.start(page);
        bench.run_until(Time(page.time().0 - 1));
        assert!(!bench.is_free(0, Direction::ToChip) && bench.is_free(0, Direction::FromChip));
        bench.run_until(page.time());
        assert!(bench.is_free(0, Direction::ToChip) && !bench.is_free(3, Direction::ToChip));
    }
}
