! ui: loops
! Procedures are looked into.
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
    call step(i)
  end do
  call mpi_finalize(ierr)
end program
subroutine step(i)
  use mpi
  integer :: i, m, last, ierr
  real :: x(3)
  common /shared/ m, last
!case 1
  call mpi_send(x, m, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 2
  call mpi_send(x, i, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 3
  m = last
  call mpi_send(x, m, mpi_real, 0, 1, mpi_comm_world, ierr)

!case 4
  m = m + 1
  call mpi_send(x, m, mpi_real, 0, 1, mpi_comm_world, ierr)

!case 5
  last = i
  call mpi_send(x, m, mpi_real, 0, 1, mpi_comm_world, ierr)

!end case
end subroutine
