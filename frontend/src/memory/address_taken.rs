//! Address-taken variables: those passed to MPI_Get_address. A derived datatype may contain the address, so that a message
//! accesses the variable without naming it. A dummy whose address is taken makes its actual arguments address-taken as well:
//! a worklist propagates from dummies to actual arguments.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::references;
use crate::ir::{
    Callee, Expression, PassedAs, ProcedureId, Program, StatementId, Storage, VariableId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The address-taken variables of a program with these statements.
pub(crate) fn variables(program: &Program, order: &[StatementId]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            if ["MPI_Get_address", "MPI_Address"].contains(&function.name)
                && let Some(&Some(variable)) = call.arguments.first()
            {
                found.extend(references::base(variable));
            }
        }
    }
    ActualArguments::of(program, order).with(program, found)
}

/// Variables whose addresses code without source may have kept.
#[derive(Default)]
pub(crate) struct KeptAddresses {
    /// By the component of linked code to which a procedure belongs that they were passed to. The Fortran standard lets an address
    /// outlive the call only if the variable is a target (15.5.2.4), but libraries keep others, too: FFTW's plans do.
    pub(crate) by_component: BTreeMap<usize, BTreeSet<VariableId>>,
    /// Those whose addresses are values: of C_LOC, LOC, MPI_Get_address, C_F_POINTER.
    pub(crate) as_values: BTreeSet<VariableId>,
    /// Those of either sort, and those that any other procedure without source was passed.
    pub(crate) all: BTreeSet<VariableId>,
    /// Those that procedures without source are passed by name: each with the variables that it stands for.
    pub(crate) passed: BTreeMap<VariableId, BTreeSet<VariableId>>,
}

/// The variables whose addresses procedures without source may have kept.
pub(crate) fn kept_addresses(
    program: &Program,
    order: &[StatementId],
    calls: &CallGraph,
) -> KeptAddresses {
    let mut kept = KeptAddresses {
        as_values: variables(program, order),
        ..KeptAddresses::default()
    };
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            match call.callee {
                Callee::Intrinsic(name)
                    if ["c_loc", "loc", "c_f_pointer"].contains(&name.as_str()) =>
                {
                    for argument in call.arguments.iter().flatten() {
                        kept.as_values.extend(object_of(program, argument));
                    }
                }
                // It computes with its arguments and keeps nothing: the user says so.
                Callee::External(name) if calls.externals.is_data_only(name) => {}
                Callee::External(name) => {
                    let dummies = program.external_dummies.get(name);
                    for (position, argument) in call.arguments.iter().enumerate() {
                        let how = dummies.and_then(|all| all.get(position));
                        let object = argument.and_then(|argument| object_of(program, argument));
                        if let Some(variable) = object
                            && how != Some(&PassedAs::Value)
                        {
                            kept.all.insert(variable);
                            kept.passed.entry(variable).or_default();
                            for component in calls.externals.components_of(name) {
                                let known = kept.by_component.entry(component).or_default();
                                known.insert(variable);
                            }
                        }
                    }
                }
                // It stands for a procedure without source.
                Callee::Variable(_) if calls.is_unknown(call.callee) => {
                    for argument in call.arguments.iter().flatten() {
                        kept.all.extend(object_of(program, argument));
                    }
                }
                Callee::Intrinsic(_)
                | Callee::Mpi(_)
                | Callee::UnknownMpi(_)
                | Callee::Procedure(_)
                | Callee::OneOf(_)
                | Callee::Variable(_) => {}
            }
        }
    }
    let actual = ActualArguments::of(program, order);
    kept.as_values = actual.with(program, std::mem::take(&mut kept.as_values));
    kept.all.extend(&kept.as_values);
    kept.all = actual.with(program, std::mem::take(&mut kept.all));
    for found in kept.by_component.values_mut() {
        *found = actual.with(program, std::mem::take(found));
    }
    for (&variable, found) in &mut kept.passed {
        *found = actual.with(program, BTreeSet::from([variable]));
    }
    kept
}

/// The variable that an argument is, or of which it is a part. The result of a function stands for what it points at: both are one
/// location.
fn object_of(program: &Program, argument: &Expression) -> Option<VariableId> {
    let Expression::Call { callee, .. } = argument else {
        return references::base(argument);
    };
    let function = match callee {
        Callee::Procedure(function) => function,
        Callee::OneOf(functions) => functions.first()?,
        _ => return None,
    };
    let result = program.procedure(*function).result?;
    program
        .variable(result)
        .attributes
        .pointer
        .then_some(result)
}

/// What calls pass for the dummies of procedures.
struct ActualArguments {
    /// By procedure, for each call the variable at each position.
    by_procedure: BTreeMap<ProcedureId, Vec<Vec<Option<VariableId>>>>,
    /// Calls through variables, whose targets depend on aliases that are not known yet.
    to_any: Vec<Vec<Option<VariableId>>>,
}

impl ActualArguments {
    fn of(program: &Program, order: &[StatementId]) -> Self {
        let mut found = ActualArguments {
            by_procedure: BTreeMap::new(),
            to_any: Vec::new(),
        };
        for &id in order {
            for call in call_graph::calls(&program.statement(id).kind) {
                let mut passed = Vec::new();
                for argument in &call.arguments {
                    passed.push(argument.and_then(|argument| object_of(program, argument)));
                }
                match call.callee {
                    Callee::Procedure(target) => {
                        found.by_procedure.entry(*target).or_default().push(passed);
                    }
                    Callee::OneOf(targets) => {
                        for target in targets {
                            let calls = found.by_procedure.entry(*target).or_default();
                            calls.push(passed.clone());
                        }
                    }
                    Callee::Variable(_) => found.to_any.push(passed),
                    Callee::Mpi(_)
                    | Callee::UnknownMpi(_)
                    | Callee::External(_)
                    | Callee::Intrinsic(_) => {}
                }
            }
        }
        found
    }

    /// Variables, and those that calls pass for them.
    fn with(&self, program: &Program, mut found: BTreeSet<VariableId>) -> BTreeSet<VariableId> {
        let mut open: Vec<VariableId> = found.iter().copied().collect();
        while let Some(id) = open.pop() {
            let variable = program.variable(id);
            let (Storage::Dummy(position), Some(owner)) = (&variable.storage, variable.owner)
            else {
                continue;
            };
            let own = self.by_procedure.get(&owner).into_iter().flatten();
            for passed in own.chain(&self.to_any) {
                if let Some(&Some(actual)) = passed.get(*position as usize)
                    && found.insert(actual)
                {
                    open.push(actual);
                }
            }
        }
        found
    }
}
