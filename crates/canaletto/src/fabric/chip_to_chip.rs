//! Pages sent directly from chip to chip: an ability of some fabrics.

use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::flash::address::ChipId;

/// Paths from chip to chip of a fabric with events of type `E`.
///
/// The defaults fit a fabric without any: constants, so that calls compile away.
pub trait ChipToChip<E> {
    /// Whether there are such paths. If so, every function below must be defined.
    const JOINS_CHIPS: bool = false;

    /// Whether pages can be sent from this chip to that one.
    fn can_copy(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    fn reserve_register(&mut self, _chip: ChipId) -> bool {
        false
    }

    fn release_register(&mut self, _chip: ChipId) {}

    /// Whether a page may be sent from chip to chip now: a path is free.
    fn copy_is_free(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

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
        _later: &mut impl FnMut(Time, E),
    ) -> PathId {
        unreachable!("this fabric sends nothing from chip to chip")
    }

    /// Whether a page must pass a controller after that many direct `copies`.
    fn must_check(&self, _copies: u32) -> bool {
        false
    }

    fn check_time(&self) -> Time {
        Time::ZERO
    }

    /// From now on, column paths of chips that are `kept` carry copies only.
    fn keep_columns(&mut self, _kept: impl Fn(ChipId) -> bool) {}
}
