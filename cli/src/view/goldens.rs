//! The texts of small data of every kind against files: what a terminal shows is meant, line by
//! line. A difference prints the new text, to be read before it replaces the file.

use super::samples::{self, base_data_files};

fn check(name: &str, text: &str, expected: &str) {
    assert!(text == expected, "golden/{name}.txt differs; the text is now\n{text}");
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest <= super::text::WIDTH, "{name}: a line of {widest} columns");
}

macro_rules! golden {
    ($($name:ident: $text:expr;)+) => {$(
        #[test]
        fn $name() {
            let name = stringify!($name);
            check(name, &$text, include_str!(concat!("golden/", stringify!($name), ".txt")));
        }
    )+};
}

golden! {
    estimate: super::estimate::text(&samples::small_estimate());
    estimate_csv: super::estimate_csv::csv(&samples::small_estimate());
    estimate_in_statements: super::estimate::text(&samples::small_estimate_in_statements());
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
