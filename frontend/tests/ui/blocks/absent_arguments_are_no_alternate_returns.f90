! ui: blocks
! What a dummy is not passed, by keywords or since an ENTRY has not all of them, is no label to
! return to.
program t
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
