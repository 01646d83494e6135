//! Observed runs leave the event streams that `record` writes: over a real MPI and over the token
//! runtime, for every fixture that ends well.

use crate::command::{done, mpiete, root};
use crate::real_mpi::{Mpi, processors};
use base_data::Rank;
use base_data::format::{FileContent, decode};
use base_data::observation::Observation;
use base_data::program_data::ProgramData;
use base_data::stream_difference::first_difference;
use npb_fixtures::{KERNELS, Kernel, Outcome, PATTERNS, Pattern, ProblemClass};
use std::path::{Path, PathBuf};

/// A file of ours.
pub fn read<T: FileContent>(here: &Path, name: &str) -> T {
    decode(&std::fs::read(here.join(name)).unwrap())
        .unwrap_or_else(|error| panic!("{name} {error}"))
}

/// An observation with nothing missing, whose times fit its streams.
pub fn complete(here: &Path, name: &str) -> Observation {
    let observation: Observation = read(here, name);
    assert_eq!(observation.missing, Vec::<String>::new(), "{name}");
    for (times, rank) in observation.ranks.iter().zip(0..) {
        let entries = base_data::stream::entry_count(&observation.program, Rank(rank));
        assert_eq!(
            (times.gaps.len() as u64, times.durations.len() as u64),
            (entries, entries),
            "{name}"
        );
        assert!(
            entries >= 2 && times.whole() > base_data::Time::ZERO,
            "{name}"
        );
    }
    observation
}

/// Compiles with lines, so that places of calls are compared, too.
pub fn compile(mpi: &Mpi, here: &Path, sources: &[PathBuf], include: &[PathBuf]) {
    let include: Vec<String> = include
        .iter()
        .map(|folder| format!("-I{}", folder.display()))
        .collect();
    let flags = ["-O2", "-g", "-w", "-fallow-argument-mismatch"].into_iter();
    let flags: Vec<&str> = flags.chain(include.iter().map(String::as_str)).collect();
    mpi.compile(here, "program", sources, &flags);
}

/// The streams of a run over `mpi` are those that are recorded on the token runtime.
fn check(mpi: &Mpi, here: &Path, ranks: u32, what: &str) {
    let number = ranks.to_string();
    done(
        here,
        &[
            "record",
            "-n",
            &number,
            "-o",
            "recorded.mpiete",
            "--",
            "./program",
        ],
    );
    let recorded: ProgramData = read(here, "recorded.mpiete");
    {
        let _alone = processors();
        mpi.observe(here, ranks, "real.mpiete", &["./program"]);
    }
    let real = complete(here, "real.mpiete");
    assert_eq!(
        first_difference(&recorded, &real.program),
        None,
        "{what}, {ranks} ranks: {}",
        mpi.name
    );
    let inner = [
        env!("CARGO_BIN_EXE_mpiete"),
        "observe",
        "-o",
        "token.mpiete",
        "./program",
    ];
    let run = mpiete(here, &[&["run", "-n", &number], &inner[..]].concat());
    assert_eq!(run.code, 0, "{what}: {}", run.err);
    let token = complete(here, "token.mpiete");
    assert_eq!(
        first_difference(&recorded, &token.program),
        None,
        "{what}, {ranks} ranks: token runtime"
    );
    let left: Vec<_> = std::fs::read_dir(here)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.to_string_lossy().contains("parts")),
        "{left:?}"
    );
}

fn kernels(mpi: &Mpi, kernels: &[Kernel], class: ProblemClass, ranks: &[u32]) {
    for kernel in kernels {
        let folder = tempfile::tempdir().unwrap();
        compile(
            mpi,
            folder.path(),
            &kernel.sources(),
            &kernel.include_directories(class),
        );
        ranks
            .iter()
            .for_each(|&ranks| check(mpi, folder.path(), ranks, kernel.name));
    }
}

/// Whether a small program ends well and the token runtime has all its functions.
pub fn is_observable(pattern: &Pattern) -> bool {
    matches!(pattern.outcome, Outcome::Ends(_)) && pattern.name != "unknown_mpi"
}

fn patterns(mpi: &Mpi, ranks: &[u32]) {
    for pattern in PATTERNS.iter().filter(|pattern| is_observable(pattern)) {
        let folder = tempfile::tempdir().unwrap();
        compile(mpi, folder.path(), &[pattern.source()], &[]);
        ranks
            .iter()
            .for_each(|&ranks| check(mpi, folder.path(), ranks, pattern.name));
    }
}

/// Open MPI's programs do not run on the token runtime; their lines are compared with those of the
/// same sources compiled for MPICH.
fn over_open_mpi(
    open_mpi: &Mpi,
    mpich: &Mpi,
    (sources, include): (&[PathBuf], &[PathBuf]),
    ranks: &[u32],
) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for &ranks in ranks {
        compile(mpich, here, sources, include);
        let number = ranks.to_string();
        done(
            here,
            &[
                "record",
                "-n",
                &number,
                "-o",
                "recorded.mpiete",
                "--",
                "./program",
            ],
        );
        compile(open_mpi, here, sources, include);
        {
            let _alone = processors();
            open_mpi.observe(here, ranks, "real.mpiete", &["./program"]);
        }
        let recorded: ProgramData = read(here, "recorded.mpiete");
        let real = complete(here, "real.mpiete");
        assert_eq!(
            first_difference(&recorded, &real.program),
            None,
            "{sources:?}, {ranks} ranks"
        );
    }
}

#[test]
#[ignore = "needs Open MPI: in make test-all"]
fn open_mpi_streams_equal_recorded_ones() {
    let (Some(open_mpi), Some(mpich)) = (Mpi::open_mpi(), Mpi::mpich()) else {
        return;
    };
    for kernel in &KERNELS {
        let files = (
            &*kernel.sources(),
            &*kernel.include_directories(ProblemClass::S),
        );
        over_open_mpi(&open_mpi, &mpich, files, &[2, 4]);
    }
    for pattern in PATTERNS {
        if is_observable(&pattern) {
            over_open_mpi(&open_mpi, &mpich, (&[pattern.source()], &[]), &[2, 5]);
        }
    }
}

#[test]
fn mpich_streams_equal_recorded_ones() {
    let Some(mpi) = Mpi::mpich() else { return };
    kernels(&mpi, &KERNELS, ProblemClass::S, &[2]);
    patterns(&mpi, &[1, 2]);
}

#[test]
#[ignore = "needs the blocking MPICH: in make test-all"]
fn streams_of_many_ranks_equal_recorded_ones() {
    let Some(mpi) = Mpi::blocking_mpich() else {
        return;
    };
    kernels(&mpi, &KERNELS, ProblemClass::S, &[4, 8, 16]);
    patterns(&mpi, &[4, 7]);
}

/// Observed runs are what predictions are held against, so the observer must not change where the program's memory lies.
#[test]
fn observer_does_not_use_the_programs_heap() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = root().join("token-runtime/tests/it/programs/heap.c");
    mpi.compile(here, "heap", &[source], &["-O1", "-w"]);
    let words = [
        env!("CARGO_BIN_EXE_mpiete"),
        "observe",
        "-o",
        "seen.mpiete",
        "./heap",
    ];
    let run = mpiete(here, &[&["run", "-n", "1"], &words[..]].concat());
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, "0 bytes more in use, end moved by 0\n"),
        "{}",
        run.err
    );
}

const SLEEPING: &str = "\
#include <mpi.h>
#include <unistd.h>
int main(int count, char **words) {
    MPI_Init(&count, &words);
    for (int turn = 0; turn < 4; turn++) {
        usleep(30000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
";

/// Only waits for a processor depend on what else runs: an estimate of a run takes all other time between calls.
#[test]
fn sleep_of_an_observed_run_is_its_own_time() {
    let Some(mpi) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("sleeping.c"), SLEEPING).unwrap();
    mpi.compile(here, "sleeping", &[here.join("sleeping.c")], &["-w"]);
    let words = [
        env!("CARGO_BIN_EXE_mpiete"),
        "observe",
        "-o",
        "seen.mpiete",
        "./sleeping",
    ];
    done(here, &[&["run", "-n", "1"], &words[..]].concat());
    let times = &complete(here, "seen.mpiete").ranks[0].processor;
    // Each sleep takes 30 ms. On a busy machine, the runtime of the observed program may also have waited for a processor, which is
    // subtracted.
    let slept = times.iter().filter(|found| found.time.seconds() > 0.02);
    assert!(slept.count() >= 3, "{times:?}");
}
