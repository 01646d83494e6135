//! The communication probe under a real MPI library: compiles without warnings, prints samples,
//! refuses what it cannot measure.

use instrumenter::comm_probe::{Settings, generate};
use npb_fixtures::skipped::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Debian's names: `mpif90` alone may be any library's.
const COMPILER: &str = "mpif90.mpich";
const LAUNCHER: &str = "mpirun.mpich";

/// The probe, compiled in a folder of its own; `None`, with a printed line, without MPICH.
fn compiled(folder: &str, settings: &Settings) -> Option<PathBuf> {
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
    let flags = [
        "MPIFLAGS=-O1 -Wall -Wextra -std=f2008",
        "MPIFC=mpif90.mpich",
    ];
    // A make around the tests would have this one announce its folder.
    let mut make = Command::new("make");
    make.arg("-B")
        .args(flags)
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
    let Some(folder) = compiled("samples", &settings) else {
        return;
    };
    let output = run(&folder, 2, "inside-node");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let (comments, samples): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
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
    let Some(folder) = compiled(
        "refusals",
        &Settings {
            largest: 8,
            ..Settings::default()
        },
    ) else {
        return;
    };
    let cases = [
        (1, "inside-node", "comm_probe: needs 2 ranks or more"),
        (
            2,
            "tin-cans",
            "comm_probe: the link 'tin-cans' is not one of",
        ),
    ];
    for (ranks, argument, sentence) in cases {
        let output = run(&folder, ranks, argument);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains(sentence), "{said}");
    }
}
