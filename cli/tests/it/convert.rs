//! Files of other tools: converted both ways, estimated and shown as they are, refused with their line.

use crate::command::{answer, done, mpiete};
use std::path::Path;
use std::process::Command;

const SCHEDULE: &str = "num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 800b to 1 tag 3\nl2 requires l1\n}\n\
                        rank 1 {\nl1: recv 800b from 0 tag 3\nl2: calc 2000\nl2 requires l1\n}\n";

fn predicted(folder: &Path, files: &[&str]) -> String {
    let out = done(
        folder,
        &[&["estimate"], files, &["--platform", "fast-ethernet"]].concat(),
    );
    let line = out.lines().find(|line| line.starts_with("predicted time"));
    line.unwrap_or_else(|| panic!("{out}")).to_string()
}

#[test]
fn traces_are_estimated_from_every_source() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    let expected = predicted(here, &["t.goal"]);
    let said = done(here, &["convert", "t.goal", "--to", "ti", "-o", "t.ti"]);
    assert!(said.contains("t.ti.index"), "{said}");
    assert_eq!(predicted(here, &["t.ti"]), expected);
    assert_eq!(predicted(here, &["t.ti.index"]), expected);
    done(
        here,
        &["convert", "t.ti.index", "--to", "mpiete", "-o", "t.mpiete"],
    );
    assert_eq!(predicted(here, &["t.mpiete", "t.compute.mpiete"]), expected);
    // Standard output is the default.
    assert_eq!(
        done(
            here,
            &["convert", "t.mpiete", "t.compute.mpiete", "--to", "goal"]
        )
        .lines()
        .count(),
        13
    );
    assert!(done(here, &["show", "t.goal"]).contains("t.goal:4"));
}

#[test]
fn invalid_lines_are_rejected_without_output() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE.replace("2000", "long")).unwrap();
    for words in [
        &["convert", "t.goal", "--to", "ti", "-o", "t.ti"][..],
        &[
            "estimate",
            "t.goal",
            "--platform",
            "fast-ethernet",
            "-o",
            "e.mpiete",
        ],
        &["show", "t.goal"],
    ] {
        let answer = mpiete(here, words);
        assert_eq!(answer.code, 2, "{}", answer.err);
        assert!(
            answer
                .err
                .contains("t.goal:9: found 'long', expected a number of 0 to"),
            "{}",
            answer.err
        );
    }
    assert_eq!(std::fs::read_dir(here).unwrap().count(), 1);
    std::fs::write(here.join("index"), "r0\nr1\n").unwrap();
    std::fs::write(here.join("r0"), "0 init\n").unwrap();
    let answer = mpiete(here, &["convert", "index", "--to", "goal"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("index:2: found 'r1'"), "{}", answer.err);
    assert_eq!(
        mpiete(here, &["convert", "t.goal", "--to", "mpiete"]).code,
        2
    );
}

#[test]
fn total_only_prints_the_time_of_the_whole_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    done(
        here,
        &["convert", "t.goal", "--to", "mpiete", "-o", "t.mpiete"],
    );
    for files in [&["t.goal"][..], &["t.mpiete", "t.compute.mpiete"]] {
        let estimated = |rest: &[&str]| {
            done(
                here,
                &[&["estimate", "--platform", "fast-ethernet"], files, rest].concat(),
            )
        };
        let total = |csv: &str| {
            csv.lines()
                .find(|line| line.starts_with("total,"))
                .map(String::from)
        };
        let [whole, only] = [
            &["--format", "csv"][..],
            &["--format", "csv", "--total-only"],
        ]
        .map(estimated);
        assert!(
            total(&whole).is_some() && total(&whole) == total(&only),
            "{whole}{only}"
        );
        assert!(estimated(&["--total-only"]).contains("omitted (--total-only): time by rank"));
    }
    for words in [&["--format", "html"][..], &["-o", "e.mpiete"]] {
        let answer = mpiete(
            here,
            &[&["estimate", "t.goal", "--total-only"], words].concat(),
        );
        assert_eq!(answer.code, 2, "{}", answer.err);
    }
}

#[test]
fn mean_times_alone_have_no_interval() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    let estimated = |rest: &[&str]| {
        done(
            here,
            &[
                &[
                    "estimate",
                    "t.goal",
                    "--platform",
                    "fast-ethernet",
                    "--draws",
                ],
                rest,
            ]
            .concat(),
        )
    };
    assert!(estimated(&["0"]).contains("(mean values, no interval)"));
    assert!(estimated(&["1"]).contains("(one draw, no interval)"));
    let csv = estimated(&["0", "--format", "csv"]);
    assert!(csv.contains("\ntotal,") && !csv.contains("\np10,"), "{csv}");
}

/// Two ranks that compute nothing and send each other more than MPI libraries buffer.
const HEAD_TO_HEAD: &str = "num_ranks 2\nrank 0 {\nl1: send 160000000b to 1 tag 3\nl2: recv 160000000b from 1 tag 3\n\
                            l2 requires l1\n}\nrank 1 {\nl1: send 160000000b to 0 tag 3\n\
                            l2: recv 160000000b from 0 tag 3\nl2 requires l1\n}\n";

/// Five ranks that send to rank 0 at once, under a model without contention.
fn incast() -> String {
    let receives = (1..6).map(|rank| format!("r{rank}: recv 100000b from {rank} tag 0\n"));
    let senders = (1..6).map(|rank| format!("rank {rank} {{\nl1: send 100000b to 0 tag 0\n}}\n"));
    let [receives, senders]: [String; 2] = [receives.collect(), senders.collect()];
    format!("num_ranks 6\nrank 0 {{\n{receives}}}\n{senders}")
}

#[test]
fn total_only_has_the_warnings_of_the_whole_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (schedule, word) in [
        (HEAD_TO_HEAD.to_string(), "may never end"),
        (incast(), "has no contention"),
    ] {
        std::fs::write(here.join("t.goal"), schedule).unwrap();
        done(
            here,
            &["convert", "t.goal", "--to", "mpiete", "-o", "t.mpiete"],
        );
        let whole = done(
            here,
            &[
                "estimate",
                "t.goal",
                "--platform",
                "mpiete-2004",
                "-o",
                "e.mpiete",
                "--format",
                "json",
            ],
        );
        let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
        let warnings: Vec<&str> = whole["content"]["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one.as_str())
            .collect();
        assert!(
            warnings.iter().any(|warning| warning.contains(word)),
            "{warnings:?}"
        );
        for files in [&["t.goal"][..], &["t.mpiete", "t.compute.mpiete"]] {
            let only = done(
                here,
                &[
                    &["estimate", "--platform", "mpiete-2004", "--total-only"],
                    files,
                ]
                .concat(),
            );
            let found: Vec<&str> = only
                .lines()
                .filter_map(|line| line.strip_prefix("warning: "))
                .collect();
            assert_eq!(found, warnings);
        }
    }
}

/// A network whose parameters vary, so that draws of a program without computation differ.
const UNCERTAIN: &str = "format = 1\nname = \"uncertain\"\nnodes = 8\nranks_per_node = 1\n\n[[links]]\n\
                         class = \"between-nodes\"\n\n[[links.data.fits]]\nmodel = \"loggp-2\"\nresidual = 0.2\n\
                         parameters = [{ name = \"L\", value = 1000.0, unit = \"ns\" }, \
                         { name = \"o\", value = 100.0, unit = \"ns\" }, \
                         { name = \"G\", value = 1.0, unit = \"ns/byte\" }]\n";

#[test]
fn communication_only_has_no_interval_in_any_form() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("p.toml"), UNCERTAIN).unwrap();
    let messages = SCHEDULE
        .replace("l1: calc 5000\n", "")
        .replace("l2: calc 2000\n", "");
    let messages = messages.replace("l2 requires l1\n", "");
    for (schedule, is_only) in [(SCHEDULE.to_string(), false), (messages, true)] {
        std::fs::write(here.join("t.goal"), schedule).unwrap();
        done(
            here,
            &["convert", "t.goal", "--to", "mpiete", "-o", "t.mpiete"],
        );
        let data: &[&str] = if is_only {
            &["t.mpiete"]
        } else {
            &["t.mpiete", "t.compute.mpiete"]
        };
        for files in [&["t.goal"][..], data] {
            let estimated = |rest: &[&str]| {
                done(
                    here,
                    &[&["estimate", "--platform", "p.toml"], files, rest].concat(),
                )
            };
            for text in [estimated(&[]), estimated(&["--total-only"])] {
                assert_eq!(
                    text.contains("communication only; no interval"),
                    is_only,
                    "{text}"
                );
                assert_eq!(text.contains("80 % between"), !is_only, "{text}");
            }
            for csv in [
                estimated(&["--format", "csv"]),
                estimated(&["--format", "csv", "--total-only"]),
            ] {
                assert_eq!(
                    csv.contains("\np10,") && csv.contains("\np90,"),
                    !is_only,
                    "{csv}"
                );
            }
            let json: serde_json::Value =
                serde_json::from_str(&estimated(&["--format", "json"])).unwrap();
            for name in ["p10", "p90"] {
                assert_eq!(json["content"][name].is_null(), is_only, "{name}");
            }
        }
        let swept = |format: &str| {
            done(
                here,
                &[
                    &["sweep"],
                    data,
                    &[
                        "--platform",
                        "p.toml",
                        "--vary",
                        "latency=1x,2x",
                        "--format",
                        format,
                    ],
                ]
                .concat(),
            )
        };
        let csv = swept("csv");
        let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let column = |name| header.iter().position(|one| *one == name).unwrap();
        for row in rows {
            assert!(!row[column("time_s")].is_empty(), "{csv}");
            assert_eq!(
                [row[column("p10_s")], row[column("p90_s")]].map(str::is_empty),
                [is_only; 2],
                "{csv}"
            );
        }
        let json: serde_json::Value = serde_json::from_str(&swept("json")).unwrap();
        for row in json["content"]["rows"].as_array().unwrap() {
            assert_eq!(
                (row["p10"].is_null(), row["p90"].is_null()),
                (is_only, is_only),
                "{row}"
            );
        }
        done(
            here,
            &[
                &["sweep"],
                data,
                &[
                    "--platform",
                    "p.toml",
                    "--vary",
                    "latency=1x,2x",
                    "--format",
                    "html",
                ],
            ]
            .concat(),
        );
    }
}

/// Two ranks: every action that a converted trace can have.
const ACTIONS: &str = "0 init\n0 irecv 1 3 10 6\n0 isend 1 2 4 0\n0 compute 20000.5\n0 wait 1 0 3\n0 wait 0 1 2\n\
    0 send 1 5 0 6\n0 barrier\n0 bcast 7 1 6\n0 reduce 3 0 1 0\n0 allreduce 3 0 1\n0 scan 2 0 0\n0 exscan 2 0 0\n\
    0 reducescatter 2 3 0 0\n0 alltoall 5 5 6 6\n0 alltoallv 3 1 2 5 1 4 6 6\n0 allgather 2 2 6 6\n0 allgatherv 1 1 4 6 6\n\
    0 gather 2 2 1 6 6\n0 gatherv 1 1 4 1 6 6\n0 scatter 2 2 1 6 6\n0 scatterv 1 4 1 1 6 6\n0 finalize\n";

#[test]
fn a_skeleton_exchanges_the_messages_of_its_trace() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let other = ACTIONS
        .replace("0 irecv 1 3 10 6", "1 irecv 0 2 4 0")
        .replace("0 isend 1 2 4 0", "1 isend 0 3 10 6")
        .replace("0 wait 1 0 3\n0 wait 0 1 2", "1 wait 0 1 2\n1 wait 1 0 3")
        .replace("0 send 1 5 0 6", "1 recv 0 5 0 6")
        .replace("alltoallv 3 1 2 5 1 4", "alltoallv 9 4 5 7 2 5")
        .replace("allgatherv 1 1 4", "allgatherv 4 1 4")
        .replace("gatherv 1 1 4 1 6", "gatherv 4 1 4 1 6")
        .replace("scatterv 1 4 1 1", "scatterv 1 4 4 1")
        .replace("\n0 ", "\n1 ")
        .replace("0 init", "1 init");
    std::fs::write(here.join("all.ti"), format!("{ACTIONS}{other}")).unwrap();
    let said = done(
        here,
        &["convert", "all.ti", "--to", "skeleton", "-o", "skeleton"],
    );
    // Again into the same folder, but not into a folder of the user's.
    done(
        here,
        &["convert", "all.ti", "--to", "skeleton", "-o", "skeleton"],
    );
    std::fs::write(here.join("Makefile"), "all:\n").unwrap();
    for words in [
        &["convert", "all.ti", "--to", "skeleton", "-o", "."][..],
        &["calibrate", "--write-probe", "."],
    ] {
        let refused = mpiete(here, words);
        assert_eq!(refused.code, 2);
        assert!(
            refused.err.contains(". contains other files and no"),
            "{}",
            refused.err
        );
    }
    assert_eq!(
        std::fs::read_to_string(here.join("Makefile")).unwrap(),
        "all:\n"
    );
    assert!(said.contains("cd skeleton && make run"), "{said}");
    let skeleton = here.join("skeleton");
    let compiler = here.join("mpiete-cc");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mpiete"), &compiler).unwrap();
    let made = answer(
        Command::new("make")
            .arg("-s")
            .env("MPICC", compiler)
            .current_dir(&skeleton),
    );
    assert_eq!(made.code, 0, "{}", made.err);
    let run = ["run", "-n", "2", "./skeleton", "-r", "1", "trace.ti"];
    let printed = done(&skeleton, &run);
    assert!(
        printed.starts_with("RESULT program=skeleton trace=trace.ti ranks=2"),
        "{printed}"
    );
    // Its own calls have the lengths of the trace.
    let recorded = [
        "record",
        "-n",
        "2",
        "-o",
        "s.mpiete",
        "--",
        "./skeleton",
        "-r",
        "1",
        "trace.ti",
    ];
    done(&skeleton, &recorded);
    let shown = done(&skeleton, &["show", "s.mpiete"]);
    for function in [
        "MPI_Isend",
        "MPI_Alltoallv",
        "MPI_Reduce_scatter",
        "MPI_Scatterv",
        "MPI_Exscan",
    ] {
        assert!(shown.contains(function), "{function}: {shown}");
    }
    let unknown = format!("{ACTIONS}0 dance 1\n");
    std::fs::write(skeleton.join("unknown.ti"), unknown).unwrap();
    let answer = mpiete(&skeleton, &["run", "-n", "1", "./skeleton", "unknown.ti"]);
    assert_ne!(answer.code, 0);
    assert!(answer.err.contains("found '0 dance 1'"), "{}", answer.err);
}
