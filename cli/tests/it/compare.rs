//! `mpiete compare` as a user meets it: an estimate and runs of a small program, written by hand.

use crate::command::{answer, done, mpiete, root};
use crate::real_mpi::{Mpi, processors};
use crate::workflow::{command, project};
use base_data::estimate_file::{Activity, Cell, Estimate};
use base_data::format::{FileContent, encode};
use base_data::observation::{Observation, ObservedRank};
use base_data::program_data::ProgramData;
use base_data::{BlockId, CallSiteId, Time, program_text};
use npb_fixtures::{CG, ProblemClass};
use std::path::Path;
use std::process::Command;

fn program(ranks: u32, blocks: bool, bytes: u32) -> ProgramData {
    let block = if blocks { "block 0\n" } else { "" };
    let text = format!(
        "mpiete program text 1\nranks {ranks}\nprovenance program ring\nfile 0 ring.f\n\
         block 0 compute ring.f:20-29 in ring digest 1\nsite 0 MPI_Init ring.f:10 digest 2\n\
         site 1 MPI_Bcast ring.f:30 digest 3\nsite 2 MPI_Finalize ring.f:40 digest 4\nclass 0-{}\n\
         init site=0\nloop 2\n{block}broadcast site=1 root=0 count={bytes}\nend\nfinalize site=2\n",
        ranks - 1
    );
    program_text::read(&text).unwrap()
}

fn ms(milliseconds: i64) -> Time {
    Time::from_nanoseconds(milliseconds * 1_000_000)
}

/// A block takes 10 ms, a broadcast 1 ms.
fn estimate() -> Estimate {
    let cell = |rank, activity, time| {
        let mut split = [Time::ZERO; 6];
        split[0] = ms(time);
        Cell {
            rank,
            activity,
            count: 2,
            split,
        }
    };
    let of_rank = |rank| {
        [
            cell(rank, Activity::Block(BlockId(0)), 20),
            cell(rank, Activity::Site(CallSiteId(1)), 2),
        ]
    };
    Estimate {
        program: program(2, true, 8),
        ranks: 2,
        headline: ms(22),
        p10: ms(21),
        p90: ms(23),
        draws: 21,
        cells: (0..2).flat_map(of_rank).collect(),
        ..Estimate::default()
    }
}

/// A run in which computation before a broadcast takes this long.
fn run(ranks: u32, bytes: u32, computation: i64) -> Observation {
    let rank = ObservedRank {
        gaps: [0, computation, computation, 0].map(ms).into(),
        durations: [90, 1, 1, 5].map(ms).into(),
        ..ObservedRank::default()
    };
    Observation {
        program: program(ranks, false, bytes),
        ranks: vec![rank; ranks as usize],
        ..Observation::default()
    }
}

fn write<T: FileContent>(folder: &Path, name: &str, content: &T) {
    std::fs::write(folder.join(name), encode(content)).unwrap();
}

/// A folder with all files of these tests.
fn files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "estimate", &estimate());
    write(here, "run", &run(2, 8, 15));
    write(here, "other", &run(2, 9, 15));
    write(here, "four", &run(4, 8, 15));
    write(here, "program", &program(2, true, 8));
    let mut cut = run(2, 8, 15);
    cut.missing = vec!["rank 1 never reached MPI_Finalize: killed?".into()];
    write(here, "cut", &cut);
    folder
}

#[test]
fn prediction_is_compared_with_a_run() {
    let folder = files();
    let text = done(folder.path(), &["compare", "estimate", "run"]);
    let words = [
        "A predicts 22.00 ms, B took 32.00 ms: 10.00 ms more (+45.5 %)",
        "largest part   computation +10.00 ms (100.0 %)",
        "B is above",
        "MPI_Bcast +5.000 ms",
    ];
    for word in words {
        assert!(text.contains(word), "'{word}' is missing in\n{text}");
    }
    let back = done(folder.path(), &["compare", "run", "estimate"]);
    assert!(
        back.contains("A took 32.00 ms, B predicts 22.00 ms: 10.00 ms less (-31.2 %)"),
        "{back}"
    );
    let same = done(folder.path(), &["compare", "run", "run"]);
    assert!(
        same.contains("A took 32.00 ms, B took 32.00 ms: the same"),
        "{same}"
    );
}

#[test]
fn every_format_is_written() {
    let folder = files();
    let here = folder.path();
    let csv = done(here, &["compare", "estimate", "run", "--format", "csv"]);
    let gap = "gap,mean,ring.f:30,MPI_Bcast,ring.f:30,MPI_Bcast,2,2,0.010000000000,0.015000000000,\
               0.005000000000,0.500000000,s";
    assert!(csv.lines().any(|line| line == gap), "{csv}");
    let columns = |line: &str| line.split(',').count();
    assert!(csv.lines().all(|line| columns(line) == 13), "{csv}");
    let json = done(here, &["compare", "estimate", "run", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["kind"], "comparison");
    assert_eq!(
        value["content"]["times"]["totals"]["time"]["b"],
        ms(32).picoseconds()
    );
    done(
        here,
        &[
            "compare",
            "estimate",
            "run",
            "--format",
            "html",
            "-o",
            "page.html",
        ],
    );
    assert!(
        std::fs::read_to_string(here.join("page.html"))
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
}

#[test]
fn between_two_calls() {
    let folder = files();
    let cut = [
        "compare",
        "estimate",
        "run",
        "--between",
        "ring.f:30#1",
        "ring.f:30#2",
    ];
    let text = done(folder.path(), &cut);
    assert!(text.contains("A has 10.00 ms, B took 15.00 ms"), "{text}");
    let refused = mpiete(
        folder.path(),
        &[
            "compare",
            "estimate",
            "run",
            "--between",
            "ring.f:30",
            "ring.f:40",
        ],
    );
    assert!(
        refused.code == 2
            && refused
                .err
                .contains("select one execution with ring.f:30#N"),
        "{}",
        refused.err
    );
}

#[test]
fn different_streams_print_all_and_exit_with_3() {
    let folder = files();
    for first in ["estimate", "program"] {
        let answer = mpiete(folder.path(), &["compare", first, "other"]);
        assert_eq!(answer.code, 3, "{}", answer.err);
        let place = format!(
            "on rank 0 at entry 2: {first} has MPI_Bcast at ring.f:30 with root 0 of 8 x byte, other has MPI_Bcast at \
             ring.f:30 with root 0 of 9 x byte"
        );
        assert!(answer.err.contains(&place), "{}", answer.err);
        assert_eq!(
            answer.out.contains("B took 32.00 ms"),
            first == "estimate",
            "{}",
            answer.out
        );
    }
    let equal = done(folder.path(), &["compare", "program", "run"]);
    assert!(
        equal.contains("the event streams are equal on all ranks"),
        "{equal}"
    );
}

#[test]
fn incomparable_files_are_rejected() {
    let folder = files();
    let refused = |words: &[&str], expected: &[&str]| {
        let arguments: Vec<&str> = std::iter::once("compare")
            .chain(words.iter().copied())
            .collect();
        let answer = mpiete(folder.path(), &arguments);
        assert!(answer.code == 2 && answer.out.is_empty(), "{}", answer.out);
        for word in expected {
            assert!(
                answer.err.contains(word),
                "'{word}' is missing in {}",
                answer.err
            );
        }
    };
    refused(
        &["estimate", "cut"],
        &["cut is incomplete", "rank 1 never reached MPI_Finalize"],
    );
    refused(&["cut", "program"], &["cut is incomplete"]);
    refused(&["run", "four"], &["run is of 2 ranks, four of 4 ranks"]);
    refused(
        &["program", "run", "--between", "ring.f:30#1", "ring.f:40"],
        &["program contains \
        program data"],
    );
    refused(&["run", "absent"], &["absent cannot be read"]);
    refused(
        &["run", "run", "--between", "ring.f:30#0", "ring.f:40"],
        &["number of an execution"],
    );
}

/// The page on comparisons names every column of the rows.
#[test]
fn columns_are_documented() {
    let folder = files();
    let csv = done(
        folder.path(),
        &["compare", "estimate", "run", "--format", "csv"],
    );
    let page = std::fs::read_to_string(root().join("docs/guide/compare.md")).unwrap();
    let kinds = csv
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next());
    for word in csv.lines().next().unwrap_or("").split(',').chain(kinds) {
        assert!(
            page.contains(&format!("`{word}`")),
            "docs/guide/compare.md does not name `{word}`"
        );
    }
}

/// CG under MPICH beside its prediction: as it is, and with block marks.
#[test]
fn real_runs_are_compared_with_their_prediction() {
    let Some(mpich) = Mpi::mpich() else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let class = ProblemClass::S;
    let predict = [
        "--whole",
        "-n",
        "2",
        "--platform",
        "fast-ethernet",
        "-o",
        "study",
    ];
    done(here, &command("predict", &project(&CG, class), &predict));
    let include = CG
        .include_directories(class)
        .into_iter()
        .map(|folder| format!("-I{}", folder.display()));
    let flags: Vec<String> = ["-O2".into(), "-g".into(), "-w".into()]
        .into_iter()
        .chain(include)
        .collect();
    mpich.compile(
        here,
        "cg",
        &CG.sources(),
        &flags.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    done(
        here,
        &command(
            "prepare",
            &project(&CG, class),
            &["--whole", "--kind", "observed", "-o", "marked"],
        ),
    );
    let mut make = Command::new("make");
    make.args([
        "-C",
        "marked",
        "observed",
        &format!("MPIFC={}", mpich.fortran),
    ])
    .env_remove("MAKEFLAGS");
    let made = answer(make.env_remove("MAKELEVEL").current_dir(here));
    assert_eq!(made.code, 0, "{}", made.err);
    for (run, program, has_blocks) in [
        ("run", "./cg", false),
        ("marked.mpiete", "marked/observed/probe", true),
    ] {
        {
            let _alone = processors();
            mpich.observe(here, 2, run, &[program]);
        }
        let text = done(here, &["compare", "study/estimate-n2.mpiete", run]);
        assert!(
            text.contains("A predicts") && text.contains("B took"),
            "{text}"
        );
        assert!(
            text.contains("computation between calls") && text.contains(" solve.f:"),
            "{text}"
        );
        assert_eq!(text.contains("computation, by block"), has_blocks, "{text}");
    }
}

#[test]
fn observed_runs_are_swept_over_everything_but_ranks() {
    let folder = files();
    let here = folder.path();
    let rows = |words: &[&str]| {
        let words = [&["sweep", "run", "--format", "csv"], words].concat();
        let csv = done(here, &words);
        let rows: Vec<String> = csv.lines().skip(1).map(str::to_string).collect();
        rows
    };
    let speeds = rows(&["--platform", "fast-ethernet", "--vary", "speed=1x,2x"]);
    // Two computations of 15 ms, and two short broadcasts.
    assert!(speeds[0].contains(",0.030"), "{speeds:?}");
    assert!(speeds[1].contains(",0.015"), "{speeds:?}");
    let platforms = rows(&["--vary", "platform=fast-ethernet,hdr-infiniband"]);
    assert_eq!(platforms.len(), 2);
    let refused = mpiete(here, &["sweep", "run", "--vary", "ranks=2,4"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .err
            .contains("no run on 4 ranks is among the files (there are those on 2)")
            && refused
                .err
                .contains("add an observation or trace of 4 ranks"),
        "{}",
        refused.err
    );
}

#[test]
fn observed_runs_are_estimated_and_converted() {
    let folder = files();
    let here = folder.path();
    let predicted_time = |files: &[&str]| {
        let words = [&["estimate"], files, &["--platform", "fast-ethernet"]].concat();
        let out = done(here, &words);
        let line = out.lines().find(|line| line.starts_with("predicted time"));
        line.unwrap().to_string()
    };
    let expected = predicted_time(&["run"]);
    // Two computations of 15 ms, and two short broadcasts.
    assert!(expected.contains(" 30."), "{expected}");
    done(here, &["convert", "run", "--to", "ti", "-o", "run.ti"]);
    assert_eq!(predicted_time(&["run.ti"]), expected);
    done(
        here,
        &["convert", "run", "--to", "mpiete", "-o", "run.mpiete"],
    );
    let converted = ["run.mpiete", "run.compute.mpiete"];
    assert_eq!(predicted_time(&converted), expected);
    let cut = mpiete(here, &["estimate", "cut", "--platform", "fast-ethernet"]);
    assert_eq!(cut.code, 2);
    assert!(
        cut.err.contains("never reached MPI_Finalize"),
        "{}",
        cut.err
    );
}
