! ui: loops
! Aliased dummies prevent invariance.
program t
  use mpi
  implicit none
  integer :: ierr, i, k, n, m, me, len, request, requests(4), status(mpi_status_size), last
  real :: x(100), t0, total(3)
  common /shared/ m, last
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  len = 1
  do i = 1, n
    call step(m, n)
  end do
  call mpi_finalize(ierr)
end program
subroutine step(it, n)
  use mpi
  integer :: it, i, n, m, last, ierr
  real :: x(3)
  common /shared/ m, last
  do i = 1, n
    call mpi_send(x, it, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 1
    m = 3
!case 2
    last = 3
!end case
  end do
end subroutine
