//! Registers in which chips receive pages from other chips (Networked SSD §IV-B, "V-page registers"), and checks of
//! pages that no controller has seen (§VIII).

use crate::config::design::{ChipToChipEcc, Omnibus as Keys};
use crate::engine::time::Time;
use crate::flash::address::{ChipId, Layout};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyCheck {
    None,
    /// Before it programs; the bus is free meanwhile. Never in no time, which stands for no check.
    Detect(Time),
    ViaControllerEvery(u32),
}

pub struct PageRegisters {
    free: Vec<u8>,
    registers: u8,
    taken: u32,
    check: CopyCheck,
}

impl PageRegisters {
    pub fn new(keys: &Keys, layout: &Layout) -> PageRegisters {
        let registers = keys.v_page_registers as u8;
        let check = match keys.chip_to_chip_ecc {
            ChipToChipEcc::None => CopyCheck::None,
            ChipToChipEcc::Detect => CopyCheck::Detect(keys.detect_time.time().max(Time(1))),
            ChipToChipEcc::ViaController => CopyCheck::ViaControllerEvery(keys.via_controller_every),
        };
        PageRegisters { free: vec![registers; layout.chips() as usize], registers, taken: 0, check }
    }

    pub fn reserve(&mut self, chip: ChipId) -> bool {
        let free = &mut self.free[chip.index()];
        let taken = *free > 0;
        *free -= u8::from(taken);
        self.taken += u32::from(taken);
        taken
    }

    pub fn release(&mut self, chip: ChipId) {
        let free = &mut self.free[chip.index()];
        assert!(*free < self.registers, "a register of chip {} is given back twice", chip.0);
        *free += 1;
        self.taken -= 1;
    }

    pub fn are_in_use(&self) -> bool {
        self.taken > 0
    }

    pub fn must_check(&self, copies: u32) -> bool {
        matches!(self.check, CopyCheck::ViaControllerEvery(n) if copies + 1 >= n)
    }

    pub fn check_time(&self) -> Time {
        if let CopyCheck::Detect(time) = self.check { time } else { Time::ZERO }
    }
}
