//! GC policies that a Python class states.

use std::sync::Arc;
use std::time::Instant;

use canaletto::config::design::Design;
use canaletto::config::own::Own;
use canaletto::ftl::reclaim::gc::policy::custom::{VictimRule, Victims};
use canaletto::ftl::steady::plane::MOST_VICTIMS;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::own::{Raised, make, shown};
use crate::watch::EVERY;

struct Object {
    made: PyResult<Py<PyAny>>,
    raised: Arc<Raised>,
    progress: Option<Py<PyAny>>,
    /// Victims chosen before the run.
    before: u64,
    last: Instant,
}

impl Object {
    /// Before the run, when the engine reports none.
    fn report(&mut self, py: Python<'_>) -> PyResult<()> {
        self.before += 1;
        if self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (self.before, MOST_VICTIMS, 0))?;
            }
        }
        Ok(())
    }
}

impl VictimRule for Object {
    fn choose(&mut self, victims: &Victims) -> Result<u32, String> {
        Python::attach(|py| {
            if victims.plane.is_none() {
                self.report(py).map_err(|error| self.raised.note(error))?;
            }
            let plane = victims.plane.map(|plane| plane.0);
            let place = || plane.map_or("before the run".to_owned(), |plane| format!("victims of plane {plane}"));
            match self.made.as_ref().map_err(|error| error.clone_ref(py)).and_then(|object| ask(py, object, victims)) {
                Ok(answer) => answer.extract().map_err(|_: PyErr| shown(&answer)),
                Err(error) => Err(self.raised.note_at(py, error, &place())),
            }
        })
    }
}

fn ask<'py>(py: Python<'py>, object: &Py<PyAny>, victims: &Victims) -> PyResult<Bound<'py, PyAny>> {
    let Victims { plane, pages_per_block, blocks, valid, age, since_opened, erases } = victims;
    let words = |column: &[u32]| bytes(py, column, |number| number.to_ne_bytes());
    let longs = |column: &[u64]| bytes(py, column, |number| number.to_ne_bytes());
    let columns = (words(blocks)?, words(valid)?, longs(age)?, longs(since_opened)?, words(erases)?);
    let arguments = (plane.map(|plane| plane.0), *pages_per_block, columns);
    object.bind(py).call_method1(pyo3::intern!(py, "_choose"), arguments)
}

/// In the machine's order of bytes.
fn bytes<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    column: &[T],
    raw: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, column.len() * N, |buffer| {
        buffer.chunks_exact_mut(N).zip(column).for_each(|(place, &number)| place.copy_from_slice(&raw(number)));
        Ok(())
    })
}

pub fn adopt(design: &mut Design, class: Py<PyAny>, raised: &Arc<Raised>, progress: Option<Py<PyAny>>) {
    let raised = raised.clone();
    let object = move || Object {
        made: make(&class),
        raised: raised.clone(),
        progress: Python::attach(|py| progress.as_ref().map(|each| each.clone_ref(py))),
        before: 0,
        last: Instant::now(),
    };
    design.gc.rule = Some(Own::<dyn VictimRule>::new(move || Box::new(object())));
}
