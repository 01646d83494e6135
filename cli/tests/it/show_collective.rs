//! `mpiete show collective`: what a library chooses, and the three output formats.

use crate::command::{done, mpiete};
use std::path::Path;

/// A platform of four nodes with four ranks each.
fn write_platform(folder: &Path, library: &str, version: &str, overrides: &str) {
    let mut text = format!(
        "format = 1\nname = \"cluster\"\nnodes = 4\nranks_per_node = 4\n\n[mpi]\nlibrary = \"{library}\"\n\
         version = \"{version}\"\noverrides = {{ {overrides} }}\n"
    );
    for (class, latency) in [("between-nodes", 1000.0), ("inside-node", 100.0)] {
        text += &format!(
            "\n[[links]]\nclass = \"{class}\"\n\n[[links.data.fits]]\nmodel = \"loggp-2\"\nparameters = [\
             {{ name = \"L\", value = {latency:.1}, unit = \"ns\" }}, \
             {{ name = \"o\", value = 100.0, unit = \"ns\" }}, \
             {{ name = \"G\", value = 1.0, unit = \"ns/byte\" }}]\n"
        );
    }
    std::fs::write(folder.join("p.toml"), text).unwrap();
}

/// Collective, ranks and bytes.
type Call<'a> = (&'a str, &'a str, &'a str);

fn shown(folder: &Path, (name, ranks, bytes): Call<'_>, format: &str) -> String {
    done(
        folder,
        &[
            "show",
            "collective",
            name,
            "-n",
            ranks,
            "--bytes",
            bytes,
            "--platform",
            "p.toml",
            "--format",
            format,
        ],
    )
}

/// The value of a row of facts.
fn fact<'a>(text: &'a str, name: &str) -> &'a str {
    let row = text.lines().find_map(|line| line.trim().strip_prefix(name));
    row.unwrap_or_else(|| panic!("no {name} in {text}")).trim()
}

#[test]
fn text_page_and_picture_show_the_choice() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_platform(here, "Open MPI", "4.1.4", "");
    let call = ("allreduce", "8", "8192");
    let text = shown(here, call, "text");
    assert_eq!(fact(&text, "algorithm"), "rabenseifner-windows");
    assert!(fact(&text, "why").contains("component tuned"), "{text}");
    assert_eq!(fact(&text, "rounds"), "6");
    assert_eq!(fact(&text, "messages"), "48");
    // Each rank sends a half, a quarter and an eighth, and the same on the way back.
    assert_eq!(fact(&text, "bytes sent"), "114,688");
    // The list is longer than a line.
    assert!(fact(&text, "all algorithms").starts_with("recursive-doubling"));
    assert!(text.contains("segmented-ring, linear"), "{text}");

    let page = shown(here, call, "html");
    assert_eq!(page.matches("<line ").count(), 48);
    assert!(page.contains("<title>0 to 1: 4096 bytes</title>"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&shown(here, call, "json")).unwrap();
    let messages = json["content"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 48);

    let refused = mpiete(here, &["show", "collective", "everyone"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("the collectives are"),
        "{}",
        refused.err
    );
}

/// Algorithm and number of messages by library, on four nodes with four ranks each.
#[test]
fn libraries_choose_by_nodes_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let cases: &[(&str, &str, &str, Call<'_>, &str)] = &[
        ("MPICH", "4.0.2", "", ("bcast", "16", "8192"), "two-level"),
        (
            "MPICH",
            "4.0.2",
            "",
            ("bcast", "16", "65536"),
            "two-level-root-first",
        ),
        (
            "MPICH",
            "4.0.2",
            "",
            ("bcast", "12", "65536"),
            "scatter-ring",
        ),
        (
            "MPICH ch3:sock",
            "4.0.2",
            "",
            ("bcast", "16", "8192"),
            "binomial",
        ),
        (
            "MPICH",
            "4.0.2",
            "",
            ("reduce", "16", "2048"),
            "two-level-root-last",
        ),
        ("MPICH", "4.0.2", "", ("reduce", "16", "4096"), "two-level"),
        ("MPICH", "4.0.2", "", ("ibcast", "16", "65536"), "two-level"),
        (
            "Open MPI",
            "4.1.4",
            "",
            ("bcast", "16", "131072"),
            "binomial-high",
        ),
        (
            "Open MPI",
            "4.1.4",
            "",
            ("ibcast", "16", "131072"),
            "binomial-swapped",
        ),
        (
            "Open MPI",
            "5.0.8",
            "",
            ("bcast", "16", "131072"),
            "two-level-pipelined",
        ),
        ("Open MPI", "5.0.8", "", ("bcast", "15", "131072"), "linear"),
        (
            "Open MPI",
            "5.0.8",
            "coll = \"^han\"",
            ("bcast", "16", "131072"),
            "binomial-high",
        ),
        (
            "Open MPI",
            "5.0.8",
            "OMPI_MCA_coll_han_use_bcast_algorithm = \"simple\"",
            ("bcast", "16", "131072"),
            "two-level-by-place",
        ),
        ("Open MPI", "5.0.8", "", ("gather", "16", "64"), "two-level"),
        (
            "Cray MPICH",
            "8.1.17",
            "",
            ("allreduce", "16", "262144"),
            "two-level",
        ),
        (
            "Cray MPICH",
            "8.1.17",
            "",
            ("allreduce", "16", "262152"),
            "rabenseifner",
        ),
        (
            "Cray MPICH",
            "8.1.17",
            "MPICH_ALLREDUCE_NO_SMP = \"1\"",
            ("allreduce", "16", "64"),
            "recursive-doubling",
        ),
        (
            "Intel MPI",
            "2021.8",
            "",
            ("allreduce", "16", "2048"),
            "recursive-doubling",
        ),
        (
            "Intel MPI",
            "2021.8",
            "I_MPI_ADJUST_ALLREDUCE = \"8:4096-8192@9-16;1\"",
            ("allreduce", "16", "8192"),
            "ring",
        ),
    ];
    for (library, version, overrides, call, algorithm) in cases {
        write_platform(here, library, version, overrides);
        let text = shown(here, *call, "text");
        assert_eq!(
            fact(&text, "algorithm"),
            *algorithm,
            "{library} {version} {overrides} {call:?}\n{text}"
        );
    }
}

/// A segment of 64 KiB goes between the nodes while the one before goes to the ranks of each node: 16 ranks on 4 nodes need
/// (4 − 1) + 4 (4 − 1) messages for each.
#[test]
fn han_pipelines_its_segments() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_platform(here, "Open MPI", "5.0.8", "");
    let text = shown(here, ("bcast", "16", "131072"), "text");
    assert_eq!(fact(&text, "messages"), "30");
    let setting = "coll_han_bcast_segsize = \"131072\"";
    write_platform(here, "Open MPI", "5.0.8", setting);
    let whole = shown(here, ("bcast", "16", "131072"), "text");
    assert_eq!(fact(&whole, "messages"), "15");
}
