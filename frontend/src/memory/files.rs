//! File classes: which input/output statements may access the same file. Union-find over unit numbers
//! ([`crate::memory::io_units`]) and the literal text of FILE=. Units that cannot be distinguished, and those of files of one name, are
//! one class; a name that is made at run time may be that of any class's file, unless their ends differ
//! ([`crate::memory::file_names`]).

use crate::ir::{
    Expression, InputOutput, IoOperation, IoUnit, Operator, Program, StatementId, StatementKind,
    Type,
};
use crate::memory::file_names::Names;
use crate::memory::io_units::{Number, Numbers};
use crate::memory::union_find::Classes;
use std::collections::{BTreeMap, BTreeSet};

/// Unit that READ means without a unit, by the habit of compilers.
const INPUT_UNIT: i64 = 5;
/// Units of standard output and standard error, by the same habit.
const OUTPUT_UNITS: [i64; 2] = [6, 0];

/// Classes of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    of_statement: BTreeMap<StatementId, Unit>,
    /// Statements whose unit no OPEN of the program connects.
    connecting: BTreeSet<StatementId>,
    names: Vec<String>,
    /// Classes with files whose names are made at run time.
    made: BTreeSet<usize>,
    /// What is known of the names of each class's files.
    ends: Vec<Names>,
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
    /// INQUIRE without a unit, or of a unit that is not known: any file.
    Any,
}

impl Files {
    /// The files of a program.
    pub(crate) fn of(program: &Program, order: &[StatementId], numbers: &Numbers) -> Self {
        let mut statements: Vec<(StatementId, &InputOutput)> = Vec::new();
        for &id in order {
            if let StatementKind::InputOutput(io) = &program.statement(id).kind {
                statements.push((id, io));
            }
        }
        let mut grouping = Grouping {
            early: early_uses(program, order, numbers),
            ..Grouping::default()
        };
        grouping.run(program, numbers, &statements)
    }

    /// What each class is called, for people; index = class.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The classes that may have a file in common with a class, itself included.
    pub(crate) fn alike(&self, class: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.names.len()).filter(move |&other| class == other || self.may_be_one(class, other))
    }

    /// Whether files of two classes may have one name, since a name is made at run time.
    pub(crate) fn may_be_one(&self, class: usize, other: usize) -> bool {
        (self.is_made(class) || self.is_made(other))
            && self.ends[class].may_overlap(&self.ends[other])
    }

    /// Whether files of a class have names that are made at run time: they may be any.
    pub(crate) fn is_made(&self, class: usize) -> bool {
        self.made.contains(&class)
    }

    /// Whether a statement may connect its unit to a file of the unit's name, since no OPEN does.
    pub(crate) fn may_connect(&self, statement: StatementId) -> bool {
        self.connecting.contains(&statement)
    }

    /// What a statement works on.
    pub(crate) fn unit(&self, statement: StatementId) -> Unit {
        self.of_statement
            .get(&statement)
            .copied()
            .unwrap_or(Unit::Any)
    }
}

#[derive(Default)]
struct Grouping {
    numbers: BTreeMap<Number, usize>,
    by_name: BTreeMap<String, usize>,
    /// Numbers of units whose files have names that are made at run time.
    made: BTreeSet<usize>,
    pairs: Vec<(usize, usize)>,
    /// The units that are opened.
    opened: BTreeSet<Number>,
    connecting: BTreeSet<StatementId>,
    /// Statements that come before every OPEN of their unit.
    early: BTreeSet<StatementId>,
    /// What is known of the names of files, with a number for their unit.
    ends: Vec<(usize, Names)>,
}

impl Grouping {
    fn run(
        &mut self,
        program: &Program,
        numbers: &Numbers,
        statements: &[(StatementId, &InputOutput)],
    ) -> Files {
        let mut of_statement = BTreeMap::new();
        let mut classed = Vec::new();
        for (_, io) in statements {
            if io.operation == IoOperation::Open {
                self.opened.extend(units(numbers, io));
            }
        }
        for &(id, io) in statements {
            let own = units(numbers, io);
            // A unit that no OPEN connects is connected by its first transfer, to a file of the
            // unit's name.
            if io.operation != IoOperation::Inquire && !own.is_subset(&self.opened) {
                self.connecting.insert(id);
            }
            if self.early.contains(&id) {
                self.join_free(&own);
            }
            match self.first_of(program, numbers, own, (id, io)) {
                Ok(index) => classed.push((id, index)),
                Err(unit) => {
                    of_statement.insert(id, unit);
                }
            }
        }
        let mut classes = Classes::new(self.numbers.len());
        if let Some(&unknown) = self.numbers.get(&Number::Unknown) {
            // A unit that is not known may be any of them.
            for index in 0..self.numbers.len() {
                classes.union(unknown, index);
            }
        }
        for &(one, other) in &self.pairs {
            classes.union(one, other);
        }
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
        let mut made = BTreeSet::new();
        for &index in &self.made {
            made.extend(dense.get(&classes.find(index)));
        }
        let mut ends = vec![Names::default(); names.len()];
        for (index, own) in &self.ends {
            if let Some(&class) = dense.get(&classes.find(*index)) {
                ends[class].extend(own);
            }
        }
        Files {
            of_statement,
            names,
            connecting: self.connecting.clone(),
            made,
            ends,
        }
    }

    /// A unit that no OPEN connects before may be one that was found free and opened by other code. Preconnected units are not
    /// free.
    fn join_free(&mut self, own: &BTreeSet<Number>) {
        let mut free = self.opened.clone();
        free.retain(|number| matches!(number, Number::Free(_)));
        for &number in own {
            if is_output(&number) || number == Number::Known(INPUT_UNIT) {
                continue;
            }
            let index = self.index(number);
            for &other in &free {
                let other = self.index(other);
                self.pairs.push((index, other));
            }
        }
    }

    fn name(&self, index: usize) -> String {
        match self.numbers.iter().find(|&(_, &i)| i == index) {
            Some((Number::Known(INPUT_UNIT), _)) => "standard input".into(),
            Some((Number::Known(number), _)) => format!("unit {number}"),
            Some((Number::Free(_) | Number::Unknown, _)) | None => "a file".into(),
        }
    }

    /// A number that stands for the class of a statement's unit; its other numbers are joined to it.
    fn first_of(
        &mut self,
        program: &Program,
        texts: &Numbers,
        numbers: BTreeSet<Number>,
        (id, io): (StatementId, &InputOutput),
    ) -> Result<usize, Unit> {
        let is_any = io.operation == IoOperation::Inquire && numbers.contains(&Number::Unknown);
        match &io.unit {
            IoUnit::Internal(_) => return Err(Unit::Internal),
            IoUnit::None => return Err(Unit::Any),
            IoUnit::Standard if io.operation != IoOperation::Read => return Err(Unit::Output),
            IoUnit::Number(_) if is_any => return Err(Unit::Any),
            IoUnit::Standard | IoUnit::Number(_) => {}
        }
        if numbers.iter().all(is_output) && numbers.is_disjoint(&self.opened) {
            return Err(Unit::Output);
        }
        let indices: Vec<usize> = numbers.iter().map(|&number| self.index(number)).collect();
        self.pairs
            .extend(indices.windows(2).map(|pair| (pair[0], pair[1])));
        if io.operation == IoOperation::Open {
            self.join_by_name(program, io, indices[0]);
        }
        let own = match &io.file {
            Some(file) if io.operation == IoOperation::Open => Names::of(program, texts, file),
            // A unit without OPEN, or an OPEN without a name: what compilers make of the number.
            _ if io.operation == IoOperation::Open || self.connecting.contains(&id) => {
                of_units(&numbers)
            }
            _ => Names::default(),
        };
        self.ends.push((indices[0], own));
        Ok(indices[0])
    }

    fn index(&mut self, number: Number) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(number).or_insert(next)
    }

    /// OPEN: FILE= is a literal, or text that is made, which may be any file's name.
    fn join_by_name(&mut self, program: &Program, io: &InputOutput, index: usize) {
        if let Some(literal) = io.file.as_ref().and_then(file_name) {
            // The file that a unit is connected to where nothing else is said, by the habit of compilers.
            let unit = literal
                .strip_prefix("fort.")
                .and_then(|number| number.parse().ok());
            let same = unit.map(|number| self.index(Number::Known(number)));
            self.pairs.extend(same.map(|same| (index, same)));
            let other = *self.by_name.entry(literal).or_insert(index);
            self.pairs.push((index, other));
        }
        if io.file.iter().any(|operand| is_made_text(program, operand)) {
            self.made.insert(index);
        }
    }
}

/// The names of the files that units are connected to where nothing else is said, by the habit of compilers.
fn of_units(numbers: &BTreeSet<Number>) -> Names {
    let mut names = Names::default();
    for number in numbers {
        match number {
            Number::Known(INPUT_UNIT) => names.add_literal("/dev/stdin"),
            Number::Known(_) | Number::Free(_) | Number::Unknown => {}
        }
        match number {
            Number::Known(number) => names.add_literal(&format!("fort.{number}")),
            Number::Free(_) | Number::Unknown => names.add_any(),
        }
    }
    names
}

/// Whether a unit is standard output or standard error.
fn is_output(number: &Number) -> bool {
    match number {
        Number::Known(unit) => OUTPUT_UNITS.contains(unit),
        Number::Free(_) | Number::Unknown => false,
    }
}

/// The numbers of a statement's unit; none where it has none.
fn units(numbers: &Numbers, io: &InputOutput) -> BTreeSet<Number> {
    match &io.unit {
        IoUnit::Internal(_) | IoUnit::None => BTreeSet::new(),
        IoUnit::Standard => BTreeSet::from([Number::Known(INPUT_UNIT)]),
        IoUnit::Number(expression) => numbers.units(expression),
    }
}

/// The input/output statements that come before every OPEN of a unit of theirs, where procedures are followed from the
/// main program on, each at its first call.
fn early_uses(
    program: &Program,
    order: &[StatementId],
    numbers: &Numbers,
) -> BTreeSet<StatementId> {
    let (mut opened, mut early) = (BTreeSet::new(), BTreeSet::new());
    for id in numbers.by_first_call(order) {
        let StatementKind::InputOutput(io) = &program.statement(id).kind else {
            continue;
        };
        let own = units(numbers, io);
        if io.operation == IoOperation::Open {
            opened.extend(own);
        } else if io.operation != IoOperation::Inquire && !own.is_subset(&opened) {
            early.insert(id);
        }
    }
    early
}

/// Whether an operand may be text other than a literal.
fn is_made_text(program: &Program, operand: &Expression) -> bool {
    let is_text =
        |of_type: &Type| matches!(of_type, Type::Character | Type::Derived(_) | Type::Unknown);
    match operand {
        Expression::Integer(_) | Expression::Literal(_) => false,
        Expression::Variable(variable) => is_text(&program.variable(*variable).of_type),
        Expression::Reference { base, path, .. } => is_text(&program.type_of_part(*base, path)),
        // An operation is text if its operands are.
        Expression::Unary { operand, .. } => is_made_text(program, operand),
        Expression::Binary {
            operator: Operator::Concatenate,
            ..
        } => true,
        Expression::Binary { left, right, .. } => {
            [left, right].iter().any(|one| is_made_text(program, one))
        }
        Expression::Call { .. } | Expression::Other(_) => true,
    }
}

/// The name that a literal says.
fn file_name(expression: &Expression) -> Option<String> {
    let Expression::Literal(text) = expression else {
        return None;
    };
    let text = text.trim_matches(['\'', '"']).trim_end();
    Some(text.strip_prefix("./").unwrap_or(text).to_string())
}
