//! Compiler flags: those that mpiete adds, and the meaning of those of the user.

use crate::study::{Probe, Study};

/// Suppresses gfortran's messages about probes: a loop may have another label than before, and the extent of an array may be
/// queried although the array is absent or not allocated.
pub const PROBE_FLAGS: &str = "-Wno-unused-label -fcheck=no-pointer";
/// Suppresses gfortran's messages about slices, which contain less than the original.
const SLICE_FLAGS: [&str; 4] = [
    "-Wno-unused",
    "-Wno-unused-dummy-argument",
    "-Wno-return-type",
    "-Wno-maybe-uninitialized",
];
/// Flags with which GNU Fortran from version 10 on accepts MPI calls with one routine for all types; MPICH's wrappers pass the
/// same.
pub const ARGUMENT_MISMATCH_FLAGS: &str = "-fallow-argument-mismatch -fallow-invalid-boz";
/// Flags that enable OpenMP.
pub const OPENMP: [&str; 6] = [
    "-fopenmp",
    "-qopenmp",
    "-openmp",
    "-mp",
    "-qsmp=omp",
    "-homp",
];

/// Whether a flag makes invalid arithmetic end the program. In a slice, operands may be uninitialised because their values are
/// not needed. Sanitizers only report an error, unless a flag makes them end the program.
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

/// Flags that suppress gfortran's warnings about intended properties of a probe.
pub fn quiet_flags(probe: Probe) -> Vec<&'static str> {
    match probe {
        Probe::Program => PROBE_FLAGS.split(' ').chain(SLICE_FLAGS).collect(),
        Probe::Compute | Probe::Reference | Probe::Observed | Probe::Plain | Probe::Profile => {
            PROBE_FLAGS.split(' ').collect()
        }
    }
}

/// Whether a compiler with this `--version` requires all calls of a procedure to pass the same types.
pub fn is_strict_about_arguments(version: &str) -> bool {
    gnu_version(version).is_some_and(|major| major >= 10)
}

/// The major version of GNU Fortran in the output of `--version`; `None` for other compilers.
pub fn gnu_version(version: &str) -> Option<u32> {
    // The text in parentheses is the distributor's and may contain numbers: `GNU Fortran (Debian
    // 12.2.0-14) 12.2.0`.
    let (name, number) = version.split_once(") ")?;
    if !name.starts_with("GNU Fortran") {
        return None;
    }
    number.split('.').next()?.parse().ok()
}

/// Whether a flag enables OpenMP.
pub fn enables_openmp(flag: &str) -> bool {
    // `-mp=multicore`, `-fopenmp=libomp`.
    OPENMP.iter().any(|name| {
        flag.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

/// Flags of the build that the link command needs as well: OpenMP, sanitizers, profilers, machine modes.
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
    for file in &study.files {
        // FFLAGS is on the link line in any case.
        let Some(recorded) = &file.flags else {
            continue;
        };
        for flag in recorded.iter().filter(links) {
            if !flags.contains(flag) {
                flags.push(flag.clone());
            }
        }
    }
    flags
}
