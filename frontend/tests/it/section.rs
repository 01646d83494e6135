//! The section to be predicted.

use crate::harness::{Analysed, analyse_with};
use base_data::block_table::BlockKind;
use frontend::options::{Options, SectionRequest};

const SOURCE: &str = "program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
  do i = 1, 3
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call solve(i)

  call mpi_finalize(ierr)
end program
subroutine solve(i)
  use mpi
  integer :: i, ierr
  if (i > 7) return
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
";

fn find(section: SectionRequest) -> Analysed {
    analyse_with(
        SOURCE,
        &Options {
            section: Some(section),
            ..Options::default()
        },
    )
}

fn lines(file: &str, first: u32, last: u32) -> Analysed {
    find(SectionRequest::Lines {
        file: file.into(),
        first,
        last,
    })
}

fn ends(analysed: &Analysed) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let place = analysed.analysis.section.as_ref().expect("a section");
    let at = |list: &[frontend::ir::StatementId]| {
        list.iter().map(|id| analysed.line(id.0 as usize)).collect()
    };
    (
        at(&place.begin_before),
        at(&place.end_after),
        at(&place.end_before),
    )
}

#[test]
fn lines_are_whole_statements() {
    assert_eq!(ends(&lines("t.f90", 5, 9)), (vec![5], vec![8], vec![]));
    // A construct that ends outside is not in it, its body is.
    assert_eq!(ends(&lines("t.f90", 6, 6)), (vec![6], vec![6], vec![]));
}

#[test]
fn lines_of_several_procedures_are_no_section() {
    let analysed = lines("t.f90", 1, 999);
    assert!(analysed.analysis.section.is_none());
    let remarks = analysed.remarks();
    assert!(
        remarks.contains("lines 1-999 begin in t and end in solve"),
        "{remarks}"
    );
    assert!(remarks.contains("give lines up to 10,"), "{remarks}");
}

#[test]
fn a_procedure_ends_at_each_return_and_at_its_end() {
    assert_eq!(
        ends(&find(SectionRequest::Procedure("SOLVE".into()))),
        (vec![15], vec![16], vec![15])
    );
}

#[test]
fn what_is_not_there_is_said() {
    for (analysed, sentence) in [
        (lines("t.f90", 9, 9), "no executable statement"),
        (lines("u.f90", 5, 9), "no such file"),
        (
            find(SectionRequest::Procedure("nobody".into())),
            "no such procedure",
        ),
    ] {
        assert!(analysed.analysis.section.is_none() && analysed.analysis.is_refused());
        assert!(
            analysed.remarks().contains(sentence),
            "{}",
            analysed.remarks()
        );
    }
}

#[test]
fn an_entry_is_no_section() {
    let source = "program t\n  call later(1)\nend program\nsubroutine first(k)\n  integer :: k\n  k = 1\n  \
                  entry later(k)\n  k = 2\nend subroutine\n";
    for (name, entry) in [("LATER", true), ("late", false), ("first", false)] {
        let section = SectionRequest::Procedure(name.into());
        let remarks = analyse_with(
            source,
            &Options {
                section: Some(section),
                ..Options::default()
            },
        )
        .remarks();
        let sentence = format!("t.f90:7: {name} is an ENTRY of first");
        assert_eq!(remarks.contains(&sentence), entry, "{name}: {remarks}");
    }
}

/// Lines of the compute blocks, and the lines that stay.
#[track_caller]
fn check_blocks(source: &str, section: SectionRequest, blocks: &[(u32, u32)], kept: &[usize]) {
    let analysed = analyse_with(
        source,
        &Options {
            section: Some(section),
            ..Options::default()
        },
    );
    let computes = analysed
        .analysis
        .table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute);
    let found: Vec<_> = computes
        .map(|block| (block.span.first_line, block.span.last_line))
        .collect();
    assert_eq!(
        (&found[..], &analysed.kept()[..]),
        (blocks, kept),
        "{}",
        analysed.remarks()
    );
}

fn of_lines(first: u32, last: u32) -> SectionRequest {
    SectionRequest::Lines {
        file: "t.f90".into(),
        first,
        last,
    }
}

const COMPUTES: &str = "program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  a(1) = 2
  a(2) = 3
  do i = 1, 10
    a(i) = 4
    a(i) = 5
    a(i) = 6
  end do
  a(3) = 7
  call mpi_finalize(ierr)
end program
";

#[test]
fn blocks_end_where_the_section_does() {
    check_blocks(
        COMPUTES,
        of_lines(7, 8),
        &[(6, 6), (7, 8), (9, 14)],
        &[5, 15],
    );
    check_blocks(
        COMPUTES,
        of_lines(8, 13),
        &[(6, 7), (8, 13), (14, 14)],
        &[5, 15],
    );
    // Only at ends that would be inside a block.
    check_blocks(COMPUTES, of_lines(6, 14), &[(6, 14)], &[5, 15]);
}

#[test]
fn a_construct_around_an_end_of_the_section_is_no_block() {
    check_blocks(
        COMPUTES,
        of_lines(11, 11),
        &[(6, 8), (10, 10), (11, 11), (12, 12), (14, 14)],
        &[5, 9, 15],
    );
    // It begins outside and ends inside.
    check_blocks(
        COMPUTES,
        of_lines(8, 10),
        &[(6, 7), (8, 8), (10, 10), (11, 12), (14, 14)],
        &[5, 9, 15],
    );
}

#[test]
fn blocks_without_a_section_are_as_they_were() {
    let analysed = analyse_with(COMPUTES, &Options::default());
    assert_eq!(
        analysed
            .analysis
            .table
            .blocks
            .iter()
            .map(|b| b.span.first_line)
            .collect::<Vec<_>>(),
        [6]
    );
}

const NO_MPI: &str = "program t
  use mpi
  integer :: ierr
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  call outer(a)
  call other(a)
  a = 2
  call mpi_finalize(ierr)
end program
subroutine outer(a)
  real :: a(10)
  a(1) = 1
  call solve(a)
  a(2) = 1
end subroutine
subroutine solve(a)
  real :: a(10)
  integer :: i
  do i = 1, 10
    a(i) = i
  end do
  a(1) = 0
end subroutine
subroutine other(a)
  real :: a(10)
  a(1) = 0
end subroutine
";

#[test]
fn calls_of_a_section_without_mpi_are_in_no_block() {
    let around = [(6, 6), (8, 9), (14, 14), (16, 16)];
    let with = |inside: &[(u32, u32)]| [&around, inside].concat();
    let all = SectionRequest::Procedure("solve".into());
    check_blocks(NO_MPI, all, &with(&[(21, 24)]), &[5, 7, 10, 15]);
    check_blocks(
        NO_MPI,
        of_lines(24, 24),
        &with(&[(21, 23), (24, 24)]),
        &[5, 7, 10, 15],
    );
}

#[test]
fn jumps_across_an_end_of_the_section_cut_blocks() {
    let source = "program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
  i = 0
10 i = i + 1
  i = i + 2
  i = i + 3
  if (i < 9) goto 10
  i = 4
  call mpi_finalize(ierr)
end program
";
    let blocks = [(5, 5), (6, 7), (8, 8), (10, 10)];
    check_blocks(source, of_lines(8, 9), &blocks, &[4, 5, 6, 7, 8, 9, 11]);
}

/// The lines that a program times itself, the calls that lead there, and why.
#[track_caller]
fn check_timed(source: &str, expect: Option<(usize, usize, &[usize], &str)>) {
    let analysed = analyse_with(
        source,
        &Options {
            section: Some(SectionRequest::Timed),
            ..Options::default()
        },
    );
    let line = |id: &frontend::ir::StatementId| analysed.line(id.0 as usize);
    let found = analysed.analysis.section.as_ref().map(|place| {
        let way: Vec<usize> = place.way.iter().map(line).collect();
        (
            line(&place.begin_before[0]),
            line(&place.end_after[0]),
            way,
            place.reason.clone(),
        )
    });
    let expect =
        expect.map(|(begin, end, way, reason)| (begin, end, way.to_vec(), reason.to_string()));
    assert_eq!(found, expect);
}

/// Statements of a main program between MPI_Init at line 4 and MPI_Finalize, and procedures behind it.
fn timed_program(statements: &str, procedures: &str) -> String {
    format!(
        "program t\n  use mpi\n  integer :: ierr, i, c0, c1, n; real(8) :: t0, t1, t(4), timer, wall; logical :: last
  call mpi_init(ierr)\n{statements}  call mpi_finalize(ierr)\nend program\n{procedures}"
    )
}

const BARRIER: &str = "  call mpi_barrier(mpi_comm_world, ierr)\n";

#[test]
fn the_pair_of_readings_with_most_calls_is_the_section() {
    let counted = |name: &str| format!("timed by the program itself, counted with {name}");
    let loops = format!("  do i = 1, 5\n{BARRIER}  end do\n");
    for (statements, expect, name) in [
        // The difference where it is read, later, and as a sum of signs.
        (
            format!("  t0 = mpi_wtime()\n{BARRIER}  t0 = mpi_wtime() - t0\n"),
            (5, 7),
            "t0",
        ),
        (
            format!("  t0 = mpi_wtime()\n{BARRIER}  t1 = mpi_wtime()\n  print *, t1 - t0\n"),
            (5, 7),
            "t0",
        ),
        (
            format!("  t0 = t0 - mpi_wtime()\n{BARRIER}  t0 = t0 + mpi_wtime()\n"),
            (5, 7),
            "t0",
        ),
        (
            format!("  call cpu_time(t0)\n{BARRIER}  call cpu_time(t1)\n  wall = t1 - t0\n"),
            (5, 7),
            "t0",
        ),
        (
            format!(
                "  call system_clock(c0, n)\n{BARRIER}  call system_clock(c1)\n  wall = real(c1 - c0)/n\n"
            ),
            (5, 7),
            "c0, n",
        ),
        // Elements of an array; what is begun anew; the one with more calls.
        (
            format!("  t(2) = mpi_wtime()\n{BARRIER}  t(2) = mpi_wtime() - t(2)\n"),
            (5, 7),
            "t(2)",
        ),
        (
            format!("  t0 = mpi_wtime()\n  t0 = mpi_wtime()\n{BARRIER}  t1 = mpi_wtime() - t0\n"),
            (6, 8),
            "t0",
        ),
        (
            format!(
                "  t0 = mpi_wtime()\n{BARRIER}{BARRIER}  t0 = mpi_wtime() - t0\n  t1 = mpi_wtime()\n{loops}  t1 = mpi_wtime() - t1\n"
            ),
            (9, 13),
            "t1",
        ),
        // One rank reads the clock in what it prints: the others are where it would be.
        (
            format!("  t0 = mpi_wtime()\n{BARRIER}  if (n == 0) print *, mpi_wtime() - t0\n"),
            (5, 7),
            "t0",
        ),
        (
            format!(
                "  t0 = mpi_wtime()\n{BARRIER}  if (n == 0) then\n    t1 = mpi_wtime()\n    print *, t1 - t0\n  end if\n"
            ),
            (5, 7),
            "t0",
        ),
        // The end is where the loop ends, not where each iteration is timed.
        (
            format!(
                "  t0 = mpi_wtime()\n  do\n    t1 = mpi_wtime()\n{BARRIER}    t1 = mpi_wtime() - t1\n    wall = mpi_wtime() - t0\n    if (last) then\n      wall = mpi_wtime() - t0\n      exit\n    end if\n  end do\n"
            ),
            (5, 12),
            "t0",
        ),
    ] {
        check_timed(
            &timed_program(&statements, ""),
            Some((expect.0, expect.1, &[], &counted(name))),
        );
    }
}

#[test]
fn what_is_not_timed_once_is_no_section() {
    for statements in [
        BARRIER.to_string(),
        "  t0 = mpi_wtime()\n  t0 = mpi_wtime() - t0\n".into(),
        format!("  do i = 1, 3\n  t0 = mpi_wtime()\n{BARRIER}  t0 = mpi_wtime() - t0\n  end do\n"),
        format!("  if (last) t0 = mpi_wtime()\n{BARRIER}  if (last) t0 = mpi_wtime() - t0\n"),
        format!(
            "  t0 = mpi_wtime()\n  if (last) goto 7\n{BARRIER}  t0 = mpi_wtime() - t0\n7 continue\n"
        ),
    ] {
        check_timed(&timed_program(&statements, ""), None);
    }
}

const KEEPERS: &str = "real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = now() - begun(n)
end subroutine
";

#[test]
fn timer_procedures_are_distinguished_by_arguments() {
    let source = format!(
        "program t\n  use mpi\n  integer, parameter :: all = 2\n  integer :: ierr, i\n  call mpi_init(ierr)
  call start(1)\n{BARRIER}  call finish(1)\n  call start(all)\n  do i = 1, 3
  call start(3)\n{BARRIER}  call finish(3)\n  end do\n  call finish(2)\n  call mpi_finalize(ierr)\nend program\n{KEEPERS}"
    );
    let why = "timed by the program itself, from start(2) to finish(2)";
    check_timed(&source, Some((9, 15, &[], why)));
}

#[test]
fn timed_call_is_distinguished_from_warm_up() {
    let source = format!(
        "program t\n  use mpi\n  integer :: ierr, n\n  call mpi_init(ierr)\n  read *, n\n  call solve(1)\n  call solve(n)
  call mpi_finalize(ierr)\nend program\nsubroutine solve(n)\n  use mpi\n  integer :: n, i, ierr\n  call start(1)\n  do i = 1, n
{BARRIER}  end do\n  call finish(1)\nend subroutine\n{KEEPERS}"
    );
    let why = "timed by the program itself, from start(1) to finish(1), in the call at t.f90:7";
    check_timed(&source, Some((13, 17, &[7], why)));
}

/// `t(n) = t(n) - now()` in one procedure and `+` in the other, `t(n) = -now()`; not the other way round.
#[test]
fn procedures_may_keep_timers_by_signs() {
    let why = "timed by the program itself, from start(1) to finish(1)";
    let main = format!("  call start(1)\n{BARRIER}  call finish(1)\n");
    let with = |start: &str, finish: &str| {
        let kept = KEEPERS.replace("begun(n) = now() - begun(n)", finish);
        timed_program(
            &main,
            &kept.replace("begun(n) = now()\n", &format!("{start}\n")),
        )
    };
    let (off, on) = ("begun(n) = begun(n) - now()", "begun(n) = begun(n) + now()");
    for (start, finish, is_section) in [
        (off, on, true),
        ("begun(n) = -now()", on, true),
        ("begun(n) = -now()", "begun(n) = now() + begun(n)", true),
        (on, on, false),
        (off, off, false),
        (off, "begun(n) = now()", false),
    ] {
        check_timed(&with(start, finish), is_section.then_some((5, 7, &[], why)));
    }
    let directly = format!("  t0 = -mpi_wtime()\n{BARRIER}  t0 = t0 + mpi_wtime()\n");
    let counted = "timed by the program itself, counted with t0";
    check_timed(&timed_program(&directly, ""), Some((5, 7, &[], counted)));
}

/// What the program times, but perhaps not once, is said with its line, if it is more than the section.
#[test]
fn what_is_set_aside_is_said() {
    let remarks = |statements: &str| {
        let source = timed_program(statements, "");
        let options = Options {
            section: Some(SectionRequest::Timed),
            ..Options::default()
        };
        let analysed = analyse_with(&source, &options);
        let notes = analysed
            .analysis
            .diagnostics
            .iter()
            .filter(|d| d.sentence.contains("section timed from here"));
        let line =
            |span: frontend::source::Span| analysed.analysis.source_map.line(span.file, span.start);
        notes
            .map(|d| (d.span.map(line).unwrap(), d.sentence.clone()))
            .collect::<Vec<_>>()
    };
    let once = format!("  t1 = mpi_wtime()\n{BARRIER}  t1 = mpi_wtime() - t1\n");
    let large = format!("  t0 = mpi_wtime()\n{BARRIER}{BARRIER}  t0 = mpi_wtime() - t0\n");
    for (statements, line, why, instead) in [
        (
            format!("  do i = 1, n\n{large}  end do\n"),
            6,
            "more than once",
            "the whole run",
        ),
        (
            format!("  if (last) then\n{large}  end if\n"),
            6,
            "a condition decides",
            "the whole run",
        ),
        (
            format!("{once}  if (last) then\n{large}  end if\n"),
            9,
            "a condition decides",
            "something smaller",
        ),
        (
            format!("  if (last) t0 = mpi_wtime()\n{BARRIER}  if (last) t0 = mpi_wtime() - t0\n"),
            5,
            "a condition decides",
            "the whole run",
        ),
        (
            format!(
                "  t0 = mpi_wtime()\n  if (last) goto 7\n{BARRIER}  t0 = mpi_wtime() - t0\n7 continue\n"
            ),
            5,
            "its end is not passed once",
            "the whole run",
        ),
    ] {
        let said = remarks(&statements);
        let [(at, sentence)] = &said[..] else {
            panic!("{statements}{said:?}")
        };
        assert!(
            *at == line && sentence.contains(why) && sentence.contains(instead),
            "{statements}{said:?}"
        );
    }
    assert_eq!(
        remarks(&format!("{large}  if (last) then\n{once}  end if\n")),
        []
    );
    // What one of two loops times ends in it, although the other ends such a time, too.
    let timed_loop = format!("  do i = 1, 2\n{once}  end do\n");
    let many = format!(
        "  t0 = mpi_wtime()\n{}  t0 = mpi_wtime() - t0\n",
        BARRIER.repeat(40)
    );
    assert_eq!(remarks(&format!("{timed_loop}{many}{timed_loop}")), []);
    assert_eq!(remarks(BARRIER), []);
}

#[test]
fn a_section_without_mpi_is_remarked() {
    let has_remark = |analysed: Analysed| analysed.remarks().contains("calls MPI nowhere");
    assert!(has_remark(lines("t.f90", 15, 15)));
    assert!(!has_remark(lines("t.f90", 5, 7)) && !has_remark(lines("t.f90", 8, 8)));
    assert!(!has_remark(find(SectionRequest::Procedure("solve".into()))));
}
