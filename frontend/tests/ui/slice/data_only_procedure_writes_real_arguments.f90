! ui: slice --data-only=kernel
! A procedure that the user vouches for writes real and complex arguments, of any rank, and nothing
! else.
program t
  use mpi
  type pair
    integer :: first
    real :: second
  end type
  type(pair) :: both
  integer :: ierr, n(2), m
  real :: a(4), s
  external kernel
  call mpi_init(ierr)
  n(1) = 1
  m = 0
  s = 1
!case 4
  call kernel(both)
!case 5
  call kernel(both%first)
!else
  call kernel(a, s, n, m)
!end case
  call mpi_bcast(a, n(1), mpi_real, m, mpi_comm_world, ierr)
!case 1
  continue
!case 2
  if (s > 0) call mpi_barrier(mpi_comm_world, ierr)
!case 3
  if (a(2) > 0) call mpi_barrier(mpi_comm_world, ierr)
!case 4
  if (both%second > 0) call mpi_barrier(mpi_comm_world, ierr)
!case 5
  if (both%first > 0) call mpi_barrier(mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
