//! Columns of numbers as Python bytes, little-endian.

use canaletto::measure::blame::Cause;
use canaletto::measure::records::{EdgeColumns, Records};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

pub trait Number: Copy {
    const KIND: &'static str;
    const SIZE: usize;
    fn write(self, out: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ident)*) => {
        $(impl Number for $number {
            const KIND: &'static str = stringify!($number);
            const SIZE: usize = size_of::<$number>();
            fn write(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_le_bytes());
            }
        })*
    };
}
numbers! { u8 u16 u32 u64 }

pub fn insert<N: Number>(
    columns: &Bound<PyDict>,
    name: &str,
    values: impl ExactSizeIterator<Item = N>,
) -> PyResult<()> {
    let bytes = PyBytes::new_with(columns.py(), values.len() * N::SIZE, |out| {
        for (place, value) in out.chunks_exact_mut(N::SIZE).zip(values) {
            value.write(place);
        }
        Ok(())
    })?;
    columns.set_item(name, (N::KIND, bytes))
}

/// Absent if all requests are of whole sectors.
pub fn insert_edges(columns: &Bound<PyDict>, edges: EdgeColumns) -> PyResult<()> {
    if !edges.before.is_empty() {
        insert(columns, "before", edges.before.into_iter())?;
        insert(columns, "behind", edges.behind.into_iter())?;
    }
    Ok(())
}

/// Each column is freed once it is copied.
pub fn of_records(py: Python, records: Option<Records>) -> PyResult<Bound<PyDict>> {
    let columns = PyDict::new(py);
    let Some(records) = records else { return Ok(columns) };
    insert(&columns, "request", records.request.into_iter())?;
    insert(&columns, "flow", records.flow.into_iter())?;
    insert(&columns, "kind", records.kind.into_iter())?;
    insert(&columns, "status", records.status.into_iter())?;
    insert(&columns, "lba", records.lba.into_iter())?;
    insert(&columns, "sectors", records.sectors.into_iter())?;
    insert_edges(&columns, records.edges)?;
    insert(&columns, "handle", records.handle.into_iter())?;
    insert(&columns, "arrival_ps", records.arrival.into_iter())?;
    insert(&columns, "enqueue_ps", records.enqueue.into_iter())?;
    insert(&columns, "complete_ps", records.complete.into_iter())?;
    insert(&columns, "path_conflict", records.path_conflict.into_iter())?;
    for (cause, spans) in Cause::ALL.iter().zip(records.blame).filter(|(cause, _)| cause.is_blamed()) {
        insert(&columns, &format!("{}_ps", cause.key()), spans.into_iter())?;
    }
    for (cause, spans) in Cause::ALL.iter().zip(records.root_causes).filter(|(_, spans)| !spans.is_empty()) {
        insert(&columns, &format!("root_{}_ps", cause.key()), spans.into_iter())?;
    }
    Ok(columns)
}
