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

/// Version of this interface. It grows with every change that breaks programs compiled with an older header.
pub const CANALETTO_ABI: u32 = 2;

/// Flag of a write that must be on flash before it is complete (force unit access).
pub const CANALETTO_FUA: u32 = 1;

/// Where the reclaim unit handle of a write, or of an update, begins in its flags: `handle << CANALETTO_HANDLE`.
pub const CANALETTO_HANDLE: u32 = 16;

/// A moment that never comes.
pub const CANALETTO_NEVER: u64 = u64::MAX;

/// Result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum canaletto_status {
    /// Well.
    CANALETTO_OK = 0,
    /// A given value is not allowed. Nothing has changed.
    CANALETTO_INVALID = 1,
    /// The simulation cannot continue. The drive takes no more requests.
    CANALETTO_FAILED = 2,
    /// The engine has a defect. The drive takes no more requests.
    CANALETTO_DEFECT = 3,
    /// Another thread is using the drive. Nothing has changed.
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
    /// Put earlier writes on flash, without sectors.
    CANALETTO_FLUSH = 3,
    /// Write zeroes, without data on the link.
    CANALETTO_WRITE_ZEROES = 4,
    /// Write sectors at the write pointer of the zone that begins at `lba` (Zone Append).
    CANALETTO_APPEND = 5,
    /// Empty the zone that begins at `lba` (Reset Zone), without sectors, like the commands below.
    CANALETTO_RESET = 6,
    /// Make a zone full (Finish Zone).
    CANALETTO_FINISH = 7,
    /// Open a zone (Open Zone).
    CANALETTO_OPEN = 8,
    /// Close a zone (Close Zone).
    CANALETTO_CLOSE = 9,
    /// Have a reclaim unit handle take another unit (Reclaim Unit Handle Update), without sectors.
    CANALETTO_HANDLE_UPDATE = 10,
}
use canaletto_operation::{
    CANALETTO_APPEND, CANALETTO_CLOSE, CANALETTO_FINISH, CANALETTO_FLUSH, CANALETTO_HANDLE_UPDATE, CANALETTO_OPEN,
    CANALETTO_READ, CANALETTO_RESET, CANALETTO_TRIM, CANALETTO_WRITE, CANALETTO_WRITE_ZEROES,
};

/// A complete request.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct canaletto_completion {
    /// Tag of its submission.
    pub tag: u64,
    /// When it arrived at the host, in picoseconds.
    pub arrival_ps: u64,
    /// When it entered the submission queue, in picoseconds.
    pub enqueued_ps: u64,
    /// When the host had handled its completion, in picoseconds.
    pub completed_ps: u64,
    /// First sector; of an append, the one that it was given.
    pub lba: u64,
    /// Status code of NVM Express; 0 is success.
    pub status: u32,
}

/// Version of the library's interface, to compare with CANALETTO_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_abi() -> u32 {
    CANALETTO_ABI
}

/// Version of canaletto.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Why this thread's last failed call failed. The text lives until its next failed call.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_last_error() -> *const c_char {
    error::last()
}

/// Makes a drive at time zero.
///
/// `name` is a preset's name or, with `toml`, a name for messages; `toml` is the text of a design's file, or null.
/// `settings` are `count` texts "key=value" that change it. The drive is in the state that its design asks for; a
/// preconditioned one was written evenly.
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

/// Ends a drive, unless another call is using it. Null has no effect. Later calls with the drive are refused.
///
/// # Safety
/// `drive` comes from this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_close(drive: *mut canaletto_drive) -> canaletto_status {
    if drive.is_null() {
        return canaletto_status::CANALETTO_OK;
    }
    // SAFETY: the caller vouches for it.
    guarded(|| unsafe { handle::close(drive) })
}

/// Sectors of 512 B that requests can address; 0 without a drive.
///
/// # Safety
/// `drive` is null or comes from this library.
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

/// Simulated time that the drive has reached, in picoseconds; 0 without a drive.
///
/// # Safety
/// `drive` is null or comes from this library.
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

/// Number of submitted requests that are not complete; 0 without a drive.
///
/// # Safety
/// `drive` is null or comes from this library.
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

/// Submits a request that arrives at `at_ps`, now or later. Requests of one time keep their order. Nothing happens
/// before time advances.
///
/// `operation` is one of canaletto_operation; `flags` is 0, or CANALETTO_FUA and a handle for a write. `tag` comes back with the
/// completion, and need not be unique.
///
/// # Safety
/// `drive` is null or comes from this library.
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

/// Time of the next event inside the drive, in picoseconds, if no request comes before; CANALETTO_NEVER if there is
/// none.
///
/// # Safety
/// `drive` is null or comes from this library.
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

/// Advances simulated time to `until_ps`, events due then included.
///
/// # Safety
/// `drive` is null or comes from this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canaletto_advance_to(drive: *mut canaletto_drive, until_ps: u64) -> canaletto_status {
    // SAFETY: the caller vouches for the drive.
    guarded(|| unsafe { with(drive, |handle| Ok(handle.drive.advance_to(Time(until_ps))?)) })
}

/// Advances simulated time until a request is complete, at most to `limit_ps`. `found` becomes 1 if one is, else 0; it
/// may be null.
///
/// # Safety
/// `drive` is null or comes from this library, and `found` can be written to.
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

/// Takes up to `room` complete requests, in the order of completion, and returns how many.
///
/// `blame_ps` is null, or has room for `room` times canaletto_causes() numbers: for each request, the picoseconds of
/// each cause.
///
/// # Safety
/// `drive` is null or comes from this library; `completions` and `blame_ps` have this room.
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

/// Number of causes of latency.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_causes() -> usize {
    Cause::ALL.len()
}

/// Name of a cause, as in results; null from canaletto_causes() on. The text lives for ever.
#[unsafe(no_mangle)]
pub extern "C" fn canaletto_cause(cause: usize) -> *const c_char {
    static NAMES: std::sync::OnceLock<Vec<CString>> = std::sync::OnceLock::new();
    let names = NAMES.get_or_init(|| Cause::ALL.iter().filter_map(|cause| CString::new(cause.key()).ok()).collect());
    names.get(cause).map_or(ptr::null(), |name| name.as_ptr())
}

/// Results so far as JSON, with the fields of `canaletto run --json`. Free the text with canaletto_free_text.
///
/// # Safety
/// `drive` is null or comes from this library, and `json` can be written to.
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

/// A drive at this moment as bytes, from which canaletto_restore continues. Submitted requests are part of it. Take
/// waiting completions first: they are not. Free the bytes with canaletto_free_bytes.
///
/// # Safety
/// `drive` is null or comes from this library; `bytes` and `length` can be written to.
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

/// Makes a drive of a snapshot, which has its design. It repeats the drive's requests, and takes as long as they took.
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

/// Frees the `length` bytes of a snapshot. Null has no effect.
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

/// Frees a text. Null has no effect.
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

/// # Safety
/// The text ends with a zero and lives as long as `'a`.
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
    const UPDATE: u32 = CANALETTO_HANDLE_UPDATE as u32;
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
        UPDATE => Wanted::update(),
        _ => return Err(Failure::invalid(format!("got operation {operation}, expected 0 to {UPDATE}"))),
    };
    let (handle, flags) = ((flags >> CANALETTO_HANDLE) as u16, flags & ((1 << CANALETTO_HANDLE) - 1));
    let wanted = wanted.with_handle(Some(handle).filter(|&handle| handle > 0));
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
        lba: done.lba,
        status: u32::from(done.status),
    }
}
