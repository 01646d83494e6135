//! The communication probe under a real MPI library: compiles without warnings, prints samples,
//! refuses what it cannot measure.

use instrumenter::comm_probe::{Settings, generate};
use npb_fixtures::skipped::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Debian's names: `mpif90` alone may be any library's.
const COMPILER: &str = "mpif90.mpich";
/// Languages, and strict flags for each.
const FORTRAN: [&str; 2] = ["LANGUAGE=fortran", "MPIFLAGS=-O1 -Wall -Wextra -std=f2008"];
const C: [&str; 2] = [
    "LANGUAGE=c",
    "MPIFLAGS=-O1 -Wall -Wextra -std=c99 -pedantic",
];
const LAUNCHER: &str = "mpirun.mpich";

/// The probe, compiled in a folder of its own; `None`, with a printed line, without MPICH.
fn compiled(folder: &str, language: [&str; 2], settings: &Settings) -> Option<PathBuf> {
    if Command::new(COMPILER).arg("-show").output().is_err() {
        skip(&format!(
            "there is no {COMPILER}; install mpich and gfortran"
        ));
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in generate(settings) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let compilers = ["MPIFC=mpif90.mpich", "MPICC=mpicc.mpich"];
    // A make around the tests would have this one announce its folder.
    let mut make = Command::new("make");
    make.arg("-B")
        .args(language)
        .args(compilers)
        .current_dir(&folder)
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL");
    let made = make.output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{said}");
    assert_eq!(said.lines().count(), 1, "more than the command: {said}");
    assert!(made.stdout.is_empty());
    Some(folder)
}

fn run(folder: &Path, ranks: u32, argument: &str) -> Output {
    let ranks = ranks.to_string();
    let mut command = Command::new(LAUNCHER);
    command
        .args(["-n", &ranks, "./comm_probe", argument])
        .current_dir(folder);
    command.env_remove("MPIETE_LINK").output().unwrap()
}

#[test]
fn prints_samples() {
    let settings = Settings {
        largest: 100,
        step: Some(48),
        repetitions: 5,
        milliseconds_per_size: 1000,
    };
    let Some(folder) = compiled("samples", FORTRAN, &settings) else {
        return;
    };
    let output = run(&folder, 2, "inside-node");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let of = |word: &str| -> Vec<&str> {
        let lines = text.lines();
        lines.filter(|line| line.starts_with(word)).collect()
    };
    let (comments, mut samples) = (of("#"), of("mpiete-sample"));
    assert_eq!(comments.last(), Some(&"# end of samples"));
    let poll = samples.pop().unwrap();
    assert!(
        poll.starts_with("mpiete-sample poll inside-node 2 0 0 "),
        "{poll}"
    );
    // Two numbers of elements of each; no send of so short messages waits for its receive.
    let reductions = of("mpiete-reduction");
    assert_eq!(reductions.len(), 2 * (4 + 4 + 6 + 6 + 4), "{reductions:?}");
    let column = |line: &str, place: usize| line.split(' ').nth(place).unwrap().to_owned();
    for pair in reductions.chunks(2) {
        assert_eq!(
            [column(pair[0], 1), column(pair[0], 2)],
            [column(pair[1], 1), column(pair[1], 2)]
        );
        let time = |line| column(line, 4).parse::<u64>().unwrap();
        assert!(time(pair[0]) < time(pair[1]), "{pair:?}");
    }
    let settings = of("mpiete-setting");
    assert_eq!(settings.len(), 1, "{settings:?}");
    assert!(
        settings[0].starts_with("mpiete-setting eager-credit "),
        "{settings:?}"
    );
    let all = samples.len() + 1 + reductions.len() + settings.len() + comments.len();
    assert_eq!(text.lines().count(), all, "{text}");
    assert!(
        comments[0].starts_with("# MPI library: MPICH"),
        "{comments:?}"
    );
    let kinds = [
        "ping-pong inside-node 2 {} 0",
        "receive inside-node 2 {} 0",
        "blocking-send inside-node 2 {} 0",
        "to-self to-self 2 {} 0",
        "exchange inside-node 2 {} 0",
        "delayed inside-node 2 {} w",
        "blocking-send inside-node 2 {} w",
        "late-receive inside-node 2 {} 0",
        "nonblocking-send inside-node 2 {} 0",
        "nonblocking-receive inside-node 2 {} 0",
        "wait inside-node 2 {} 0",
        "flood inside-node 2 {} 0",
    ];
    let mut expected = Vec::new();
    for bytes in [0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 100] {
        for kind in kinds {
            expected.push(format!(
                "mpiete-sample {}",
                kind.replace("{}", &bytes.to_string())
            ));
        }
    }
    let mut found = Vec::new();
    for line in &samples {
        let mut columns: Vec<&str> = line.split(' ').take(6).collect();
        // The delay is as long as a round trip of this machine takes.
        if columns[5] != "0" {
            columns[5] = "w";
        }
        found.push(columns.join(" "));
    }
    // Disturbed sizes are measured again in the end.
    let (first, again) = found.split_at(expected.len().min(found.len()));
    assert_eq!(first, expected);
    assert!(
        again.iter().all(|sample| expected.contains(sample)),
        "{again:?}"
    );
    assert!(again.len() <= 3 * expected.len(), "{again:?}");
    for line in samples {
        let times: Vec<u64> = line
            .split(' ')
            .skip(6)
            .map(|column| column.parse().unwrap())
            .collect();
        let [median, minimum, _, repetitions] = times[..] else {
            panic!("{line}")
        };
        assert!(minimum <= median && repetitions == 5, "{line}");
    }
}

#[test]
fn refuses_in_a_sentence() {
    let settings = Settings {
        largest: 8,
        ..Settings::default()
    };
    for (name, language) in [("refusals", FORTRAN), ("refusals-c", C)] {
        if let Some(folder) = compiled(name, language, &settings) {
            refuses(&folder);
        }
    }
}

fn refuses(folder: &Path) {
    let cases = [
        (1, "inside-node", "comm_probe: needs 2 ranks or more"),
        (
            2,
            "tin-cans",
            "comm_probe: the link 'tin-cans' is not one of",
        ),
    ];
    for (ranks, argument, sentence) in cases {
        let output = run(folder, ranks, argument);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains(sentence), "{said}");
    }
}

#[test]
fn collectives_are_measured_by_kind_and_length() {
    let settings = Settings {
        largest: 40,
        repetitions: 3,
        ..Settings::default()
    };
    let Some(folder) = compiled("collectives", FORTRAN, &settings) else {
        return;
    };
    let output = run(&folder, 3, "collectives");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.ends_with("# end of samples\n"), "{text}");
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split(' ').take(5).collect();
        found.push(columns.join(" "));
    }
    let mut expected = vec!["mpiete-collective barrier 3 3 0".to_owned()];
    for kind in [
        "broadcast",
        "reduce",
        "allreduce",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce-scatter",
        "scan",
        "exclusive-scan",
    ] {
        for bytes in [8, 32] {
            expected.push(format!("mpiete-collective {kind} 3 3 {bytes}"));
        }
    }
    assert_eq!(found, expected);
}

/// The lines of both languages without their times: kinds, links, ranks and lengths. Logical numbers are integers in C.
#[test]
fn both_languages_have_the_same_plan() {
    // A send that other programs delay seems to wait for its receive, and then longer ones are not measured.
    const MOST_RUNS: usize = 5;
    let settings = Settings {
        largest: 20_000,
        repetitions: 9,
        milliseconds_per_size: 1,
        ..Settings::default()
    };
    let (Some(fortran), Some(c)) = (
        compiled("plan", FORTRAN, &settings),
        compiled("plan-c", C, &settings),
    ) else {
        return;
    };
    for (argument, ranks) in [("inside-node", 2), ("inside-node", 3), ("collectives", 2)] {
        let plan_of = |folder: &Path| {
            let output = run(folder, ranks, argument);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{error}");
            plan(&String::from_utf8(output.stdout).unwrap())
        };
        for run in 1..=MOST_RUNS {
            let (one, other) = (plan_of(&fortran), plan_of(&c));
            assert!(one.len() > 20, "{one:?}");
            if one == other {
                break;
            }
            assert!(run < MOST_RUNS, "{argument}: {one:#?} {other:#?}");
        }
    }
}

/// The first columns of each line, once. Lengths on the way to the eager limit depend on times.
fn plan(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split(' ').collect();
        let kept = match columns[0] {
            "mpiete-sample" if columns[5] != "0" && columns[1] == "blocking-send" => continue,
            "mpiete-sample" => columns[..5].join(" "),
            "mpiete-reduction" => columns[..4].join(" ").replace("logical4", "integer4"),
            "mpiete-collective" => columns[..5].join(" "),
            "mpiete-setting" => columns[..2].join(" "),
            _ => continue,
        };
        lines.push(kept);
    }
    lines.sort();
    lines.dedup();
    lines
}
