//! Branches that ranks take by what they are: what a rank does more than others is predicted to the statement, and what
//! depends on a plain flag is asked by no probe where it does not exist.

use crate::iteration_dependent_work::statements;

/// In one block the first rank does more, in another every second one, in the last the ranks that call; what only the
/// last rank has is allocated only there.
const BRANCHES: &str = "\
program branches
  use mpi
  implicit none
  integer, parameter :: cells = 300
  integer :: step, i, rank, ranks, error
  integer, allocatable :: most
  integer, pointer :: kind => null()
  logical :: last
  real(8) :: x(cells), total
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  last = rank == ranks - 1
  if (last) then
    allocate(most, kind)
    most = 40
    kind = 2
  end if
  call mpi_barrier(mpi_comm_world, error)
  x = rank
  total = 0
  do step = 1, 10
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, cells
      x(i) = x(i)*0.5d0 + i
      if (rank == 0) then
        total = total + x(i)
        total = total*0.999d0 + 1
        total = total + sqrt(x(i))
      end if
    end do
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, cells
      if (mod(rank, 2) == 1) then
        total = total + x(i)
        total = total*0.999d0 + 1
      end if
      x(i) = x(i) + 1
    end do
    call mpi_barrier(mpi_comm_world, error)
    if (last) then
      do i = 1, 40
        total = total + x(i)
      end do
      if (kind == 2 .and. most == 40) then
        total = total + 1
        total = total*0.5d0
      end if
    end if
    x(1) = 3
    call mpi_barrier(mpi_comm_world, error)
    x(2) = x(1)
    if (rank < 2) call extra()
  end do
  call mpi_finalize(error)
  if (total < 0) print *, total
contains
  subroutine extra()
    integer :: j
    do j = 1, 50
      total = total + j
    end do
  end subroutine
end program
";

#[test]
fn rank_dependent_branches_are_predicted_exactly() {
    let (ranks, _) = statements(BRANCHES, "5", &[]);
    for (rank, [predicted, counted]) in ranks.into_iter().enumerate() {
        assert!(
            (predicted / counted - 1.0).abs() < 0.0001,
            "rank {rank}: {predicted} for {counted}"
        );
    }
}
