//! Places of blocks, and their digests.

use crate::harness::{Analysed, analyse};
use base_data::Digest;
use base_data::block_table::BlockKind;

fn table(analysed: &Analysed) -> Vec<String> {
    let block = |block: &base_data::block_table::Block| {
        let loops: String = block
            .loop_path
            .iter()
            .map(|id| format!(" in loop {id}"))
            .collect();
        let lines = match (block.span.first_line, block.span.last_line) {
            (first, last) if first == last => format!("{first}"),
            (first, last) => format!("{first}-{last}"),
        };
        format!("{} {lines}{loops}", block.kind)
    };
    analysed.analysis.table.blocks.iter().map(block).collect()
}

#[test]
fn runs_without_communication_are_blocks() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  do i = 1, 10
    a(i) = 2
  end do
  do i = 1, 3
    call work(a)
    call mpi_send(a, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
    if (i == 2) then
      a(1) = 3
      call mpi_barrier(mpi_comm_world, ierr)
    end if
    print *, a
    stop
  end do
  continue
  call mpi_finalize(ierr)
end program
subroutine work(a)
  real :: a(10)
  a(1) = 2
end subroutine
",
    );
    assert_eq!(
        table(&analysed),
        [
            "compute 6-9",
            "compute 11 in loop 0",
            "communication 12 in loop 0",
            "wait 12 in loop 0",
            "compute 14 in loop 0",
            "communication 15 in loop 0",
            "wait 15 in loop 0",
            "compute 17-18 in loop 0",
        ]
    );
    assert_eq!(analysed.analysis.loops.len(), 1);
    let functions: Vec<&str> = analysed
        .analysis
        .sites
        .iter()
        .map(|site| site.function.name)
        .collect();
    assert_eq!(
        functions,
        ["MPI_Init", "MPI_Send", "MPI_Barrier", "MPI_Finalize"]
    );
}

/// One way in, one way out.
#[test]
fn jumps_cut_blocks() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, k
  real :: x
  call mpi_init(ierr)
  k = 0
10 k = k + 1
  x = 1
  if (k < 3) goto 10
  x = 2
  if (k > 5) goto 20
  x = 3
20 x = 4
  do k = 1, 3
    if (x > 2) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
",
    );
    // The jump back and the one to 20 stay inside their run; EXIT of a loop with communication does not.
    assert_eq!(
        table(&analysed),
        [
            "compute 6-13",
            "communication 16 in loop 0",
            "wait 16 in loop 0"
        ]
    );
}

/// An error exit cuts no block, though it jumps and calls MPI_Abort; its calls are sites all the same.
#[test]
fn error_exits_cut_no_blocks() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, k
  real :: x(10)
  call mpi_init(ierr)
  do k = 1, 10
    x(k) = 1
    if (x(k) < 0) then
      print *, 'negative'
      call mpi_abort(mpi_comm_world, 1, ierr)
    end if
    call limit(x)
    if (x(k) > 5) goto 99
  end do
  call mpi_finalize(ierr)
  stop
99 stop 'too large'
end program
subroutine limit(x)
  use mpi
  real :: x(10)
  integer :: ierr
  if (x(1) > 9) call mpi_abort(mpi_comm_world, 2, ierr)
end subroutine
",
    );
    assert_eq!(table(&analysed), ["compute 6-14"]);
    let sites: Vec<&str> = analysed
        .analysis
        .sites
        .iter()
        .map(|site| site.function.name)
        .collect();
    assert_eq!(
        sites,
        ["MPI_Init", "MPI_Abort", "MPI_Finalize", "MPI_Abort"]
    );
}

#[test]
fn a_label_jumped_to_from_elsewhere_starts_a_block() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, k
  real :: x
  call mpi_init(ierr)
  read *, k
  if (k > 2) goto 10
  call mpi_barrier(mpi_comm_world, ierr)
  x = 1
10 x = 2
  call mpi_finalize(ierr)
end program
",
    );
    let blocks = table(&analysed);
    assert_eq!(
        blocks,
        [
            "compute 6",
            "communication 8",
            "wait 8",
            "compute 9",
            "compute 10"
        ]
    );
}

fn digests(source: &str) -> Vec<Digest> {
    let analysed = analyse(source);
    let compute = analysed
        .analysis
        .table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute);
    compute.map(|block| block.key.digest).collect()
}

#[test]
fn digests_are_of_text_callees_and_types() {
    let program = |body: &str, callee: &str, declared: &str, n: &str| {
        format!(
            "program t
  use mpi
  integer, parameter :: n = {n}
  integer :: ierr, i
  {declared} :: a(n)
  call mpi_init(ierr)
  do i = 1, n
{body}
    call work(a)
  end do
  call mpi_finalize(ierr)
end program
subroutine work(a)
  real :: a(*)
  {callee}
end subroutine
"
        )
    };
    let base = digests(&program("a(i) = 1", "a(1) = 2", "real", "10"));
    assert_eq!(base.len(), 1);
    let same = |other: String| digests(&other) == base;
    assert!(
        same(program("   A( I )  =  1 ! one", "a(1) = 2", "real", "10")),
        "layout"
    );
    assert!(
        same(program("a(i) = 1", "a(1) = 2", "real", "20")),
        "values of parameters, shapes"
    );
    assert!(!same(program("a(i) = 3", "a(1) = 2", "real", "10")), "text");
    assert!(
        !same(program("a(i) = 1", "a(1) = 4", "real", "10")),
        "callee"
    );
    assert!(
        !same(program("a(i) = 1", "a(1) = 2", "double precision", "10")),
        "type"
    );
}

/// The same may be given for one dummy or for another.
#[test]
fn digests_tell_which_arguments_are_left_out() {
    let program = |given: &str| {
        format!(
            "program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr)
  n = 5
  call work({given})
  call mpi_finalize(ierr)
contains
  subroutine work(few, many)
    integer, optional :: few, many
    if (present(many)) many = 3
  end subroutine
end program
"
        )
    };
    let [few, many, first] = ["few=n", "many=n", "n"].map(|given| digests(&program(given)));
    assert!(few == first && few != many);
}

#[test]
fn equal_blocks_are_distinguished_by_ordinal() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr
  real :: x
  call mpi_init(ierr)
  x = 1
  call mpi_barrier(mpi_comm_world, ierr)
  x = 1
  call mpi_finalize(ierr)
end program
",
    );
    let compute = analysed
        .analysis
        .table
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Compute);
    let keys: Vec<_> = compute
        .map(|block| (&block.key.digest, block.key.ordinal))
        .collect();
    assert!(
        keys[0].0 == keys[1].0 && keys[0].1 == 0 && keys[1].1 == 1,
        "{keys:?}"
    );
}

/// Nor does one that is an ELSE or a CASE, if all it does with MPI is to end the run.
#[test]
fn error_exits_in_other_branches_cut_no_blocks() {
    for (left, cuts) in [
        ("mpi_abort(mpi_comm_world, 1, ierr)", false),
        ("mpi_barrier(mpi_comm_world, ierr)", true),
    ] {
        let analysed = analyse(&format!(
            "program t
  use mpi
  integer :: ierr, i
  real :: a(10)
  call mpi_init(ierr)
  do i = 1, 3
    select case (i)
    case (1:2)
      a(i) = 2
    case default
      call {left}
      stop
    end select
    if (a(1) < 1) then
      a(i) = 3
    else if (a(1) > 3) then
      call {left}
      stop
    else
      a(i) = 4
    end if
  end do
  call mpi_finalize(ierr)
end program
"
        ));
        let computes = table(&analysed)
            .into_iter()
            .filter(|line| line.starts_with("compute"));
        let computes: Vec<String> = computes.collect();
        assert_eq!(computes == ["compute 6-22"], !cuts, "{computes:?}");
    }
}

/// What a dummy is not passed, by keywords or since an ENTRY has not all of them, is no label to return to.
#[test]
fn calls_that_pass_less_do_not_jump() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, i, j
  real :: u(9, 9), s
  call mpi_init(ierr)
  do 10 j = 1, 9
    do 10 i = 1, 9
      u(i, j) = i
10 continue
  call other(u, s)
  call some(u, last=s)
  u = 3
  call mpi_finalize(ierr)
contains
  subroutine some(u, s, last)
    real :: u(9, 9)
    real, optional :: s, last
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
subroutine norm(a, s)
  use mpi
  real :: a(9, 9), s, b(9, 9)
  integer :: ierr
  call mpi_barrier(mpi_comm_world, ierr)
  return
  entry other(b, s)
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
",
    );
    let computes: Vec<String> = table(&analysed)
        .into_iter()
        .filter(|row| row.starts_with("compute"))
        .collect();
    assert_eq!(computes, ["compute 6-9", "compute 12"]);
}
