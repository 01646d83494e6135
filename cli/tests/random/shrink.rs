//! Makes a failing program as small as it gets: pieces are left out as long as it fails.

use crate::batch::{Outcome, Tried, outcomes, tried};
use crate::pieces::Program;

/// The smallest program found that fails as `program` does, and how.
pub fn smallest(program: &Program, said: String) -> (Tried, String) {
    let (mut program, mut said) = (program.clone(), said);
    let mut size = program.pieces() / 2;
    while size > 0 {
        match smaller(&program, size) {
            Some((smaller, now)) => (program, said) = (smaller, now),
            None => size /= 2,
        }
        size = size.min(program.pieces());
    }
    (tried(&program).expect("it was tried before"), said)
}

/// The first variant without `size` neighbours that fails.
fn smaller(program: &Program, size: usize) -> Option<(Program, String)> {
    let starts = (0..program.pieces()).step_by(size);
    let variants = starts.flat_map(|first| [false, true].map(|keep| program.without(first, size, keep)));
    let all: Vec<Program> = variants.collect();
    // Those of one compilation are tried together.
    all.chunks(16).find_map(first_failing)
}

fn first_failing(programs: &[Program]) -> Option<(Program, String)> {
    let all: Vec<(&Program, Tried)> =
        programs.iter().filter_map(|one| Some((one, tried(one).ok()?))).collect();
    let inputs: Vec<Tried> = all.iter().map(|(_, tried)| tried.clone()).collect();
    outcomes(&inputs).into_iter().zip(&all).find_map(|(outcome, (program, _))| match outcome {
        Outcome::Wrong(said) => Some(((*program).clone(), said)),
        Outcome::Equal | Outcome::NotRun(_) => None,
    })
}
