//! Aliases through pointers: points-to analysis by unification (Steensgaard, Points-to Analysis in Almost Linear Time, 1996),
//! flow-insensitive, for whole variables and with a single level: a pointer and everything that it may point at are one class.
//! COMMON and EQUIVALENCE are in [`crate::memory::locations`].

use crate::graphs::call_graph::{self, Call, CallGraph};
use crate::ir::object_components::may_have_component;
use crate::ir::references;
use crate::ir::rules::{self, Rule};
use crate::ir::{
    Callee, Expression, Holder, ProcedureId, Program, StatementId, StatementKind, Type, VariableId,
};
use crate::memory::union_find::Classes;

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
    merging.pointers_of_addresses(order);
    merging.finals();
    let mut bottom_up = order.to_vec();
    let mut place = vec![0usize; program.procedures.len()];
    for (at, procedure) in calls.bottom_up.iter().enumerate() {
        place[procedure.0 as usize] = at;
    }
    bottom_up.sort_by_key(|id| place[program.statement(*id).procedure.0 as usize]);
    // A round that changes anything joins two classes or marks one, so the rounds end.
    while merging.pass_on(&bottom_up) | merging.moved_allocations(order) {}
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
                if let Some(copy) = Source::of(target)
                    && self.value_carries(target)
                {
                    let sources = self.sources(value);
                    self.join_all(copy, sources);
                }
            }
            // ALLOCATE (…, SOURCE=…) copies, too.
            StatementKind::Opaque { reads, writes } => {
                let sources = self.sources_of_all(reads);
                for target in writes {
                    if let Some(base) = references::base(target)
                        && self.carries(target)
                    {
                        self.join_all(Source::part(base), sources.clone());
                    }
                }
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
            Expression::Reference { base, path, .. } => {
                may_hold(self.program, &self.program.type_of_part(*base, path))
            }
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
                .any(|one| may_hold(self.program, &Type::Derived(one.name.clone())));
        extended || may_hold(self.program, &variable.of_type)
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
                let mut results = Vec::new();
                for target in self.calls.targets(callee) {
                    if let Some(result) = self.program.procedure(target).result {
                        results.push(Source::whole(result));
                    }
                }
                if results.is_empty() {
                    // MERGE, TRANSFER, C_LOC and functions without source may return what their arguments point at.
                    return self.sources_of_all(arguments);
                }
                results
            }
            Expression::Other(parts) => self.sources_of_all(parts),
            Expression::Unary { operand, .. } => self.sources(operand),
            Expression::Binary { left, right, .. } => {
                [self.sources(left), self.sources(right)].concat()
            }
            Expression::Integer(_) | Expression::Literal(_) => vec![],
        }
    }

    fn sources_of_all(&self, expressions: &[Expression]) -> Vec<Source> {
        let mut sources = Vec::new();
        for expression in expressions {
            sources.extend(self.sources(expression));
        }
        sources
    }

    /// C_F_POINTER makes a pointer of an address, which may be the value of a function: `c_loc(x)`.
    fn pointers_of_addresses(&mut self, order: &[StatementId]) {
        for (address, pointer) in arguments_of(self.program, order, "c_f_pointer") {
            let sources = self.sources(address);
            if let Some(pointer) = Source::of(pointer) {
                self.join_all(pointer, sources);
            }
        }
    }

    /// MOVE_ALLOC moves an allocation to another variable. A pointer at the allocation then points at that variable (Fortran
    /// 2018, 16.9.137). Without such a pointer, and if the elements hold none, the two share no storage at any time.
    fn moved_allocations(&mut self, order: &[StatementId]) -> bool {
        let mut grown = false;
        for (from, to) in arguments_of(self.program, order, "move_alloc") {
            let (Some(source), Some(target)) = (Source::of(from), Source::of(to)) else {
                continue;
            };
            let class = self.classes.find(source.base.0 as usize);
            if self.associated[class] || self.carries(from) || self.carries(to) {
                grown |= self.join(source, target);
            }
        }
        grown
    }

    /// A FINAL procedure's dummy may be any object of its type.
    fn finals(&mut self) {
        let program = self.program;
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            for procedure in program.finals_of(&variable.of_type) {
                for &dummy in program.procedure(procedure).dummies.iter().flatten() {
                    if self.variable_carries(dummy) {
                        self.join(Source::part(id), Source::part(dummy));
                    }
                }
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

    /// The pointer results of the functions that one call may reach are one class.
    fn answer(&mut self, targets: &[ProcedureId]) -> bool {
        let mut pointers: Vec<VariableId> = Vec::new();
        for &target in targets {
            if let Some(result) = self.program.procedure(target).result
                && self.program.variable(result).attributes.pointer
            {
                pointers.push(result);
            }
        }
        let mut grown = false;
        for pair in pointers.windows(2) {
            grown |= self.join(Source::whole(pair[0]), Source::whole(pair[1]));
        }
        grown
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

/// The first two arguments of the calls of an intrinsic procedure.
fn arguments_of<'a>(
    program: &'a Program,
    order: &[StatementId],
    intrinsic: &str,
) -> Vec<(&'a Expression, &'a Expression)> {
    let mut found = Vec::new();
    for &id in order {
        for call in call_graph::calls(&program.statement(id).kind) {
            if matches!(call.callee, Callee::Intrinsic(name) if name == intrinsic)
                && let [Some(first), Some(second), ..] = call.arguments[..]
            {
                found.push((first, second));
            }
        }
    }
    found
}

/// The variables that may contain an object of a derived type.
fn objects_with(program: &Program, of: &str) -> Vec<Source> {
    let mut objects = Vec::new();
    for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
        if variable.attributes.polymorphic
            || contains(program, &variable.of_type, of, &mut Vec::new())
        {
            objects.push(Source::part(id));
        }
    }
    objects
}

/// Whether a value of this type may contain an object of the derived type `of`.
fn contains(program: &Program, of_type: &Type, of: &str, seen: &mut Vec<String>) -> bool {
    let Type::Derived(name) = of_type else {
        return false;
    };
    if seen.contains(name) {
        return false;
    }
    seen.push(name.clone());
    for one in program.lineage(name) {
        if one.name == of {
            return true;
        }
        for part in &one.components {
            if part.attributes.polymorphic || contains(program, &part.of_type, of, seen) {
                return true;
            }
        }
    }
    false
}

/// Whether a value of this type may hold pointers; what is not known may.
pub(crate) fn may_hold(program: &Program, of_type: &Type) -> bool {
    may_have_component(program, of_type, |of_component| {
        of_component.pointer || of_component.polymorphic
    })
}
