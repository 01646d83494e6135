! ui: work
! Local and root values are right in a solo run.
program t
  use mpi
  integer :: ierr, i, me, n, status(mpi_status_size)
  real :: a(100), x(100), s, h
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  x = me
  h = 1
!case 1
  x = h
!case 2
  call mpi_recv(h, 1, mpi_real, 0, 0, mpi_comm_world, status, ierr)
  s = h
!case 3
  call mpi_bcast(x, 100, mpi_real, 0, mpi_comm_world, ierr)
!case 4
  call mpi_recv(h, 1, mpi_real, 0, 0, mpi_comm_world, status, ierr)
  x = h
  call mpi_bcast(x, 100, mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, 100 !block
    if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
  end do
  call mpi_finalize(ierr)
  print *, s
contains
  subroutine set(of, to)
    real, intent(in) :: of
    real, intent(out) :: to(100)
    to = of
  end subroutine
end program
