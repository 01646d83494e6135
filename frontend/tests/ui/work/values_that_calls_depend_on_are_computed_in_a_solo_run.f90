! ui: work
! Values that calls depend on are computed in a solo run.
program t
  use mpi
  integer :: ierr, i, me, n, status(mpi_status_size)
  real :: a(100), x(100), s, h
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  x = me
  h = 1
  n = 0
  call mpi_recv(n, 1, mpi_integer, 0, 0, mpi_comm_world, status, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  x = n
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
