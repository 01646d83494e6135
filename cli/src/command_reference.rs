//! The command reference in `docs/guide/commands.md`, generated from the argument definitions.
//!
//! After a change of [`crate::args`] run `UPDATE_EXPECT=1 cargo test -p cli command_reference`.

use crate::args::Arguments;
use clap::{Arg, Command, CommandFactory};
use expect_test::expect_file;
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Command reference

This page is generated from the program. `mpiete COMMAND -h` prints the options of a first user, `mpiete COMMAND --help` all of them.

Exit codes: 0 done, 1 the program under test failed, 2 bad input, 3 a check or comparison differs.
";

#[test]
fn page_matches_the_argument_definitions() {
    let mut page = INTRODUCTION.to_string();
    let mut command = Arguments::command();
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
        .map(|help| help.to_string().replace("\n\n", " ").replace('\n', " "))
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
