//! What the user should know of an analysis: procedures without source, and places where the sequence
//! of MPI calls may hang on time.

use crate::call_graph;
use crate::clock;
use crate::diagnostics::{Diagnostic, Severity};
use crate::effects::Via;
use crate::ir::{Callee, Expression, StatementId};
use crate::model::Model;
use crate::references;
use crate::slice::Slicer;
use crate::source_map::SourceMap;
use base_data::mpi::{Function, Kind, Role};
use std::collections::BTreeSet;

/// All remarks.
pub(crate) fn all(model: &Model, slicer: &Slicer, map: &SourceMap) -> Vec<Diagnostic> {
    let mut remarks = Vec::new();
    let mut unknown = BTreeSet::new();
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            if let Some((severity, sentence)) = remark(model, slicer, id, &call, &mut unknown) {
                let span = map.statements.get(id.0 as usize).map(|place| place.header);
                remarks.push(Diagnostic { severity, span, sentence });
            }
        }
    }
    for id in clock::decisions(model, slicer) {
        let span = map.statements.get(id.0 as usize).map(|place| place.header);
        let sentence = "a clock decides here which MPI calls are made: the sequence of calls may differ between machines";
        remarks.push(Diagnostic { severity: Severity::Note, span, sentence: sentence.into() });
    }
    remarks
}

fn remark(
    model: &Model,
    slicer: &Slicer,
    id: StatementId,
    call: &call_graph::Call,
    unknown: &mut BTreeSet<String>,
) -> Option<(Severity, String)> {
    match call.callee {
        Callee::External(name) if model.calls.is_unknown(call.callee) && unknown.insert(name.clone()) => {
            let sentence = format!(
                "{name} has no source here: it is taken to call MPI and to read and write its arguments and all \
                 COMMON and module variables; give its source, or declare that it only computes"
            );
            Some((Severity::Warning, sentence))
        }
        Callee::Mpi(function) if slicer.kept[id.0 as usize] => {
            time_dependence(model, slicer, id, function, call).map(|sentence| (Severity::Note, sentence))
        }
        Callee::Mpi(_)
        | Callee::External(_)
        | Callee::Procedure(_)
        | Callee::UnknownMpi(_)
        | Callee::Intrinsic(_)
        | Callee::Variable(_) => None,
    }
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
    if matches!(function.kind, Kind::Receive | Kind::StartReceive | Kind::SendReceive | Kind::Probe)
        && (wild(Role::Peer, "mpi_any_source") || wild(Role::Tag, "mpi_any_tag"))
    {
        return Some(format!(
            "{} takes a message of any source or tag: which one comes first may differ between machines",
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
