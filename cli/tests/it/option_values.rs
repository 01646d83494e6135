//! Values of options: numbers out of bounds, negative ones, and the name of standard output.

use crate::command::{CommandOutput, answer, done, mpiete, root};
use std::path::Path;
use std::process::Command;

/// Expects a refusal that names the option's value or bounds.
fn refused(answer: &CommandOutput, arguments: &[&str], expected: &str) {
    assert_eq!(
        answer.code, 2,
        "{arguments:?}: {}\n{}",
        answer.out, answer.err
    );
    assert!(
        answer.err.contains(expected),
        "{arguments:?}: '{expected}' is missing in: {}",
        answer.err
    );
    assert!(
        !answer.err.contains("unexpected argument"),
        "{arguments:?}: {}",
        answer.err
    );
}

#[test]
fn numbers_are_bounded_and_may_have_a_sign() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = "write -n N with N from 1 to 16777216";
    let draws = "write a whole number from 0 to 100000";
    let whole = "write a whole number from 0 to 18446744073709551615";
    let bytes = "write a number of bytes from 1 to 2147483647";
    let cases: &[(&[&str], &str)] = &[
        (&["estimate", "x", "--draws", "1000000000"], draws),
        (&["estimate", "x", "--draws", "-1"], draws),
        (&["sweep", "x", "--draws", "100001"], draws),
        (&["predict", "x", "-n", "4", "--draws", "4294967296"], draws),
        (&["estimate", "x", "--draws", "x"], draws),
        (&["estimate", "x", "--seed", "-1"], whole),
        (&["tasks", "x", "-n", "4", "--seed", "x"], whole),
        (&["tasks", "x", "-n", "-1"], "'-1'"),
        (&["tasks", "x", "-n", "4", "--masters", "-1"], "'-1'"),
        (&["show", "collective", "bcast", "--bytes", "-1"], whole),
        (&["show", "collective", "bcast", "--root", "-1"], "'-1'"),
        (&["meta", "x", "--compute-unit", "-1"], "'-1'"),
        (
            &["estimate", "x", "--scale", "-2"],
            "write a number above 0",
        ),
        (&["estimate", "x", "--scale", "0"], "write a number above 0"),
        (
            &["estimate", "x", "--scale", "inf"],
            "write a number above 0",
        ),
        (&["sweep", "x", "--scale", "nan"], "write a number above 0"),
        (&["predict", "x", "-n", "0"], ranks),
        (&["predict", "x", "-n", "-4"], ranks),
        (&["predict", "x", "-np", "4"], ranks),
        (&["record", "x", "-n", "4294967295"], ranks),
        (&["measure", "x", "-n", "-1"], ranks),
        (
            &["measure", "x", "-n", "1", "--co-run", "-2"],
            "is not in 1..",
        ),
        (
            &["measure", "x", "-n", "1", "--interval", "-0.1"],
            "write a number above 0",
        ),
        (
            &["measure", "x", "-n", "1", "--budget", "-1"],
            "write a number of seconds",
        ),
        (
            &["measure", "x", "-n", "1", "--sampling-budget", "-1"],
            "write a number that is not below 0",
        ),
        (&["prepare", "x", "-o", "y", "-n", "0"], ranks),
        (&["convert", "x", "--to", "goal", "-n", "-1"], ranks),
        (&["sweep", "x", "-n", "0"], ranks),
        (
            &["predict", "x", "-n", "1", "--bounded-run", "-1"],
            "write a number of seconds",
        ),
        (
            &["calibrate", "--write-probe", "p", "--largest", "0"],
            bytes,
        ),
        (&["calibrate", "--write-probe", "p", "--step", "-8"], bytes),
        (
            &[
                "calibrate",
                "--write-probe",
                "p",
                "--largest",
                "18446744073709551615",
            ],
            bytes,
        ),
        (
            &["sweep", "x", "-n", "1", "--efficiency", "-0.5"],
            "--efficiency -0.5 is not between",
        ),
    ];
    for (arguments, expected) in cases {
        refused(&mpiete(folder.path(), arguments), arguments, expected);
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn dash_is_standard_output_for_text_only() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shown = done(here, &["show", "fast-ethernet"]);
    assert_eq!(done(here, &["show", "fast-ethernet", "-o", "-"]), shown);
    std::fs::write(
        here.join("a.goal"),
        "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n",
    )
    .unwrap();
    let goal = done(here, &["convert", "a.goal", "--to", "goal"]);
    assert_eq!(
        done(here, &["convert", "a.goal", "--to", "goal", "-o", "-"]),
        goal
    );
    let source = root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    let cases: &[&[&str]] = &[
        &[
            "estimate",
            "a.goal",
            "--platform",
            "fast-ethernet",
            "-o",
            "-",
        ],
        &["convert", "a.goal", "--to", "mpiete", "-o", "-"],
        &["record", "-n", "1", "-o", "-", "--", "./a.goal"],
        &["prepare", &source, "-o", "-"],
        &["predict", &source, "-n", "1", "-o", "-"],
        &["calibrate", "--write-probe", "-"],
        &["observe", "-o", "-", "true"],
    ];
    for arguments in cases {
        refused(
            &mpiete(here, arguments),
            arguments,
            "- stands for standard output",
        );
    }
    let left: Vec<_> = std::fs::read_dir(here)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["a.goal"]);
}

/// The end of what standard error says about a trace whose first line is wrong.
fn first_line(here: &Path, name: &str, text: &str) -> String {
    std::fs::write(here.join(name), text).unwrap();
    let answer = mpiete(
        here,
        &[
            "estimate",
            name,
            "--platform",
            "fast-ethernet",
            "--draws",
            "0",
        ],
    );
    assert_eq!(answer.code, 2, "{name}: {}", answer.err);
    answer.err
}

#[test]
fn invalid_first_line_of_a_trace_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let cases = [
        ("a.ti", "0 dance 1\n0 init\n", "a.ti:1: found"),
        ("b.trace", "0 dance 1\n0 init\n", "b.trace:1: found"),
        ("c.ti", "zero init\n0 init\n", "c.ti:1: found rank 'zero'"),
        ("a.goal", "num_rank 2\nrank 0 {\n}\n", "a.goal:1: found"),
        ("b.txt", "num_rank 2\nrank 0 {\n}\n", "b.txt:1: found"),
        ("c.goal", "rank 0 {\n}\n", "c.goal:1: found"),
        (
            "ix.index",
            "nofile_0.txt\n",
            "ix.index:1: found 'nofile_0.txt'",
        ),
    ];
    for (name, text, expected) in cases {
        let err = first_line(here, name, text);
        assert!(
            err.contains(expected) && err.contains("expected"),
            "{name}: {err}"
        );
    }
}

#[test]
fn the_default_platform_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(
        here.join("a.goal"),
        "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n",
    )
    .unwrap();
    let default = done(here, &["estimate", "a.goal"]);
    assert!(
        default.contains("bundled platform 'fast-ethernet'") && default.contains("--platform"),
        "{default}"
    );
    let chosen = done(here, &["estimate", "a.goal", "--platform", "fast-ethernet"]);
    assert!(!chosen.contains("bundled platform"), "{chosen}");
    let swept = done(here, &["sweep", "a.goal"]);
    assert!(
        swept.contains("bundled platform 'fast-ethernet'"),
        "{swept}"
    );
    let varied = done(
        here,
        &[
            "sweep",
            "a.goal",
            "--vary",
            "platform=fast-ethernet,myrinet-2001",
        ],
    );
    assert!(!varied.contains("bundled platform"), "{varied}");
}

/// A platform whose data give a parameter twice, or whose model cannot follow its rules.
const PLATFORM: &str = "\
format = 1
name = \"p\"
nodes = 4
PROGRESS
[[links]]
class = \"between-nodes\"
[links.data]
network = \"n\"
[[links.data.fits]]
model = \"MODEL\"
parameters = [ PARAMETERS ]
";

fn parameter(name: &str, value: &str, unit: &str) -> String {
    format!("{{ name = \"{name}\", value = {value}, unit = \"{unit}\" }}")
}

#[test]
fn duplicate_platform_entries_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let twice = [parameter("L", "1.0", "ns"), parameter("L", "20000.0", "ns")].join(", ");
    let once = parameter("L", "1.0", "ns");
    let text = PLATFORM.replace("PROGRESS", "").replace("MODEL", "loggps");
    let with = |parameters: &str| text.replace("PARAMETERS", parameters);
    let fit = text
        .split_once("[[links.data.fits]]")
        .unwrap()
        .1
        .replace("PARAMETERS", &once);
    let link = text
        .split_once("[[links]]")
        .unwrap()
        .1
        .replace("PARAMETERS", &once);
    let cases = [
        (with(&twice), "loggps has parameter L twice"),
        (
            format!("{}[[links.data.fits]]{fit}", with(&once)),
            "parameters of loggps for between-nodes are given twice",
        ),
        (
            format!("{}[[links]]{link}", with(&once)),
            "link class between-nodes is given twice",
        ),
    ];
    for (text, expected) in cases {
        std::fs::write(folder.path().join("p.toml"), text).unwrap();
        refused(
            &mpiete(folder.path(), &["show", "p.toml"]),
            &["show", "p.toml"],
            expected,
        );
    }
}

#[test]
fn sweep_rejects_a_platform_before_recording() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = PLATFORM.replace("PROGRESS", "").replace("MODEL", "loggps");
    std::fs::write(
        here.join("p.toml"),
        text.replace("PARAMETERS", &parameter("L", "1.0", "ns")),
    )
    .unwrap();
    let source = root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    for command in [
        vec![
            "sweep",
            &source,
            "--study",
            "study",
            "-n",
            "2",
            "--vary",
            "platform=fast-ethernet,p.toml",
        ],
        vec![
            "predict",
            &source,
            "-o",
            "study",
            "-n",
            "2",
            "--platform",
            "p.toml",
        ],
        vec![
            "sweep",
            &source,
            "--study",
            "study",
            "-n",
            "2",
            "-o",
            "/nowhere/at/all",
        ],
    ] {
        let answer = answer(
            Command::new(env!("CARGO_BIN_EXE_mpiete"))
                .args(&command)
                .current_dir(here),
        );
        assert_eq!(answer.code, 2, "{command:?}: {}", answer.err);
        assert!(!here.join("study").exists(), "{command:?}: {}", answer.err);
    }
}
