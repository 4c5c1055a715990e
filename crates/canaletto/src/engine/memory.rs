//! The end of memory ends the run, not the process.
//!
//! Memory that grows with a run's work is asked for here. If there is none, the run is unwound and [`guarded`] makes an
//! error of it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::engine::error::RunError;

/// Of no size, because it must not need memory.
struct OutOfMemory;

struct Ended(String);

#[inline(always)]
pub fn make_room<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        grow(items, more);
    }
}

#[cold]
#[inline(never)]
fn grow<T>(items: &mut Vec<T>, more: usize) {
    if items.try_reserve(more).is_err() {
        resume_unwind(Box::new(OutOfMemory));
    }
}

/// With [`RunError::Own`].
pub fn end_run(why: String) -> ! {
    resume_unwind(Box::new(Ended(why)))
}

/// For types whose zeroes the system has ready.
pub fn zeroed<T: Clone + Default>(count: usize) -> Vec<T> {
    // Learns whether the request can be met; touches no memory.
    grow(&mut Vec::<T>::new(), count);
    vec![T::default(); count]
}

/// A prefetch: several fetches from memory overlap.
#[inline(always)]
pub fn expect<T>(item: &T) {
    let address = std::ptr::from_ref(item).cast::<u8>();
    let mut line = 0;
    while line < size_of::<T>() {
        expect_line(address.wrapping_add(line));
        line += CACHE_LINE;
    }
    // One that is not aligned may end in a further line. Small ones do not.
    if size_of::<T>() > size_of::<[u64; 2]>() {
        expect_line(address.wrapping_add(size_of::<T>() - 1));
    }
}

#[inline(always)]
fn expect_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint without any effect on memory, valid for every address; SSE is part of x86-64.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

const CACHE_LINE: usize = 64;

pub fn guarded<T>(run: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| match payload.downcast::<Ended>() {
        Ok(ended) => Err(RunError::Own(ended.0)),
        Err(payload) if payload.is::<OutOfMemory>() => Err(RunError::OutOfMemory),
        Err(payload) => resume_unwind(payload),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_MANY: usize = 1 << 50;

    #[test]
    fn a_failed_allocation_is_an_error_of_the_run() {
        let failed = guarded(|| {
            make_room(&mut vec![7u64], TOO_MANY);
            Ok(())
        });
        assert!(matches!(failed, Err(RunError::OutOfMemory)));
        assert!(matches!(guarded(|| Ok(zeroed::<u64>(TOO_MANY).len())), Err(RunError::OutOfMemory)));
        assert_eq!(guarded(|| Ok(zeroed::<[u64; 2]>(3))).unwrap(), [[0, 0]; 3]);
    }

    #[test]
    fn other_panics_stay_what_they_are() {
        let panicked = catch_unwind(|| guarded::<()>(|| resume_unwind(Box::new("a defect"))));
        assert_eq!(panicked.err().unwrap().downcast_ref::<&str>(), Some(&"a defect"));
    }
}
