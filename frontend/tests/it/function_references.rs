//! The function references of a program, by line and name.

use frontend::analysis::Analysis;
use frontend::ir::{
    Callee, Expression, InputOutput, IoUnit, StatementId, StatementKind, Subscript,
};
use std::collections::BTreeSet;

/// Line and lower-case name of every function referred to in a file, intrinsic ones left out.
pub fn of(analysis: &Analysis, file: u32) -> BTreeSet<(u32, String)> {
    let mut found = BTreeSet::new();
    let mut on = vec![None; analysis.program.statements.len()];
    for (i, statement) in analysis.program.statements.iter().enumerate() {
        let span = analysis.source_map.statement(StatementId(i as u32)).header;
        if span.file.0 != file {
            continue;
        }
        let line = on[i].unwrap_or_else(|| analysis.source_map.line(span.file, span.start));
        if let StatementKind::If {
            logical: true,
            branches,
            ..
        } = &statement.kind
        {
            branches
                .iter()
                .flat_map(|(_, body)| body)
                .for_each(|inner| on[inner.0 as usize] = Some(line));
        }
        // The conditions after the first stand in ELSE IF statements of their own.
        let clauses = &analysis.source_map.statement(StatementId(i as u32)).clauses;
        let is_if = matches!(statement.kind, StatementKind::If { .. });
        for (at, expression) in expressions(&statement.kind).into_iter().enumerate() {
            let clause = at
                .checked_sub(1)
                .filter(|_| is_if)
                .and_then(|before| clauses.get(before));
            let line = clause.map_or(line, |clause| {
                analysis.source_map.line(clause.file, clause.start)
            });
            let mut names = Vec::new();
            add(analysis, expression, &mut names);
            found.extend(names.into_iter().map(|name| (line, name)));
        }
    }
    found
}

fn expressions(kind: &StatementKind) -> Vec<&Expression> {
    match kind {
        StatementKind::Assign { target, value } => vec![target, value],
        StatementKind::Call { arguments, .. } => arguments.iter().flatten().collect(),
        StatementKind::If { branches, .. } => {
            branches.iter().map(|(condition, _)| condition).collect()
        }
        StatementKind::Do { from, to, step, .. } => [from, to].into_iter().chain(step).collect(),
        StatementKind::While { condition, .. } => condition.iter().collect(),
        StatementKind::Select { selector, .. } => vec![selector],
        StatementKind::Goto { selector, .. } => selector.iter().collect(),
        StatementKind::InputOutput(io) => of_input_output(io),
        _ => vec![],
    }
}

fn of_input_output(io: &InputOutput) -> Vec<&Expression> {
    let unit = match &io.unit {
        IoUnit::Number(unit) | IoUnit::Internal(unit) => Some(unit),
        IoUnit::Standard | IoUnit::None => None,
    };
    unit.into_iter().chain(&io.reads).collect()
}

fn add(analysis: &Analysis, expression: &Expression, names: &mut Vec<String>) {
    match expression {
        Expression::Integer(_) | Expression::Literal(_) | Expression::Variable(_) => {}
        Expression::Reference { subscripts, .. } => {
            subscripts
                .iter()
                .for_each(|subscript| add_subscript(analysis, subscript, names));
        }
        Expression::Call { callee, arguments } => {
            match callee {
                Callee::Procedure(id) => names.push(analysis.program.procedure(*id).name.clone()),
                Callee::Mpi(function) => names.push(function.name.to_lowercase()),
                Callee::External(name) | Callee::UnknownMpi(name) => names.push(name.clone()),
                Callee::Intrinsic(_) | Callee::Variable(_) | Callee::OneOf(_) => {}
            }
            arguments
                .iter()
                .for_each(|argument| add(analysis, argument, names));
        }
        Expression::Other(parts) => parts.iter().for_each(|part| add(analysis, part, names)),
        Expression::Unary { operand, .. } => add(analysis, operand, names),
        Expression::Binary { left, right, .. } => {
            add(analysis, left, names);
            add(analysis, right, names);
        }
    }
}

fn add_subscript(analysis: &Analysis, subscript: &Subscript, names: &mut Vec<String>) {
    match subscript {
        Subscript::Element(expression) => add(analysis, expression, names),
        Subscript::Section {
            lower,
            upper,
            stride,
        } => {
            [lower, upper, stride]
                .into_iter()
                .flatten()
                .for_each(|bound| add(analysis, bound, names));
        }
    }
}
