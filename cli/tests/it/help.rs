//! Help texts: every command is there, explains itself, and names its exit codes.

use crate::command::{done, mpiete, root};
use crate::tidy::{files, shown, text};

const COMMANDS: [&str; 17] = [
    "analyze",
    "prepare",
    "record",
    "measure",
    "calibrate",
    "estimate",
    "emulate",
    "predict",
    "sweep",
    "meta",
    "tasks",
    "run",
    "observe",
    "show",
    "merge",
    "convert",
    "compare",
];

#[test]
fn every_command_has_help() {
    let overview = done(&root(), &["--help"]);
    let codes =
        "Exit codes: 0 done, 1 the program under test failed, 2 bad input, 3 a check or comparison";
    assert!(overview.contains(codes), "{overview}");
    for command in COMMANDS {
        assert!(
            overview.contains(command),
            "{command} is missing in the overview"
        );
        let help = done(&root(), &[command, "--help"]);
        assert!(help.contains("Usage: mpiete"), "{command}: {help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 110),
            "{command}: lines are too long"
        );
    }
}

#[test]
fn unknown_commands_are_bad_input() {
    assert_eq!(mpiete(&root(), &["foretell"]).code, 2);
    assert_eq!(mpiete(&root(), &["show"]).code, 2);
}

#[test]
fn documents_name_commands_that_exist() {
    for path in files(&[".md"]) {
        let (document, text) = (shown(&path), text(&path));
        for part in text.split("`mpiete ").skip(1) {
            let command: String = part
                .chars()
                .take_while(|c| c.is_ascii_lowercase())
                .collect();
            let known = COMMANDS.contains(&command.as_str()) || command.is_empty();
            assert!(known, "{document} names `mpiete {command}`");
        }
    }
}
