//! Arrays that a statement goes over element by element: targets, and what is computed from arrays and their sections in
//! any expression, also inside intrinsics (`sum(exp(a(1:n)))`); so are array constructors with an implied DO. Of arrays of one shape in one expression the first is told.
//!
//! Not here: how many elements an array has ([`crate::memory::array_extents`]), also at a block's entry ([`crate::work::trip_counts`]); and arrays that are passed as
//! they are, over which the callee goes.

use crate::ir::analysis::Extent;
use crate::ir::constant_values;
use crate::ir::implied_loops::{self, Control};
use crate::ir::references;
use crate::ir::{
    Callee, Dimension, Expression, Program, StatementKind, Subscript, Variable, VariableId,
};
use crate::memory::array_extents::{self, Extents, extents_of};
use crate::memory::array_shapes;

/// So many elements are gone over in less time than it takes to tell.
const FEW: i64 = 64;

/// What a statement goes over.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    /// How many elements.
    pub(crate) extents: Extents,
    /// Whether it is a whole array that is assigned to: whenever the statement is executed.
    pub(crate) is_whole_target: bool,
}

/// Intrinsic functions that ask of arrays what needs no look at their elements.
const INQUIRIES: [&str; 18] = [
    "allocated",
    "associated",
    "bit_size",
    "c_loc",
    "digits",
    "epsilon",
    "huge",
    "kind",
    "lbound",
    "len",
    "loc",
    "present",
    "rank",
    "shape",
    "size",
    "storage_size",
    "tiny",
    "ubound",
];
/// Intrinsic functions whose value has another shape than their arguments, which have one shape.
const REDUCTIONS: [&str; 16] = [
    "all",
    "any",
    "count",
    "dot_product",
    "findloc",
    "iall",
    "iany",
    "iparity",
    "maxloc",
    "maxval",
    "minloc",
    "minval",
    "norm2",
    "parity",
    "product",
    "sum",
];
/// Those whose arguments may each have a shape of its own.
const TRANSFORMATIONS: [&str; 8] = [
    "cshift",
    "eoshift",
    "matmul",
    "pack",
    "reshape",
    "spread",
    "transpose",
    "unpack",
];

/// What a statement goes over itself, not statements inside it: a target, and what is computed of which the number is not
/// constant.
pub(crate) fn of_statement(program: &Program, kind: &StatementKind) -> Vec<Elements> {
    listed(traversed(program, kind))
}

/// The same of what a statement that is in no run of statements evaluates itself.
pub(crate) fn of_own(program: &Program, kind: &StatementKind, extent: &Extent) -> Vec<Elements> {
    listed(traversed_directly(program, kind, extent))
}

/// Whether such a statement goes over more than a few elements.
pub(crate) fn is_expensive(program: &Program, kind: &StatementKind, extent: &Extent) -> bool {
    let (target, computed) = traversed_directly(program, kind, extent);
    let is_few = |extents: &Extents| {
        let each = extents.as_ref().and_then(|all| {
            all.iter()
                .map(|extent| constant_values::constant(program, extent))
                .collect::<Option<Vec<_>>>()
        });
        each.is_some_and(|all| all.into_iter().fold(1_i64, i64::saturating_mul) <= FEW)
    };
    let mut all = target.iter().map(|target| &target.extents).chain(&computed);
    all.any(|extents| !is_few(extents))
}

fn listed((target, computed): (Option<Elements>, Vec<Extents>)) -> Vec<Elements> {
    let computed = computed.into_iter().filter(|extents| !is_constant(extents));
    target
        .into_iter()
        .chain(computed.map(|extents| Elements {
            extents,
            is_whole_target: false,
        }))
        .collect()
}

/// A target, and all that is computed, with the copies that compilers pass for sections of arrays which do not lie in one
/// piece. What is assigned to is gone over at the statement's end, and may not be there before.
fn traversed_directly(
    program: &Program,
    kind: &StatementKind,
    extent: &Extent,
) -> (Option<Elements>, Vec<Extents>) {
    let (target, mut computed) = traversed(program, kind);
    computed.extend(copies(program, kind));
    (target.filter(|_| *extent == Extent::Tail), computed)
}

/// Whether a CALL may have to copy back what it was passed.
pub(crate) fn copies_back(program: &Program, kind: &StatementKind) -> bool {
    !copies(program, kind).is_empty()
}

/// Sections that a CALL passes to what takes arrays in one piece.
fn copies(program: &Program, kind: &StatementKind) -> Vec<Extents> {
    let StatementKind::Call { callee, arguments } = kind else {
        return Vec::new();
    };
    let accepts_noncontiguous = |position: usize| match callee {
        Callee::Procedure(procedure) => {
            let dummies = &program.procedure(*procedure).dummies;
            dummies
                .get(position)
                .copied()
                .flatten()
                .is_some_and(|dummy| accepts_noncontiguous(program, dummy))
        }
        Callee::Intrinsic(_) => true,
        Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::External(_)
        | Callee::Variable(_)
        | Callee::OneOf(_) => false,
    };
    let passed = arguments
        .iter()
        .enumerate()
        .filter(|(position, _)| !accepts_noncontiguous(*position));
    let passed = passed.filter_map(|(_, argument)| argument.as_ref());
    passed
        .filter(|argument| !is_one_piece(program, argument))
        .filter_map(|a| extents_of(program, a))
        .collect()
}

/// Whether a dummy takes arrays as they lie.
pub(crate) fn accepts_noncontiguous(program: &Program, dummy: VariableId) -> bool {
    let Variable {
        shape, attributes, ..
    } = program.variable(dummy);
    let is_as_passed =
        |dimension: &Dimension| dimension.upper.is_none() && !dimension.is_assumed_size;
    let has_shape = !shape.is_empty() && shape.iter().all(is_as_passed);
    has_shape || attributes.pointer || attributes.allocatable
}

/// Whether what is designated is an array that does not lie in one piece.
pub(crate) fn is_noncontiguous(program: &Program, designator: &Expression) -> bool {
    !is_one_piece(program, designator) && extents_of(program, designator).is_some()
}

/// Whether what is designated lies in one piece wherever the array does.
fn is_one_piece(program: &Program, designator: &Expression) -> bool {
    let is_passed_in_pieces =
        |variable: VariableId| program.variable(variable).attributes.in_pieces;
    let Expression::Reference {
        base,
        path,
        subscripts,
    } = designator
    else {
        return !matches!(designator, Expression::Variable(variable) if is_passed_in_pieces(*variable));
    };
    if is_passed_in_pieces(*base) || array_extents::is_of_elements(program, *base, path, subscripts)
    {
        return false;
    }
    let is_of_many = |rank: usize| rank > 0 && !path.is_empty();
    let sections = subscripts
        .iter()
        .filter(|one| matches!(one, Subscript::Section { .. }))
        .count();
    if is_of_many(program.variable(*base).shape.len()) && (subscripts.is_empty() || sections > 0) {
        return false;
    }
    let is_whole = |subscript: &&Subscript| {
        matches!(
            subscript,
            Subscript::Section {
                lower: None,
                upper: None,
                stride: None
            }
        )
    };
    let rest = &subscripts[subscripts.iter().take_while(is_whole).count()..];
    match rest.split_first() {
        None => true,
        Some((first, behind)) => {
            matches!(
                first,
                Subscript::Section { stride: None, .. } | Subscript::Element(_)
            ) && behind
                .iter()
                .all(|one| matches!(one, Subscript::Element(_)))
        }
    }
}

/// Whether it goes over any array, of whatever size.
pub(crate) fn is_any(program: &Program, kind: &StatementKind) -> bool {
    let (target, computed) = traversed(program, kind);
    target.is_some() || !computed.is_empty()
}

/// A target, and all that is computed.
fn traversed(program: &Program, kind: &StatementKind) -> (Option<Elements>, Vec<Extents>) {
    let mut found = Arrays {
        program,
        all: Vec::new(),
        implied: Vec::new(),
    };
    let mut target = None;
    match kind {
        StatementKind::Assign {
            target: assigned,
            value,
        } => {
            let extents = extents_of(program, assigned);
            let is_whole_target = array_shapes::is_whole(assigned);
            found.inside(assigned);
            found.value(value, extents.is_some());
            target = extents.map(|extents| Elements {
                extents,
                is_whole_target,
            });
        }
        StatementKind::Call {
            callee: Callee::Intrinsic(_),
            arguments,
        } => {
            arguments
                .iter()
                .flatten()
                .for_each(|argument| _ = found.value(argument, false));
        }
        StatementKind::Call { arguments, .. } => {
            arguments
                .iter()
                .flatten()
                .for_each(|argument| found.passed(argument));
        }
        StatementKind::InputOutput(io) => io.reads.iter().for_each(|item| found.passed(item)),
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. } => {
            references::expressions(kind)
                .into_iter()
                .for_each(|asked| _ = found.value(asked, false));
        }
        StatementKind::Scoped { reads, .. } => reads.iter().for_each(|read| found.passed(read)),
        StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => {}
    }
    (target, found.all)
}

fn is_constant(extents: &Extents) -> bool {
    extents.as_ref().is_some_and(|all| {
        all.iter()
            .all(|extent| matches!(extent, Expression::Integer(_)))
    })
}

/// Arrays in an expression.
struct Arrays<'a> {
    program: &'a Program,
    all: Vec<Extents>,
    /// Implied DO loops around: what counts in them has no value beside them.
    implied: Vec<Control<'a>>,
}

impl<'a> Arrays<'a> {
    /// A value; `is_covered` if an array of its shape is. Gives whether one is now.
    fn value(&mut self, expression: &'a Expression, is_covered: bool) -> bool {
        match expression {
            Expression::Integer(_) | Expression::Literal(_) => is_covered,
            Expression::Variable(_) | Expression::Reference { .. } => {
                self.inside(expression);
                let own = extents_of(self.program, expression).filter(|_| !is_covered);
                let is_array = own.is_some();
                own.into_iter().for_each(|extents| self.add(extents));
                is_covered || is_array
            }
            Expression::Unary { operand, .. } => self.value(operand, is_covered),
            Expression::Binary { left, right, .. } => {
                let is_covered = self.value(left, is_covered);
                self.value(right, is_covered)
            }
            Expression::Other(parts) => {
                match implied_loops::of(self.program, parts) {
                    Some((control, items)) => self.implied(control, items),
                    None => parts.iter().for_each(|part| self.passed(part)),
                }
                is_covered
            }
            Expression::Call { callee, arguments } => self.function(callee, arguments, is_covered),
        }
    }

    /// An implied DO: its iterations, and what it goes over in each of them.
    fn implied(&mut self, control: Control<'a>, items: &'a [Expression]) {
        let own = control.trips(self.program).map(|trips| vec![trips]);
        self.add(own);
        self.implied.push(control);
        items.iter().for_each(|item| self.passed(item));
        self.implied.pop();
    }

    /// So many elements, in each iteration of the implied DO loops around.
    fn add(&mut self, extents: Extents) {
        let around = self
            .implied
            .iter()
            .map(|control| control.trips(self.program));
        let around: Option<Vec<Expression>> = around.collect();
        let all = around
            .zip(extents)
            .map(|(around, own)| [around, own].concat());
        let is_known = |all: &Vec<Expression>| {
            !all.iter()
                .any(|one| implied_loops::names(one, &self.implied))
        };
        self.all.push(all.filter(is_known));
    }

    fn function(&mut self, callee: &Callee, arguments: &'a [Expression], is_covered: bool) -> bool {
        let is_one_of = |names: &[&str]| matches!(callee, Callee::Intrinsic(name) if names.contains(&name.as_str()));
        let each_told = |found: &mut Self, is_covered| {
            arguments.iter().fold(is_covered, |is_covered, argument| {
                found.value(argument, is_covered)
            })
        };
        if is_one_of(&INQUIRIES) {
            is_covered
        } else if is_one_of(&REDUCTIONS) {
            each_told(self, false);
            is_covered
        } else if is_one_of(&TRANSFORMATIONS) {
            arguments
                .iter()
                .for_each(|argument| _ = self.value(argument, false));
            is_covered
        } else if matches!(callee, Callee::Intrinsic(_)) || self.is_elemental(callee, arguments) {
            each_told(self, is_covered)
        } else {
            arguments.iter().for_each(|argument| self.passed(argument));
            is_covered
        }
    }

    /// Whether a function takes a scalar where it is given an array.
    fn is_elemental(&self, callee: &Callee, arguments: &[Expression]) -> bool {
        let Callee::Procedure(procedure) = callee else {
            return false;
        };
        let dummies = &self.program.procedure(*procedure).dummies;
        dummies.iter().zip(arguments).any(|(dummy, argument)| {
            let is_scalar =
                dummy.is_some_and(|dummy| self.program.variable(dummy).shape.is_empty());
            is_scalar && extents_of(self.program, argument).is_some()
        })
    }

    /// An argument: what is passed as it is the callee goes over.
    fn passed(&mut self, argument: &'a Expression) {
        match argument {
            Expression::Variable(_) | Expression::Reference { .. } => self.inside(argument),
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => _ = self.value(argument, false),
        }
    }

    /// The subscripts of what is designated.
    fn inside(&mut self, designator: &'a Expression) {
        for part in references::address(designator) {
            self.value(part, false);
        }
    }
}
