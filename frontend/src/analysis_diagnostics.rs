//! Diagnostics of the analysis: procedures without source, calls that cannot be recorded, FINAL procedures that call MPI,
//! files shared between ranks, and the results of [`crate::nondeterminism::time_dependence`].

use crate::blocks::block_finder::{ElementKind, ProgramElement};
use crate::blocks::control_statement_blocks::ControlBlocks;
use crate::effects::message_levels::Order;
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::graphs::externals::UnknownExternal;
use crate::io::shared_file_ordering::SharedFileOrdering;
use crate::ir::source_map::{SourceMap, folded};
use crate::ir::{Callee, ProcedureId, StatementId};
use crate::nondeterminism::mpi_outputs::mpi_call;
use crate::nondeterminism::time_dependence::TimeDependence;
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{Sources, Span};
use std::collections::{BTreeMap, BTreeSet};

/// All diagnostics but those about procedures without source; `places` are where the sequence of calls may depend on time.
pub(crate) fn all(
    model: &Model,
    places: &[TimeDependence],
    map: &SourceMap,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let mut diagnostics = final_procedures_with_mpi(model, map);
    diagnostics.extend(cancellations(model, map));
    let mut by_reason: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for place in places {
        let spans = by_reason.entry(&place.reason).or_default();
        spans.extend(header(map, place.statement));
    }
    for (reason, spans) in by_reason {
        diagnostics.push(folded(Severity::Note, reason, spans, map, sources));
    }
    diagnostics
}

/// The first line of a statement; `None` for one that a lowering inserted.
fn header(map: &SourceMap, id: StatementId) -> Option<Span> {
    map.statements.get(id.0 as usize).map(|place| place.header)
}

/// File accesses whose result may depend on another rank.
pub(crate) fn shared_files(
    ordered: &SharedFileOrdering,
    map: &SourceMap,
    sources: &Sources,
) -> Option<Diagnostic> {
    let waits = match &ordered.order {
        Order::Nothing => return None,
        Order::GlobalSynchronisations(names) => {
            names.iter().copied().collect::<Vec<_>>().join(" and ")
        }
        Order::Everything => "every message, since no global synchronisation lies between".into(),
    };
    let reason =
        format!("this file access may depend on another process, so ranks wait for {waits}");
    let mut spans = Vec::new();
    for &id in &ordered.readings {
        spans.extend(header(map, id));
    }
    Some(folded(Severity::Note, &reason, spans, map, sources))
}

/// Calls of MPI_Cancel: whether a transfer is cancelled depends on timing (MPI 4.1, section 3.8.4), so no recording can contain it.
fn cancellations(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let sentence = "MPI_Cancel: cancelled transfers cannot be recorded, and recording fails where \
        this call is executed; remove the call, or send the message that is received";
    let mut diagnostics = Vec::new();
    for id in model.outline.all() {
        if let Some((function, _)) = mpi_call(model, id)
            && function.name == "MPI_Cancel"
        {
            diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                span: header(map, id),
                sentence: sentence.into(),
            });
        }
    }
    diagnostics
}

/// FINAL procedures that call MPI. They run where objects are finalized (Fortran 2018, 7.5.6.3), which no statement shows.
fn final_procedures_with_mpi(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (number, procedure) in model.program.procedures.iter().enumerate() {
        if !procedure.is_final || !model.calls.procedure_leads[number] {
            continue;
        }
        let sentence = format!(
            "{} is FINAL and calls MPI, in places that no statement shows: call it by name instead",
            procedure.name
        );
        diagnostics.push(Diagnostic {
            severity: Severity::Error,
            span: Some(map.procedure(ProcedureId(number as u32)).whole),
            sentence,
        });
    }
    diagnostics
}

/// Work of control statements that no block measures: array operations in conditions and arguments where no block can be,
/// and FINAL procedures that run where objects end.
pub(crate) fn beside_blocks(
    model: &Model,
    found: &[ProgramElement],
    map: &SourceMap,
    sources: &Sources,
) -> Vec<Diagnostic> {
    let control_blocks = ControlBlocks::of_model(model);
    let mut with_blocks = BTreeSet::new();
    let mut structure = Vec::new();
    for found in found {
        match found.kind {
            ElementKind::Own(id, _) => _ = with_blocks.insert(id),
            ElementKind::Structure(id) => structure.push(id),
            ElementKind::Compute(_)
            | ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..) => {}
        }
    }
    let (mut outside, mut finalized) = (Vec::new(), Vec::new());
    for id in structure {
        if control_blocks.is_outside_blocks(id, with_blocks.contains(&id)) {
            outside.extend(header(map, id));
        }
        if runs_expensive_finalizer(model, id) {
            finalized.extend(header(map, id));
        }
    }
    let reasons = [
        (
            outside,
            "array work in the conditions or arguments of a statement with messages is not \
            predicted, or only in part: assign its result to a variable in a separate statement",
        ),
        (
            finalized,
            "a FINAL procedure that runs in a statement with messages is not predicted: call it by \
            name before",
        ),
    ];
    let mut diagnostics = Vec::new();
    for (spans, reason) in reasons {
        if !spans.is_empty() {
            diagnostics.push(folded(Severity::Warning, reason, spans, map, sources));
        }
    }
    diagnostics
}

/// Whether a statement runs a FINAL procedure that has loops and no blocks of its own.
fn runs_expensive_finalizer(model: &Model, id: StatementId) -> bool {
    for call in &model.effects.of_statement(id).calls {
        let target = call.target;
        let has_blocks = model.calls.procedure_leads[target.0 as usize];
        if model.program.procedure(target).is_final && !has_blocks && model.calls.repeats(target) {
            return true;
        }
    }
    false
}

/// Procedures without source that may do anything: those of a library together, with what its symbols lead to; others each by
/// itself.
pub(crate) fn without_source(model: &Model, map: &SourceMap) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for group in unknown_procedures(model) {
        let (first, names) = (group.first, &group.names);
        let sentence = match group.why {
            Some(why) => of_library(names, why),
            None => format!(
                "{} has no source here: it is assumed to call MPI and to read and write its \
                arguments and all COMMON and module variables; give its source",
                names[0]
            ),
        };
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            span: header(map, first),
            sentence,
        });
    }
    diagnostics
}

/// Procedures without source of which nothing is known, for one reason.
struct UnknownProcedures<'a> {
    /// The first call of one.
    first: StatementId,
    /// Their names, in the order of their first calls.
    names: Vec<String>,
    /// The reason, if the link is known.
    why: Option<&'a UnknownExternal>,
}

fn unknown_procedures<'a>(model: &'a Model) -> Vec<UnknownProcedures<'a>> {
    let mut groups: Vec<UnknownProcedures> = Vec::new();
    let mut known = BTreeSet::new();
    for id in model.outline.all() {
        for call in call_graph::calls(&model.program.statement(id).kind) {
            let Callee::External(name) = call.callee else {
                continue;
            };
            if !model.calls.is_unknown(call.callee) || !known.insert(name.clone()) {
                continue;
            }
            let why = model.calls.externals.unknown(name);
            let same = groups.iter_mut().find(|group| match (group.why, why) {
                (Some(one), Some(other)) => one.is_same_reason(other),
                _ => false,
            });
            match same {
                Some(group) => group.names.push(name.clone()),
                None => groups.push(UnknownProcedures {
                    first: id,
                    names: vec![name.clone()],
                    why,
                }),
            }
        }
    }
    groups
}

fn of_library(names: &[String], why: &UnknownExternal) -> String {
    /// Names that are listed; of a library a program may call hundreds.
    const SHOWN: usize = 3;
    let mut list = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        list += &format!(" and {} more", names.len() - SHOWN);
    }
    let (verb, pronoun) = match names.len() {
        1 => ("has", "it is"),
        _ => ("have", "they are"),
    };
    let (assumed, proven, does) = match why.reaches_program {
        true => (
            "to call MPI and to read and write all COMMON and module variables",
            "nothing",
            "does neither",
        ),
        false => (
            "to call MPI, and to read and write of the program only what it passes",
            "no more",
            "does not call MPI",
        ),
    };
    let remedy = match &why.library {
        Some(library) => format!("; if {library} {does}, name it in [externals] trusted"),
        None => String::new(),
    };
    format!(
        "{list} {verb} no source here: {pronoun} assumed {assumed}, since symbols prove {proven} ({}){remedy}",
        why.chain
    )
}
