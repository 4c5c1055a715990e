use thiserror::Error;

#[derive(Debug, Error)]
pub enum RunError {
    #[error("{0}")]
    Config(String),
    #[error("{0}")]
    Trace(String),
    /// Requests are unfinished and nothing is left to happen.
    #[error("{0}")]
    Stuck(String),
    /// Rules of the wires were violated: an error of the simulator.
    #[error("{0}")]
    Wires(String),
    /// A user-defined part (a fabric, a GC policy, a scheduler) cannot continue, or gives an impossible answer.
    #[error("{0}")]
    Own(String),
    #[error("interrupted")]
    Interrupted,
    #[error("out of memory")]
    OutOfMemory,
}
