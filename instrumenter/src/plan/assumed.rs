//! Assumptions in the program probe and the reference probe: the conditions that are replaced, those
//! that are watched, and the entries of repetitions with an assumed number of iterations.

use super::{Insertion, InsertionPoint, Probe, ProbePlan, Watched};
use frontend::analysis::{Analysis, Replacement, Substitution, UPPER_BOUND};
use frontend::ir::{StatementId, StatementKind};

/// Adds to the program probe what stands in place of conditions and bounds.
pub(super) fn substitute(analysis: &Analysis, plan: &mut ProbePlan) {
    for (number, substitution) in numbered(analysis) {
        if let Replacement::Constant(_) = substitution.replacement {
            count_left(analysis, number, substitution, plan);
        }
        if !analysis.slice.kept[substitution.statement.0 as usize] {
            continue;
        }
        plan.substituted.push((number, substitution));
        if substitution.is_asked {
            plan.declared
                .push((procedure(analysis, substitution), "mpiete_assumed_value"));
        }
        match substitution.replacement {
            Replacement::Constant(_) | Replacement::Bound(_) | Replacement::Goes(_) => continue,
            Replacement::Conjunct(part) => {
                if part.is_counted {
                    count(analysis, number, substitution, plan);
                }
                continue;
            }
            Replacement::Counted { .. } | Replacement::Turns { .. } => {}
            Replacement::LeftAfter(trips) => {
                // The test at the beginning of the body is evaluated once more than the loop makes iterations.
                plan.insertions
                    .push(at_body(substitution, Probe::Leave(number, trips + 1)));
            }
        }
        plan.insertions
            .extend(entry(analysis, number, substitution.statement));
        plan.declared
            .push((procedure(analysis, substitution), "mpiete_trip"));
    }
}

/// Counts the iterations of a repetition that the count conjunct of its condition ends.
fn count(analysis: &Analysis, number: u32, substitution: Substitution, plan: &mut ProbePlan) {
    match is_loop(analysis, substitution) {
        true => {
            let probe = Probe::EnterLoop(number);
            plan.insertions.push(Insertion {
                statement: substitution.statement,
                place: InsertionPoint::Before,
                probe,
            });
            plan.insertions
                .push(at_body(substitution, Probe::Iteration(number)));
        }
        false => {
            plan.insertions
                .extend(entry(analysis, number, substitution.statement));
            plan.declared
                .push((procedure(analysis, substitution), "mpiete_condition"));
        }
    }
}

/// Counts the iterations of the loop that a test would leave which is assumed not to.
fn count_left(analysis: &Analysis, number: u32, substitution: Substitution, plan: &mut ProbePlan) {
    let (_, assumption) = &analysis.slice.assumptions[number as usize];
    let around = loops_around(analysis, substitution.statement);
    // Only an EXIT of the innermost loop: then each iteration of that loop evaluates the test once at most.
    let left = match loop_exits(analysis, substitution.statement)[..] {
        [LoopExit::Of(of)] => around.first().filter(|&&innermost| innermost == of),
        _ => None,
    };
    let is_pure = analysis
        .program
        .procedure(procedure(analysis, substitution))
        .is_pure;
    let Some(&statement) = left.filter(|_| assumption.reason.ends_with(UPPER_BOUND) && !is_pure)
    else {
        return;
    };
    if analysis.slice.kept[statement.0 as usize] {
        let at = |place, probe| Insertion {
            statement,
            place,
            probe,
        };
        // In front of the probe that skips an invariant iteration: skipped iterations count, too.
        let probes = [
            at(InsertionPoint::Before, Probe::EnterLoop(number)),
            at(InsertionPoint::BodyStart, Probe::Iteration(number)),
        ];
        plan.insertions.splice(0..0, probes);
    }
}

fn is_loop(analysis: &Analysis, substitution: Substitution) -> bool {
    let kind = &analysis.program.statement(substitution.statement).kind;
    matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. })
}

/// Adds probes that report the values of conditions and bounds to the reference probe.
pub(super) fn watch(analysis: &Analysis, plan: &mut ProbePlan) {
    for (number, substitution) in numbered(analysis) {
        let owner = procedure(analysis, substitution);
        // Fortran lets a pure procedure call pure procedures only, which the runtime's functions are not.
        if analysis.program.procedure(owner).is_pure {
            continue;
        }
        if is_loop(analysis, substitution) {
            plan.insertions
                .push(at_body(substitution, Probe::Iteration(number)));
            let conjunct = matches!(substitution.replacement, Replacement::Conjunct(_));
            let probe = if conjunct {
                Probe::Enter(number)
            } else {
                Probe::EnterLoop(number)
            };
            plan.insertions.push(Insertion {
                statement: substitution.statement,
                place: InsertionPoint::Before,
                probe,
            });
            if conjunct {
                plan.watched.push(Watched {
                    number,
                    substitution,
                    ends_when: false,
                });
                plan.declared.push((owner, "mpiete_exit_condition"));
            }
            continue;
        }
        if let Replacement::Constant(_)
        | Replacement::Conjunct(_)
        | Replacement::Counted { .. }
        | Replacement::Goes(_)
        | Replacement::Turns { .. } = substitution.replacement
        {
            plan.insertions
                .extend(entry(analysis, number, substitution.statement));
        }
        let kind = &analysis.program.statement(substitution.statement).kind;
        if let StatementKind::Select { cases, .. } = kind {
            plan.insertions
                .extend(watch_cases(number, substitution, cases.len()));
            continue;
        }
        let ends_when = match substitution.replacement {
            Replacement::Constant(_) | Replacement::Goes(_) | Replacement::Turns { .. } => true,
            Replacement::Counted { at_last, .. } => at_last,
            Replacement::Conjunct(part) => !part.goes_on,
            Replacement::Bound(_) | Replacement::LeftAfter(_) => continue,
        };
        plan.watched.push(Watched {
            number,
            substitution,
            ends_when,
        });
        let function = match kind {
            StatementKind::Goto {
                falls_through: true,
                ..
            } => "mpiete_jump",
            StatementKind::Goto { .. } => "mpiete_sign",
            _ => "mpiete_condition",
        };
        plan.declared.push((owner, function));
    }
}

/// Reports each evaluation of a SELECT CASE, and each execution of the assumed case; of every case if the
/// assumption names none.
fn watch_cases(number: u32, substitution: Substitution, cases: usize) -> Vec<Insertion> {
    let assumed_cases = match substitution.clause {
        0 => 1..=cases,
        clause => clause..=clause,
    };
    let mut insertions = vec![Insertion {
        statement: substitution.statement,
        place: InsertionPoint::Before,
        probe: Probe::Assumption(number),
    }];
    for case in assumed_cases {
        insertions.push(Insertion {
            statement: substitution.statement,
            place: InsertionPoint::CaseStart(case),
            probe: Probe::BranchTaken(number),
        });
    }
    insertions
}

fn numbered(analysis: &Analysis) -> impl Iterator<Item = (u32, Substitution)> + '_ {
    (0..).zip(analysis.slice.substitutions.iter().copied())
}

fn procedure(analysis: &Analysis, substitution: Substitution) -> frontend::ir::ProcedureId {
    analysis.program.statement(substitution.statement).procedure
}

fn at_body(substitution: Substitution, probe: Probe) -> Insertion {
    Insertion {
        statement: substitution.statement,
        place: InsertionPoint::BodyStart,
        probe,
    }
}

/// Before the loop that a condition ends: the one that it leaves, or the nearest one around it.
fn entry(analysis: &Analysis, number: u32, statement: StatementId) -> Option<Insertion> {
    let around = loops_around(analysis, statement);
    // Positions in `around` of the outermost loop that each exit leaves.
    let mut left = Vec::new();
    for exit in loop_exits(analysis, statement) {
        left.extend(match exit {
            LoopExit::Of(of) => around.iter().position(|&id| id == of),
            LoopExit::OfAll => around.len().checked_sub(1),
            LoopExit::To(target) => {
                let loops_of_target = loops_around(analysis, target);
                // A jump to a DO statement leaves its loop, which starts again.
                let is_left = |&&id: &&StatementId| id == target || !loops_of_target.contains(&id);
                around.iter().take_while(is_left).count().checked_sub(1)
            }
        });
    }
    let outermost = left.into_iter().max().unwrap_or_default();
    let statement = *around.get(outermost)?;
    Some(Insertion {
        statement,
        place: InsertionPoint::Before,
        probe: Probe::Enter(number),
    })
}

/// The loops around a statement, innermost first.
fn loops_around(analysis: &Analysis, statement: StatementId) -> Vec<StatementId> {
    let mut loops = Vec::new();
    let mut current = Some(statement);
    // The statement itself may be a loop, which then is the innermost.
    while let Some(id) = current {
        let kind = &analysis.program.statement(id).kind;
        if matches!(kind, StatementKind::Do { .. } | StatementKind::While { .. }) {
            loops.push(id);
        }
        current = enclosing(analysis, id);
    }
    loops
}

/// The statement whose body contains another directly.
fn enclosing(analysis: &Analysis, inner: StatementId) -> Option<StatementId> {
    for outer in (0..analysis.program.statements.len() as u32).map(StatementId) {
        for body in analysis.program.statement(outer).kind.bodies() {
            if body.contains(&inner) {
                return Some(outer);
            }
        }
    }
    None
}

/// A way out of loops.
enum LoopExit {
    Of(StatementId),
    OfAll,
    /// Of those that this statement is not in.
    To(StatementId),
}

/// Where EXIT, RETURN and GOTO lead in the branches of a condition.
fn loop_exits(analysis: &Analysis, statement: StatementId) -> Vec<LoopExit> {
    let kind = &analysis.program.statement(statement).kind;
    match kind {
        StatementKind::Exit(of) => vec![LoopExit::Of(*of)],
        StatementKind::Return => vec![LoopExit::OfAll],
        StatementKind::Goto { labels, .. } => labels
            .iter()
            .filter_map(|&label| labelled(analysis, statement, label))
            .map(LoopExit::To)
            .collect(),
        StatementKind::If { .. } | StatementKind::Select { .. } => kind
            .bodies()
            .into_iter()
            .flatten()
            .flat_map(|&inner| loop_exits(analysis, inner))
            .collect(),
        StatementKind::Assign { .. }
        | StatementKind::Call { .. }
        | StatementKind::Do { .. }
        | StatementKind::While { .. }
        | StatementKind::Scoped { .. }
        | StatementKind::PointerAssignment { .. }
        | StatementKind::Entry
        | StatementKind::Cycle(_)
        | StatementKind::Stop
        | StatementKind::Continue
        | StatementKind::InputOutput(_)
        | StatementKind::Allocate { .. }
        | StatementKind::Deallocate { .. }
        | StatementKind::Opaque { .. } => vec![],
    }
}

/// The statement of the same procedure that has a label.
fn labelled(analysis: &Analysis, statement: StatementId, label: u32) -> Option<StatementId> {
    let program = &analysis.program;
    let procedure = program.statement(statement).procedure;
    for id in (0..program.statements.len() as u32).map(StatementId) {
        let candidate = program.statement(id);
        // A label identifies a statement within its procedure only.
        if candidate.procedure == procedure && candidate.label == Some(label) {
            return Some(id);
        }
    }
    None
}
