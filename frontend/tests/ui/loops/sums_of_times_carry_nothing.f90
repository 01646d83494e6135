! ui: loops
! Sums of times carry nothing.
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
    t0 = mpi_wtime()
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    total(1) = total(1) + mpi_wtime() - t0
  end do
!case 2
  if (total(1) > 3) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 1
!end case
  call mpi_finalize(ierr)
end program
