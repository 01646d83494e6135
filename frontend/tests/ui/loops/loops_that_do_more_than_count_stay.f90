! ui: counting
! Loops that do more than count stay.
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
    len = 2 * len + 1
!case 2
    if (i > m) len = len + 1
!case 3
    len = len + 1
    if (len > m) exit
!case 4
    len = len + step
!case 5
    do j = 1, m / k
      len = len + 1
    end do
!end case
  end do
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
