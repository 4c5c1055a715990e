//! Copies of pages from chip to chip, straight over their common column bus.
//!
//! ```text
//! controller 0 ──(drives v-bus)──┐       2 request ─▶ 0 request ─▶ 3
//! controller 2 ──── source ──────┤       2 ◀─ grant 0 ◀─ grant   3      then the data cross once, from chip to chip
//! controller 3 ──── destination ─┘       (Fig. 11c; without the middle if 0 is the source's or destination's controller)
//! ```
//! Networked SSD (MICRO 2022) §V-C and -D, Figs. 10 and 11. The destination receives the page in one of its V-page registers
//! (§IV-B), of which §VIII counts two a chip; it stays taken until the page has been programmed from there. What passes no
//! controller passes no controller's ECC: §VIII, "On-die ECC functions", proposes error detection in the chip.

use super::{Arrived, Crossing, Omnibus};
use crate::fabric::packets::READ_DATA_TRANSFER_FLITS;
use crate::fabric::{Direction, Fabric, Leg, PathId};
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;
use crate::sim::time::Time;

/// V-page registers of a chip (Networked SSD §VIII: "two additional 16kB page buffers").
pub const V_PAGE_REGISTERS: u8 = 2;

/// What is done about errors that copies would pass on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyCheck {
    /// Nothing.
    None,
    /// The destination chip looks for errors, which takes this long before it can program the page; the bus is free
    /// meanwhile. Assumed where used: the paper gives no time.
    Detect(Time),
    /// Every n-th copy of a page goes through the controller, which corrects it; n is at least 1.
    ViaControllerEvery(u32),
}

/// The registers of every chip, and the rules of copying.
pub struct Copies {
    free_registers: Vec<u8>,
    registers: u8,
    check: CopyCheck,
}

impl Copies {
    /// The paper's registers, nothing taken.
    pub fn new(layout: &Layout) -> Copies {
        Copies {
            free_registers: vec![V_PAGE_REGISTERS; layout.chips() as usize],
            registers: V_PAGE_REGISTERS,
            check: CopyCheck::None,
        }
    }
}

impl Omnibus {
    /// The idle interconnect with other registers (1 to 16 a chip) and rules of copying than the paper's.
    pub fn with_copies(mut self, registers: u8, check: CopyCheck) -> Omnibus {
        assert!((1..=16).contains(&registers) && check != CopyCheck::ViaControllerEvery(0));
        self.copies.free_registers.fill(registers);
        self.copies = Copies { registers, check, ..self.copies };
        self
    }

    /// Whether pages can be copied between two chips directly: a column bus joins them.
    pub fn can_copy(&self, from: ChipId, to: ChipId) -> bool {
        from != to && self.grid.ways(from).column == self.grid.ways(to).column
    }

    /// Whether a copy may start now: the column bus and a V-page register of the destination are free.
    pub fn copy_is_free(&self, from: ChipId, to: ChipId) -> bool {
        debug_assert!(self.can_copy(from, to));
        self.grid.is_free(self.grid.ways(to).column) && self.copies.free_registers[to.index()] > 0
    }

    /// Whether a page that was copied directly `copies` times since it last passed a controller has to pass one now.
    pub fn must_check(&self, copies: u32) -> bool {
        matches!(self.copies.check, CopyCheck::ViaControllerEvery(n) if copies + 1 >= n)
    }

    /// Time the destination takes to look for errors before it can program.
    pub fn check_time(&self) -> Time {
        if let CopyCheck::Detect(time) = self.copies.check { time } else { Time::ZERO }
    }

    /// How long a copy of one page's `bytes` occupies the bus once it is agreed on: both chips are enabled at once, a packet
    /// of header and transfer command goes to the source, and the source sends a data packet to the destination.
    pub fn copy_time(&self, bytes: u64) -> Time {
        self.packets.chip_enable()
            + self.packets.flits(READ_DATA_TRANSFER_FLITS)
            + self.data_time(Operation::Program, bytes)
    }

    /// Sends a page from chip to chip. To be called only if [`Omnibus::copy_is_free`]; the path is given back like any
    /// other when the page has crossed, the register by [`Omnibus::release_register`].
    pub fn start_copy(
        &mut self,
        from: ChipId,
        to: ChipId,
        time: Time,
        now: Time,
        later: &mut impl FnMut(Time, Arrived),
    ) -> PathId {
        assert!(self.copy_is_free(from, to), "a copy starts only if its bus and a register are free");
        self.copies.free_registers[to.index()] -= 1;
        let (bus, setup) = (self.grid.ways(to).column, self.copy_setup(from, to));
        let direction = Direction::FromChip;
        let path = self.legs.insert(Crossing { chip: from, to, direction, second: Time::ZERO, left: 1, bus });
        self.take(path, bus, setup, now);
        self.cross(path, bus, Leg { chip: from, direction, command: Time::ZERO, data: time }, now + setup, later);
        path
    }

    /// A page has been programmed from a register of its chip.
    pub fn release_register(&mut self, chip: ChipId) {
        let free = &mut self.copies.free_registers[chip.index()];
        assert!(*free < self.copies.registers, "a register of chip {} is given back twice", chip.0);
        *free += 1;
    }

    /// Request and grant between the controllers of source and destination, through the bus's own if that is a third one.
    fn copy_setup(&self, from: ChipId, to: ChipId) -> Time {
        let (source, destination) = (self.grid.row_controller(from), self.grid.row_controller(to));
        let driver = self.grid.bus(self.grid.ways(to).column).driver;
        let hops = u64::from(source != driver) + u64::from(driver != destination);
        // Chips of one row that share a column bus have one controller, which asks the driver once for both.
        self.agreement * if source == destination { hops.min(1) } else { hops }
    }
}
