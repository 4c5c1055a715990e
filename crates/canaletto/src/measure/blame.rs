//! Blame: every picosecond of a request's latency is charged to exactly one cause.

use crate::sim::time::Time;

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident = $key:literal),* $(,)?) => {
        /// Why a request took the time it took.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Cause {
            $($(#[$doc])* $name),*
        }

        impl Cause {
            /// Every cause, in the order in which a request meets them.
            pub const ALL: [Cause; [$($key),*].len()] = [$(Cause::$name),*];

            /// The name used in results.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Cause::$name => $key),*
                }
            }
        }
    };
}

causes! {
    /// In the host, until the submission queue has room.
    HostQueue = "host_queue",
    /// On the host link, and waiting for it: doorbell, command fetch, data.
    HostLink = "host_link",
    /// In the submission queue, until the drive fetches it.
    DeviceQueue = "device_queue",
    /// At the controller's processor, waiting included.
    Firmware = "firmware",
    /// At the system bus, waiting included.
    SystemBus = "system_bus",
    /// At the DRAM port, waiting included.
    Dram = "dram",
    /// At the ECC engine, waiting included.
    Ecc = "ecc",
    /// In the data cache: at its DRAM, waiting included.
    Cache = "cache",
    /// Waiting for room in the write buffer.
    WriteBuffer = "write_buffer",
    /// Waiting for data to be safe: a flush until what was written before is on flash, a write with force unit access until
    /// its own data are.
    Flush = "flush",
    /// Waiting for the mapping entry to be read from flash.
    MappingMiss = "mapping_miss",
    /// Waiting for an earlier write of the same page.
    SamePage = "same_page_write",
    /// Waiting for the old page of a partial write to be read.
    ReadModifyWrite = "read_modify_write",
    /// Waiting for garbage collection to free a block.
    FreeBlocks = "free_blocks",
    /// Waiting for the chip, busy with (or queued behind) user requests.
    ChipBusyUser = "chip_busy_user",
    /// Waiting for the chip, busy with reads of garbage collection.
    ChipBusyGcRead = "chip_busy_gc_read",
    /// Waiting for the chip, busy with programs of garbage collection.
    ChipBusyGcProgram = "chip_busy_gc_program",
    /// Waiting for the chip, busy with erases.
    ChipBusyErase = "chip_busy_erase",
    /// Waiting for the chip, busy with reads and programs of mapping tables.
    ChipBusyMapping = "chip_busy_mapping",
    /// The chip was ready, but no path to it was free.
    PathConflict = "path_conflict",
    /// The path was being set up: scouts on their way, controllers agreeing.
    PathReservation = "path_reservation",
    /// Command and address on the wires.
    CommandTransfer = "command_transfer",
    /// Array read.
    ArrayRead = "array_read",
    /// Array program.
    ArrayProgram = "array_program",
    /// Its own program was suspended for reads of others.
    Suspended = "suspended",
    /// Reading again what could not be corrected, or programming again what failed.
    Retry = "retry",
    /// Data on the wires.
    DataTransfer = "data_transfer",
    /// Completion entry on its way to the host, waiting for room in the completion queue included.
    Completion = "completion",
}

/// Number of causes.
pub const CAUSES: usize = Cause::ALL.len();

/// Time by cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ledger(pub [Time; CAUSES]);

impl Ledger {
    /// Nothing charged.
    pub const EMPTY: Ledger = Ledger([Time::ZERO; CAUSES]);

    /// Charges `span` to `cause`.
    pub fn charge(&mut self, cause: Cause, span: Time) {
        self.0[cause as usize] += span;
    }

    /// Adds another ledger's charges.
    pub fn add(&mut self, other: &Ledger) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += *theirs;
        }
    }

    /// What is charged to `cause`.
    pub fn get(&self, cause: Cause) -> Time {
        self.0[cause as usize]
    }

    /// All charges together.
    pub fn total(&self) -> Time {
        Time(self.0.iter().map(|t| t.0).sum())
    }
}

/// A ledger and the moment up to which it is filled: whoever charges it moves that moment on, so that nothing is left
/// out and nothing is charged twice.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Charges so far.
    pub ledger: Ledger,
    /// Until when time is charged.
    pub since: Time,
}

impl Account {
    /// An account opened at `now`.
    pub fn open(now: Time) -> Account {
        Account { ledger: Ledger::EMPTY, since: now }
    }

    /// Charges everything since the last charge to `cause`.
    pub fn charge(&mut self, cause: Cause, now: Time) {
        self.ledger.charge(cause, now - self.since);
        self.since = now;
    }

    /// Charges at most `span` of the time since the last charge to `cause`, and returns how much that was.
    pub fn charge_up_to(&mut self, cause: Cause, span: Time, now: Time) -> Time {
        let part = span.min(now - self.since);
        self.ledger.charge(cause, part);
        self.since += part;
        part
    }
}
