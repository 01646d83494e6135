//! The tables in docs/results/coverage.md say what is true of the fixtures and of NPB.

use crate::command::root;
use npb_fixtures::skipped::skip;
use std::path::Path;

fn table(npb: Option<&Path>) -> String {
    xtask::frontend_table::table(Path::new(env!("CARGO_BIN_EXE_mpiete")), npb).unwrap()
}

#[test]
fn table_of_the_fixtures_is_up_to_date() {
    let found = table(None);
    let document = std::fs::read_to_string(root().join("docs/results/coverage.md")).unwrap();
    let missing: Vec<&str> = found
        .lines()
        .filter(|row| !document.contains(row))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/results/coverage.md lacks, of what make frontend-table prints:\n{}",
        missing.join("\n")
    );
}

/// Where NPB_DIR names a tree of the NAS parallel benchmarks: parse errors are less than 0.01 % of the bytes,
/// each named; no name is unresolved.
#[test]
fn a_tree_of_npb_is_read() {
    let Some(tree) = std::env::var_os("NPB_DIR").filter(|tree| !tree.is_empty()) else {
        skip("NPB_DIR names no tree of the NAS parallel benchmarks");
        return;
    };
    let found = table(Some(Path::new(&tree)));
    println!("{found}");
    let own = table(None);
    assert!(
        found.lines().count() > own.lines().count(),
        "no benchmark was read"
    );
    for row in found.lines().skip(2).filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let share = cells[5]
            .split(['(', ' '])
            .nth(2)
            .map_or(0.0, |share| share.parse::<f64>().unwrap());
        assert!(share < 0.01 && cells[6] == "0" && cells[11] == "0", "{row}");
    }
}
