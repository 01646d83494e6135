! ui: slice
! Pitfall 4: an EXIT decides what its loop leaves in the DO variable.
program t
  use mpi
  integer :: u, ierr, n
  logical :: l
  real :: x
  call mpi_init(ierr)
  do u = 7, 99
    inquire (unit=u, opened=l)
    if (.not. l) exit
    x = x + 1
  end do
  n = u
  call mpi_barrier(mpi_comm_world + n, ierr)
  call mpi_finalize(ierr)
end program
