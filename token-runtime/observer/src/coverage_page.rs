//! Functions that the token runtime records and the observer does not, as in docs/results/coverage.md.

use crate::unsupported_functions::{NOT_OBSERVED, UNSUPPORTED};
use base_data::mpi::Support;
use base_data::mpi::functions::FUNCTIONS;
use expect_test::expect_file;
use std::path::Path;

fn not_observed() -> String {
    let is_missing = |name: &str| {
        NOT_OBSERVED.contains(&name) || UNSUPPORTED.iter().any(|group| group.names.contains(&name))
    };
    let mut names: Vec<&str> = FUNCTIONS
        .iter()
        .filter(|function| function.support == Support::Full)
        .map(|function| function.name)
        .filter(|name| is_missing(name))
        .collect();
    names.sort_unstable();
    format!(
        "{} functions are recorded, but not observed:\n\n{}\n",
        names.len(),
        names.join(", ")
    )
}

/// `UPDATE_EXPECT=1` writes the list.
#[test]
fn coverage_page_lists_functions_that_are_not_observed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/coverage.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- not observed -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of not observed -->").unwrap();
    let listed = not_observed();
    let expected =
        format!("{before}<!-- not observed -->\n{listed}<!-- end of not observed -->{after}");
    expect_file![path].assert_eq(&expected);
}
