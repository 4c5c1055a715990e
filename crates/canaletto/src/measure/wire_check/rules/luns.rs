//! One command at a time, or those that may be side by side; arrays work for crossed commands for their time; programs
//! and erases make way for reads.

use std::rc::Rc;

use super::Check;
use crate::config::medium::{Suspend, Suspendable};
use crate::engine::time::Time;
use crate::flash::address::LunId;
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Carries, Load};
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Crossing,
    Crossed,
    Array(Time),
    Aside { ready: Time, left: Time },
}

#[derive(Clone, Copy)]
struct Work {
    transfer: u32,
    operation: Operation,
    planes: u64,
    stage: Stage,
    suspensions: u32,
}

#[derive(Clone, Default)]
struct Lun {
    work: Vec<Work>,
    aside: Option<Work>,
    /// Loaded behind it.
    behind: Option<Work>,
}

impl Lun {
    fn take(&mut self, (operation, planes): (Operation, u64), at: impl Fn(Stage) -> bool) -> Option<Work> {
        let is_it = |w: &Work| (w.operation, w.planes) == (operation, planes);
        let there = self.work.iter().position(|w| is_it(w) && at(w.stage));
        there.or_else(|| self.work.iter().position(is_it)).map(|place| self.work.remove(place))
    }
}

pub struct Luns {
    known: Rc<Known>,
    luns: Vec<Lun>,
}

fn allows(suspend: &Suspend, operation: Operation) -> bool {
    match suspend.operations {
        Suspendable::None => false,
        Suspendable::Erase => operation == Operation::Erase,
        Suspendable::Program => operation == Operation::Program,
        Suspendable::Both => operation != Operation::Read,
    }
}

impl Luns {
    pub fn new(known: &Rc<Known>) -> Luns {
        Luns { known: known.clone(), luns: vec![Lun::default(); known.luns()] }
    }

    fn add(&self, rule: Rule, at: Time, lun: LunId, what: String, expected: impl Into<String>, found: &mut Found) {
        found.add(rule, at, self.known.lun_name(lun.0), what, expected);
    }

    fn command(&mut self, transfer: u32, load: &Load, at: Time, found: &mut Found) {
        let Lun { work, aside, .. } = &self.luns[load.lun.index()];
        let takes = format!("a command to {:?} in planes {:#b}", load.operation, load.planes);
        if let Some(work) = work.iter().find(|work| !self.may_be_beside(work, load) || self.is_full(load)) {
            let expected = format!("none while {:?} is {:?}", work.operation, work.stage);
            self.add(Rule::Busy, at, load.lun, takes.clone(), expected, found);
        }
        if let Some(Work { operation, stage: Stage::Aside { ready, .. }, .. }) = *aside {
            if at < ready {
                let expected = format!("none before {:?} is suspended at {}", operation, ns(ready));
                self.add(Rule::Busy, at, load.lun, takes.clone(), expected, found);
            }
            // A program is suspended for reads alone (flash.suspend.trigger).
            if load.operation == Operation::Erase
                || load.operation == Operation::Program && operation != Operation::Erase
            {
                self.add(Rule::Suspension, at, load.lun, takes, format!("a read while {operation:?} makes way"), found);
            }
        }
        let (operation, planes) = (load.operation, load.planes);
        let work = Work { transfer, operation, planes, stage: Stage::Crossing, suspensions: 0 };
        self.luns[load.lun.index()].work.push(work);
    }

    fn may_be_beside(&self, work: &Work, load: &Load) -> bool {
        let flash = &self.known.design.flash;
        match load.operation {
            Operation::Read => {
                let alone = load.planes.count_ones() == 1 && work.planes & load.planes == 0;
                flash.independent_plane_reads && work.operation == Operation::Read && alone
            }
            Operation::Program => flash.cache_program && work.operation == Operation::Program,
            Operation::Erase => false,
        }
    }

    fn is_full(&self, load: &Load) -> bool {
        let programs = |work: &&Work| work.operation == Operation::Program;
        load.operation == Operation::Program && self.luns[load.lun.index()].work.iter().filter(programs).count() >= 2
    }

    fn begins(&mut self, entry: &Entry, (lun, planes, operation): (LunId, u64, Operation), found: &mut Found) {
        let Fact::Array { from, until, .. } = entry.fact else { return };
        let works = format!("{operation:?} begins in planes {planes:#b}");
        let work = self.luns[lun.index()].take((operation, planes), |stage| stage == Stage::Crossed);
        let is_due = work.is_some_and(|w| w.stage == Stage::Crossed);
        let is_taken = operation == Operation::Program
            && self.luns[lun.index()].work.iter().any(|other| matches!(other.stage, Stage::Array(_)));
        if is_taken {
            self.add(Rule::Array, entry.at, lun, works.clone(), "the end of the program before it", found);
        }
        if !is_due {
            self.add(Rule::Array, entry.at, lun, works.clone(), "a command for it that has just crossed", found);
        }
        let (least, most) = self.known.array_times(operation);
        let time = until.saturating_sub(from);
        if time < least || time > most || from < entry.at {
            let expected = format!("{} to {} from its command on", ns(least), ns(most));
            self.add(Rule::ArrayTime, entry.at, lun, format!("{works} and takes {}", ns(time)), expected, found);
        }
        let work =
            work.unwrap_or(Work { transfer: u32::MAX, operation, planes, stage: Stage::Crossed, suspensions: 0 });
        self.luns[lun.index()].work.push(Work { stage: Stage::Array(until), ..work });
    }

    fn stops(&mut self, entry: &Entry, (lun, operation): (LunId, Operation), found: &mut Found) {
        let suspend = &self.known.design.flash.suspend;
        let Fact::Array { until: ready, .. } = entry.fact else { return };
        let Lun { work, aside, .. } = &self.luns[lun.index()];
        let stops = format!("{operation:?} is suspended until {}", ns(ready));
        let at_work = work.iter().find_map(|work| match work.stage {
            Stage::Array(until) if work.operation == operation && aside.is_none() => Some((*work, until)),
            _ => None,
        });
        let others: Vec<Work> = work.iter().filter(|work| !matches!(work.stage, Stage::Array(_))).copied().collect();
        let (Some((work, until)), true) = (at_work, others.iter().all(|other| other.stage == Stage::Crossed)) else {
            return self.add(Rule::Suspension, entry.at, lun, stops, "an array at work on it", found);
        };
        let suspensions = work.suspensions + 1;
        if !allows(suspend, operation) || suspensions > suspend.max_suspensions || until < entry.at {
            let most = suspend.max_suspensions;
            let expected = format!("{:?} only, at most {most} times, before its end", suspend.operations);
            self.add(Rule::Suspension, entry.at, lun, stops.clone(), expected, found);
        }
        if ready != entry.at + suspend.suspend_time.time() {
            let expected = format!("{} to suspend it", ns(suspend.suspend_time.time()));
            self.add(Rule::Suspension, entry.at, lun, stops, expected, found);
        }
        let stage = Stage::Aside { ready, left: until.saturating_sub(entry.at) };
        let aside = Some(Work { stage, suspensions, ..work });
        self.luns[lun.index()] = Lun { work: Vec::new(), aside, behind: others.first().copied() };
    }
    fn goes_on(&mut self, entry: &Entry, (lun, operation): (LunId, Operation), found: &mut Found) {
        let resume = self.known.design.flash.suspend.resume_time.time();
        let Fact::Array { until, .. } = entry.fact else { return };
        let Lun { work, aside, behind } = &self.luns[lun.index()];
        let resumes = format!("{operation:?} is resumed until {}", ns(until));
        let Some((aside, ready, left)) = aside.and_then(|aside| match aside.stage {
            Stage::Aside { ready, left } if aside.operation == operation => Some((aside, ready, left)),
            _ => None,
        }) else {
            return self.add(Rule::Suspension, entry.at, lun, resumes, "one that is suspended", found);
        };
        if entry.at < ready || !work.is_empty() || until != entry.at + resume {
            let expected = format!("an idle LUN, {} after it was suspended, and {} to resume", ns(ready), ns(resume));
            self.add(Rule::Suspension, entry.at, lun, resumes, expected, found);
        }
        let work = Work { stage: Stage::Array(until + left), ..aside };
        let work = std::iter::once(work).chain(*behind).collect();
        self.luns[lun.index()] = Lun { work, aside: None, behind: None };
    }

    fn ends(&mut self, entry: &Entry, (lun, planes, operation): (LunId, u64, Operation), found: &mut Found) {
        let is_due = |stage| stage == Stage::Array(entry.at);
        let work = self.luns[lun.index()].take((operation, planes), is_due);
        let ends = format!("{operation:?} ends in planes {planes:#b}");
        match work.map(|w| w.stage) {
            Some(Stage::Array(until)) if until == entry.at => {}
            Some(Stage::Array(until)) => {
                self.add(Rule::ArrayTime, entry.at, lun, ends, format!("its end at {}", ns(until)), found);
            }
            _ => self.add(Rule::Array, entry.at, lun, ends, "an array at work on it", found),
        }
    }
}

impl Check for Luns {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        match &entry.fact {
            Fact::Begins { transfer, load, .. } if load.carries == Carries::Command && !load.apart => {
                self.command(*transfer, load, entry.at, found);
            }
            Fact::Ends { transfer, path } => {
                let Some(open) = transfers.get(*path, *transfer) else { return };
                // Transfers of data are no commands.
                let mut of_lun = self.luns[open.load.lun.index()].work.iter_mut();
                if let Some(work) = of_lun.find(|work| work.transfer == *transfer) {
                    work.stage = Stage::Crossed;
                }
            }
            Fact::Array { lun, planes, operation, step, .. } => match step {
                ArrayStep::Begins => self.begins(entry, (*lun, *planes, *operation), found),
                ArrayStep::Stops => self.stops(entry, (*lun, *operation), found),
                ArrayStep::GoesOn => self.goes_on(entry, (*lun, *operation), found),
                ArrayStep::Ends => self.ends(entry, (*lun, *planes, *operation), found),
            },
            // Its fate is unknown.
            Fact::PartsFail => {
                let lost = (0..).zip(&mut self.luns).filter(|(lun, _)| self.known.will_be_cut_off(*lun));
                lost.for_each(|(_, state)| state.work.clear());
            }
            _ => {}
        }
    }

    fn end(&mut self, now: Time, _: &Transfers, found: &mut Found) {
        for (lun, state) in (0..).map(LunId).zip(&self.luns) {
            for work in &state.work {
                let Work { operation, stage: Stage::Array(until), .. } = *work else { continue };
                if until < now {
                    let expected = format!("its end at {}", ns(until));
                    self.add(Rule::ArrayTime, now, lun, format!("{operation:?} has not ended"), expected, found);
                }
            }
        }
    }
}
