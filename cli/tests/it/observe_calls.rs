//! All calls that are observed, in every binding: C, `use mpi` and `use mpi_f08` leave one stream, and
//! it is what the programs say.

use crate::command::root;
use crate::observe::complete;
use crate::real_mpi::{Mpi, processors};
use base_data::Rank;
use base_data::program_data::{Call, ObservedMatch, Op, ProgramData};
use base_data::program_text;
use base_data::stream::entries;
use base_data::stream_difference::first_difference;

/// What the programs do, written down by hand.
const EXPECTED: &str = include_str!("programs/calls.txt");

/// The bindings: a source, and the flags of its compiler.
const BINDINGS: [(&str, &[&str]); 3] = [
    ("calls.c", &[]),
    ("calls.F90", &["-fallow-argument-mismatch"]),
    ("calls.F90", &["-fallow-argument-mismatch", "-DF08"]),
];

/// The stream of one of the programs, `./calls`, observed with these `words` on the command line. It is
/// compiled without lines: those of the three differ.
fn observed(mpi: &Mpi, (source, flags): (&str, &[&str]), words: &[&str]) -> ProgramData {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let path = root().join("cli/tests/it/programs").join(source);
    let flags = [
        &["-O1", "-w", "-J."][..if source.ends_with(".c") { 2 } else { 3 }],
        flags,
    ]
    .concat();
    mpi.compile(here, "calls", &[path], &flags);
    let _alone = processors();
    mpi.observe(here, 2, "seen.mpiete", words);
    complete(here, "seen.mpiete").program
}

/// What wildcards got, which the comparison of streams leaves out.
fn matches(data: &ProgramData) -> Vec<ObservedMatch> {
    let all = (0..data.ranks).flat_map(|rank| entries(data, Rank(rank)));
    let of_entry = |op: &Op| match op {
        Op::Call {
            call: Call::Wait { observed, .. },
            ..
        } => observed.clone(),
        Op::Call {
            call:
                Call::Receive { observed, .. }
                | Call::SendReceive { observed, .. }
                | Call::Probe { observed, .. },
            ..
        } => observed.iter().copied().collect(),
        _ => Vec::new(),
    };
    all.flat_map(of_entry).collect()
}

/// All programs leave the stream that is written down.
pub fn check(mpi: &Mpi, words: &[&str]) {
    let expected = program_text::read(EXPECTED).unwrap();
    for binding in BINDINGS {
        let seen = observed(mpi, binding, words);
        let difference = first_difference(&expected, &seen);
        assert_eq!(
            matches(&seen),
            matches(&expected),
            "{binding:?}, {}",
            mpi.name
        );
        assert_eq!(
            difference,
            None,
            "{binding:?}, {}:\n{}",
            mpi.name,
            program_text::write(&seen)
        );
    }
}

/// What can be observed can be replayed, and its calls match.
#[test]
fn every_observed_call_is_predicted() {
    let program = program_text::read(EXPECTED).unwrap();
    assert_eq!(estimator::check_matching(&program), []);
    let platform = machine::platforms::load("fast-ethernet").unwrap();
    let inputs = estimator::Inputs {
        program: &program,
        compute: &[],
    };
    let found = estimator::estimate(&inputs, &platform, &estimator::Options::default()).unwrap();
    assert!(found.per_rank.iter().all(|rank| rank.end > rank.begin));
}

#[test]
fn every_call_of_every_binding_under_mpich() {
    let Some(mpi) = Mpi::mpich() else { return };
    check(&mpi, &["./calls"]);
}

#[test]
#[ignore = "needs Open MPI: in make test-all"]
fn every_call_of_every_binding_under_open_mpi() {
    let Some(mpi) = Mpi::open_mpi() else { return };
    check(&mpi, &["./calls"]);
}
