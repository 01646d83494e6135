//! Which variables may name one storage because of pointers: flow-insensitive, whole variables, by
//! unification (Steensgaard, Points-to Analysis in Almost Linear Time, 1996, with a single level: a pointer
//! and all it may point at are one). COMMON and EQUIVALENCE are in [`crate::memory::locations`].

use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::references;
use crate::ir::rules::{self, Rule};
use crate::ir::{
    Callee, Expression, Holder, ProcedureId, Program, StatementId, StatementKind, Type, VariableId,
};
use crate::memory::locations::Classes;

/// Joins, in `classes` (index = variable id), all variables that pointers may make one. Answers, by
/// representative, whether they are one as wholes only: no part of one may be another, or a part of it.
pub(crate) fn merge(
    program: &Program,
    order: &[StatementId],
    calls: &CallGraph,
    classes: &mut Classes,
) -> Vec<bool> {
    let count = program.variables.len();
    let mut merging = Merging {
        program,
        calls,
        classes,
        associated: vec![false; count],
        whole: vec![true; count],
    };
    merging.declared();
    for &id in order {
        merging.statement(&program.statement(id).kind);
    }
    merging.intrinsics(order);
    merging.finals();
    let mut bottom_up = order.to_vec();
    let mut place = vec![0usize; program.procedures.len()];
    calls
        .bottom_up
        .iter()
        .enumerate()
        .for_each(|(at, procedure)| place[procedure.0 as usize] = at);
    bottom_up.sort_by_key(|id| place[program.statement(*id).procedure.0 as usize]);
    while merging.pass_on(&bottom_up) {}
    merging.whole
}

/// A variable whose storage something may point at, or a part of it.
#[derive(Clone, Copy, Debug)]
struct Source {
    base: VariableId,
    /// Whether it is the variable, or an element, rather than a component.
    whole: bool,
}

impl Source {
    fn of(expression: &Expression) -> Option<Self> {
        references::designated(expression).map(|found| Source {
            base: found.base,
            whole: found.path.is_empty(),
        })
    }

    fn whole(base: VariableId) -> Self {
        Source { base, whole: true }
    }

    fn part(base: VariableId) -> Self {
        Source { base, whole: false }
    }
}

struct Merging<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    classes: &'a mut Classes,
    /// By representative: whether a pointer is among the class, or something is pointed at.
    associated: Vec<bool>,
    /// By representative: whether all that is one is so as a whole.
    whole: Vec<bool>,
}

impl Merging<'_> {
    fn join(&mut self, one: Source, other: Source) -> bool {
        if !rules::holds(Rule::PointersAlias) {
            return false;
        }
        let (a, b) = (
            self.classes.find(one.base.0 as usize),
            self.classes.find(other.base.0 as usize),
        );
        let whole = self.whole[a] && self.whole[b] && one.whole && other.whole;
        let known = a == b && self.associated[a] && self.whole[a] == whole;
        self.classes.union(a, b);
        let joined = self.classes.find(a);
        self.associated[joined] = true;
        self.whole[joined] = whole;
        !known
    }

    fn join_all(&mut self, one: Source, others: Vec<Source>) {
        for other in others {
            self.join(one, other);
        }
    }

    /// Declarations may let pointers point, too: variables, or components of every object of a type.
    fn declared(&mut self) {
        for one in &self.program.from_start {
            let Some(target) = Source::of(&one.target) else {
                continue;
            };
            match &one.holder {
                Holder::Variable(pointer) => drop(self.join(Source::whole(*pointer), target)),
                Holder::Type(of) => self.join_all(target, objects_with(self.program, of)),
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::PointerAssignment { pointer, target } => {
                let sources = self.sources(target);
                if let Some(pointer) = Source::of(pointer) {
                    self.join_all(pointer, sources);
                }
            }
            // A copy of an object points where the object does. What a pointer points at is written, it points there still.
            StatementKind::Assign { target, value } => {
                let Some(copy) = Source::of(target).filter(|_| self.value_carries(target)) else {
                    return;
                };
                let sources = self.sources(value);
                self.join_all(copy, sources);
            }
            // ALLOCATE (…, SOURCE=…) copies, too.
            StatementKind::Opaque { reads, writes } => {
                let carrying: Vec<VariableId> = writes
                    .iter()
                    .filter(|one| self.carries(one))
                    .filter_map(references::base)
                    .collect();
                let sources: Vec<Source> = reads.iter().flat_map(|one| self.sources(one)).collect();
                carrying
                    .into_iter()
                    .for_each(|base| self.join_all(Source::part(base), sources.clone()));
            }
            StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. } => {}
        }
    }

    /// Whether an expression that is a variable or a part of one may hold pointers.
    fn carries(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Variable(id) => self.variable_carries(*id),
            Expression::Reference { base, path, .. } => may_hold(
                self.program,
                &self.program.type_of_part(*base, path),
                &mut Vec::new(),
            ),
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => false,
        }
    }

    fn variable_carries(&self, id: VariableId) -> bool {
        self.program.variable(id).attributes.pointer || self.object_carries(id)
    }

    /// Whether what a variable has as its value, or what it points at has, may hold pointers.
    fn object_carries(&self, id: VariableId) -> bool {
        let variable = self.program.variable(id);
        // An extension of a CLASS may hold more than the class.
        let extended = variable.attributes.polymorphic
            && self
                .program
                .types
                .iter()
                .any(|one| holds(self.program, &one.name, &mut Vec::new()));
        extended || may_hold(self.program, &variable.of_type, &mut Vec::new())
    }

    /// Whether what is assigned to a variable or a part of one may hold pointers.
    fn value_carries(&self, target: &Expression) -> bool {
        match target {
            Expression::Variable(id) => self.object_carries(*id),
            _ => self.carries(target),
        }
    }

    /// The variables whose storage the value of an expression may point at.
    fn sources(&self, expression: &Expression) -> Vec<Source> {
        match expression {
            Expression::Variable(_) | Expression::Reference { .. } => {
                Source::of(expression).into_iter().collect()
            }
            Expression::Call { callee, arguments } => {
                let targets = self.calls.targets(callee);
                let results = targets
                    .iter()
                    .filter_map(|id| self.program.procedure(*id).result);
                let results: Vec<Source> = results.map(Source::whole).collect();
                match results.is_empty() {
                    // MERGE, TRANSFER, C_LOC and functions without source may hand on what they are given.
                    true => arguments.iter().flat_map(|one| self.sources(one)).collect(),
                    false => results,
                }
            }
            Expression::Other(parts) => parts.iter().flat_map(|one| self.sources(one)).collect(),
            Expression::Unary { operand, .. } => self.sources(operand),
            Expression::Binary { left, right, .. } => {
                [self.sources(left), self.sources(right)].concat()
            }
            Expression::Integer(_) | Expression::Literal(_) => vec![],
        }
    }

    /// C_F_POINTER makes a pointer of an address; MOVE_ALLOC hands storage on.
    fn intrinsics(&mut self, order: &[StatementId]) {
        for &id in order {
            for call in call_graph::calls(&self.program.statement(id).kind) {
                let named = matches!(call.callee, Callee::Intrinsic(name) if name == "c_f_pointer" || name == "move_alloc");
                let bases: Vec<Source> = call
                    .arguments
                    .iter()
                    .take(2)
                    .flatten()
                    .filter_map(|one| Source::of(one))
                    .collect();
                if let (true, [first, second]) = (named, &bases[..]) {
                    self.join(*first, *second);
                }
            }
        }
    }

    /// A FINAL procedure's dummy may be any object of its type.
    fn finals(&mut self) {
        let program = self.program;
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            for procedure in program.finals_of(&variable.of_type) {
                let dummies = program.procedure(procedure).dummies.iter().flatten();
                let carrying: Vec<Source> = dummies
                    .copied()
                    .filter(|d| self.variable_carries(*d))
                    .map(Source::part)
                    .collect();
                self.join_all(Source::part(id), carrying);
            }
        }
    }

    /// Dummies that hold pointers, or are pointed at, are one with all that is passed for them.
    fn pass_on(&mut self, order: &[StatementId]) -> bool {
        let program = self.program;
        let mut grown = false;
        for &id in order {
            for call in call_graph::calls(&program.statement(id).kind) {
                let targets = self.calls.targets(call.callee);
                for &target in &targets {
                    grown |= self.pass(&call, target);
                }
                grown |= self.answer(&targets);
            }
        }
        grown
    }

    /// The pointers that functions answer which one call may reach are one.
    fn answer(&mut self, targets: &[ProcedureId]) -> bool {
        let results = targets
            .iter()
            .filter_map(|id| self.program.procedure(*id).result);
        let pointers = results.filter(|one| self.program.variable(*one).attributes.pointer);
        let pointers: Vec<VariableId> = pointers.collect();
        let joined = pointers
            .windows(2)
            .map(|pair| self.join(Source::whole(pair[0]), Source::whole(pair[1])));
        joined.fold(false, |grown, one| grown | one)
    }

    fn pass(&mut self, call: &Call, target: ProcedureId) -> bool {
        let mut grown = false;
        for (actual, dummy) in call
            .arguments
            .iter()
            .zip(&self.program.procedure(target).dummies)
        {
            let (Some(actual), Some(dummy)) = (actual, dummy) else {
                continue;
            };
            let class = self.classes.find(dummy.0 as usize);
            if self.associated[class] || self.variable_carries(*dummy) {
                for source in self.sources(actual) {
                    grown |= self.join(source, Source::whole(*dummy));
                }
            }
        }
        grown
    }
}

/// The variables that may hold an object of a derived type.
fn objects_with(program: &Program, of: &str) -> Vec<Source> {
    let all = (0..program.variables.len() as u32).map(VariableId);
    let holds = |id: &VariableId| {
        let variable = program.variable(*id);
        variable.attributes.polymorphic || contains(program, &variable.of_type, of, &mut Vec::new())
    };
    all.filter(holds).map(Source::part).collect()
}

/// Whether a value of this type may hold an object of the derived type `of`.
fn contains(program: &Program, of_type: &Type, of: &str, seen: &mut Vec<String>) -> bool {
    let Type::Derived(name) = of_type else {
        return false;
    };
    if seen.contains(name) {
        return false;
    }
    seen.push(name.clone());
    program.lineage(name).any(|one| {
        one.name == of
            || one.components.iter().any(|part| {
                part.attributes.polymorphic || contains(program, &part.of_type, of, seen)
            })
    })
}

/// Whether a value of this type may hold pointers; what is not known may.
fn may_hold(program: &Program, of_type: &Type, seen: &mut Vec<String>) -> bool {
    match of_type {
        Type::Derived(name) => holds(program, name, seen),
        Type::Unknown => true,
        Type::Integer(_)
        | Type::Real(_)
        | Type::Complex(_)
        | Type::Logical(_)
        | Type::Character => false,
    }
}

fn holds(program: &Program, name: &str, seen: &mut Vec<String>) -> bool {
    // MPI's types are numbers in a box.
    if name.starts_with("mpi_") || seen.iter().any(|known| known == name) {
        return false;
    }
    if program.derived_type(name).is_none() {
        return true;
    }
    seen.push(name.to_string());
    let components = program
        .lineage(name)
        .flat_map(|one| &one.components)
        .collect::<Vec<_>>();
    components.iter().any(|one| {
        one.attributes.pointer
            || one.attributes.polymorphic
            || (!one.is_procedure && may_hold(program, &one.of_type, seen))
    })
}
