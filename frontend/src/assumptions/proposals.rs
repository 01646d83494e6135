//! Proposed assumptions, so that the slice need not compute bulk data. Error exits on computed data are assumed not taken; exits
//! on base data stay. Of the tests that end loops, a minimum cut between the MPI calls and bulk data is assumed. Everything else
//! stays in the slice with all its dependences, which is safe.

use crate::assumptions::bulk_data;
use crate::assumptions::error_exits::ErrorExits;
use crate::assumptions::expensive_error_exits;
use crate::assumptions::method_switches;
use crate::assumptions::minimum_cut;
use crate::assumptions::user_assumptions::AppliedAssumption;
use crate::dataflow::control::Control;
use crate::effects::model::Model;
use crate::graphs::assumed_outcomes::{Assumed, Clause};
use crate::io::io_ordering::IoOrdering;
use crate::ir::StatementId;
use crate::options::Proposals;
use crate::slice::dependence_graph::{DependenceGraph, NotedNeeds};
use crate::slice::slicer::Slicer;
use std::collections::BTreeSet;

/// Most assumptions of a cut that are tried without, one by one.
const MAX_ATTEMPTS: usize = 16;

/// Whether more than three tenths of the program stay in a slice: only then are guesses and explanations worth a message.
pub(crate) fn is_large(model: &Model, kept: &[bool]) -> bool {
    let count = kept.iter().filter(|kept| **kept).count();
    count * 10 > model.outline.all().count() * 3
}

/// What a slice is made for.
#[derive(Clone, Copy)]
pub(crate) struct Purpose<'a> {
    pub(crate) model: &'a Model<'a>,
    /// In which order files are written and read.
    pub(crate) file_order: &'a IoOrdering,
    /// The statements of the compute blocks.
    pub(crate) blocks: &'a [Vec<StatementId>],
}

/// What may be proposed.
#[derive(Clone, Copy)]
pub(crate) struct Allowed<'a> {
    pub(crate) proposals: Proposals,
    /// Method switches that are computed.
    pub(crate) computed: &'a BTreeSet<Clause>,
}

/// Control under what the user assumes and what is proposed beside, and all of that.
pub(crate) fn decide(
    purpose: Purpose,
    given: Vec<AppliedAssumption>,
    exits: &ErrorExits,
    allowed: Allowed,
) -> (Control, Vec<AppliedAssumption>) {
    let mut choices = given;
    let mut control = purpose.control(&choices, None);
    let free: Vec<Clause> = exits
        .tests
        .iter()
        .copied()
        .filter(|&exit| control.is_free(exit))
        .collect();
    // Error exits come first, since a rule settles their outcome. The cut then decides about tests
    // that may go either way, in the graph without the exits.
    if allowed.proposals != Proposals::None && !free.is_empty() {
        choices.extend(expensive_error_exits::find(
            purpose.model,
            &control,
            &purpose.needs(&control),
            &free,
        ));
        control = purpose.control(&choices, Some(&control));
    }
    if allowed.proposals == Proposals::All {
        let needs = purpose.needs(&control);
        control = purpose.add_cut(&mut choices, control, &needs, exits, &[]);
        // The outcome of a switch is a guess, which a slice that is small without it does not need.
        let slicer = purpose.slice(&control, false);
        if is_large(purpose.model, &slicer.kept) {
            let needs = purpose.needs(&control);
            let switches =
                method_switches::find(purpose.model, &control, &needs, exits, allowed.computed);
            if !switches.is_empty() {
                control = purpose.add_cut(&mut choices, control, &needs, exits, &switches);
            }
        }
    }
    choices.sort_by_key(|choice| (choice.substitution.statement, choice.substitution.clause));
    (control, choices)
}

impl Purpose<'_> {
    /// Adds a minimum cut to what is assumed; the control under both.
    fn add_cut(
        &self,
        choices: &mut Vec<AppliedAssumption>,
        control: Control,
        needs: &DependenceGraph,
        exits: &ErrorExits,
        switches: &[Clause],
    ) -> Control {
        let cut = minimum_cut::find(self.model, &control, needs, exits, switches);
        let cut = self.is_worthwhile(choices, cut, &control, needs.statement_count());
        let cut = self.with_covered_conditions(choices, cut, &control, needs);
        choices.extend(cut);
        self.control(choices, Some(&control))
    }

    fn control(&self, choices: &[AppliedAssumption], beside: Option<&Control>) -> Control {
        let mut assumed = vec![Assumed::Nothing; self.model.program.statements.len()];
        for choice in choices {
            let assumed = &mut assumed[choice.substitution.statement.0 as usize];
            *assumed = assumed.and(choice.assumed());
        }
        Control::of(self.model, assumed, beside)
    }

    fn slice<'a>(&'a self, control: &'a Control, with_needs: bool) -> Slicer<'a> {
        let mut slicer = Slicer::new(self.model, control, self.file_order);
        if with_needs {
            slicer.needs = Some(NotedNeeds::default());
        }
        slicer.start(self.blocks);
        slicer
    }

    /// What needs what.
    pub(crate) fn needs(&self, control: &Control) -> DependenceGraph {
        DependenceGraph::of(self.slice(control, true).needs.unwrap_or_default())
    }

    /// A cut in which the count conjunct of conditions is evaluated, where the slice computes no more bulk data then.
    fn with_covered_conditions(
        &self,
        others: &[AppliedAssumption],
        mut cut: Vec<AppliedAssumption>,
        beside: &Control,
        needs: &DependenceGraph,
    ) -> Vec<AppliedAssumption> {
        if cut.is_empty() {
            return cut;
        }
        let mut is_bulk = vec![false; self.model.program.statements.len()];
        for id in self.model.outline.all() {
            is_bulk[id.0 as usize] = bulk_data::computes(self.model, id);
        }
        let mut fewest = None;
        for at in 0..cut.len() {
            let Some(conjunct) =
                minimum_cut::with_count_conjunct(self.model, beside, needs, &cut[at])
            else {
                continue;
            };
            let fewest = *fewest
                .get_or_insert_with(|| self.kept(&[others, &cut].concat(), beside, &is_bulk));
            let whole = std::mem::replace(&mut cut[at], conjunct);
            if self.keeps_more(fewest, &[others, &cut].concat(), beside, &is_bulk) {
                cut[at] = whole;
            }
        }
        cut
    }

    /// How many of the statements that count (index = statement id) the slice keeps.
    fn kept(&self, choices: &[AppliedAssumption], beside: &Control, counts: &[bool]) -> usize {
        let control = self.control(choices, Some(beside));
        count(&self.slice(&control, false).kept, counts)
    }

    /// Whether the slice keeps more of the statements that count than `most`. It ends as soon as it does: a slice only grows.
    fn keeps_more(
        &self,
        most: usize,
        choices: &[AppliedAssumption],
        beside: &Control,
        counts: &[bool],
    ) -> bool {
        let control = self.control(choices, Some(beside));
        let mut slicer = Slicer::new(self.model, &control, self.file_order);
        slicer.begin(self.blocks);
        loop {
            // As many tasks as there are statements to count.
            let is_finished = slicer.run_at_most(counts.len().max(1));
            if count(&slicer.kept, counts) > most {
                return true;
            }
            if is_finished {
                return false;
            }
        }
    }

    /// The members of a cut that take something away from the statements that stay without it: at least a hundredth of the program
    /// together, and none that the others can do without.
    fn is_worthwhile(
        &self,
        others: &[AppliedAssumption],
        mut cut: Vec<AppliedAssumption>,
        beside: &Control,
        without_cut: usize,
    ) -> Vec<AppliedAssumption> {
        if cut.is_empty() {
            return cut;
        }
        let little = self.model.outline.all().count() / 100;
        let all = vec![true; self.model.program.statements.len()];
        let best = self.kept(&[others, &cut].concat(), beside, &all);
        if without_cut < best + little.max(1) {
            return Vec::new();
        }
        let mut at = 0;
        // A cut is minimal for the bulk data that it separates; a member may still remove no
        // statement. Each attempt slices the program anew, hence the limit.
        while at < cut.len() && cut.len() <= MAX_ATTEMPTS {
            let without = [&cut[..at], &cut[at + 1..]].concat();
            if self.keeps_more(best, &[others, &without].concat(), beside, &all) {
                at += 1;
            } else {
                cut = without;
            }
        }
        cut
    }
}

/// How many of the kept statements count.
fn count(kept: &[bool], counts: &[bool]) -> usize {
    let both = kept.iter().zip(counts);
    both.filter(|(kept, counts)| **kept && **counts).count()
}
