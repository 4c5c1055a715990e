//! The bus with separate command and address pins: commands of some chips cross while data of others do.
//!
//! ```text
//!              ┌──────┬──────┬── CA    2 pins, both edges of CA_CLK: commands and addresses, as packets
//! controller 0 ┤    chip 0 chip 1
//!              └──────┴──────┴── DQ    8 pins: data alone
//!
//! CA  │ read, chip 0 │ program, chip 1 │ read, chip 3 │ erase, chip 2 │
//! DQ  │ data of chip 5                     │ data of chip 1          │ …
//!                                          └ waited for DQ until the data of chip 5 had crossed
//! ```
//! JESD230G (November 2024) §10, as summarised at cqlhupt.github.io, "NAND SCA" 1 and 2, 2024; packets: [`packets`]. A
//! sequence with data first takes CA, then DQ in the order in which sequences come off CA. One such sequence at a time
//! is on CA or waits for DQ, next to the one whose data cross. So the next data are ready when DQ is, and the scheduler
//! decides late which they are.
//!
//! A LUN takes part in one sequence at a time (§10, "command interleaving").
//!
//! With short sequences (`fabric.sequences`) the data of a read set out when CA is free. With full ones packets on CA
//! first turn the chip to a page's column, and read status.
//!
//! Left out: training, termination of other chips (NTO packets), paused bursts (SCP packets).

mod packets;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing;
use crate::fabric::lines::Line;
use crate::fabric::ports::Ports;
use crate::fabric::sca::packets::CommandPackets;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

pub const FACTS: Facts = Facts {
    is_usual: false,
    holds_paths: false,
    routers: None,
    interconnect: |_, _, _| Interconnect::CHANNELS,
    failing: failing::ROWS,
    lines: |_, rows, columns| Line::rows("channel", rows, columns, |_| 1),
};

pub struct Sca {
    channels: Vec<Channel>,
    ports: Ports,
    under_way: Slab<PathId, Sequence>,
    packets: CommandPackets,
    trace: WireTrace,
}

#[derive(Clone, Copy, Default)]
struct Channel {
    ca: Option<PathId>,
    dq: Option<PathId>,
    next: Option<PathId>,
    is_waiting: bool,
    ca_busy: Time,
    dq_busy: Time,
    busy: Time,
    since: Time,
}

#[derive(Clone, Copy)]
struct Sequence {
    transfer: Transfer,
    commanded: Time,
    waited: Time,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Commanded(PathId),
    Crossed(PathId),
}

impl Channel {
    fn is_idle(&self) -> bool {
        self.ca.is_none() && self.dq.is_none()
    }

    fn taken(&mut self, now: Time) {
        if self.is_idle() {
            self.since = now;
        }
    }

    fn given_back(&mut self, now: Time) {
        if self.is_idle() {
            self.busy += now - self.since;
        }
    }
}

impl Sca {
    fn channel_of(&mut self, path: PathId) -> &mut Channel {
        let chip = self.under_way[path].transfer.chip;
        &mut self.channels[self.ports.row_of(chip).index()]
    }

    fn ca_wire(&self, channel: DomainId) -> u32 {
        self.channels.len() as u32 + channel.0
    }

    fn commanded(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let transfer = self.under_way[path].transfer;
        let domain = self.ports.row_of(transfer.chip);
        let channel = &mut self.channels[domain.index()];
        channel.ca = None;
        channel.given_back(now);
        if channel.next != Some(path) {
            return FabricOutcome { crossed: Some(self.has_crossed(path)), freed: None };
        }
        self.under_way[path].commanded = now;
        let channel = &mut self.channels[domain.index()];
        match channel.dq {
            None => self.send_data(path, now, later),
            Some(_) => channel.is_waiting = true,
        }
        FabricOutcome { crossed: None, freed: Some(domain) }
    }

    fn send_data(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) {
        let sequence = &mut self.under_way[path];
        sequence.waited = now - sequence.commanded;
        let Transfer { chip, data, .. } = sequence.transfer;
        let domain = self.ports.row_of(chip);
        let channel = &mut self.channels[domain.index()];
        assert!(channel.dq.is_none(), "channel {} carries data of two chips at once", domain.0);
        channel.taken(now);
        (channel.dq, channel.next, channel.is_waiting) = (Some(path), None, false);
        channel.dq_busy += data;
        self.trace.write(domain.0, WireUse::Data, path, now, now + data);
        later(now + data, Event::Crossed(path));
    }

    fn crossed(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let channel = self.channel_of(path);
        channel.dq = None;
        channel.given_back(now);
        if let Some(next) = channel.next.filter(|_| channel.is_waiting) {
            self.send_data(next, now, later);
        }
        FabricOutcome { crossed: Some(self.has_crossed(path)), freed: None }
    }

    fn has_crossed(&self, path: PathId) -> TransferDone {
        let Sequence { transfer, waited, .. } = self.under_way[path];
        let before = if waited > Time::ZERO { transfer.command } else { Time::ZERO };
        TransferDone { before, conflict: waited, ..TransferDone::freely(path) }
    }
}

impl ChipToChip<Event> for Sca {}

impl Fabric for Sca {
    type Event = Event;
    type Times = CommandPackets;

    fn new(config: &FabricConfig, layout: &Layout) -> Sca {
        Sca {
            channels: vec![Channel::default(); layout.channels as usize],
            ports: Ports::new(layout),
            under_way: Slab::new(),
            packets: CommandPackets::new(config),
            trace: WireTrace::default(),
        }
    }

    fn domains(&self) -> u32 {
        self.channels.len() as u32
    }

    fn domain_of(&self, chip: ChipId) -> DomainId {
        self.ports.row_of(chip)
    }

    fn chips_of(&self, domain: DomainId) -> Range<u32> {
        self.ports.chips_of(domain)
    }

    fn may_start(&self, domain: DomainId) -> bool {
        self.channels[domain.index()].ca.is_none()
    }

    fn is_free(&self, chip: ChipId, direction: Direction) -> bool {
        let has_port = self.ports.has_room(chip);
        let pins_are_free = match direction {
            Direction::ToChip => self.may_start(self.domain_of(chip)),
            Direction::FromChip => self.may_start(self.domain_of(chip)) && self.takes_data(chip),
        };
        has_port && pins_are_free
    }

    fn takes_data(&self, chip: ChipId) -> bool {
        self.channels[self.ports.row_of(chip).index()].next.is_none()
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.ports.free_at(chip)
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        let Transfer { chip, command, data, .. } = transfer;
        let domain = self.ports.row_of(chip);
        let path = self.under_way.insert(Sequence { transfer, commanded: now, waited: Time::ZERO });
        self.ports.take(chip);
        let channel = &mut self.channels[domain.index()];
        assert!(channel.ca.is_none(), "channel {} carries commands of two sequences at once", domain.0);
        channel.taken(now);
        channel.ca = Some(path);
        channel.ca_busy += command;
        if data > Time::ZERO {
            assert!(channel.next.is_none(), "channel {} has two sequences that wait for its data pins", domain.0);
            channel.next = Some(path);
        }
        if command > Time::ZERO {
            self.trace.write(self.ca_wire(domain), WireUse::Command, path, now, now + command);
        }
        later(now + command, Event::Commanded(path));
        path
    }

    fn start_on_held_path(&mut self, _: PathId, _: Transfer, _: Time, _: &mut impl FnMut(Time, Event)) {
        unreachable!("no path is held")
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        match event {
            Event::Commanded(path) => self.commanded(path, now, later),
            Event::Crossed(path) => self.crossed(path, now, later),
        }
    }

    fn release(&mut self, path: PathId, now: Time, _: &mut impl FnMut(Time, Event)) -> DomainId {
        let chip = self.under_way[path].transfer.chip;
        self.under_way.remove(path);
        self.ports.give_back(chip, now);
        self.ports.row_of(chip)
    }

    fn times(&self) -> &CommandPackets {
        &self.packets
    }

    fn peak_rate(&self) -> f64 {
        self.packets.data_rate() * self.channels.len() as f64
    }

    fn ports(&self) -> u64 {
        self.ports.each()
    }

    fn wires(&self) -> Vec<Wire> {
        let wire = |kind, name, row: usize, busy| {
            let to = (row as i32, self.ports.columns() as i32 - 1);
            Wire { name, kind, from: (row as i32, -1), to, busy, active: busy }
        };
        let each = || self.channels.iter().enumerate();
        let data = each().map(|(row, c)| wire(WireKind::Channel, format!("channel {row}"), row, c.dq_busy));
        let commands =
            each().map(|(row, c)| wire(WireKind::CommandChannel, format!("command channel {row}"), row, c.ca_busy));
        data.chain(commands).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let each = |(row, channel): (usize, &Channel)| ControllerUse {
            name: format!("controller {row}"),
            place: (row as i32, -1),
            busy: channel.busy,
        };
        self.channels.iter().enumerate().map(each).collect()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}
