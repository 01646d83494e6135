//! Element-wise array operations of a statement: array targets, and array values in its expressions, also inside intrinsics
//! (`sum(exp(a(1:n)))`) and array constructors with an implied DO. Conforming arrays in one expression count once, by the
//! first of them. An array that is passed as it is belongs to the callee.
//!
//! Extents are computed in [`crate::memory::array_extents`], their values at a block's entry in [`crate::work::trip_counts`].

use crate::fortran::is_integer;
use crate::ir::analysis::Extent;
use crate::ir::array_inquiries;
use crate::ir::constant_values;
use crate::ir::implied_loops::{self, Control};
use crate::ir::references;
use crate::ir::{
    Callee, Dimension, Expression, Program, StatementKind, Subscript, Variable, VariableId,
};
use crate::memory::array_extents::{self, Extents, extents_of};

/// Most elements whose operation takes less time than a work term for it would.
const FEW: i64 = 64;

/// An element-wise array operation.
#[derive(Clone, Debug)]
pub(crate) struct ArrayOperation {
    /// Its extents.
    pub(crate) extents: Extents,
    /// Whether it assigns to a whole array: then every execution of the statement performs it.
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
pub(crate) fn of_statement(program: &Program, kind: &StatementKind) -> Vec<ArrayOperation> {
    listed(traversed(program, kind))
}

/// The same of what a statement that is in no run of statements evaluates itself.
pub(crate) fn of_own(
    program: &Program,
    kind: &StatementKind,
    extent: &Extent,
) -> Vec<ArrayOperation> {
    listed(traversed_directly(program, kind, extent))
}

/// Whether a control statement operates on more than [`FEW`] elements, or on an unknown number.
pub(crate) fn is_expensive(program: &Program, kind: &StatementKind, extent: &Extent) -> bool {
    let (target, computed) = traversed_directly(program, kind, extent);
    if let Some(target) = target
        && !is_few(program, &target.extents)
    {
        return true;
    }
    computed.iter().any(|extents| !is_few(program, extents))
}

fn is_few(program: &Program, extents: &Extents) -> bool {
    let Some(extents) = extents else {
        return false;
    };
    let mut count = 1_i64;
    for extent in extents {
        let Some(extent) = constant_values::constant(program, extent) else {
            return false;
        };
        count = count.saturating_mul(extent);
    }
    count <= FEW
}

fn listed((target, computed): (Option<ArrayOperation>, Vec<Extents>)) -> Vec<ArrayOperation> {
    let mut all: Vec<ArrayOperation> = target.into_iter().collect();
    for extents in computed {
        if !is_constant(&extents) {
            all.push(ArrayOperation {
                extents,
                is_whole_target: false,
            });
        }
    }
    all
}

/// The target, if `extent` is the epilogue, and all computed arrays, with the copies that compilers make of noncontiguous
/// arguments. The target is written in the epilogue, and may not be allocated before.
fn traversed_directly(
    program: &Program,
    kind: &StatementKind,
    extent: &Extent,
) -> (Option<ArrayOperation>, Vec<Extents>) {
    let (target, mut computed) = traversed(program, kind);
    computed.extend(copies(program, kind));
    match extent {
        Extent::Tail => (target, computed),
        _ => (None, computed),
    }
}

/// Whether a CALL may have to copy back what it was passed.
pub(crate) fn copies_back(program: &Program, kind: &StatementKind) -> bool {
    !copies(program, kind).is_empty()
}

/// Noncontiguous sections that a CALL passes to dummies which require contiguous arrays: compilers copy them.
fn copies(program: &Program, kind: &StatementKind) -> Vec<Extents> {
    let StatementKind::Call { callee, arguments } = kind else {
        return Vec::new();
    };
    let mut copied = Vec::new();
    for (position, argument) in arguments.iter().enumerate() {
        let Some(argument) = argument else { continue };
        let is_copied = !argument_may_be_noncontiguous(program, callee, position)
            && !is_one_piece(program, argument);
        if is_copied {
            copied.extend(extents_of(program, argument));
        }
    }
    copied
}

fn argument_may_be_noncontiguous(program: &Program, callee: &Callee, position: usize) -> bool {
    match callee {
        Callee::Procedure(procedure) => match program.procedure(*procedure).dummies.get(position) {
            Some(Some(dummy)) => accepts_noncontiguous(program, *dummy),
            Some(None) | None => false,
        },
        Callee::Intrinsic(_) => true,
        Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::External(_)
        | Callee::Variable(_)
        | Callee::OneOf(_) => false,
    }
}

/// Whether a dummy takes noncontiguous arrays without a copy: assumed-shape, pointer and allocatable dummies do.
pub(crate) fn accepts_noncontiguous(program: &Program, dummy: VariableId) -> bool {
    let Variable {
        shape, attributes, ..
    } = program.variable(dummy);
    if attributes.pointer || attributes.allocatable {
        return true;
    }
    let is_assumed_shape =
        |dimension: &Dimension| dimension.upper.is_none() && !dimension.is_assumed_size;
    !shape.is_empty() && shape.iter().all(is_assumed_shape)
}

/// Whether what is designated is an array that does not lie in one piece.
pub(crate) fn is_noncontiguous(program: &Program, designator: &Expression) -> bool {
    !is_one_piece(program, designator) && extents_of(program, designator).is_some()
}

/// Whether a designator is contiguous wherever its array is: whole dimensions first, then at most one section without a stride,
/// then single subscripts, since arrays are stored in column-major order.
fn is_one_piece(program: &Program, designator: &Expression) -> bool {
    let (base, path, subscripts) = match designator {
        Expression::Reference {
            base,
            path,
            subscripts,
        } => (*base, path, subscripts),
        Expression::Variable(variable) => {
            return !program.variable(*variable).attributes.in_pieces;
        }
        _ => return true,
    };
    let variable = program.variable(base);
    if variable.attributes.in_pieces
        || array_extents::is_of_elements(program, base, path, subscripts)
    {
        return false;
    }
    let has_section = subscripts.iter().any(is_section);
    let is_component_of_elements = !variable.shape.is_empty() && !path.is_empty();
    if is_component_of_elements && (subscripts.is_empty() || has_section) {
        return false;
    }
    // `a(:, i:j, k)` lies in one piece, `a(i:j, :, k)` does not.
    let whole_dimensions = subscripts.iter().take_while(is_whole_dimension).count();
    let Some((first, behind)) = subscripts[whole_dimensions..].split_first() else {
        return true;
    };
    let has_no_stride = matches!(
        first,
        Subscript::Section { stride: None, .. } | Subscript::Element(_)
    );
    has_no_stride && !behind.iter().any(is_section)
}

fn is_section(subscript: &Subscript) -> bool {
    matches!(subscript, Subscript::Section { .. })
}

fn is_whole_dimension(subscript: &&Subscript) -> bool {
    matches!(
        subscript,
        Subscript::Section {
            lower: None,
            upper: None,
            stride: None
        }
    )
}

/// Whether it goes over any array, of whatever size.
pub(crate) fn is_any(program: &Program, kind: &StatementKind) -> bool {
    let (target, computed) = traversed(program, kind);
    target.is_some() || !computed.is_empty()
}

/// The target, and all arrays that are computed.
fn traversed(program: &Program, kind: &StatementKind) -> (Option<ArrayOperation>, Vec<Extents>) {
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
            found.inside(assigned);
            // The value conforms with the target, so that the target stands for both.
            found.value(value, extents.is_some());
            if let Some(extents) = extents {
                target = Some(ArrayOperation {
                    extents,
                    is_whole_target: array_inquiries::is_whole(assigned),
                });
            }
        }
        StatementKind::Call {
            callee: Callee::Intrinsic(_),
            arguments,
        } => {
            for argument in arguments.iter().flatten() {
                found.value(argument, false);
            }
        }
        StatementKind::Call { arguments, .. } => {
            for argument in arguments.iter().flatten() {
                found.passed(argument);
            }
        }
        StatementKind::InputOutput(io) => found.all_passed(&io.reads),
        StatementKind::If { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Select { .. }
        | StatementKind::Goto { .. } => {
            for expression in references::expressions(kind) {
                found.value(expression, false);
            }
        }
        StatementKind::Scoped { reads, .. } => found.all_passed(reads),
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
    let Some(extents) = extents else {
        return false;
    };
    let is_literal = |extent: &Expression| matches!(extent, Expression::Integer(_));
    extents.iter().all(is_literal)
}

/// Arrays in an expression.
struct Arrays<'a> {
    program: &'a Program,
    all: Vec<Extents>,
    /// Implied DO loops around: what counts in them has no value beside them.
    implied: Vec<Control<'a>>,
}

impl<'a> Arrays<'a> {
    /// Adds the arrays of a value; `is_covered` if a conforming array is counted already. Returns whether one is now.
    fn value(&mut self, expression: &'a Expression, is_covered: bool) -> bool {
        match expression {
            Expression::Integer(_) | Expression::Literal(_) => is_covered,
            Expression::Variable(_) | Expression::Reference { .. } => {
                self.inside(expression);
                if is_covered {
                    return true;
                }
                let Some(extents) = extents_of(self.program, expression) else {
                    return false;
                };
                self.add(extents);
                true
            }
            Expression::Unary { operand, .. } => self.value(operand, is_covered),
            Expression::Binary { left, right, .. } => {
                // Operands conform: an array in the first one stands for those in the second.
                let is_covered = self.value(left, is_covered);
                self.value(right, is_covered)
            }
            Expression::Other(parts) => {
                match implied_loops::of(self.program, parts) {
                    Some((control, items)) => self.implied(control, items),
                    None => self.all_passed(parts),
                }
                is_covered
            }
            Expression::Call { callee, arguments } => self.function(callee, arguments, is_covered),
        }
    }

    /// An implied DO: its iterations, and the arrays of each of them.
    fn implied(&mut self, control: Control<'a>, items: &'a [Expression]) {
        let own = control
            .trips(self.program, is_integer)
            .map(|trips| vec![trips]);
        self.add(own);
        // From here on, `add` multiplies by the trip counts of all implied DO loops around.
        self.implied.push(control);
        self.all_passed(items);
        self.implied.pop();
    }

    /// Adds so many elements in each iteration of the enclosing implied DO loops.
    fn add(&mut self, extents: Extents) {
        let all = self.in_all_iterations(extents);
        self.all.push(all);
    }

    /// The extents times the trip counts of the enclosing implied DO loops; `None` if they contain a counter of one of these, which
    /// has no value outside it.
    fn in_all_iterations(&self, extents: Extents) -> Extents {
        let mut all = Vec::new();
        for control in &self.implied {
            all.push(control.trips(self.program, is_integer)?);
        }
        all.extend(extents?);
        for extent in &all {
            if implied_loops::names(extent, &self.implied) {
                return None;
            }
        }
        Some(all)
    }

    fn function(&mut self, callee: &Callee, arguments: &'a [Expression], is_covered: bool) -> bool {
        let intrinsic = match callee {
            Callee::Intrinsic(name) => Some(name.as_str()),
            _ => None,
        };
        if let Some(name) = intrinsic {
            if INQUIRIES.contains(&name) {
                return is_covered;
            }
            // The arguments are traversed, but their elements are not those of the result, which
            // therefore covers nothing outside.
            if REDUCTIONS.contains(&name) {
                self.conforming(arguments, false);
                return is_covered;
            }
            // Shapes of arguments and result differ, so each array counts by itself.
            if TRANSFORMATIONS.contains(&name) {
                for argument in arguments {
                    self.value(argument, false);
                }
                return is_covered;
            }
        }
        if intrinsic.is_some() || self.is_elemental(callee, arguments) {
            return self.conforming(arguments, is_covered);
        }
        self.all_passed(arguments);
        is_covered
    }

    /// Values of one shape: the first array stands for the others.
    fn conforming(&mut self, values: &'a [Expression], mut is_covered: bool) -> bool {
        for value in values {
            is_covered = self.value(value, is_covered);
        }
        is_covered
    }

    /// Whether a function is referenced elementally: some array is passed for a scalar dummy.
    fn is_elemental(&self, callee: &Callee, arguments: &[Expression]) -> bool {
        let Callee::Procedure(procedure) = callee else {
            return false;
        };
        let dummies = &self.program.procedure(*procedure).dummies;
        for (dummy, argument) in dummies.iter().zip(arguments) {
            if let Some(dummy) = dummy
                && self.program.variable(*dummy).shape.is_empty()
                && extents_of(self.program, argument).is_some()
            {
                return true;
            }
        }
        false
    }

    fn all_passed(&mut self, arguments: &'a [Expression]) {
        for argument in arguments {
            self.passed(argument);
        }
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
