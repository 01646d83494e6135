//! What OpenMP's parallel regions mean to a slice, which runs them as one thread: directives are comments to the
//! analysis. Work-sharing loops and other directives change no sequence of calls. Where regions are is in
//! [`crate::source::directives`].

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

/// Functions that answer in a slice what they do in a region of several threads, where they are told of regions.
const ANSWERED: [&str; 2] = ["omp_get_num_threads", "omp_in_parallel"];
/// Functions that answer each thread something else.
const OF_A_THREAD: [&str; 3] = [
    "omp_get_thread_num",
    "omp_get_team_size",
    "omp_get_ancestor_thread_num",
];

/// A program and the statements of it that the slice keeps.
pub(crate) struct Regions<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) map: &'a SourceMap,
    pub(crate) sources: &'a Sources,
    pub(crate) kept: &'a [bool],
}

impl Regions<'_> {
    /// The regions of which a slice must know whether it is inside, in the order of the text.
    pub(crate) fn asked(&self) -> Vec<ParallelRegion> {
        if !self.kept().any(|id| self.asks(id, &ANSWERED)) {
            return Vec::new();
        }
        let with_kept = self
            .of_several_threads()
            .filter(|(file, region)| self.kept_in(*file, region).next().is_some());
        let mut found: Vec<ParallelRegion> = with_kept
            .map(|(file, region)| ParallelRegion {
                file,
                begin: region.inside as u32,
                end: region.end as u32,
            })
            .collect();
        found.sort_by_key(|region| (region.file, region.begin));
        found
    }

    /// A remark for each region that leads to MPI, and for each place where several threads would do something else.
    pub(crate) fn remarks(&self) -> Vec<Diagnostic> {
        let calls_mpi = self
            .all()
            .filter(|(_, region)| !region.is_nested)
            .filter_map(|(file, region)| {
                let leads = |id: &StatementId| self.model.calls.own_reaches_mpi[id.0 as usize];
                self.model
                    .outline
                    .all()
                    .filter(leads)
                    .find(|&id| self.is_inside(id, file, &region))
            });
        let mut found: Vec<Diagnostic> = calls_mpi
            .map(|id| warning(self.map.statement(id).header, MPI_INSIDE.into()))
            .collect();
        for (file, region) in self.of_several_threads() {
            let kept: Vec<StatementId> = self.kept_in(file, &region).collect();
            found.extend(self.of_clauses(file, &region, &kept));
            let of_a_thread = kept.iter().filter(|&&id| self.asks(id, &OF_A_THREAD));
            found.extend(
                of_a_thread.map(|&id| warning(self.map.statement(id).header, THREAD_ASKED.into())),
            );
            found.extend(self.summed(file, &region, &kept));
        }
        found.sort_by_key(|remark| (remark.span, remark.sentence.clone()));
        found.dedup();
        found
    }

    /// `NUM_THREADS` and `IF` of a region in which the slice asks for the number of threads.
    fn of_clauses(
        &self,
        file: FileId,
        region: &Region,
        kept: &[StatementId],
    ) -> Option<Diagnostic> {
        let clause = ["num_threads", "if"]
            .into_iter()
            .find(|name| region.clause(name).next().is_some())?;
        kept.iter().find(|&&id| self.asks(id, &ANSWERED))?;
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

    /// What the slice adds up as one thread where several do, each for itself.
    fn summed(&self, file: FileId, region: &Region, kept: &[StatementId]) -> Vec<Diagnostic> {
        let lists = region
            .clause("reduction")
            .filter_map(|text| Some(text.split_once(':')?.1));
        let names: Vec<&str> = lists.flat_map(|list| list.split(',')).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let shared: Vec<Range<usize>> = region
            .shared
            .iter()
            .filter_map(|shared| self.shared(file, shared))
            .collect();
        let is_shared = |id: StatementId| {
            shared
                .iter()
                .any(|range| range.contains(&(self.map.statement(id).header.start as usize)))
        };
        let written = kept.iter().filter(|&&id| !is_shared(id)).filter_map(|&id| {
            let name = self.written(id).find(|name| names.contains(name))?;
            let sentence = format!(
                "the slice computes {name} as one thread here, where each of several contributes to \
                it by REDUCTION: messages and work that depend on it may differ"
            );
            Some(warning(self.map.statement(id).header, sentence))
        });
        written.collect()
    }

    /// What stands between a directive and the one that ends it, or the loop behind it.
    fn shared(&self, file: FileId, shared: &Shared) -> Option<Range<usize>> {
        if let Some(end) = shared.end {
            return Some(shared.begin..end);
        }
        let spans = self
            .model
            .outline
            .all()
            .map(|id| self.map.statement(id).whole);
        let behind = spans.filter(|span| span.file == file && span.start as usize >= shared.begin);
        behind
            .min_by_key(|span| (span.start, Reverse(span.end)))
            .map(|span| shared.begin..span.end as usize)
    }

    /// Names of what a statement writes.
    fn written(&self, id: StatementId) -> impl Iterator<Item = &str> {
        let definitions = &self.model.effects.of_statement(id).definitions;
        let variables = definitions
            .iter()
            .flat_map(|one| &self.model.known_as[one.location.index()]);
        variables.map(|&variable| self.model.program.variable(variable).name.as_str())
    }

    fn all(&self) -> impl Iterator<Item = (FileId, Region)> {
        let files = (0..)
            .map(FileId)
            .zip(&self.sources.files)
            .filter(|(_, file)| !file.included);
        files.flat_map(|(id, file)| {
            directives::regions(&file.text, file.form)
                .into_iter()
                .map(move |region| (id, region))
        })
    }

    /// The regions that several threads run as the file is compiled.
    fn of_several_threads(&self) -> impl Iterator<Item = (FileId, Region)> {
        self.all()
            .filter(|(file, _)| self.sources.file(*file).reading.threads)
    }

    fn kept(&self) -> impl Iterator<Item = StatementId> {
        self.model
            .outline
            .all()
            .filter(|id| self.kept[id.0 as usize])
    }

    fn kept_in(&self, file: FileId, region: &Region) -> impl Iterator<Item = StatementId> {
        self.kept()
            .filter(move |&id| self.is_inside(id, file, region))
    }

    fn is_inside(&self, id: StatementId, file: FileId, region: &Region) -> bool {
        let span = self.map.statement(id).header;
        span.file == file && (region.inside..region.end).contains(&(span.start as usize))
    }

    fn asks(&self, id: StatementId, functions: &[&str]) -> bool {
        call_graph::calls(&self.model.program.statement(id).kind)
            .iter()
            .any(|call| match call.callee {
                Callee::Intrinsic(name) | Callee::External(name) => {
                    functions.contains(&name.as_str())
                }
                Callee::Procedure(_)
                | Callee::OneOf(_)
                | Callee::Variable(_)
                | Callee::Mpi(_)
                | Callee::UnknownMpi(_) => false,
            })
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
