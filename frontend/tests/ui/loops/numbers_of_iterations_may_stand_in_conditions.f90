! ui: loops
! Numbers of iterations may stand in conditions.
! - A remainder that might not be asked for.
! - The condition is another one at the top.
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
    if (mod(i, 20) == 0) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 2
    do k = 1, 3
      if (i == n) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    end do
!case 3
    if (m > 0) then
      if (mod(i, m) == 0) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
    end if
!case 4
    k = me
    if (i > k) call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!end case
  end do
  call mpi_finalize(ierr)
end program
