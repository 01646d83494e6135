//! The objects whose ends call FINAL procedures (Fortran 2018, 7.5.6.3).

use crate::ir::{ProcedureId, Program, Storage, VariableId};

/// The objects that end with procedures, found once: every call asks for those of its target.
#[derive(Clone, Debug, Default)]
pub(crate) struct FinalizedObjects {
    /// Objects of each procedure that have FINAL procedures, with these; index = procedure id. Empty if no type has any.
    of_procedures: Vec<Vec<(VariableId, Vec<ProcedureId>)>>,
}

impl FinalizedObjects {
    pub(crate) fn find(program: &Program) -> Self {
        let mut found = FinalizedObjects::default();
        if program.types.iter().all(|one| one.finals.is_empty()) {
            return found;
        }
        found.of_procedures = vec![Vec::new(); program.procedures.len()];
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            let ends = match variable.storage {
                // A BLOCK of the main program has objects that end, too.
                Storage::Local | Storage::Static => !variable.attributes.pointer,
                Storage::Dummy(_)
                | Storage::Common { .. }
                | Storage::Constant(_)
                | Storage::Module(_) => false,
            };
            let Some(owner) = variable.owner.filter(|_| ends) else {
                continue;
            };
            let finals = program.finals_of(&variable.of_type);
            if !finals.is_empty() {
                found.of_procedures[owner.0 as usize].push((id, finals));
            }
        }
        found
    }

    /// Whether no type of the program has FINAL procedures.
    pub(crate) fn are_none(&self) -> bool {
        self.of_procedures.is_empty()
    }

    /// The objects of a procedure.
    pub(crate) fn of(&self, procedure: ProcedureId) -> &[(VariableId, Vec<ProcedureId>)] {
        match self.of_procedures.get(procedure.0 as usize) {
            Some(objects) => objects,
            None => &[],
        }
    }
}
