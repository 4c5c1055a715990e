//! Orders of transactions by a Python class.

use std::collections::HashMap;
use std::sync::Arc;

use canaletto::config::design::Design;
use canaletto::config::own::Own;
use canaletto::engine::time::Time;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::Work;
use canaletto::scheduler::custom::{OrderRule, Turn, Waiting};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::own::{Raised, make, shown};

/// Transaction that waits for its LUN under a `Scheduler`.
#[pyclass(frozen, get_all, module = "canaletto")]
pub struct Transaction {
    /// Number in the order of arrival.
    id: u64,
    /// Operation: `"read"`, `"program"` or `"erase"`.
    kind: &'static str,
    /// Purpose: `"host"`, `"cache"`, `"gc"` or `"mapping"`.
    work: &'static str,
    /// Number of the flow whose page it is; None for the drive's own work.
    flow: Option<u16>,
    /// Class of that flow, from 0, urgent, to 3, low.
    priority: u8,
    /// Number of the LUN that it waits for.
    lun: u32,
    /// Number of its plane.
    plane: u32,
    /// Data that cross to or from the chip, in bytes.
    bytes: u32,
    /// Simulated time of arrival at its LUN, in nanoseconds.
    since_ns: f64,
    /// Simulated time of its request's arrival, in nanoseconds.
    began_ns: f64,
    /// Expected time in its LUN, in nanoseconds.
    service_ns: f64,
}

#[pymethods]
impl Transaction {
    fn __repr__(&self) -> String {
        format!("Transaction {}, a {} for {} in plane {}", self.id, self.kind, self.work, self.plane)
    }
}

impl From<&Waiting> for Transaction {
    fn from(waiting: &Waiting) -> Transaction {
        Transaction {
            id: waiting.number,
            kind: match waiting.operation {
                Operation::Read => "read",
                Operation::Program => "program",
                Operation::Erase => "erase",
            },
            work: Work::NAMES[waiting.origin.work() as usize],
            flow: waiting.flow,
            priority: waiting.priority,
            lun: waiting.lun.0,
            plane: waiting.plane.0,
            bytes: waiting.bytes,
            since_ns: ns(waiting.queued),
            began_ns: ns(waiting.began),
            service_ns: ns(waiting.service),
        }
    }
}

fn ns(time: Time) -> f64 {
    time.0 as f64 / 1e3
}

struct Object {
    made: PyResult<Py<PyAny>>,
    waiting: HashMap<u64, Py<Transaction>>,
    raised: Arc<Raised>,
}

impl Object {
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.made.as_ref().map(|object| object.bind(py).clone()).map_err(|error| error.clone_ref(py))
    }

    fn tell(&mut self, py: Python<'_>, arrived: &[Waiting], gone: &[u64]) -> PyResult<()> {
        let object = self.object(py)?;
        let come = PyList::empty(py);
        for waiting in arrived {
            let transaction = Py::new(py, Transaction::from(waiting))?;
            come.append(transaction.clone_ref(py))?;
            self.waiting.insert(waiting.number, transaction);
        }
        if !arrived.is_empty() {
            object.call_method1(pyo3::intern!(py, "arrive"), (come,))?;
        }
        if !gone.is_empty() {
            let left = gone.iter().filter_map(|number| self.waiting.remove(number));
            object.call_method1(pyo3::intern!(py, "leave"), (left.collect::<Vec<_>>(),))?;
        }
        Ok(())
    }

    fn ask<'py>(&self, py: Python<'py>, turn: &Turn<'_>) -> PyResult<Bound<'py, PyAny>> {
        let ready = PyList::new(py, turn.ready.iter().map(|waiting| &self.waiting[&waiting.number]))?;
        let arguments = (ns(turn.now), turn.gc_urgent, turn.lun.0, ready);
        self.object(py)?.call_method1(pyo3::intern!(py, "_choose"), arguments)
    }
}

impl OrderRule for Object {
    fn hear(&mut self, arrived: &[Waiting], gone: &[u64]) -> Result<(), String> {
        Python::attach(|py| self.tell(py, arrived, gone).map_err(|error| self.raised.note(error)))
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<u64, String> {
        Python::attach(|py| match self.ask(py, turn) {
            Ok(answer) => match answer.cast::<Transaction>() {
                Ok(transaction) => Ok(transaction.get().id),
                Err(_) => Err(shown(&answer)),
            },
            Err(error) => Err(self.raised.note_at(py, error, &format!("next transaction of LUN {}", turn.lun.0))),
        })
    }
}

pub fn adopt(design: &mut Design, class: Py<PyAny>, raised: &Arc<Raised>) {
    let raised = raised.clone();
    let object = move || Object { made: make(&class), waiting: HashMap::new(), raised: raised.clone() };
    design.scheduler.rule = Some(Own::<dyn OrderRule>::new(move || Box::new(object())));
}
