//! Flags of compilers: which mpiete adds to those of the user, and what flags of the user mean.

use crate::study::{Probe, Study};

/// What gfortran must not say of a probe: a loop may have been given another label, and how large an array is may be asked
/// where it is not there, beside whether it is.
pub const PROBE_FLAGS: &str = "-Wno-unused-label -fcheck=no-pointer";
/// What it must not say of a slice: it holds less than the original, by intent.
const SLICE_FLAGS: [&str; 4] = [
    "-Wno-unused",
    "-Wno-unused-dummy-argument",
    "-Wno-return-type",
    "-Wno-maybe-uninitialized",
];
/// Flags with which GNU Fortran from version 10 on accepts MPI calls with one routine for all types; MPICH's wrappers pass the
/// same.
pub const ARGUMENT_MISMATCH_FLAGS: &str = "-fallow-argument-mismatch -fallow-invalid-boz";
/// What asks compilers for OpenMP.
pub const OPENMP: [&str; 6] = [
    "-fopenmp",
    "-qopenmp",
    "-openmp",
    "-mp",
    "-qsmp=omp",
    "-homp",
];

/// Whether a flag ends a program where arithmetic goes wrong: a slice may make what nobody wants of numbers that were not
/// computed. Sanitizers only tell of it, unless asked to end the program.
pub fn traps_arithmetic(flag: &str) -> bool {
    [
        "-ffpe-trap",
        "-fpe0",
        "-fpe1",
        "-fpe-all",
        "-Ktrap",
        "-ftrapv",
        "-fsanitize-trap",
        "-fsanitize-undefined-trap-on-error",
        "-fno-sanitize-recover",
    ]
    .iter()
    .any(|start| flag.starts_with(start))
}

/// gfortran's flags that keep it from warning of what a probe is by intent.
pub fn quiet_flags(probe: Probe) -> Vec<&'static str> {
    match probe {
        Probe::Program => PROBE_FLAGS.split(' ').chain(SLICE_FLAGS).collect(),
        Probe::Compute | Probe::Reference | Probe::Observed | Probe::Plain => {
            PROBE_FLAGS.split(' ').collect()
        }
    }
}

/// Whether a compiler that says this of itself wants calls of one procedure to pass the same types.
pub fn is_strict_about_arguments(version: &str) -> bool {
    gnu_version(version).is_some_and(|major| major >= 10)
}

/// The major version of GNU Fortran, if a compiler that says this of itself is that.
pub fn gnu_version(version: &str) -> Option<u32> {
    let (name, number) = version.split_once(") ")?;
    if !name.starts_with("GNU Fortran") {
        return None;
    }
    number.split('.').next()?.parse().ok()
}

/// Whether a flag asks a compiler for OpenMP.
pub fn enables_openmp(flag: &str) -> bool {
    // `-mp=multicore`, `-fopenmp=libomp`.
    OPENMP.iter().any(|asking| {
        flag.strip_prefix(asking)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

/// Flags of the build that a linker must know of, too: OpenMP, sanitizers, profilers, machine modes.
pub fn link_flags(study: &Study) -> Vec<String> {
    let links = |flag: &&String| {
        [
            "-fopenmp",
            "-qopenmp",
            "-openmp",
            "-mp",
            "-fopenacc",
            "-fsanitize",
            "-pg",
            "-m32",
            "-m64",
            "-pthread",
            "-coverage",
            "--coverage",
            "-fprofile",
        ]
        .iter()
        .any(|start| flag.starts_with(start))
    };
    let mut flags: Vec<String> = Vec::new();
    for flag in study
        .files
        .iter()
        .filter_map(|file| file.flags.as_ref())
        .flatten()
        .filter(links)
    {
        if !flags.contains(flag) {
            flags.push(flag.clone());
        }
    }
    flags
}
