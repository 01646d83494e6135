//! The slice as others see it, with a sentence for each statement that explains why it stays.

use super::Slicer;
use crate::ir::analysis::{Reason, Slice};
use crate::ir::{ProcedureId, StatementId};
use crate::slice::reasons::Because;
use std::collections::BTreeSet;

impl Slicer<'_> {
    /// The slice as others see it.
    pub(crate) fn result(&self) -> Slice {
        let reasons = self.reasons.iter().map(|reason| {
            reason.map(|(by, because)| Reason {
                needed_by: by,
                because: self.sentence(because),
            })
        });
        Slice {
            kept: self.kept.clone(),
            dead: self.control.unreachable.clone(),
            reasons: reasons.collect(),
            assumptions: Vec::new(),
            substitutions: Vec::new(),
            share: self.share(),
        }
    }

    /// How many executable statements stay, and how many there are.
    pub(crate) fn share(&self) -> (u64, u64) {
        let all = self.model.outline.all().collect::<BTreeSet<_>>();
        let kept = all.iter().filter(|id| self.kept[id.0 as usize]).count();
        (kept as u64, all.len() as u64)
    }

    fn sentence(&self, because: Because) -> String {
        let line = |statement: StatementId| {
            self.model
                .lines
                .get(statement.0 as usize)
                .copied()
                .unwrap_or_default()
        };
        let procedure = |id: ProcedureId| &self.model.program.procedure(id).name;
        match because {
            Because::MpiCall => "is an MPI call".into(),
            Because::ReachesMpi if self.model.calls.marks.is_empty() => "leads to MPI calls".into(),
            Because::ReachesMpi => "leads to MPI calls or to an end of the section".into(),
            Because::Mark(first) => {
                format!("decides whether the block at line {} runs", line(first))
            }
            Because::Section(at) => {
                format!(
                    "decides whether the section's end at line {} is passed",
                    line(at)
                )
            }
            Because::WorkTerm(at) => format!("decides the work of the block at line {}", line(at)),
            Because::Memory(at) => {
                format!("decides how much memory line {} takes or frees", line(at))
            }
            Because::Defines(location) => {
                format!("defines `{}`", self.model.locations.get(location).name)
            }
            Because::Decides(statement) => format!("decides whether line {} runs", line(statement)),
            Because::Encloses(statement) => format!("encloses line {}", line(statement)),
            Because::Specification(id) => {
                format!("defines bounds of arrays of `{}`", procedure(id))
            }
            Because::Stops(id) => format!("may end the run in `{}`", procedure(id)),
            Because::Left(id, location) => format!(
                "defines `{}`, as code without source may call `{}`",
                self.model.locations.get(location).name,
                procedure(id)
            ),
            Because::Whole(id) => format!("belongs to `{}`, which is kept whole", procedure(id)),
        }
    }
}
