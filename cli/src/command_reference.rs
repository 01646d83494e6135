//! Generated parts of the guide: the command reference in `docs/guide/commands.md`, with the table of exit codes, and
//! the tables of assumptions in `docs/guide/assumptions.md`.
//!
//! After a change run `UPDATE_EXPECT=1 cargo test -p cli --bin mpiete reference`.

use crate::user_assumptions::OUTCOMES;
use crate::{args, failure, interrupt, view};
use base_data::program_data::AssumptionOrigin;
use clap::{Arg, Command};
use expect_test::expect_file;
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Command reference

This page is generated from the program. `mpiete COMMAND -h` prints the options that a first user needs, `mpiete COMMAND --help` all of them.
";

/// Origins of assumptions, with the words before the predicted time of a loop count from there.
const ORIGINS: [(AssumptionOrigin, &str); 4] = [
    (
        AssumptionOrigin::Proposed,
        "*at most*, *with guessed trip counts* or *with guessed branches*",
    ),
    (AssumptionOrigin::User, "none"),
    (AssumptionOrigin::Recording, "none"),
    (AssumptionOrigin::BoundedRun, "*at least*"),
];

/// An outcome in the reference.
struct OutcomeRow {
    /// In an entry of `mpiete.toml`.
    entry: &'static str,
    /// The statements that it applies to, with its meaning for each.
    meanings: &'static [(&'static str, &'static str)],
}

/// The rows of [`OUTCOMES`], in their order.
const OUTCOME_ROWS: [OutcomeRow; OUTCOMES.len()] = [
    OutcomeRow {
        entry: "outcome = \"taken\"",
        meanings: &[
            ("IF, ELSE IF", "The condition is true."),
            ("CASE", "This case is selected."),
        ],
    },
    OutcomeRow {
        entry: "outcome = \"not-taken\"",
        meanings: &[
            ("IF, ELSE IF", "The condition is false."),
            ("CASE", "This case is never selected."),
            ("SELECT CASE", "No case is selected."),
            ("computed GOTO", "Control jumps to no label."),
            (
                "a condition with a count and a test of computed values",
                "Only the count ends the loop.",
            ),
        ],
    },
    OutcomeRow {
        entry: "outcome = \"trips\", count = N",
        meanings: &[
            ("DO WHILE, counted DO", "The loop runs N times."),
            ("DO without control", "The loop is left after N iterations."),
            (
                "IF, CASE, computed GOTO, arithmetic IF",
                "It ends the surrounding loop at its N-th evaluation.",
            ),
        ],
    },
    OutcomeRow {
        entry: "outcome = \"goto\", label = LABEL",
        meanings: &[(
            "computed GOTO, arithmetic IF",
            "Control continues at the label.",
        )],
    },
];

/// The table of exit codes, which are those of [`failure::exit_code`].
fn exit_codes() -> String {
    let rows = [
        (
            "0".to_string(),
            "The command is done. A reader that closes the pipe is no error.",
        ),
        (
            failure::PROGRAM_FAILED.to_string(),
            "The program under test or the build failed.",
        ),
        (
            failure::BAD_INPUT.to_string(),
            "Bad input: arguments, sources, files, platforms, a missing tool, or MPI calls that deadlock in an estimate.",
        ),
        (
            failure::DIFFERS.to_string(),
            "A check or comparison differs.",
        ),
        (
            format!("{} + N", interrupt::BY_SIGNAL),
            "Signal N ended the command, for example 130 after Ctrl-C.",
        ),
    ];
    let mut table = "\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n".to_string();
    for (code, meaning) in rows {
        let _ = writeln!(table, "| {code} | {meaning} |");
    }
    table
}

/// The page with `content` between the marks of this name.
fn with_section(page: &str, name: &str, content: &str) -> String {
    let begin = format!("<!-- {name} -->\n");
    let end = format!("<!-- end of {name} -->");
    let (before, rest) = page
        .split_once(&begin)
        .expect("the page has the first mark");
    let (_, after) = rest.split_once(&end).expect("the page has the last mark");
    format!("{before}{begin}{content}{end}{after}")
}

#[test]
fn reference_of_assumptions_matches_the_parser() {
    let mut outcomes =
        "| `--assume` | `mpiete.toml` | at | meaning |\n| --- | --- | --- | --- |\n".to_string();
    for (argument, row) in OUTCOMES.into_iter().zip(OUTCOME_ROWS) {
        for (statement, meaning) in row.meanings {
            let _ = writeln!(
                outcomes,
                "| `FILE:LINE={}` | `{}` | {statement} | {meaning} |",
                argument, row.entry
            );
        }
    }
    let mut origins =
        "| origin | in reports | words before the predicted time |\n| --- | --- | --- |\n"
            .to_string();
    for (origin, bound) in ORIGINS {
        let name = serde_json::to_string(&origin).expect("an origin is a word");
        let words = view::assumptions::origin(origin);
        let _ = writeln!(
            origins,
            "| `{}` | {words} | {bound} |",
            name.trim_matches('"')
        );
    }
    let page = include_str!("../../docs/guide/assumptions.md");
    let page = with_section(page, "assumption outcomes", &outcomes);
    let page = with_section(&page, "assumption origins", &origins);
    expect_file!["../../docs/guide/assumptions.md"].assert_eq(&page);
}

#[test]
fn reference_matches_the_argument_definitions() {
    let mut page = INTRODUCTION.to_string() + &exit_codes();
    let mut command = args::command();
    command.build();
    for sub in command.get_subcommands() {
        if sub.get_name() != "help" {
            push_command(&mut page, sub);
        }
    }
    expect_file!["../../docs/guide/commands.md"].assert_eq(&page);
}

fn push_command(page: &mut String, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(page, "\n## mpiete {}\n\n{about}\n", command.get_name());
    let _ = writeln!(
        page,
        "    {}\n",
        usage.trim_start_matches("Usage: ").replace('\n', "\n    ")
    );
    for heading in headings(command) {
        let _ = writeln!(page, "{heading}:\n");
        for argument in shown(command) {
            if heading_of(argument) == heading {
                push_argument(page, argument);
            }
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
}

/// The arguments that help texts show: hidden ones are old spellings.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_shown = |argument: &&Arg| {
        !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
    };
    command.get_arguments().filter(is_shown)
}

fn heading_of(argument: &Arg) -> String {
    match argument.get_help_heading() {
        Some(heading) => heading.to_string(),
        None if argument.is_positional() => "Arguments".into(),
        None => "Options".into(),
    }
}

/// Headings in the order of their first argument.
fn headings(command: &Command) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for argument in shown(command) {
        let heading = heading_of(argument);
        if !found.contains(&heading) {
            found.push(heading);
        }
    }
    found
}

fn push_argument(page: &mut String, argument: &Arg) {
    let help = argument.get_long_help().or(argument.get_help());
    let help = help
        // The first line of a long help is a sentence without its full stop.
        .map(|help| help.to_string().replace("\n\n", ". ").replace('\n', " "))
        .unwrap_or_default();
    let end = if help.ends_with(['.', '?']) { "" } else { "." };
    let _ = write!(page, "- `{}`: {help}{end}", spelling(argument));
    let takes_value = argument.get_action().takes_values();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if takes_value && !values.is_empty() {
        let _ = write!(page, " Values: {}.", values.join(", "));
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(page, " Default: {}.", defaults.join(", "));
    }
    page.push('\n');
}

/// `-n, --ranks <N>`, or the name of a positional argument.
fn spelling(argument: &Arg) -> String {
    let names: Vec<&str> = argument
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(AsRef::as_ref)
        .collect();
    if argument.is_positional() {
        return names.join(" ");
    }
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let mut text = [short, long]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    if argument.get_action().takes_values() {
        for name in names {
            let _ = write!(text, " <{name}>");
        }
    }
    text
}
