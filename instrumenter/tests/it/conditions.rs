//! Conditions of which something is assumed, in all spellings: parentheses anywhere, lines continued anywhere, in
//! both forms. Where they are watched, the program prints what it prints itself; where they are replaced, it compiles.

use crate::compiled::{probe_with, run};
use base_data::program_data::{AssumedOutcome, AssumptionOrigin};
use frontend::options::{AssumptionRequest, Options, Proposals};
use instrumenter::plan;

/// Conditions over `x` and `n`; `~` stands for where a line may go on in the next.
const CONDITIONS: [&str; 10] = [
    "n > 2",
    "~(~n > 2~)~",
    "(x(1) < 9) .and.~ (n > 2)",
    "( (x(1) .lt. 4) .and.~ (n .gt. 2) )",
    "(n>2) .or. ( (x(1)<0)~ .and. (n<0) )",
    ".not.(n<2) .and. max(~(n),(1~)) > 2",
    "w==')'.or.(n~>2.and.w/='(!').or.w==')''('",
    "(~n~>~2~)",
    "all((x) < 99.0~) .and. (.true.)",
    "g(~(n)) > 2 .or.~ x(1) < 0",
];

/// A function that is asked whatever is assumed of its answer.
const ASKED: &str = "      integer function g(k)\n      integer k, e\n      call mpi_barrier(k, e)\n      g = k\n      end\n";

/// Statements with a condition `?` on their first line, and whether they are loops.
const STATEMENTS: [(&str, bool); 7] = [
    ("      if (?) then\n      n = n + 10\n      end if\n", false),
    ("      if (?) n = n + 10\n", false),
    ("      if(?)goto 900\n      n = n + 1\n", false),
    (
        "      do while ((?) .and. n < 9)\n      n = n + 1\n      end do\n",
        true,
    ),
    ("   30 if ( ? ) n = n + 10 ! (\n", false),
    ("      if (.not. (?)) then\n      n = 7; endif\n", false),
    ("      do 40 while(n<9.and.(?))\n   40 n = n + 1\n", true),
];

/// A statement in a procedure of its own. Lines go on in the next at all marks, or at none.
fn procedure(
    number: usize,
    fixed: bool,
    statement: &str,
    condition: &str,
    broken: bool,
) -> (String, String) {
    let broken_by = match (fixed, broken) {
        (_, false) => "",
        (true, true) => " ! ')\nc     a remark ((\n     > ",
        (false, true) => " & ! ')\n ! a remark ((\n    & ",
    };
    let statement = statement.replace('?', condition).replace('~', broken_by);
    let head = format!(
        "      subroutine s{number}\n      integer n, e, g\n      character w\n      real x(3)\n      x = (/ 1, 2, 3 /)\n      n = 3; w = ')'; e = 0\n"
    );
    let tail = "  900 call mpi_barrier(n, e)\n      print *, n, e, x(1), w\n      end\n";
    (head, format!("{statement}{tail}"))
}

/// All statements with all conditions, and what is assumed of each.
fn program(fixed: bool, broken: bool) -> (String, Vec<AssumptionRequest>) {
    let pairs = STATEMENTS
        .iter()
        .flat_map(|s| CONDITIONS.iter().map(move |c| (s, c)));
    let (mut source, mut calls, mut requests) = (String::new(), String::new(), Vec::new());
    for (number, (&(statement, is_loop), condition)) in pairs.enumerate() {
        let (head, rest) = procedure(number, fixed, statement, condition, broken);
        source += &head;
        let line = source.lines().count() as u32 + 1;
        let outcome = if is_loop {
            AssumedOutcome::Trips(6)
        } else {
            AssumedOutcome::Taken
        };
        requests.push(AssumptionRequest {
            file: "a".into(),
            line,
            outcome,
            origin: AssumptionOrigin::User,
        });
        source += &rest;
        calls += &format!("      call s{number}\n");
    }
    (
        format!("{source}{ASKED}      program p\n{calls}      end\n"),
        requests,
    )
}

#[test]
fn conditions_are_found_in_all_spellings() {
    let folder = tempfile::tempdir().unwrap();
    for (fixed, broken) in [(true, false), (true, true), (false, false), (false, true)] {
        let name = if fixed { "a.f" } else { "a.f90" };
        let (source, mut assumptions) = program(fixed, broken);
        assumptions
            .iter_mut()
            .for_each(|request| request.file = name.into());
        let options = Options {
            assumptions,
            proposals: Proposals::None,
            ..Options::default()
        };
        let watched = probe_with(name, &source, &options, plan::program::reference);
        let conditions =
            STATEMENTS.iter().filter(|(_, is_loop)| !is_loop).count() * CONDITIONS.len();
        let found = watched
            .lines()
            .filter(|line| line.contains("mpiete_condition("))
            .count();
        assert_eq!(found, conditions, "{watched}");
        assert_eq!(
            run(folder.path(), name, &watched),
            run(folder.path(), name, &source),
            "{watched}"
        );
        let sliced = probe_with(name, &source, &options, plan::program::sliced);
        let asked = sliced
            .lines()
            .filter(|line| line.contains("mpiete_assumed_value("))
            .count();
        assert_eq!(asked, STATEMENTS.len(), "{sliced}");
        assert!(
            sliced.contains(".true.") && sliced.contains("mpiete_trip("),
            "{sliced}"
        );
        run(folder.path(), name, &sliced);
    }
}

/// Loops that a count and a test end in one condition, `?` being what goes on, `!` what ends; the test never ends them.
const COUNTED: [&str; 5] = [
    "      do while (?)\n      n = n + 1\n      x(1) = x(1)*0.5\n      end do\n",
    "      do 40 while (~?)\n      n = n + 1\n   40 x(1) = x(1)*0.5\n",
    "      do\n      n = n + 1\n      x(1) = x(1)*0.5\n      if (!) exit\n      end do\n",
    "   50 n = n + 1\n      x(1) = x(1)*0.5\n      if (~?~)goto 50\n",
    "      do\n      n = n + 1\n      x(1) = x(1)*0.5\n      if (!) then\n      e = 1; exit; endif\n      end do\n",
];

const GOING_ON: [(&str, &str); 5] = [
    ("n < 9 .and.~ x(1) > -1", "n >= 9 .or.~ x(1) <= -1"),
    ("(x(2)>-1).and.(~n<9)", "x(2)<=-1~.or.(n>=9)"),
    (
        ".not.(~w=='('.or.n>=9.or..not.x(3)>0)",
        "w=='('.or.~(n>=9.or..not.(x(3)>0))",
    ),
    (
        "x(1)>-1 .and. (n < 9 .and. (n < 0 .or. x(3) > 0))",
        ".not.~(x(1)>-1 .and. (n < 9 .and. (n < 0 .or. x(3) > 0)))",
    ),
    (
        "9 .gt. n .and.~ w .ne. '('.and. x(1) > -1",
        "9 .le. n .or. x(1) .lt. -1",
    ),
];

/// The counted conjunct replaces a mixed condition. The probe in a run of the whole program receives whether the other
/// conjunct has ended a loop, and the instrumented program prints the same as the program.
#[test]
fn counted_conjuncts_of_mixed_conditions_are_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    for (fixed, broken) in [(true, false), (true, true), (false, false), (false, true)] {
        let name = if fixed { "a.f" } else { "a.f90" };
        let pairs = COUNTED
            .iter()
            .flat_map(|s| GOING_ON.iter().map(move |c| (s, c)));
        let (mut source, mut calls, mut assumptions) = (String::new(), String::new(), Vec::new());
        for (number, (statement, (goes_on, ends))) in pairs.enumerate() {
            let statement = statement.replace('!', ends);
            let (head, rest) = procedure(number, fixed, &statement, goes_on, broken);
            source += &head;
            let above = rest.lines().take_while(|line| !is_condition(line)).count() as u32;
            let line = source.lines().count() as u32 + 1 + above;
            let (file, outcome) = (name.into(), AssumedOutcome::NotTaken);
            assumptions.push(AssumptionRequest {
                file,
                line,
                outcome,
                origin: AssumptionOrigin::User,
            });
            source += &rest;
            calls += &format!("      call s{number}\n");
        }
        let source = format!("{source}      program p\n{calls}      end\n");
        let options = Options {
            assumptions,
            proposals: Proposals::None,
            ..Options::default()
        };
        let watched = probe_with(name, &source, &options, plan::program::reference);
        let found =
            |text: &str, what: &str| text.lines().filter(|line| line.contains(what)).count();
        assert_eq!(
            found(&watched, "mpiete_exit_condition("),
            2 * GOING_ON.len(),
            "{watched}"
        );
        assert_eq!(
            found(&watched, "mpiete_condition("),
            3 * GOING_ON.len(),
            "{watched}"
        );
        assert_eq!(
            run(folder.path(), name, &watched),
            run(folder.path(), name, &source),
            "{watched}"
        );
        let sliced = probe_with(name, &source, &options, plan::program::sliced);
        assert!(!sliced.contains("mpiete_trip("), "{sliced}");
        run(folder.path(), name, &sliced);
    }
}

fn is_condition(line: &str) -> bool {
    ["do while", "do 40", "if ("]
        .iter()
        .any(|begin| line.contains(begin))
}
