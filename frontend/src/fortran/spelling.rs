//! IR expressions as Fortran text, for what probes write. Lower case, parentheses only where the
//! meaning needs them. What cannot be spelled from the IR alone gives `None`.

use crate::ir::sums::{self, INDICES, Sum};
use crate::ir::{Callee, Expression, Operator, Program, Subscript, VariableId};

/// How strongly an expression holds together; an operand weaker than its place is put in
/// parentheses. Fortran 2018, table 10.1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// `.eqv.`, `.neqv.`
    Equivalence,
    /// `.or.`
    Or,
    /// `.and.`
    And,
    /// `.not.`
    Not,
    /// Comparisons.
    Relation,
    /// `//`
    Concatenation,
    /// `+`, `-`, and signs
    Sum,
    /// `*`, `/`
    Product,
    /// `**`
    Power,
    /// Names, literals, calls.
    Primary,
}

/// Largest value a default integer literal may have.
const LARGEST_DEFAULT: u64 = i32::MAX as u64;

/// Deepest expression that is spelled.
const MAX_DEPTH: u32 = 300;

/// Text of an expression in the procedure whose names it uses. `None` for operators of the program's own,
/// procedures that are called through variables, and what the IR keeps only as a list of parts.
pub fn spell(program: &Program, expression: &Expression) -> Option<String> {
    Speller {
        program,
        depth: 0,
        sums: Vec::new(),
    }
    .text(expression)
}

struct Speller<'p> {
    program: &'p Program,
    depth: u32,
    /// The indices of the sums around, outermost first.
    sums: Vec<String>,
}

/// Iterations of a loop up to which a sum evaluates each of them, by how many sums stand in each other; beyond, it evaluates every
/// second, third and so on, so that a term costs less than a tenth of a millisecond.
const MAX_SUMMANDS: [i64; INDICES.len()] = [4096, 256, 40];
/// The same of sums in which a condition selects iterations. Every k-th of them may all be selected, or none (`mod(i, 3)` of every
/// third), so such sums are exact as long as they can be. The loop evaluates the condition as often as the sum.
const MAX_SELECTED: [i64; INDICES.len()] = [1 << 20, 1 << 11, 1 << 7];
/// Beyond, k is one more than a multiple of this: then no period of small primes, as numbers of ranks have, divides it.
const SMALL_PRIMES: i64 = 2 * 3 * 5;

impl Speller<'_> {
    fn text(&mut self, expression: &Expression) -> Option<String> {
        self.spelled(expression).map(|(text, _)| text)
    }

    fn spelled(&mut self, expression: &Expression) -> Option<(String, Strength)> {
        self.depth += 1;
        let spelled = if self.depth > MAX_DEPTH {
            None
        } else {
            self.any(expression)
        };
        self.depth -= 1;
        spelled
    }

    fn any(&mut self, expression: &Expression) -> Option<(String, Strength)> {
        let primary = |text: String| Some((text, Strength::Primary));
        match expression {
            Expression::Integer(value) => integer(*value),
            Expression::Literal(text) if sums::is_index(text) => {
                let around = self.sums.iter().rposition(|index| index == text)?;
                primary(INDICES.get(around)?.to_string())
            }
            Expression::Literal(text) => primary(text.clone()),
            _ if let Some(sum) = sums::sum(expression) => self.sum(&sum),
            Expression::Variable(id) if self.program.variable(*id).attributes.inner => None,
            Expression::Variable(id) => primary(self.program.variable(*id).name.clone()),
            Expression::Reference {
                base,
                path,
                subscripts,
            } if path.is_empty() && self.is_written_so(*base, subscripts) => {
                let list = self.list(subscripts, Self::subscript)?;
                primary(format!("{}({list})", self.program.variable(*base).name))
            }
            // Which component subscripts belong to is not kept.
            Expression::Reference {
                base,
                path,
                subscripts,
            } if subscripts.is_empty() && !self.program.variable(*base).attributes.inner => {
                primary(format!(
                    "{}%{}",
                    self.program.variable(*base).name,
                    path.join("%")
                ))
            }
            Expression::Call { callee, arguments } => {
                let list = self.list(arguments, Self::text)?;
                primary(format!("{}({list})", self.callee(callee)?))
            }
            Expression::Unary { operator, operand } => self.unary(*operator, operand),
            Expression::Binary {
                operator,
                left,
                right,
            } => self.binary(*operator, left, right),
            Expression::Reference { .. } | Expression::Other(_) => None,
        }
    }

    /// Whether the subscripts are those of one list: substrings of elements and parts of what
    /// ASSOCIATE names have more.
    fn is_written_so(&self, base: VariableId, subscripts: &[Subscript]) -> bool {
        let variable = self.program.variable(base);
        !variable.attributes.inner && subscripts.len() == variable.shape.len().max(1)
    }

    fn list<T>(&mut self, items: &[T], one: fn(&mut Self, &T) -> Option<String>) -> Option<String> {
        let texts: Option<Vec<String>> = items.iter().map(|item| one(self, item)).collect();
        Some(texts?.join(", "))
    }

    fn subscript(&mut self, subscript: &Subscript) -> Option<String> {
        let (lower, upper, stride) = match subscript {
            Subscript::Element(expression) => return self.text(expression),
            Subscript::Section {
                lower,
                upper,
                stride,
            } => (lower, upper, stride),
        };
        let (lower, upper) = (self.bound(lower)?, self.bound(upper)?);
        match stride {
            Some(stride) => Some(format!("{lower}:{upper}:{}", self.text(stride)?)),
            None => Some(format!("{lower}:{upper}")),
        }
    }

    fn bound(&mut self, bound: &Option<Expression>) -> Option<String> {
        bound
            .as_ref()
            .map_or(Some(String::new()), |bound| self.text(bound))
    }

    /// A sum over an array constructor, times the stride if that goes over more iterations than [`MAX_SUMMANDS`].
    fn sum(&mut self, sum: &Sum) -> Option<(String, Strength)> {
        let index = INDICES.get(self.sums.len())?;
        let nested = self.sums.len() + sums::height(sum.summed);
        let selects = sums::selects(sum.summed, sum.index);
        let (most, unit) = match selects {
            false => (*MAX_SUMMANDS.get(nested)?, 1),
            true => (*MAX_SELECTED.get(nested)?, SMALL_PRIMES),
        };
        // With a unit of 30: one up to `most` iterations, then 31, 61 and so on.
        let stride = match sum.trips {
            Expression::Integer(trips) if *trips < most => None,
            Expression::Integer(trips) => {
                let beyond = trips / most;
                Some(format!("{}_8", 1 + (beyond + unit - 1) / unit * unit))
            }
            trips => {
                let beyond = format!("max(0_8, int({}, 8))/{most}_8", self.text(trips)?);
                Some(match unit {
                    1 => format!("(1_8 + {beyond})"),
                    unit => format!("(1_8 + ({beyond} + {}_8)/{unit}_8*{unit}_8)", unit - 1),
                })
            }
        };
        let step = match (sum.step, &stride) {
            (Expression::Integer(1), None) => String::new(),
            (Expression::Integer(1), Some(stride)) => format!(", {stride}"),
            (step, None) => format!(", {}", self.text(step)?),
            (step, Some(stride)) => format!(
                ", {stride}*{}",
                self.operand(step, Strength::Product, true)?
            ),
        };
        let control = format!(
            "{index} = {}, {}{step}",
            self.text(sum.from)?,
            self.text(sum.to)?
        );
        self.sums.push(sum.index.to_string());
        let summed = self.text(sum.summed);
        self.sums.pop();
        let summed = summed?;
        // Many programs have a variable of that name.
        let text = match self.names_sum() {
            false => format!("sum((/ ({summed}, {control}) /))"),
            true => format!("dot_product((/ ({summed}, {control}) /), (/ (1_8, {control}) /))"),
        };
        Some(match stride {
            Some(stride) => (format!("{stride}*{text}"), Strength::Product),
            None => (text, Strength::Primary),
        })
    }

    fn names_sum(&self) -> bool {
        let is_sum = |name: &str| name.eq_ignore_ascii_case("sum");
        let mut constructs = self
            .program
            .own_names
            .values()
            .flat_map(|names| names.keys());
        self.program
            .variables
            .iter()
            .any(|variable| is_sum(&variable.name))
            || self
                .program
                .procedures
                .iter()
                .any(|procedure| is_sum(&procedure.name))
            || constructs.any(|name| is_sum(name))
    }

    fn callee(&self, callee: &Callee) -> Option<String> {
        match callee {
            Callee::Procedure(id) => Some(self.program.procedure(*id).name.clone()),
            Callee::Mpi(function) => Some(function.fortran_name()),
            Callee::UnknownMpi(name) | Callee::Intrinsic(name) | Callee::External(name) => {
                Some(name.clone())
            }
            Callee::Variable(_) | Callee::OneOf(_) => None,
        }
    }

    fn unary(&mut self, operator: Operator, operand: &Expression) -> Option<(String, Strength)> {
        let (sign, strength) = match operator {
            Operator::Negate => ("-", Strength::Sum),
            Operator::Plus => ("+", Strength::Sum),
            Operator::Not => (".not. ", Strength::Not),
            Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Power
            | Operator::Concatenate
            | Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual
            | Operator::And
            | Operator::Or
            | Operator::Equivalent
            | Operator::NotEquivalent
            | Operator::Defined => return None,
        };
        // `-a*b` is `-(a*b)`, but a sum after a sign needs parentheses.
        let operand = self.operand(operand, strength, true)?;
        Some((format!("{sign}{operand}"), strength))
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
    ) -> Option<(String, Strength)> {
        let (sign, strength) = infix(operator)?;
        let power = operator == Operator::Power;
        let left = self.operand(left, strength, power || strength == Strength::Relation)?;
        let right = self.operand(right, strength, !power)?;
        Some((format!("{left}{sign}{right}"), strength))
    }

    /// An operand, in parentheses if it is weaker than its place, or as weak where `strictly`.
    fn operand(&mut self, operand: &Expression, place: Strength, strictly: bool) -> Option<String> {
        let (text, strength) = self.spelled(operand)?;
        let weak = strength < place || (strictly && strength == place);
        Some(if weak { format!("({text})") } else { text })
    }
}

/// An integer; what a default integer cannot hold gets kind 8.
fn integer(value: i64) -> Option<(String, Strength)> {
    let kind = if value.unsigned_abs() > LARGEST_DEFAULT {
        "_8"
    } else {
        ""
    };
    let strength = if value < 0 {
        Strength::Sum
    } else {
        Strength::Primary
    };
    Some((format!("{value}{kind}"), strength))
}

fn infix(operator: Operator) -> Option<(&'static str, Strength)> {
    Some(match operator {
        Operator::Add => (" + ", Strength::Sum),
        Operator::Subtract => (" - ", Strength::Sum),
        Operator::Multiply => ("*", Strength::Product),
        Operator::Divide => ("/", Strength::Product),
        Operator::Power => ("**", Strength::Power),
        Operator::Concatenate => (" // ", Strength::Concatenation),
        Operator::Equal => (" .eq. ", Strength::Relation),
        Operator::NotEqual => (" .ne. ", Strength::Relation),
        Operator::Less => (" .lt. ", Strength::Relation),
        Operator::LessEqual => (" .le. ", Strength::Relation),
        Operator::Greater => (" .gt. ", Strength::Relation),
        Operator::GreaterEqual => (" .ge. ", Strength::Relation),
        Operator::And => (" .and. ", Strength::And),
        Operator::Or => (" .or. ", Strength::Or),
        Operator::Equivalent => (" .eqv. ", Strength::Equivalence),
        Operator::NotEquivalent => (" .neqv. ", Strength::Equivalence),
        Operator::Not | Operator::Negate | Operator::Plus | Operator::Defined => return None,
    })
}
