! ui: loops
! Conditions do not read optional arguments.
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
    call step(n)
  end do
  call mpi_finalize(ierr)
end program
subroutine step(n, most)
  use mpi
  integer :: i, n, ierr
!case 1
  integer, optional :: most
!case 2
  integer :: most
!end case
  real :: x(3)
  do i = 1, n
    if (n > 3) then
      if (i == most) call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
    end if
    call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do
end subroutine
