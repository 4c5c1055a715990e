//! For the checker of the wires: transfers, what fabrics trace of them, and whom they are for.

use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::paths::{Carried, Paths, Payload};
use crate::fabric::{Direction, Fabric, PathId};
use crate::flash::interface::Operation;
use crate::measure::probe::{Carries, Load, Owner, Probe};
use crate::scheduler::flash_page_group::bytes_of;

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline]
    pub(super) fn watch_transfer(&mut self, path: PathId, now: Time) {
        if Paths::<F>::is_nowhere(path) {
            return self.events.push(now, Event::CrossedNowhere(path));
        }
        if self.pages.probe.watches_wires() {
            let load = self.load_of(self.paths.carried(path));
            self.pages.probe.notify(|observer| observer.transfer_begins(path, &load, now));
        }
        self.watch_wires();
    }

    #[inline]
    pub(super) fn watch_wires(&mut self) {
        if self.pages.probe.watches_wires() {
            let spans: Vec<_> = self.paths.fabric.trace().drain().collect();
            for span in spans {
                let owner = self.owner_of(self.paths.carried(span.path).payload);
                self.pages.probe.notify(|observer| observer.wire_used(&span, owner));
            }
        }
    }

    pub(super) fn owner_of(&self, payload: Payload) -> Owner {
        match payload {
            Payload::Command(lun) | Payload::Part(lun) | Payload::Control(lun, _) => {
                self.pages.owner(self.flash.command(lun).transactions()[0])
            }
            Payload::Data(id) | Payload::Copy(id) | Payload::Operand(_, id) => self.pages.owner(id),
        }
    }

    fn load_of(&self, Carried { payload, transfer }: Carried) -> Load {
        let (chip, direction) = (transfer.chip, transfer.direction);
        match payload {
            Payload::Command(lun) | Payload::Part(lun) | Payload::Control(lun, _) => {
                let command = self.flash.command(lun);
                let is_control = matches!(payload, Payload::Control(..));
                // A page that is copied back is in its register already.
                let brings_data = command.operation == Operation::Program && transfer.data > Time::ZERO;
                let parts = self.flash.parts(lun, &self.pages);
                let bytes = |&first| bytes_of(first, &self.pages.transactions) / parts;
                Load {
                    carries: if is_control { Carries::Control } else { Carries::Command },
                    operation: command.operation,
                    chip,
                    to: chip,
                    lun: self.flash.lun_of(lun),
                    planes: self.flash.planes_of(command, &self.pages),
                    direction,
                    bytes: if brings_data { command.transactions().iter().map(bytes).sum() } else { 0 },
                    apart: matches!(payload, Payload::Part(_)),
                }
            }
            Payload::Operand(lun, id) => {
                let is_operand = direction == Direction::ToChip;
                Load {
                    carries: if is_operand { Carries::Command } else { Carries::Data },
                    operation: if is_operand { Operation::Program } else { Operation::Read },
                    chip,
                    to: chip,
                    lun,
                    planes: 1,
                    direction,
                    bytes: u64::from(self.pages.transactions[id].bytes),
                    apart: true,
                }
            }
            Payload::Data(id) | Payload::Copy(id) => {
                let t = &self.pages.transactions[id];
                let is_copy = matches!(payload, Payload::Copy(_));
                Load {
                    carries: if is_copy { Carries::Copy } else { Carries::Data },
                    operation: Operation::Read,
                    chip,
                    to: if is_copy { self.layout.chip_of_plane(t.to()) } else { chip },
                    lun: self.layout.lun_of(t.ppa.plane),
                    planes: 1 << self.layout.plane_in_lun(t.ppa.plane),
                    direction,
                    bytes: bytes_of(id, &self.pages.transactions),
                    apart: false,
                }
            }
        }
    }
}
