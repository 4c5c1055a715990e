//! Blame: every picosecond of a request's latency is charged to exactly one cause.

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::engine::time::Time;

macro_rules! causes {
    ($($(#[doc = $doc:literal])* $name:ident = $key:literal),* $(,)?) => {
        /// Cause of a part of a request's latency.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Cause {
            $($(#[doc = $doc])* $name),*
        }

        impl Cause {
            /// Every cause. Requests meet the first ones in this order.
            pub const ALL: [Cause; [$($key),*].len()] = [$(Cause::$name),*];

            /// Returns the name used in results.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Cause::$name => $key),*
                }
            }
        }

        #[cfg(test)]
        impl JsonSchema for Cause {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Cause".into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": "Cause of a part of a request's latency.",
                    "oneOf": [$({"const": $key, "description": concat!($($doc),*).trim()}),*],
                })
            }
        }
    };
}

causes! {
    /// Wait in the host until the submission queue has room.
    HostQueue = "host_queue",
    /// Transfer over the host link, and the wait for it: doorbell, command fetch, data.
    HostLink = "host_link",
    /// Wait in the submission queue until the drive fetches the command.
    DeviceQueue = "device_queue",
    /// Service by the controller's processor, and the wait for it.
    Firmware = "firmware",
    /// Transfer over the system bus, and the wait for it.
    SystemBus = "system_bus",
    /// Transfer over the DRAM port, and the wait for it.
    Dram = "dram",
    /// Service by the ECC engine, and the wait for it.
    Ecc = "ecc",
    /// Transfer to or from the data cache's DRAM, and the wait for it.
    Cache = "cache",
    /// Wait for room in the write buffer.
    WriteBuffer = "write_buffer",
    /// Wait for data to reach the flash: a flush waits for all earlier writes, a write with force unit access for its
    /// own data.
    Flush = "flush",
    /// Wait for the mapping entry to be read from flash.
    MappingMiss = "mapping_miss",
    /// Wait for an earlier write of the same page.
    SamePage = "same_page_write",
    /// Wait for the old page of a partial write to be read.
    ReadModifyWrite = "read_modify_write",
    /// Wait for garbage collection to free a block.
    FreeBlocks = "free_blocks",
    /// Wait for the chip, which is busy with (or has queued before) other user requests.
    ChipBusyUser = "chip_busy_user",
    /// Wait for the chip, which is busy with reads of garbage collection.
    ChipBusyGcRead = "chip_busy_gc_read",
    /// Wait for the chip, which is busy with programs of garbage collection.
    ChipBusyGcProgram = "chip_busy_gc_program",
    /// Wait for the chip, which is busy with erases.
    ChipBusyErase = "chip_busy_erase",
    /// Wait for the chip, which is busy with reads and programs of mapping tables.
    ChipBusyMapping = "chip_busy_mapping",
    /// Wait for the chip, which is busy with folding: reads of the pseudo-SLC cache and the programs that copy it.
    ChipBusyFolding = "chip_busy_folding",
    /// Wait for the chip, which is busy with parity: programs of it, and reads of pages of which another one is rebuilt.
    ChipBusyParity = "chip_busy_parity",
    /// Wait for a path to a chip that is ready.
    PathConflict = "path_conflict",
    /// Set-up of the path: scouts in flight, messages between controllers.
    PathReservation = "path_reservation",
    /// Transfer of command and address.
    CommandTransfer = "command_transfer",
    /// Wait until the controller has learnt that the array is done: its status on the wires, and the wait for the next poll.
    Status = "status",
    /// Array read.
    ArrayRead = "array_read",
    /// Array program.
    ArrayProgram = "array_program",
    /// Suspension of the page's own program for reads of others.
    Suspended = "suspended",
    /// Repeated read of data that could not be corrected, or repeated program after a failure.
    Retry = "retry",
    /// Transfer of data.
    DataTransfer = "data_transfer",
    /// Transfer of the completion entry to the host, and the wait for room in the completion queue.
    Completion = "completion",
    /// Crossing of others' commands and data, which keeps busy what is waited for. Root causes only: blame charges the wait to
    /// what is waited for.
    TransferOfOthers = "transfer_of_others",
    /// Transfer of an operand of a task to the chip that combines it: from another chip, or from the controller.
    OperandTransfer = "operand_transfer",
    /// Computation of a task, and the wait for its unit and for room there.
    Compute = "compute",
}

impl Cause {
    /// Whether blame charges anything to it: the others are for root causes alone.
    pub const fn is_blamed(self) -> bool {
        !matches!(self, Cause::TransferOfOthers)
    }
}

/// Mean time by cause, in microseconds. Causes that never occurred are left out.
pub type CauseTable = BTreeMap<&'static str, f64>;

/// Schema of a [`CauseTable`].
#[cfg(test)]
pub struct ByCause;

#[cfg(test)]
impl JsonSchema for ByCause {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByCause".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "propertyNames": generator.subschema_for::<Cause>(),
            "additionalProperties": {"type": "number"},
        })
    }
}

/// Number of causes.
pub const CAUSES: usize = Cause::ALL.len();

/// Time charged to causes.
pub trait Account {
    /// Adds the charges to a ledger.
    fn add_to(&self, ledger: &mut Ledger);
}

impl Account for Ledger {
    fn add_to(&self, ledger: &mut Ledger) {
        ledger.add(self);
    }
}

/// Time charged to each cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ledger(pub [Time; CAUSES]);

impl Ledger {
    /// Ledger without charges.
    pub const EMPTY: Ledger = Ledger([Time::ZERO; CAUSES]);

    /// Ledger with the charges of an account.
    pub fn of(account: &impl Account) -> Ledger {
        let mut ledger = Ledger::EMPTY;
        account.add_to(&mut ledger);
        ledger
    }

    /// Charges `span` to `cause`.
    #[inline]
    pub fn charge(&mut self, cause: Cause, span: Time) {
        self.0[cause as usize] += span;
    }

    /// Adds another ledger's charges.
    #[inline]
    pub fn add(&mut self, other: &Ledger) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += *theirs;
        }
    }

    /// Takes back a part of a charge.
    pub fn discharge(&mut self, cause: Cause, span: Time) {
        self.0[cause as usize] = self.0[cause as usize] - span;
    }

    /// Adds the charges from the ledger `before` to the ledger `after` of something else.
    pub fn add_difference(&mut self, after: &Ledger, before: &Ledger) {
        for (mine, (after, before)) in self.0.iter_mut().zip(after.0.iter().zip(&before.0)) {
            *mine += *after - *before;
        }
    }

    /// Returns the time charged to `cause`.
    pub fn get(&self, cause: Cause) -> Time {
        self.0[cause as usize]
    }

    /// Returns the sum of all charges.
    pub fn total(&self) -> Time {
        Time(self.0.iter().map(|t| t.0).sum())
    }
}
