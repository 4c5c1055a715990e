//! Pages sent straight from one chip to another, without passing a controller: an ability of some fabrics, next to
//! transfers.

use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::flash::address::ChipId;

/// Paths from chip to chip of a fabric with events of type `E`.
///
/// The defaults fit a fabric without any: constants, so that calls compile away.
pub trait ChipToChip<E> {
    /// Whether there are such paths. If so, every function below has to be defined.
    const JOINS_CHIPS: bool = false;

    /// Whether pages can be sent from this chip to that one.
    fn can_copy(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    /// Keeps a register of a chip for a page that must be sent there by [`ChipToChip::start_copy`]. Returns whether one is
    /// free.
    fn reserve_register(&mut self, _chip: ChipId) -> bool {
        false
    }

    /// Takes note that the page has been programmed from its register.
    fn release_register(&mut self, _chip: ChipId) {}

    /// Whether a page may be sent from chip to chip now: a path is free.
    fn copy_is_free(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    /// Time for which a page's `bytes` occupy the wires from chip to chip.
    fn copy_time(&self, _bytes: u64) -> Time {
        Time::ZERO
    }

    /// Sends a page from chip to chip, into a register kept for it. To be called only if [`ChipToChip::copy_is_free`].
    fn start_copy(
        &mut self,
        _from: ChipId,
        _to: ChipId,
        _time: Time,
        _now: Time,
        _later: &mut dyn FnMut(Time, E),
    ) -> PathId {
        unreachable!("this fabric sends nothing from chip to chip")
    }

    /// Whether a page that was sent directly `copies` times since it last passed a controller has to pass one now.
    fn must_check(&self, _copies: u32) -> bool {
        false
    }

    /// Time the receiving chip takes to look for errors before it can program.
    fn check_time(&self) -> Time {
        Time::ZERO
    }

    /// Leaves the paths along the columns of chips for which `kept` holds to copies alone, from now on.
    fn keep_columns(&mut self, _kept: impl Fn(ChipId) -> bool) {}
}
