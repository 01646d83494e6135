! ui: counting
! Bounds that the nest changes stay.
program t
  use mpi
  implicit none
  integer :: ierr, i, j, k, n, m, me, len
  real :: x(100), step
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = me
  len = 0
  do i = 1, n
!case 1
    do j = i, 1, -1
      len = len + m
!case 2
    do j = 1, len
      len = len + 1
!end case
    end do
  end do
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
