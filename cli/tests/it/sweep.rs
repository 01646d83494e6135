//! `mpiete sweep` as a user meets it: files written by hand, a study that is recorded for more ranks, what is refused.

use crate::command::{done, mpiete};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::Distribution;
use base_data::format::encode;
use base_data::program_data::ProgramData;
use base_data::{BlockId, program_text};
use npb_fixtures::Pattern;
use std::path::Path;

/// Every rank computes its share and gives 8 kB to its right neighbour, ten times.
fn program(ranks: u32) -> ProgramData {
    let text = format!(
        "mpiete program text 1\nranks {ranks}\nprovenance program ring\nfile 0 ring.f\n\
         block 0 compute ring.f:20-29 in ring digest 1 term \"n\" ring.f:21\nsite 0 MPI_Init ring.f:10 digest 2\n\
         site 1 MPI_Sendrecv ring.f:30 digest 3\nsite 2 MPI_Finalize ring.f:40 digest 4\n\
         formula 0 = rank 1 + ranks mod\nformula 1 = rank ranks + 1 - ranks mod\nclass 0-{last}\n\
         init site=0\nloop 10\nblock 0 terms {share}\n\
         send-receive site=1 peer=formula:0 count=8000 receive peer=formula:1 count=8000\nend\nfinalize site=2\n",
        last = ranks - 1,
        share = 1000 / ranks
    );
    program_text::read(&text).unwrap()
}

/// A millisecond per unit of work.
fn compute() -> ComputeData {
    let entry = |work: i64| ComputeEntry {
        block: BlockId(0),
        terms: vec![work],
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: Distribution::of(vec![work * 1_000_000_000; 3]),
        disturbed: 0,
        coordinates: Vec::new(),
    };
    ComputeData {
        table: program(2).table,
        entries: [1000, 100, 10].map(entry).into(),
        ..ComputeData::default()
    }
}

/// A folder with program data for 2, 4 and 8 ranks and compute data.
fn files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for ranks in [2, 4, 8] {
        std::fs::write(
            folder.path().join(format!("p{ranks}")),
            encode(&program(ranks)),
        )
        .unwrap();
    }
    std::fs::write(folder.path().join("c"), encode(&compute())).unwrap();
    folder
}

const FILES: [&str; 5] = ["sweep", "p8", "p2", "p4", "c"];

fn sweep(folder: &Path, more: &[&str]) -> String {
    done(
        folder,
        &[&FILES[..], &["--platform", "myrinet-2001"], more].concat(),
    )
}

/// The named columns of all rows.
fn columns(csv: &str, names: &[&str]) -> Vec<Vec<String>> {
    let mut lines = csv
        .lines()
        .map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at: Vec<usize> = names
        .iter()
        .map(|name| header.iter().position(|column| column == name).unwrap())
        .collect();
    lines
        .map(|line| at.iter().map(|&at| line[at].clone()).collect())
        .collect()
}

#[test]
fn ranks_of_the_files_are_swept() {
    let folder = files();
    let text = sweep(folder.path(), &[]);
    assert!(text.contains("recommended: 8 ranks"), "{text}");
    let csv = sweep(folder.path(), &["--format", "csv"]);
    let found = columns(&csv, &["ranks", "n", "speed_up", "recommended"]);
    assert_eq!(found[0], ["2", "2", "2.000000", "no"]);
    assert_eq!(
        (
            found[1][1].as_str(),
            found[2][1].as_str(),
            found[2][3].as_str()
        ),
        ("4", "8", "yes")
    );
    let speed_up: f64 = found[2][2].parse().unwrap();
    assert!(
        speed_up > 7.9 && speed_up < 8.0,
        "communication takes a little: {speed_up}"
    );
}

#[test]
fn the_last_parameter_changes_fastest() {
    let folder = files();
    let vary = [
        "--vary",
        "ranks=8,2,speed=1x,2x",
        "--vary",
        "latency=1x,2ms",
        "--format",
        "csv",
    ];
    let csv = sweep(folder.path(), &vary);
    let found = columns(&csv, &["ranks", "speed", "latency"]);
    let expected: [[&str; 3]; 8] = [
        ["8", "1x", "1x"],
        ["8", "1x", "2ms"],
        ["8", "2x", "1x"],
        ["8", "2x", "2ms"],
        ["2", "1x", "1x"],
        ["2", "1x", "2ms"],
        ["2", "2x", "1x"],
        ["2", "2x", "2ms"],
    ];
    assert_eq!(found, expected);
    let times: Vec<f64> = columns(&csv, &["time_s"])
        .iter()
        .map(|row| row[0].parse().unwrap())
        .collect();
    // Ten messages, each 2 ms instead of 0.85 us on its way.
    assert!(
        (times[1] - times[0] - 10.0 * (2e-3 - 0.85e-6)).abs() < 1e-9,
        "{csv}"
    );
    let computed: Vec<f64> = columns(&csv, &["compute_s"])
        .iter()
        .map(|row| row[0].parse().unwrap())
        .collect();
    assert!(
        (computed[0] - 2.0 * computed[2]).abs() < 1e-9 && (computed[0] - 1.25).abs() < 0.01,
        "{csv}"
    );
    assert_eq!(csv, sweep(folder.path(), &vary), "the same again");
}

#[test]
fn sweep_equals_estimate() {
    let folder = files();
    let csv = sweep(folder.path(), &["--vary", "ranks=4", "--format", "csv"]);
    let estimated = done(
        folder.path(),
        &[
            "estimate",
            "p4",
            "c",
            "--platform",
            "myrinet-2001",
            "--format",
            "json",
        ],
    );
    let value: serde_json::Value = serde_json::from_str(&estimated).unwrap();
    let seconds = value["content"]["headline"].as_i64().unwrap() as f64 / 1e12;
    assert_eq!(
        columns(&csv, &["time_s"])[0][0].parse::<f64>().unwrap(),
        seconds
    );
}

/// What the first line of the text says, for a script.
#[test]
fn times_without_compute_data_are_marked_in_every_format() {
    let folder = files();
    let here = folder.path();
    let text = "mpiete program text 1\nranks 2\nprovenance program ring\nfile 0 ring.f\n\
        site 0 MPI_Init ring.f:10 digest 2\nsite 1 MPI_Barrier ring.f:30 digest 3\n\
        site 2 MPI_Finalize ring.f:40 digest 4\nclass 0-1\n\
        init site=0\nbarrier site=1\nfinalize site=2\n";
    let bare = program_text::read(text).unwrap();
    std::fs::write(here.join("bare"), encode(&bare)).unwrap();
    let marks = |words: &[&str]| {
        let words = [words, &["--format", "csv"]].concat();
        let csv = done(here, &[&["sweep"], &words[..]].concat());
        columns(&csv, &["communication_only", "default_platform"])
    };
    assert_eq!(marks(&["bare"]), [["yes", "yes"]]);
    let named = ["p4", "c", "--platform", "fast-ethernet"];
    assert_eq!(marks(&named), [["no", "no"]]);
    let text = done(here, &["sweep", "bare"]);
    assert!(text.contains("that of communication only"), "{text}");

    let estimated = |words: &[&str], format: &str| {
        let words = [&["estimate"], words, &["--format", format]].concat();
        done(here, &words)
    };
    let json = |words: &[&str]| {
        let value: serde_json::Value = serde_json::from_str(&estimated(words, "json")).unwrap();
        ["communication_only", "default_platform"].map(|field| value["content"][field].as_bool())
    };
    assert_eq!(json(&["bare"]), [Some(true), Some(true)]);
    assert_eq!(json(&named), [Some(false), Some(false)]);
    let csv = estimated(&["bare"], "csv");
    assert!(csv.contains("total,,communication only,"), "{csv}");
    assert!(csv.contains("default_platform,,fast-ethernet,"), "{csv}");
    let csv = estimated(&named, "csv");
    assert!(csv.contains("total,,,"), "{csv}");
    assert!(csv.contains("\nplatform,,fast-ethernet,"), "{csv}");
}

#[test]
fn thresholds_splits_and_platforms_are_varied() {
    let folder = files();
    let time = |more: &[&str]| -> Vec<f64> {
        let csv = sweep(
            folder.path(),
            &[&["-n", "4", "--format", "csv"], more].concat(),
        );
        columns(&csv, &["time_s"])
            .iter()
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    let threshold = time(&["--vary", "eager-threshold=16383,4000"]);
    assert!(
        threshold[1] > threshold[0],
        "a handshake costs: {threshold:?}"
    );
    let split = time(&["--vary", "split=8000,4000"]);
    assert!(
        split[1] < split[0],
        "the second piece is sent while the first is on its way: {split:?}"
    );
    let platforms = time(&["--vary", "platform=myrinet-2001,fast-ethernet-2001,cenju-4"]);
    assert!(
        platforms[1] > platforms[0] && platforms[2] != platforms[0],
        "{platforms:?}"
    );
}

#[test]
fn every_format_is_written() {
    let folder = files();
    let json: serde_json::Value =
        serde_json::from_str(&sweep(folder.path(), &["--format", "json"])).unwrap();
    assert_eq!(
        (
            json["kind"].as_str(),
            json["content"]["rows"].as_array().unwrap().len()
        ),
        (Some("sweep"), 3)
    );
    let page = sweep(folder.path(), &["--format", "html"]);
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.matches("</svg>").count() == 2,
        "{page}"
    );
    assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    sweep(folder.path(), &["--format", "svg", "-o", "plot.svg"]);
    assert!(
        std::fs::read_to_string(folder.path().join("plot.svg"))
            .unwrap()
            .starts_with("<svg")
    );
}

#[test]
fn invalid_sweeps_are_rejected() {
    let folder = files();
    let cases: [(&[&str], &str); 8] = [
        (
            &["--vary", "ranks=3"],
            "no program data for 3 ranks are among the files (there are those for 2, 4, 8)",
        ),
        (
            &["--vary", "latency=fast"],
            "--vary latency: 'fast' is not one of the factors or times",
        ),
        (
            &["--vary", "platform=t3e", "-n", "4"],
            "platform=t3e: platform t3e: there is no such file",
        ),
        (
            &[
                "--vary",
                "ranks=8",
                "--vary",
                "ranks-per-node=4",
                "--platform",
                "mpiete-2004",
                "--vary",
                "model=loggps-p",
                "--vary",
                "eager-threshold=10",
            ],
            "model 'loggps-p' has no parameter for eager-threshold",
        ),
        (&["--vary", "split=0"], "--vary split: '0' is not one of"),
        (
            &["--vary", "split=1,4000", "-n", "4"],
            "split=1: a started message of 8000 bytes would be sent in more than 1000",
        ),
        (&["--efficiency", "50"], "--efficiency 50 is not between"),
        (
            &["p4"],
            "p4 contains program data for 4 ranks, as another file does",
        ),
    ];
    for (more, expected) in cases {
        let named = more.contains(&"--platform");
        let platform: &[&str] = if named {
            &[]
        } else {
            &["--platform", "myrinet-2001"]
        };
        let answer = mpiete(
            folder.path(),
            &[&FILES[..], platform, more, &["-o", "out"]].concat(),
        );
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (2, ""),
            "{more:?}: {}",
            answer.err
        );
        assert!(
            answer.err.contains(expected) && answer.err.lines().count() == 1,
            "{more:?}: {}",
            answer.err
        );
        assert!(!folder.path().join("out").exists(), "{more:?}");
    }
}

#[test]
fn a_study_is_recorded_for_more_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ring = Pattern::named("ring")
        .unwrap()
        .source()
        .display()
        .to_string();
    let swept = |what: &str, vary: &str| {
        done(
            here,
            &[
                "sweep",
                what,
                "--vary",
                vary,
                "--platform",
                "fast-ethernet",
                "--study",
                "s",
                "--format",
                "csv",
            ],
        )
    };
    let first = swept(&ring, "ranks=2,3");
    assert_eq!(columns(&first, &["n"]), [["2"], ["3"]]);
    let more = swept("s", "ranks=2..6+2");
    assert_eq!(columns(&more, &["n"]), [["2"], ["4"], ["6"]]);
    assert!(
        here.join("s/program-n6.mpiete").is_file() && !here.join("s/compute-n6.mpiete").exists()
    );
}

/// What cannot be estimated is not recorded.
#[test]
fn a_study_without_compute_data_is_refused_before_it_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let ring = Pattern::named("ring")
        .unwrap()
        .source()
        .display()
        .to_string();
    done(here, &["prepare", &ring, "-o", "s"]);
    let answer = mpiete(
        here,
        &[
            "sweep",
            "s",
            "--vary",
            "ranks=2,3",
            "--platform",
            "fast-ethernet",
        ],
    );
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (2, ""),
        "{}",
        answer.err
    );
    assert!(
        answer
            .err
            .contains("s contains no compute data; create them with `mpiete measure s -n 2`"),
        "{}",
        answer.err
    );
    assert!(
        !answer.err.contains("recording") && !here.join("s/program-n2.mpiete").exists(),
        "{}",
        answer.err
    );
}

/// The mean-value estimate of each point, as `estimate` gives it; without draws there is no interval.
#[test]
fn without_draws_there_is_no_interval() {
    let folder = files();
    let csv = sweep(folder.path(), &["--draws", "0", "--format", "csv"]);
    let rows = columns(&csv, &["n", "p10_s", "p90_s", "time_s"]);
    assert_eq!(rows.len(), 3, "{csv}");
    for row in rows {
        assert_eq!([row[1].as_str(), row[2].as_str()], ["", ""], "{csv}");
        let program = format!("p{}", row[0]);
        let words = [
            "--platform",
            "myrinet-2001",
            "--draws",
            "0",
            "--format",
            "json",
        ];
        let estimated = done(
            folder.path(),
            &[&["estimate", &program, "c"], &words[..]].concat(),
        );
        let value: serde_json::Value = serde_json::from_str(&estimated).unwrap();
        let seconds = value["content"]["headline"].as_i64().unwrap() as f64 / 1e12;
        assert_eq!(row[3].parse::<f64>().unwrap(), seconds, "{csv}");
    }
}

/// Under mpirun, the same points give the same file with any number of processes; only the leader records and prints errors.
#[cfg(feature = "mpi")]
#[test]
fn mpi_processes_share_a_sweep() {
    let folder = files();
    let here = folder.path();
    let under = |processes: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new("mpirun.mpich");
        command
            .args(["-n", processes, env!("CARGO_BIN_EXE_mpiete")])
            .args(arguments)
            .current_dir(here);
        crate::command::answer(&mut command)
    };
    let vary = [
        "--vary",
        "ranks=2,4,8,latency=1x,2x",
        "--platform",
        "myrinet-2001",
        "--format",
        "csv",
    ];
    let arguments = [&FILES[..], &vary].concat();
    let alone = done(here, &arguments);
    for processes in ["1", "2", "3", "7"] {
        let answer = under(processes, &arguments);
        assert_eq!(
            (answer.code, answer.out.as_str()),
            (0, alone.as_str()),
            "{processes}: {}",
            answer.err
        );
    }
    let refused = under(
        "3",
        &[
            &FILES[..],
            &["--vary", "ranks=3", "--platform", "myrinet-2001"],
        ]
        .concat(),
    );
    assert_eq!(
        (
            refused.code,
            refused.err.matches("no program data for 3 ranks").count()
        ),
        (2, 1),
        "{}",
        refused.err
    );
    let ring = Pattern::named("ring")
        .unwrap()
        .source()
        .display()
        .to_string();
    let study = [
        "sweep",
        &ring,
        "--vary",
        "ranks=2,3",
        "--platform",
        "myrinet-2001",
        "--study",
        "s",
        "--format",
        "csv",
    ];
    let recorded = under("2", &study);
    assert_eq!(
        columns(&recorded.out, &["n"]),
        [["2"], ["3"]],
        "{}",
        recorded.err
    );
}

#[test]
fn estimates_on_other_numbers_of_ranks_are_compared() {
    let folder = files();
    let here = folder.path();
    for (program, platform) in [("p2", "myrinet-2001"), ("p8", "myrinet-2001")] {
        done(
            here,
            &[
                "estimate",
                program,
                "c",
                "--platform",
                platform,
                "-o",
                &format!("e{program}"),
            ],
        );
    }
    let text = done(here, &["compare", "ep2", "ep8"]);
    assert!(
        text.contains("3.99 times as fast") && text.contains("1.001 times as many core-hours"),
        "{text}"
    );
    let csv = done(here, &["compare", "ep2", "ep8", "--format", "csv"]);
    let rows = columns(&csv, &["kind", "function", "a", "b", "difference", "share"]);
    let sum = |kind: &str, column: usize| -> f64 {
        rows.iter()
            .filter(|row| row[0] == kind)
            .map(|row| row[column].parse::<f64>().unwrap_or(0.0))
            .sum()
    };
    for kind in ["category", "place"] {
        let parts: Vec<bool> = (2..5)
            .map(|column| (sum(kind, column) - sum("mean", column)).abs() < 1e-10)
            .collect();
        assert!(
            parts == [true; 3] && (sum(kind, 5) - 1.0).abs() < 1e-6,
            "{kind} adds up: {csv}"
        );
    }
    let json = done(here, &["compare", "ep2", "ep8", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["kind"],
        "estimates"
    );
    done(
        here,
        &[
            "compare",
            "ep2",
            "ep8",
            "--format",
            "html",
            "-o",
            "page.html",
        ],
    );
}

/// Of other tools' files, one is a program with its compute times.
#[test]
fn traces_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let text = "num_ranks 2\nrank 0 {\nl1: send 8000b to 1 tag 1\n}\nrank 1 {\nl1: recv 8000b from 0 tag 1\n}\n";
    std::fs::write(folder.path().join("one.goal"), text).unwrap();
    let words = [
        "sweep",
        "one.goal",
        "--vary",
        "latency=1x,2x",
        "--platform",
        "myrinet-2001",
        "--format",
        "csv",
    ];
    let table = done(folder.path(), &words);
    assert_eq!(table.lines().count(), 3, "{table}");
}

/// Every algorithm of a collective is a point of the sweep.
#[test]
fn algorithms_of_a_collective_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "mpiete program text 1\nranks 4\nclass 0-3\nallreduce count=8192 type=real8 op=sum\n";
    let program = program_text::read(text).unwrap();
    std::fs::write(folder.path().join("p"), encode(&program)).unwrap();
    let sweep = |vary: &str| {
        let platform = ["--platform", "myrinet-2001", "--format", "csv"];
        done(
            folder.path(),
            &[&["sweep", "p", "--vary", vary][..], &platform].concat(),
        )
    };
    let names = ["allreduce", "time_s"];
    let all = columns(&sweep("allreduce=*"), &names);
    let known: Vec<&str> = all.iter().map(|row| row[0].as_str()).collect();
    for name in ["recursive-doubling", "rabenseifner", "ring", "linear"] {
        assert!(known.contains(&name), "{known:?}");
    }
    let of = |name: &str| columns(&sweep(&format!("allreduce={name}")), &names)[0][1].clone();
    for row in &all {
        assert_eq!(row[1], of(&row[0]), "{row:?}");
    }
    // Of the linear one, six whole operands pass rank 0; of the ring, six quarters.
    let time = |name: &str| of(name).parse::<f64>().unwrap();
    assert!(time("ring") < time("linear"));

    let output = mpiete(
        folder.path(),
        &[
            "sweep",
            "p",
            "--platform",
            "myrinet-2001",
            "--vary",
            "allreduce=best",
        ],
    );
    assert_eq!(output.code, 2);
    assert!(
        output.err.contains("is no algorithm of it"),
        "{}",
        output.err
    );
}
