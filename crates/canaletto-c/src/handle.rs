//! Drives behind pointers that programs hold.
//!
//! Memory behind a pointer is never freed, so that a call with a closed drive is noticed. A closed drive takes less
//! than a cache line.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use canaletto::drive::{Completion, Drive};

use crate::error::Failure;

/// Magic words of a drive: ASCII, so that a dump of memory shows them.
const IDLE: u64 = u64::from_ne_bytes(*b"canalett");
const IN_USE: u64 = u64::from_ne_bytes(*b"in use..");
const CLOSED: u64 = u64::from_ne_bytes(*b"closed..");

/// A drive with its host link and queues, at some moment of simulated time.
pub struct canaletto_drive {
    /// Is there a drive, and is a call using it?
    magic: AtomicU64,
    /// Belongs to the call that has made the word `IN_USE`.
    stepped: UnsafeCell<Option<Box<Stepped>>>,
}

pub struct Stepped {
    pub drive: Drive,
    pub ready: VecDeque<Completion>,
}

/// Keeps closed drives reachable, for tools that look for lost memory.
struct Kept(#[expect(dead_code, reason = "held, not read")] *mut canaletto_drive);

// SAFETY: nothing is read or written through it.
unsafe impl Send for Kept {}

static CLOSED_DRIVES: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

pub fn open(drive: Drive) -> *mut canaletto_drive {
    let stepped = Box::new(Stepped { drive, ready: VecDeque::new() });
    let made = canaletto_drive { magic: AtomicU64::new(IDLE), stepped: UnsafeCell::new(Some(stepped)) };
    Box::into_raw(Box::new(made))
}

/// Calls of other threads with the drive are refused meanwhile.
///
/// # Safety
/// As for [`with`].
pub unsafe fn close(drive: *mut canaletto_drive) -> Result<(), Failure> {
    // SAFETY: the caller vouches for it.
    let mut used = unsafe { InUse::of(drive) }?;
    used.afterwards = CLOSED;
    CLOSED_DRIVES.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(Kept(drive));
    // SAFETY: `used` has it for this call alone.
    drop(unsafe { (*used.handle.stepped.get()).take() });
    Ok(())
}

/// # Safety
/// `drive` is null, or comes from [`open`].
pub unsafe fn with<T>(
    drive: *const canaletto_drive,
    call: impl FnOnce(&mut Stepped) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // SAFETY: the caller vouches for it.
    let used = unsafe { InUse::of(drive) }?;
    // SAFETY: `used` has it for this call alone.
    match unsafe { &mut *used.handle.stepped.get() } {
        Some(stepped) => call(stepped),
        None => Err(closed()),
    }
}

/// Until this is dropped, also by a panic.
struct InUse<'a> {
    handle: &'a canaletto_drive,
    afterwards: u64,
}

impl<'a> InUse<'a> {
    /// # Safety
    /// As for [`with`].
    unsafe fn of(drive: *const canaletto_drive) -> Result<InUse<'a>, Failure> {
        if !drive.is_aligned() {
            return Err(Failure::invalid("the pointer is not a drive's"));
        }
        // SAFETY: the caller vouches for it, and what `open` made is never freed.
        let handle = unsafe { drive.as_ref() }.ok_or_else(|| Failure::invalid("the drive is null"))?;
        match handle.magic.compare_exchange(IDLE, IN_USE, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(InUse { handle, afterwards: IDLE }),
            Err(IN_USE) => Err(Failure::busy("another call is using the drive: it serves one thread at a time")),
            Err(CLOSED) => Err(closed()),
            Err(_) => Err(Failure::invalid("the pointer is not a drive's")),
        }
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.handle.magic.store(self.afterwards, Ordering::Release);
    }
}

fn closed() -> Failure {
    Failure::invalid("the drive is closed")
}
