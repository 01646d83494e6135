//! Outcome codes: integers that only distinguish outcomes, such as `ierr` of a solver (0: converged, -1: go on, 1: failed). The test of
//! computed values is where the code is set, possibly in a callee; the branch that ends the loop tests the code.

use crate::effects::model::Model;
use crate::effects::statement_effects::{Definition, Via};
use crate::io::io_ordering::given;
use crate::ir::constant_values;
use crate::ir::references;
use crate::ir::{
    Callee, Expression, IoOperation, Operator, StatementId, StatementKind, Type, VariableId,
};
use crate::memory::location_id::LocationId;
use base_data::mpi::Role;
use std::collections::BTreeSet;

/// Whether a comparison is of an outcome code with a constant, or of two codes.
pub(crate) fn is_comparison(
    model: &Model,
    operator: Operator,
    left: &Expression,
    right: &Expression,
) -> bool {
    let compares = matches!(
        operator,
        Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual
    );
    if !compares {
        return false;
    }
    let constant = |side: &Expression| constant_values::constant(model.program, side).is_some();
    let code = |side: &Expression| match side {
        Expression::Variable(variable) => is_code(model, *variable),
        _ => false,
    };
    let (left_is_constant, right_is_constant) = (constant(left), constant(right));
    if left_is_constant && right_is_constant {
        return false;
    }
    (left_is_constant || code(left)) && (right_is_constant || code(right))
}

/// Whether a variable is an outcome code: whatever writes it assigns constants or other codes, or is a status of output, OPEN,
/// allocation or MPI; and at least one assigns a constant.
pub(crate) fn is_code(model: &Model, variable: VariableId) -> bool {
    let Some(place) = model.locations.of_variable(variable) else {
        return false;
    };
    let mut search = Search {
        model,
        seen: BTreeSet::new(),
        assigns_constant: false,
    };
    search.is_code(place) && search.assigns_constant
}

struct Search<'a, 'b> {
    model: &'a Model<'b>,
    /// Places that are being examined, or were found to be codes: a cycle of copies adds no value.
    seen: BTreeSet<LocationId>,
    assigns_constant: bool,
}

impl Search<'_, '_> {
    fn is_code(&mut self, place: LocationId) -> bool {
        if !self.seen.insert(place) {
            return true;
        }
        for &variable in &self.model.known_as[place.index()] {
            let variable = self.model.program.variable(variable);
            if !matches!(variable.of_type, Type::Integer(_)) || !variable.shape.is_empty() {
                return false;
            }
        }
        if self.model.is_kept(place) {
            return false;
        }
        let writers = &self.model.writers[place.index()];
        writers
            .iter()
            .all(|&(statement, definition)| self.writes_code(statement, definition))
    }

    fn writes_code(&mut self, id: StatementId, definition: Definition) -> bool {
        match definition.via {
            Via::Dummy(_, dummy) => return self.is_code(dummy),
            Via::Payload(_) => {
                if !self.agrees(id) {
                    return false;
                }
                let sends = &self.model.effects.of_statement(id).sends;
                let sent: Vec<LocationId> = sends.iter().map(|&(_, place)| place).collect();
                return !sent.is_empty() && sent.into_iter().all(|place| self.is_code(place));
            }
            Via::Envelope => return false,
            Via::Own => {}
        }
        match &self.model.program.statement(id).kind {
            StatementKind::Assign { value, .. } => self.is_code_value(value),
            // Input may be a number.
            StatementKind::InputOutput(io) => io.operation != IoOperation::Read,
            StatementKind::Allocate { .. } | StatementKind::Deallocate { .. } => true,
            StatementKind::Call {
                callee: Callee::Mpi(function),
                arguments,
            } => {
                // IERROR is last in every Fortran binding and is not in the table, which follows C.
                let last = arguments
                    .get(function.arguments.len())
                    .and_then(Option::as_ref);
                last.is_some_and(|last| self.is_at(last, definition.location))
            }
            _ => false,
        }
    }

    /// Whether a statement makes processes agree on a code: one of theirs, or a truth value. A sum of codes is a number.
    fn agrees(&self, id: StatementId) -> bool {
        const SELECTING: [&str; 4] = ["mpi_max", "mpi_min", "mpi_land", "mpi_lor"];
        let StatementKind::Call {
            callee: Callee::Mpi(function),
            arguments,
        } = &self.model.program.statement(id).kind
        else {
            return false;
        };
        match function.name {
            "MPI_Bcast" => true,
            "MPI_Allreduce" => {
                let operation = given(function, arguments, Role::ReduceOp);
                let name = operation.and_then(|one| self.model.program.mpi_constant(one));
                name.is_some_and(|name| SELECTING.contains(&name))
            }
            _ => false,
        }
    }

    fn is_code_value(&mut self, value: &Expression) -> bool {
        if constant_values::constant(self.model.program, value).is_some() {
            self.assigns_constant = true;
            return true;
        }
        match value {
            Expression::Variable(variable) => match self.model.locations.of_variable(*variable) {
                Some(place) => self.is_code(place),
                None => false,
            },
            _ => false,
        }
    }

    fn is_at(&self, expression: &Expression, place: LocationId) -> bool {
        match references::base(expression) {
            Some(variable) => self.model.locations.of_variable(variable) == Some(place),
            None => false,
        }
    }
}
