! ui: slice assumptions
! A branch on computed data that is no error exit stays, with what it depends on.
program t
  use mpi
  integer :: ierr, i
  real :: a(10), s
  call mpi_init(ierr)
  a = 1
  do i = 1, 10
    a = a/2
    s = sum(a)
    if (s < 0.1) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
