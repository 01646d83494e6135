//! Cases as files: a meta-program `NAME.meta` and the expected outputs beside it, `NAME.out`.
//!
//! The first line names the outputs and the arguments: `# case: format costs program -- -n 4 --arg 20`.
//! `UPDATE_EXPECT=1 cargo test -p meta --test it cases` rewrites the expected files.

use base_data::distribution::QUANTILES;
use base_data::program_text;
use expect_test::expect_file;
use meta::{Arguments, COST_METHODS, MetaProgram, RankCosts, Units, format_source};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Units in which a cost is a picosecond and a byte.
pub const UNITS: Units = Units {
    computation: 1.0,
    stream: 1.0,
    message: 1.0,
};

struct Header {
    outputs: Vec<String>,
    ranks: Option<u32>,
    seed: u64,
    arguments: Arguments,
}

fn header(text: &str) -> Header {
    let first = text.lines().next().unwrap_or("");
    let line = first
        .strip_prefix("# case: ")
        .expect("the first line names the outputs");
    let (outputs, options) = line.split_once(" -- ").unwrap_or((line, ""));
    let mut header = Header {
        outputs: outputs.split_whitespace().map(String::from).collect(),
        ranks: None,
        seed: 1,
        arguments: Arguments::default(),
    };
    let mut words = options.split_whitespace();
    while let Some(option) = words.next() {
        let value = words.next().expect("every option has a value");
        match option {
            "-n" => header.ranks = Some(value.parse().unwrap()),
            "--seed" => header.seed = value.parse().unwrap(),
            "--arg" => header.arguments.add(value).unwrap(),
            _ => panic!("option {option} is unknown"),
        }
    }
    header
}

fn costs_text(costs: &RankCosts) -> String {
    let mut text = String::new();
    let mut first = 0;
    for (last, costs) in &costs.costs {
        _ = write!(text, "ranks {first}-{last}:");
        for (name, value) in COST_METHODS {
            let value = value(costs);
            if value != 0.0 {
                _ = write!(text, " {name} {value}");
            }
        }
        text.push('\n');
        first = last + 1;
    }
    text
}

fn output(kind: &str, file: &str, text: &str, header: &Header) -> Result<String, String> {
    let program = MetaProgram::parse(file, text).map_err(|error| error.to_string())?;
    match kind {
        "format" => Ok(format_source(program.tree())),
        "costs" => {
            let costs = program.costs(&header.arguments, header.ranks);
            costs
                .map(|costs| costs_text(&costs))
                .map_err(|error| error.to_string())
        }
        "program" | "times" => {
            let data = program
                .base_data(&header.arguments, header.ranks, UNITS, header.seed)
                .map_err(|error| error.to_string())?;
            if kind == "program" {
                return Ok(program_text::write(&data.program));
            }
            let mut text = String::new();
            for entry in &data.compute.entries {
                let time = &entry.warm;
                // Random work has a quantile for each sample, too many to read.
                let last = time.quantiles.len() - 1;
                let shown = (0..QUANTILES).map(|i| time.quantiles[last * i / (QUANTILES - 1)]);
                _ = writeln!(
                    text,
                    "block {} {:?}: mean {} deviation {:.3} quantiles {:?}",
                    entry.block,
                    entry.terms,
                    time.mean,
                    time.standard_deviation,
                    shown.collect::<Vec<i64>>()
                );
            }
            Ok(text)
        }
        _ => panic!("output {kind} is unknown"),
    }
}

fn run(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "meta"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no cases", folder.display());
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let header = header(&text);
        let mut found = String::new();
        for kind in &header.outputs {
            let result = match output(kind, &file, &text, &header) {
                Ok(text) => text,
                Err(error) => format!("error: {error}\n"),
            };
            _ = write!(found, "-- {kind}\n{result}");
        }
        expect_file![path.with_extension("out")].assert_eq(&found);
    }
}

#[test]
fn figures_of_the_paper_have_their_outputs() {
    run("figures");
}

#[test]
fn cases_have_their_outputs() {
    run("cases");
}

#[test]
fn errors_point_at_their_place() {
    run("errors");
}

/// Formatting a formatted text changes nothing, and changes no meaning.
#[test]
fn formatted_cases_are_stable() {
    for folder in ["figures", "cases"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "meta") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let program = MetaProgram::parse("a", &text).unwrap();
            let formatted = format_source(program.tree());
            let again = MetaProgram::parse("a", &formatted)
                .unwrap_or_else(|error| panic!("{}: {error}\n{formatted}", path.display()));
            assert_eq!(program.tree(), again.tree(), "{formatted}");
            assert_eq!(format_source(again.tree()), formatted);
        }
    }
}
