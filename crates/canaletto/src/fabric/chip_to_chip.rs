use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::page_registers::PageRegisters;
use crate::flash::address::ChipId;

/// Defaults fit a fabric without such paths: constants, so that calls compile away.
pub trait ChipToChip<E> {
    /// If so, every function below must be defined.
    const JOINS_CHIPS: bool = false;

    fn can_copy(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    /// Of the chips, which receive copies. None if none can be made.
    fn registers(&self) -> Option<&PageRegisters> {
        None
    }

    fn registers_mut(&mut self) -> Option<&mut PageRegisters> {
        None
    }

    fn copy_is_free(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    fn copy_time(&self, _bytes: u64) -> Time {
        Time::ZERO
    }

    /// Into a register kept for it. Requires [`ChipToChip::copy_is_free`].
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

    fn keep_columns(&mut self, _kept: impl Fn(ChipId) -> bool) {}
}
