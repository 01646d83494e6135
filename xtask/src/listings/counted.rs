//! Random programs of `cli/tests/computing`, which test predicted computation. The modules are those of the test.

// By path, since no package can depend on the tests of another.
#[path = "../../../cli/tests/computing/counts.rs"]
mod counts;
#[path = "../../../cli/tests/computing/programs.rs"]
mod programs;
#[path = "../../../cli/tests/computing/statements.rs"]
mod statements;
#[path = "../../../cli/tests/computing/trial.rs"]
mod trial;

use super::sliced::{program_tree, rng};
use std::path::PathBuf;

/// The command that predicts and counts; the included modules call this function of their parent.
fn mpiete() -> PathBuf {
    crate::mpiete()
}

/// The program of a seed, and whether its computation is predicted.
pub(super) fn listing(seed: u64) -> String {
    let program = programs::program(seed);
    let outcome = trial::trial_of(&program);
    let ranks = program.ranks;
    format!(
        "seed {seed}, {ranks} ranks: {outcome:?}\n{}",
        program.text()
    )
}
