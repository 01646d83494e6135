//! What the user should know of an analysis: procedures without source, calls that recordings have no form for, FINAL procedures that call MPI, and what
//! [`crate::nondeterminism::time_dependence`] found.

use crate::blocks::block_finder::{Found, What};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::effects::message_levels::Order;
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::io::shared_file_ordering::SharedFileOrdering;
use crate::ir::source_map::SourceMap;
use crate::ir::{Callee, Procedure, ProcedureId, StatementId};
use crate::nondeterminism::mpi_outputs::mpi_call;
use crate::nondeterminism::time_dependence::TimeDependence;
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{Sources, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How many further places a note names that holds at several.
const FURTHER_PLACES: usize = 3;

/// All remarks but those on procedures without source; `places` are where the sequence of calls may depend on time.
pub(crate) fn all(
    model: &Model,
    places: &[TimeDependence],
    map: &SourceMap,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let at = |id: StatementId| map.statements.get(id.0 as usize).map(|place| place.header);
    let mut remarks = unseen_calls(model, map);
    remarks.extend(cancellations(model, &at));
    let mut by_reason: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for place in places {
        by_reason
            .entry(&place.reason)
            .or_default()
            .extend(at(place.statement));
    }
    remarks.extend(
        by_reason
            .into_iter()
            .map(|(reason, spans)| folded(Severity::Note, reason, spans, map, sources)),
    );
    remarks
}

/// Files by which processes tell each other something.
pub(crate) fn shared_files(
    ordered: &SharedFileOrdering,
    map: &SourceMap,
    sources: &Sources,
) -> Option<Diagnostic> {
    let waits = match &ordered.order {
        Order::Nothing => return None,
        Order::Meetings(names) => names.iter().copied().collect::<Vec<_>>().join(" and "),
        Order::Everything => "every message, since no global synchronisation lies between".into(),
    };
    let at = |id: &StatementId| map.statements.get(id.0 as usize).map(|place| place.header);
    let reason =
        format!("this file access may depend on another process, so ranks wait for {waits}");
    let spans: Vec<Span> = ordered.readings.iter().filter_map(at).collect();
    Some(folded(Severity::Note, &reason, spans, map, sources))
}

/// One remark for all places where the same is to be said: at the first, naming some of the others.
pub(crate) fn folded(
    severity: Severity,
    reason: &str,
    mut spans: Vec<Span>,
    map: &SourceMap,
    sources: &Sources,
) -> Diagnostic {
    spans.sort();
    let line = |span: &Span| {
        let place = map.place(span.file, span.start);
        format!("{}:{}", sources.file(place.file).path, place.line)
    };
    let mut lines: Vec<String> = spans.iter().map(line).collect();
    lines.dedup();
    let further: Vec<&str> = lines
        .iter()
        .skip(1)
        .take(FURTHER_PLACES)
        .map(String::as_str)
        .collect();
    let more = lines.len().saturating_sub(1 + further.len());
    let also = match (further.join(", "), more) {
        (none, _) if none.is_empty() => none,
        (some, 0) => format!(" (also {some})"),
        (some, more) => format!(" (also {some} and {more} more)"),
    };
    let sentence = format!("{reason}{also}");
    Diagnostic {
        severity,
        span: spans.first().copied(),
        sentence,
    }
}

/// Transfers that are taken back, which recordings cannot hold.
fn cancellations(model: &Model, at: &dyn Fn(StatementId) -> Option<Span>) -> Vec<Diagnostic> {
    let cancels = |id: &StatementId| {
        mpi_call(model, *id).is_some_and(|(function, _)| function.name == "MPI_Cancel")
    };
    let sentence = "MPI_Cancel: cancelled transfers cannot be recorded, and recording fails where \
        this call is executed; remove the call, or send the message that is received";
    let remark = |id| Diagnostic {
        severity: Severity::Warning,
        span: at(id),
        sentence: sentence.into(),
    };
    model.outline.all().filter(cancels).map(remark).collect()
}

/// FINAL procedures that call MPI: they run where objects end, which no statement says.
fn unseen_calls(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let procedures = (0..).map(ProcedureId).zip(&model.program.procedures);
    let found =
        procedures.filter(|(id, one)| one.is_final && model.calls.procedure_leads[id.0 as usize]);
    let remark = |(id, one): (ProcedureId, &Procedure)| Diagnostic {
        severity: Severity::Error,
        span: Some(map.procedure(id).whole),
        sentence: format!(
            "{} is FINAL and calls MPI, in places that no statement shows: call it by name instead",
            one.name
        ),
    };
    found.map(remark).collect()
}

/// What statements between blocks do that nobody times: arrays that they go over in what they ask or pass where no block can be,
/// and FINAL procedures that run where they end objects.
pub(crate) fn beside_blocks(
    model: &Model,
    found: &[Found],
    map: &SourceMap,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let heads = ControlBlocks::of_model(model);
    let with_blocks: BTreeSet<StatementId> = found
        .iter()
        .filter_map(|found| match found.what {
            What::Own(id, _) => Some(id),
            What::Compute(_)
            | What::Site(..)
            | What::Loop(_)
            | What::Unknown(..)
            | What::Structure(_) => None,
        })
        .collect();
    let asks = |id: StatementId| heads.is_outside_blocks(id, with_blocks.contains(&id));
    let finalises = |id: StatementId| {
        let mut called = model
            .effects
            .of_statement(id)
            .calls
            .iter()
            .map(|call| call.target);
        called.any(|target| {
            model.program.procedure(target).is_final
                && !model.calls.procedure_leads[target.0 as usize]
                && model.calls.repeats(target)
        })
    };
    let spans = |is_it: &dyn Fn(StatementId) -> bool| {
        let structure = found.iter().filter_map(|found| match found.what {
            What::Structure(id) => Some(id),
            What::Compute(_)
            | What::Own(..)
            | What::Site(..)
            | What::Loop(_)
            | What::Unknown(..) => None,
        });
        let places = structure
            .filter(|id| is_it(*id))
            .filter_map(|id| map.statements.get(id.0 as usize));
        places.map(|place| place.header).collect::<Vec<Span>>()
    };
    let (asked, ended) = (spans(&asks), spans(&finalises));
    let reasons = [
        (
            asked,
            "array work in the conditions or arguments of a statement with messages is not \
            predicted, or only in part: assign its result to a variable in a separate statement",
        ),
        (
            ended,
            "a FINAL procedure that runs in a statement with messages is not predicted: call it by \
            name before",
        ),
    ];
    let named = reasons.into_iter().filter(|(spans, _)| !spans.is_empty());
    named
        .map(|(spans, reason)| folded(Severity::Warning, reason, spans, map, sources))
        .collect()
}

/// Procedures without source that may do anything, each once.
pub(crate) fn without_source(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let at = |id: StatementId| map.statements.get(id.0 as usize).map(|place| place.header);
    let (mut remarks, mut known) = (Vec::new(), BTreeSet::new());
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let Callee::External(name) = call.callee else {
                continue;
            };
            if model.calls.is_unknown(call.callee) && known.insert(name.clone()) {
                let sentence = format!(
                    "{name} has no source here: it is assumed to call MPI and to read and write its \
                    arguments and all COMMON and module variables; give its source"
                );
                remarks.push(Diagnostic {
                    severity: Severity::Warning,
                    span: at(id),
                    sentence,
                });
            }
        }
    }
    remarks
}
