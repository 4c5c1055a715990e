//! Parts of a drive that are Python classes: an object of each is made for each run.

use std::sync::{Arc, Mutex, PoisonError};

use canaletto::config::design::Design;
use pyo3::prelude::*;

use crate::{fabric, gc_policy, scheduler};

/// Instead of the engine's own parts.
#[derive(FromPyObject)]
pub struct Parts {
    pub fabric: Option<Py<PyAny>>,
    /// The class of the array that an object is made for.
    pub array: Py<PyAny>,
    pub gc_policy: Option<Py<PyAny>>,
    pub scheduler: Option<Py<PyAny>>,
}

impl Parts {
    /// Gives a design these parts. Returns where their exceptions end up.
    pub fn adopt(self, py: Python<'_>, design: &mut Design, progress: Option<&Py<PyAny>>) -> PyResult<Arc<Raised>> {
        let raised = Arc::new(Raised::default());
        if let Some(class) = self.fabric {
            fabric::adopt(py, design, class, self.array, &raised)?;
        }
        if let Some(class) = self.gc_policy {
            gc_policy::adopt(design, class, &raised, progress.map(|each| each.clone_ref(py)));
        }
        if let Some(class) = self.scheduler {
            scheduler::adopt(design, class, &raised);
        }
        Ok(raised)
    }
}

#[derive(Default)]
pub struct Raised(Mutex<Option<PyErr>>);

impl Raised {
    /// Raises the exception of a class, if any, instead of the run's error.
    pub fn instead_of<T>(raised: Option<Arc<Raised>>, py: Python<'_>, found: PyResult<T>) -> PyResult<T> {
        let own = |raised: Arc<Raised>| raised.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        found.map_err(|error| raised.and_then(own).unwrap_or_else(|| error.clone_ref(py)))
    }

    /// Returns its text for the engine.
    pub fn note(&self, error: PyErr) -> String {
        let text = error.to_string();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        text
    }

    /// With the place where it was raised.
    pub fn note_at(&self, py: Python<'_>, error: PyErr, place: &str) -> String {
        // An exception that takes no note goes without.
        let _ = error.value(py).call_method1(pyo3::intern!(py, "add_note"), (format!("({place})"),));
        self.note(error)
    }
}

pub fn make(class: &Py<PyAny>) -> PyResult<Py<PyAny>> {
    Python::attach(|py| class.call0(py))
}

pub fn shown(answer: &Bound<'_, PyAny>) -> String {
    answer.repr().map_or_else(|_| "what has no text".to_owned(), |text| format!("got {text}"))
}
