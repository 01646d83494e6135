//! Digests of blocks: which changes of a source they survive.

use crate::harness::analyse;
use base_data::Digest;
use base_data::block_table::BlockKind;

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
fn digests_distinguish_absent_arguments() {
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
