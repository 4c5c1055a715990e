//! GC policies that a Python class states.

use std::sync::Arc;

use canaletto::config::design::Design;
use canaletto::config::own::Own;
use canaletto::ftl::reclaim::gc::policy::custom::{VictimRule, Victims};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::own::{Raised, make, shown};

/// Object of a class during one run.
struct Object {
    made: PyResult<Py<PyAny>>,
    raised: Arc<Raised>,
}

impl VictimRule for Object {
    fn choose(&mut self, victims: &Victims) -> Result<u32, String> {
        Python::attach(|py| {
            let plane = victims.plane.map(|plane| plane.0);
            let place = || plane.map_or("before the run".to_owned(), |plane| format!("victims of plane {plane}"));
            match self.made.as_ref().map_err(|error| error.clone_ref(py)).and_then(|object| ask(py, object, victims)) {
                Ok(answer) => answer.extract().map_err(|_: PyErr| shown(&answer)),
                Err(error) => Err(self.raised.note_at(py, error, &place())),
            }
        })
    }
}

/// Hands columns on to an object, and returns its answer.
fn ask<'py>(py: Python<'py>, object: &Py<PyAny>, victims: &Victims) -> PyResult<Bound<'py, PyAny>> {
    let Victims { plane, pages_per_block, blocks, valid, age, since_opened, erases } = victims;
    let words = |column: &[u32]| bytes(py, column, |number| number.to_ne_bytes());
    let longs = |column: &[u64]| bytes(py, column, |number| number.to_ne_bytes());
    let columns = (words(blocks)?, words(valid)?, longs(age)?, longs(since_opened)?, words(erases)?);
    let arguments = (plane.map(|plane| plane.0), *pages_per_block, columns);
    object.bind(py).call_method1(pyo3::intern!(py, "_choose"), arguments)
}

/// A column as raw bytes, in the machine's order.
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

/// Gives a design the policy of a class.
pub fn adopt(design: &mut Design, class: Py<PyAny>, raised: &Arc<Raised>) {
    let raised = raised.clone();
    design.gc.rule =
        Some(Own::<dyn VictimRule>::new(move || Box::new(Object { made: make(&class), raised: raised.clone() })));
}
