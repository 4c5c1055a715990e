use super::{Event, Route};
use crate::config::design::Design;
use crate::engine::time::Time;
use crate::fabric::failing::{self, Failed};
use crate::fabric::loss::{Loss, losses};
use crate::fabric::{DomainId, Fabric};
use crate::measure::cut_off::CutOffReport;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Flag, TransactionId};

pub(super) struct Losses {
    all: Vec<Loss>,
    failed: Failed,
}

impl Losses {
    pub fn of(design: &Design) -> Losses {
        let layout = design.layout();
        let failed = failing::failed(&design.fabric, layout.channels, layout.chips_per_channel);
        Losses { all: losses(design, &layout), failed }
    }
}

impl<F: Fabric, P: Probe> Route<F, P> {
    #[cold]
    pub(super) fn schedule_losses(&mut self) {
        for (loss, number) in self.losses.all.iter().zip(0..) {
            if !loss.is_from_the_start() {
                self.events.push(loss.at, Event::Loss(number));
            }
        }
    }

    pub(super) fn lose_from_the_start(&mut self) {
        if let Some(number) = self.losses.all.iter().position(Loss::is_from_the_start) {
            self.take_loss(number as u8);
            self.pages.probe.notify(|observer| observer.parts_failed(Time::ZERO));
        }
    }

    #[cold]
    pub(super) fn lose(&mut self, number: u8, now: Time) {
        if self.losses.all[usize::from(number)].fabric {
            self.paths.come_to_rest();
            self.fail_parts_at_rest(now);
        } else {
            self.take_loss(number);
        }
        self.offer_paths(now);
    }

    #[inline]
    pub(super) fn fail_parts_at_rest(&mut self, now: Time) {
        if self.paths.has_come_to_rest() {
            self.fail_parts(now);
        }
    }

    #[cold]
    fn fail_parts(&mut self, now: Time) {
        if let Some(number) = self.losses.all.iter().position(|loss| loss.fabric) {
            self.take_loss(number as u8);
            (0..self.paths.fabric.domains()).for_each(|domain| self.scheduler.touch(DomainId(domain)));
            self.pages.probe.notify(|observer| observer.parts_failed(now));
        }
    }

    fn take_loss(&mut self, number: u8) {
        let loss = &self.losses.all[usize::from(number)];
        if loss.fabric {
            self.paths.lose(&self.losses.failed, loss, &self.layout);
        }
        self.flash.lose_planes(&loss.planes);
        self.ftl.lose_planes(&loss.planes);
    }

    #[cold]
    pub(super) fn page_is_out_of_reach(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.pages.transactions[id];
        t.set(Flag::ReadFailed, true);
        let at = t.ppa;
        self.ftl.read_failed(&mut self.pages, &mut self.requests, id, now);
        self.ftl.end_read_of(at);
        self.read_arrived(id, now);
    }

    pub(super) fn cut_off_report(&self) -> Option<CutOffReport> {
        let fails = self.losses.all.iter().any(|loss| loss.fabric);
        fails.then(|| CutOffReport { chips: self.paths.chips_cut_off(), ..self.ftl.lost.report() })
    }
}
