! ui: loops
! Loop carried values prevent invariance.
! - Written after it is read, and only sometimes.
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
    len = len + 1
!case 2
    len = i
!case 4
    if (me == 0) len = n
!end case
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 3
    len = n
!case 5
    k = len
    len = m
    m = k
!end case
  end do
  call mpi_finalize(ierr)
end program
