! ui: loops
! Counted assumptions are loop carried.
! - In what an iteration calls.
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
!case 1
    x(i) = x(i) + i
    if (x(1) > 3.0) exit
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    if (i == n) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 2
    x(i) = x(i) + i
    if (x(1) > 3.0) exit !assume: not taken
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    if (i == n) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 3
    x(i) = x(i) + i
    if (x(1) > 3.0) exit !assume: trips 5
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    if (i == n) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 4
    call step
!end case
  end do
  call mpi_finalize(ierr)
end program
!case 4
subroutine step
  use mpi
  integer :: k, len, ierr
  real :: x(3)
  len = 1
  do
    x = x + 1
    if (x(1) > 3.0) exit !assume: trips 2
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do
end subroutine
!end case
