//! Basic types of derived datatypes, wherever their handles are stored: in module variables, components, arrays, dummies.
//! Flow-insensitive: a handle may have any value that is ever stored in its location. A value that is stored otherwise than
//! by MPI's constructors and assignments of handles may be any datatype.

use crate::effects::message_class::{self, Sort};
use crate::effects::statement_effects::StatementEffects;
use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::references;
use crate::ir::statement_tree::Outline;
use crate::ir::{Callee, Expression, Operator, ProcedureId, Program, StatementKind, VariableId};
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;
use base_data::mpi::{Function, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of sorts, as bits.
type Sorts = u8;
const WHOLE: Sorts = 1;
const FLOATING: Sorts = 2;
const TEXT: Sorts = 4;
/// Another of MPI's own types.
const OTHER: Sorts = 8;
/// Not known.
const UNKNOWN: Sorts = 16;
/// A type whose displacements are in bytes: with addresses, it reaches beside its buffer.
const BESIDE: Sorts = 32;

/// Constructors with displacements or extents in bytes. All others count elements, and a program may count them only inside one array,
/// COMMON block or object (MPI 4.1, 5.1.12).
const IN_BYTES: [&str; 8] = [
    "MPI_Type_create_hindexed",
    "MPI_Type_create_hindexed_block",
    "MPI_Type_create_hvector",
    "MPI_Type_create_resized",
    "MPI_Type_create_struct",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_struct",
];

/// A variable, or a part of one: what holds a handle.
type Holder = (VariableId, Vec<String>);

/// What is known of datatypes, by what holds their handles; 0: nothing is stored there yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Datatypes {
    sorts: BTreeMap<Holder, Sorts>,
}

impl Datatypes {
    /// The datatypes of a program before anything is stored: messages with them carry nothing.
    pub(crate) fn unset(program: &Program, outline: &Outline) -> Self {
        let holders = holders(program, outline);
        Datatypes {
            sorts: holders.into_iter().map(|holder| (holder, 0)).collect(),
        }
    }

    /// Whether one of them, whose handle an argument is, is not set yet.
    pub(crate) fn is_unset(&self, argument: &Expression) -> bool {
        holder(argument).is_some_and(|holder| self.sorts.get(&holder) == Some(&0))
    }

    /// Those of a program, by what its statements do themselves.
    pub(crate) fn of(
        program: &Program,
        outline: &Outline,
        graph: &CallGraph,
        locations: &Locations,
        statements: &[StatementEffects],
    ) -> Self {
        let holders = holders(program, outline);
        if holders.is_empty() {
            return Datatypes::default();
        }
        let mut flow = Flow {
            program,
            graph,
            locations,
            stored: vec![0; 2 * locations.count()],
            copies: BTreeMap::new(),
            has_globals: false,
        };
        flow.initial_values();
        for id in outline.all() {
            flow.statement(&program.statement(id).kind, &statements[id.0 as usize]);
        }
        flow.propagate();
        let mut sorts = BTreeMap::new();
        for holder in holders {
            let expression = part(&holder);
            let mut all = 0;
            for place in flow.places(&expression) {
                all |= flow.stored[place.index()];
            }
            if all != 0 && all & UNKNOWN == 0 {
                sorts.insert(holder, all);
            }
        }
        Datatypes { sorts }
    }

    /// Whether nothing is known of any.
    pub(crate) fn is_empty(&self) -> bool {
        self.sorts.is_empty()
    }

    /// Whether all datatypes are known whose handles an argument may be.
    pub(crate) fn is_followed(&self, argument: &Expression) -> bool {
        holder(argument).is_some_and(|holder| self.sorts.contains_key(&holder))
    }

    /// The sort of data of a datatype whose handle an argument is.
    pub(crate) fn sort(&self, argument: &Expression) -> Option<Sort> {
        match self.sorts.get(&holder(argument)?)? & !BESIDE {
            WHOLE => Some(Sort::Whole),
            FLOATING => Some(Sort::Floating),
            TEXT => Some(Sort::Text),
            _ => None,
        }
    }

    /// Whether a datatype whose handle an argument is reaches no further than the array, COMMON block or object of its buffer.
    pub(crate) fn is_inside(&self, argument: &Expression) -> bool {
        let Some(holder) = holder(argument) else {
            return false;
        };
        self.sorts
            .get(&holder)
            .is_some_and(|sorts| sorts & BESIDE == 0)
    }
}

/// What holds the handles that calls of MPI are passed.
fn holders(program: &Program, outline: &Outline) -> BTreeSet<Holder> {
    let mut found = BTreeSet::new();
    for id in outline.all() {
        for call in call_graph::calls(&program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else {
                continue;
            };
            for argument in datatypes_of(function, &call) {
                if program.mpi_constant(argument).is_none() {
                    found.extend(holder(argument));
                }
            }
        }
    }
    found
}

/// The datatypes that a call is passed.
fn datatypes_of<'a>(
    function: &'a Function,
    call: &'a Call<'a>,
) -> impl Iterator<Item = &'a Expression> {
    let rows = function.arguments.iter().zip(&call.arguments);
    rows.filter(|(row, _)| row.role == Role::Datatype)
        .filter_map(|(_, argument)| *argument)
}

fn holder(argument: &Expression) -> Option<Holder> {
    let named = references::designated(argument)?;
    Some((named.base, named.path.to_vec()))
}

fn part((base, path): &Holder) -> Expression {
    match path.is_empty() {
        true => Expression::Variable(*base),
        false => Expression::Reference {
            base: *base,
            path: path.clone(),
            subscripts: Vec::new(),
        },
    }
}

/// What is stored in which place.
struct Flow<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    locations: &'a Locations,
    /// By location.
    stored: Vec<Sorts>,
    /// Places that receive what is stored in another.
    copies: BTreeMap<LocationId, BTreeSet<LocationId>>,
    /// Whether everything global may hold anything.
    has_globals: bool,
}

impl Flow<'_> {
    /// The innermost places of a variable or a part of one; none of anything else.
    fn places(&self, expression: &Expression) -> Vec<LocationId> {
        let place = references::designated(expression).and_then(|named| self.locations.at(named));
        place.map_or(Vec::new(), |place| self.locations.innermost(place))
    }

    fn store(&mut self, place: LocationId, sorts: Sorts) {
        self.stored[place.index()] |= sorts;
    }

    fn copy(&mut self, from: LocationId, to: LocationId) {
        self.copies.entry(from).or_default().insert(to);
    }

    /// What variables and their parts hold before any statement runs.
    fn initial_values(&mut self) {
        for (id, variable) in (0..).map(VariableId).zip(&self.program.variables) {
            let is_whole = variable
                .owner
                .is_some_and(|owner| self.program.procedure(owner).is_whole);
            let attributes = variable.attributes;
            // The representation does not contain the dummies of an ENTRY.
            let is_anything = is_whole || attributes.initialised && !attributes.begins_null;
            for (path, place) in self.locations.innermost_paths(id) {
                let components = self.program.components_along(id, &path).unwrap_or_default();
                let holds_other = components.iter().any(|component| {
                    component.attributes.initialised && !component.attributes.begins_null
                });
                if is_anything || holds_other {
                    self.store(place, UNKNOWN);
                }
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind, effects: &StatementEffects) {
        let mut constructed: BTreeSet<LocationId> = BTreeSet::new();
        if let StatementKind::Assign { target, value } = kind {
            let targets = self.places(target);
            self.assigned(&targets, value);
            constructed.extend(targets);
        }
        for call in call_graph::calls(kind) {
            match call.callee {
                Callee::Mpi(function) => self.constructor(function, &call, &mut constructed),
                callee => {
                    for target in self.graph.targets(callee) {
                        self.associated(target, &call);
                    }
                }
            }
        }
        for definition in &effects.definitions {
            // Followed above. Whatever else the statement defines may be any handle.
            if !constructed.contains(&definition.location) {
                self.store(definition.location, UNKNOWN);
            }
        }
        // One statement that may write everything global is as good as a thousand.
        if effects.touches_globals && !std::mem::replace(&mut self.has_globals, true) {
            self.locations
                .within_reach()
                .iter()
                .for_each(|place| self.stored[place.index()] |= UNKNOWN);
        }
    }

    /// A value that is stored in places.
    fn assigned(&mut self, targets: &[LocationId], value: &Expression) {
        let sources = self.places(value);
        if !sources.is_empty() && sources.len() == targets.len() {
            for (&from, &to) in sources.iter().zip(targets) {
                self.copy(from, to);
            }
            return;
        }
        for &to in targets {
            self.value(value, to);
        }
    }

    /// A value, or all values of an array constructor, that one place may receive.
    fn value(&mut self, value: &Expression, to: LocationId) {
        let sorts = match value {
            // Programs initialise handles with 0 or -1, which denote no datatype.
            Expression::Integer(..=0) => 0,
            Expression::Unary {
                operator: Operator::Negate,
                operand,
            } if matches!(**operand, Expression::Integer(_)) => 0,
            Expression::Other(parts) if !parts.is_empty() => {
                parts.iter().for_each(|part| self.value(part, to));
                0
            }
            _ => match self.program.mpi_constant(value) {
                Some("mpi_datatype_null") => 0,
                Some(name) => match message_class::sort(name) {
                    Some(Sort::Whole) => WHOLE,
                    Some(Sort::Floating) => FLOATING,
                    Some(Sort::Text) => TEXT,
                    None => OTHER,
                },
                None => {
                    let sources = self.places(value);
                    sources.iter().for_each(|&from| self.copy(from, to));
                    if sources.is_empty() { UNKNOWN } else { 0 }
                }
            },
        };
        self.store(to, sorts);
    }

    /// A call of MPI that makes a datatype of others.
    fn constructor(
        &mut self,
        function: &Function,
        call: &Call,
        constructed: &mut BTreeSet<LocationId>,
    ) {
        let rows = function.arguments.iter().zip(&call.arguments);
        let made = rows.filter(|(row, _)| row.name == "newtype" && row.role == Role::Result);
        let made: Vec<LocationId> = made
            .filter_map(|(_, argument)| *argument)
            .flat_map(|argument| self.places(argument))
            .collect();
        // A derived datatype contains the sorts of all datatypes that it is made of.
        let of_a_kind = match function.name {
            "MPI_Type_create_f90_integer" => WHOLE,
            "MPI_Type_create_f90_real" | "MPI_Type_create_f90_complex" => FLOATING,
            name if IN_BYTES.contains(&name) => BESIDE,
            _ => 0,
        };
        for &to in &made {
            self.store(to, of_a_kind);
            for old in datatypes_of(function, call) {
                self.value(old, to);
            }
        }
        constructed.extend(made);
    }

    /// Dummies are what is passed for them, as long as the call lasts.
    fn associated(&mut self, target: ProcedureId, call: &Call) {
        let dummies = self.program.procedure(target).dummies.clone();
        let is_whole = self.program.procedure(target).is_whole;
        for (argument, dummy) in call.arguments.iter().zip(dummies) {
            let Some(argument) = argument else { continue };
            let place = references::designated(argument).and_then(|named| self.locations.at(named));
            if is_whole {
                self.places(argument)
                    .into_iter()
                    .for_each(|one| self.store(one, UNKNOWN));
            }
            for inner in dummy.map_or(Vec::new(), |dummy| self.locations.innermost_of(dummy)) {
                let Some(actual) = place else {
                    self.value(argument, inner);
                    continue;
                };
                for one in self
                    .locations
                    .innermost(self.locations.corresponding(inner, actual))
                {
                    self.copy(inner, one);
                    self.copy(one, inner);
                }
            }
        }
    }

    /// Follows copies until nothing changes.
    fn propagate(&mut self) {
        let mut pending: Vec<LocationId> = self.copies.keys().copied().collect();
        while let Some(from) = pending.pop() {
            let sorts = self.stored[from.index()];
            for &to in self.copies.get(&from).into_iter().flatten() {
                if self.stored[to.index()] | sorts != self.stored[to.index()] {
                    self.stored[to.index()] |= sorts;
                    pending.push(to);
                }
            }
        }
    }
}
