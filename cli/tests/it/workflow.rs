//! The whole flow as a user walks it, on the fixtures: by steps and in one go.

use crate::command::{answer, done, mpiete, root};
use npb_fixtures::{CG, EP, KERNELS, Kernel, ProblemClass};
use std::path::Path;
use std::process::Command;

pub fn project(kernel: &Kernel, class: ProblemClass) -> Vec<String> {
    let mut words: Vec<String> = kernel
        .sources()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    for folder in kernel.include_directories(class) {
        words.extend(["-I".to_string(), folder.display().to_string()]);
    }
    words
}

pub fn command(name: &str, project: &[String], rest: &[&str]) -> Vec<String> {
    let head = std::iter::once(name.to_string());
    head.chain(project.iter().cloned())
        .chain(rest.iter().map(|word| word.to_string()))
        .collect()
}

/// The slice makes the same MPI calls as the original, call by call.
#[test]
fn slice_and_original_have_equal_streams() {
    for kernel in &KERNELS {
        for ranks in ["4", "8"] {
            let folder = tempfile::tempdir().unwrap();
            let words = command(
                "prepare",
                &project(kernel, ProblemClass::S),
                &["-o", "study", "--check", "-n", ranks],
            );
            let out = done(folder.path(), &words);
            assert!(out.contains("equal event streams"), "{out}");
        }
    }
}

/// Every step by itself, then what `show` makes of every file.
#[test]
fn separate_steps_predict() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(
        here,
        &command("prepare", &project(&CG, ProblemClass::S), &["-o", "study"]),
    );
    done(here, &["record", "study", "-n", "4"]);
    done(here, &["measure", "study", "-n", "4", "--co-run", "1"]);
    let out = done(
        here,
        &[
            "estimate",
            "study",
            "-n",
            "4",
            "--platform",
            "fast-ethernet",
        ],
    );
    assert!(
        out.contains("predicted time") && out.contains("compute"),
        "{out}"
    );
    for file in [
        "study/program-n4.mpiete",
        "study/compute-n4.mpiete",
        "study/estimate-n4.mpiete",
        "study",
    ] {
        assert!(!done(here, &["show", file]).is_empty());
        let json = done(here, &["show", file, "--format", "json"]);
        assert!(json.starts_with('{') && json.contains("\"kind\""), "{file}");
    }
    let pages = [
        "study/program-n4.mpiete",
        "study/compute-n4.mpiete",
        "study/estimate-n4.mpiete",
        "study",
        "study/study.json",
    ];
    for file in pages {
        let page = done(here, &["show", file, "--format", "html"]);
        assert!(
            page.starts_with("<!DOCTYPE html>")
                && !page.contains("http://")
                && !page.contains("https://")
        );
    }
    stream_round_trips(here);
    merged_data_estimate_the_same(here);
}

/// The text form of program data is program data.
fn stream_round_trips(here: &Path) {
    done(
        here,
        &[
            "show",
            "study/program-n4.mpiete",
            "--format",
            "stream",
            "-o",
            "program.txt",
        ],
    );
    let estimate = |program: &str| {
        let words = [
            "estimate",
            program,
            "study/compute-n4.mpiete",
            "--platform",
            "fast-ethernet",
            "--format",
            "json",
        ];
        let text = done(here, &words);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["content"]["headline"].clone()
    };
    assert_eq!(estimate("program.txt"), estimate("study/program-n4.mpiete"));
}

fn merged_data_estimate_the_same(here: &Path) {
    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
    let parts = ["study/compute-n4.mpiete", "study/compute-n2.mpiete"];
    done(here, &["merge", parts[0], parts[1], "-o", "merged.mpiete"]);
    assert_eq!(
        mpiete(here, &["merge", parts[0], parts[0], "-o", "twice.mpiete"]).code,
        2
    );
    let out = done(
        here,
        &[
            "estimate",
            "study/program-n4.mpiete",
            "merged.mpiete",
            "--platform",
            "fast-ethernet",
        ],
    );
    assert!(out.contains("predicted time"));
    let scaled = [
        "study/program-n4.mpiete",
        "merged.mpiete",
        "--platform",
        "fast-ethernet",
        "--scale",
        "2",
    ];
    let out = done(here, &[&["estimate"][..], &scaled].concat());
    assert!(
        out.lines()
            .any(|line| line.contains("guessing") && !line.contains(", (")),
        "{out}"
    );
}

/// All in one go; program data do not depend on the machine or the moment they were made at.
#[test]
fn predict_runs_all_steps() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let words = command(
        "predict",
        &project(&EP, ProblemClass::S),
        &["-n", "4", "--platform", "fast-ethernet", "-o", "ep"],
    );
    let out = done(here, &words);
    assert!(
        out.contains("predicted time") && out.contains("timeline"),
        "{out}"
    );
    assert!(here.join("ep/estimate-n4.html").is_file());
    let first = done(
        here,
        &["show", "ep/program-n4.mpiete", "--format", "stream"],
    );
    done(here, &["record", "ep", "-n", "4"]);
    let second = done(
        here,
        &["show", "ep/program-n4.mpiete", "--format", "stream"],
    );
    let without_date = |text: &str| {
        text.lines()
            .filter(|line| !line.contains("date"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(without_date(&first), without_date(&second));
}

/// A section executed once is predicted alone, and is shorter than the run.
#[test]
fn a_section_is_predicted_alone() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = root()
        .join("npb-fixtures/programs/patterns/section.f")
        .display()
        .to_string();
    let headline = |section: &[&str], study: &str| {
        let project = std::slice::from_ref(&source);
        let mut rest = vec![
            "-n",
            "2",
            "--platform",
            "fast-ethernet",
            "-o",
            study,
            "--format",
            "json",
        ];
        rest.extend_from_slice(section);
        let text = done(here, &command("predict", project, &rest));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["content"]["headline"].as_i64().unwrap()
    };
    let (whole, part) = (
        headline(&[], "whole"),
        headline(&["--section", "once"], "part"),
    );
    assert!(0 < part && part < whole, "{part} of {whole}");
}

/// A binary without sources is recorded whole.
#[test]
fn a_binary_is_recorded_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = root()
        .join("npb-fixtures/programs/patterns/ring.f90")
        .display()
        .to_string();
    done(here, &["prepare", &source, "-o", "study"]);
    done(here, &["record", "study", "-n", "3"]);
    let compile = [
        "-Istudy/include",
        "-Jstudy/include",
        "study/include/mpi.f90",
        &source,
        "-Lstudy/lib",
        "-lmpi",
    ];
    let compiled = answer(
        Command::new("gfortran")
            .args(compile)
            .args(["-o", "ring"])
            .current_dir(here),
    );
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    done(
        here,
        &["record", "-n", "3", "-o", "whole.mpiete", "--", "./ring"],
    );
    let out = done(here, &["show", "whole.mpiete"]);
    assert!(out.contains("MPI_"), "{out}");
    assert_eq!(mpiete(here, &["run", "-n", "3", "./ring"]).code, 0);
    let probe = mpiete(here, &["record", "-n", "3", "--", "study/program/probe"]);
    assert!(
        probe.code == 2 && probe.err.contains("record STUDY"),
        "{}",
        probe.err
    );
}

/// Probes give no warnings that the original does not give, compiled by `mpiete` or by their makefile.
#[test]
fn probes_compile_without_new_warnings() {
    for kernel in &KERNELS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        done(
            here,
            &command(
                "prepare",
                &project(kernel, ProblemClass::S),
                &["-o", "study"],
            ),
        );
        for step in ["record", "measure"] {
            let mut probe = Command::new(env!("CARGO_BIN_EXE_mpiete"));
            probe
                .args([step, "study", "-n", "2"])
                .current_dir(here)
                .env("FFLAGS", "-O2 -Wall -Werror");
            let done = answer(&mut probe);
            assert_eq!(done.code, 0, "{}", done.err);
        }
        let mut make = Command::new("make");
        make.arg("FFLAGS=-O1 -Wall -Werror")
            .current_dir(here.join("study"));
        let made = answer(make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL"));
        assert_eq!(made.code, 0, "{}", made.err);
    }
}
