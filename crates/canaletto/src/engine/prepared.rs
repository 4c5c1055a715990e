use crate::config::design::{Design, PreconditionKind};
use crate::config::workload::Workload;
use crate::engine::error::RunError;
use crate::engine::run::{Progress, TraceInput};
use crate::ftl::precondition::drive::occupancies;
use crate::limits::Limits;
use crate::workload::fill::Fills;
use crate::workload::sources::Sources;

pub struct Prepared {
    pub limits: Limits,
    pub sources: Sources,
    pub fills: Option<Fills>,
}

impl Prepared {
    /// Prepares a run.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn new(
        design: &Design,
        workload: &Workload,
        traces: Vec<Option<TraceInput>>,
        seed: u64,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Prepared, RunError> {
        let limits = Limits::new(design, workload).map_err(RunError::Config)?;
        let mut sources = Sources::new(workload, &limits, traces, seed, watch)?;
        let reopened = std::mem::take(&mut sources.reopened);
        let fills = match design.precondition.kind {
            _ if limits.spaces.is_empty() => None,
            PreconditionKind::None => None,
            PreconditionKind::Steady | PreconditionKind::Replay => {
                let occupancies = occupancies(design, workload, &limits);
                Some(Fills::new(workload, &limits, &occupancies, reopened, seed).map_err(RunError::Trace)?)
            }
        };
        Ok(Prepared { limits, sources, fills })
    }
}
