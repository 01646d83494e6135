//! Files of other tools: converted both ways, estimated and shown as they are, refused with their line.

use crate::program::{done, mpiete};
use std::path::Path;

const SCHEDULE: &str = "num_ranks 2\nrank 0 {\nl1: calc 5000\nl2: send 800b to 1 tag 3\nl2 requires l1\n}\n\
                        rank 1 {\nl1: recv 800b from 0 tag 3\nl2: calc 2000\nl2 requires l1\n}\n";

fn predicted(folder: &Path, files: &[&str]) -> String {
    let out = done(folder, &[&["estimate"], files, &["--platform", "fast-ethernet"]].concat());
    let line = out.lines().find(|line| line.starts_with("predicted time"));
    line.unwrap_or_else(|| panic!("{out}")).to_string()
}

#[test]
fn traces_are_estimated_wherever_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    let expected = predicted(here, &["t.goal"]);
    let said = done(here, &["convert", "t.goal", "--to", "ti", "-o", "t.ti"]);
    assert!(said.contains("t.ti.index"), "{said}");
    assert_eq!(predicted(here, &["t.ti"]), expected);
    assert_eq!(predicted(here, &["t.ti.index"]), expected);
    done(here, &["convert", "t.ti.index", "--to", "mpiete", "-o", "t.mpiete"]);
    assert_eq!(predicted(here, &["t.mpiete", "t.compute.mpiete"]), expected);
    // Standard output is the default.
    assert_eq!(done(here, &["convert", "t.mpiete", "t.compute.mpiete", "--to", "goal"]).lines().count(), 13);
    assert!(done(here, &["show", "t.goal"]).contains("t.goal:4"));
}

#[test]
fn wrong_lines_are_bad_input_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE.replace("2000", "long")).unwrap();
    for words in [
        &["convert", "t.goal", "--to", "ti", "-o", "t.ti"][..],
        &["estimate", "t.goal", "--platform", "fast-ethernet", "-o", "e.mpiete"],
        &["show", "t.goal"],
    ] {
        let answer = mpiete(here, words);
        assert_eq!(answer.code, 2, "{}", answer.err);
        assert!(answer.err.contains("t.goal:9: found 'long', expected a number of 0 to"), "{}", answer.err);
    }
    assert_eq!(std::fs::read_dir(here).unwrap().count(), 1);
    std::fs::write(here.join("index"), "r0\nr1\n").unwrap();
    std::fs::write(here.join("r0"), "0 init\n").unwrap();
    let answer = mpiete(here, &["convert", "index", "--to", "goal"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("index:2: found 'r1'"), "{}", answer.err);
    assert_eq!(mpiete(here, &["convert", "t.goal", "--to", "mpiete"]).code, 2);
}

#[test]
fn total_only_prints_the_time_of_the_whole_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    done(here, &["convert", "t.goal", "--to", "mpiete", "-o", "t.mpiete"]);
    for files in [&["t.goal"][..], &["t.mpiete", "t.compute.mpiete"]] {
        let estimated =
            |rest: &[&str]| done(here, &[&["estimate", "--platform", "fast-ethernet"], files, rest].concat());
        let total = |csv: &str| csv.lines().find(|line| line.starts_with("total,")).map(String::from);
        let [whole, only] = [&["--format", "csv"][..], &["--format", "csv", "--total-only"]].map(estimated);
        assert!(total(&whole).is_some() && total(&whole) == total(&only), "{whole}{only}");
        assert!(estimated(&["--total-only"]).contains("left out (--total-only): time by rank"));
    }
    for words in [&["--format", "html"][..], &["-o", "e.mpiete"]] {
        let answer = mpiete(here, &[&["estimate", "t.goal", "--total-only"], words].concat());
        assert_eq!(answer.code, 2, "{}", answer.err);
    }
}

#[test]
fn mean_times_alone_have_no_interval() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("t.goal"), SCHEDULE).unwrap();
    let estimated = |rest: &[&str]| {
        done(here, &[&["estimate", "t.goal", "--platform", "fast-ethernet", "--draws"], rest].concat())
    };
    assert!(estimated(&["0"]).contains("(mean values, no interval)"));
    assert!(estimated(&["1"]).contains("(one draw, no interval)"));
    let csv = estimated(&["0", "--format", "csv"]);
    assert!(csv.contains("\ntotal,") && !csv.contains("\np10,"), "{csv}");
}
