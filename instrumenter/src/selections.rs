//! Rewrites SELECT CASE, computed GOTO and arithmetic IF with assumptions, and watches the jumps among them in the
//! reference probe. [`crate::substitution`] rewrites conditions and bounds.

use crate::conversions;
use crate::partial_edits::{Behind, between_parentheses, break_in, count_lines_again};
use crate::plan::Watched;
use crate::probes::{InstrumentError, Writer};
use crate::statement_text;
use frontend::analysis::{SelectionBranch, Substitution};
use frontend::ir::{StatementId, StatementKind};
use frontend::source::Span;

/// Labels that can be distinguished: bits of a positive 64-bit integer.
const MAX_LABELS: usize = 62;

/// Ways of a selection, and the test that decides between two of them.
pub(crate) enum Chosen {
    /// Always this one.
    Always(SelectionBranch),
    /// The first where a logical expression holds, otherwise the second.
    By(String, SelectionBranch, SelectionBranch),
}

/// Writes a selection that goes the ways that are assumed.
pub(crate) fn replace(
    writer: &mut Writer,
    substitution: Substitution,
    chosen: &Chosen,
) -> Result<(), InstrumentError> {
    match &writer
        .analysis
        .program
        .statement(substitution.statement)
        .kind
    {
        StatementKind::Select { .. } => replace_select(writer, substitution.statement, chosen),
        _ => {
            replace_jump(writer, substitution.statement, chosen);
            Ok(())
        }
    }
}

/// Replaces the selector and the values of the cases by the numbers of the cases.
fn replace_select(
    writer: &mut Writer,
    statement: StatementId,
    chosen: &Chosen,
) -> Result<(), InstrumentError> {
    let text = match chosen {
        Chosen::Always(way) => case_number(*way).to_string(),
        Chosen::By(test, first, second) => {
            let program = &writer.analysis.program;
            conversions::either(program, case_number(*first), case_number(*second), test)
        }
    };
    let place = writer.analysis.source_map.statement(statement);
    // The selector may be of any type (integer, character, logical), while the assumption names a case by number: so all
    // cases get their number for a value, CASE DEFAULT too. The selector is the number of a case, or 0 for none.
    let selector = between_parentheses(writer, place.header)?;
    break_in(writer, selector, &text, Behind::Statement);
    count_lines_again(writer, place.header);
    for (number, &clause) in (1..).zip(&place.clauses) {
        let values = Span {
            start: after_keyword(writer, clause, "case"),
            ..clause
        };
        break_in(writer, values, &format!("({number})"), Behind::Nothing);
        count_lines_again(writer, clause);
    }
    Ok(())
}

fn case_number(way: SelectionBranch) -> usize {
    match way {
        SelectionBranch::Case(number) => number,
        SelectionBranch::Label(_) | SelectionBranch::Next => 0,
    }
}

/// Where a keyword ends that a statement begins with.
fn after_keyword(writer: &Writer, span: Span, word: &str) -> u32 {
    let code = statement_text::code(writer, span);
    let letters = code.iter().filter(|(_, byte)| byte.is_ascii_alphabetic());
    letters
        .take(word.len())
        .last()
        .map_or(span.start, |(at, _)| at + 1)
}

/// Replaces a jump by one that is no longer than the statement; the rest continues on the next line.
fn replace_jump(writer: &mut Writer, statement: StatementId, chosen: &Chosen) {
    let place = writer.analysis.source_map.statement(statement).header;
    match chosen {
        Chosen::Always(SelectionBranch::Label(label)) => {
            replace_all(writer, place, &format!("goto {label}"))
        }
        Chosen::Always(SelectionBranch::Next | SelectionBranch::Case(_)) => {
            replace_all(writer, place, "continue")
        }
        Chosen::By(test, first, second) => {
            let labels: Vec<u32> = [first, second]
                .into_iter()
                .filter_map(|way| label(*way))
                .collect();
            // A computed GOTO with a number beyond its list goes on behind the statement: a branch without a label gets such a
            // number.
            let of = |way: SelectionBranch| {
                1 + labels
                    .iter()
                    .take_while(|&&one| Some(one) != label(way))
                    .count()
            };
            let list: Vec<String> = labels.iter().map(u32::to_string).collect();
            let which =
                conversions::either(&writer.analysis.program, of(*first), of(*second), test);
            let rest = Span {
                start: place.end,
                ..place
            };
            replace_all(writer, place, &format!("goto({}),", list.join(",")));
            break_in(writer, rest, &which, Behind::Nothing);
        }
    }
    count_lines_again(writer, place);
}

fn label(way: SelectionBranch) -> Option<u32> {
    match way {
        SelectionBranch::Label(label) => Some(label),
        SelectionBranch::Next | SelectionBranch::Case(_) => None,
    }
}

fn replace_all(writer: &mut Writer, span: Span, text: &str) {
    writer
        .edits
        .replace(span.file, span.start, span.end, text.into());
}

/// Passes the selecting expression of a computed GOTO or an arithmetic IF to the runtime, which records the branch.
pub(crate) fn watch(
    writer: &mut Writer,
    watched: &Watched,
    labels: &[u32],
    is_computed: bool,
) -> Result<(), InstrumentError> {
    let header = writer
        .analysis
        .source_map
        .statement(watched.substitution.statement)
        .header;
    if labels.len() > MAX_LABELS {
        let reason = format!(
            "a GOTO with more than {MAX_LABELS} labels cannot be watched; assume nothing of it"
        );
        return Err(writer.error(header, &reason));
    }
    let (number, bits) = (watched.number, watched_bits(watched.substitution, labels));
    let program = &writer.analysis.program;
    let (place, begin, end, behind) = match is_computed {
        true => {
            let (before, end) = conversions::to_integer(program);
            let begin = format!(
                "mpiete_jump({number}_4, {bits}_8, {}_4, {before}",
                labels.len()
            );
            (behind_list(writer, header)?, begin, end, Behind::Nothing)
        }
        false => {
            let (before, end) = conversions::to_real(program);
            let begin = format!("mpiete_sign({number}_4, {bits}_8, {before}");
            (
                between_parentheses(writer, header)?,
                begin,
                end,
                Behind::Statement,
            )
        }
    };
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
        &format!("{end})"),
        behind,
    );
    count_lines_again(writer, header);
    Ok(())
}

/// One bit for each label that ends a repetition, or that is not the one assumed, from the second; the first for none
/// of them.
fn watched_bits(substitution: Substitution, labels: &[u32]) -> i64 {
    // A computed GOTO may list one label several times.
    let of_label = |label: u32| {
        let mut bits = 0;
        for (index, &listed) in labels.iter().enumerate() {
            if listed == label {
                bits |= 1 << (index + 1);
            }
        }
        bits
    };
    // Bits 1 to the number of labels.
    let of_all = ((1_i64 << labels.len()) - 1) << 1;
    use frontend::analysis::Replacement::{
        Bound, Conjunct, Constant, Counted, Goes, LeftAfter, Turns,
    };
    match substitution.replacement {
        Goes(SelectionBranch::Label(label)) => 1 | (of_all & !of_label(label)),
        Turns {
            leaves: SelectionBranch::Label(label),
            ..
        } => of_label(label),
        Turns { .. } => 1,
        Goes(_) | Constant(_) | Conjunct(_) | Counted { .. } | Bound(_) | LeftAfter(_) => of_all,
    }
}

/// The expression that selects the label of a computed GOTO: behind the list of labels and the comma, if there is one.
fn behind_list(writer: &Writer, header: Span) -> Result<Span, InstrumentError> {
    let list = between_parentheses(writer, header)?;
    let code = statement_text::code(
        writer,
        Span {
            start: list.end + 1,
            ..header
        },
    );
    let mut expression: Option<Span> = None;
    for (offset, byte) in code {
        // `&` continues a line and is no part of an expression.
        let is_blank = byte.is_ascii_whitespace() || byte == b'&';
        let is_separator = expression.is_none() && byte == b',';
        if is_blank || is_separator {
            continue;
        }
        let start = match expression {
            Some(begun) => begun.start,
            None => offset,
        };
        expression = Some(Span {
            start,
            end: offset + 1,
            ..header
        });
    }
    match expression {
        Some(span) => Ok(span),
        None => Err(writer.error(
            header,
            "what decides this GOTO was not found in its text; please report this program",
        )),
    }
}
