! ui: terms
! A step may be any expression of integers; the type of an expression, not its form, determines that.
! - Real steps have no term.
program t
  use mpi
  integer, parameter :: n = 200
  integer :: me, np, ierr, i, j, k, s, first, last, px, py
  integer(8) :: long
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  long = np
  read *, x, u
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do k = me + 1, n, merge(2, 1, np > 2) !block
!case 2
  do k = me + 1, n, int(sqrt(real(np))) !block
!case 3
  do k = me + 1, n, iand(np, 3) + ishft(np, 1) !block
!case 4
  do k = me + 1, n, ceiling(real(np)/2) !block
!case 5
  do k = me + 1, merge(n, n/2, mod(me, 2) == 0), np !block
!case 6
  do long = me + 1, n, int(np, 8) !block
!case 7
  do x = 1.0, 2.0, u(1) !block
!end case
    u(1) = u(1) + 1
  end do
  call mpi_finalize(ierr)

end program
