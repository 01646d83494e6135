//! Master/worker programs from the command line: reports, the example of the guide, samples, and bad input.

use crate::command::{done, mpiete, root};
use std::path::Path;

/// Nine measured tasks of 33 × 17.
const TABLE: &str = "row,column,seconds\n1,1,1e-3\n1,9,2e-3\n1,17,1e-3\n17,1,2e-3\n17,9,4e-3\n17,17,2e-3\n33,1,1e-3\n33,9,2e-3\n33,17,1e-3\n";

/// A folder with `tasks.csv` and further files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tasks.csv"), TABLE).unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let words = [
        &["tasks", "tasks.csv", "--platform", "fast-ethernet"],
        arguments,
    ]
    .concat();
    done(folder, &words)
}

#[test]
fn one_estimate_is_reported_in_detail() {
    let folder = folder(&[]);
    let text = run(folder.path(), &["-n", "5"]);
    for expected in [
        "tasks.csv on 5 ranks of fast-ethernet (model loggps-p)",
        "561: row = 1..33, column = 1..17",
        "9 (1.6 %), 16.00 ms together; the times of the others are interpolated",
        "the error of the interpolation is unknown: measure a random sample",
        "receive overhead",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn several_estimates_are_a_table_with_the_fastest() {
    let folder = folder(&[]);
    let all = [
        "-n",
        "4..16+4",
        "--masters",
        "1,2",
        "--chunk",
        "1,8",
        "--format",
        "csv",
    ];
    let csv = run(folder.path(), &all);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 4 * 2 * 2, "{csv}");
    assert_eq!(
        rows[0][..6],
        [
            "n",
            "masters",
            "chunk",
            "platform_name",
            "model_name",
            "time_s"
        ]
    );
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let column = |name: &str| rows[0].iter().position(|known| *known == name).unwrap();
    let time = |row: &Vec<&str>| row[column("time_s")].parse::<f64>().unwrap();
    let fastest: Vec<_> = rows
        .iter()
        .filter(|row| row[column("fastest")] == "yes")
        .collect();
    let least = rows[1..].iter().map(time).fold(f64::INFINITY, f64::min);
    assert_eq!((fastest.len(), time(fastest[0])), (1, least));
    let text = run(folder.path(), &all[..6]);
    assert!(
        text.contains("16 estimates of tasks.csv on fast-ethernet") && text.contains("fastest"),
        "{text}"
    );
    let json = run(folder.path(), &["-n", "4,8", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["kind"], "tasks");
    let estimates = value["content"]["estimates"].as_array().unwrap();
    assert_eq!(estimates[1]["run"]["workers"].as_array().unwrap().len(), 7);
}

/// All tasks take 2 ms longer than interpolated. The sample has equal residuals, so no error remains.
#[test]
fn sample_corrects_the_time() {
    let folder = folder(&[]);
    let points = run(folder.path(), &["--sample", "40"]);
    assert_eq!(points, run(folder.path(), &["--sample", "40"]));
    assert_ne!(
        points,
        run(folder.path(), &["--sample", "40", "--seed", "2"])
    );
    let mut lines = points.lines();
    assert_eq!(lines.next(), Some("row,column"));
    let mut sample = String::from("row,column,seconds\n");
    for line in lines {
        let (row, column) = line.split_once(',').unwrap();
        // The table is a product of two such functions.
        let hat = |value: &str, middle: f64| {
            2.0 - (value.parse::<f64>().unwrap() - middle).abs() / (middle - 1.0)
        };
        let seconds = 1e-3 * hat(row, 17.0) * hat(column, 9.0) + 2e-3;
        sample += &format!("{line},{seconds}\n");
    }
    std::fs::write(folder.path().join("sample.csv"), sample).unwrap();
    let time = |arguments: &[&str]| {
        let csv = run(
            folder.path(),
            &[&["-n", "5", "--format", "csv"], arguments].concat(),
        );
        let row: Vec<String> = csv
            .lines()
            .nth(1)
            .unwrap()
            .split(',')
            .map(String::from)
            .collect();
        [5, 6, 7].map(|column| row[column].parse::<f64>().ok())
    };
    let [plain, none, _] = time(&[]);
    let [corrected, p10, p90] = time(&["--check", "sample.csv"]);
    assert_eq!(none, None);
    let ratio = corrected.unwrap() / plain.unwrap();
    assert!((1.6..2.2).contains(&ratio), "{ratio}");
    assert!((p90.unwrap() - p10.unwrap()) / corrected.unwrap() < 1e-6);
    let text = run(folder.path(), &["-n", "5", "--check", "sample.csv"]);
    assert!(text.contains("% by the sample (80 % between"), "{text}");
    assert!(
        text.contains("40 tasks in 20 strata") && text.contains("(80 % between"),
        "{text}"
    );
    assert!(!text.contains("is unknown"), "{text}");
}

/// Workers of half the speed take twice the time of each task.
#[test]
fn speeds_of_workers_are_those_of_the_platform() {
    let bundled = done(&root(), &["show", "fast-ethernet", "--format", "json"]);
    assert!(bundled.contains("loggps-p"));
    let text =
        std::fs::read_to_string(root().join("machine/src/platforms/fast-ethernet.toml")).unwrap();
    let unequal = text.replace(
        "pu = \"as measured\"",
        "pu = [{ first_node = 0, nodes = 2 }, { first_node = 2, nodes = 62, speed = 0.5 }]",
    );
    let folder = folder(&[("unequal.toml", &unequal)]);
    let json = done(
        folder.path(),
        &[
            "tasks",
            "tasks.csv",
            "-n",
            "3",
            "--platform",
            "unequal.toml",
            "--format",
            "json",
        ],
    );
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let workers = value["content"]["estimates"][0]["run"]["workers"]
        .as_array()
        .unwrap()
        .clone();
    let tasks = |worker: usize| workers[worker]["tasks"].as_f64().unwrap();
    assert!((tasks(0) / tasks(1) - 2.0).abs() < 0.2, "{workers:?}");
    assert!(json.contains("speeds of unequal PUs"), "{json}");
}

#[test]
fn bad_input_is_reported_with_its_place() {
    let files = [
        ("line.csv", "i,seconds\n1,x\n"),
        ("gap.csv", "i,j,seconds\n1,1,1\n1,2,1\n2,1,1\n"),
        ("other.csv", "i,seconds\n1,1\n2,1\n3,1\n4,1\n"),
        ("outside.csv", "row,column,seconds\n1,1,1\n99,1,1\n"),
        ("binary.csv", "\u{0}\n"),
    ];
    let folder = folder(&files);
    let cases: &[(&[&str], &str)] = &[
        (&["none.csv", "-n", "4"], "none.csv cannot be read"),
        (
            &["line.csv", "-n", "4"],
            "line.csv:2: 'x' is no time; write seconds",
        ),
        (
            &["gap.csv", "-n", "4"],
            "gap.csv: the task i = 2, j = 2 is missing",
        ),
        (&["binary.csv", "-n", "4"], "binary.csv:1:"),
        (&["tasks.csv"], "--ranks <LIST>"),
        (
            &["tasks.csv", "-n", "1"],
            "each master needs a rank of its own and a worker",
        ),
        (&["tasks.csv", "-n", "0"], "-n 0: write numbers from 1 to"),
        (&["tasks.csv", "-n", "x"], "-n x: 'x' is no number"),
        (&["tasks.csv", "-n", "4,4"], "-n 4,4: 4 is given twice"),
        (&["tasks.csv", "-n", "65"], "has room for 64 ranks"),
        (
            &["tasks.csv", "-n", "4", "--chunk", "0"],
            "--chunk 0: write numbers from 1",
        ),
        (
            &["tasks.csv", "-n", "4", "--masters", "3"],
            "4 ranks with 3 masters",
        ),
        (
            &["tasks.csv", "-n", "4", "--result-bytes", "4T"],
            "write bytes as 8, or as 8+4",
        ),
        (
            &["tasks.csv", "-n", "4", "--range", "row=1..34"],
            "tasks.csv: row = 34 is not measured",
        ),
        (
            &["tasks.csv", "-n", "4", "--range", "i=1..4"],
            "the table has no parameter i",
        ),
        (
            &["tasks.csv", "-n", "4", "--check", "other.csv"],
            "other.csv: its parameters are i",
        ),
        (
            &["tasks.csv", "-n", "4", "--check", "outside.csv"],
            "outside.csv:3: there is no task row = 99",
        ),
        (
            &["tasks.csv", "--sample", "3"],
            "--sample 3: a sample of 3 of 561 tasks",
        ),
        (
            &["tasks.csv", "-n", "4", "--platform", "nothing"],
            "platform nothing",
        ),
    ];
    for (arguments, expected) in cases {
        let words = [&["tasks"], *arguments].concat();
        let answer = mpiete(folder.path(), &words);
        assert_eq!(
            answer.code, 2,
            "{arguments:?}: {}{}",
            answer.out, answer.err
        );
        assert!(
            answer.err.contains(expected),
            "{arguments:?}: {}",
            answer.err
        );
        assert!(!answer.err.contains("panicked"), "{}", answer.err);
    }
}

/// Commands of a page and what they print, in indented blocks; each begins with `$ mpiete`.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("    $ mpiete ") {
            found.push((command.into(), String::new()));
            is_open = true;
        } else if is_open && (line.is_empty() || line.starts_with("    ")) {
            let (_, output) = found.last_mut().unwrap();
            *output += line.strip_prefix("    ").unwrap_or("");
            output.push('\n');
        } else {
            is_open = false;
        }
    }
    found
}

/// The text of the fenced block that begins with a comment with this name.
fn listed_file(page: &str, name: &str) -> String {
    let begin = format!("```\n# {name}\n");
    let (_, rest) = page.split_once(&begin).expect("the page lists the file");
    rest.split("```").next().unwrap_or("").into()
}

#[test]
fn examples_of_the_guide_are_real() {
    let page = std::fs::read_to_string(root().join("docs/guide/tasks.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["render.csv", "sample.csv"] {
        std::fs::write(folder.path().join(name), listed_file(&page, name)).unwrap();
    }
    let examples = examples(&page);
    assert!(examples.len() >= 3, "{examples:?}");
    for (command, printed) in examples {
        let words: Vec<&str> = command.split_whitespace().collect();
        let found = done(folder.path(), &words);
        let shown = printed.trim_end();
        // A page may show the first lines only.
        match shown.strip_suffix("\n…") {
            Some(beginning) => assert!(found.starts_with(beginning), "mpiete {command}:\n{found}"),
            None => assert_eq!(found.trim_end(), shown, "mpiete {command}"),
        }
    }
}
