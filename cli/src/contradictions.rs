//! Assumptions against what the unsliced program did: an assumption that does not hold is an error with
//! both sides; where a run under assumptions fails, they are named. Equality of streams is another check.

use crate::failure::{Differs, ProgramFailed};
use crate::study::Study;
use crate::{trips, view};
use anyhow::Result;
use base_data::block_table::SourceSpan;
use base_data::program_data::{AssumedOutcome, Assumption, AssumptionOrigin};
use base_data::rank_recording::ConditionCount;
use frontend::analysis::{Replacement, Slice};

/// Refuses the study if a condition turned out otherwise than assumed on some rank.
pub fn refuse(study: &Study, slice: &Slice, ranks: &[Vec<ConditionCount>]) -> Result<()> {
    let assumptions = study.assumptions.iter().zip(&slice.substitutions).enumerate();
    let contradictions = assumptions.filter_map(|(number, (assumption, substitution))| {
        let of_rank = |(rank, counts): (usize, &Vec<ConditionCount>)| {
            let count = counts.iter().find(|count| count.assumption as usize == number)?;
            Some((rank, happened(assumption.outcome, substitution.replacement, count)?))
        };
        let (rank, happened) = ranks.iter().enumerate().find_map(of_rank)?;
        Some(sentence(study, assumption, rank, &happened))
    });
    let all: Vec<String> = contradictions.collect();
    if all.is_empty() { Ok(()) } else { Err(Differs(all.join("\n")).into()) }
}

/// A failure of the program, with what was proposed to it and may have led there: no error exit of the user's own
/// tells that a loop ran longer than it does.
pub fn suspected(error: anyhow::Error, study: &Study) -> anyhow::Error {
    let proposed = study.assumptions.iter().filter(|one| one.origin == AssumptionOrigin::Proposed);
    let suspects: Vec<String> = proposed.map(|one| suspect(study, one)).collect();
    match error.downcast_ref::<ProgramFailed>() {
        Some(failed) if !suspects.is_empty() => {
            let said = "this was assumed, which nobody confirmed, and may be why:";
            ProgramFailed(format!("{failed}\n{said}\n{}", suspects.join("\n"))).into()
        }
        Some(_) | None => error,
    }
}

fn suspect(study: &Study, assumption: &Assumption) -> String {
    let place =
        study.table.place(&SourceSpan { last_line: assumption.span.first_line, ..assumption.span.clone() });
    let assumed = view::assumptions::outcome(assumption.outcome);
    let repeats = matches!(assumption.outcome, AssumedOutcome::Trips(_))
        || view::assumptions::is_upper_bound(assumption);
    let instead = if repeats { "trips=N" } else { "taken" };
    format!("{place}: {assumed}; if it is not so: --assume {place}={instead}")
}

fn sentence(study: &Study, assumption: &Assumption, rank: usize, happened: &Happened) -> String {
    let span = SourceSpan { last_line: assumption.span.first_line, ..assumption.span.clone() };
    let place = study.table.place(&span);
    let assumed = view::assumptions::outcome(assumption.outcome);
    let remedy = match happened.instead {
        Some(outcome) => format!("; assume what happens with --assume {place}={}", spelled(outcome)),
        None => String::new(),
    };
    format!("{place}: assumed was that {assumed}, but on rank {rank} {}{remedy}", happened.sentence)
}

fn spelled(outcome: AssumedOutcome) -> String {
    match outcome {
        AssumedOutcome::Taken => "taken".into(),
        AssumedOutcome::NotTaken => "not-taken".into(),
        AssumedOutcome::Trips(trips) => format!("trips={trips}"),
        AssumedOutcome::Label(label) => format!("goto={label}"),
    }
}

/// What became of a condition.
struct Happened {
    sentence: String,
    /// What could be assumed so that it holds.
    instead: Option<AssumedOutcome>,
}

/// What became of a condition that contradicts what was assumed.
fn happened(assumed: AssumedOutcome, replacement: Replacement, count: &ConditionCount) -> Option<Happened> {
    let always = (count.held == count.evaluations).then(|| trips::always(replacement)).flatten();
    let repeated = count.ended.filter(|(least, most)| least == most);
    let repeated = repeated.map(|(trips, _)| AssumedOutcome::Trips(trips));
    let branch = || match count.held {
        0 => "it was never taken".into(),
        held if held == count.evaluations => format!("it was taken each time ({})", times(held)),
        held => format!("it was taken {} of {}", times(held), count.evaluations),
    };
    match assumed {
        AssumedOutcome::Taken if count.held < count.evaluations => {
            let never = (count.held == 0).then_some(AssumedOutcome::NotTaken);
            Some(Happened { sentence: branch(), instead: never })
        }
        AssumedOutcome::Label(_) if count.held < count.evaluations => {
            let (others, all) = (count.evaluations - count.held, count.evaluations);
            let sentence = format!("it went on elsewhere {} of {all}", times(others));
            Some(Happened { sentence, instead: repeated })
        }
        AssumedOutcome::NotTaken if count.held > 0 => {
            Some(Happened { sentence: branch(), instead: always.or(repeated) })
        }
        AssumedOutcome::Trips(trips) => repetitions(trips, count, repeated),
        AssumedOutcome::Taken | AssumedOutcome::NotTaken | AssumedOutcome::Label(_) => None,
    }
}

fn repetitions(trips: u64, count: &ConditionCount, instead: Option<AssumedOutcome>) -> Option<Happened> {
    let sentence = match count.ended {
        Some((least, most)) if least != trips || most != trips => match least == most {
            true => format!("it ran {}", times(least)),
            false => format!("it ran between {least} and {}", times(most)),
        },
        Some(_) | None if count.unended > trips => {
            format!("it ran {} and was then not ended by this condition", times(count.unended))
        }
        Some(_) | None => return None,
    };
    Some(Happened { sentence, instead })
}

/// A number of times in words.
pub fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(assumed: AssumedOutcome, count: ConditionCount, expect: Option<&str>) {
        assert_eq!(
            happened(assumed, Replacement::Constant(true), &count)
                .map(|happened| happened.sentence)
                .as_deref(),
            expect
        );
    }

    #[test]
    fn both_sides_are_compared() {
        let count = |evaluations, held, ended, unended| ConditionCount {
            assumption: 0,
            evaluations,
            held,
            ended,
            unended,
        };
        check(AssumedOutcome::NotTaken, count(9, 0, None, 9), None);
        check(AssumedOutcome::NotTaken, count(9, 1, Some((9, 9)), 0), Some("it was taken once of 9"));
        check(AssumedOutcome::Taken, count(9, 9, None, 0), None);
        check(AssumedOutcome::Taken, count(9, 8, None, 0), Some("it was taken 8 times of 9"));
        check(AssumedOutcome::Trips(4), count(8, 2, Some((4, 4)), 0), None);
        check(AssumedOutcome::Trips(4), count(3, 0, None, 3), None);
        check(AssumedOutcome::Trips(4), count(9, 2, Some((4, 5)), 0), Some("it ran between 4 and 5 times"));
        check(AssumedOutcome::Trips(4), count(1, 1, Some((1, 1)), 0), Some("it ran once"));
        let unended = "it ran 9 times and was then not ended by this condition";
        check(AssumedOutcome::Trips(4), count(9, 0, None, 9), Some(unended));
    }
}
