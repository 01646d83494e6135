//! What the user should know of an analysis: procedures without source, and places where the sequence
//! of MPI calls may hang on time.

use crate::call_graph;
use crate::clock;
use crate::diagnostics::{Diagnostic, Severity};
use crate::effects::Via;
use crate::ir::{Callee, Expression, Procedure, ProcedureId, StatementId};
use crate::levels::MessageClass;
use crate::model::Model;
use crate::references;
use crate::slice::Slicer;
use crate::source::{Sources, Span};
use crate::source_map::SourceMap;
use base_data::mpi::{Function, Kind, Role};
use std::collections::{BTreeMap, BTreeSet};

/// How many further places a note names that holds at several.
const FURTHER_PLACES: usize = 3;

/// All remarks; `places` are those of [`time_dependent`].
pub(crate) fn all(
    model: &Model,
    places: &[TimeDependence],
    map: &SourceMap,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let at = |id: StatementId| map.statements.get(id.0 as usize).map(|place| place.header);
    let mut remarks = without_source(model, &at);
    remarks.extend(unseen_calls(model, map));
    let mut by_reason: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for place in places {
        by_reason.entry(&place.reason).or_default().extend(at(place.statement));
    }
    remarks.extend(by_reason.into_iter().map(|(reason, spans)| folded(reason, spans, map, sources)));
    remarks
}

/// One note for all places where the same is to be said: at the first, naming some of the others.
fn folded(reason: &str, mut spans: Vec<Span>, map: &SourceMap, sources: &Sources) -> Diagnostic {
    spans.sort();
    let line = |span: &Span| {
        let place = map.place(span.file, span.start);
        format!("{}:{}", sources.file(place.file).path, place.line)
    };
    let mut lines: Vec<String> = spans.iter().map(line).collect();
    lines.dedup();
    let further: Vec<&str> = lines.iter().skip(1).take(FURTHER_PLACES).map(String::as_str).collect();
    let more = lines.len().saturating_sub(1 + further.len());
    let also = match (further.join(", "), more) {
        (none, _) if none.is_empty() => none,
        (some, 0) => format!(" (also {some})"),
        (some, more) => format!(" (also {some} and {more} more)"),
    };
    let sentence = format!("{reason}{also}");
    Diagnostic { severity: Severity::Note, span: spans.first().copied(), sentence }
}

/// FINAL procedures that call MPI: they run where objects end, which no statement says.
fn unseen_calls(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let procedures = (0..).map(ProcedureId).zip(&model.program.procedures);
    let found = procedures.filter(|(id, one)| one.is_final && model.calls.procedure_leads[id.0 as usize]);
    let remark = |(id, one): (ProcedureId, &Procedure)| Diagnostic {
        severity: Severity::Error,
        span: Some(map.procedure(id).whole),
        sentence: format!(
            "{} is FINAL and calls MPI, which happens where no statement says so: call it by name instead",
            one.name
        ),
    };
    found.map(remark).collect()
}

/// Procedures without source that may do anything, each once.
fn without_source(model: &Model, at: &dyn Fn(StatementId) -> Option<Span>) -> Vec<Diagnostic> {
    let (mut remarks, mut known) = (Vec::new(), BTreeSet::new());
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let Callee::External(name) = call.callee else { continue };
            if model.calls.is_unknown(call.callee) && known.insert(name.clone()) {
                let sentence = format!(
                    "{name} has no source here: it is taken to call MPI and to read and write its arguments and \
                     all COMMON and module variables; give its source"
                );
                remarks.push(Diagnostic { severity: Severity::Warning, span: at(id), sentence });
            }
        }
    }
    remarks
}

/// A place where the sequence of MPI calls may hang on time.
pub(crate) struct TimeDependence {
    /// The MPI call, or the statement that a clock decides.
    pub(crate) statement: StatementId,
    /// Whether it is a decision rather than a call.
    pub(crate) decides: bool,
    /// What makes it so.
    pub(crate) reason: String,
}

/// All such places, calls first.
pub(crate) fn time_dependent(model: &Model, slicer: &Slicer) -> Vec<TimeDependence> {
    let mut places = Vec::new();
    for id in model.outline.all().filter(|id| slicer.kept[id.0 as usize]) {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let Callee::Mpi(function) = call.callee else { continue };
            let reason = time_dependence(model, slicer, id, function, &call);
            places.extend(reason.map(|reason| TimeDependence { statement: id, decides: false, reason }));
        }
    }
    for statement in clock::decisions(model, slicer) {
        let reason = "a clock decides here which MPI calls are made: the sequence of calls may differ between machines";
        places.push(TimeDependence { statement, decides: true, reason: reason.into() });
    }
    places
}

/// Why the sequence of calls may differ on another machine.
fn time_dependence(
    model: &Model,
    slicer: &Slicer,
    id: StatementId,
    function: &'static Function,
    call: &call_graph::Call,
) -> Option<String> {
    let argument = |role| function.position(role).and_then(|i| call.arguments.get(i).copied().flatten());
    let named = |e: &Expression, name: &str| {
        references::base(e).is_some_and(|v| model.program.variable(v).name == name)
    };
    let wild = |role, name| argument(role).is_some_and(|e| named(e, name));
    let read = slicer.messages.envelope || slicer.messages.payload.contains(&MessageClass::PointToPoint);
    if read
        && matches!(function.kind, Kind::Receive | Kind::StartReceive | Kind::SendReceive | Kind::Probe)
        && (wild(Role::Peer, "mpi_any_source") || wild(Role::Tag, "mpi_any_tag"))
    {
        return Some(format!(
            "{} takes a message of any source or tag, and source or data are used: which one comes first may differ \
             between machines",
            function.name
        ));
    }
    let asks = function.arguments.iter().any(|argument| argument.role == Role::Completion);
    let envelope = model.effects.of_statement(id).definitions.iter().any(|d| d.via == Via::Envelope);
    (asks && envelope && slicer.messages.envelope).then(|| {
        format!(
            "what {} answers hangs on time and is used: the sequence of calls may differ between machines",
            function.name
        )
    })
}
