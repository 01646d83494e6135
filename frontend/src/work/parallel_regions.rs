//! OpenMP parallel regions. The slice executes them with one thread: to the analysis, directives are comments. Work-sharing
//! loops and other directives do not change the sequence of MPI calls. [`crate::source::directives`] finds the regions.

use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::ir::analysis::ParallelRegion;
use crate::ir::source_map::SourceMap;
use crate::ir::{Callee, StatementId};
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::directives::{self, Region, Shared};
use crate::source::{FileId, Sources, Span};
use std::cmp::Reverse;
use std::ops::Range;

/// Functions that return the same in a slice as in a region with several threads, if probes mark the region.
const REPLICATED: [&str; 2] = ["omp_get_num_threads", "omp_in_parallel"];
/// Functions that return a different value in each thread.
const OF_A_THREAD: [&str; 3] = [
    "omp_get_thread_num",
    "omp_get_team_size",
    "omp_get_ancestor_thread_num",
];

/// A program, and the statements that the slice keeps.
pub(crate) struct Regions<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) map: &'a SourceMap,
    pub(crate) sources: &'a Sources,
    pub(crate) kept: &'a [bool],
}

impl Regions<'_> {
    /// The regions in which the slice must know the number of threads, in source order.
    pub(crate) fn asked(&self) -> Vec<ParallelRegion> {
        if !self
            .kept()
            .iter()
            .any(|&id| self.calls_any(id, &REPLICATED))
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (file, region) in self.of_several_threads() {
            if !self.kept_in(file, &region).is_empty() {
                found.push(ParallelRegion {
                    file,
                    begin: region.inside as u32,
                    end: region.end as u32,
                });
            }
        }
        found.sort_by_key(|region| (region.file, region.begin));
        found
    }

    /// A warning for each region that reaches MPI, and for each statement that computes something else with several threads.
    pub(crate) fn remarks(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (file, region) in self.all() {
            // The region around a nested one has the same statements.
            if !region.is_nested
                && let Some(id) = self.first_call_of_mpi(file, &region)
            {
                found.push(self.warning_at(id, MPI_INSIDE.into()));
            }
        }
        for (file, region) in self.of_several_threads() {
            let kept = self.kept_in(file, &region);
            found.extend(self.of_clauses(file, &region, &kept));
            for &id in &kept {
                if self.calls_any(id, &OF_A_THREAD) {
                    found.push(self.warning_at(id, THREAD_ASKED.into()));
                }
            }
            found.extend(self.reductions(file, &region, &kept));
        }
        found.sort_by_key(|warning| (warning.span, warning.sentence.clone()));
        // Nested regions report the same statement twice.
        found.dedup();
        found
    }

    fn first_call_of_mpi(&self, file: FileId, region: &Region) -> Option<StatementId> {
        let model = self.model;
        model.outline.all().find(|&id| {
            model.calls.own_reaches_mpi[id.0 as usize] && self.is_inside(id, file, region)
        })
    }

    fn warning_at(&self, id: StatementId, sentence: String) -> Diagnostic {
        warning(self.map.statement(id).header, sentence)
    }

    /// A warning for `NUM_THREADS` or `IF` of a region in which the slice calls for the number of threads.
    fn of_clauses(
        &self,
        file: FileId,
        region: &Region,
        kept: &[StatementId],
    ) -> Option<Diagnostic> {
        let mut clauses = ["num_threads", "if"].into_iter();
        let clause = clauses.find(|name| region.clause(name).next().is_some())?;
        if !kept.iter().any(|&id| self.calls_any(id, &REPLICATED)) {
            return None;
        }
        let span = Span {
            file,
            start: region.start as u32,
            end: region.inside as u32,
        };
        let clause = clause.to_ascii_uppercase();
        Some(warning(
            span,
            format!(
                "the slice takes the number of threads of this parallel region from OMP_NUM_THREADS \
                and not from its {clause}: messages and work that depend on it may differ; set \
                OMP_NUM_THREADS to the value of {clause}"
            ),
        ))
    }

    /// A warning for each kept statement that updates a reduction variable: the slice adds up the contribution of one thread
    /// only. Work-sharing constructs are exempt, since one thread then executes all iterations.
    fn reductions(&self, file: FileId, region: &Region, kept: &[StatementId]) -> Vec<Diagnostic> {
        let mut names = Vec::new();
        for clause in region.clause("reduction") {
            if let Some((_operator, list)) = clause.split_once(':') {
                names.extend(list.split(','));
            }
        }
        if names.is_empty() {
            return Vec::new();
        }
        let mut shared = Vec::new();
        for construct in &region.shared {
            shared.extend(self.shared(file, construct));
        }
        let mut found = Vec::new();
        for &id in kept {
            let start = self.map.statement(id).header.start as usize;
            if shared.iter().any(|range| range.contains(&start)) {
                continue;
            }
            if let Some(name) = self.first_written(id, &names) {
                let sentence = format!(
                    "the slice computes {name} as one thread here, where each of several contributes to \
                    it by REDUCTION: messages and work that depend on it may differ"
                );
                found.push(self.warning_at(id, sentence));
            }
        }
        found
    }

    /// The text range of a work-sharing construct: to its end directive, or the loop that follows the directive.
    fn shared(&self, file: FileId, shared: &Shared) -> Option<Range<usize>> {
        if let Some(end) = shared.end {
            return Some(shared.begin..end);
        }
        let mut spans = Vec::new();
        for id in self.model.outline.all() {
            let span = self.map.statement(id).whole;
            if span.file == file && span.start as usize >= shared.begin {
                spans.push(span);
            }
        }
        // Of statements that begin at the same position, the loop encloses the others.
        let following = spans
            .into_iter()
            .min_by_key(|span| (span.start, Reverse(span.end)))?;
        Some(shared.begin..following.end as usize)
    }

    /// The first variable that a statement writes whose name is one of `names`.
    fn first_written(&self, id: StatementId, names: &[&str]) -> Option<&str> {
        for definition in &self.model.effects.of_statement(id).definitions {
            for &variable in &self.model.known_as[definition.location.index()] {
                let name = self.model.program.variable(variable).name.as_str();
                if names.contains(&name) {
                    return Some(name);
                }
            }
        }
        None
    }

    /// All regions of all files; an included file is part of those that include it.
    fn all(&self) -> Vec<(FileId, Region)> {
        let mut regions = Vec::new();
        for (id, file) in (0..).map(FileId).zip(&self.sources.files) {
            // Its text is part of the files that include it.
            if file.included {
                continue;
            }
            for region in directives::regions(&file.text, file.form) {
                regions.push((id, region));
            }
        }
        regions
    }

    /// The regions in files that are compiled with OpenMP.
    fn of_several_threads(&self) -> Vec<(FileId, Region)> {
        let mut regions = self.all();
        regions.retain(|(file, _)| self.sources.file(*file).reading.threads);
        regions
    }

    fn kept(&self) -> Vec<StatementId> {
        let mut kept: Vec<StatementId> = self.model.outline.all().collect();
        kept.retain(|id| self.kept[id.0 as usize]);
        kept
    }

    fn kept_in(&self, file: FileId, region: &Region) -> Vec<StatementId> {
        let mut kept = self.kept();
        kept.retain(|&id| self.is_inside(id, file, region));
        kept
    }

    fn is_inside(&self, id: StatementId, file: FileId, region: &Region) -> bool {
        let span = self.map.statement(id).header;
        span.file == file && (region.inside..region.end).contains(&(span.start as usize))
    }

    /// Whether a statement calls one of some functions of the OpenMP library.
    fn calls_any(&self, id: StatementId, functions: &[&str]) -> bool {
        for call in call_graph::calls(&self.model.program.statement(id).kind) {
            match call.callee {
                Callee::Intrinsic(name) | Callee::External(name) => {
                    if functions.contains(&name.as_str()) {
                        return true;
                    }
                }
                Callee::Procedure(_)
                | Callee::OneOf(_)
                | Callee::Variable(_)
                | Callee::Mpi(_)
                | Callee::UnknownMpi(_) => {}
            }
        }
        false
    }
}

const MPI_INSIDE: &str = "MPI is called inside an OpenMP parallel region: probes take it for one thread's work; compile them without OpenMP";

const THREAD_ASKED: &str = "the slice runs this parallel region as its thread 0 alone: code that \
    depends on another thread's number is not in it";

fn warning(span: Span, sentence: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        span: Some(span),
        sentence,
    }
}
