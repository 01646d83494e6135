//! The steps from a plan to the text of a probe: insertions, substitutions, removals, in this order. Each adds edits to
//! one [`Writer`], which applies all of them at the end.

use crate::plan::ProbePlan;
use crate::probes::{InstrumentError, RewrittenFile, Writer, group};
use crate::removal;
use crate::substitution;
use frontend::analysis::Analysis;
use frontend::ir::{ProcedureId, Program};
use frontend::language::{mpi_constant_functions, term_indices};
use frontend::source::Sources;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The files of the program with `plan` carried out; what INCLUDE lines bring stands in them.
pub fn instrument(
    sources: &Sources,
    analysis: &Analysis,
    plan: &ProbePlan,
) -> Result<Vec<RewrittenFile>, InstrumentError> {
    let mut writer = Writer::new(sources, analysis, plan);
    for (procedure, functions) in declared(&analysis.program, plan) {
        writer.declare(procedure, &functions);
    }
    for (&procedure, lines) in &plan.beginnings {
        writer.begin(procedure, lines);
    }
    let spots = group(&plan.insertions);
    // Insertions at one offset keep the order of their edits, and nested statements may end at the same offset:
    // the inner one starts later, so it comes first.
    let mut order: Vec<_> = spots.iter().collect();
    order.sort_by_key(|(statement, _)| {
        let span = analysis.source_map.statement(**statement).whole;
        (span.file, Reverse(span.start))
    });
    for (&statement, spot) in order {
        writer.insert(statement, spot)?;
    }
    // Insertions have added the terminal statements that these labels name.
    writer.apply_relabelling();
    plan.parallel_regions
        .iter()
        .for_each(|region| writer.record_region(region));
    substitution::substitute(&mut writer, &plan.substituted)?;
    substitution::watch(&mut writer, &plan.watched)?;
    for (block, names) in removal::hiding_blocks(&analysis.program, plan) {
        writer.mention(block, names);
    }
    removal::remove(&mut writer, plan)?;
    Ok(writer.rewritten())
}

/// The functions that each procedure must declare, and the variables in which its terms count.
fn declared(program: &Program, plan: &ProbePlan) -> BTreeMap<ProcedureId, BTreeSet<&'static str>> {
    let mut found: BTreeMap<ProcedureId, BTreeSet<&str>> = BTreeMap::new();
    for &(procedure, function) in &plan.declared {
        found.entry(procedure).or_default().insert(function);
    }
    for insertion in &plan.insertions {
        let procedure = program.statement(insertion.statement).procedure;
        for term in insertion.probe.terms() {
            let names = mpi_constant_functions().chain(term_indices());
            // A name that is a part of a longer one is declared without need, which is harmless.
            for name in names.filter(|name| term.contains(name)) {
                found.entry(procedure).or_default().insert(name);
            }
        }
    }
    found
}
