//! The table in docs/results/coverage.md says what is true of the fixtures.

use crate::command::{answer, root};
use std::process::Command;

#[test]
fn table_of_the_fixtures_is_up_to_date() {
    let mut table = Command::new(root().join("frontend/table"));
    let found = answer(
        table
            .env("MPIETE", env!("CARGO_BIN_EXE_mpiete"))
            .env_remove("NPB_DIR"),
    );
    assert_eq!(found.code, 0, "{}", found.err);
    let document = std::fs::read_to_string(root().join("docs/results/coverage.md")).unwrap();
    let missing: Vec<&str> = found
        .out
        .lines()
        .filter(|row| !document.contains(row))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/results/coverage.md lacks, of what frontend/table prints:\n{}",
        missing.join("\n")
    );
}

/// Where NPB_DIR names a tree of the NAS parallel benchmarks: parse errors are less than 0.01 % of the bytes,
/// each named; no name is unresolved.
#[test]
fn a_tree_of_npb_is_read() {
    if std::env::var_os("NPB_DIR").is_none_or(|tree| tree.is_empty()) {
        println!("skipped: NPB_DIR names no tree");
        return;
    }
    let found = answer(
        Command::new(root().join("frontend/table")).env("MPIETE", env!("CARGO_BIN_EXE_mpiete")),
    );
    assert_eq!(found.code, 0, "{}", found.err);
    println!("{}", found.out);
    let own = answer(
        Command::new(root().join("frontend/table"))
            .env("MPIETE", env!("CARGO_BIN_EXE_mpiete"))
            .env_remove("NPB_DIR"),
    );
    assert!(
        found.out.lines().count() > own.out.lines().count(),
        "no benchmark was read"
    );
    for row in found
        .out
        .lines()
        .skip(2)
        .filter(|line| line.starts_with('|'))
    {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let share = cells[5]
            .split(['(', ' '])
            .nth(2)
            .map_or(0.0, |share| share.parse::<f64>().unwrap());
        assert!(share < 0.01 && cells[6] == "0" && cells[11] == "0", "{row}");
    }
}

#[test]
fn a_tree_without_benchmarks_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    let mut table = Command::new(root().join("frontend/table"));
    let found = answer(
        table
            .env("MPIETE", env!("CARGO_BIN_EXE_mpiete"))
            .env("NPB_DIR", empty.path()),
    );
    assert_eq!(found.code, 2);
    assert!(
        found.err.contains("holds no configured benchmark"),
        "{}",
        found.err
    );
}
