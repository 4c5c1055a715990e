//! The engine as a C library: a drive that other simulators step. `include/canaletto.h` is made of this file.
//!
//! Nothing unwinds into the caller: a defect of the engine becomes [`canaletto_status::CANALETTO_DEFECT`].

#![allow(non_camel_case_types, reason = "names of C")]

mod error;
mod handle;

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use canaletto::config::load_design;
use canaletto::drive::{Completion, Drive, DriveOptions, Wanted};
use canaletto::engine::time::Time;
use canaletto::host::request::Kind;
use canaletto::measure::blame::Cause;

use crate::error::{Failure, guarded};
use crate::handle::{canaletto_drive, with};

/// Version of this interface. It grows with every change that breaks a program that was compiled with an older header.
pub const CANALETTO_ABI: u32 = 1;

/// Flag of a write that is complete only once it is on flash (force unit access).
pub const CANALETTO_FUA: u32 = 1;

/// A moment that never comes.
pub const CANALETTO_NEVER: u64 = u64::MAX;

/// How a call went.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum canaletto_status {
    /// Well.
    CANALETTO_OK = 0,
    /// Something that is not allowed was given. Nothing has changed.
    CANALETTO_INVALID = 1,
    /// The simulation cannot go on. The drive takes no more requests.
    CANALETTO_FAILED = 2,
    /// The engine has a defect. The drive takes no more requests.
    CANALETTO_DEFECT = 3,
    /// Another call is using the drive: a drive serves one thread at a time. Nothing has changed.
    CANALETTO_BUSY = 4,
}

/// Operation of a request.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum canaletto_operation {
    /// Read sectors.
    CANALETTO_READ = 0,
    /// Write sectors.
    CANALETTO_WRITE = 1,
    /// Forget sectors (Dataset Management with the Deallocate attribute).
    CANALETTO_TRIM = 2,
    /// Put on flash what was written before. Has no sectors.
    CANALETTO_FLUSH = 3,
    /// Write zeroes, without data on the link.
    CANALETTO_WRITE_ZEROES = 4,
    /// Write sectors at the write pointer of the zone that begins at `lba` (Zone Append).
    CANALETTO_APPEND = 5,
    /// Empty the zone that begins at `lba` (Reset Zone). Has no sectors, as the commands below.
    CANALETTO_RESET = 6,
    /// Make a zone full (Finish Zone).
    CANALETTO_FINISH = 7,
    /// Open a zone (Open Zone).
    CANALETTO_OPEN = 8,
    /// Close a zone (Close Zone).
    CANALETTO_CLOSE = 9,
}
use canaletto_operation::{
    CANALETTO_APPEND, CANALETTO_CLOSE, CANALETTO_FINISH, CANALETTO_FLUSH, CANALETTO_OPEN, CANALETTO_READ,
    CANALETTO_RESET, CANALETTO_TRIM, CANALETTO_WRITE, CANALETTO_WRITE_ZEROES,
};

/// A request that is complete.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct canaletto_completion {
    /// Tag with which it was submitted.
    pub tag: u64,
    /// When the host wanted it, in picoseconds.
    pub arrival_ps: u64,
    /// When it entered the submission queue, in picoseconds.
    pub enqueued_ps: u64,
    /// When the host had dealt with its completion, in picoseconds.
    pub completed_ps: u64,
    /// 1 if it was completed with an error status, else 0.
    pub failed: u32,
}

/// Returns the version of this interface that the library has, to be compared with CANALETTO_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_abi() -> u32 {
    CANALETTO_ABI
}

/// Returns the version of canaletto.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns why this thread's last call that went wrong did. The text lives until the thread's next such call.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_last_error() -> *const c_char {
    error::last()
}

/// Makes a drive at time zero.
///
/// `name` is that of a preset, or of `toml` in messages; `toml` is the text of a design's file, or null. `settings` are
/// `count` texts "key=value" that change it. The drive is in the state that its design asks for; a preconditioned one was
/// written evenly.
///
/// # Safety
/// Texts end with a zero, `settings` has `count` of them, and `drive` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_open(
    name: *const c_char,
    toml: *const c_char,
    settings: *const *const c_char,
    count: usize,
    seed: u64,
    drive: *mut *mut canaletto_drive,
) -> canaletto_status {
    guarded(|| {
        if drive.is_null() || name.is_null() || (settings.is_null() && count > 0) {
            return Err(Failure::invalid("a pointer is null"));
        }
        // SAFETY: the caller vouches for the texts.
        let (name, toml) = unsafe { (text(name)?, if toml.is_null() { None } else { Some(text(toml)?) }) };
        // SAFETY: as above; each is looked at by itself.
        let settings: Result<Vec<_>, _> =
            (0..count).map(|i| unsafe { text(*settings.add(i)).map(str::to_owned) }).collect();
        let design = load_design(name, toml, &settings?).map_err(Failure::invalid)?;
        let made = Drive::new(&design, &DriveOptions { seed, ..DriveOptions::default() })?;
        // SAFETY: it is not null, and the caller vouches for it.
        unsafe { *drive = handle::open(made) };
        Ok(())
    })
}

/// Ends a drive, unless another call is using it. Null is none. Later calls with the drive are refused.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_close(drive: *mut canaletto_drive) -> canaletto_status {
    if drive.is_null() {
        return canaletto_status::CANALETTO_OK;
    }
    // SAFETY: the caller vouches for it.
    guarded(|| unsafe { handle::close(drive) })
}

/// Returns the sectors of 512 B that requests can address; 0 if it is none.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_sectors(drive: *const canaletto_drive) -> u64 {
    let mut found = 0;
    guarded(|| {
        // SAFETY: the caller vouches for it.
        unsafe {
            with(drive, |handle| {
                found = handle.drive.sectors();
                Ok(())
            })
        }
    });
    found
}

/// Returns the simulated time that the drive has reached, in picoseconds; 0 if it is none.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_now(drive: *const canaletto_drive) -> u64 {
    let mut found = 0;
    guarded(|| {
        // SAFETY: the caller vouches for it.
        unsafe {
            with(drive, |handle| {
                found = handle.drive.now().0;
                Ok(())
            })
        }
    });
    found
}

/// Returns how many requests are submitted and not complete; 0 if it is none.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_outstanding(drive: *mut canaletto_drive) -> u64 {
    let mut found = 0;
    guarded(|| {
        // SAFETY: the caller vouches for it.
        unsafe {
            with(drive, |handle| {
                found = handle.drive.outstanding();
                Ok(())
            })
        }
    });
    found
}

/// Submits a request that arrives at `at_ps`, now or later. Requests that arrive at the same time keep their order. Nothing
/// happens before time goes on.
///
/// `operation` is one of canaletto_operation, `flags` 0 or, of writes, CANALETTO_FUA. `tag` comes back with the completion, and need not be
/// unique.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_submit(
    drive: *mut canaletto_drive,
    at_ps: u64,
    operation: u32,
    flags: u32,
    lba: u64,
    sectors: u32,
    tag: u64,
) -> canaletto_status {
    guarded(|| {
        let wanted = wanted(operation, flags, lba, sectors)?;
        // SAFETY: the caller vouches for the drive.
        unsafe { with(drive, |handle| Ok(handle.drive.submit(Time(at_ps), wanted, tag)?)) }
    })
}

/// Returns when something happens next inside the drive, in picoseconds, if no request comes before; CANALETTO_NEVER if
/// nothing does.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_next_event(drive: *mut canaletto_drive) -> u64 {
    let mut due = None;
    guarded(|| {
        // SAFETY: the caller vouches for it.
        unsafe {
            with(drive, |handle| {
                due = handle.drive.next_event_time();
                Ok(())
            })
        }
    });
    due.map_or(CANALETTO_NEVER, |time| time.0)
}

/// Lets simulated time go on to `until_ps`: everything has happened that is due then or before.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_advance_to(drive: *mut canaletto_drive, until_ps: u64) -> canaletto_status {
    // SAFETY: the caller vouches for the drive.
    guarded(|| unsafe { with(drive, |handle| Ok(handle.drive.advance_to(Time(until_ps))?)) })
}

/// Lets simulated time go on until a request is complete, but not beyond `limit_ps`. `found` becomes 1 if one is, else 0; it
/// may be null.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null, and `found` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_advance_to_completion(
    drive: *mut canaletto_drive,
    limit_ps: u64,
    found: *mut u32,
) -> canaletto_status {
    guarded(|| {
        // SAFETY: the caller vouches for the drive.
        let is_complete = unsafe { with(drive, |handle| Ok(handle.drive.advance_to_completion(Time(limit_ps))?)) }?;
        if !found.is_null() {
            // SAFETY: it is not null, and the caller vouches for it.
            unsafe { *found = u32::from(is_complete) };
        }
        Ok(())
    })
}

/// Takes up to `room` requests that are complete, in the order of their completion, and returns how many.
///
/// `blame_ps` is null, or has room for `room` times canaletto_causes() numbers: for each request, the picoseconds that each
/// cause took of the time between arrival and completion.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null; `completions` and `blame_ps` can be written to so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_take(
    drive: *mut canaletto_drive,
    completions: *mut canaletto_completion,
    blame_ps: *mut u64,
    room: usize,
) -> usize {
    let mut taken = 0;
    guarded(|| {
        if completions.is_null() && room > 0 {
            return Err(Failure::invalid("a pointer is null"));
        }
        let take = |handle: &mut handle::Stepped| {
            if handle.ready.is_empty() {
                handle.ready.extend(handle.drive.completions());
            }
            while taken < room {
                let Some(done) = handle.ready.pop_front() else { break };
                // SAFETY: `taken` is below `room`, for which the caller vouches.
                unsafe { completions.add(taken).write(completion(&done)) };
                for (cause, span) in done.blame.0.iter().enumerate().filter(|_| !blame_ps.is_null()) {
                    // SAFETY: as above, with all causes for each request.
                    unsafe { blame_ps.add(taken * canaletto_causes() + cause).write(span.0) };
                }
                taken += 1;
            }
            Ok(())
        };
        // SAFETY: the caller vouches for the drive.
        unsafe { with(drive, take) }
    });
    taken
}

/// Returns the number of causes of latency.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_causes() -> usize {
    Cause::ALL.len()
}

/// Returns the name of a cause, as in results; null from canaletto_causes() on. The text lives for ever.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_cause(cause: usize) -> *const c_char {
    static NAMES: std::sync::OnceLock<Vec<CString>> = std::sync::OnceLock::new();
    let names = NAMES.get_or_init(|| Cause::ALL.iter().filter_map(|cause| CString::new(cause.key()).ok()).collect());
    names.get(cause).map_or(ptr::null(), |name| name.as_ptr())
}

/// Gives the results so far as JSON, with the fields of `canaletto run --json`, as if the run had ended now. The text is to be
/// freed with canaletto_free_text.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null, and `json` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_results(drive: *mut canaletto_drive, json: *mut *mut c_char) -> canaletto_status {
    guarded(|| {
        if json.is_null() {
            return Err(Failure::invalid("a pointer is null"));
        }
        // SAFETY: the caller vouches for the drive.
        let report = unsafe { with(drive, |handle| Ok(handle.drive.report())) }?;
        let text = serde_json::to_string(&report).map_err(Failure::invalid)?;
        let text = CString::new(text).map_err(Failure::invalid)?;
        // SAFETY: it is not null, and the caller vouches for it.
        unsafe { *json = text.into_raw() };
        Ok(())
    })
}

/// Gives a drive at this moment as bytes, from which canaletto_restore continues as the drive does. Requests that are submitted
/// are part of it, completions that wait to be taken after others were are not: they are to be taken first. The bytes are to be
/// freed with canaletto_free_bytes.
///
/// # Safety
/// `drive` comes from canaletto_open or canaletto_restore, or is null, and `bytes` and `length` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_snapshot(
    drive: *mut canaletto_drive,
    bytes: *mut *mut u8,
    length: *mut usize,
) -> canaletto_status {
    guarded(|| {
        if bytes.is_null() || length.is_null() {
            return Err(Failure::invalid("a pointer is null"));
        }
        let snapshot = |handle: &mut handle::Stepped| {
            if !handle.ready.is_empty() {
                return Err(Failure::invalid("completions wait to be taken: take them before a snapshot"));
            }
            Ok(handle.drive.snapshot()?.into_boxed_slice())
        };
        // SAFETY: the caller vouches for the drive.
        let made = unsafe { with(drive, snapshot) }?;
        // SAFETY: they are not null, and the caller vouches for them.
        unsafe { (*length, *bytes) = (made.len(), Box::into_raw(made).cast()) };
        Ok(())
    })
}

/// Makes a drive of a snapshot, which has its design. It repeats what the drive was told, and takes as long as that took.
///
/// # Safety
/// `bytes` has `length` bytes, and `drive` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_restore(
    bytes: *const u8,
    length: usize,
    drive: *mut *mut canaletto_drive,
) -> canaletto_status {
    guarded(|| {
        if bytes.is_null() || drive.is_null() {
            return Err(Failure::invalid("a pointer is null"));
        }
        // SAFETY: the caller vouches for the bytes.
        let made = Drive::restore(unsafe { std::slice::from_raw_parts(bytes, length) })?;
        // SAFETY: it is not null, and the caller vouches for it.
        unsafe { *drive = handle::open(made) };
        Ok(())
    })
}

/// Frees the `length` bytes of a snapshot. Null is none.
///
/// # Safety
/// `bytes` and `length` come from canaletto_snapshot, and are not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_free_bytes(bytes: *mut u8, length: usize) {
    if !bytes.is_null() {
        // SAFETY: they were a boxed slice of this length, and the caller gives it back.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(bytes, length)) });
    }
}

/// Frees a text. Null is none.
///
/// # Safety
/// `text` comes from canaletto_results, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_free_text(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it was made by `CString::into_raw`, and the caller gives it back.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// The text behind a pointer.
///
/// # Safety
/// It ends with a zero and lives as long as is asked for.
unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::invalid("a pointer is null"));
    }
    // SAFETY: the caller vouches for it.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(Failure::invalid)
}

fn wanted(operation: u32, flags: u32, lba: u64, sectors: u32) -> Result<Wanted, Failure> {
    const READ: u32 = CANALETTO_READ as u32;
    const WRITE: u32 = CANALETTO_WRITE as u32;
    const TRIM: u32 = CANALETTO_TRIM as u32;
    const FLUSH: u32 = CANALETTO_FLUSH as u32;
    const WRITE_ZEROES: u32 = CANALETTO_WRITE_ZEROES as u32;
    const APPEND: u32 = CANALETTO_APPEND as u32;
    const RESET: u32 = CANALETTO_RESET as u32;
    const FINISH: u32 = CANALETTO_FINISH as u32;
    const OPEN: u32 = CANALETTO_OPEN as u32;
    const CLOSE: u32 = CANALETTO_CLOSE as u32;
    let wanted = match operation {
        READ => Wanted::read(lba, sectors),
        WRITE => Wanted::write(lba, sectors),
        TRIM => Wanted::trim(lba, sectors),
        FLUSH => Wanted::flush(),
        WRITE_ZEROES => Wanted::write_zeroes(lba, sectors),
        APPEND => Wanted::append(lba, sectors),
        RESET => Wanted::of_zone(Kind::Reset, lba),
        FINISH => Wanted::of_zone(Kind::Finish, lba),
        OPEN => Wanted::of_zone(Kind::Open, lba),
        CLOSE => Wanted::of_zone(Kind::Close, lba),
        _ => return Err(Failure::invalid(format!("got operation {operation}, expected 0 to {CLOSE}"))),
    };
    match (operation, flags) {
        (_, 0) => Ok(wanted),
        (WRITE | WRITE_ZEROES, CANALETTO_FUA) => Ok(wanted.with_fua()),
        (WRITE | WRITE_ZEROES, _) => Err(Failure::invalid(format!("got flags {flags}, expected 0 or CANALETTO_FUA"))),
        _ => Err(Failure::invalid(format!("got flags {flags} of operation {operation}, which has none: expected 0"))),
    }
}

fn completion(done: &Completion) -> canaletto_completion {
    canaletto_completion {
        tag: done.tag,
        arrival_ps: done.arrival.0,
        enqueued_ps: done.enqueue.0,
        completed_ps: done.completed.0,
        failed: u32::from(done.failed),
    }
}
