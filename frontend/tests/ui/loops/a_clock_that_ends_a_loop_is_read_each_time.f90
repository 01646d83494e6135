! ui: loops
! A clock that ends a loop is read each time.
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
!case 1
  t0 = mpi_wtime()
!end case
  do i = 1, n
!case 2
    t0 = mpi_wtime()
    k = int(t0)
    if (k > 7) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!end case
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 1
    if (mpi_wtime() - t0 > 3) exit
!end case
  end do
  call mpi_finalize(ierr)
end program
