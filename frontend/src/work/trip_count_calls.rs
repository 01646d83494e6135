//! Which MPI calls of a program tell how often its loops run: one that every iteration makes once, and one that is
//! made once whenever the loop is entered. From them a recording of the program as it is, which knows calls and
//! no loops, gives counts. How often calls were made is not known here.

use crate::ir::analysis::{Analysis, Replacement, SelectionBranch, SitePlace};
use crate::ir::constant_values::constant;
use crate::ir::statement_tree::{Outline, subtree};
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind};
use std::collections::BTreeSet;

/// The calls that count the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCalls {
    /// A call that each iteration makes once.
    pub iteration: StatementId,
    /// The iterations without it, each time the loop runs: 1 where the test that ends the loop stands before it.
    pub without: u64,
    /// A call that each iteration makes once but for one that the test ends, if there is one.
    pub behind: Option<StatementId>,
    /// A call that is made once each time the loop runs; `None`: the loop runs once.
    pub entry: Option<StatementId>,
}

/// The calls that count the iterations of the loop that the assumption of this number is about.
///
/// # Errors
/// Why no calls do.
pub fn find(analysis: &Analysis, number: usize) -> Result<LoopCalls, &'static str> {
    let substitution = &analysis.slice.substitutions[number];
    let places = Places {
        analysis,
        outline: Outline::of(&analysis.program),
    };
    places.calls(substitution.statement, substitution.replacement)
}

/// Whether the loop that the assumption of this number is about is entered no more than once in a run: it stands
/// in no other, nothing jumps back over it, and the same holds of the only call that leads to it.
pub fn is_entered_once(analysis: &Analysis, number: usize) -> bool {
    let places = Places {
        analysis,
        outline: Outline::of(&analysis.program),
    };
    let test = analysis.slice.substitutions[number].statement;
    let around = std::iter::once(test)
        .chain(places.outline.ancestors(test))
        .find(|&id| places.is_loop(id));
    places.is_reached_once(around.unwrap_or(test), &mut BTreeSet::new())
}

/// How often the counted loop around the test of this number runs if the test does not end it, where constants tell.
pub fn other_bound(analysis: &Analysis, number: usize) -> Option<u64> {
    let program = &analysis.program;
    let test = analysis.slice.substitutions[number].statement;
    let around = Outline::of(program).parent[test.0 as usize]?;
    let StatementKind::Do { from, to, step, .. } = &program.statement(around).kind else {
        return None;
    };
    let value = |bound| constant(program, bound);
    let step = step
        .as_ref()
        .map_or(Some(1), value)
        .filter(|step| *step != 0)?;
    u64::try_from(((value(to)? - value(from)?) + step) / step).ok()
}

struct Places<'a> {
    analysis: &'a Analysis,
    outline: Outline,
}

/// What a list of statements executes in order: a call made once, and how many of the list's executions do not get to it.
type Found = Option<(StatementId, u64)>;

impl Places<'_> {
    fn calls(
        &self,
        test: StatementId,
        replacement: Replacement,
    ) -> Result<LoopCalls, &'static str> {
        let kind = self.kind(test);
        if matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. }) {
            return self.of_loop(test, None);
        }
        let parent = self.outline.parent[test.0 as usize];
        let around = parent.filter(|&above| {
            matches!(
                self.kind(above),
                StatementKind::Do { .. } | StatementKind::While { .. }
            )
        });
        let ends_more = |around| {
            subtree(&self.analysis.program, test)
                .iter()
                .any(|&id| self.leaves(id, around))
        };
        match (self.target_back(test, replacement), around) {
            (None, Some(around)) if ends_more(around) => {
                Err("its test may leave more than the loop around it")
            }
            (Some(label), _) => self.of_jump(test, label),
            (None, Some(around)) => self.of_loop(around, Some(test)),
            (None, None) => Err("its test is not made in each iteration"),
        }
    }

    fn kind(&self, id: StatementId) -> &StatementKind {
        &self.analysis.program.statement(id).kind
    }

    fn is_loop(&self, id: StatementId) -> bool {
        matches!(
            self.kind(id),
            StatementKind::Do { .. } | StatementKind::While { .. }
        )
    }

    /// Whether control gets from elsewhere to what stands here at most once.
    fn is_reached_once(&self, here: StatementId, seen: &mut BTreeSet<ProcedureId>) -> bool {
        let procedure = self.analysis.program.statement(here).procedure;
        if self
            .outline
            .ancestors(here)
            .any(|above| self.is_loop(above))
            || self.is_jumped_over(here)
        {
            return false;
        }
        let mut caller = || {
            self.only_caller(procedure)
                .filter(|_| seen.insert(procedure))
        };
        self.analysis.program.main == Some(procedure)
            || caller().is_some_and(|caller| self.is_reached_once(caller, seen))
    }

    /// Whether a jump leads back, other than inside or from what stands here; or nobody can tell.
    fn is_jumped_over(&self, here: StatementId) -> bool {
        let procedure = self.analysis.program.statement(here).procedure;
        let own = self.outline.of_procedure(procedure);
        let is_back = |(at, &from): (usize, &StatementId)| {
            let labels = self.kind(from).jump_labels();
            let is_target = |id| {
                self.analysis
                    .program
                    .statement(id)
                    .label
                    .is_some_and(|label| labels.contains(&label))
            };
            let is_outside = |id| !self.outline.is_within(id, here) && !self.repeats(here, from);
            own[..=at].iter().any(|&to| is_target(to) && is_outside(to))
        };
        self.analysis.program.procedure(procedure).is_whole || own.iter().enumerate().any(is_back)
    }

    /// Whether a jump from here makes the repetition that a test is, which is no loop.
    fn repeats(&self, test: StatementId, from: StatementId) -> bool {
        !self.is_loop(test) && self.outline.is_within(from, test)
    }

    /// A loop, and the test in its body that ends it.
    fn of_loop(
        &self,
        id: StatementId,
        test: Option<StatementId>,
    ) -> Result<LoopCalls, &'static str> {
        let body = self.kind(id).bodies().concat();
        let (iteration, without) = self
            .once(&body, test, &mut BTreeSet::new())
            .ok_or("no iteration of it makes an MPI call exactly once")?;
        let rest = body
            .iter()
            .position(|&one| Some(one) == test)
            .map_or(&[][..], |at| &body[at + 1..]);
        let behind = self
            .once(rest, None, &mut BTreeSet::new())
            .map(|(call, _)| call);
        Ok(LoopCalls {
            iteration,
            without,
            behind,
            entry: self.entry(id, id, &mut BTreeSet::new())?,
        })
    }

    /// A repetition from a label to a test that jumps back to it.
    fn of_jump(&self, test: StatementId, label: u32) -> Result<LoopCalls, &'static str> {
        let list = self.list_of(test);
        let at = |id: StatementId| list.iter().position(|&other| other == id);
        let first = list
            .iter()
            .position(|&id| self.analysis.program.statement(id).label == Some(label));
        let (first, last) = first
            .zip(at(test))
            .filter(|(first, last)| first < last)
            .ok_or("it jumps to elsewhere")?;
        let jumps = self.jumps_to(test, label);
        if jumps > 1 {
            return Err("more than one statement jumps back");
        }
        let top = list[first];
        if !self.kind(top).bodies().is_empty() || self.leaves(top, top) {
            return Err("the statement that it jumps back to is not a simple one");
        }
        let found = match self.is_counted(top) {
            true => Some((top, 0)),
            false => self.once(&list[first + 1..last], None, &mut BTreeSet::new()),
        };
        let (iteration, without) =
            found.ok_or("no iteration of it makes an MPI call exactly once")?;
        let entry = self.entry(list[first], test, &mut BTreeSet::new())?;
        Ok(LoopCalls {
            iteration,
            without,
            behind: None,
            entry,
        })
    }

    /// The label that a test jumps back to where the repetition goes on.
    fn target_back(&self, test: StatementId, replacement: Replacement) -> Option<u32> {
        match (self.kind(test), replacement) {
            (
                _,
                Replacement::Turns {
                    stays: SelectionBranch::Label(label),
                    ..
                },
            ) => Some(label),
            (StatementKind::If { branches, .. }, Replacement::Counted { at_last: false, .. }) => {
                let [only] = branches.first()?.1[..] else {
                    return None;
                };
                match self.kind(only) {
                    StatementKind::Goto {
                        labels,
                        selector: None,
                        ..
                    } => labels.first().copied(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Statements of a procedure that jump to a label.
    fn jumps_to(&self, within: StatementId, label: u32) -> usize {
        let procedure = self.analysis.program.statement(within).procedure;
        let own = self.outline.of_procedure(procedure).iter();
        own.filter(|&&id| self.kind(id).jump_labels().contains(&label))
            .count()
    }

    /// The list that a statement stands in.
    fn list_of(&self, id: StatementId) -> Vec<StatementId> {
        let procedure = self.analysis.program.statement(id).procedure;
        let lists = match self.outline.parent[id.0 as usize] {
            Some(above) => self.kind(above).bodies(),
            None => vec![&self.analysis.program.procedure(procedure).body[..]],
        };
        lists
            .into_iter()
            .find(|list| list.contains(&id))
            .unwrap_or_default()
            .to_vec()
    }

    /// A call that is made once whenever this much of a list is executed; `test` alone may end it before.
    fn once(
        &self,
        list: &[StatementId],
        test: Option<StatementId>,
        seen: &mut BTreeSet<ProcedureId>,
    ) -> Found {
        let mut without = 0;
        for &id in list {
            if Some(id) == test {
                without = 1;
                continue;
            }
            if !self.goes_on(id) {
                return None;
            }
            if self.is_counted(id) {
                return Some((id, without));
            }
            if let Some(callee) = self.only_call_of(id).filter(|callee| seen.insert(*callee)) {
                let body = &self.analysis.program.procedure(callee).body;
                if let Some((call, 0)) = self.once(body, None, seen) {
                    return Some((call, without));
                }
            }
        }
        None
    }

    /// What is called once whenever control gets to statement `first`; what is repeated ends with `last`.
    fn entry(
        &self,
        first: StatementId,
        last: StatementId,
        seen: &mut BTreeSet<ProcedureId>,
    ) -> Result<Option<StatementId>, &'static str> {
        let list = self.list_of(first);
        let at = |id: StatementId| {
            list.iter()
                .position(|&other| other == id)
                .unwrap_or_default()
        };
        let (before, behind) = (&list[..at(first)], &list[at(last) + 1..]);
        if !before.iter().all(|&id| self.goes_on(id)) {
            return Err("it may be jumped over");
        }
        let procedure = self.analysis.program.statement(first).procedure;
        let is_outermost = self.outline.parent[first.0 as usize].is_none();
        if is_outermost && self.analysis.program.main == Some(procedure) {
            return Ok(None);
        }
        let leaves = subtree(&self.analysis.program, last)
            .iter()
            .any(|&id| self.leaves(id, last));
        let behind = if leaves { &[] } else { behind };
        for part in [before, behind] {
            if let Some((call, 0)) = self.once(part, None, &mut BTreeSet::new()) {
                return Ok(Some(call));
            }
        }
        let unknown = "no MPI call beside it shows how often it is entered";
        if !is_outermost || !seen.insert(procedure) {
            return Err(unknown);
        }
        let caller = self.only_caller(procedure).ok_or(unknown)?;
        self.entry(caller, caller, seen)
    }

    /// Whether control goes from a statement to the next in its list and nowhere else, and comes from nowhere else.
    fn goes_on(&self, id: StatementId) -> bool {
        let label = self.analysis.program.statement(id).label;
        let is_target = label.is_some_and(|label| self.jumps_to(id, label) > 0);
        !is_target
            && !subtree(&self.analysis.program, id)
                .iter()
                .any(|&inner| self.leaves(inner, id))
    }

    /// Whether a statement may leave the one around it other than by its end; the run may end.
    fn leaves(&self, id: StatementId, around: StatementId) -> bool {
        let kind = self.kind(id);
        self.outline.leaves(kind, around)
            || !kind.jump_labels().is_empty()
            || kind.has_alternate_return()
    }

    /// Whether a statement is a call of MPI that recordings tell apart from all others by its lines.
    fn is_counted(&self, id: StatementId) -> bool {
        let mut own = self
            .analysis
            .sites
            .iter()
            .filter(|site| site.statement == id);
        let (Some(site), None) = (own.next(), own.next()) else {
            return false;
        };
        let line = |site: &SitePlace| {
            let span = self.analysis.source_map.statement(site.statement).whole;
            let place = self.analysis.source_map.place(span.file, span.start);
            (place.file, place.line)
        };
        let is_alone = self
            .analysis
            .sites
            .iter()
            .filter(|other| line(other) == line(site))
            .count()
            == 1;
        // Polls that find nothing are not recorded one by one.
        let polls = ["MPI_Test", "MPI_Iprobe", "MPI_Improbe"]
            .iter()
            .any(|name| site.function.name.starts_with(name));
        is_alone
            && !polls
            && site.function.kind.is_recorded()
            && matches!(self.kind(id), StatementKind::Call { .. })
    }

    /// The procedure that a CALL calls, if nobody else does.
    fn only_call_of(&self, id: StatementId) -> Option<ProcedureId> {
        let StatementKind::Call {
            callee: Callee::Procedure(callee),
            ..
        } = self.kind(id)
        else {
            return None;
        };
        (self.only_caller(*callee) == Some(id)).then_some(*callee)
    }

    /// The only CALL of a procedure.
    fn only_caller(&self, procedure: ProcedureId) -> Option<StatementId> {
        if self.analysis.program.procedure(procedure).is_whole {
            return None;
        }
        let calls = |&id: &StatementId| {
            let found = crate::graphs::call_graph::calls(self.kind(id));
            found.iter().any(|call| may_call(call.callee, procedure))
        };
        let mut callers = self.outline.all().filter(calls);
        let first = callers.next().filter(|_| callers.next().is_none());
        first.filter(|&id| {
            matches!(
                self.kind(id),
                StatementKind::Call {
                    callee: Callee::Procedure(_),
                    ..
                }
            )
        })
    }
}

fn may_call(callee: &Callee, procedure: ProcedureId) -> bool {
    match callee {
        Callee::Procedure(called) => *called == procedure,
        Callee::OneOf(all) => all.contains(&procedure),
        Callee::Variable(_) => true,
        Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::Intrinsic(_) | Callee::External(_) => {
            false
        }
    }
}
