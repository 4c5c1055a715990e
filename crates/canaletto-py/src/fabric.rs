//! Fabrics that a Python class plans.

use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use canaletto::config::design::{Blueprint, Design};
use canaletto::config::own::fabric::{Grants, Plan, Plans, View};
use canaletto::engine::time::Time;
use canaletto::fabric::custom::places_of_controllers;
use canaletto::fabric::wires::Place;
use canaletto::fabric::{Direction, FabricKind, PathId};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::errors::config_error;
use crate::own::Raised;

/// Transfer that waits for a way.
#[pyclass(frozen, get_all, module = "canaletto")]
pub struct Transfer {
    /// Until the transfer has crossed.
    id: u32,
    /// Place of its chip.
    chip: (u32, u32),
    /// Whether data come from the chip (a read).
    from_chip: bool,
    /// Time on its links, in nanoseconds.
    wire_ns: f64,
    /// Simulated time of its request, in nanoseconds.
    since_ns: f64,
}

#[pymethods]
impl Transfer {
    fn __repr__(&self) -> String {
        let (row, column) = self.chip;
        let way = if self.from_chip { "from" } else { "to" };
        format!("transfer {} {way} chip {row},{column}", self.id)
    }
}

struct Class {
    /// Makes an object of it for each run.
    make: Py<PyAny>,
    array: Py<PyAny>,
    columns: u32,
    raised: Arc<Raised>,
}

impl Debug for Class {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a fabric in Python")
    }
}

impl Plans for Class {
    fn begin(&self) -> Box<dyn Plan> {
        let made = Python::attach(|py| self.make.call1(py, (&self.array,)));
        Box::new(Object { made, columns: self.columns, raised: self.raised.clone() })
    }
}

struct Object {
    made: PyResult<Py<PyAny>>,
    columns: u32,
    raised: Arc<Raised>,
}

impl Plan for Object {
    fn decide(&mut self, view: &View<'_>, grants: &mut Grants) -> Result<(), String> {
        let decided = Python::attach(|py| match &self.made {
            Ok(object) => ask(py, object.bind(py), view, self.columns, grants),
            Err(error) => Err(error.clone_ref(py)),
        });
        decided.map_err(|error| self.raised.note(error))
    }
}

/// Reports what is new to an object, and takes the ways that it grants.
fn ask(py: Python<'_>, object: &Bound<'_, PyAny>, view: &View<'_>, columns: u32, grants: &mut Grants) -> PyResult<()> {
    let ns = |time: Time| time.0 as f64 / 1e3;
    let arrived = view.waiting[view.waiting.len() - view.arrived..].iter().map(|asked| Transfer {
        id: asked.path.0,
        chip: (asked.transfer.chip.0 / columns, asked.transfer.chip.0 % columns),
        from_chip: asked.transfer.direction == Direction::FromChip,
        wire_ns: ns(asked.transfer.time()),
        since_ns: ns(asked.since),
    });
    let arrived: Vec<Py<Transfer>> = arrived.map(|transfer| Py::new(py, transfer)).collect::<PyResult<_>>()?;
    let freed = PyList::new(py, view.freed)?;
    let ways = object.call_method1(pyo3::intern!(py, "_step"), (ns(view.now), arrived, freed))?;
    for way in ways.try_iter()? {
        let (id, links): (u32, Vec<u32>) = way?.extract()?;
        grants.grant(PathId(id), links);
    }
    Ok(())
}

/// `array` makes the class's argument of rows, columns and places of controllers.
pub fn adopt(
    py: Python<'_>,
    design: &mut Design,
    make: Py<PyAny>,
    array: Py<PyAny>,
    raised: &Arc<Raised>,
) -> PyResult<()> {
    let (rows, columns) = (design.geometry.channels, design.geometry.chips_per_channel);
    if design.fabric.kind != FabricKind::Custom {
        return Err(config_error("fabric.kind: expected \"custom\" together with a user-defined fabric"));
    }
    let controllers = places_of_controllers(&design.fabric, rows, columns);
    let array = array.call1(py, (rows, columns, PyTuple::new(py, &controllers)?))?;
    let links: Vec<Vec<Place>> = make.call1(py, (&array,))?.call_method0(py, "_checked_links")?.extract(py)?;
    let name: String = make.getattr(py, "__name__")?.extract(py)?;
    let plans = Arc::new(Class { make, array, columns, raised: raised.clone() });
    let blueprint = Blueprint { name, links: Arc::new(links), plans };
    let refused = |problem| config_error(format!("fabric {}: links: {problem}", blueprint.name));
    blueprint.check(rows, columns, &controllers).map_err(refused)?;
    design.fabric.blueprint = Some(blueprint);
    Ok(())
}
