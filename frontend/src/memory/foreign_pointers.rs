//! Foreign pointers: variables that may point where procedures without source have let them, at an object of a library or at a
//! variable whose address it was passed. Unification ([`crate::memory::aliases`]) knows the targets that the program itself names,
//! and those of a call's own arguments.

use crate::graphs::call_graph::{self, CallGraph};
use crate::ir::references;
use crate::ir::{Callee, Expression, PassedAs, Program, StatementId, StatementKind, VariableId};
use crate::memory::aliases;
use crate::memory::location_id::LocationId;
use std::collections::BTreeSet;

/// The foreign pointers of a program with these statements. Variables that share one of their innermost locations may point at the
/// same.
pub(crate) fn variables(
    program: &Program,
    order: &[StatementId],
    calls: &CallGraph,
    innermost_of: &dyn Fn(VariableId) -> Vec<LocationId>,
) -> BTreeSet<VariableId> {
    let mut search = Search {
        program,
        calls,
        innermost_of,
        found: BTreeSet::new(),
        classes: BTreeSet::new(),
    };
    for &id in order {
        search.set_by_libraries(&program.statement(id).kind);
    }
    while search.follow(order) {}
    search.found
}

struct Search<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    innermost_of: &'a dyn Fn(VariableId) -> Vec<LocationId>,
    found: BTreeSet<VariableId>,
    /// Locations of those among them that are pointers, not targets that procedures are passed.
    classes: BTreeSet<LocationId>,
}

impl Search<'_> {
    /// Finds pointers that get their values from procedures without source.
    fn set_by_libraries(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Assign { target, value }
            | StatementKind::PointerAssignment {
                pointer: target,
                target: value,
            } if self.carries(target) && is_made_elsewhere(value) => self.add(target),
            _ => {}
        }
        for call in call_graph::calls(kind) {
            match call.callee {
                Callee::External(name) => {
                    let dummies = self.program.external_dummies.get(name);
                    for (position, argument) in call.arguments.iter().enumerate() {
                        let how = dummies.and_then(|all| all.get(position));
                        if let Some(argument) = argument
                            && how != Some(&PassedAs::Value)
                            && self.carries(argument)
                        {
                            self.add(argument);
                        }
                    }
                }
                Callee::Intrinsic(name) if name == "c_f_pointer" => {
                    if let [Some(address), Some(pointer), ..] = call.arguments[..]
                        && is_made_elsewhere(address)
                    {
                        self.add(pointer);
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

    /// Adds what shares a class with a foreign pointer, and dummies for which one is passed; whether anything is new.
    fn follow(&mut self, order: &[StatementId]) -> bool {
        let before = self.found.len();
        for id in (0..self.program.variables.len() as u32).map(VariableId) {
            if self.is_pointer(id) && self.shares_class(id) {
                self.found.insert(id);
            }
        }
        for &id in order {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                let targets = self.calls.targets(call.callee);
                for (position, argument) in call.arguments.iter().enumerate() {
                    let base = argument.and_then(references::base);
                    if !base.is_some_and(|base| self.found.contains(&base)) {
                        continue;
                    }
                    for &target in &targets {
                        let dummies = &self.program.procedure(target).dummies;
                        if let Some(&Some(dummy)) = dummies.get(position) {
                            self.found.insert(dummy);
                        }
                    }
                }
            }
        }
        self.found.len() > before
    }

    fn add(&mut self, pointer: &Expression) {
        if let Some(base) = references::base(pointer) {
            self.found.insert(base);
            self.classes.extend((self.innermost_of)(base));
        }
    }

    fn shares_class(&self, id: VariableId) -> bool {
        let places = (self.innermost_of)(id);
        places.iter().any(|place| self.classes.contains(place))
    }

    /// Whether an expression is a pointer, or an object with pointers: a procedure that knows where it is can let it point elsewhere.
    fn carries(&self, expression: &Expression) -> bool {
        let Some(part) = references::designated(expression) else {
            return false;
        };
        let is_whole = part.path.is_empty() && self.program.variable(part.base).attributes.pointer;
        let of_type = self.program.type_of_part(part.base, part.path);
        is_whole || aliases::may_hold(self.program, &of_type)
    }

    fn is_pointer(&self, id: VariableId) -> bool {
        let variable = self.program.variable(id);
        variable.attributes.pointer || aliases::may_hold(self.program, &variable.of_type)
    }
}

/// Whether a value may be an address that a procedure without source returns, or that TRANSFER makes of numbers.
fn is_made_elsewhere(value: &Expression) -> bool {
    references::calls(value)
        .iter()
        .any(|call| match call.callee {
            Callee::External(_) | Callee::Variable(_) => true,
            Callee::Intrinsic(name) => name == "transfer",
            Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::Procedure(_) | Callee::OneOf(_) => {
                false
            }
        })
}
