! ui: slice assumptions
! An error exit may have an ELSE, and be one of several; those on base data stay.
program t
  use mpi
  integer :: ierr, i, np
  real(8) :: a(200)
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  do i = 1, 200
    a(i) = sqrt(real(i))
  end do
  if (np > 64) then
    print *, 'too many'
    stop 1
  else if (sum(a) > 1d9) then
    stop 2
  else if (np > 2) then
    call mpi_barrier(mpi_comm_world, ierr)
  else
    call mpi_bcast(a, np, mpi_double_precision, 0, mpi_comm_world, ierr)
  end if
  if (a(7) > 9) then
    stop 3
  else
    call mpi_barrier(mpi_comm_world, ierr)
  end if
  call mpi_finalize(ierr)
end program
