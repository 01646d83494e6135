//! Reasons of the slice: its criterion, and the sentences that explain why each statement stays.

use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::analysis::{Reason, Slice};
use crate::ir::{Callee, ProcedureId, StatementId};
use crate::memory::locations::LocationId;
use crate::slice::slicer::Slicer;
use std::collections::BTreeSet;

/// Why a task was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// It is a recorded MPI call.
    MpiCall,
    /// It calls what calls MPI, or what holds an end of the section.
    ReachesMpi,
    /// It decides whether the compute block with this first statement runs.
    Mark(StatementId),
    /// It decides whether an end of the section is passed.
    Section(StatementId),
    /// A work term of the block with this first statement depends on it.
    WorkTerm(StatementId),
    /// How much memory this statement allocates or frees depends on it.
    Memory(StatementId),
    /// It writes this place.
    Defines(LocationId),
    /// It decides whether this statement runs.
    Decides(StatementId),
    /// This statement stands in it.
    Encloses(StatementId),
    /// Bounds of this procedure's arrays depend on it.
    Specification(ProcedureId),
    /// The run may end there, in this procedure.
    Stops(ProcedureId),
    /// It writes this location, which a caller without source may read after this procedure returns.
    Left(ProcedureId, LocationId),
    /// This procedure stays together.
    Whole(ProcedureId),
}

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
                format!("defines {}", self.model.locations.get(location).name)
            }
            Because::Decides(statement) => format!("decides whether line {} runs", line(statement)),
            Because::Encloses(statement) => format!("encloses line {}", line(statement)),
            Because::Specification(id) => format!("defines bounds of arrays of {}", procedure(id)),
            Because::Stops(id) => format!("may end the run in {}", procedure(id)),
            Because::Left(id, location) => format!(
                "defines {}, as code without source may call {}",
                self.model.locations.get(location).name,
                procedure(id)
            ),
            Because::Whole(id) => format!("belongs to {}, which is kept whole", procedure(id)),
        }
    }
}

/// Local functions that change what no variable of the program holds: what a handle stands for, or the library
/// itself. What they change shows in later calls, so they stay wherever they stand. Nothing
/// depends on what is freed: that may go.
const CHANGING: [&str; 31] = [
    "MPI_Add_error_string",
    "MPI_Attr_delete",
    "MPI_Attr_put",
    "MPI_Buffer_attach",
    "MPI_Buffer_detach",
    "MPI_Buffer_flush",
    "MPI_Buffer_iflush",
    "MPI_Cancel",
    "MPI_Comm_attach_buffer",
    "MPI_Comm_call_errhandler",
    "MPI_Comm_delete_attr",
    "MPI_Comm_detach_buffer",
    "MPI_Comm_flush_buffer",
    "MPI_Comm_iflush_buffer",
    "MPI_Comm_set_attr",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_set_info",
    "MPI_Comm_set_name",
    "MPI_Errhandler_set",
    "MPI_Grequest_complete",
    "MPI_Grequest_start",
    "MPI_Info_delete",
    "MPI_Info_set",
    "MPI_Remove_error_class",
    "MPI_Remove_error_code",
    "MPI_Remove_error_string",
    "MPI_Request_free",
    "MPI_Type_commit",
    "MPI_Type_delete_attr",
    "MPI_Type_set_attr",
    "MPI_Type_set_name",
];

/// Why a statement stays by itself: its own calls are recorded MPI calls, change what MPI
/// knows, or lead to MPI.
pub(crate) fn criterion(model: &Model, id: StatementId) -> Option<Because> {
    let mut because = None;
    for call in call_graph::calls(&model.program.statement(id).kind) {
        match call.callee {
            Callee::Mpi(function)
                if function.kind.is_recorded() || CHANGING.contains(&function.name) =>
            {
                return Some(Because::MpiCall);
            }
            // It may do whatever a function of MPI may.
            Callee::UnknownMpi(_) => return Some(Because::MpiCall),
            Callee::Mpi(_) => {}
            Callee::Procedure(_)
            | Callee::OneOf(_)
            | Callee::External(_)
            | Callee::Intrinsic(_)
            | Callee::Variable(_) => {
                if model.calls.call_reaches_mpi(call.callee) {
                    // Not returned yet: a later call of the statement may be one of MPI itself.
                    because = Some(Because::ReachesMpi);
                }
            }
        }
    }
    because
}
