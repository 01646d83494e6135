//! Address-taken variables: those passed to MPI_Get_address. A derived datatype may contain the address, so that a message
//! accesses the variable without naming it. A dummy whose address is taken makes its actual arguments address-taken as well:
//! a worklist propagates from dummies to actual arguments.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::references::{self, Designated};
use crate::ir::{
    Callee, Expression, PassedAs, ProcedureId, Program, StatementId, Storage, VariableId,
};
use crate::memory::location_id::LocationId;
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

/// What is asked of places here ([`crate::memory::locations`]).
pub(crate) trait Places {
    /// Where a variable is.
    fn of_variable(&self, variable: VariableId) -> Option<LocationId>;
    /// Where a variable or a part of one is.
    fn at(&self, what: Designated) -> Option<LocationId>;
    /// The storage in which a place is.
    fn allocation(&self, place: LocationId) -> LocationId;
    /// What a part of a dummy is in an actual argument.
    fn corresponding(&self, dummy: LocationId, actual: LocationId) -> LocationId;
    /// Whether two places are one, or one is a part of the other.
    fn overlap(&self, one: LocationId, other: LocationId) -> bool;
}

/// What an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reached {
    /// All of a variable, and of the object for a part of which the variable is passed: the address may be that of a descriptor.
    Object(VariableId),
    /// The storage of the data at a place, which is a variable or an allocated component of one: the address is that of the data.
    Data(VariableId, LocationId),
}

impl Reached {
    fn variable(self) -> VariableId {
        match self {
            Self::Object(variable) | Self::Data(variable, _) => variable,
        }
    }

    /// Where that is; `None` for a named constant.
    pub(crate) fn place(self, locations: &impl Places) -> Option<LocationId> {
        match self {
            Self::Object(variable) => locations.of_variable(variable),
            Self::Data(_, place) => Some(place),
        }
    }

    fn overlaps(self, other: Reached, locations: &impl Places) -> bool {
        match (self.place(locations), other.place(locations)) {
            (Some(one), Some(other)) => locations.overlap(one, other),
            _ => false,
        }
    }
}

/// Whether a procedure without source is passed addresses of data alone. Without an interface it is: only dummies that an interface
/// declares have descriptors, and the descriptor of a component is within the object.
pub(crate) fn is_passed_data(program: &Program, name: &str) -> bool {
    !program.external_dummies.contains_key(name) && !program.names_of_modules.contains(name)
}

/// Variables whose addresses code without source may have kept.
#[derive(Default)]
pub(crate) struct KeptAddresses {
    /// By the component of linked code to which a procedure belongs that they were passed to. The Fortran standard lets an address
    /// outlive the call only if the variable is a target (15.5.2.4), but libraries keep others, too: FFTW's plans do.
    pub(crate) by_component: BTreeMap<usize, BTreeSet<Reached>>,
    /// Those whose addresses are values: of C_LOC, LOC, MPI_Get_address, C_F_POINTER.
    pub(crate) as_values: BTreeSet<Reached>,
    /// Those of either sort, and those that any other procedure without source was passed.
    pub(crate) all: BTreeSet<Reached>,
    /// Those that procedures without source are passed by name: each with what it stands for.
    pub(crate) passed: BTreeMap<Reached, BTreeSet<Reached>>,
}

/// The variables whose addresses procedures without source may have kept.
pub(crate) fn kept_addresses(
    program: &Program,
    order: &[StatementId],
    calls: &CallGraph,
    locations: &impl Places,
) -> KeptAddresses {
    let mut kept = KeptAddresses::default();
    let addressed = variables(program, order).into_iter();
    kept.as_values.extend(addressed.map(Reached::Object));
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            match call.callee {
                Callee::Intrinsic(name)
                    if ["c_loc", "loc", "c_f_pointer"].contains(&name.as_str()) =>
                {
                    for argument in call.arguments.iter().flatten() {
                        let object = object_of(program, argument);
                        kept.as_values.extend(object.map(Reached::Object));
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
                            let reached = match argument {
                                Some(argument) if is_passed_data(program, name) => {
                                    let actual = Actual { variable, argument };
                                    actual.data(locations)
                                }
                                _ => Reached::Object(variable),
                            };
                            kept.all.insert(reached);
                            kept.passed.entry(reached).or_default();
                            for component in calls.externals.components_of(name) {
                                let known = kept.by_component.entry(component).or_default();
                                known.insert(reached);
                            }
                        }
                    }
                }
                // It stands for a procedure without source.
                Callee::Variable(_) if calls.is_unknown(call.callee) => {
                    for argument in call.arguments.iter().flatten() {
                        let object = object_of(program, argument);
                        kept.all.extend(object.map(Reached::Object));
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
    let with = |found: &mut BTreeSet<Reached>| {
        *found = actual.with_moved(program, locations, std::mem::take(found));
    };
    with(&mut kept.as_values);
    kept.all.extend(&kept.as_values);
    with(&mut kept.all);
    kept.by_component.values_mut().for_each(with);
    for (&reached, found) in &mut kept.passed {
        *found = actual.with_reached(program, locations, BTreeSet::from([reached]));
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

/// An argument: the variable that it is, or of which it is a part.
#[derive(Clone, Copy)]
struct Actual<'a> {
    variable: VariableId,
    argument: &'a Expression,
}

/// What calls pass for the dummies of procedures.
struct ActualArguments<'a> {
    /// By procedure, for each call the argument at each position.
    by_procedure: BTreeMap<ProcedureId, Vec<Vec<Option<Actual<'a>>>>>,
    /// Calls through variables, whose targets depend on aliases that are not known yet.
    to_any: Vec<Vec<Option<Actual<'a>>>>,
    /// Of MOVE_ALLOC, whose allocation moves, and where.
    moves: Vec<(Actual<'a>, Actual<'a>)>,
}

impl<'a> ActualArguments<'a> {
    fn of(program: &'a Program, order: &[StatementId]) -> Self {
        let mut found = ActualArguments {
            by_procedure: BTreeMap::new(),
            to_any: Vec::new(),
            moves: Vec::new(),
        };
        for &id in order {
            for call in call_graph::calls(&program.statement(id).kind) {
                let mut passed = Vec::new();
                for argument in &call.arguments {
                    passed.push(argument.and_then(|argument| {
                        let variable = object_of(program, argument)?;
                        Some(Actual { variable, argument })
                    }));
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
                    Callee::Intrinsic(name) if name == "move_alloc" => {
                        if let [Some(from), Some(to), ..] = passed[..] {
                            found.moves.push((from, to));
                        }
                    }
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
        while let Some(dummy) = open.pop() {
            for actual in self.for_dummy(program, dummy) {
                if found.insert(actual.variable) {
                    open.push(actual.variable);
                }
            }
        }
        found
    }

    /// The same of what addresses lead to.
    fn with_reached(
        &self,
        program: &Program,
        locations: &impl Places,
        mut found: BTreeSet<Reached>,
    ) -> BTreeSet<Reached> {
        let mut open: Vec<Reached> = found.iter().copied().collect();
        while let Some(reached) = open.pop() {
            for actual in self.for_dummy(program, reached.variable()) {
                let next = match reached {
                    Reached::Object(_) => Reached::Object(actual.variable),
                    Reached::Data(_, place) => actual.data_of_dummy(locations, place),
                };
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// The same, if the addresses are kept: they stay those of allocations that MOVE_ALLOC gives to other variables.
    fn with_moved(
        &self,
        program: &Program,
        locations: &impl Places,
        mut found: BTreeSet<Reached>,
    ) -> BTreeSet<Reached> {
        loop {
            found = self.with_reached(program, locations, found);
            let before = found.len();
            for (from, to) in &self.moves {
                let from = BTreeSet::from([from.data(locations)]);
                let moved = self.with_reached(program, locations, from);
                let overlaps =
                    |one: &Reached| moved.iter().any(|two| one.overlaps(*two, locations));
                if found.iter().any(overlaps) {
                    found.insert(to.data(locations));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// What calls pass for a variable, if that is a dummy.
    fn for_dummy(&self, program: &Program, dummy: VariableId) -> Vec<Actual<'a>> {
        let variable = program.variable(dummy);
        let (Storage::Dummy(position), Some(owner)) = (&variable.storage, variable.owner) else {
            return Vec::new();
        };
        let own = self.by_procedure.get(&owner).into_iter().flatten();
        let at_position = |passed: &Vec<Option<Actual<'a>>>| {
            let actual = passed.get(*position as usize);
            actual.copied().flatten()
        };
        own.chain(&self.to_any).filter_map(at_position).collect()
    }
}

impl Actual<'_> {
    fn place(self, locations: &impl Places) -> Option<LocationId> {
        match references::designated(self.argument) {
            Some(designated) => locations.at(designated),
            None => locations.of_variable(self.variable),
        }
    }

    /// What the address of its data leads to.
    fn data(self, locations: &impl Places) -> Reached {
        match self.place(locations) {
            Some(place) => Reached::Data(self.variable, locations.allocation(place)),
            None => Reached::Object(self.variable),
        }
    }

    /// What the address of the data at a place of a dummy leads to, if this is passed for it.
    fn data_of_dummy(self, locations: &impl Places, place: LocationId) -> Reached {
        match self.place(locations) {
            Some(actual) => {
                let data = locations.corresponding(place, actual);
                Reached::Data(self.variable, locations.allocation(data))
            }
            None => Reached::Object(self.variable),
        }
    }
}
