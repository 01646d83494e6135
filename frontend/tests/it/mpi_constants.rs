//! Constants of MPI in work terms: by name, since every library has values of its own.

use crate::work_terms::{check, check_terms};

/// A program whose marked block calls `boundary`, which compares with a constant that `condition` names.
fn program(uses: [&str; 3], condition: &str) -> String {
    let [module, callee, caller] = uses;
    format!(
        "module field
  {module}
  implicit none
  integer :: west, n
  real(8) :: u(1000)
contains
  subroutine boundary()
    {callee}
    if ({condition}) u(1:n) = u(1:n) + 1
  end subroutine
end module
program edge
  {caller}
  implicit none
  integer :: e, r, it
  call start
  call work
contains
  subroutine start
    use mpi
    call mpi_init(e)
    call mpi_comm_rank(mpi_comm_world, r, e)
    west = r - 1
    if (r == 0) west = mpi_proc_null
    n = 1000
  end subroutine
  subroutine work
    do it = 1, 3
      call boundary() !block
      call mpi_barrier(91, e)
    end do
    call mpi_finalize(e)
  end subroutine
end program
"
    )
}

#[track_caller]
fn spelled(uses: [&str; 3], condition: &str, expected: &str) {
    let terms = [
        format!("merge(1_8, 0_8, {expected})"),
        format!("merge(1_8, 0_8, {expected})*max(0_8, int(n, 8))"),
    ];
    check_terms(&program(uses, condition), &[&terms[0], &terms[1]]);
}

#[test]
fn constants_are_named_where_their_names_are_visible() {
    let condition = "west == mpi_proc_null";
    let named = "west .eq. mpi_proc_null";
    for uses in [
        ["use mpi", "", "use field"],
        ["use mpi_f08", "", "use field"],
        ["include 'mpif.h'", "", "use field"],
        ["use mpi, only: mpi_proc_null", "", "use field"],
        ["use mpi\n  private :: mpi_any_tag", "", "use field"],
        [
            "use mpi\n  private\n  public :: west, n, boundary, mpi_proc_null",
            "",
            "use field",
        ],
        ["", "use mpi", "use mpi\n  use field"],
        ["", "include 'mpif.h'", "use field\n  include 'mpif.h'"],
        ["use mpi", "", "use field, nothing => mpi_any_tag"],
    ] {
        // The module's statements stand in another order where it includes a file.
        let uses = uses.map(|text| text.replace("include", "!\n  include"));
        spelled([&uses[0], &uses[1], &uses[2]], condition, named);
    }
}

#[test]
fn constants_without_visible_names_are_queried_by_function() {
    let condition = "west == mpi_proc_null";
    let asked = "west .eq. mpiete_mpi_proc_null()";
    for uses in [
        ["", "use mpi", "use field"],
        ["", "use mpi", "use field\n  use mpi, only: mpi_comm_world"],
        [
            "",
            "use mpi",
            "use field\n  use mpi, only: nobody => mpi_proc_null",
        ],
        [
            "",
            "use mpi",
            "use field\n  use mpi, nobody => mpi_proc_null",
        ],
        [
            "use mpi\n  private\n  public :: west, n, boundary",
            "",
            "use field",
        ],
        ["use mpi", "", "use field, only: west, n, boundary"],
    ] {
        spelled(uses, condition, asked);
    }
}

#[test]
fn names_that_programs_give_to_constants_are_used() {
    let renamed = ["use mpi, only: nobody => mpi_proc_null", "", "use field"];
    spelled(renamed, "west == nobody", "west .eq. nobody");
    let renamed = ["use mpi", "", "use field, nobody => mpi_proc_null"];
    spelled(
        renamed,
        "west == mpi_proc_null",
        "west .eq. mpiete_mpi_proc_null()",
    );
    let parameter = "use mpi\n  implicit none\n  integer, parameter :: nobody = mpi_proc_null !";
    spelled(
        [parameter, "", "use field"],
        "west == nobody",
        "west .eq. nobody",
    );
    let hidden =
        "use mpi\n  implicit none\n  integer, parameter, private :: nobody = mpi_proc_null - 1 !";
    let by_definition = "west .eq. +(mpi_proc_null - 1)";
    spelled([hidden, "", "use field"], "west == nobody", by_definition);
    let by_function = "west .eq. +(mpiete_mpi_proc_null() - 1)";
    spelled(
        [hidden, "", "use field, only: west, n, boundary"],
        "west == nobody",
        by_function,
    );
}

/// A program that does `body` as a block of its own, after other statements, with these declarations.
fn direct(declarations: &str, before: &str, body: &str) -> String {
    format!(
        "program t
  {declarations}
  integer :: e, me, n, i
  real :: x(100)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, me, e)
  n = me
  {before}
  call mpi_barrier(mpi_comm_world, e)
  {body}
  call mpi_finalize(e)
end program
"
    )
}

#[test]
fn conditions_of_the_block_itself_name_constants() {
    let body = "if (n /= mpi_undefined) then !block
    do i = 1, n
      x(i) = 1
    end do
  end if";
    let terms = ["merge(1_8, 0_8, n .ne. mpi_undefined)*max(0_8, int(n, 8))"];
    check_terms(&direct("use mpi", "", body), &terms);
    check_terms(&direct("include 'mpif.h'", "", body), &terms);
}

#[test]
fn handles_are_named_where_they_are_integers() {
    let body = "if (half /= mpi_comm_null) then !block
    do i = 1, n
      x(i) = 1
    end do
  end if";
    let with = |declarations: &str| direct(declarations, "half = mpi_comm_world", body);
    let terms = ["merge(1_8, 0_8, half .ne. mpi_comm_null)*max(0_8, int(n, 8))"];
    check_terms(&with("use mpi\n  integer :: half"), &terms);
    check(&with("use mpi_f08\n  type(mpi_comm) :: half"), &[], true);
}

#[test]
fn sizes_that_libraries_choose_are_no_work() {
    let declarations = "use mpi\n  integer, parameter :: size_of = mpi_status_size\n  integer :: s(mpi_status_size, 50)";
    let body = "do i = 1, n !block
    s(:, i) = 0
  end do";
    check_terms(&direct(declarations, "", body), &["n"]);
    let nested = "do i = 1, n !block
    do e = 1, 2*size_of
      x(e) = 1
    end do
  end do";
    check_terms(&direct(declarations, "", nested), &["n"]);
}
