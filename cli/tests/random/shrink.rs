//! Makes a failing program as small as it gets: pieces are left out as long as it fails.

use super::batch::{Outcome, Tried, outcomes, tried};
use super::program_tree::Program;
use std::time::{Duration, Instant};

/// How long a program is made smaller: a large one that fails in one way of many would take the time of thousands of others.
const LONGEST: Duration = Duration::from_secs(60);

/// The smallest program found that fails as `program` does, and how.
pub fn smallest(program: &Program, said: String) -> (Tried, String) {
    smallest_within(program, said, LONGEST)
}

/// The same of what is found in some time; it ends after the compilation that is then under way.
fn smallest_within(program: &Program, said: String, longest: Duration) -> (Tried, String) {
    let begun = Instant::now();
    let is_over = || begun.elapsed() >= longest;
    let (mut program, mut said) = (program.clone(), said);
    let mut size = program.pieces() / 2;
    while size > 0 && !is_over() {
        match smaller(&program, size, &is_over) {
            Some((smaller, now)) => (program, said) = (smaller, now),
            None => size /= 2,
        }
        size = size.min(program.pieces());
    }
    (tried(&program).expect("it was tried before"), said)
}

/// The first variant without `size` neighbours that fails.
fn smaller(
    program: &Program,
    size: usize,
    is_over: &impl Fn() -> bool,
) -> Option<(Program, String)> {
    let starts = (0..program.pieces()).step_by(size);
    let variants =
        starts.flat_map(|first| [false, true].map(|keep| program.without(first, size, keep)));
    let all: Vec<Program> = variants.collect();
    // Those of one compilation are tried together.
    all.chunks(16)
        .take_while(|_| !is_over())
        .find_map(first_failing)
}

fn first_failing(programs: &[Program]) -> Option<(Program, String)> {
    let all: Vec<(&Program, Tried)> = programs
        .iter()
        .filter_map(|one| Some((one, tried(one).ok()?)))
        .collect();
    let inputs: Vec<Tried> = all.iter().map(|(_, tried)| tried.clone()).collect();
    outcomes(&inputs)
        .into_iter()
        .zip(&all)
        .find_map(|(outcome, (program, _))| match outcome {
            Outcome::Wrong(said) => Some(((*program).clone(), said)),
            Outcome::Equal | Outcome::NotRun(_) => None,
        })
}

#[test]
fn shrinking_stops_at_its_time_limit() {
    let program = super::statements::program(0);
    let (left, said) = smallest_within(&program, "failed".into(), Duration::ZERO);
    assert_eq!((left.text, said), (program.text(), "failed".to_string()));
}
