//! Replaces conditions and bounds that a program probe does not compute, and watches their values in the reference
//! probe: inside the parentheses of the user's own statement, or behind the comma of a DO. The frontend determines
//! the assumptions.

use crate::conversions;
use crate::partial_edits::{Behind, between_parentheses, break_in, count_lines_again};
use crate::plan::Watched;
use crate::probes::{InstrumentError, Writer};
use crate::selections::{self, Chosen};
use crate::statement_text;
use frontend::analysis::{CountConjunct, Replacement, Substitution};
use frontend::conjuncts;
use frontend::ir::StatementKind;
use frontend::language::spell;
use frontend::source::Span;

/// Replaces the conditions and bounds of the program probe; each with its number.
pub(crate) fn substitute(
    writer: &mut Writer,
    substituted: &[(u32, Substitution)],
) -> Result<(), InstrumentError> {
    for &(number, substitution) in substituted {
        match substitution.replacement {
            // A SELECT CASE is no logical expression: it stays, and its other cases are still distinguished.
            Replacement::Constant(_) if is_select(writer, substitution) => {}
            // The runtime's functions take and return kind 4, whatever default kinds the compiler's options set.
            Replacement::Constant(holds) => {
                let text = if holds { ".true._4" } else { ".false._4" };
                replace_condition(writer, substitution, text)?;
            }
            Replacement::Counted {
                evaluations,
                at_last,
            } => {
                let test = format!("mpiete_trip({number}_4, {evaluations}_8)");
                let text = if at_last {
                    test
                } else {
                    format!(".not. {test}")
                };
                replace_condition(writer, substitution, &text)?;
            }
            Replacement::Conjunct(conjunct) => {
                let text = conjunct_text(writer, (number, substitution), conjunct)?;
                replace_condition(writer, substitution, &text)?;
            }
            Replacement::Bound(trips) => replace_bound(writer, substitution, trips)?,
            // An EXIT at the beginning of the body, which the plan inserts.
            Replacement::LeftAfter(_) => {}
            Replacement::Goes(way) => {
                selections::replace(writer, substitution, &Chosen::Always(way))?
            }
            Replacement::Turns {
                evaluations,
                leaves,
                stays,
            } => {
                let test = format!("mpiete_trip({number}_4, {evaluations}_8)");
                selections::replace(writer, substitution, &Chosen::By(test, leaves, stays))?;
            }
        }
    }
    Ok(())
}

/// Passes the values of conditions to the runtime, which counts them.
pub(crate) fn watch(writer: &mut Writer, watched: &[Watched]) -> Result<(), InstrumentError> {
    for watched in watched {
        let kind = &writer
            .analysis
            .program
            .statement(watched.substitution.statement)
            .kind;
        if let StatementKind::Goto {
            labels,
            falls_through,
            ..
        } = kind
        {
            selections::watch(writer, watched, labels, *falls_through)?;
            continue;
        }
        let place = condition(writer, watched.substitution)?;
        let (before, behind) = conversions::to_logical(&writer.analysis.program);
        if let Replacement::Conjunct(conjunct) = watched.substitution.replacement {
            watch_conjunct(writer, watched, conjunct, place)?;
            continue;
        }
        let (holds, open, close) = match watched.ends_when {
            true => ("mpiete_condition", "", ""),
            false => (".not. mpiete_condition", ".not. (", ")"),
        };
        let begin = format!("{holds}({}_4, {before}{open}", watched.number);
        break_in(
            writer,
            Span {
                end: place.start,
                ..place
            },
            &begin,
            Behind::Statement,
        );
        let end = format!("{close}{behind})");
        break_in(
            writer,
            Span {
                start: place.end,
                ..place
            },
            &end,
            Behind::Statement,
        );
        count_lines_again(writer, own_lines(writer, watched.substitution));
    }
    Ok(())
}

/// The conjunct of a mixed condition that work terms cover. The runtime counts its evaluations, except in a DO WHILE, whose
/// iterations are counted.
fn conjunct_text(
    writer: &Writer,
    (number, substitution): (u32, Substitution),
    conjunct: CountConjunct,
) -> Result<String, InstrumentError> {
    let is_counted = conjunct.is_counted && !is_while(writer, substitution);
    let (before, behind) = conversions::to_logical(&writer.analysis.program);
    Ok(match left_over(writer, substitution, conjunct)? {
        Some(left) if is_counted && conjunct.goes_on => {
            format!(".not. mpiete_condition({number}_4, {before}.not. ({left}){behind})")
        }
        Some(left) if is_counted => format!("mpiete_condition({number}_4, {before}{left}{behind})"),
        Some(left) => left,
        None if conjunct.goes_on => ".true._4".into(),
        None => ".false._4".into(),
    })
}

/// What is left of a condition, as the program would spell it.
fn left_over(
    writer: &Writer,
    substitution: Substitution,
    conjunct: CountConjunct,
) -> Result<Option<String>, InstrumentError> {
    let Substitution {
        statement, clause, ..
    } = substitution;
    let program = &writer.analysis.program;
    let condition = match &program.statement(statement).kind {
        StatementKind::If { branches, .. } => branches.get(clause).map(|(condition, _)| condition),
        StatementKind::While { condition, .. } => condition.as_ref(),
        _ => None,
    };
    let Some(left) =
        condition.and_then(|condition| conjuncts::remaining_condition(condition, conjunct))
    else {
        return Ok(None);
    };
    let unspelled = "the count in this condition cannot be written as Fortran; assume the iterations of its loop instead";
    let spelled = spell(program, &left, statement);
    spelled
        .map(Some)
        .ok_or_else(|| writer.error(clause_span(writer, substitution), unspelled))
}

fn is_while(writer: &Writer, substitution: Substitution) -> bool {
    matches!(
        writer
            .analysis
            .program
            .statement(substitution.statement)
            .kind,
        StatementKind::While { .. }
    )
}

/// Passes to the runtime whether a condition ends its repetition although the count conjunct of it does not.
fn watch_conjunct(
    writer: &mut Writer,
    watched: &Watched,
    conjunct: CountConjunct,
    place: Span,
) -> Result<(), InstrumentError> {
    let left = left_over(writer, watched.substitution, conjunct)?;
    let function = if is_while(writer, watched.substitution) {
        "mpiete_exit_condition"
    } else {
        "mpiete_condition"
    };
    let (before, behind) = conversions::to_logical(&writer.analysis.program);
    let (opens, closes, rest) = match (conjunct.goes_on, left) {
        (true, Some(left)) => (
            ".not. ",
            format!(") .and. ({left})"),
            format!(" .and. ({left})"),
        ),
        (true, None) => (".not. ", ")".into(), String::new()),
        (false, Some(left)) => (
            "",
            format!(") .and. .not. ({left})"),
            format!(" .or. ({left})"),
        ),
        (false, None) => ("", ")".into(), String::new()),
    };
    let begin = format!("{opens}{function}({}_4, {before}{opens}(", watched.number);
    break_in(
        writer,
        Span {
            end: place.start,
            ..place
        },
        &begin,
        Behind::Statement,
    );
    let end = format!("{closes}{behind}){rest}");
    break_in(
        writer,
        Span {
            start: place.end,
            ..place
        },
        &end,
        Behind::Statement,
    );
    count_lines_again(writer, own_lines(writer, watched.substitution));
    Ok(())
}

fn replace_condition(
    writer: &mut Writer,
    substitution: Substitution,
    text: &str,
) -> Result<(), InstrumentError> {
    let place = condition(writer, substitution)?;
    match substitution.is_asked {
        true => {
            let (before, behind) = conversions::to_logical(&writer.analysis.program);
            let (begin, end) = (
                format!("mpiete_assumed_value({before}"),
                format!("{behind}, {text})"),
            );
            break_in(
                writer,
                Span {
                    end: place.start,
                    ..place
                },
                &begin,
                Behind::Statement,
            );
            break_in(
                writer,
                Span {
                    start: place.end,
                    ..place
                },
                &end,
                Behind::Statement,
            );
        }
        false => break_in(writer, place, text, Behind::Statement),
    }
    count_lines_again(writer, own_lines(writer, substitution));
    Ok(())
}

fn is_select(writer: &Writer, substitution: Substitution) -> bool {
    matches!(
        writer
            .analysis
            .program
            .statement(substitution.statement)
            .kind,
        StatementKind::Select { .. }
    )
}

/// `do i = a, b, c` gets `a + (trips - 1)*c` for `b`.
fn replace_bound(
    writer: &mut Writer,
    substitution: Substitution,
    trips: u64,
) -> Result<(), InstrumentError> {
    let header = writer
        .analysis
        .source_map
        .statement(substitution.statement)
        .header;
    let program = &writer.analysis.program;
    let unspelled = "the bounds of this loop cannot be written in another way; assume something of the conditions in it instead";
    let spelled = match &program.statement(substitution.statement).kind {
        StatementKind::Do { from, step, .. } => {
            let spell = |bound| spell(program, bound, substitution.statement);
            let step = step.as_ref().map_or(Some("1".into()), spell);
            spell(from).zip(step)
        }
        _ => None,
    };
    let (from, step) = spelled.ok_or_else(|| writer.error(header, unspelled))?;
    // Fortran computes MAX((last - from + step)/step, 0) iterations: exactly `trips` for this `last`, also if 0.
    let last = format!("({from}) + ({})*({step})", trips as i64 - 1);
    let place = last_value(writer, header).ok_or_else(|| writer.error(header, unspelled))?;
    let behind = if place.end < header.end {
        Behind::Statement
    } else {
        Behind::Nothing
    };
    break_in(writer, place, &last, behind);
    count_lines_again(writer, header);
    Ok(())
}

/// What stands between the parentheses of an IF, ELSE IF or DO WHILE.
fn condition(writer: &Writer, substitution: Substitution) -> Result<Span, InstrumentError> {
    between_parentheses(writer, clause_span(writer, substitution))
}

/// The last value of a counted DO: from the first comma outside parentheses that follows the `=` to the next.
fn last_value(writer: &Writer, header: Span) -> Option<Span> {
    let (mut depth, mut after_sign, mut start) = (0, false, None);
    for (at, byte) in statement_text::code(writer, header) {
        match (byte, depth, start) {
            (b'(' | b'[', ..) => depth += 1,
            (b')' | b']', ..) => depth -= 1,
            // Before the `=` there may be the comma of `do, i = 1, n` or `do 10, i = 1, n`.
            (b'=', 0, _) => after_sign = true,
            (b',', 0, None) if after_sign => start = Some(at + 1),
            (b',', 0, Some(start)) => {
                return Some(Span {
                    start,
                    end: at,
                    ..header
                });
            }
            _ => {}
        }
    }
    start.map(|start| Span { start, ..header })
}

fn clause_span(writer: &Writer, substitution: Substitution) -> Span {
    let place = writer.analysis.source_map.statement(substitution.statement);
    substitution
        .clause
        .checked_sub(1)
        .map_or(place.header, |later| place.clauses[later])
}

/// The lines of the statement, or of the clause, that a substitution changes.
fn own_lines(writer: &Writer, substitution: Substitution) -> Span {
    match &writer
        .analysis
        .program
        .statement(substitution.statement)
        .kind
    {
        // The action of a logical IF is part of the same statement.
        StatementKind::If { logical: true, .. } => {
            writer
                .analysis
                .source_map
                .statement(substitution.statement)
                .whole
        }
        _ => clause_span(writer, substitution),
    }
}
