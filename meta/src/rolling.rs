//! Statements that follow each other in a pattern become a loop: streams of programs whose work changes contain the same calls many
//! times. Numbers may change by the same amount from one iteration to the next, and costs along a line or a parabola: they become
//! expressions of the loop's index.

use crate::block_costs::CostVariables;
use crate::syntax::{
    BinaryOperator, Expression, ExpressionKind, Range, Statement, StatementKind, UnaryOperator,
};
use crate::syntax_builders::{binary, block, named, number, statement, variable};

/// Most statements of an iteration that is looked for: longer ones save few lines of what a reader sees at once.
const LONGEST_ITERATION: usize = 64;

/// Fewest iterations with an index: any two numbers are on a line.
const FEWEST_CHANGING: usize = 3;

/// Names of indices, that of the innermost loop first.
const INDICES: [&str; 4] = ["k", "j", "i", "h"];

/// The name of an index that has so many loops with an index inside.
fn index_name(inner: usize) -> String {
    match INDICES.get(inner) {
        Some(name) => (*name).into(),
        None => format!("k{}", inner - INDICES.len() + 2),
    }
}

/// The index of a loop whose body is not complete, so that it is not known yet how many loops nest in it. `outer` is the number of
/// such loops around. No meta-program can contain the name.
fn open_index(outer: usize) -> String {
    format!("index {outer}")
}

/// Statements with loops in place of those that are repeated, where this makes the text shorter.
pub(crate) fn rolled(
    statements: Vec<Statement>,
    variables: &mut CostVariables<'_>,
) -> Vec<Statement> {
    rolled_in(statements, variables, 0)
}

/// `outer` is the number of loops around whose bodies are not complete.
fn rolled_in(
    mut statements: Vec<Statement>,
    variables: &mut CostVariables<'_>,
    outer: usize,
) -> Vec<Statement> {
    loop {
        let before = statements.len();
        statements = rolled_once(statements, variables, outer);
        // Loops that were found may be the iterations of another one, as those of a triangle.
        if statements.len() == before {
            return statements;
        }
    }
}

fn rolled_once(
    statements: Vec<Statement>,
    variables: &mut CostVariables<'_>,
    outer: usize,
) -> Vec<Statement> {
    let patterns: Vec<Pattern> = statements
        .iter()
        .map(|statement| Pattern::of(statement, variables))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < statements.len() {
        let Some(repetition) = Repetition::of(&patterns[at..], variables) else {
            found.push(statements[at].clone());
            at += 1;
            continue;
        };
        let Repetition { length, times, .. } = repetition;
        let mut iteration = statements[at..at + length].to_vec();
        let changes = repetition.changes(&patterns[at..], variables);
        let is_changing = changes.iter().any(Option::is_some);
        let open = open_index(outer);
        let mut changes = changes.into_iter();
        for statement in &mut iteration {
            for_each_leaf(statement, &mut |leaf| {
                if let Some(Some(change)) = changes.next() {
                    *leaf = change.expression(&open);
                }
            });
        }
        // Rolling may add loops with indices of their own.
        let mut body = rolled_in(iteration, variables, outer + 1);
        let count = number(times as f64);
        let (index, range) = if is_changing {
            let index = index_name(height(&body));
            for statement in &mut body {
                rename(statement, &open, &index);
            }
            (Some(named(&index)), Range::Between(number(0.0), count))
        } else {
            (None, Range::Count(count))
        };
        found.push(statement(StatementKind::For {
            index,
            range,
            body: block(body),
        }));
        at += length * times;
    }
    found
}

/// Renames an index where it is used.
fn rename(statement: &mut Statement, old: &str, new: &str) {
    for_each_operand(statement, &mut |expression| {
        if let ExpressionKind::Name(name) = &mut expression.kind
            && name == old
        {
            *name = new.into();
        }
    });
}

/// How many loops with an index nest in statements.
fn height(statements: &[Statement]) -> usize {
    let of_statement = |statement: &Statement| match &statement.kind {
        StatementKind::For { index, body, .. } => {
            usize::from(index.is_some()) + height(&body.statements)
        }
        _ => 0,
    };
    statements.iter().map(of_statement).max().unwrap_or(0)
}

/// A statement whose numbers and costs are taken out.
struct Pattern {
    /// With 0 for each number, and for each cost the variable of its block.
    shape: Statement,
    leaves: Vec<Leaf>,
    lines: usize,
}

/// A number or a cost.
#[derive(Clone, PartialEq)]
enum Leaf {
    Number(f64),
    /// The name of a variable.
    Cost(String),
}

impl Pattern {
    fn of(statement: &Statement, variables: &CostVariables<'_>) -> Self {
        let mut shape = statement.clone();
        let mut leaves = Vec::new();
        for_each_leaf(&mut shape, &mut |leaf| match &mut leaf.kind {
            ExpressionKind::Name(name) => {
                let block = variables.block_name(name).unwrap_or_else(|| name.clone());
                leaves.push(Leaf::Cost(std::mem::replace(name, block)));
            }
            _ => {
                leaves.push(Leaf::Number(signed_number(leaf).unwrap_or(0.0)));
                *leaf = number(0.0);
            }
        });
        Self {
            shape,
            leaves,
            lines: lines(statement),
        }
    }
}

/// Visits numbers with their signs and variables, always in the same order.
fn for_each_leaf(statement: &mut Statement, visit: &mut dyn FnMut(&mut Expression)) {
    for_each_operand(statement, &mut |operand| {
        let is_leaf = match &operand.kind {
            // Predefined names and indices are no variables.
            ExpressionKind::Name(name) => name.starts_with('$'),
            _ => signed_number(operand).is_some(),
        };
        if is_leaf {
            visit(operand);
        }
    });
}

/// Visits numbers with their signs and names, always in the same order.
fn for_each_operand(statement: &mut Statement, visit: &mut dyn FnMut(&mut Expression)) {
    match &mut statement.kind {
        StatementKind::Act { arguments, .. } | StatementKind::Call { arguments, .. } => {
            for argument in arguments {
                operands_of(argument, visit);
            }
        }
        StatementKind::For { range, body, .. } => {
            match range {
                Range::Count(count) => operands_of(count, visit),
                Range::Between(from, to) => {
                    operands_of(from, visit);
                    operands_of(to, visit);
                }
            }
            for statement in &mut body.statements {
                for_each_operand(statement, visit);
            }
        }
        // Descriptions of streams have no others.
        _ => {}
    }
}

fn operands_of(expression: &mut Expression, visit: &mut dyn FnMut(&mut Expression)) {
    if signed_number(expression).is_some() {
        visit(expression);
        return;
    }
    match &mut expression.kind {
        ExpressionKind::Name(_) => visit(expression),
        ExpressionKind::Unary(_, operand) => operands_of(operand, visit),
        ExpressionKind::Binary(_, left, right) => {
            operands_of(left, visit);
            operands_of(right, visit);
        }
        ExpressionKind::Function(_, arguments) => {
            for argument in arguments {
                operands_of(argument, visit);
            }
        }
        _ => {}
    }
}

/// The number that an expression is.
fn signed_number(expression: &Expression) -> Option<f64> {
    match &expression.kind {
        ExpressionKind::Number(number, _) => Some(*number),
        ExpressionKind::Unary(UnaryOperator::Minus, operand) => match &operand.kind {
            ExpressionKind::Number(number, _) => Some(-number),
            _ => None,
        },
        _ => None,
    }
}

struct Repetition {
    /// Statements of an iteration.
    length: usize,
    times: usize,
    saved: usize,
}

impl Repetition {
    /// The repetition at the beginning that saves most lines.
    fn of(patterns: &[Pattern], variables: &CostVariables<'_>) -> Option<Self> {
        let first = patterns.first()?;
        let mut best: Option<Self> = None;
        for length in 1..=LONGEST_ITERATION.min(patterns.len() / 2) {
            if patterns[length].shape != first.shape {
                continue;
            }
            let lines: usize = patterns[..length].iter().map(|one| one.lines).sum();
            let equal = Self::new(length, lines, equal_times(patterns, length));
            let mut changing = Self::new(length, lines, steady_times(patterns, length));
            let most_saved = best.as_ref().map_or(0, |best| best.saved);
            // Costs follow a curve over some of the iterations, if not over all.
            while changing.saved > most_saved.max(equal.saved)
                && !changing.has_curves(patterns, variables)
            {
                changing = Self::new(length, lines, changing.times / 2);
            }
            for candidate in [equal, changing] {
                if candidate.saved > best.as_ref().map_or(0, |best| best.saved) {
                    best = Some(candidate);
                }
            }
        }
        best
    }

    fn new(length: usize, lines: usize, times: usize) -> Self {
        Self {
            length,
            times,
            // FOR and END are lines, too.
            saved: (lines * times.saturating_sub(1)).saturating_sub(2),
        }
    }

    /// Of each leaf of an iteration its values in all of them.
    fn columns<'a>(&self, patterns: &'a [Pattern]) -> Vec<Vec<&'a Leaf>> {
        let mut columns = Vec::new();
        for (place, pattern) in patterns[..self.length].iter().enumerate() {
            for leaf in 0..pattern.leaves.len() {
                let iterations = (0..self.times).map(|time| place + time * self.length);
                columns.push(iterations.map(|at| &patterns[at].leaves[leaf]).collect());
            }
        }
        columns
    }

    fn has_curves(&self, patterns: &[Pattern], variables: &CostVariables<'_>) -> bool {
        if self.times < FEWEST_CHANGING {
            return false;
        }
        self.columns(patterns).iter().all(|column| {
            is_same(column)
                || matches!(column[0], Leaf::Number(_))
                || variables.curve(&names(column)).is_some()
        })
    }

    /// Of each leaf of an iteration how it changes; `None` if it does not.
    fn changes(
        &self,
        patterns: &[Pattern],
        variables: &mut CostVariables<'_>,
    ) -> Vec<Option<Change>> {
        let mut changes = Vec::new();
        for column in self.columns(patterns) {
            let change = match column[..] {
                _ if is_same(&column) => None,
                [Leaf::Number(first), Leaf::Number(second), ..] => Some(Change::Numbers {
                    first: *first,
                    step: second - first,
                }),
                _ => variables
                    .curve(&names(&column))
                    .map(|curve| Change::Costs(variables.define(&names(&column), curve))),
            };
            changes.push(change);
        }
        changes
    }
}

fn is_same(column: &[&Leaf]) -> bool {
    column.iter().all(|leaf| leaf == &column[0])
}

fn names<'a>(column: &[&'a Leaf]) -> Vec<&'a str> {
    let name = |leaf: &&'a Leaf| match *leaf {
        Leaf::Cost(name) => Some(name.as_str()),
        Leaf::Number(_) => None,
    };
    column.iter().filter_map(name).collect()
}

/// How often the first statements are repeated without a change.
fn equal_times(patterns: &[Pattern], length: usize) -> usize {
    let pairs = patterns.iter().zip(&patterns[length..]);
    let is_equal = |(one, other): &(&Pattern, &Pattern)| {
        one.leaves == other.leaves && one.shape == other.shape
    };
    pairs.take_while(is_equal).count() / length + 1
}

/// How often the first statements are repeated if their numbers change by the same amount each time; costs may be any.
fn steady_times(patterns: &[Pattern], length: usize) -> usize {
    let mut known = length;
    while let Some(pattern) = patterns.get(known) {
        let before = &patterns[known - length];
        if pattern.shape != before.shape {
            break;
        }
        if known >= 2 * length {
            let earlier = &patterns[known - 2 * length];
            let mut leaves = pattern
                .leaves
                .iter()
                .zip(&before.leaves)
                .zip(&earlier.leaves);
            let is_steady = leaves.all(|((third, second), first)| match (first, second, third) {
                (Leaf::Number(first), Leaf::Number(second), Leaf::Number(third)) => {
                    third - second == second - first
                }
                _ => true,
            });
            if !is_steady {
                break;
            }
        }
        known += 1;
    }
    known / length
}

/// How a number changes from iteration to iteration.
enum Change {
    Numbers {
        first: f64,
        step: f64,
    },
    /// Variables of the coefficients, the constant first.
    Costs(Vec<String>),
}

impl Change {
    fn expression(&self, index: &str) -> Expression {
        match self {
            Self::Numbers { first, step } => {
                let product = match step.abs() {
                    1.0 => variable(index),
                    size => binary(BinaryOperator::Multiply, number(size), variable(index)),
                };
                match (*first == 0.0, *step < 0.0) {
                    (true, false) => product,
                    (_, false) => binary(BinaryOperator::Add, number(*first), product),
                    (_, true) => binary(BinaryOperator::Subtract, number(*first), product),
                }
            }
            Self::Costs(names) => {
                let mut sum: Option<Expression> = None;
                for (power, name) in names.iter().enumerate() {
                    let mut term = variable(name);
                    for _ in 0..power {
                        term = binary(BinaryOperator::Multiply, term, variable(index));
                    }
                    sum = Some(match sum {
                        None => term,
                        Some(before) => binary(BinaryOperator::Add, before, term),
                    });
                }
                sum.unwrap_or_else(|| number(0.0))
            }
        }
    }
}

/// Lines of a statement, comments apart.
fn lines(statement: &Statement) -> usize {
    match &statement.kind {
        StatementKind::For { body, .. } => 2 + body.statements.iter().map(lines).sum::<usize>(),
        // Descriptions of streams have no other statements with a body.
        _ => 1,
    }
}
