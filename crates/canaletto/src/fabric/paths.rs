use crate::config::design::{Design, HoldPath};
use crate::engine::rarely::rarely;
use crate::engine::time::{Time, TimeSum};
pub use crate::fabric::carried::{Carried, Payload};
use crate::fabric::cut_off::CutOff;
use crate::fabric::failing::Failed;
use crate::fabric::held::HeldPaths;
use crate::fabric::loss::Loss;
use crate::fabric::{Direction, DomainId, Fabric, PathId, Transfer};
use crate::flash::address::{ChipId, Layout, LunId};
use crate::flash::interface::Operation;
use crate::scheduler::transaction::TransactionId;

pub struct Paths<F> {
    pub fabric: F,
    carried: Vec<Carried>,
    held: HeldPaths,
    hold_path: HoldPath,
    cut_off: CutOff,
    transfer_time: TimeSum,
}

impl<F: Fabric> Paths<F> {
    pub fn new(design: &Design, layout: &Layout) -> Self {
        Paths {
            fabric: F::new(&design.fabric, layout),
            cut_off: CutOff::new(),
            carried: Vec::new(),
            held: HeldPaths::new(design.fabric.holds() != HoldPath::Never, layout.luns()),
            hold_path: design.fabric.holds(),
            transfer_time: TimeSum::ZERO,
        }
    }

    pub fn lose(&mut self, failed: &Failed, loss: &Loss, layout: &Layout) {
        self.fabric.lose(failed);
        self.cut_off.lose(&loss.chips, layout.chips());
        self.cut_off.comes_to_rest = false;
    }

    /// A held path leads to the controller, which then checks the data.
    pub fn may_copy_directly(&self, copies: u32) -> bool {
        let must_check = || self.fabric.registers().is_some_and(|registers| registers.must_check(copies));
        F::JOINS_CHIPS && self.hold_path == HoldPath::Never && !must_check()
    }

    pub fn come_to_rest(&mut self) {
        self.cut_off.comes_to_rest = true;
    }

    #[inline]
    pub fn has_come_to_rest(&self) -> bool {
        rarely(self.cut_off.comes_to_rest) && self.cut_off.is_idle() && self.fabric.is_at_rest()
    }

    #[inline(always)]
    pub fn may_start(&self, domain: DomainId) -> bool {
        !rarely(self.cut_off.comes_to_rest)
            && (self.fabric.may_start(domain) || self.cut_off.has_any() && self.leads_nowhere(domain))
    }

    fn leads_nowhere(&self, domain: DomainId) -> bool {
        self.fabric.chips_of(domain).any(|chip| self.cut_off.has(ChipId(chip)))
    }

    pub fn chips_cut_off(&self) -> u32 {
        self.cut_off.count()
    }

    #[inline]
    pub fn is_free(&self, chip: ChipId, direction: Direction) -> bool {
        self.cut_off.has(chip) || self.fabric.is_free(chip, direction)
    }

    /// As [`Paths::is_free`], where a transfer of the chip's domain [may start](Paths::may_start).
    #[inline(always)]
    pub fn has_path(&self, chip: ChipId, direction: Direction) -> bool {
        F::ONE_PATH && !self.cut_off.has_any() || self.is_free(chip, direction)
    }

    #[inline]
    pub fn takes_data(&self, chip: ChipId) -> bool {
        self.cut_off.has(chip) || self.fabric.takes_data(chip)
    }

    #[inline]
    pub fn is_nowhere(path: PathId) -> bool {
        CutOff::is_nowhere(path)
    }

    #[inline(always)]
    pub fn start(
        &mut self,
        transfer: Transfer,
        payload: Payload,
        now: Time,
        later: &mut impl FnMut(Time, F::Event),
    ) -> PathId {
        if self.cut_off.has(transfer.chip) {
            return self.cut_off.send(Carried { payload, transfer });
        }
        self.cut_off.take();
        let path = self.fabric.start(transfer, now, later);
        self.carry(path, Carried { payload, transfer });
        path
    }

    #[inline(always)]
    pub fn start_data(
        &mut self,
        lun: LunId,
        transfer: Transfer,
        payload: Payload,
        now: Time,
        later: &mut impl FnMut(Time, F::Event),
    ) -> PathId {
        match self.held.take(lun) {
            Some(path) if Self::is_nowhere(path) => {
                *self.cut_off.sent(path) = Carried { payload, transfer };
                path
            }
            Some(path) => {
                self.carried[path.index()] = Carried { payload, transfer };
                self.fabric.start_on_held_path(path, transfer, now, later);
                path
            }
            None => self.start(transfer, payload, now, later),
        }
    }

    pub fn start_copy(
        &mut self,
        (from, to): (ChipId, ChipId),
        page: TransactionId,
        bytes: u64,
        now: Time,
        later: &mut impl FnMut(Time, F::Event),
    ) -> PathId {
        let data = self.fabric.copy_time(bytes);
        let transfer = Transfer { chip: from, direction: Direction::FromChip, command: Time::ZERO, data };
        self.cut_off.take();
        let path = self.fabric.start_copy(from, to, data, now, later);
        self.carry(path, Carried { payload: Payload::Copy(page), transfer });
        path
    }

    #[inline]
    fn carry(&mut self, path: PathId, carried: Carried) {
        match self.carried.get_mut(path.index()) {
            Some(place) => *place = carried,
            None => self.carry_first(path, carried),
        }
    }

    #[cold]
    #[inline(never)]
    fn carry_first(&mut self, path: PathId, carried: Carried) {
        self.carried.resize(path.index() + 1, carried);
    }

    pub fn carried(&self, path: PathId) -> Carried {
        self.carried[path.index()]
    }

    #[inline(always)]
    pub fn done(&mut self, path: PathId) -> Carried {
        if Self::is_nowhere(path) {
            return *self.cut_off.sent(path);
        }
        let carried = self.carried[path.index()];
        self.transfer_time += carried.transfer.time();
        carried
    }

    #[inline(always)]
    pub fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, F::Event)) -> DomainId {
        if CutOff::is_nowhere(path) {
            let chip = self.cut_off.sent(path).transfer.chip;
            self.cut_off.give_back(path);
            return self.fabric.domain_of(chip);
        }
        self.cut_off.free();
        self.fabric.release(path, now, later)
    }

    #[inline(always)]
    pub fn hold(&mut self, lun: LunId, path: PathId, operation: Operation) -> bool {
        let holds = match self.hold_path {
            HoldPath::Never => false,
            HoldPath::Reads => operation == Operation::Read,
            HoldPath::Always => true,
        };
        if holds {
            self.held.hold(lun, path);
        }
        holds
    }

    #[inline]
    pub fn add_page(&mut self, lun: LunId, page: TransactionId) -> bool {
        let holds = self.hold_path != HoldPath::Never;
        if holds {
            self.held.add_page(lun, page);
        }
        holds
    }

    #[inline(always)]
    pub fn next_page(&mut self, lun: LunId) -> Option<TransactionId> {
        self.held.next_page(lun)
    }

    pub fn take_held(&mut self, lun: LunId) -> Option<PathId> {
        self.held.take(lun)
    }

    #[inline]
    pub fn is_holding(&self, lun: LunId) -> bool {
        self.held.is_holding(lun)
    }

    #[inline]
    pub fn let_go(&mut self, lun: LunId) -> bool {
        self.held.let_go(lun)
    }

    pub fn transfer_time(&self) -> TimeSum {
        self.transfer_time
    }
}
