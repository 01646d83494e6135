! ui: terms
! Calls and sections read indices.
program t
  use mpi
  integer :: ierr, i, j, k, l, n, nb, me, np, last
  integer(8) :: long
  integer :: rows(1000)
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 10*np
  nb = 4
  read *, x, u, rows
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 9 !block
!case 1
    call column(k, n)
!case 2
    u(k:n) = u(k:n) + 1
!end case
  end do
  call mpi_finalize(ierr)
end program
subroutine column(k, last)
  integer :: k, last, i
  real :: v(50)
  do i = k, last
    v(mod(i, 50) + 1) = i
  end do
end subroutine
