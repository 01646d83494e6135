//! Which input/output statements may mean the same file. Units are told apart by number where the
//! number is a constant, or a variable that only ever holds constants; files by the text of FILE=
//! where it is a literal. What cannot be told apart is one class.

use crate::ir::{
    Callee, Expression, InputOutput, IoOperation, IoUnit, Operator, Program, StatementId, StatementKind,
    Storage, Type, VariableId,
};
use crate::locations::Classes;
use crate::references;
use std::collections::{BTreeMap, BTreeSet};

/// Unit that READ means without a unit, by the habit of compilers.
const INPUT_UNIT: i64 = 5;
/// Units of standard output and standard error, by the same habit.
const OUTPUT_UNITS: [i64; 2] = [6, 0];

/// Classes of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    of_statement: BTreeMap<StatementId, Unit>,
    names: Vec<String>,
}

/// What an input/output statement works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A file of this class.
    Class(usize),
    /// Standard output or error: nothing in the program reads it.
    Output,
    /// No file: an internal file.
    Internal,
    /// INQUIRE without a unit: any file.
    Any,
}

impl Files {
    /// The files of a program.
    pub(crate) fn of(program: &Program, order: &[StatementId]) -> Self {
        let values = Values::of(program, order);
        let statements: Vec<(StatementId, &InputOutput)> = order
            .iter()
            .filter_map(|&id| match &program.statement(id).kind {
                StatementKind::InputOutput(io) => Some((id, io)),
                _ => None,
            })
            .collect();
        Grouping::default().run(program, &values, &statements)
    }

    /// What each class is called, for people; index = class.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// What a statement works on.
    pub(crate) fn unit(&self, statement: StatementId) -> Unit {
        self.of_statement.get(&statement).copied().unwrap_or(Unit::Any)
    }
}

/// A unit number, or any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    Known(i64),
    Unknown,
}

#[derive(Default)]
struct Grouping {
    numbers: BTreeMap<Number, usize>,
    by_name: BTreeMap<String, usize>,
    unknown_name: Option<usize>,
    pairs: Vec<(usize, usize)>,
}

impl Grouping {
    fn run(
        mut self,
        program: &Program,
        values: &Values,
        statements: &[(StatementId, &InputOutput)],
    ) -> Files {
        let mut of_statement = BTreeMap::new();
        let mut classed = Vec::new();
        for &(id, io) in statements {
            match self.first_of(program, values, io) {
                Ok(index) => classed.push((id, index)),
                Err(unit) => {
                    of_statement.insert(id, unit);
                }
            }
        }
        let mut classes = Classes::new(self.numbers.len());
        if let Some(&unknown) = self.numbers.get(&Number::Unknown) {
            (0..self.numbers.len()).for_each(|i| classes.union(unknown, i));
        }
        if let Some(unknown) = self.unknown_name {
            self.by_name.values().for_each(|&named| classes.union(unknown, named));
        }
        self.pairs.iter().for_each(|&(a, b)| classes.union(a, b));
        self.number_classes(classes, classed, of_statement)
    }

    fn number_classes(
        &self,
        mut classes: Classes,
        classed: Vec<(StatementId, usize)>,
        mut of_statement: BTreeMap<StatementId, Unit>,
    ) -> Files {
        let mut dense: BTreeMap<usize, usize> = BTreeMap::new();
        let mut names = Vec::new();
        for (id, index) in classed {
            let next = dense.len();
            let class = *dense.entry(classes.find(index)).or_insert(next);
            if class == names.len() {
                names.push(self.name(index));
            }
            of_statement.insert(id, Unit::Class(class));
        }
        Files { of_statement, names }
    }

    fn name(&self, index: usize) -> String {
        match self.numbers.iter().find(|&(_, &i)| i == index) {
            Some((Number::Known(INPUT_UNIT), _)) => "standard input".into(),
            Some((Number::Known(number), _)) => format!("unit {number}"),
            Some((Number::Unknown, _)) | None => "a file".into(),
        }
    }

    /// A number that stands for the class of a statement's unit; its other numbers are joined to it.
    fn first_of(&mut self, program: &Program, values: &Values, io: &InputOutput) -> Result<usize, Unit> {
        let numbers = match &io.unit {
            IoUnit::Internal(_) => return Err(Unit::Internal),
            IoUnit::None => return Err(Unit::Any),
            IoUnit::Standard if io.operation == IoOperation::Read => {
                BTreeSet::from([Number::Known(INPUT_UNIT)])
            }
            IoUnit::Standard => return Err(Unit::Output),
            IoUnit::Number(expression) => values.units(program, expression),
        };
        let is_output = |n: &Number| OUTPUT_UNITS.iter().any(|&unit| *n == Number::Known(unit));
        if numbers.iter().all(is_output) && io.operation != IoOperation::Open {
            return Err(Unit::Output);
        }
        let indices: Vec<usize> = numbers.iter().map(|&number| self.index(number)).collect();
        self.pairs.extend(indices.windows(2).map(|pair| (pair[0], pair[1])));
        if io.operation == IoOperation::Open {
            self.join_by_name(program, io, indices[0]);
        }
        Ok(indices[0])
    }

    fn index(&mut self, number: Number) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(number).or_insert(next)
    }

    /// OPEN: all literals among its operands may be its FILE=; one that is a variable may be any file.
    fn join_by_name(&mut self, program: &Program, io: &InputOutput, index: usize) {
        for literal in io.reads.iter().filter_map(file_name) {
            let other = *self.by_name.entry(literal).or_insert(index);
            self.pairs.push((index, other));
        }
        let is_text =
            |&v: &VariableId| matches!(program.variable(v).of_type, Type::Character | Type::Unknown);
        if io.reads.iter().flat_map(references::variables).any(|v| is_text(&v)) {
            let other = *self.unknown_name.get_or_insert(index);
            self.pairs.push((index, other));
        }
    }
}

/// A literal that is not one of the words that other operands of OPEN take.
fn file_name(expression: &Expression) -> Option<String> {
    const WORDS: &[&str] = &[
        "old",
        "new",
        "unknown",
        "replace",
        "scratch",
        "formatted",
        "unformatted",
        "stream",
        "sequential",
        "direct",
        "append",
        "rewind",
        "asis",
        "read",
        "write",
        "readwrite",
        "yes",
        "no",
        "null",
        "zero",
        "delim",
        "apostrophe",
        "quote",
        "none",
        "big_endian",
        "little_endian",
        "native",
    ];
    let Expression::Literal(text) = expression else { return None };
    let text = text.trim_matches(['\'', '"']).trim_end();
    (!WORDS.contains(&text.to_ascii_lowercase().as_str())).then(|| text.to_string())
}

/// The constants that integer scalars may hold.
struct Values {
    sources: BTreeMap<VariableId, Vec<Option<Expression>>>,
}

impl Values {
    /// What is assigned to each variable; `None` for what cannot be seen.
    fn of(program: &Program, order: &[StatementId]) -> Self {
        let mut values = Values { sources: BTreeMap::new() };
        for &id in order {
            let kind = &program.statement(id).kind;
            match kind {
                StatementKind::Assign { target: Expression::Variable(v), value } => {
                    values.add(*v, Some(value))
                }
                StatementKind::Do { variable, .. } => values.add(*variable, None),
                StatementKind::InputOutput(io) => values.unknown(&io.writes),
                StatementKind::Opaque { writes, .. } => values.unknown(writes),
                _ => {}
            }
            for call in crate::call_graph::calls(kind) {
                values.call(program, call.callee, &call.arguments);
            }
        }
        values
    }

    fn add(&mut self, variable: VariableId, value: Option<&Expression>) {
        self.sources.entry(variable).or_default().push(value.cloned());
    }

    fn unknown(&mut self, targets: &[Expression]) {
        for variable in targets.iter().filter_map(references::base) {
            self.add(variable, None);
        }
    }

    /// Dummies get their actuals' values. A callee that writes its dummy writes its actual: the
    /// dummy's own sources say so only to the dummy, so the actual takes them over.
    fn call(&mut self, program: &Program, callee: &Callee, arguments: &[Option<&Expression>]) {
        for (position, argument) in arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            let dummy = match callee {
                Callee::Procedure(procedure) => {
                    program.procedure(*procedure).dummies.get(position).copied().flatten()
                }
                _ => None,
            };
            match (dummy, callee, argument) {
                (Some(dummy), _, Expression::Variable(actual)) => {
                    self.add(dummy, Some(argument));
                    self.add(*actual, Some(&Expression::Variable(dummy)));
                }
                (Some(dummy), _, _) => self.add(dummy, Some(argument)),
                (None, Callee::Intrinsic(_), _) => {}
                (None, _, _) => self.unknown(std::slice::from_ref(*argument)),
            }
        }
    }

    fn units(&self, program: &Program, expression: &Expression) -> BTreeSet<Number> {
        let mut found = BTreeSet::new();
        self.collect(program, expression, &mut BTreeSet::new(), &mut found);
        if found.is_empty() { BTreeSet::from([Number::Unknown]) } else { found }
    }

    fn collect(
        &self,
        program: &Program,
        expression: &Expression,
        seen: &mut BTreeSet<VariableId>,
        found: &mut BTreeSet<Number>,
    ) {
        if let Some(value) = constant(program, expression) {
            found.insert(Number::Known(value));
            return;
        }
        let Expression::Variable(variable) = expression else {
            found.insert(Number::Unknown);
            return;
        };
        // Static variables may hold what DATA put there; COMMON, what others did.
        if !matches!(program.variable(*variable).storage, Storage::Local | Storage::Dummy(_)) {
            found.insert(Number::Unknown);
            return;
        }
        if !seen.insert(*variable) {
            return;
        }
        for source in self.sources.get(variable).into_iter().flatten() {
            match source {
                Some(value) => self.collect(program, value, seen, found),
                None => {
                    found.insert(Number::Unknown);
                }
            }
        }
    }
}

/// The value of an integer expression of literals and named constants.
pub(crate) fn constant(program: &Program, expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Integer(value) => Some(*value),
        Expression::Literal(text) => text.split('_').next()?.parse().ok(),
        Expression::Variable(variable) => match &program.variable(*variable).storage {
            Storage::Constant(Some(value)) => constant(program, value),
            Storage::Constant(None)
            | Storage::Local
            | Storage::Static
            | Storage::Dummy(_)
            | Storage::Common { .. }
            | Storage::Module(_) => None,
        },
        Expression::Unary { operator: Operator::Negate, operand } => {
            constant(program, operand)?.checked_neg()
        }
        Expression::Unary { .. } => None,
        Expression::Binary { operator, left, right } => {
            fold(*operator, constant(program, left)?, constant(program, right)?)
        }
        Expression::Reference { .. } | Expression::Call { .. } | Expression::Other(_) => None,
    }
}

fn fold(operator: Operator, left: i64, right: i64) -> Option<i64> {
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => left.checked_div(right),
        Operator::Power => left.checked_pow(u32::try_from(right).ok()?),
        _ => None,
    }
}
