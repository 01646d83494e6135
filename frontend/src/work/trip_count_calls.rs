//! MPI calls that count loop iterations: a call that each iteration makes once, and a call that is made once whenever the
//! loop is entered. A recording of the original program contains calls but no loops; with these calls it yields trip
//! counts. How often the calls were made is evaluated elsewhere.

use crate::ir::analysis::{Analysis, Replacement, SelectionBranch, SitePlace};
use crate::ir::constant_values::constant;
use crate::ir::statement_tree::{Outline, subtree};
use crate::ir::{Callee, ProcedureId, StatementId, StatementKind};
use crate::source::FileId;
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
    let places = CountingCallFinder {
        analysis,
        outline: Outline::of(&analysis.program),
    };
    places.calls(substitution.statement, substitution.replacement)
}

/// Whether the loop that the assumption of this number is about is entered at most once in a run: it is in no other loop, no
/// jump leads back over it, and the same holds for the only call that leads to it.
pub fn is_entered_once(analysis: &Analysis, number: usize) -> bool {
    let places = CountingCallFinder {
        analysis,
        outline: Outline::of(&analysis.program),
    };
    let test = analysis.slice.substitutions[number].statement;
    let mut around = std::iter::once(test).chain(places.outline.ancestors(test));
    let repeat = around.find(|&id| places.is_loop(id)).unwrap_or(test);
    places.is_reached_once(repeat, &mut BTreeSet::new())
}

/// The trip count of the counted loop around the test of this number if the test does not end it, if it is constant.
pub fn other_bound(analysis: &Analysis, number: usize) -> Option<u64> {
    let program = &analysis.program;
    let test = analysis.slice.substitutions[number].statement;
    let around = Outline::of(program).parent[test.0 as usize]?;
    let StatementKind::Do { from, to, step, .. } = &program.statement(around).kind else {
        return None;
    };
    let step = match step {
        Some(step) => constant(program, step)?,
        None => 1,
    };
    // The standard forbids it, and the formula divides by it (F2018, 11.1.7.4.1).
    if step == 0 {
        return None;
    }
    let distance = constant(program, to)? - constant(program, from)?;
    u64::try_from((distance + step) / step).ok()
}

/// Searches for calls that count iterations.
struct CountingCallFinder<'a> {
    analysis: &'a Analysis,
    outline: Outline,
}

/// A call that each execution of a statement list makes once, and the number of executions that end before it.
type CountingCall = Option<(StatementId, u64)>;

impl CountingCallFinder<'_> {
    fn calls(
        &self,
        test: StatementId,
        replacement: Replacement,
    ) -> Result<LoopCalls, &'static str> {
        if self.is_loop(test) {
            return self.of_loop(test, None);
        }
        // Before the loop around it: a jump back repeats less than that loop.
        if let Some(label) = self.target_back(test, replacement) {
            return self.of_jump(test, label);
        }
        let Some(around) = self.outline.parent[test.0 as usize] else {
            return Err("its test is not made in each iteration");
        };
        if !self.is_loop(around) {
            return Err("its test is not made in each iteration");
        }
        for id in subtree(&self.analysis.program, test) {
            if self.leaves(id, around) {
                return Err("its test may leave more than the loop around it");
            }
        }
        self.of_loop(around, Some(test))
    }

    fn kind(&self, id: StatementId) -> &StatementKind {
        &self.analysis.program.statement(id).kind
    }

    fn is_loop(&self, id: StatementId) -> bool {
        self.kind(id).is_loop()
    }

    /// Whether control reaches a statement from elsewhere at most once.
    fn is_reached_once(&self, here: StatementId, seen: &mut BTreeSet<ProcedureId>) -> bool {
        let procedure = self.analysis.program.statement(here).procedure;
        for above in self.outline.ancestors(here) {
            if self.is_loop(above) {
                return false;
            }
        }
        if self.is_jumped_over(here) {
            return false;
        }
        if self.analysis.program.main == Some(procedure) {
            return true;
        }
        match self.only_caller(procedure) {
            // A recursive procedure is never proven to be called once.
            Some(caller) if seen.insert(procedure) => self.is_reached_once(caller, seen),
            _ => false,
        }
    }

    /// Whether a jump may lead back over a statement, other than in it or in the repetition that it ends.
    fn is_jumped_over(&self, here: StatementId) -> bool {
        let program = &self.analysis.program;
        let procedure = program.statement(here).procedure;
        if program.procedure(procedure).is_whole {
            return true;
        }
        let own = self.outline.of_procedure(procedure);
        for (at, &from) in own.iter().enumerate() {
            let labels = self.kind(from).jump_labels();
            if labels.is_empty() || self.repeats(here, from) {
                continue;
            }
            // Statements up to the jump are those behind which it leads back.
            for &to in &own[..=at] {
                let Some(label) = program.statement(to).label else {
                    continue;
                };
                if labels.contains(&label) && !self.outline.is_within(to, here) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a jump is part of the test of a repetition that is not a loop construct.
    fn repeats(&self, test: StatementId, from: StatementId) -> bool {
        !self.is_loop(test) && self.outline.is_within(from, test)
    }

    /// The calls of a loop, with the test in its body that ends it.
    fn of_loop(
        &self,
        id: StatementId,
        test: Option<StatementId>,
    ) -> Result<LoopCalls, &'static str> {
        let body = self.kind(id).bodies().concat();
        let (iteration, without) = self
            .once(&body, test, &mut BTreeSet::new())
            .ok_or("no iteration of it makes an MPI call exactly once")?;
        let mut behind_test: &[StatementId] = &[];
        if let Some(at) = body.iter().position(|&one| Some(one) == test) {
            behind_test = &body[at + 1..];
        }
        let behind = self.once(behind_test, None, &mut BTreeSet::new());
        Ok(LoopCalls {
            iteration,
            without,
            behind: behind.map(|(call, _)| call),
            entry: self.entry(id, id, &mut BTreeSet::new())?,
        })
    }

    /// The calls of a repetition from a label to a test that jumps back to it.
    fn of_jump(&self, test: StatementId, label: u32) -> Result<LoopCalls, &'static str> {
        let program = &self.analysis.program;
        let list = self.list_of(test);
        let first = list
            .iter()
            .position(|&id| program.statement(id).label == Some(label));
        let last = list.iter().position(|&id| id == test);
        let (Some(first), Some(last)) = (first, last) else {
            return Err("it jumps to elsewhere");
        };
        if first >= last {
            return Err("it jumps to elsewhere");
        }
        // Iterations by another jump would not pass the test.
        if self.jumps_to(test, label) > 1 {
            return Err("more than one statement jumps back");
        }
        let top = list[first];
        if !self.kind(top).bodies().is_empty() || self.leaves(top, top) {
            return Err("the statement that it jumps back to is not a simple one");
        }
        let found = if self.is_counted(top) {
            Some((top, 0))
        } else {
            self.once(&list[first + 1..last], None, &mut BTreeSet::new())
        };
        let (iteration, without) =
            found.ok_or("no iteration of it makes an MPI call exactly once")?;
        Ok(LoopCalls {
            iteration,
            without,
            behind: None,
            entry: self.entry(top, test, &mut BTreeSet::new())?,
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

    /// The number of statements of a procedure that jump to a label.
    fn jumps_to(&self, within: StatementId, label: u32) -> usize {
        let procedure = self.analysis.program.statement(within).procedure;
        let mut jumps = 0;
        for &id in self.outline.of_procedure(procedure) {
            jumps += usize::from(self.kind(id).jump_labels().contains(&label));
        }
        jumps
    }

    /// The list of statements that contains a statement.
    fn list_of(&self, id: StatementId) -> Vec<StatementId> {
        let procedure = self.analysis.program.statement(id).procedure;
        let lists = match self.outline.parent[id.0 as usize] {
            Some(above) => self.kind(above).bodies(),
            None => vec![&self.analysis.program.procedure(procedure).body[..]],
        };
        for list in lists {
            if list.contains(&id) {
                return list.to_vec();
            }
        }
        Vec::new()
    }

    /// A call that each execution of a list makes once; only `test` may end an execution before it.
    fn once(
        &self,
        list: &[StatementId],
        test: Option<StatementId>,
        seen: &mut BTreeSet<ProcedureId>,
    ) -> CountingCall {
        let mut without = 0;
        for &id in list {
            if Some(id) == test {
                without = 1;
                continue;
            }
            // Behind such a statement, some executions of the list do not arrive.
            if !self.goes_on(id) {
                return None;
            }
            if self.is_counted(id) {
                return Some((id, without));
            }
            if let Some(callee) = self.only_call_of(id)
                && seen.insert(callee)
            {
                // No other statement calls the procedure, so its calls count executions of this one.
                let body = &self.analysis.program.procedure(callee).body;
                if let Some((call, 0)) = self.once(body, None, seen) {
                    return Some((call, without));
                }
            }
        }
        None
    }

    /// A call that is made once whenever control reaches `first` from outside; the repetition ends with `last`.
    fn entry(
        &self,
        first: StatementId,
        last: StatementId,
        seen: &mut BTreeSet<ProcedureId>,
    ) -> Result<Option<StatementId>, &'static str> {
        let list = self.list_of(first);
        let position = |id: StatementId| list.iter().position(|&other| other == id);
        let before = &list[..position(first).unwrap_or_default()];
        let mut behind = &list[position(last).unwrap_or_default() + 1..];
        for &id in before {
            if !self.goes_on(id) {
                return Err("it may be jumped over");
            }
        }
        let procedure = self.analysis.program.statement(first).procedure;
        let is_outermost = self.outline.parent[first.0 as usize].is_none();
        // The main program is entered once.
        if is_outermost && self.analysis.program.main == Some(procedure) {
            return Ok(None);
        }
        // Then control need not reach what follows the loop.
        for id in subtree(&self.analysis.program, last) {
            if self.leaves(id, last) {
                behind = &[];
            }
        }
        for part in [before, behind] {
            if let Some((call, 0)) = self.once(part, None, &mut BTreeSet::new()) {
                return Ok(Some(call));
            }
        }
        let unknown = "no MPI call beside it shows how often it is entered";
        if !is_outermost || !seen.insert(procedure) {
            return Err(unknown);
        }
        // The loop is entered whenever its procedure is called.
        let caller = self.only_caller(procedure).ok_or(unknown)?;
        self.entry(caller, caller, seen)
    }

    /// Whether control enters a statement only from the one before it in its list, and leaves it only to the next one.
    fn goes_on(&self, id: StatementId) -> bool {
        if let Some(label) = self.analysis.program.statement(id).label
            && self.jumps_to(id, label) > 0
        {
            return false;
        }
        for inner in subtree(&self.analysis.program, id) {
            if self.leaves(inner, id) {
                return false;
            }
        }
        true
    }

    /// Whether a statement may leave the one around it other than at its end; that the run ends does not count.
    fn leaves(&self, id: StatementId, around: StatementId) -> bool {
        let kind = self.kind(id);
        self.outline.leaves(kind, around)
            || !kind.jump_labels().is_empty()
            || kind.has_alternate_return()
    }

    /// Whether a statement is an MPI call that recordings distinguish from all others by its line.
    fn is_counted(&self, id: StatementId) -> bool {
        if !matches!(self.kind(id), StatementKind::Call { .. }) {
            return false;
        }
        let mut own = self.analysis.sites.iter();
        let Some(site) = own.find(|site| site.statement == id) else {
            return false;
        };
        // This includes a second site of the same statement.
        let mut on_line = 0;
        for other in &self.analysis.sites {
            on_line += usize::from(self.line(other) == self.line(site));
        }
        // Polls that find nothing are not recorded one by one.
        let mut polls = ["MPI_Test", "MPI_Iprobe", "MPI_Improbe"].iter();
        on_line == 1
            && site.function.kind.is_recorded()
            && !polls.any(|name| site.function.name.starts_with(name))
    }

    /// The file and line of a call site.
    fn line(&self, site: &SitePlace) -> (FileId, u32) {
        let map = &self.analysis.source_map;
        let span = map.statement(site.statement).whole;
        let place = map.place(span.file, span.start);
        (place.file, place.line)
    }

    /// The procedure that a CALL calls, if no other statement does.
    fn only_call_of(&self, id: StatementId) -> Option<ProcedureId> {
        let StatementKind::Call {
            callee: Callee::Procedure(callee),
            ..
        } = self.kind(id)
        else {
            return None;
        };
        if self.only_caller(*callee) == Some(id) {
            Some(*callee)
        } else {
            None
        }
    }

    /// The only statement that may call a procedure, if it is a CALL.
    fn only_caller(&self, procedure: ProcedureId) -> Option<StatementId> {
        if self.analysis.program.procedure(procedure).is_whole {
            return None;
        }
        let mut only = None;
        for id in self.outline.all() {
            let calls = crate::graphs::call_graph::calls(self.kind(id));
            if calls.iter().any(|call| may_call(call.callee, procedure)) {
                if only.is_some() {
                    return None;
                }
                only = Some(id);
            }
        }
        let id = only?;
        match self.kind(id) {
            StatementKind::Call {
                callee: Callee::Procedure(_),
                ..
            } => Some(id),
            _ => None,
        }
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
