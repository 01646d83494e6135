//! Random programs of `cli/tests/random`, which test whether slices make the same calls. The modules are those of the test.

// By path, since no package can depend on the tests of another.
#[path = "../../../cli/tests/random/aliasing.rs"]
mod aliasing;
#[path = "../../../cli/tests/random/batch.rs"]
mod batch;
#[path = "../../../cli/tests/random/control_flow.rs"]
mod control_flow;
#[path = "../../../cli/tests/random/convergence_loops.rs"]
mod convergence_loops;
#[path = "../../../cli/tests/random/features.rs"]
mod features;
#[path = "../../../cli/tests/random/group_communication.rs"]
mod group_communication;
#[path = "../../../cli/tests/random/hidden_names.rs"]
mod hidden_names;
#[path = "../../../cli/tests/random/implicit_definitions.rs"]
mod implicit_definitions;
#[path = "../../../cli/tests/random/input_output.rs"]
mod input_output;
#[path = "../../../cli/tests/random/message_completion.rs"]
mod message_completion;
#[path = "../../../cli/tests/random/messages.rs"]
mod messages;
#[path = "../../../cli/tests/random/name_hiding.rs"]
mod name_hiding;
#[path = "../../../cli/tests/random/names.rs"]
mod names;
#[path = "../../../cli/tests/random/program_tree.rs"]
pub(super) mod program_tree;
#[path = "../../../cli/tests/random/rare_features.rs"]
mod rare_features;
#[path = "../../../cli/tests/random/rng.rs"]
pub(super) mod rng;
#[path = "../../../cli/tests/random/rule_witnesses.rs"]
mod rule_witnesses;
#[path = "../../../cli/tests/random/statements.rs"]
mod statements;
#[path = "../../../cli/tests/random/storage.rs"]
mod storage;
#[path = "../../../cli/tests/random/storage_features.rs"]
mod storage_features;
#[path = "../../../cli/tests/random/time_steps.rs"]
mod time_steps;

use std::path::PathBuf;

/// The command whose library the programs are linked with; the included modules call this function of their parent.
fn mpiete() -> PathBuf {
    crate::mpiete()
}

/// The program of a seed, with a mark in front of each line that the slice keeps.
pub(super) fn listing(seed: u64) -> String {
    let program = statements::program(seed);
    match batch::tried(&program) {
        Ok(tried) => format!("seed {seed}\n{}", tried.listing()),
        Err(message) => format!("seed {seed}: {message}\n{}", program.text()),
    }
}
