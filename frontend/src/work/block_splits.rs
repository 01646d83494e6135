//! Splits of compute blocks. A work term is evaluated at the entry of its block, but statements of the block may compute its operands in
//! ways that no expression repeats: a call (`call decompose(n, rank, from, to)`), a loop, input. The block ends before the first loop
//! whose bounds are known there and not before: at its own entry a loop has the values themselves. Each part is a block, with
//! one entry and one exit.

use crate::blocks::block_finder::{self, ElementKind, ProgramElement};
use crate::effects::model::Model;
use crate::ir::StatementId;
use crate::slice::slicer::Slicer;
use crate::source::directives;
use crate::work::trip_counts::TripCounts;
use crate::work::work_terms::TermContext;
use std::ops::Range;

/// What was found, with the compute blocks in parts. The slice grows by the operands of the terms for which they were split.
pub(crate) fn split<'a>(
    context: TermContext<'a, '_>,
    found: &[ProgramElement],
    counts: &mut TripCounts<'a>,
    slicer: &mut Slicer<'a>,
) -> Vec<ProgramElement> {
    let files = context.sources.files.iter();
    let mut splitter = Splitter {
        context,
        constructs: files
            .map(|file| directives::constructs(&file.text))
            .collect(),
        counts,
        slicer,
    };
    let mut all = Vec::new();
    for one in found {
        let ElementKind::Compute(run) = &one.kind else {
            all.push(one.clone());
            continue;
        };
        for part in splitter.parts(run) {
            all.push(ProgramElement {
                kind: ElementKind::Compute(part),
                ..one.clone()
            });
        }
    }
    all
}

struct Splitter<'a, 'b, 's> {
    context: TermContext<'a, 'b>,
    /// Constructs of directives, by file.
    constructs: Vec<Vec<Range<usize>>>,
    counts: &'s mut TripCounts<'a>,
    slicer: &'s mut Slicer<'a>,
}

impl Splitter<'_, '_, '_> {
    fn parts(&mut self, run: &[StatementId]) -> Vec<Vec<StatementId>> {
        let mut parts = Vec::new();
        let mut rest = run;
        while let Some(at) = self.first_split(rest) {
            let (part, behind) = rest.split_at(at);
            parts.push(part.to_vec());
            rest = behind;
        }
        parts.push(rest.to_vec());
        parts
    }

    /// The first position at which a split makes work known.
    fn first_split(&mut self, run: &[StatementId]) -> Option<usize> {
        for at in self.counts.known_later(run) {
            let first = run[at];
            // The end of the part before would have a second exit, or this one a second entry.
            if is_jumped_over(self.context.model, run, at)
                || self.is_in_construct(run[at - 1], first)
            {
                continue;
            }
            let counts = self.counts.of(&[first]).counts;
            if self.context.are_affordable(counts, self.slicer, first) {
                return Some(at);
            }
        }
        None
    }

    /// Whether a construct of directives contains two consecutive statements: several threads, or another device, may execute what
    /// stands between them.
    fn is_in_construct(&self, one: StatementId, next: StatementId) -> bool {
        let place = |id: StatementId| self.context.spans.map.statement(id).header;
        let (one, next) = (place(one), place(next));
        let constructs = self.constructs.get(one.file.0 as usize);
        one.file == next.file
            && constructs.into_iter().flatten().any(|construct| {
                construct.contains(&(one.start as usize))
                    && construct.contains(&(next.start as usize))
            })
    }
}

/// Whether a jump leads from one side of a position in a run to the other.
fn is_jumped_over(model: &Model, run: &[StatementId], at: usize) -> bool {
    let (program, outline) = (model.program, &model.outline);
    let is_in =
        |part: &[StatementId], id: StatementId| part.iter().any(|&top| outline.is_within(id, top));
    let (before, behind) = run.split_at(at);
    let procedure = program.statement(run[0]).procedure;
    for (from, to) in block_finder::jumps(program, outline, procedure) {
        if is_in(before, from) && is_in(behind, to) || is_in(behind, from) && is_in(before, to) {
            return true;
        }
    }
    false
}
