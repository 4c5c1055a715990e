//! User-defined parts in a design: rules from outside, made anew for each run.

pub mod fabric;
pub mod order;
pub mod values;
pub mod victims;

use std::fmt::{Debug, Formatter};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use crate::design::Design;

impl Design {
    /// Whether a fabric, a GC policy or a scheduler is user-defined.
    pub fn has_parts_of_its_own(&self) -> bool {
        self.fabric.blueprint.is_some() || self.gc.rule.is_some() || self.scheduler.rule.is_some()
    }
}

/// A maker of rules, such as `Own<dyn VictimRule>`. Copies share it, and only they are equal.
pub struct Own<T: ?Sized>(Arc<dyn Fn() -> Box<T> + Send + Sync>);

impl<T: ?Sized> Own<T> {
    /// `make` is called once per run, and once for what is written before it.
    pub fn new(make: impl Fn() -> Box<T> + Send + Sync + 'static) -> Own<T> {
        Own(Arc::new(make))
    }

    /// A fresh rule.
    pub fn begin(&self) -> Box<T> {
        (self.0)()
    }
}

impl<T: ?Sized> Clone for Own<T> {
    fn clone(&self) -> Own<T> {
        Own(self.0.clone())
    }
}

impl<T: ?Sized> Debug for Own<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("user-defined")
    }
}

impl<T: ?Sized> PartialEq for Own<T> {
    fn eq(&self, other: &Own<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

// A design is only read during a run, and so are the makers in it: none is left half changed by a run that is unwound.
impl<T: ?Sized> UnwindSafe for Own<T> {}
impl<T: ?Sized> RefUnwindSafe for Own<T> {}
