! ui: slice
! Pitfalls 20 and 21: optional input; a READ of something else moves the file on.
program t
  use mpi
  integer :: n, k, ierr
  real :: skip
  call mpi_init(ierr)
  n = 3
  open (2, file='in', status='old', iostat=k)
  if (k == 0) then
    read (2, *) skip
    read (2, *) n
    close (2)
  end if
  call mpi_bcast(skip, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
