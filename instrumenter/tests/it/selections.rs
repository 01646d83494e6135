//! SELECT CASE, computed GOTO and arithmetic IF of which something is assumed, in both forms and all spellings.
//! Where they are watched, the program prints what it prints itself; where they are replaced, it goes the way
//! that was assumed.

use crate::compiled::{probe_with, run};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::options::{AssumptionRequest, Options, Proposals};
use instrumenter::plan;

use AssumedOutcome::{Label, NotTaken, Taken, Trips};

/// Statements; what is assumed at which of their lines, and where the slice goes then, if each repetition ends at
/// once. `~` stands for where a line may go on in the next.
const SELECTIONS: [(&str, usize, AssumedOutcome, &str); 13] = [
    (
        "select case (n)\ncase (1)\ncall a\ncase (2:4)\ncall b\ncase default\ncall c\nend select",
        4,
        Taken,
        "b",
    ),
    (
        "select case (n)\ncase (1)\ncall a\ncase default\ncall c\ncase (:0, 3)\ncall b\nend select",
        4,
        Taken,
        "c",
    ),
    (
        "select case (~(n) + int(x(~1)))\ncase (1, ~2)\ncall a\ncase (3)\ncall b\nend select",
        4,
        Taken,
        "b",
    ),
    (
        "select case (w)\ncase ('(')\ncall a\ncase (')')\ncall b\nend select",
        1,
        NotTaken,
        "",
    ),
    (
        "select case (n > 2)\ncase (.true.)\ncall a\ncase (.false.)\ncall b\nend select",
        4,
        NotTaken,
        "a",
    ),
    (
        "select case (n)\ncase (3); call a\ncase default; call b\nend select",
        3,
        Taken,
        "b",
    ),
    (
        "goto (10, 20, 10) n~\ncall c\n10 call a\n20 call b",
        1,
        Label(20),
        "b",
    ),
    (
        "goto (10~, 20), n + (~0) ! (\ncall c\n10 call a\n20 call b",
        1,
        NotTaken,
        "cab",
    ),
    (
        "if (n > 0) goto (10, 20), n - 1\ncall c\n10 call a\n20 call b",
        1,
        Label(10),
        "ab",
    ),
    (
        "if (~x(1) - 2~) 10, 20, 20\n10 call a\n20 call b",
        1,
        Label(20),
        "b",
    ),
    (
        "10 call a\nx(1) = x(1) + 1\nif (x(1) - 3.5) 10, 20, ~20\n20 call b",
        3,
        Trips(5),
        "ab",
    ),
    (
        "10 call a\nn = n - 1\ngoto (10, 10) ~n\ncall c\n20 call b",
        3,
        Trips(4),
        "acb",
    ),
    (
        "do\ncall a\nn = n - 1\nselect case (n)\ncase (0)\nexit\ncase default\nend select\nend do",
        5,
        Trips(6),
        "a",
    ),
];

fn written(fixed: bool, broken: bool, line: &str) -> String {
    let broken_by = match (fixed, broken) {
        (_, false) => "",
        (true, true) => " ! ')\nc     a remark ((\n     > ",
        (false, true) => " & ! ')\n ! a remark ((\n    & ",
    };
    let labelled = line
        .split_once(' ')
        .filter(|(label, _)| label.parse::<u32>().is_ok());
    let (label, rest) = labelled.unwrap_or(("", line));
    format!("{label:<6}{rest}\n").replace('~', broken_by)
}

/// All statements, each in a procedure of its own, and what is assumed of each.
fn program(name: &str, fixed: bool, broken: bool) -> (String, Vec<AssumptionRequest>) {
    let (mut source, mut calls, mut requests) = (String::new(), String::new(), Vec::new());
    for (number, &(statement, at, outcome, _)) in SELECTIONS.iter().enumerate() {
        source += &format!(
            "      subroutine s{number}\n      integer n\n      character w\n      real x(3)\n      x = (/ 1, 2, 3 /)\n      n = 3; w = ')'\n"
        );
        for (text, number) in statement.lines().zip(1..) {
            if number == at {
                let (file, line) = (name.into(), source.lines().count() as u32 + 1);
                requests.push(AssumptionRequest {
                    file,
                    line,
                    outcome,
                    origin: AssumptionOrigin::User,
                });
            }
            source += &written(fixed, broken, text);
        }
        source += "      print *, n, w\n      end\n";
        calls += &format!("      call s{number}\n      call mpi_barrier(-10, e)\n");
    }
    let leaves = [("a", -1), ("b", -2), ("c", -3)].map(|(one, barrier)| {
        format!("      subroutine {one}\n      integer e\n      call mpi_barrier({barrier}, e)\n      end\n")
    });
    (
        format!(
            "{source}{}      program p\n      integer e\n{calls}      end\n",
            leaves.concat()
        ),
        requests,
    )
}

/// Which of the barriers were passed, as the stand-in prints them.
fn passed(said: &str) -> String {
    let barriers = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("barrier")?.trim().parse().ok());
    barriers
        .map(|number: i32| match number {
            -1 => 'a',
            -2 => 'b',
            -3 => 'c',
            _ => ';',
        })
        .collect()
}

#[test]
fn selections_are_found_in_all_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let expected: String = SELECTIONS
        .iter()
        .map(|(.., went)| format!("{went};"))
        .collect();
    for (fixed, broken) in [(true, false), (true, true), (false, false), (false, true)] {
        let name = if fixed { "a.f" } else { "a.f90" };
        let (source, assumptions) = program(name, fixed, broken);
        let options = Options {
            assumptions,
            proposals: Proposals::None,
            ..Options::default()
        };
        let watched = probe_with(name, &source, &options, plan::program::reference);
        for (entry, count) in [
            ("mpiete_assumption(", 7),
            ("mpiete_jump(", 4),
            ("mpiete_sign(", 2),
        ] {
            let found = watched.lines().filter(|line| line.contains(entry)).count();
            assert_eq!(found, count, "{entry} {watched}");
        }
        assert_eq!(
            run(folder.path(), name, &watched),
            run(folder.path(), name, &source),
            "{watched}"
        );
        let sliced = probe_with(name, &source, &options, plan::program::sliced);
        assert_eq!(
            passed(&run(folder.path(), name, &sliced)),
            expected,
            "{sliced}"
        );
    }
}
