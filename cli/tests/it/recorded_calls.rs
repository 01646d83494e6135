//! Whatever function a program calls, what is recorded of it can be estimated: the programs in C of the
//! folder `conformance` of the token runtime call every function that runs.

use crate::command::{answer, done, root};
use base_data::mpi::functions::FUNCTIONS;
use base_data::mpi::{FunctionKind, Support};
use base_data::program_data::{Call, CollectiveKind, Counts, Op, Operand, Peer, ProgramData};
use estimator::{Inputs, Options, check_matching, estimate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> Vec<PathBuf> {
    let folder = root().join("token-runtime/tests/it/conformance");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    // Runs that are aborted leave nothing; recordings have no form for cancelled transfers and for sessions.
    let without_form = ["bind_abort", "beyond_cancel", "beyond_sessions"];
    let has_no_form = |path: &PathBuf| {
        without_form
            .iter()
            .any(|name| path.file_stem().unwrap() == *name)
    };
    programs.retain(|path| !has_no_form(path));
    programs.sort();
    programs
}

/// What a program leaves on four ranks; compiled against our MPI, which a study has brought here.
fn recorded(here: &Path, source: &Path) -> ProgramData {
    let mut compiler = Command::new("gcc");
    compiler
        .current_dir(here)
        .args(["-w", "-Istudy/include", "-o", "calls"])
        .arg(source);
    let compiled = answer(compiler.args(["-Lstudy/lib", "-lmpi"]));
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    // With an argument nothing is cancelled or truncated.
    done(
        here,
        &[
            "record",
            "-n",
            "4",
            "-o",
            "calls.mpiete",
            "--",
            "./calls",
            "plain",
        ],
    );
    base_data::format::decode(&std::fs::read(here.join("calls.mpiete")).unwrap()).unwrap()
}

/// Whether data go from one rank to another.
fn communicates(data: &ProgramData) -> bool {
    let of_entry = |op: &Op| match op {
        Op::Call { call, .. } => match call {
            Call::Send { transfer, .. } => transfer.peer != Peer::Null,
            Call::SendReceive { .. } | Call::MakeCommunicator { .. } => true,
            // MPI libraries return at once from a collective without elements.
            Call::Collective { kind, counts, .. } => {
                *kind == CollectiveKind::Barrier || *counts != Counts::Same(Operand::Constant(0))
            }
            _ => false,
        },
        Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => false,
    };
    data.classes
        .iter()
        .flat_map(|class| &class.stream)
        .any(of_entry)
}

/// Functions whose calls leave entries. A persistent collective leaves them where it is started.
fn leave_entries() -> BTreeSet<&'static str> {
    let is_collective = |name: &str| {
        name.ends_with("_init") && !name.ends_with("end_init") && name != "MPI_Recv_init"
    };
    let functions = FUNCTIONS
        .iter()
        .filter(|function| function.support == Support::Full);
    let recorded = functions
        .filter(|function| function.kind.is_recorded() && function.kind != FunctionKind::Abort);
    recorded
        .map(|function| function.name)
        .filter(|name| !is_collective(name))
        .collect()
}

#[test]
fn every_function_is_recorded_and_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ring = root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    done(here, &["prepare", &ring, "-o", "study"]);
    let platform = machine::platforms::load("fast-ethernet").unwrap();
    let mut missing = leave_entries();
    for source in programs() {
        let program = recorded(here, &source);
        let name = source.display();
        assert_eq!(check_matching(&program), [], "{name}");
        let inputs = Inputs {
            program: &program,
            compute: &[],
        };
        let found = estimate(&inputs, &platform, &Options::default());
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        let takes_time = found.per_rank.iter().all(|rank| rank.end > rank.begin);
        assert_eq!(takes_time, communicates(&program), "{name}");
        missing.retain(|name| {
            program
                .table
                .call_sites
                .iter()
                .all(|site| site.function != *name)
        });
    }
    assert_eq!(
        missing,
        BTreeSet::new(),
        "what is called, but leaves nothing in a recording"
    );
}
