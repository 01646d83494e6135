! ui: work
! Exits from the loop change no iteration.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  a = me
  first = me
30 continue
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
    s = s + k
!case 1
    if (s > 5) exit
!case 2
    if (s > 5) goto 10
!case 3
    if (s > 5) goto 20
!case 4
    if (s > 5) goto 30
!end case
    x = a
    call mpi_barrier(mpi_comm_world, ierr)
    do i = 1, n !block
      if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
    end do
20  continue
    call mpi_barrier(mpi_comm_world, ierr)
  end do
10 continue
  call mpi_finalize(ierr)

end program
