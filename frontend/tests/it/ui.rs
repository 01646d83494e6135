//! The cases of `tests/ui`: programs, and the outputs of the frontend that their first lines ask for. The outputs are
//! the functions of [`crate::outputs`].
//!
//! `UI_CASE=NAME` restricts the run to cases whose path contains NAME; `UPDATE_EXPECT=1` writes the expected files.

use crate::harness::analyse_file;
use crate::outputs;
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::language::Dialect;
use frontend::options::{AssumptionRequest, Options, Proposals, SectionRequest};
use npb_fixtures::ui::{self, Source};
use std::path::Path;

/// Says on a line what is assumed of its condition or bound.
const ASSUME: &str = "!assume: ";

/// Marks the first and the last line of a section.
const SECTION: &str = "!section";

fn outcome(words: &str) -> Result<AssumedOutcome, String> {
    let words = words.trim();
    if let Some(count) = words.strip_prefix("trips ") {
        let count = count.parse().map_err(|_| format!("`{words}`: no count"))?;
        return Ok(AssumedOutcome::Trips(count));
    }
    match words {
        "taken" => Ok(AssumedOutcome::Taken),
        "not taken" => Ok(AssumedOutcome::NotTaken),
        _ => Err(format!(
            "`{ASSUME}{words}`: write taken, not taken or trips N"
        )),
    }
}

fn options(source: &Source) -> Result<Options, String> {
    let mut options = Options::default();
    for (index, line) in source.lines().iter().enumerate() {
        let Some((_, words)) = line.split_once(ASSUME) else {
            continue;
        };
        options.assumptions.push(AssumptionRequest {
            file: source.file.clone(),
            line: index as u32 + 1,
            outcome: outcome(words)?,
            origin: AssumptionOrigin::User,
        });
    }
    if let Some(first) = source.marked(SECTION) {
        let lines = source.lines();
        let last = lines.iter().rposition(|line| line.contains(SECTION));
        options.section = Some(SectionRequest::Lines {
            file: source.file.clone(),
            first: first as u32,
            last: last.map_or(first, |index| index + 1) as u32,
        });
    }
    for (name, value) in &source.options {
        match name.as_str() {
            "timed" => options.section = Some(SectionRequest::Timed),
            "procedure" => options.section = Some(SectionRequest::Procedure(value.clone())),
            "data-only" => options.data_only.push(value.clone()),
            "propose-all" => options.proposals = Proposals::All,
            "propose-none" => options.proposals = Proposals::None,
            "define" => {
                let (name, text) = value.split_once('=').unwrap_or((value, ""));
                options.dialect = Dialect {
                    defines: vec![(name.into(), text.into())],
                };
            }
            _ => return Err(format!("there is no option --{name}")),
        }
    }
    Ok(options)
}

fn render(source: &Source, output: &str) -> Result<String, String> {
    let analysed = analyse_file(&source.file, &source.text, &options(source)?);
    let found = match output {
        "slice" => outputs::slice(&analysed),
        "diagnostics" => outputs::diagnostics(&analysed),
        "levels" => outputs::levels(&analysed),
        "terms" => outputs::terms(&analysed),
        "work" => outputs::work(&analysed),
        "blocks" => outputs::blocks(&analysed),
        "parts" => outputs::parts(&analysed),
        "loops" => outputs::loops(&analysed),
        "counting" => outputs::counting(&analysed),
        "section" => outputs::section(&analysed),
        "order" => outputs::order(&analysed),
        "assumptions" => outputs::assumptions(&analysed),
        _ => return Err(format!("there is no output `{output}`")),
    };
    if found.is_empty() {
        return Ok("none".to_string());
    }
    Ok(found)
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

/// One test for each folder, so that they run side by side.
macro_rules! areas {
    ($($area:ident)+) => {
        $(
            #[test]
            fn $area() {
                let accept = concat!("cargo test -p frontend --test it ui::", stringify!($area));
                ui::check(&folder().join(stringify!($area)), accept, &render);
            }
        )+

        #[test]
        fn every_folder_is_tested() {
            for entry in std::fs::read_dir(folder()).expect("the folder of cases") {
                let name = entry.expect("an entry").file_name();
                let name = name.to_string_lossy();
                // `ir` is tested beside the grammar, since the IR is no part of the public interface.
                let areas = [$(stringify!($area),)+ "ir"];
                assert!(areas.contains(&&*name), "tests/ui/{name} is in no list of areas");
            }
        }
    };
}

areas! { assumptions blocks loops messages order section slice terms work }
