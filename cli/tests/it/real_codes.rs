//! The table of real codes, made for programs of the tests.

use npb_fixtures::skipped::skip;
use std::path::Path;
use std::process::Command;
use xtask::real_codes::{Mpi, code, row, rows::Row};

const MPIFC: &str = "mpif90.mpich";

fn row_of(settings: &str) -> Option<Row> {
    if Command::new(MPIFC).arg("-show").output().is_err() {
        skip("MPICH is not installed");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = npb_fixtures::programs().join("patterns/ring.f90");
    std::fs::copy(source, folder.path().join("ring.f90")).unwrap();
    let list = format!("[[code]]\nname = 'ring'\nfolder = '.'\nranks = [2]\n{settings}");
    std::fs::write(folder.path().join("real-codes.toml"), list).unwrap();
    let codes = code::listed(folder.path()).unwrap();
    let mpi = Mpi {
        launcher: "mpirun.mpich".to_string(),
        c_compiler: "mpicc.mpich".to_string(),
    };
    let mpiete = Path::new(env!("CARGO_BIN_EXE_mpiete"));
    Some(row(&codes[0], mpiete, &mpi, 1).unwrap())
}

#[test]
fn code_that_works_has_all_figures() {
    let settings = format!("build = '{MPIFC} -g ring.f90 -o ring'\nbinary = 'ring'\n");
    let Some(row) = row_of(&settings) else { return };
    assert_eq!(row.failed_stage, "", "{}", row.failure);
    assert_eq!(row.streams_equal, Some(true));
    assert_eq!(row.counts_equal, Some(true));
    assert!(row.kept.unwrap() > 0.0 && row.kept_strict >= row.kept);
    assert!(row.on_ranks[1].ratio().is_some());
    assert!(row.on_ranks[1].walls.is_some());
    // Ranks that were not requested have no figures.
    assert_eq!(row.on_ranks[0].observed, None);
}

#[test]
fn code_that_cannot_be_built_has_the_stage_and_the_message() {
    let settings = format!("build = '{MPIFC} ring.f90 missing.f90 -o ring'\nbinary = 'ring'\n");
    let Some(row) = row_of(&settings) else { return };
    assert_eq!(row.failed_stage, "build");
    assert!(row.failure.contains("missing.f90"), "{}", row.failure);
    assert_eq!(row.kept, None);
}

/// A program that sheds the counting library is not compared.
#[test]
fn program_without_counted_calls_is_a_failure() {
    let settings = format!(
        "build = '''{MPIFC} -g ring.f90 -o whole && printf '#!/bin/sh\\nexec env -u LD_PRELOAD ./whole' > ring && chmod +x ring'''\n\
         binary = 'ring'\n"
    );
    let Some(row) = row_of(&settings) else { return };
    assert!(
        row.failure.contains("no call was counted"),
        "{}",
        row.failure
    );
    assert_eq!(row.counts_equal, None);
    assert_eq!(row.failed_stage, "run on 2");
}
