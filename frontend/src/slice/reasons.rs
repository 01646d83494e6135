//! Reasons of the slice: its criterion, and why each statement stays.

use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::{Callee, ProcedureId, StatementId};
use crate::memory::location_id::LocationId;

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
