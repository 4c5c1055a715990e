//! Failures of calls: a status, and a text for each thread.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use canaletto::RunError;
use canaletto::drive::{SnapshotError, SubmitError};

use crate::canaletto_status::{
    self, CANALETTO_BUSY, CANALETTO_DEFECT, CANALETTO_FAILED, CANALETTO_INVALID, CANALETTO_OK,
};

thread_local! {
    /// Why the thread's last call failed.
    static LAST: RefCell<CString> = RefCell::default();
}

pub struct Failure {
    status: canaletto_status,
    text: String,
}

impl Failure {
    pub fn invalid(text: impl ToString) -> Failure {
        Failure { status: CANALETTO_INVALID, text: text.to_string() }
    }

    pub fn busy(text: impl ToString) -> Failure {
        Failure { status: CANALETTO_BUSY, text: text.to_string() }
    }

    fn of(status: canaletto_status, error: &impl ToString) -> Failure {
        Failure { status, text: error.to_string() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Config(_) | RunError::Trace(_) => Failure::invalid(error),
            _ => Failure::of(CANALETTO_FAILED, &error),
        }
    }
}

impl From<SubmitError> for Failure {
    fn from(error: SubmitError) -> Failure {
        match error {
            SubmitError::Failed(_) => Failure::of(CANALETTO_FAILED, &error),
            _ => Failure::invalid(error),
        }
    }
}

impl From<SnapshotError> for Failure {
    fn from(error: SnapshotError) -> Failure {
        match error {
            SnapshotError::Failed(_) => Failure::of(CANALETTO_FAILED, &error),
            _ => Failure::invalid(error),
        }
    }
}

/// Errors and panics become a status and the thread's text.
pub fn guarded(call: impl FnOnce() -> Result<(), Failure>) -> canaletto_status {
    // A drive that was broken off says so itself when it is used again.
    let failure = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => return CANALETTO_OK,
        Ok(Err(failure)) => failure,
        Err(payload) => Failure { status: CANALETTO_DEFECT, text: defect(payload.as_ref()) },
    };
    // Texts of C end at a zero.
    let text = CString::new(failure.text.replace('\0', "")).unwrap_or_default();
    LAST.with(|last| last.replace(text));
    failure.status
}

fn defect(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    format!("a defect of the engine: {}", text.unwrap_or("no reason given"))
}

/// The thread's text.
pub fn last() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}
