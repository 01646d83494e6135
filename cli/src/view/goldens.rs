//! The texts of small data of every kind, compared with the files in `golden`.
//!
//! After an intended change run `UPDATE_EXPECT=1 cargo test -p cli goldens` and read the difference.

use super::estimate::Detail;
use super::samples::{self, base_data_files};
use expect_test::ExpectFile;

fn check(text: &str, expected: &ExpectFile) {
    expected.assert_eq(text);
    let widest = text
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    assert!(widest <= super::text::WIDTH, "a line of {widest} columns");
}

macro_rules! golden {
    ($($name:ident: $text:expr;)+) => {$(
        #[test]
        fn $name() {
            let expected = expect_test::expect_file![concat!("golden/", stringify!($name), ".txt")];
            check(&$text, &expected);
        }
    )+};
}

golden! {
    estimate: super::estimate::text(&samples::small_estimate(), Detail::Full);
    estimate_summary: super::estimate::text(&samples::small_estimate(), Detail::Summary);
    estimate_csv: super::estimate_csv::csv(&samples::small_estimate());
    estimate_in_statements: super::estimate::text(&samples::small_estimate_in_statements(), Detail::Full);
    program: super::program::text(&base_data_files::program());
    compute: super::compute::text(&base_data_files::compute());
    comm: super::comm::text(&base_data_files::comm());
    observation: super::observation::text(&base_data_files::observation());
    comparison: super::comparison::text(&samples::comparison::compared(&samples::comparison::observed()));
    comparison_differs: super::comparison::text(&samples::comparison::compared(&samples::comparison::other_messages()));
    platform: super::platform::text(&two_racks());
    study: super::study("cg", &base_data_files::looped_table(), &base_data_files::program().assumptions, (120, 400));
}

fn two_racks() -> base_data::platform_file::PlatformFile {
    base_data::platform_file::PlatformFile::parse(
        r#"
        format = 1
        name = "two-racks"
        description = "An example."
        nodes = 32
        ranks_per_node = 2
        placement = "cyclic"
        pu = "as measured"
        progress = "in-call"
        eager_credit = { bytes = 65536 }
        mpi = { library = "MPICH", version = "4.0.2", overrides = { MPIR_CVAR_EAGER = "1" } }
        links = [
            { class = "between-nodes", file = "fast-ethernet.toml" },
            { class = "inside-node", data = { network = "shared memory", mpi_library = "MPICH" } },
        ]
        "#,
    )
    .unwrap()
}
