//! Unused results: what a statement reads where only the calls in it matter, and not the values that they return. `q = dot(p, r)`
//! stays in the slice because `dot` communicates, but `q` may be dead. The same holds for components that are copied with others:
//! `b = a` may stay for `b%n`, while `b%values` is dead. [`crate::slice::slicer`] uses the parts.

use crate::effects::effect_collector::EffectCollector;
use crate::effects::statement_effects::{Answer, Apart, StatementEffects};
use crate::expressions::speculatable;
use crate::graphs::call_graph::Call;
use crate::ir::references;
use crate::ir::{Callee, Expression, Operator, Program, Type, Variable};
use crate::memory::location_id::LocationId;

/// Intrinsic functions of numbers that answer whatever they are given.
const TOTAL: [&str; 9] = [
    "abs", "sqrt", "real", "dble", "exp", "log", "log10", "max", "min",
];

/// Intrinsic functions of arrays whose shape, and whether they return, depends on shapes, dimensions, counts and masks, which are
/// integers and logicals, but not on real and complex elements.
const ARRANGING: [&str; 13] = [
    "cshift",
    "eoshift",
    "matmul",
    "maxval",
    "merge",
    "minval",
    "pack",
    "product",
    "reshape",
    "spread",
    "sum",
    "transpose",
    "unpack",
];

impl EffectCollector<'_> {
    /// Separates what a numeric assignment reads for its calls, or to allocate its target, from what it reads for its value.
    pub(crate) fn take_apart(&mut self, target: &Expression, value: &Expression, allocates: bool) {
        // With traps enabled, arithmetic on values that the slice does not compute could end the run.
        if self.graph.may_trap || !is_number(self.program, target) {
            return;
        }
        let (mut only_intrinsics, mut some_unused) = (true, false);
        for call in references::calls(value) {
            only_intrinsics &= matches!(call.callee, Callee::Intrinsic(_));
            some_unused |= self.may_be_unused(call.callee);
        }
        let is_shape = allocates && only_intrinsics;
        if !is_shape && !some_unused {
            return;
        }
        let mut only = EffectCollector {
            out: StatementEffects::default(),
            ..*self
        };
        only.evaluate(value);
        only.address(target);
        let StatementEffects {
            uses: for_calls,
            calls,
            ..
        } = only.out;
        self.out.calls = calls;
        self.out.apart = Some(Apart {
            for_calls,
            for_value: self.operands(value),
            copies: Vec::new(),
        });
    }

    /// Separates the components of an object that is copied (F2018, 10.2.1.3): each depends on the component of the same name. The
    /// slice copies all, whether it computes them or not: `mentions` make all exist.
    pub(crate) fn take_copied_apart(&mut self, target: &Expression, value: &Expression) {
        // Finalizers and defined assignments are called: these do more than copy.
        if self.graph.may_trap || self.out.is_unseen() || !self.out.calls.is_empty() {
            return;
        }
        let (Some(to), Some(from)) = (self.place(target), self.place(value)) else {
            return;
        };
        let Some(copies) = self.locations.corresponding_components(to, from) else {
            return;
        };
        self.take_values_apart(value, target, copies);
    }

    /// MOVE_ALLOC moves values that may be unused: where only the allocation matters, the slice does not compute them.
    pub(crate) fn take_moved_apart(&mut self, call: &Call) {
        let [Some(from), Some(to), ..] = call.arguments[..] else {
            return;
        };
        if !is_number(self.program, from) {
            return;
        }
        self.take_values_apart(from, to, Vec::new());
    }

    /// Separates where two objects are from the values that one gives to the other.
    fn take_values_apart(
        &mut self,
        from: &Expression,
        to: &Expression,
        copies: Vec<(LocationId, LocationId)>,
    ) {
        let mut only = EffectCollector {
            out: StatementEffects::default(),
            ..*self
        };
        only.address(from);
        only.address(to);
        self.out.apart = Some(Apart {
            for_calls: only.out.uses,
            for_value: self.values(from),
            copies,
        });
    }

    /// The reads that evaluate an expression which is sent or passed, possibly to a reader that does not exist; its calls are
    /// added elsewhere.
    pub(crate) fn evaluate_passed(&mut self, expression: &Expression) {
        let mut only = EffectCollector {
            out: StatementEffects::default(),
            ..*self
        };
        match self.graph.may_trap {
            true => only.read(expression),
            false => only.evaluate(expression),
        }
        self.out.uses.extend(only.out.uses);
        self.out.mentions.extend(only.out.mentions);
    }

    /// An expression that is evaluated although its value is not live.
    pub(crate) fn evaluate(&mut self, expression: &Expression) {
        match expression {
            Expression::Integer(_) | Expression::Literal(_) => {}
            Expression::Variable(_) | Expression::Reference { .. }
                if is_number(self.program, expression) =>
            {
                self.address(expression);
            }
            Expression::Unary { operator, operand } if *operator != Operator::Defined => {
                self.evaluate(operand);
            }
            Expression::Binary {
                operator,
                left,
                right,
            } if self.is_total(*operator, left, right) => {
                self.evaluate(left);
                self.evaluate(right);
            }
            Expression::Binary {
                operator: Operator::And | Operator::Or,
                left,
                right,
            } => {
                self.evaluate_one_side(expression, left, right);
            }
            Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments,
            } if is_total_function(name, arguments) => {
                for argument in arguments {
                    self.evaluate(argument);
                }
            }
            Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments,
            } if ARRANGING.contains(&&name[..]) => {
                for argument in arguments {
                    // Elements; all else may determine the shape.
                    if self.is_real(argument) {
                        self.evaluate(argument);
                    } else {
                        self.read(argument);
                    }
                }
            }
            Expression::Call { callee, arguments } if self.may_be_unused(callee) => {
                let arguments = arguments.iter().map(Some).collect();
                self.pass(
                    &Call {
                        callee,
                        arguments,
                        is_function: true,
                    },
                    Answer::ForValue,
                );
            }
            // Constructors of reals. Other numbers may choose elements, or be divided by each other, in what was not read.
            Expression::Other(parts)
                if !parts.is_empty() && parts.iter().all(|part| self.is_real(part)) =>
            {
                for part in parts {
                    self.evaluate(part);
                }
            }
            Expression::Variable(_)
            | Expression::Reference { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Call { .. }
            | Expression::Other(_) => self.read(expression),
        }
    }

    /// `k < n .and. norm(r) > tol`: the side without calls decides whether the other is evaluated. Where it stands
    /// behind, it may be evaluated although it would not have been.
    fn evaluate_one_side(&mut self, whole: &Expression, left: &Expression, right: &Expression) {
        let calls = |side| !references::calls(side).is_empty();
        match (calls(left), calls(right)) {
            (false, true) => {
                self.read(left);
                self.evaluate(right);
            }
            (true, false) if self.is_harmless(right) => {
                self.evaluate(left);
                self.read(right);
            }
            (_, _) => self.read(whole),
        }
    }

    /// Whether an expression of scalars can be evaluated at any time.
    fn is_harmless(&self, expression: &Expression) -> bool {
        let mut only_scalars = true;
        references::walk(expression, &mut |part| {
            if let Expression::Variable(variable) = part {
                let variable = self.program.variable(*variable);
                let attributes = &variable.attributes;
                let may_be_absent =
                    attributes.pointer || attributes.allocatable || attributes.optional;
                only_scalars &= variable.shape.is_empty() && !may_be_absent;
            }
        });
        only_scalars && speculatable::is_harmless(expression)
    }

    /// Whether an operation answers whatever its operands are, and always evaluates both. `.and.` and `.or.` may leave out
    /// one of them; integers may not be divided by nothing.
    fn is_total(&self, operator: Operator, left: &Expression, right: &Expression) -> bool {
        match operator {
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual => true,
            // Without traps, a real division by zero yields an infinity; an integer one may end the
            // run.
            Operator::Divide => self.is_real(left) || self.is_real(right),
            Operator::Power => self.is_real(left) && matches!(right, Expression::Integer(_)),
            Operator::And | Operator::Or | Operator::Equivalent | Operator::NotEquivalent => {
                [left, right]
                    .iter()
                    .all(|side| references::calls(side).is_empty())
            }
            Operator::Concatenate
            | Operator::Not
            | Operator::Negate
            | Operator::Plus
            | Operator::Defined => false,
        }
    }

    /// Whether an expression is surely a real or complex number.
    fn is_real(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Variable(_) | Expression::Reference { .. } => {
                type_of(self.program, expression).is_some_and(|of_type| of_type.is_real())
            }
            Expression::Unary { operator, operand } => {
                *operator != Operator::Defined && self.is_real(operand)
            }
            Expression::Binary {
                operator: Operator::Power,
                left,
                ..
            } => self.is_real(left),
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let computes = matches!(
                    operator,
                    Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide
                );
                computes && (self.is_real(left) || self.is_real(right))
            }
            Expression::Call {
                callee: Callee::Intrinsic(name),
                ..
            } if ["sqrt", "dble", "exp", "log", "real"].contains(&&name[..]) => true,
            // The type is that of the elements, which are the first argument.
            Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments,
            } if ARRANGING.contains(&&name[..]) => {
                arguments.first().is_some_and(|first| self.is_real(first))
            }
            Expression::Call {
                callee: Callee::Intrinsic(_),
                ..
            } => false,
            Expression::Call { callee, .. } => {
                let results = self.results(callee);
                !results.is_empty() && results.iter().all(|result| result.of_type.is_real())
            }
            Expression::Literal(text) => {
                text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.')
            }
            Expression::Integer(_) | Expression::Other(_) => false,
        }
    }

    /// Whether a callee is a function of the program with a numeric result, whose location exists even if the function never defines it.
    fn may_be_unused(&self, callee: &Callee) -> bool {
        if !matches!(callee, Callee::Procedure(_) | Callee::OneOf(_)) {
            return false;
        }
        let results = self.results(callee);
        if results.len() != self.graph.targets(callee).len() {
            return false;
        }
        for result in results {
            let attributes = &result.attributes;
            if !result.of_type.is_numeric() || attributes.pointer || attributes.allocatable {
                return false;
            }
        }
        true
    }

    fn results(&self, callee: &Callee) -> Vec<&Variable> {
        let mut results = Vec::new();
        for target in self.graph.targets(callee) {
            if let Some(result) = self.program.procedure(target).result {
                results.push(self.program.variable(result));
            }
        }
        results
    }

    /// What an expression reads, except for the arguments of functions whose result may be unused.
    fn operands(&self, expression: &Expression) -> Vec<LocationId> {
        match expression {
            Expression::Unary { operand, .. } => self.operands(operand),
            Expression::Binary { left, right, .. } => {
                [self.operands(left), self.operands(right)].concat()
            }
            Expression::Call { callee, .. } if self.may_be_unused(callee) => vec![],
            Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments,
            } if is_total_function(name, arguments) => {
                let mut operands = Vec::new();
                for argument in arguments {
                    operands.extend(self.operands(argument));
                }
                operands
            }
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Variable(_)
            | Expression::Reference { .. }
            | Expression::Call { .. }
            | Expression::Other(_) => self.values(expression),
        }
    }
}

/// Whether an intrinsic function of numbers answers whatever it is given.
fn is_total_function(name: &str, arguments: &[Expression]) -> bool {
    match (name, arguments) {
        ("mod" | "modulo", [_, Expression::Integer(divisor)]) => *divisor > 0,
        // Over all dimensions, whatever the elements are.
        ("sum" | "product" | "maxval" | "minval", [_]) | ("dot_product", [_, _]) => true,
        _ => TOTAL.contains(&name),
    }
}

fn is_number(program: &Program, expression: &Expression) -> bool {
    type_of(program, expression).is_some_and(|of_type| of_type.is_numeric())
}

fn type_of(program: &Program, expression: &Expression) -> Option<Type> {
    references::designated(expression).map(|part| program.type_of_part(part.base, part.path))
}
