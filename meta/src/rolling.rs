//! Equal statements that follow each other become a loop: streams of programs whose work changes contain the same calls many times.

use crate::syntax::{Range, Statement, StatementKind};
use crate::syntax_builders::{block, number, statement};

/// Most statements of an iteration that is looked for: longer ones save few lines of what a reader sees at once.
const LONGEST_ITERATION: usize = 64;

/// Statements with loops in place of those that are repeated, where this makes the text shorter.
pub(crate) fn rolled(statements: Vec<Statement>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut rest = &statements[..];
    while let [first, after @ ..] = rest {
        let Some(Repetition { length, times }) = Repetition::of(rest) else {
            found.push(first.clone());
            rest = after;
            continue;
        };
        let (iteration, _) = rest.split_at(length);
        found.push(statement(StatementKind::For {
            index: None,
            range: Range::Count(number(times as f64)),
            body: block(rolled(iteration.to_vec())),
        }));
        rest = &rest[length * times..];
    }
    found
}

struct Repetition {
    /// Statements of an iteration.
    length: usize,
    times: usize,
}

impl Repetition {
    /// The repetition at the beginning that saves most lines.
    fn of(statements: &[Statement]) -> Option<Self> {
        let first = statements.first()?;
        let mut best = None;
        let mut most_saved = 0;
        for length in 1..=LONGEST_ITERATION.min(statements.len() / 2) {
            if statements[length] != *first {
                continue;
            }
            let pairs = statements.iter().zip(&statements[length..]);
            let equal = pairs.take_while(|(one, other)| one == other).count();
            let times = equal / length + 1;
            let lines: usize = statements[..length].iter().map(lines).sum();
            // FOR and END are lines, too.
            let saved = (lines * (times - 1)).saturating_sub(2);
            if saved > most_saved {
                most_saved = saved;
                best = Some(Self { length, times });
            }
        }
        best
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
